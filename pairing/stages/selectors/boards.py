"""Load the data that pages show about a bracket or stages, in a constant number of queries."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from pairing.draws.cases.drawn_reasons import (
    ExplainedPairings,
    explain_drawn_bracket,
    explain_groups,
    explain_play_off_round,
    explain_seeded_bracket,
)
from pairing.draws.knockout.bracket import RoundKey
from pairing.draws.knockout.progress import BracketMatchProgress, BracketMatchState, BracketProgress
from pairing.draws.order import replace_entry_numbers
from pairing.draws.places import EntryMove
from pairing.draws.results import EntryRemoval, ResultCause
from pairing.draws.stages.pools import Pool, PoolPart
from pairing.draws.stages.standings import RankedEntry
from pairing.models import PAIRING_AND_RESULT_TOPICS, Match, MatchResult
from pairing.ports import score_cards
from pairing.stages.selectors.brackets import load_bracket_record
from pairing.stages.selectors.course import EventStages, get_venue_date, list_advancing_entries, load_event_stages
from pairing.stages.selectors.kinds import StageMatch, StageState
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import VALID_MATCH_FILTER, load_called_tables, load_removals
from tournament.core.cached import cached
from tournament.core.selectors.events import EntryNames, load_current_event, load_entry_names, search_entries
from tournament.lazy_text import text_from_json
from tournament.models import Event
from tournament.models.topic import ENTRANTS_TOPIC

SideNumbers = frozenset[int]


# --- The board of a bracket ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ResultRecorder:
    """The person who recorded a result, and when."""

    by_name: str
    at: datetime


@dataclass(frozen=True, eq=False)
class BracketBoard:
    """A bracket with names, tables and scores, ready to be shown.

    `scores` maps each match to its points by entry number. `result_recorders` tells for each match who recorded the
    valid result, and when. `started` are ready matches whose card has at least one line. `corrected` are decided
    matches that had a different result before. `names_by_match` has the original players' names for matches that a side
    played before it got a substitute. `short_names` maps names that are too long for the drawing to their short form.
    """

    progress: BracketProgress
    names: EntryNames
    tables: Mapping[str, int]
    scores: Mapping[str, Mapping[int, int]]
    result_recorders: Mapping[str, ResultRecorder] = field(default_factory=dict)
    started: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    names_by_match: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    short_names: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_double_elimination(self) -> bool:
        return self.progress.bracket.is_double

    @cached_property
    def number_width(self) -> int:
        return len(str(max(self.progress.bracket.entries)))

    @cached_property
    def rounds(self) -> Mapping[RoundKey, tuple[BracketMatchProgress, ...]]:
        rounds: dict[RoundKey, list[BracketMatchProgress]] = {}
        for view in self.progress.views.values():
            rounds.setdefault(view.match.round_key, []).append(view)
        return {key: tuple(views) for key, views in rounds.items()}

    @cached_property
    def round_count(self) -> int:
        """The number of rounds in the bracket, or 0 for a double elimination."""
        return self.progress.bracket.count_rounds()

    @property
    def first_open_round(self) -> RoundKey:
        """The first round that has a ready match, or else the first one with an open match.

        If no match is open, this is the round of the final.
        """
        views = list(self.progress.views.values())
        for state in (BracketMatchState.READY, BracketMatchState.WAITING):
            keys = [view.match.round_key for view in views if view.state is state]
            if keys:
                return keys[0]
        return self.progress.bracket.final_match.round_key

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def get_name_in_match(self, ident: str, number: int) -> str:
        """Return the name of the player who plays, or played, this match for an entry."""
        return self.names_by_match.get(ident, self.names).get(number, str(number))

    def shorten(self, name: str) -> str:
        return self.short_names.get(name, name)

    def find_entries(self, wanted: str) -> tuple[int, ...]:
        """Return the drawn entries that match the search text `wanted`: an entry number, or part of a name."""
        return search_entries(wanted, {entry: self.name(entry) for entry in sorted(self.progress.bracket.entries)})


def load_bracket_board(event: Event) -> BracketBoard | None:
    """Return the board of the open bracket, or None if no bracket is open."""
    topics = (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC)
    return cached(
        event.pk,
        topics,
        "bracket board",
        lambda: _make_bracket_board(load_current_event(event)),
        at=get_venue_date(event),
    )


def _make_bracket_board(event: Event) -> BracketBoard | None:
    bracket = load_event_stages(event).bracket
    if bracket is None:
        return None
    progress, results = bracket.progress, _load_recorded_results(event)
    ready = {view.match.id: frozenset(view.entries) for view in progress.ready}
    # A result of other sides, recorded before a correction, is not valid.
    decided = (
        view
        for view in progress.views.values()
        if view.state is BracketMatchState.DECIDED and not view.is_decided_without_result
    )
    sides = {view.match.id: frozenset(view.entries) for view in decided}
    names = _load_cached_names(event)
    return BracketBoard(
        progress=progress,
        names=names,
        tables=load_called_tables(event, ready),
        scores={ident: results.scores.get((ident, two), {}) for ident, two in sides.items()},
        result_recorders={ident: results.recorded[ident] for ident in sides if ident in results.recorded},
        started=load_matches_with_started_cards(event, ready),
        corrected=results.find_corrected_matches(sides),
        names_by_match=results.list_player_names(sides, names),
    )


def _load_cached_names(event: Event) -> EntryNames:
    return cached(event.pk, (ENTRANTS_TOPIC,), "entry names", lambda: load_entry_names(event))


# --- The board of stages ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StageBoard:
    """An event's stages with names and tables, ready to be shown.

    `started` are ready games whose card has at least one line. `corrected` are decided games that had a different
    result before. `latest` are all decided games of pools and play-offs, including walkovers, latest first.
    `names_by_match` has the original players' names for games that a side played before it got a substitute.
    """

    course: EventStages
    names: EntryNames
    tables: Mapping[str, int]
    started: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    latest: tuple[str, ...] = ()
    names_by_match: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def get_name_in_match(self, ident: str, number: int) -> str:
        """Return the name of the player who plays, or played, this game for an entry."""
        return self.names_by_match.get(ident, self.names).get(number, str(number))

    def insert_names(self, text: str) -> str:
        """Replace entry numbers in a sentence with names: “Before entry 9 by wins” becomes “Before Ann by wins”."""
        return replace_entry_numbers(text, self.name)

    def find_entries(self, wanted: str) -> tuple[int, ...]:
        """Return the entries that match the search text `wanted`: an entry number, or part of a name."""
        return search_entries(wanted, {entry: self.name(entry) for entry in self.course.entries})

    @property
    def waiting_entries(self) -> tuple[int, ...]:
        """The pool's entries that have games left but are not at a table."""
        return self.course.pool.waiting_line if self.course.pool is not None else ()

    def find_pool(self, number: int | None) -> PoolStage | None:
        """Return the pool with this stage number, or else the latest pool."""
        pools = self.course.pools
        return next((stage for stage in pools if stage.number == number), pools[-1] if pools else None)

    def find_advancing(self, stage: StageState) -> frozenset[int] | None:
        """Return the entries that advance or play off, or None if the stage is incomplete or is the last one."""
        if not stage.is_complete:
            return None
        if stage.number < len(self.course.stages):
            return frozenset(self.course.stages[stage.number].row.entries)
        return list_advancing_entries(self.course) if self.course.next_plan is not None else None

    @cached_property
    def open_games(self) -> tuple[tuple[str, StageMatch], ...]:
        """The games of the current pool or play-off that are ready or in progress, sorted by table."""
        stage = self.course.current_stage
        ready = [(ident, stage.matches[ident]) for ident in stage.ready_matches if ident in stage.matches]
        return tuple(sorted(ready, key=lambda game: (game[0] not in self.tables, self.tables.get(game[0], 0))))

    def iter_games_of_entries(self, entries: frozenset[int]) -> Iterator[tuple[str, StageMatch]]:
        """Yield all games of these entries in pools and play-offs, including scheduled games."""
        games = (game for stage in self.course.stages for game in stage.matches.items())
        return ((ident, match) for ident, match in games if entries.intersection(match.meeting.sides))


