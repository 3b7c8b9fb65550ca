"""The terms of a score pad: the options of `score-pad`, the end of its sheet, and its tables on the published sheet.

Source: CONTRACTS.md, score-pad: “rounds named by a list, wins high or low, optional target; carries the other games of
the seed book”. Two of those games also need `losing_total` (500 Rummy) and `back_to_zero` (10,000).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self, cast

from scoring.rules.book.options import NamedValue, Numbers, Option, Options, Preset, Texts
from scoring.rules.book.rulebook import Particular
from scoring.rules.hand.hands import MOST_POINTS
from scoring.rules.variants.score_pad.pad import HIGH_WINS, LOW_WINS, Pad, PadRound
from scoring.rules.variants.score_pad.pads import PADS
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

MOST_ROUNDS: Final = 100
LONGEST_NAME: Final = 60

PAD_OPTIONS: Final = (
    Option(
        name="game",
        label=lazy_text("Game of the book"),
        meaning=lazy_text("Supplies the rounds, what each asks for, and what is left open below."),
        default=None,
        named=(
            NamedValue(None, lazy_text("another game")),
            *(NamedValue(pad.name, pad.title, pad.title) for pad in PADS.values()),
        ),
    ),
    Option(
        name="rounds",
        label=lazy_text("Rounds"),
        meaning=lazy_text("Their names in order; after the last one the sheet is complete."),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else as many as are played")),),
        texts=Texts(MOST_ROUNDS, LONGEST_NAME),
    ),
    Option(
        name="wins",
        label=lazy_text("Who wins"),
        meaning=lazy_text("Whether points are good or bad."),
        default=None,
        named=(
            NamedValue(None, lazy_text("as in the game of the book, else the highest total")),
            NamedValue(HIGH_WINS, lazy_text("the highest total"), lazy_text("Highest total wins")),
            NamedValue(LOW_WINS, lazy_text("the lowest total"), lazy_text("Lowest total wins")),
        ),
    ),
    Option(
        name="target",
        label=lazy_text("Played to"),
        brief=lazy_text("Played to {}"),
        meaning=lazy_text(
            "High wins: the first side at or over it and ahead. Low wins: it ends the game, the lowest wins."
        ),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else no target")),),
        numbers=Numbers(1, MOST_POINTS),
    ),
    Option(
        name="losing_total",
        label=lazy_text("Lost at"),
        brief=lazy_text("Lost at {}"),
        meaning=lazy_text("A total under zero at which a side has lost and the game is over."),
        default=None,
        named=(NamedValue(None, lazy_text("as in the game of the book, else no such total")),),
        numbers=Numbers(-MOST_POINTS, -1),
    ),
    Option(
        name="back_to_zero",
        label=lazy_text("Back to zero"),
        meaning=lazy_text("Whether a side at the target works down again, and wins at zero or less."),
        default=None,
        named=(
            NamedValue(None, lazy_text("as in the game of the book, else no")),
            NamedValue(False, lazy_text("no")),
            NamedValue(True, lazy_text("yes"), lazy_text("Back to zero")),
        ),
    ),
)


PRESETS: Final = tuple(
    Preset(name=pad.name, title=pad.title, options=pad.options(), players=pad.players, sides=pad.sides)
    for pad in PADS.values()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PadTerms:
    """The typed options. Options left open are filled in from the game of the book."""

    pad: Pad | None
    rounds: tuple[str, ...]
    low_wins: bool
    target: int | None
    losing_total: int | None
    back_to_zero: bool

    @classmethod
    def of(cls, options: Options) -> Self:
        name = options["game"]
        pad = PADS[name] if isinstance(name, str) else None
        own = pad.options() if pad else {"rounds": [], "wins": HIGH_WINS, "target": None, "losing_total": None}
        meant = {name: own.get(name) if value is None else value for name, value in options.items()}
        rounds = tuple(cast("list[str]", meant["rounds"]))
        named = tuple(each.name for each in pad.rounds) if pad else ()
        return cls(
            pad=pad,
            rounds=named if rounds == named else rounds,
            low_wins=meant["wins"] == LOW_WINS,
            target=cast("int | None", meant["target"]),
            losing_total=cast("int | None", meant["losing_total"]),
            back_to_zero=meant["back_to_zero"] is True,
        )

    def round_at(self, place: int) -> PadRound:
        """Return the round at a place, from 0. A round that is not the book's has only a name."""
        own = self.pad.round_at(place) if self.pad and self.has_own_rounds else None
        name = self.rounds[place] if place < len(self.rounds) else str(place + 1)
        return PadRound(name) if own is None else replace(own, name=name)

    @property
    def has_own_rounds(self) -> bool:
        """Whether the rounds are those of the book's game."""
        return self.pad is not None and self.rounds == tuple(each.name for each in self.pad.rounds)

    @property
    def has_instructions(self) -> bool:
        """Whether its rounds have tasks."""
        return any(self.round_at(place).asks for place in range(len(self.rounds) or 1))

    @property
    def in_words(self) -> str:
        """The end of the game and the winner, in words.

        >>> PadTerms.of({"game": "500-rummy"} | dict.fromkeys(option.name for option in PAD_OPTIONS[1:])).in_words
        'The highest total wins; played to 500; lost at −150.'
        """
        parts = [lazy_text("The lowest total wins") if self.low_wins else lazy_text("The highest total wins")]
        if self.rounds:
            parts.append(lazy_plural("%(number)s round", "%(number)s rounds", len(self.rounds)))
        if self.target is not None and self.back_to_zero:
            parts.append(lazy_text("played to %(target)s and back to zero", target=self.target))
        elif self.target is not None:
            parts.append(lazy_text("played to %(target)s", target=self.target))
        if self.losing_total is not None:
            parts.append(lazy_text("lost at −%(total)s", total=-self.losing_total))
        return lazy_text("%(terms)s.", terms=join_texts("; ", parts))

    def turned(self, totals: Mapping[str, int]) -> frozenset[str]:
        """Return the sides that have reached the target and work back down, if the pad is played back to zero."""
        if self.target is None or not self.back_to_zero:
            return frozenset()
        target = self.target
        return frozenset(side for side, total in totals.items() if total >= target)

    def is_reached(self, totals: Mapping[str, int]) -> bool:
        return self.target is not None and max(totals.values()) >= self.target

    def ending(self, totals: Mapping[str, int], played: int, turned: frozenset[str]) -> tuple[bool, str | None]:
        """Return whether the pad is over after this many rounds, and the winner. `turned` are on their way to zero.

        The winner is None while the pad is open, or if it ended equal. If the low total wins, nobody loses by a total.
        If the high total wins and the top is equal at the target, play goes on.
        """
        home = [side for side in turned if totals[side] <= 0]
        if home:
            return True, _only(home)
        best = (min if self.low_wins else max)(totals.values())
        leader = _only([side for side, total in totals.items() if total == best])
        is_lost = self.losing_total is not None and not self.low_wins and min(totals.values()) <= self.losing_total
        is_decided = self.is_reached(totals) and not self.back_to_zero and (self.low_wins or leader is not None)
        is_over = 0 < len(self.rounds) <= played or is_lost or is_decided
        return is_over, leader if is_over else None


