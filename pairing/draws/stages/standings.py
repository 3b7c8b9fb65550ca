"""Rank entries by their results, with tiebreaks that the event chooses, and explain each place.

    records ──rank_entries──► places, and the tiebreak that decided each

The tiebreaks apply in order. Each one splits the entries that are still tied and passes the remaining ties to the next.
Entries that are tied in all of them share a place. The `standings` command uses the same function.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final

from pairing.draws.order import format_entry
from pairing.draws.results import EntryMatchCredit, RemovalReason, Result, WinLossRecord
from tournament.lazy_text import join_texts, join_with_and, lazy_text


class TieBreak(StrEnum):
    WINS = "wins"
    LOSSES = "losses"
    OPPONENTS_WINS = "opponents-wins"
    POINT_SPREAD = "point-spread"
    HEAD_TO_HEAD = "head-to-head"
    PLAY_OFF = "play-off"
    DRAW = "draw"


DEFAULT_TIE_BREAKS: Final = (
    TieBreak.WINS,
    TieBreak.LOSSES,
    TieBreak.PLAY_OFF,
    TieBreak.HEAD_TO_HEAD,
    TieBreak.OPPONENTS_WINS,
    TieBreak.POINT_SPREAD,
    TieBreak.DRAW,
)
_TIE_BREAKS_WITH_LOW_BEST: Final = frozenset({TieBreak.LOSSES, TieBreak.PLAY_OFF, TieBreak.DRAW})


_MAX_NAMED_ENTRIES: Final = 12


@dataclass(frozen=True, kw_only=True)
class RankingFacts:
    """The facts that a ranking is based on: win-loss records, play-offs, draws by lot, and removed entries.

    `records` includes entries that are not ranked, because their wins affect their opponents' tiebreaks. `play_offs`
    are the results of play-offs, as a place for each entry (1 is best). `draws` are draws by lot, as entries in the
    order drawn. A play-off or draw decides only between entries that it names. `removal_reasons` maps removed entries
    to the reason. `uses_averages` is true if averages count, because the entries come from groups of different sizes.
    """

    records: Mapping[int, WinLossRecord]
    play_offs: Sequence[Mapping[int, int]] = ()
    draws: Sequence[Sequence[int]] = ()
    removal_reasons: Mapping[int, RemovalReason] = field(default_factory=dict)
    uses_averages: bool = False

    @cached_property
    def match_counts(self) -> dict[int, dict[int, _MatchCount]]:
        """For each entry and opponent, the number of their matches, and how many of these the entry won.

        A match that has neither a win nor a loss does not count.
        """
        played: dict[str, list[tuple[int, EntryMatchCredit]]] = {}
        for entry, record in self.records.items():
            for own in record.credits:
                if own.counts_as_game and own.opponent is not None:
                    played.setdefault(own.match, []).append((entry, own))
        found: dict[int, dict[int, _MatchCount]] = {}
        for sides in played.values():
            if len(sides) == 2:
                for (entry, own), (other, _) in (sides, reversed(sides)):
                    known = found.setdefault(entry, {})
                    met, won = known.get(other, (0, 0))
                    known[other] = (met + 1, won + (own.credit.result is Result.WIN))
        return found


_MatchCount = tuple[int, int]
"""The number of matches that an entry played against an opponent, and how many of them it won."""


@dataclass(frozen=True, slots=True)
class TieDecision:
    """The tiebreak that ranks the entry `ahead` above the entry `behind`.

    The entries in `tied_entries` were tied until then. Higher `values` are better for wins, opponents' wins, point
    spread, and head to head. Lower values are better for losses, play-off places, and draws by lot. With `matches`, the
    values are averages per match. `beat_all` is true if the entry ahead won all its matches against all the others.
    """

    tie_break: TieBreak
    ahead: int
    behind: int
    values: tuple[int, int]
    tied_entries: tuple[int, ...]
    matches: tuple[int, int] | None = None
    beat_all: bool = False

    def __str__(self) -> str:
        more, less = self.values
        if self.matches is not None:
            return self._describe_averages(self.matches)
        if self.tie_break is TieBreak.HEAD_TO_HEAD and self.beat_all and less == 0:
            beaten = tuple(entry for entry in self.tied_entries if entry != self.ahead)
            return lazy_text(
                "head to head, %(ahead)s beat %(beaten)s",
                ahead=format_entry(self.ahead),
                beaten=_format_entries(beaten),
            )
        if self.tie_break is TieBreak.HEAD_TO_HEAD:
            return lazy_text(
                "head to head, %(more)s to %(less)s wins among %(among)s",
                more=more,
                less=less,
                among=_format_entries(self.tied_entries),
            )
        if self.tie_break is TieBreak.POINT_SPREAD:
            return lazy_text("point spread, %(more)s to %(less)s", more=_format_signed(more), less=_format_signed(less))
        if self.tie_break is TieBreak.PLAY_OFF:
            return lazy_text("the play-off, place %(more)s to %(less)s", more=more, less=less)
        if self.tie_break is TieBreak.DRAW:
            return lazy_text("lot, drawn number %(more)s to %(less)s", more=more, less=less)
        return lazy_text("%(name)s, %(more)s to %(less)s", name=_TIE_BREAK_NAMES[self.tie_break], more=more, less=less)

    def _describe_averages(self, matches: tuple[int, int]) -> str:
        pairs = list(zip(self.values, matches, strict=True))
        if self.tie_break is TieBreak.WINS:
            one, other = (
                lazy_text(
                    "%(won)s of %(played)s (%(share)s)", won=won, played=played, share=_format_percent(won, played)
                )
                for won, played in pairs
            )
            return lazy_text("share of wins, %(one)s to %(other)s", one=one, other=other)
        spread = self.tie_break is TieBreak.POINT_SPREAD
        name = lazy_text("point spread") if spread else _TIE_BREAK_NAMES[self.tie_break]
        one, other = (
            lazy_text("%(total)s in %(played)s", total=_format_signed(total) if spread else total, played=played)
            for total, played in pairs
        )
        return lazy_text("%(name)s a match, %(one)s to %(other)s", name=name, one=one, other=other)


_TIE_BREAK_NAMES: Final = {
    TieBreak.WINS: lazy_text("wins"),
    TieBreak.LOSSES: lazy_text("fewest losses"),
    TieBreak.OPPONENTS_WINS: "opponents’ wins",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedEntry:
    """An entry and its place, which is None if the entry is disqualified.

    `entries_at_place` are all entries with that place, including this one. `decision_above` is the tiebreak decision
    between the next better place and this one. `decision_below` is the tiebreak decision between this place and the
    next lower one. Either is None if there is no such place.
    """

    record: WinLossRecord
    place: int | None
    entries_at_place: tuple[int, ...] = field(default=(), repr=False)
    decision_above: TieDecision | None = None
    decision_below: TieDecision | None = None

    @property
    def entry(self) -> int:
        return self.record.entry

    @property
    def tied_count(self) -> int:
        return max(1, len(self.entries_at_place))

    @property
    def tied_with(self) -> tuple[int, ...]:
        return tuple(other for other in self.entries_at_place if other != self.entry)

    @property
    def short_reason(self) -> str:
        """The reason why the entry ranks above the next one.

        For the last entry, this is why it ranks below the entry before it.
        """
        if self.place is None:
            return self.why
        return replace(self, decision_above=None).why if self.decision_below is not None else self.why

    @property
    def why(self) -> str:
        """The explanation of the entry's place in full sentences."""
        if self.place is None:
            return lazy_text("Disqualified: no place.")
        sentences = []
        if self.decision_above is not None:
            sentences.append(
                lazy_text(
                    "Behind %(entry)s by %(why)s.",
                    entry=format_entry(self.decision_above.ahead),
                    why=self.decision_above,
                )
            )
        if self.decision_below is not None:
            sentences.append(
                lazy_text(
                    "Before %(entry)s by %(why)s.",
                    entry=format_entry(self.decision_below.behind),
                    why=self.decision_below,
                )
            )
        if self.tied_count > 1:
            last = self.place + self.tied_count - 1
            others = _format_entries(self.tied_with)
            sentences.append(
                lazy_text(
                    "Tied with %(others)s in everything that counts: they share places %(place)s to %(last)s.",
                    others=others,
                    place=self.place,
                    last=last,
                )
            )
        return join_texts(" ", sentences) if sentences else lazy_text("Alone in the standings.")


