"""Score pads for games in which only the points are recorded. Each game follows its book."""
