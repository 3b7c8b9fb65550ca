"""The ladder, in which the winner stays at the table and the loser goes to the end of the line.

    terms, games ──make_ladder──► the holders of tables, the line, the longest winning streaks
    ladder, waiting entries ──suggest_challenges──► the next games

This is a club's king-of-the-hill evening. Entries are ranked by longest winning streak, then most wins, then fewest
losses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import groupby
from typing import Final

from pairing.draws.desk.desk import PairingInput, PairingSuggestion, SuggestedPair, UnpairedEntry, UnpairedReason
from pairing.draws.pairs.reasons import PairReason
from pairing.draws.pairs.record import Pair, pair_by_record
from pairing.draws.results import EARLIEST_TIME, Meeting, Result, ResultCause, WinLossRecord
from pairing.draws.stages.plan import PoolTerms, StageKind
from pairing.draws.stages.pools import Pool, PoolFacts, make_pool
from pairing.draws.stages.qualifier import QualifyingEntry, QualifyingStage, QualifyingStatus
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, RankedEntry, TieBreak, TieDecision, rank_entries
from tournament.lazy_text import join_texts, lazy_text

_LADDER_TIE_BREAKS = (TieBreak.WINS, TieBreak.LOSSES)
_LATER_TIE_BREAKS = (TieBreak.PLAY_OFF, TieBreak.DRAW)
"""Tiebreaks that a director can add. They apply last."""


@dataclass(frozen=True, slots=True)
class _StreakDecision(TieDecision):
    """A tie in a ladder that was broken by the longer winning streak. The values are the lengths of the streaks."""

    def __str__(self) -> str:
        return lazy_text("longest run of wins, %(value)s to %(value_2)s", value=self.values[0], value_2=self.values[1])


@dataclass(frozen=True)
class Ladder(Pool):
    """The state of a ladder. `since` maps each waiting entry to the time when it began to wait.

    Entries without such a time have waited longest. Entries that have waited equally long are in the order of the draw.
    """

    since: Mapping[int, datetime] = field(default_factory=dict)

    @property
    def challenges(self) -> int:
        """The planned number of games in the ladder."""
        return self.terms.qualifier.games

    @property
    def held(self) -> int:
        return self.terms.held

    @cached_property
    def finished_game_count(self) -> int:
        """The number of finished games. A void game does not count, because it is played again."""
        return sum(is_challenge(meeting) and meeting.outcome is not None for meeting in self.meetings)

    @cached_property
    def games_at_tables(self) -> int:
        return sum(is_challenge(meeting) and meeting.outcome is None for meeting in self.meetings)

    @property
    def unassigned_game_count(self) -> int:
        """The number of games that have not been assigned to anybody yet."""
        return max(0, self.challenges - self.finished_game_count - self.games_at_tables)

    @property
    def is_complete(self) -> bool:
        return not self.games_at_tables and (
            self.finished_game_count >= self.challenges or len(self.qualifying.ready_entries) < 2
        )

    @cached_property
    def holders(self) -> tuple[int, ...]:
        """The entries that won their last game and stay at their table until the next challenger comes.

        There are never more holders than tables that can be held.
        """
        ready = set(self.qualifying.ready_entries)
        last = {side: meeting for meeting in self.meetings if is_challenge(meeting) for side in meeting.sides}
        won = [entry for entry in ready & set(last) if (end := last[entry].outcome) and end.winner == entry]
        free = max(0, self.held - self.games_at_tables)
        return tuple(sorted(won, key=self._make_line_key)[max(0, len(won) - free) :])

    @cached_property
    def waiting_line(self) -> tuple[int, ...]:
        """The waiting entries: first those that hold a table, then the others, longest wait first."""
        holders = set(self.holders)
        others = (entry for entry in self.qualifying.ready_entries if entry not in holders)
        return (*self.holders, *sorted(others, key=self._make_line_key))

    def count_entries_ahead(self, entry: int) -> int | None:
        waiting = [other for other in self.waiting_line if other not in self.holders]
        return waiting.index(entry) if entry in waiting else None

    def _make_line_key(self, entry: int) -> tuple[datetime, int]:
        return self.since.get(entry, EARLIEST_TIME), self._draw_positions[entry]

    @cached_property
    def _draw_positions(self) -> Mapping[int, int]:
        return {entry: place for place, entry in enumerate(self.qualifying.entrants)}

    def with_waiting_times(self, since: Mapping[int, datetime]) -> "Ladder":
        """Return a copy of the ladder with these waiting times and with a status text for each entry.

        >>> from pairing.draws.stages.plan import read_stage_plan
        >>> stage = read_stage_plan({"kind": "ladder"})
        >>> make_ladder(stage.kind, stage.pool, PoolFacts(entries=(4, 9))).qualifying[4].why
        '0–0: in the line'
        """
        ladder = replace(self, since=since)
        if ladder.is_complete:
            over = dict.fromkeys(ladder.qualifying.entrants, lazy_text("the ladder is over, the standings decide"))
            return replace(
                ladder, qualifying=_set_status_of_entries(ladder.qualifying, QualifyingStatus.QUALIFIED, over)
            )
        where = dict.fromkeys(ladder.holders, lazy_text("holds the table")) | dict.fromkeys(
            ladder.qualifying.playing_entries, lazy_text("at a table")
        )
        return replace(ladder, qualifying=_set_status_of_entries(ladder.qualifying, QualifyingStatus.PLAYS_ON, where))

    def count_current_streak(self, entry: int) -> int:
        """Return the number of games that an entry has won in a row up to now."""
        return _list_streak_lengths(self.qualifying[entry].record)[-1]

    @cached_property
    def longest_streaks(self) -> Mapping[int, int]:
        return {entry: max(_list_streak_lengths(one.record)) for entry, one in self.qualifying.entrants.items()}

    def rank(self, entries: Iterable[int], tie_breaks: Sequence[TieBreak]) -> tuple[RankedEntry, ...]:
        """Rank these entries of a ladder.

        They rank by longest winning streak, most wins, fewest losses, and then by a play-off or lots if there were any.
        """
        wanted = tuple(entries)
        facts = self._ranking_facts(wanted)
        then = (*_LADDER_TIE_BREAKS, *(one for one in _LATER_TIE_BREAKS if one in tie_breaks))
        placed = [
            entry for entry in wanted if entry not in facts.removal_reasons or facts.removal_reasons[entry].keeps_place
        ]
        by_run = groupby(sorted(placed, key=self._make_streak_key), key=self._make_streak_key)
        groups = [rank_entries(facts, then, among=tuple(group)) for _run, group in by_run]
        without = rank_entries(facts, among=tuple(entry for entry in wanted if entry not in placed))
        return (*self._join_ranked_groups(groups), *without)

    def _make_streak_key(self, entry: int) -> int:
        return -self.longest_streaks[entry]

    def _join_ranked_groups(self, groups: Sequence[tuple[RankedEntry, ...]]) -> list[RankedEntry]:
        found: list[RankedEntry] = []
        for turn, group in enumerate(groups):
            rows = [replace(row, place=(row.place or 0) + len(found)) for row in group]
            if turn:
                ahead, behind = groups[turn - 1][-1].entry, group[0].entry
                runs = (self.longest_streaks[ahead], self.longest_streaks[behind])
                decision = _StreakDecision(TieBreak.WINS, ahead, behind, runs, (ahead, behind))
                first, last = rows[0].place, found[-1].place
                rows = [replace(row, decision_above=decision) if row.place == first else row for row in rows]
                found = [replace(row, decision_below=decision) if row.place == last else row for row in found]
            found += rows
        return found


def make_ladder(
    kind: StageKind, terms: PoolTerms, played: PoolFacts, tie_breaks: Sequence[TieBreak] = DEFAULT_TIE_BREAKS
) -> Ladder:
    """Return the current ladder. The games must be in the order in which they started.

    >>> from pairing.draws.results import MatchOutcome
    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> terms = read_stage_plan({"kind": "ladder", "games": 3}).pool
    >>> games = tuple(Meeting(f"G{n}", (n, 9), MatchOutcome.won(f"G{n}", 9, n)) for n in (4, 2))
    >>> ladder = make_ladder(StageKind.LADDER, terms, PoolFacts(entries=(4, 9, 2), meetings=games))
    >>> ladder.holders, ladder.longest_streaks, ladder.is_complete
    ((9,), {4: 0, 9: 2, 2: 0}, False)
    """
    pool = make_pool(kind, terms, played, tie_breaks)
    qualifying = _set_status_of_entries(pool.qualifying, QualifyingStatus.PLAYS_ON, {})
    ladder = Ladder(**{name: getattr(pool, name) for name in Pool.__dataclass_fields__} | {"qualifying": qualifying})
    return ladder.with_waiting_times({})


def _set_status_of_entries(
    qualifying: QualifyingStage, status: QualifyingStatus, where: Mapping[int, str]
) -> QualifyingStage:
    return replace(
        qualifying,
        entrants={
            entry: one
            if one.removal is not None
            else QualifyingEntry(
                one.record, status, join_texts(": ", [str(one.record), where.get(entry, lazy_text("in the line"))])
            )
            for entry, one in qualifying.entrants.items()
        },
    )


def is_challenge(meeting: Meeting) -> bool:
    """Return whether a meeting counts as a challenge: it has two entries and its result is not void.

    >>> is_challenge(Meeting("G1", (4, 9))), is_challenge(Meeting.bye("G2", 4))
    (True, False)
    """
    return len(meeting.sides) == 2 and not (meeting.outcome is not None and meeting.outcome.is_void)


def _list_streak_lengths(record: WinLossRecord) -> list[int]:
    """Return the lengths of an entry's winning streak before its first game (0) and after each of its games.

    A loss ends the streak. Byes and games without a result are left out.
    """
    found = [0]
    for own in record.credits:
        if own.credit.cause is not ResultCause.BYE and own.credit.result is not Result.NONE:
            found.append(found[-1] + 1 if own.credit.result is Result.WIN else 0)
    return found


# --- The next games --------------------------------------------------------------------------------------------------

WAITING_IN_LINE_REASON: Final = lazy_text("In line.")
HOLDS_TABLE_REASON: Final = lazy_text("Holds the table, and nobody is in line to challenge them.")
LAST_GAMES_STARTED_REASON: Final = lazy_text("The last games are at their tables.")


def suggest_challenges(pool: Pool, desk: PairingInput, now: datetime) -> PairingSuggestion:
    """Return a pair for each free table of the ladder, until all games have been assigned.

    An entry that is on hold or absent is skipped but keeps its turn. If the next two entries may never meet, one
    of them plays the next possible opponent in the line instead.

    >>> from datetime import UTC
    >>> from pairing.draws.desk.desk import WaitingEntry
    >>> from pairing.draws.pairs.record import EntryWithRecord
    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> three = tuple(WaitingEntry(EntryWithRecord(number, 0), noon) for number in (4, 9, 2))
    >>> stage = read_stage_plan({"kind": "ladder", "games": 5})
    >>> ladder = make_ladder(stage.kind, stage.pool, PoolFacts(entries=(4, 9, 2)))
    >>> found = suggest_challenges(ladder, PairingInput(waiting=three), noon)
    >>> [(pair.pair, str(pair.reason.describe({4: "Ada", 9: "Grace"}))) for pair in found.pairs]
    [((4, 9), 'Ada and Grace are next in the line.')]

    Raises:
        TypeError: the pool is not a ladder.
    """
    if not isinstance(pool, Ladder):
        raise TypeError(f"{pool.kind} is no ladder")
    free = {one.entry.number for one in desk.free_entries}
    holders = [entry for entry in pool.holders if entry in free]
    waiting = [entry for entry in pool.waiting_line if entry in free and entry not in pool.holders]
    pairs: list[SuggestedPair] = []
    for _table in range(min(pool.held - pool.games_at_tables, pool.unassigned_game_count)):
        pair = _take_next_pair(holders, waiting, desk)
        if pair is None:
            break
        pairs.append(_suggest_pair(pair, pool, desk))
    going = {side for found in pairs for side in found.pair}
    left: list[UnpairedEntry] = []
    for one in desk.waiting:
        entry = one.entry.number
        why = (
            LAST_GAMES_STARTED_REASON
            if not pool.unassigned_game_count
            else HOLDS_TABLE_REASON
            if entry in pool.holders
            else WAITING_IN_LINE_REASON
        )
        if entry not in going:
            left.append(
                UnpairedEntry(entry, UnpairedReason.LEFT_OVER, explanation=why) if one.is_free else one.explanation
            )
    paired = replace(pair_by_record((), seed=desk.seed), pairs=tuple(found.pair for found in pairs))
    return PairingSuggestion(tuple(pairs), tuple(left), paired, explanation=_explain_no_pairs(pool, len(free)))


def _explain_no_pairs(ladder: Ladder, free: int) -> str:
    if ladder.is_complete:
        return lazy_text("The ladder is over.")
    if not ladder.unassigned_game_count:
        return lazy_text("The last game is being played.")
    if ladder.games_at_tables >= ladder.held:
        return lazy_text("The next player in line plays when a game is over.")
    return (
        lazy_text("Fewer than two can play now.") if free < 2 else lazy_text("No two of the waiting players may meet.")
    )


def _take_next_pair(holders: list[int], waiting: list[int], desk: PairingInput) -> Pair | None:
    """Return the next pair of a ladder, and remove both entries from their lists.

    Two holders of tables meet only if nobody can challenge them.
    """
    for first, others in ((holders, waiting), (waiting, waiting), (holders, holders)):
        for one in first:
            other = next((other for other in others if other != one and _can_meet(one, other, desk)), None)
            if other is not None:
                first.remove(one)
                others.remove(other)
                return (one, other)
    return None


def _can_meet(one: int, other: int, desk: PairingInput) -> bool:
    field = desk.candidates
    first, second = field.by_number[one], field.by_number[other]
    return first.persons.isdisjoint(second.persons) and not field.find_violations(first, second).never


def _suggest_pair(pair: Pair, ladder: Ladder, desk: PairingInput) -> SuggestedPair:
    one, other = pair
    wins = (desk.candidates.by_number[min(pair)].wins, desk.candidates.by_number[max(pair)].wins)
    reason = PairReason((min(pair), max(pair)), wins, describe=_make_pair_describer(one, other, ladder))
    stays = one if one in ladder.holders else None
    return SuggestedPair(reason.pair, reason, min(desk.wait_start_times[side] for side in pair), keeps_table=stays)


def _make_pair_describer(one: int, other: int, ladder: Ladder) -> Callable[[Mapping[int, str]], str]:
    def describe(names: Mapping[int, str]) -> str:
        first, second = names[one], names[other]
        if one not in ladder.holders:
            return lazy_text("%(first)s and %(second)s are next in the line.", first=first, second=second)
        if other in ladder.holders:
            return lazy_text(
                "%(first)s and %(second)s both hold a table, and nobody is in the line.", first=first, second=second
            )
        return lazy_text(
            "%(first)s won the last game and stays; %(second)s is next in the line.", first=first, second=second
        )

    return describe


def count_challenges_per_wave(pool: Pool) -> list[int]:
    """Return the number of games in each future wave of a ladder. The games of a wave can all start at the same time.

    >>> from pairing.draws.stages.plan import read_stage_plan
    >>> stage = read_stage_plan({"kind": "ladder", "games": 5, "held": 2})
    >>> count_challenges_per_wave(make_ladder(stage.kind, stage.pool, PoolFacts(entries=(4, 9, 2, 7))))
    [2, 2, 1]
    """
    if not isinstance(pool, Ladder) or pool.is_complete:
        return []
    players = len(pool.qualifying.ready_entries) + len(pool.qualifying.playing_entries)
    at_once = max(1, min(pool.held, players // 2))
    full, rest = divmod(pool.unassigned_game_count, at_once)
    return [at_once] * full + ([rest] if rest else [])
