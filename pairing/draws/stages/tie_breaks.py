"""The tiebreaks: what each of them counts for entries that are level so far.

    RankingFacts, tied entries ──measure──► Counted: of each entry a value, more is better

Entries of groups of different sizes are compared per match (`RankingFacts.by_match`). Wins then count as a share of
wins and losses, opponents' wins and point spread as averages. Fewer losses do not count.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Final

from pairing.draws.results.credits import Removal, Result
from pairing.draws.results.win_loss import OwnCredit, WinLossRecord


class TieBreak(StrEnum):
    WINS = "wins"
    LOSSES = "losses"
    OPPONENTS_WINS = "opponents-wins"
    POINT_SPREAD = "point-spread"
    HEAD_TO_HEAD = "head-to-head"
    PLAY_OFF = "play-off"
    DRAW = "draw"


USUAL: Final = (
    TieBreak.WINS,
    TieBreak.LOSSES,
    TieBreak.PLAY_OFF,
    TieBreak.HEAD_TO_HEAD,
    TieBreak.OPPONENTS_WINS,
    TieBreak.POINT_SPREAD,
    TieBreak.DRAW,
)
LESS_IS_BETTER: Final = frozenset({TieBreak.LOSSES, TieBreak.PLAY_OFF, TieBreak.DRAW})


@dataclass(frozen=True, kw_only=True)
class RankingFacts:
    """The facts that a ranking uses: own credits, and decisions made apart from them.

    `records` has everybody who played, including entries that are not ranked, because their wins count for their
    opponents. `play_offs` holds the finishes of play-offs: each entry with its place there, 1 the best. `draws` holds
    draws by lot: entries in the order drawn. A play-off or draw decides only between entries that it names. `gone`
    maps removed entries to the reason. `by_match` is true if the entries come from groups of different sizes.
    """

    records: Mapping[int, WinLossRecord]
    play_offs: Sequence[Mapping[int, int]] = ()
    draws: Sequence[Sequence[int]] = ()
    gone: Mapping[int, Removal] = field(default_factory=dict)
    by_match: bool = False

    @cached_property
    def duels(self) -> "dict[int, dict[int, Duel]]":
        """Map each entry to its matches with each opponent. A match with neither a win nor a loss does not count."""
        played: dict[str, list[tuple[int, OwnCredit]]] = {}
        for entry, record in self.records.items():
            for own in record.credits:
                if own.counts and own.opponent is not None:
                    played.setdefault(own.match, []).append((entry, own))
        found: dict[int, dict[int, Duel]] = {}
        for sides in played.values():
            if len(sides) == 2:
                for (entry, own), (other, _) in (sides, reversed(sides)):
                    known = found.setdefault(entry, {})
                    known[other] = known.get(other, Duel()).and_one(won=own.credit.result is Result.WIN)
        return found


@dataclass(frozen=True, slots=True)
class Duel:
    """The number of matches of an entry against one opponent, and how many of them it won."""

    met: int = 0
    won: int = 0

    def and_one(self, *, won: bool) -> "Duel":
        return Duel(self.met + 1, self.won + won)


@dataclass(frozen=True, slots=True)
class Measure:
    """The value of one entry in a tiebreak. With `matches` it is an average, and no matches count as 0."""

    total: int
    matches: int | None = None

    @property
    def each(self) -> Fraction:
        """The value per match.

        >>> Measure(3, 4).each, Measure(3).each, Measure(0, 0).each
        (Fraction(3, 4), Fraction(3, 1), Fraction(0, 1))
        """
        if self.matches is None:
            return Fraction(self.total)
        return Fraction(self.total, self.matches) if self.matches else Fraction(0)


@dataclass(frozen=True, slots=True)
class Counted:
    """The value of each tied entry. Entries in `unbeaten` have met all the others and won all these matches."""

    values: Mapping[int, Measure]
    unbeaten: frozenset[int] = frozenset()


def measure(by: TieBreak, tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Return the values of the tied entries in this tiebreak.

    >>> from pairing.draws.results.win_loss import Meeting, own_records
    >>> records = own_records([4, 9], [Meeting.bye("B1", 9), Meeting.penalty("X1", 9)])
    >>> measure(TieBreak.WINS, [4, 9], RankingFacts(records=records, by_match=True)).values[9]
    Measure(total=1, matches=2)
    """
    return _MEASURES[by](tied, evidence)