def load_stage_board(event: Event) -> StageBoard | None:
    """Return the board, or None before the draw or if the event has another format."""
    topics = (*PAIRING_AND_RESULT_TOPICS, ENTRANTS_TOPIC)
    return cached(
        event.pk, topics, "stage board", lambda: _make_stage_board(load_current_event(event)), at=get_venue_date(event)
    )


def _make_stage_board(event: Event) -> StageBoard | None:
    course = load_event_stages(event)
    if not course.stages or not course.current_stage.kind.traits.two_meet:
        return None
    current = course.current_stage
    idents = current.ready_matches if current.progress is None else ()
    names = _load_cached_names(event)
    recorded, corrected, played_by = load_decided_game_details(event, list_decided_games(course), names)
    at = {**recorded, **_find_walkover_times(course, load_removals(event))}
    return StageBoard(
        course=course,
        names=names,
        tables=load_called_tables(event, idents),
        started=load_matches_with_started_cards(
            event, {ident: frozenset(current.matches[ident].meeting.sides) for ident in idents}
        ),
        corrected=corrected,
        latest=tuple(sorted(at, key=lambda ident: at[ident], reverse=True)),
        names_by_match=played_by,
    )


def _find_walkover_times(course: EventStages, gone: Mapping[int, EntryRemoval]) -> dict[str, datetime]:
    """Return the time of each walkover, which is when the loser left the event."""
    times: dict[str, datetime] = {}
    for stage in course.stages:
        for ident, match in stage.matches.items():
            outcome = match.meeting.outcome
            if match.is_decided_without_result and outcome is not None and len(match.meeting.sides) == 2:
                left = [gone[side].at for side in match.meeting.sides if side != outcome.winner and side in gone]
                times.update({ident: max(left)} if left else {})
    return times


