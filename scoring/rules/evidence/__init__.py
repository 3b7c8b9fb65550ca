"""What a signature covers and how anybody checks it: the content of a card, seals, versions, sealed files, the log."""
