"""Fort Worth Gin: wild ranks, damages, and a draw for seats."""