def order_of(by: TieBreak, counted: Counted) -> dict[int, Fraction]:
    """Return a sort key for each tied entry. The best has the least key.

    >>> order_of(TieBreak.LOSSES, Counted({4: Measure(1), 9: Measure(0)}))
    {4: Fraction(1, 1), 9: Fraction(0, 1)}
    """
    sign = 1 if by in LESS_IS_BETTER else -1
    return {entry: sign * value.each for entry, value in counted.values.items()}


def _wins(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    found = {entry: evidence.records[entry] for entry in tied}
    if evidence.by_match:
        return Counted({entry: Measure(own.wins, own.wins + own.losses) for entry, own in found.items()})
    return Counted({entry: Measure(own.wins) for entry, own in found.items()})


def _losses(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Count the losses, or nothing per match, because the share of wins has counted them already."""
    return Counted({entry: Measure(0 if evidence.by_match else evidence.records[entry].losses) for entry in tied})


def _opponents_wins(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Count the wins of all opponents. An opponent met twice counts twice, a bye counts nothing."""
    values: dict[int, Measure] = {}
    for entry in tied:
        own = evidence.records[entry].credits
        met = [each.opponent for each in own if each.counts and each.opponent is not None]
        wins = sum(evidence.records[other].wins for other in met if other in evidence.records)
        values[entry] = Measure(wins, len(met) if evidence.by_match else None)
    return Counted(values)


def _point_spread(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    values: dict[int, Measure] = {}
    for entry in tied:
        record = evidence.records[entry]
        values[entry] = Measure(record.spread, record.with_points if evidence.by_match else None)
    return Counted(values)


def _head_to_head(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Count the wins among the tied entries if all met equally often.

    Otherwise only an entry that beat all others counts.
    """
    members, others = frozenset(tied), len(tied) - 1
    among = {entry: _duels_among(entry, members, evidence) for entry in tied}
    met_all = [entry for entry in tied if len(among[entry]) == others]
    unbeaten = frozenset(entry for entry in met_all if all(duel.met == duel.won for duel in among[entry]))
    often = {duel.met for duels in among.values() for duel in duels}
    if len(met_all) == len(tied) and len(often) == 1:
        wins = {entry: sum(duel.won for duel in duels) for entry, duels in among.items()}
        return Counted({entry: Measure(won) for entry, won in wins.items()}, unbeaten)
    return Counted({entry: Measure(others if entry in unbeaten else 0) for entry in tied}, unbeaten)


def _duels_among(entry: int, members: frozenset[int], evidence: RankingFacts) -> list[Duel]:
    duels = evidence.duels.get(entry, {})
    fewer, more = (duels, members) if len(duels) < len(members) else (members, duels)
    return [duels[other] for other in fewer if other in more]


def _play_off(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Count the places in the last play-off that names all the tied entries."""
    found = next((finish for finish in reversed(evidence.play_offs) if finish.keys() >= set(tied)), None)
    return Counted({entry: Measure(found[entry] if found else 0) for entry in tied})


def _draw(tied: Sequence[int], evidence: RankingFacts) -> Counted:
    """Count the positions in the last draw by lot that names all the tied entries."""
    found = next((drawn for drawn in reversed(evidence.draws) if set(drawn) >= set(tied)), ())
    at = {entry: position for position, entry in enumerate(found, start=1)}
    return Counted({entry: Measure(at.get(entry, 0)) for entry in tied})


_MEASURES: Final[Mapping[TieBreak, Callable[[Sequence[int], RankingFacts], Counted]]] = {
    TieBreak.WINS: _wins,
    TieBreak.LOSSES: _losses,
    TieBreak.OPPONENTS_WINS: _opponents_wins,
    TieBreak.POINT_SPREAD: _point_spread,
    TieBreak.HEAD_TO_HEAD: _head_to_head,
    TieBreak.PLAY_OFF: _play_off,
    TieBreak.DRAW: _draw,
}
