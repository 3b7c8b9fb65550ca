"""The words of a score pad on the published sheet: its rounds and their tasks, wild cards, and the worth of cards."""

from collections.abc import Iterator
from typing import Final

from scoring.rules.book.options import Preset
from scoring.rules.book.rulebook import Particular
from scoring.rules.variants.score_pad.pad import Pad
from scoring.rules.variants.score_pad.pad_terms import PadTerms
from scoring.rules.variants.score_pad.pads import PADS
from tournament.said import worded

PRESETS: Final = tuple(
    Preset(name=pad.name, title=pad.title, options=pad.options(), players=pad.players, sides=pad.sides)
    for pad in PADS.values()
)


def particulars_of(terms: PadTerms) -> Iterator[Particular]:
    """Yield the tables of the published sheet.

    >>> from scoring.rules.variants.score_pad.variant import ScorePad
    >>> each = {p.heading: p.rows for p in ScorePad(("A", "B"), ScorePad.defaults() | {"game": "push"}).particulars()}
    >>> each["Rounds"][0], each["The game"][1]
    (('1st', '6 cards dealt: 2 sets of three'), ('Players', '4, two teams'))
    """
    yield Particular(worded("The game"), tuple(_game(terms)))
    rounds = tuple((name, terms.round_at(place).asks) for place, name in enumerate(terms.rounds))
    if rounds:
        yield Particular(worded("Rounds"), rounds)
    if terms.pad is not None:
        yield from _of_the_book(terms.pad)


def _game(terms: PadTerms) -> Iterator[tuple[str, str]]:
    pad = terms.pad
    if pad is not None:
        yield worded("Game of the book"), worded("%(game)s (%(source)s)", game=pad.title, source=pad.source)
        yield worded("Players"), pad.players
    yield worded("Who wins, and when"), terms.in_words
    if pad is not None and pad.wild:
        yield worded("Wild cards"), pad.wild


def _of_the_book(pad: Pad) -> Iterator[Particular]:
    if pad.turns:
        yield Particular(
            worded("Round after round"), tuple((str(i), turn.asks) for i, turn in enumerate(pad.turns, start=1))
        )
    if pad.steps:
        yield Particular(
            worded("Melds, one after the other"), tuple((str(i), s) for i, s in enumerate(pad.steps, start=1))
        )
    if pad.counts:
        yield Particular(worded("What counts"), pad.counts)
    if pad.notes:
        yield Particular(worded("Notes"), tuple(("", note) for note in pad.notes))
