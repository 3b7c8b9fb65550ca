"""Score pads for the games of the Metzker Book in which only each side's points are recorded."""
