"""Fort Worth: wild ranks, damages, and draws for seats."""
