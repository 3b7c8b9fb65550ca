"""Models of money: the ledger and its movements, drawers and closes, payments, side pools and extras."""
