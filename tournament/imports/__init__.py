"""A list of entries is imported from a file: read, shown with remarks, fixed row by row, and entered in one act.

Files are read in `tournament/spreadsheets`.

Public: nothing but its pages.
"""
