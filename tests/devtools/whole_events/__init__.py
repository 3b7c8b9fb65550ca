"""Play whole events, and compare their pages after every action with values that independent code computes.

    rows ──facts──► Facts ──second readings──► expected values ─┐
    pages, JSON, files, verify_event ──words──► seen values ────┴─compare──► [Disagreement, …]

- `facts` reads recorded rows only. It does not use the program's own computations.
- The second readings are independent code for the expected values: `second_cards` (with the recounts of
  `tests/scoring/rules`), `second_bracket`, `second_standings`, `second_money`.
- `words` fetches pages as the public, a player, and the director, and reads their text.
- `compare_*` compares the expected values with the text.
- `files` downloads every signed card and the log, checks them with the commands, and reads the printed text.
- `checks` runs `verify_event`, changes rows that it must notice, and checks that a rejected action changes no row.
- `watch` does all this: cheap comparisons after every action, all pages after some actions and at the end.
- `playing` plays an event under a `Watch`, from its beginning or from its current state.
- `round_trips` moves an event through files: to a copy, to other installations, and back.

    python -m tests.devtools.whole_events --events 200 --seed 1        or: make play-events EVENTS=200
    python -m tests.devtools.whole_events --kind knockout --rules gra-singles --seed 7 --events 1
    python -m tests.devtools.whole_events --events 200 --round-trips

Each event runs in its own process with its own database file, and prints a line and its disagreements. The exit status
is 1 if there were any. The same seed plays the same event again.
"""
