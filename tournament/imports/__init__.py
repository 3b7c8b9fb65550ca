"""Import a list of entries from a file: read it, show remarks, fix rows, and enter all good rows in one act.

Files are read in `tournament/spreadsheets`.

Public: nothing but its pages.
"""
