"""The score sheet: lines that are judged, totals, the closing of a game, and what a signed card counts for now.

`sheets` opens a sheet, judges a line and tallies; `showdown` scores two hands laid open; `paper` reads a paper card;
`closing` ends a game when time is called; `statements` says which signed card stands; `case` answers JSON.
"""
