"""The score sheet: judged lines, totals, the closing of a game, and the status of a signed card.

`sheets` opens a sheet, judges a line and tallies. `showdown` scores two hands laid open. `paper` checks a paper card.
`closing` ends a game when time is called. `card_status` decides which signed card counts, and when it is final.
`transfers` settles games for stakes.
"""
