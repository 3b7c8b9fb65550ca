"""Score pads for games in which only each side's points are recorded. Each game follows the rules of its book."""