def list_decided_games(course: EventStages) -> dict[str, frozenset[int]]:
    """Return the pool and play-off games that were decided by a recorded result, mapped to their sides."""
    return {
        ident: frozenset(match.meeting.sides)
        for stage in course.stages
        for ident, match in stage.matches.items()
        if match.is_decided and not match.is_decided_without_result
    }


def iter_ranked_entries(pool: Pool) -> Iterator[tuple[PoolPart, RankedEntry]]:
    """Yield the ranked entries of each group or site in a pool."""
    return ((part, row) for part, ranked in pool.standings for row in ranked)


# --- Matches and their recorded results ------------------------------------------------------------------------------


def load_round_count(event: Event) -> int:
    """Return the number of rounds in the event's single-elimination bracket, or 0 if it has none."""
    bracket = load_event_stages(event).bracket
    return bracket.progress.bracket.count_rounds() if bracket is not None and bracket.progress is not None else 0


def count_stage_rounds(match: Match) -> int:
    """Return the number of rounds in the match's bracket, using a single query."""
    return Match.objects.filter(stage=match.stage_id).aggregate(last=Max("round"))["last"] or 0


def load_valid_matches(event: Event) -> QuerySet[Match]:
    """Return the matches whose draw and table assignments have not been undone."""
    return event.matches.filter(VALID_MATCH_FILTER)


def load_match(event: Event, ident: str) -> Match | None:
    return load_valid_matches(event).select_related("event__tournament").filter(ident=ident).first()


def load_match_results(match: Match) -> list[MatchResult]:
    """Return all results of a match, newest first."""
    return list(match.results.select_related("match", "winner").order_by("-pk"))


def load_matches_with_started_cards(event: Event, matches: Mapping[str, SideNumbers]) -> frozenset[str]:
    """Return the matches that have a score card with at least one line.

    `matches` maps each match to its current sides. Cards that belong to earlier sides of a match are ignored.
    """
    started = score_cards().load_started_matches(event, list(matches))
    return frozenset(ident for ident, sides in started if sides == matches[ident])


def load_matches_in_play(event: Event, stage: StageState) -> frozenset[str]:
    """Return the matches that are called to a table or have a card with at least one line."""
    ready = {ident: frozenset(stage.match_states[ident].entries) for ident in stage.ready_matches}
    if not ready:
        return frozenset()
    return load_matches_with_started_cards(event, ready) | load_called_tables(event, ready).keys()


@dataclass(frozen=True)
class _RecordedResults:
    """The results recorded for an event's matches.

    `recorded` maps each match to the person who recorded its last result, and the time. These matches are in the order
    of their last results, oldest first.

    The other fields are keyed by the match together with its sides, because a correction can change the sides. `scores`
    has the points of the last result, and `first` has the time of the first result. `count` has the number of results.
    If a result was voided, only the results after it are counted.
    """

    scores: dict[tuple[str, SideNumbers], dict[int, int]]
    recorded: dict[str, ResultRecorder]
    count: Counter[tuple[str, SideNumbers]]
    first: dict[tuple[str, SideNumbers], datetime]

    def find_corrected_matches(self, decided: Mapping[str, SideNumbers]) -> frozenset[str]:
        """Return the matches whose result replaced an earlier one between the same sides."""
        return frozenset(ident for ident, sides in decided.items() if self.count[ident, sides] > 1)

    def list_player_names(self, decided: Mapping[str, SideNumbers], names: EntryNames) -> dict[str, Mapping[int, str]]:
        """Return the players' names in each match, as they were when its first result was recorded.

        If no entry of the event ever changed its name, the result is empty, because the current names apply.
        """
        if not names.earlier:
            return {}
        return {ident: names.get_names_at(self.first.get((ident, sides))) for ident, sides in decided.items()}


