"""Rank entries by their own credits, with tiebreaks that the event chooses, and explain every place.

    records ──rank──► places, and the tiebreak that decided each

The tiebreaks apply in turn. Each one splits the entries that are level so far, and the entries it leaves level go on
to the next. Entries that are level in all of them share their places. The `standings` command ranks by the same
`rank`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Final

from pairing.draws.order.entries import entries_in_words, entry_in_words
from pairing.draws.results.win_loss import WinLossRecord
from pairing.draws.stages.tie_breaks import USUAL, Counted, RankingFacts, TieBreak, measure, order_of
from tournament.said import joined, worded

__all__ = ["USUAL", "Ranked", "RankingFacts", "TieBreak", "TieDecision", "rank", "rank_parts", "tied_groups"]

MOST_NAMED: Final = 12
"""The most entries that a sentence names."""


@dataclass(frozen=True, slots=True)
class TieDecision:
    """The tiebreak that ranks the entries from `ahead` on before those from `behind` on. `among` were level until then.

    The values are those of the tiebreak. More is better for wins, opponents' wins, point spread and head to head. Less
    is better for losses, and for the place in a play-off or draw. With `matches`, the values are compared per match.
    `beat_all` is true if the entry ahead has beaten all the others in all their matches.
    """

    by: TieBreak
    ahead: int
    behind: int
    values: tuple[int, int]
    among: tuple[int, ...]
    matches: tuple[int, int] | None = None
    beat_all: bool = False

    def __str__(self) -> str:
        """Return the decision as a clause of a sentence.

        >>> print(TieDecision(TieBreak.POINT_SPREAD, 4, 9, (82, -4), (4, 9)))
        point spread, +82 to −4
        >>> print(TieDecision(TieBreak.HEAD_TO_HEAD, 4, 9, (1, 0), (4, 9), beat_all=True))
        head to head, entry 4 beat entry 9
        >>> print(TieDecision(TieBreak.WINS, 4, 9, (2, 2), (4, 9), (3, 4)))
        share of wins, 2 of 3 (67%) to 2 of 4 (50%)
        """
        more, less = self.values
        if self.matches is not None:
            return self._by_the_match(self.matches)
        if self.by is TieBreak.HEAD_TO_HEAD and self.beat_all and less == 0:
            beaten = tuple(entry for entry in self.among if entry != self.ahead)
            return worded(
                "head to head, %(ahead)s beat %(beaten)s", ahead=entry_in_words(self.ahead), beaten=_listed(beaten)
            )
        if self.by is TieBreak.HEAD_TO_HEAD:
            return worded(
                "head to head, %(more)s to %(less)s wins among %(among)s",
                more=more,
                less=less,
                among=_listed(self.among),
            )
        if self.by is TieBreak.POINT_SPREAD:
            return worded("point spread, %(more)s to %(less)s", more=_signed(more), less=_signed(less))
        if self.by is TieBreak.PLAY_OFF:
            return worded("the play-off, place %(more)s to %(less)s", more=more, less=less)
        if self.by is TieBreak.DRAW:
            return worded("lot, drawn number %(more)s to %(less)s", more=more, less=less)
        return worded("%(name)s, %(more)s to %(less)s", name=_NAMES[self.by], more=more, less=less)

    def _by_the_match(self, matches: tuple[int, int]) -> str:
        """Return the clause for values that are compared per match.

        >>> print(TieDecision(TieBreak.POINT_SPREAD, 4, 9, (50, 50), (4, 9), (2, 3)))
        point spread a match, +50 in 2 to +50 in 3
        """
        pairs = list(zip(self.values, matches, strict=True))
        if self.by is TieBreak.WINS:
            one, other = (
                worded("%(won)s of %(played)s (%(share)s)", won=won, played=played, share=_percent(won, played))
                for won, played in pairs
            )
            return worded("share of wins, %(one)s to %(other)s", one=one, other=other)
        spread = self.by is TieBreak.POINT_SPREAD
        name = worded("point spread") if spread else _NAMES[self.by]
        one, other = (
            worded("%(total)s in %(played)s", total=_signed(total) if spread else total, played=played)
            for total, played in pairs
        )
        return worded("%(name)s a match, %(one)s to %(other)s", name=name, one=one, other=other)


_NAMES: Final = {
    TieBreak.WINS: worded("wins"),
    TieBreak.LOSSES: worded("fewest losses"),
    TieBreak.OPPONENTS_WINS: "opponents’ wins",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """An entry in its place, which it shares with `tied` entries in all. `place` is None if it is disqualified.

    `sharing` holds all entries with that place, including this one. `behind` is the decision that put it behind the
    place above, `ahead` the one that put it before the place below. They are None if there is no such place.
    """

    record: WinLossRecord
    place: int | None
    sharing: tuple[int, ...] = field(default=(), repr=False)
    behind: TieDecision | None = None
    ahead: TieDecision | None = None

    @property
    def entry(self) -> int:
        return self.record.entry

    @property
    def tied(self) -> int:
        return max(1, len(self.sharing))

    @property
    def level_with(self) -> tuple[int, ...]:
        return tuple(other for other in self.sharing if other != self.entry)

    @property
    def before(self) -> str:
        """The reason for the place, in short: what put it before the next, or behind the one above if it is last."""
        if self.place is None:
            return self.why
        told = replace(self, behind=None) if self.ahead is not None else self
        return told.why

    @property
    def why(self) -> str:
        """The reason for the place, in sentences."""
        if self.place is None:
            return worded("Disqualified: no place.")
        said = []
        if self.behind is not None:
            said.append(
                worded("Behind %(entry)s by %(why)s.", entry=entry_in_words(self.behind.ahead), why=self.behind)
            )
        if self.ahead is not None:
            said.append(worded("Before %(entry)s by %(why)s.", entry=entry_in_words(self.ahead.behind), why=self.ahead))
        if self.tied > 1:
            last = self.place + self.tied - 1
            others = _listed(self.level_with)
            said.append(
                worded(
                    "Tied with %(others)s in everything that counts: they share places %(place)s to %(last)s.",
                    others=others,
                    place=self.place,
                    last=last,
                )
            )
        return joined(" ", said) if said else worded("Alone in the standings.")


def rank(
    evidence: RankingFacts, tie_breaks: Sequence[TieBreak] = USUAL, *, among: Collection[int] | None = None
) -> tuple[Ranked, ...]:
    """Rank everybody, or the entries in `among`, best first.

    Level entries are sorted by number, entries without a place last.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.results.win_loss import Meeting, own_records
    >>> won = [("G1M1", 4, 9), ("G2M1", 9, 2), ("G3M1", 4, 2), ("G4M1", 2, 7)]
    >>> played = [Meeting(name, (one, other), MatchOutcome.won(name, one, other)) for name, one, other in won]
    >>> for row in rank(RankingFacts(records=own_records([2, 4, 7, 9], played))):
    ...     print(row.place, row.entry, row.record, row.why)
    1 4 2–0 Before entry 9 by wins, 2 to 1.
    2 9 1–1 Behind entry 4 by wins, 2 to 1. Before entry 2 by fewest losses, 1 to 2.
    3 2 1–2 Behind entry 9 by fewest losses, 1 to 2. Before entry 7 by wins, 1 to 0.
    4 7 0–1 Behind entry 2 by wins, 1 to 0.
    """
    listed = tuple(evidence.records if among is None else among)
    return rank_parts(evidence, [listed], tie_breaks)[0]


def rank_parts(
    evidence: RankingFacts, parts: Sequence[Collection[int]], tie_breaks: Sequence[TieBreak] = USUAL
) -> tuple[tuple[Ranked, ...], ...]:
    """Rank all these parts together, then list each part in the order of that one ranking.

    The reason for a place is the tiebreak that decided between the two entries in the ranking of all.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.results.win_loss import Meeting, own_records
    >>> played = [Meeting("G1M1", (4, 9), MatchOutcome.won("G1M1", 9, 4)), Meeting("G1M2", (2, 7))]
    >>> for part in rank_parts(RankingFacts(records=own_records([2, 4, 7, 9], played)), [(4, 9), (2, 7)]):
    ...     print([(row.place, row.entry) for row in part])
    [(1, 9), (2, 4)]
    [(1, 2), (1, 7)]
    """
    listed = {entry for part in parts for entry in part}
    out = {entry for entry in listed if entry in evidence.gone and not evidence.gone[entry].keeps_place}
    groups, told = _split(tuple(sorted(listed - out)), tuple(tie_breaks), evidence)
    return tuple(_told_of(frozenset(part), groups, told, out, evidence) for part in parts)


def _told_of(
    part: frozenset[int], groups: Sequence[Group], told: Sequence[_Told], out: Collection[int], evidence: RankingFacts
) -> tuple[Ranked, ...]:
    """Return the places of one part in the ranking of all. `told[n]` separates group n from group n + 1."""
    own, between = _inside(part, groups, told)
    decisions = [each.decision(own[at][0], own[at + 1][0]) for at, each in enumerate(between)]
    ranked: list[Ranked] = []
    for index, group in enumerate(own):
        place = len(ranked) + 1
        ranked += [
            Ranked(
                record=evidence.records[entry],
                place=place,
                sharing=group,
                behind=decisions[index - 1] if index else None,
                ahead=decisions[index] if index < len(decisions) else None,
            )
            for entry in group
        ]
    without = sorted(part & set(out))
    return (*ranked, *(Ranked(record=evidence.records[entry], place=None) for entry in without))


def tied_groups(ranked: Sequence[Ranked]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of entries that share a place, best first, as a cut line needs them.

    >>> from pairing.draws.results.win_loss import Meeting, own_records
    >>> tied_groups(rank(RankingFacts(records=own_records([4, 9], [Meeting.bye("G1M1", 9)]))))
    ((9,), (4,))
    """
    placed = [row for row in ranked if row.place is not None]
    return tuple(tuple(row.entry for row in group) for _place, group in groupby(placed, key=lambda row: row.place))


