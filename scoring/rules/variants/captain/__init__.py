"""Captain: one player in the box against two, by the third seed's rules."""
