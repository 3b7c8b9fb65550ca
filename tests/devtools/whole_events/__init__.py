"""Whole events, compared after every act by code that shares nothing with the pages.

    rows ──facts──► Facts ──second readings──► what has to be so ─┐
    pages, JSON, files, verify_event ──words──► what is said ─────┴─compare──► [Disagreement, …]

- `facts` reads the recorded rows and nothing else: no selector, table, purse, draw or rule of the program.
- The second readings work out from them what follows: `second_tally` (a card, by the recounts of
  `tests/scoring/rules`), `second_bracket`, `second_standings`, `second_tables`, `second_places`, `second_money`.
- `words` fetches the pages as the public, a player and the director would, and reads the words on them.
- `compare_*` hold the two against each other. What differs is a `Disagreement`: what, where, expected from which
  facts, seen where.
- `files` downloads every signed card and the log, checks them by the commands, and reads the words on the paper.
- `rows` is a digest of all rows: an act that was refused leaves them as they were.
- `watch` does it after every act of an event: cheap comparisons always, all pages on sampled acts and at the end.

One event, a few, or many:

    python -m tests.devtools.whole_events --events 200 --seed 1        or: make play-events EVENTS=200
    python -m tests.devtools.whole_events --kind knockout --rules gra-singles --seed 7 --events 1

An event is one process on a database file of its own. Each prints one line, and every disagreement under it; the
exit status is 1 when there was any. The same seed plays the same event again.

`test_planted_faults` plants faults in pages, tables and sums, one at a time, and each has to be found.
"""
