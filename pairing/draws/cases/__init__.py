"""JSON commands that make pairings, compute standings, and verify draws. A case is the JSON input of a command."""
