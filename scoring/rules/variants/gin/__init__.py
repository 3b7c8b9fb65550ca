"""Gin between two sides: standard, Oklahoma, Hollywood, and the Gin Rummy Association's singles and partnership."""
