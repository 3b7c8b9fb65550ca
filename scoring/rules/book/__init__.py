"""The rule sheet of an event: its options, what they are called, how long a match is, how a sheet is laid out."""