def rank_entries(
    facts: RankingFacts, tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS, *, among: Collection[int] | None = None
) -> tuple[RankedEntry, ...]:
    """Rank all entries, or only those in `among`, best first.

    Tied entries are sorted by number. Entries without a place come last.

    >>> from pairing.draws.results import MatchOutcome, Meeting, compute_win_loss_records
    >>> won = [("G1M1", 4, 9), ("G2M1", 9, 2), ("G3M1", 4, 2), ("G4M1", 2, 7)]
    >>> played = [Meeting(name, (one, other), MatchOutcome.won(name, one, other)) for name, one, other in won]
    >>> for row in rank_entries(RankingFacts(records=compute_win_loss_records([2, 4, 7, 9], played))):
    ...     print(row.place, row.entry, row.record, row.why)
    1 4 2–0 Before entry 9 by wins, 2 to 1.
    2 9 1–1 Behind entry 4 by wins, 2 to 1. Before entry 2 by fewest losses, 1 to 2.
    3 2 1–2 Behind entry 9 by fewest losses, 1 to 2. Before entry 7 by wins, 1 to 0.
    4 7 0–1 Behind entry 2 by wins, 1 to 0.
    """
    listed = tuple(facts.records if among is None else among)
    return rank_pool_parts(facts, [listed], tie_breaks)[0]