def _load_recorded_results(event: Event) -> _RecordedResults:
    results = _RecordedResults({}, {}, Counter(), {})
    rows = MatchResult.objects.filter(match__in=load_valid_matches(event)).order_by("pk")
    for ident, score, credits, by_name, at in rows.values_list("match__ident", "score", "credits", "by_name", "at"):
        key = ident, frozenset(map(int, credits))
        results.scores[key] = {int(number): points for number, points in score.items()}
        results.first.setdefault(key, at)
        results.recorded.pop(ident, None)
        results.recorded[ident] = ResultRecorder(by_name, at)
        is_void = any(cause == ResultCause.VOID for _result, cause in credits.values())
        results.count[key] = 0 if is_void else results.count[key] + 1
    return results


def load_decided_game_details(
    event: Event, decided: Mapping[str, SideNumbers], names: EntryNames
) -> tuple[Mapping[str, datetime], frozenset[str], Mapping[str, Mapping[int, str]]]:
    """Return details of these decided games: when they were recorded, which were corrected, and the players' names.

    The times are sorted, latest first.
    """
    results = _load_recorded_results(event)
    recorded = {ident: results.recorded[ident].at for ident in reversed(results.recorded) if ident in decided}
    return recorded, results.find_corrected_matches(decided), results.list_player_names(decided, names)


def load_player_names(event: Event, matches: Mapping[str, SideNumbers]) -> Mapping[str, Mapping[int, str]]:
    """Return the players' names in each match, as they were when its first result was recorded.

    If no entry of the event ever changed its name, the result is empty, because the current names apply.
    """
    names = _load_cached_names(event)
    return _load_recorded_results(event).list_player_names(matches, names) if names.earlier else {}


def load_result_recorders(event: Event) -> dict[str, ResultRecorder]:
    """Return who recorded the last result of each match, and when."""
    return _load_recorded_results(event).recorded


# --- Reasons for pairings that the opening of a stage determines -----------------------------------------------------


def is_paired_at_opening(stage: StageState) -> bool:
    """Return whether all pairings of the stage are known when it is opened."""
    return stage.kind.traits.two_meet and (stage.pool is None or bool(stage.row.record.get("groups")))


def explain_pairings(stage: StageState) -> tuple[ExplainedPairings, ...]:
    """Explain the pairings of a play-off, a bracket, or a stage in groups.

    The result has one explanation for each known round of a play-off, one for a bracket, and one for each group. It is
    empty for a stage that is paired at the desk.
    """
    record = stage.row.record
    if stage.play_off is not None:
        return tuple(explain_play_off_round(each) for each in stage.play_off.rounds)
    if stage.progress is not None:
        record = load_bracket_record(stage.row)
        places = tuple(record["places"])
        if record.get("seeded"):
            return (explain_seeded_bracket(stage.kind, places),)
        byes = {bye["entry"]: text_from_json(bye.get("text", bye["why"])) for bye in record.get("byes", ())}
        moves = [EntryMove.from_json(move) for move in record.get("moves", ())]
        return (explain_drawn_bracket(stage.kind, record["order"], places, byes, moves),)
    if stage.pool is None or not record.get("groups"):
        return ()
    late = [entry for entry in stage.pool.qualifying.entrants if entry not in stage.row.entries]
    return explain_groups(stage.row.entries, record["groups"], late)


def explain_pair_in_stage(stage: StageState, sides: tuple[int, ...]) -> str:
    """Explain why two entries were paired in a stage. Return an empty string if both simply advanced to the match."""
    if stage.pool is not None:
        return _("Everybody in the group meets everybody.")
    pairs = (pair for drawn in explain_pairings(stage) for pair in drawn.pairs)
    return next((why for pair, why in pairs if set(pair) == set(sides)), "")
