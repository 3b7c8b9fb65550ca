"""The roles of three players at a table, of whom two play: in the box, captain, or sitting out.

The counts of a line show who played. Whether these two should have played depends on the hands before it. So a line is
first read as written (`WrittenHand`), and then judged by the roles (`refuse_seats`).

Source: the three-handed captain game, “Configuration and Player Roles”, “Scoring”; CONTRACTS.md, tally, captain.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.rules.hand.hand_reader import HandReader, UpCardRead
from scoring.rules.hand.hands import FINISHES, Hand, Outcome
from tournament.cases import Fields, join, shortened
from tournament.errors import Problem
from tournament.said import worded

NO_UP_CARD: Final = UpCardRead(None)
LINE_FIELDS: Final = ("outcome", "dealer", "by", "counts", "missing", "extra", "to", "points")
_BY_SIDE: Final = ("counts", "missing", "extra")


@dataclass(frozen=True, slots=True)
class Roles:
    box: str
    captain: str
    out: str

    @property
    def playing(self) -> tuple[str, str]:
        return self.box, self.captain

    def of(self, side: str) -> str:
        """Return `box`, `captain` or `out`."""
        return {self.box: "box", self.captain: "captain"}.get(side, "out")

    def after(self, scorer: str | None) -> "Roles":
        """Return the roles of the next hand after `scorer` won this one. If nobody scored, they do not change.

        >>> Roles("Ann", "Bob", "Cy").after("Ann")
        Roles(box='Ann', captain='Cy', out='Bob')
        >>> Roles("Ann", "Bob", "Cy").after("Bob")
        Roles(box='Bob', captain='Cy', out='Ann')
        """
        if scorer is None:
            return self
        if scorer == self.box:
            return Roles(self.box, self.out, self.captain)
        return Roles(self.captain, self.out, self.box)

    def as_json(self) -> dict[str, str]:
        return {"box": self.box, "captain": self.captain, "out": self.out}


@dataclass(frozen=True, slots=True)
class WrittenHand:
    """A line as written. `hand` is None if the line was refused and its worth is unknown.

    `named` has every mention of a side that must be playing, as path and side. `counted` has the sides with counts, or
    None if nobody finished the hand or the counts cannot be read.
    """

    hand: Hand | None
    named: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    counted: frozenset[str] | None = field(default=None, compare=False)


class WrittenHandReader(HandReader):
    """A reader for a hand without knowing who sits out. The hand has no field `up`."""

    def read_written(self, fields: Fields) -> WrittenHand:
        """Read a hand, and add only the problems that do not depend on the roles."""
        written = fields.choice("outcome", [outcome.value for outcome in Outcome])
        dealer = fields.read("dealer", self.read_side, None)
        if written is None:
            fields.finish(known=LINE_FIELDS)
            return WrittenHand(None)
        outcome, before = Outcome(written), len(fields.problems.found)
        hand = self._read_outcome(fields, outcome, NO_UP_CARD, dealer)
        told = len(fields.problems.found) == before
        fields.finish()
        return WrittenHand(hand if told else None, tuple(self._named(fields.data, outcome)), _counted(fields, outcome))

    def _opponent(self, by: str, counts: Mapping[str, int]) -> str | None:
        others = [side for side in counts if side != by]
        return others[0] if len(others) == 1 else None

    def _must_count(self) -> tuple[str, ...]:
        """Return no side, because only `refuse_seats` knows who plays."""
        return ()

    def _named(self, data: Mapping[str, Any], outcome: Outcome) -> Iterator[tuple[str, str]]:
        single, by_side = ("by", _BY_SIDE) if outcome in FINISHES else ("to", ())
        if (outcome in FINISHES or outcome is Outcome.POINTS) and data.get(single) in self.sides:
            yield single, data[single]
        for name in by_side:
            if isinstance(data.get(name), dict):
                yield from ((join(name, shortened(side)), side) for side in data[name] if side in self.sides)


def _counted(fields: Fields, outcome: Outcome) -> frozenset[str] | None:
    counts = fields.data.get("counts")
    return frozenset(counts) if outcome in FINISHES and isinstance(counts, dict) else None


def refuse_seats(written: WrittenHand, roles: Roles) -> Iterator[Problem]:
    """Yield a problem where the line names the side that sits out, and for each player without a count."""
    out = shortened(roles.out)
    for path, side in written.named:
        if side == roles.out:
            playing = worded(
                "%(box)s is in the box, %(captain)s is captain",
                box=shortened(roles.box),
                captain=shortened(roles.captain),
            )
            yield Problem(
                "bad-value", path, worded("%(out)s sits out in this hand: %(playing)s.", out=out, playing=playing)
            )
    counted = set(roles.playing) if written.counted is None else written.counted
    for name in (shortened(side) for side in roles.playing if side not in counted):
        yield Problem(
            "missing-field", join("counts", name), worded("The count of %(name)s, who plays, is missing.", name=name)
        )