def rank_pool_parts(
    facts: RankingFacts, parts: Sequence[Collection[int]], tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS
) -> tuple[tuple[RankedEntry, ...], ...]:
    """Rank the entries of all groups or sites together, then list each group or site in the order of that ranking.

    The explanation of a place compares the entry with its neighbors in the same group or site. It names the tiebreak
    that separated them in the overall ranking.

    >>> from pairing.draws.results import MatchOutcome, Meeting, compute_win_loss_records
    >>> played = [Meeting("G1M1", (4, 9), MatchOutcome.won("G1M1", 9, 4)), Meeting("G1M2", (2, 7))]
    >>> facts = RankingFacts(records=compute_win_loss_records([2, 4, 7, 9], played))
    >>> for part in rank_pool_parts(facts, [(4, 9), (2, 7)]):
    ...     print([(row.place, row.entry) for row in part])
    [(1, 9), (2, 4)]
    [(1, 2), (1, 7)]
    """
    listed = {entry for part in parts for entry in part}
    out = {entry for entry in listed if entry in facts.removal_reasons and not facts.removal_reasons[entry].keeps_place}
    groups, splits = _split_by_tie_breaks(tuple(sorted(listed - out)), tuple(tie_breaks), facts)
    return tuple(_rank_part(frozenset(part), groups, splits, out, facts) for part in parts)


def _rank_part(
    part: frozenset[int],
    groups: Sequence[_Group],
    splits: Sequence[_GroupSeparation],
    out: Collection[int],
    facts: RankingFacts,
) -> tuple[RankedEntry, ...]:
    """Return the places within a group or site according to the overall ranking.

    `splits[n]` describes the tiebreak that separates group n of tied entries from group n + 1.
    """
    own, between = _restrict_groups_to_part(part, groups, splits)
    decisions = [each.make_decision(own[at][0], own[at + 1][0]) for at, each in enumerate(between)]
    ranked: list[RankedEntry] = []
    for index, group in enumerate(own):
        place = len(ranked) + 1
        ranked += [
            RankedEntry(
                record=facts.records[entry],
                place=place,
                entries_at_place=group,
                decision_above=decisions[index - 1] if index else None,
                decision_below=decisions[index] if index < len(decisions) else None,
            )
            for entry in group
        ]
    without = sorted(part & set(out))
    return (*ranked, *(RankedEntry(record=facts.records[entry], place=None) for entry in without))


