"""The rule sheet of an event: its options and their labels, the length of a match, and the layout of a sheet."""
