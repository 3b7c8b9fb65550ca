"""Standings by own credits: tie-breaks as a list that the event chooses, and every place says how it was decided.

    records ──rank──► who is before whom, by what ──place_ranking──► placings, for the purse

The tie-breaks are asked in turn. Each splits those who are level until then; whoever it leaves level goes on to the
next. Two who are level in all of them share their places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import groupby
from typing import Final

from pairing.draws.credits import Removal, Result
from pairing.draws.own_credits import OwnCredit, OwnRecord
from pairing.draws.placing import Placings
from tournament.purse import place_finish


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a ranking goes by: own credits, and what was decided apart from them.

    `play_offs` are finishes of play-offs: each entry with its place there, 1 the best. `draws` are recorded draws by
    lot: entries in the order drawn. One of these decides only between entries that it names. `gone` says who was
    removed, and why.
    """

    records: Mapping[int, OwnRecord]
    play_offs: Sequence[Mapping[int, int]] = ()
    draws: Sequence[Sequence[int]] = ()
    gone: Mapping[int, Removal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Decision:
    """By what those from `ahead` on stand before those from `behind` on; `among` were level until then.

    The values are those of the tie-break: more is better of wins, opponents' wins, point spread and head to head; less
    of losses, and of the place in a play-off or draw.
    """

    by: TieBreak
    ahead: int
    behind: int
    values: tuple[int, int]
    among: tuple[int, ...]

    def __str__(self) -> str:
        """
        >>> print(Decision(TieBreak.POINT_SPREAD, 4, 9, (82, -4), (4, 9)))
        point spread, +82 to −4
        >>> print(Decision(TieBreak.HEAD_TO_HEAD, 4, 9, (1, 0), (4, 9)))
        head to head, entry 4 beat entry 9
        """
        more, less = self.values
        if self.by is TieBreak.HEAD_TO_HEAD and (more, less) == (len(self.among) - 1, 0):
            beaten = tuple(entry for entry in self.among if entry != self.ahead)
            return f"head to head, entry {self.ahead} beat {_listed(beaten)}"
        if self.by is TieBreak.HEAD_TO_HEAD:
            return f"head to head, {more} to {less} wins among {_listed(self.among)}"
        if self.by is TieBreak.POINT_SPREAD:
            return f"point spread, {_signed(more)} to {_signed(less)}"
        if self.by is TieBreak.PLAY_OFF:
            return f"the play-off, place {more} to {less}"
        if self.by is TieBreak.DRAW:
            return f"lot, drawn number {more} to {less}"
        return f"{_NAMES[self.by]}, {more} to {less}"


_NAMES: Final = {
    TieBreak.WINS: "wins",
    TieBreak.LOSSES: "fewest losses",
    TieBreak.OPPONENTS_WINS: "opponents’ wins",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An entry in its place, `tied` with so many in all; `place` None: disqualified.

    `behind` is what put it behind the place above, `ahead` what put it before the place below; None where there is
    no such place.
    """

    record: OwnRecord
    place: int | None
    level_with: tuple[int, ...] = ()
    behind: Decision | None = None
    ahead: Decision | None = None

    @property
    def entry(self) -> int:
        return self.record.entry

    @property
    def tied(self) -> int:
        return 1 + len(self.level_with)

    @property
    def before(self) -> str:
        """What put it before the next, or behind the one above where it is the last; and with whom it is level."""
        if self.place is None:
            return self.why
        told = replace(self, behind=None) if self.ahead is not None else self
        return told.why

    @property
    def why(self) -> str:
        """How the place was decided, in sentences."""
        if self.place is None:
            return "Disqualified: no place."
        said = []
        if self.behind is not None:
            said.append(f"Behind entry {self.behind.ahead} by {self.behind}.")
        if self.ahead is not None:
            said.append(f"Before entry {self.ahead.behind} by {self.ahead}.")
        if self.level_with:
            last = self.place + len(self.level_with)
            others = _listed(self.level_with)
            said.append(f"Level with {others} in everything that counts: they share places {self.place} to {last}.")
        return " ".join(said) or "Alone in the standings."


def rank(evidence: Evidence, tie_breaks: Sequence[TieBreak] = USUAL) -> tuple[Ranked, ...]:
    """Everybody, the best first; level entries by their numbers; those without a place last.

    >>> from pairing.draws.credits import MatchOutcome
    >>> from pairing.draws.own_credits import Meeting, own_records
    >>> won = [("G1M1", 4, 9), ("G2M1", 9, 2), ("G3M1", 4, 2), ("G4M1", 2, 7)]
    >>> played = [Meeting(name, (one, other), MatchOutcome.won(name, one, other)) for name, one, other in won]
    >>> for row in rank(Evidence(records=own_records([2, 4, 7, 9], played))):
    ...     print(row.place, row.entry, row.record, row.why)
    1 4 2–0 Before entry 9 by wins, 2 to 1.
    2 9 1–1 Behind entry 4 by wins, 2 to 1. Before entry 2 by fewest losses, 1 to 2.
    3 2 1–2 Behind entry 9 by fewest losses, 1 to 2. Before entry 7 by wins, 1 to 0.
    4 7 0–1 Behind entry 2 by wins, 1 to 0.
    """
    out = {entry for entry, why in evidence.gone.items() if not why.keeps_place}
    groups, decisions = _split(sorted(set(evidence.records) - out), tuple(tie_breaks), evidence)
    ranked: list[Ranked] = []
    for index, group in enumerate(groups):
        place = len(ranked) + 1
        ranked += [
            Ranked(
                record=evidence.records[entry],
                place=place,
                level_with=tuple(other for other in group if other != entry),
                behind=decisions[index - 1] if index else None,
                ahead=decisions[index] if index < len(decisions) else None,
            )
            for entry in group
        ]
    without = sorted(out & evidence.records.keys())
    return (*ranked, *(Ranked(record=evidence.records[entry], place=None) for entry in without))


def level_groups(ranked: Sequence[Ranked]) -> tuple[tuple[int, ...], ...]:
    """Entries that share a place, best first: what a cut line is drawn through.

    >>> from pairing.draws.own_credits import Meeting, own_records
    >>> level_groups(rank(Evidence(records=own_records([4, 9], [Meeting.bye("G1M1", 9)]))))
    ((9,), (4,))
    """
    placed = [row for row in ranked if row.place is not None]
    return tuple(tuple(row.entry for row in group) for _place, group in groupby(placed, key=lambda row: row.place))


def place_ranking(ranked: Sequence[Ranked]) -> Placings:
    """The placings for the purse: who shares a place shares what the places are worth.

    >>> from pairing.draws.own_credits import Meeting, own_records
    >>> ranked = rank(Evidence(records=own_records([4, 9], [Meeting.bye("G1M1", 9)])))
    >>> [str(placing) for placing in place_ranking(ranked).finish]
    ['1', '2']
    """
    without = tuple(row.entry for row in ranked if row.place is None)
    return Placings(place_finish(level_groups(ranked)), (), without)


Group = list[int]
Values = Mapping[int, int]
"""Of each entry what the tie-break counts, so that less is better."""


def _split(group: Group, tie_breaks: tuple[TieBreak, ...], evidence: Evidence) -> tuple[list[Group], list[Decision]]:
    """The group as groups that stay level, and what decided between each and the next."""
    if len(group) < 2 or not tie_breaks:
        return ([group] if group else []), []
    by = tie_breaks[0]
    values = _MEASURES[by](group, evidence)
    parts = [list(part) for _, part in groupby(sorted(group, key=values.__getitem__), key=values.__getitem__)]
    # Who is still level after some of them were told apart may be told apart by the games among those who are left.
    again = by is TieBreak.HEAD_TO_HEAD and len(parts) > 1
    groups: list[Group] = []
    decisions: list[Decision] = []
    for part in parts:
        inner, between = _split(part, tie_breaks if again else tie_breaks[1:], evidence)
        if groups:
            decisions.append(_decision(by, (groups[-1][0], inner[0][0]), values, tuple(group)))
        groups += inner
        decisions += between
    return groups, decisions


def _decision(by: TieBreak, at: tuple[int, int], values: Values, among: tuple[int, ...]) -> Decision:
    ahead, behind = at
    sign = 1 if by in (TieBreak.LOSSES, TieBreak.PLAY_OFF, TieBreak.DRAW) else -1
    return Decision(by, ahead, behind, (sign * values[ahead], sign * values[behind]), among)


def _wins(group: Group, evidence: Evidence) -> Values:
    return {entry: -evidence.records[entry].wins for entry in group}


def _losses(group: Group, evidence: Evidence) -> Values:
    return {entry: evidence.records[entry].losses for entry in group}


def _opponents_wins(group: Group, evidence: Evidence) -> Values:
    """The wins of everybody it has a win or a loss against; whoever it met twice counts twice, a bye nothing."""
    return {
        entry: -sum(
            evidence.records[own.opponent].wins
            for own in evidence.records[entry].credits
            if own.counts and own.opponent is not None and own.opponent in evidence.records
        )
        for entry in group
    }


def _point_spread(group: Group, evidence: Evidence) -> Values:
    return {entry: -evidence.records[entry].spread for entry in group}


def _head_to_head(group: Group, evidence: Evidence) -> Values:
    """The wins among themselves, if all met equally often; else only who has beaten all the others is told apart."""
    games = {entry: _games_among(evidence.records[entry], frozenset(group)) for entry in group}
    won = {entry: sum(own.credit.result is Result.WIN for own in played) for entry, played in games.items()}
    met_all = [entry for entry in group if len({own.opponent for own in games[entry]}) == len(group) - 1]
    if len(met_all) == len(group) and len({len(played) for played in games.values()}) == 1:
        return {entry: -wins for entry, wins in won.items()}
    beat_all = [entry for entry in met_all if won[entry] == len(games[entry])]
    return {entry: 1 - len(group) if entry in beat_all else 0 for entry in group}


def _games_among(record: OwnRecord, members: frozenset[int]) -> list[OwnCredit]:
    return [own for own in record.credits if own.counts and own.opponent in members]


def _play_off(group: Group, evidence: Evidence) -> Values:
    """Their places in the last play-off that names them all."""
    found = next((finish for finish in reversed(evidence.play_offs) if finish.keys() >= set(group)), None)
    return dict.fromkeys(group, 0) if found is None else {entry: found[entry] for entry in group}


def _draw(group: Group, evidence: Evidence) -> Values:
    found = next((drawn for drawn in reversed(evidence.draws) if set(drawn) >= set(group)), None)
    return dict.fromkeys(group, 0) if found is None else {entry: found.index(entry) + 1 for entry in group}


_MEASURES: Final[Mapping[TieBreak, Callable[[Group, Evidence], Values]]] = {
    TieBreak.WINS: _wins,
    TieBreak.LOSSES: _losses,
    TieBreak.OPPONENTS_WINS: _opponents_wins,
    TieBreak.POINT_SPREAD: _point_spread,
    TieBreak.HEAD_TO_HEAD: _head_to_head,
    TieBreak.PLAY_OFF: _play_off,
    TieBreak.DRAW: _draw,
}


def _listed(entries: Sequence[int]) -> str:
    """
    >>> _listed((4,)), _listed((4, 9, 2))
    ('entry 4', 'entries 4, 9 and 2')
    """
    if len(entries) == 1:
        return f"entry {entries[0]}"
    return f"entries {', '.join(map(str, entries[:-1]))} and {entries[-1]}"


def _signed(points: int) -> str:
    return f"−{-points}" if points < 0 else f"+{points}"
