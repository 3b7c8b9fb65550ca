"""Captain: three-handed gin, where the player in the box plays against the other two, by the rules of the seed book."""
