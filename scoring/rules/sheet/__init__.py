"""The score sheet: lines with their scores, totals, early endings, and the status of signed cards.

`sheets` opens a sheet, scores a line, and adds up the totals. `showdown` scores two hands laid on the table. `paper`
checks a paper card. `closing` ends a game when time is called. `card_status` determines whether a signed card counts,
and when the card is final. `transfers` settles games for stakes.
"""