Group = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Told:
    """The tiebreak that split a group."""

    by: TieBreak
    counted: Counted
    among: Group

    def decision(self, ahead: int, behind: int) -> TieDecision:
        one, other = self.counted.values[ahead], self.counted.values[behind]
        matches = None if one.matches is None or other.matches is None else (one.matches, other.matches)
        totals, beat_all = (one.total, other.total), ahead in self.counted.unbeaten
        return TieDecision(self.by, ahead, behind, totals, self.among, matches, beat_all)


def _inside(part: frozenset[int], groups: Sequence[Group], told: Sequence[_Told]) -> tuple[list[Group], list[_Told]]:
    """Return the parts of the groups that belong to this part, and what separates each of them from the next.

    Two groups with others between them were separated when both were still level.
    """
    kept = [(at, inside) for at, group in enumerate(groups) if (inside := tuple(one for one in group if one in part))]
    between = [
        told[at]
        if later == at + 1
        else next(each for each in told[at:later] if {group[0], following[0]} <= set(each.among))
        for (at, group), (later, following) in pairwise(kept)
    ]
    return [group for _at, group in kept], between


def _split(
    everybody: Group, tie_breaks: tuple[TieBreak, ...], evidence: RankingFacts
) -> tuple[list[Group], list[_Told]]:
    """Return the groups that stay level, and what separates each from the next.

    `waiting` is a stack. Each item is a group, the next tiebreak to apply to it, and what separates it from the group
    before it.
    """
    groups: list[Group] = []
    apart: list[_Told] = []
    waiting: list[tuple[Group, int, _Told | None]] = [(everybody, 0, None)] if everybody else []
    while waiting:
        group, asked, told = waiting.pop()
        if len(group) < 2 or asked == len(tie_breaks):
            if told is not None:
                apart.append(told)
            groups.append(group)
            continue
        by = tie_breaks[asked]
        counted = measure(by, group, evidence)
        parts = _parts(group, by, counted)
        # Head to head can split the remaining entries again by the games among themselves.
        again = by is TieBreak.HEAD_TO_HEAD and len(parts) > 1
        between = _Told(by, counted, group)
        following = asked if again else asked + 1
        waiting += reversed([(part, following, between if turn else told) for turn, part in enumerate(parts)])
    return groups, apart


def _parts(group: Group, by: TieBreak, counted: Counted) -> list[Group]:
    order = order_of(by, counted)
    return [tuple(part) for _, part in groupby(sorted(group, key=order.__getitem__), key=order.__getitem__)]


def _listed(entries: Sequence[int]) -> str:
    """Return entries for a sentence. Only the first of many are named.

    >>> _listed((4,)), _listed((4, 9, 2))
    ('entry 4', 'entries 4, 9 and 2')
    >>> _listed(range(1, 41))
    'entries 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 … (40 in all)'
    """
    if len(entries) > MOST_NAMED:
        return worded(
            "%(entries)s … (%(number)s in all)",
            entries=worded("entries %(entries)s", entries=", ".join(map(str, entries[:MOST_NAMED]))),
            number=len(entries),
        )
    return entries_in_words(entries)


def _signed(points: int) -> str:
    return f"−{-points}" if points < 0 else f"+{points}"


def _percent(part: int, whole: int) -> str:
    """Return the share in percent, rounded to a whole number.

    >>> _percent(2, 3), _percent(0, 0)
    ('67%', '0%')
    """
    return f"{(200 * part + whole) // (2 * whole) if whole else 0}%"
