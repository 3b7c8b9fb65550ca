"""Score pads: games of which only the points are written down, each by its book."""