def group_tied_entries(ranked: Sequence[RankedEntry]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of entries that share a place, best first.

    >>> from pairing.draws.results import Meeting, compute_win_loss_records
    >>> records = compute_win_loss_records([4, 9], [Meeting.bye("G1M1", 9)])
    >>> group_tied_entries(rank_entries(RankingFacts(records=records)))
    ((9,), (4,))
    """
    placed = [row for row in ranked if row.place is not None]
    return tuple(tuple(row.entry for row in group) for _place, group in groupby(placed, key=lambda row: row.place))


_Group = tuple[int, ...]


_Value = tuple[int, int | None]
"""An entry's value in a tiebreak: the total, and the number of matches if the average counts."""


@dataclass(frozen=True, slots=True)
class _GroupSeparation:
    by: TieBreak
    values: Mapping[int, _Value]
    among: _Group
    unbeaten: Collection[int]

    def make_decision(self, ahead: int, behind: int) -> TieDecision:
        (more, matches), (less, other_matches) = self.values[ahead], self.values[behind]
        averaged = None if matches is None or other_matches is None else (matches, other_matches)
        return TieDecision(self.by, ahead, behind, (more, less), self.among, averaged, ahead in self.unbeaten)


def _restrict_groups_to_part(
    part: frozenset[int], groups: Sequence[_Group], splits: Sequence[_GroupSeparation]
) -> tuple[list[_Group], list[_GroupSeparation]]:
    """Return the tied groups of one part of a pool, and the tiebreak that separates each group from the next.

    A `part` has the entries of one group or site of the pool. `groups` are the tied groups of the whole pool, and
    `splits[n]` separates group n from group n + 1.

    Entries outside `part` are left out. If this removes all groups between two others, these two become neighbors. The
    tiebreak between them is then the first one in `splits` that compared both of them directly.
    """
    kept = [(at, inside) for at, group in enumerate(groups) if (inside := tuple(one for one in group if one in part))]
    between = [
        splits[at]
        if later == at + 1
        else next(each for each in splits[at:later] if {group[0], following[0]} <= set(each.among))
        for (at, group), (later, following) in pairwise(kept)
    ]
    return [group for _at, group in kept], between


def _split_by_tie_breaks(
    everybody: _Group, tie_breaks: tuple[TieBreak, ...], facts: RankingFacts
) -> tuple[list[_Group], list[_GroupSeparation]]:
    """Return the groups that stay tied after all tiebreaks, and what separates each group from the next."""
    groups: list[_Group] = []
    apart: list[_GroupSeparation] = []
    # A stack of groups, each with the index of its next tiebreak and what separates it from the previous group.
    waiting: list[tuple[_Group, int, _GroupSeparation | None]] = [(everybody, 0, None)] if everybody else []
    while waiting:
        group, index, split = waiting.pop()
        if len(group) < 2 or index == len(tie_breaks):
            if split is not None:
                apart.append(split)
            groups.append(group)
            continue
        by = tie_breaks[index]
        values = _MEASURES[by](group, facts)
        order = _make_sort_keys(by, values)
        parts = [tuple(part) for _, part in groupby(sorted(group, key=order.__getitem__), key=order.__getitem__)]
        # Head to head can split the remaining entries again by the games among themselves.
        again = by is TieBreak.HEAD_TO_HEAD and len(parts) > 1
        between = _GroupSeparation(by, values, group, _find_unbeaten(group, facts) if again else ())
        following = index if again else index + 1
        waiting += reversed([(part, following, between if turn else split) for turn, part in enumerate(parts)])
    return groups, apart


def _format_entries(entries: Sequence[int]) -> str:
    """Return a list of entries as text for a sentence. If there are many, the text names only the first ones."""
    if len(entries) > _MAX_NAMED_ENTRIES:
        return lazy_text(
            "%(entries)s … (%(number)s in all)",
            entries=lazy_text("entries %(entries)s", entries=", ".join(map(str, entries[:_MAX_NAMED_ENTRIES]))),
            number=len(entries),
        )
    if len(entries) == 1:
        return format_entry(entries[0])
    return lazy_text("entries %(entries)s", entries=join_with_and([str(entry) for entry in entries]))


def _format_signed(points: int) -> str:
    return f"−{-points}" if points < 0 else f"+{points}"


def _format_percent(part: int, whole: int) -> str:
    return f"{(200 * part + whole) // (2 * whole) if whole else 0}%"


# --- The tiebreaks ---------------------------------------------------------------------------------------------------


def _make_sort_keys(by: TieBreak, values: Mapping[int, _Value]) -> dict[int, Fraction]:
    """Return a sort key for each tied entry.

    The best entry has the lowest key. An average over no matches counts as 0.
    """
    sign = 1 if by in _TIE_BREAKS_WITH_LOW_BEST else -1
    return {
        entry: Fraction(sign * total, 1 if matches is None else matches) if matches != 0 else Fraction(0)
        for entry, (total, matches) in values.items()
    }


def _count_wins(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    records = {entry: facts.records[entry] for entry in tied}
    return {entry: (own.wins, own.wins + own.losses if facts.uses_averages else None) for entry, own in records.items()}


def _count_losses(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    """Return the losses of each entry.

    If averages count, return 0 for every entry, because the share of wins already reflects the losses.
    """
    return {entry: (0 if facts.uses_averages else facts.records[entry].losses, None) for entry in tied}


def _count_opponents_wins(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    """Count the wins of all opponents. An opponent met twice counts twice, and a bye does not count."""
    values: dict[int, _Value] = {}
    for entry in tied:
        own = facts.records[entry].credits
        met = [each.opponent for each in own if each.counts_as_game and each.opponent is not None]
        wins = sum(facts.records[other].wins for other in met if other in facts.records)
        values[entry] = (wins, len(met) if facts.uses_averages else None)
    return values


def _get_point_spreads(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    records = {entry: facts.records[entry] for entry in tied}
    return {entry: (own.spread, own.scored_matches if facts.uses_averages else None) for entry, own in records.items()}


def _count_head_to_head_wins(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    """Count the wins among the tied entries if all of them met equally often.

    Otherwise, only an entry that beat all the others gets a value.
    """
    among = _list_matches_among_tied(tied, facts)
    often = {met for duels in among.values() for met, _won in duels}
    if len(often) == 1 and all(len(duels) == len(tied) - 1 for duels in among.values()):
        return {entry: (sum(won for _met, won in duels), None) for entry, duels in among.items()}
    unbeaten = _find_unbeaten(tied, facts)
    return {entry: (len(tied) - 1 if entry in unbeaten else 0, None) for entry in tied}


def _find_unbeaten(tied: Sequence[int], facts: RankingFacts) -> frozenset[int]:
    """Return the tied entries that met all the others and won all their matches against them."""
    return frozenset(
        entry
        for entry, duels in _list_matches_among_tied(tied, facts).items()
        if len(duels) == len(tied) - 1 and all(met == won for met, won in duels)
    )


def _list_matches_among_tied(tied: Sequence[int], facts: RankingFacts) -> dict[int, list[_MatchCount]]:
    members = frozenset(tied)
    among: dict[int, list[_MatchCount]] = {}
    for entry in tied:
        duels = facts.match_counts.get(entry, {})
        fewer, more = (duels, members) if len(duels) < len(members) else (members, duels)
        among[entry] = [duels[other] for other in fewer if other in more]
    return among


def _get_play_off_places(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    found = next((finish for finish in reversed(facts.play_offs) if finish.keys() >= set(tied)), None)
    return {entry: (found[entry] if found else 0, None) for entry in tied}


def _get_drawn_positions(tied: Sequence[int], facts: RankingFacts) -> dict[int, _Value]:
    found = next((drawn for drawn in reversed(facts.draws) if set(drawn) >= set(tied)), ())
    at = {entry: position for position, entry in enumerate(found, start=1)}
    return {entry: (at.get(entry, 0), None) for entry in tied}


_MEASURES: Final[Mapping[TieBreak, Callable[[Sequence[int], RankingFacts], dict[int, _Value]]]] = {
    TieBreak.WINS: _count_wins,
    TieBreak.LOSSES: _count_losses,
    TieBreak.OPPONENTS_WINS: _count_opponents_wins,
    TieBreak.POINT_SPREAD: _get_point_spreads,
    TieBreak.HEAD_TO_HEAD: _count_head_to_head_wins,
    TieBreak.PLAY_OFF: _get_play_off_places,
    TieBreak.DRAW: _get_drawn_positions,
}