def _only(sides: Sequence[str]) -> str | None:
    return sides[0] if len(sides) == 1 else None


# --- The published sheet ---------------------------------------------------------------------------------------------
# The sheet has tables of the rounds and their tasks, of wild cards, and of the worth of cards.


def particulars_of(terms: PadTerms) -> Iterator[Particular]:
    """Yield the tables of the published sheet.

    >>> from scoring.rules.variants.score_pad.variant import ScorePad
    >>> each = {p.heading: p.rows for p in ScorePad(("A", "B"), ScorePad.defaults() | {"game": "push"}).particulars()}
    >>> each["Rounds"][0], each["The game"][1]
    (('1st', '6 cards dealt: 2 sets of three'), ('Players', '4, two teams'))
    """
    yield Particular(lazy_text("The game"), tuple(_describe_game(terms)))
    rounds = tuple((name, terms.round_at(place).asks) for place, name in enumerate(terms.rounds))
    if rounds:
        yield Particular(lazy_text("Rounds"), rounds)
    if terms.pad is not None:
        yield from _describe_book_rules(terms.pad)


def _describe_game(terms: PadTerms) -> Iterator[tuple[str, str]]:
    pad = terms.pad
    if pad is not None:
        yield lazy_text("Game of the book"), lazy_text("%(game)s (%(source)s)", game=pad.title, source=pad.source)
        yield lazy_text("Players"), pad.players
    yield lazy_text("Who wins, and when"), terms.in_words
    if pad is not None and pad.wild:
        yield lazy_text("Wild cards"), pad.wild


def _describe_book_rules(pad: Pad) -> Iterator[Particular]:
    if pad.turns:
        yield Particular(
            lazy_text("Round after round"), tuple((str(i), turn.asks) for i, turn in enumerate(pad.turns, start=1))
        )
    if pad.steps:
        yield Particular(
            lazy_text("Melds, one after the other"), tuple((str(i), s) for i, s in enumerate(pad.steps, start=1))
        )
    if pad.counts:
        yield Particular(lazy_text("What counts"), pad.counts)
    if pad.notes:
        yield Particular(lazy_text("Notes"), tuple(("", note) for note in pad.notes))
