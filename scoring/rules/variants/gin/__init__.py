"""Gin between two sides: standard, Oklahoma, Hollywood, and the Association's singles and partnership."""
