"""The board of a bracket: names, tables and scores for the pages, in a constant number of queries."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.db.models import Max, QuerySet

from pairing.draws.knockout.bracket import RoundKey
from pairing.draws.knockout.progress import MatchView, Progress, State
from pairing.draws.results import Cause
from pairing.models import PLAY, Match, MatchResult
from pairing.ports import score_cards
from pairing.stages.selectors.course import load_course, today_at
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.records import COUNTING, load_called, load_names
from tournament.core.cached import cached
from tournament.core.selectors.events import EntryNames, current_event, entries_called
from tournament.models import Event
from tournament.models.topic import ENTRANTS

Sides = frozenset[int]


@dataclass(frozen=True, slots=True)
class RecordedBy:
    """The name of the person who recorded the valid result, and the time."""

    by_name: str
    at: datetime


@dataclass(frozen=True, eq=False)
class Board:
    """A bracket with what pages show of its matches.

    `tables` maps matches to their tables, and `scores` maps matches to the points by entry number.
    `recorded` is who recorded the valid result, and when. `begun` are ready matches with a line on their card.
    `corrected` are decided matches that had another result before.
    `played_by` names the players of matches whose side has a substitute since.
    `spelled` maps names that are too long for the picture to their short form.
    """

    progress: Progress
    names: EntryNames
    tables: Mapping[str, int]
    scores: Mapping[str, Mapping[int, int]]
    recorded: Mapping[str, RecordedBy] = field(default_factory=dict)
    begun: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    played_by: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    spelled: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_two_lives(self) -> bool:
        return self.progress.bracket.is_double

    @cached_property
    def digits(self) -> int:
        return len(str(max(self.progress.bracket.entries)))

    @cached_property
    def rounds(self) -> Mapping[RoundKey, tuple[MatchView, ...]]:
        found: dict[RoundKey, list[MatchView]] = {}
        for view in self.progress.views.values():
            found.setdefault(view.match.round_key, []).append(view)
        return {key: tuple(views) for key, views in found.items()}

    @cached_property
    def round_count(self) -> int:
        """The number of rounds, or 0 for a double elimination."""
        return self.progress.bracket.rounds_of()

    @property
    def live_round(self) -> RoundKey:
        """The first round with a ready match, or else with an open one, or else the final."""
        views = list(self.progress.views.values())
        for state in (State.READY, State.WAITING):
            found = [view.match.round_key for view in views if view.state is state]
            if found:
                return found[0]
        return self.progress.bracket.final.round_key

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def name_in(self, ident: str, number: int) -> str:
        """Return the name of the player who plays or played this match for the entry."""
        return self.played_by.get(ident, self.names).get(number, str(number))

    def spell(self, name: str) -> str:
        return self.spelled.get(name, name)

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """Return the drawn entries whose name contains the words, or whose number they are."""
        return entries_called(wanted, {entry: self.name(entry) for entry in sorted(self.progress.bracket.entries)})


def load_bracket_board(event: Event) -> Board | None:
    """Return the board, cached like `load_course`, or None before a draw is posted."""
    topics = (*PLAY, ENTRANTS)
    return cached(event.pk, topics, "bracket board", lambda: _make_board(current_event(event)), at=today_at(event))


def load_round_count(event: Event) -> int:
    """Return the number of rounds of the event's single-elimination bracket, or 0 if it has none."""
    bracket = load_course(event).bracket
    return bracket.progress.bracket.rounds_of() if bracket is not None and bracket.progress is not None else 0


def load_rounds_of_stage(match: Match) -> int:
    """Return the number of rounds of the match's own bracket, in one query."""
    return Match.objects.filter(stage=match.stage_id).aggregate(last=Max("round"))["last"] or 0


def _make_board(event: Event) -> Board | None:
    bracket = load_course(event).bracket
    if bracket is None:
        return None
    progress, written = bracket.progress, _load_written(event)
    open_now = {view.match.id: frozenset(view.entries) for view in progress.ready}
    # A result of sides that met here before a correction is not valid.
    decided = (view for view in progress.views.values() if view.state is State.DECIDED and not view.by_itself)
    sides = {view.match.id: frozenset(view.entries) for view in decided}
    names = load_names(event)
    return Board(
        progress=progress,
        names=names,
        tables=load_called(event, open_now),
        scores={ident: written.scores.get((ident, two), {}) for ident, two in sides.items()},
        recorded={ident: written.recorded[ident] for ident in sides if ident in written.recorded},
        begun=load_begun_matches(event, open_now),
        corrected=written.corrected(sides),
        played_by=written.played_by(sides, names),
    )


def load_begun_matches(event: Event, open_now: Mapping[str, Sides]) -> frozenset[str]:
    """Return the matches of which these same two sides have a line on their card."""
    begun = score_cards().load_begun(event, list(open_now))
    return frozenset(ident for ident, sides in begun if sides == open_now[ident])


def load_in_play(event: Event, stage: StageState) -> frozenset[str]:
    """Return the matches that are called to a table, or whose card has a line."""
    open_now = {ident: frozenset(stage.standing[ident].entries) for ident in stage.ready}
    if not open_now:
        return frozenset()
    return load_begun_matches(event, open_now) | load_called(event, open_now).keys()


def valid_matches(event: Event) -> QuerySet[Match]:
    """Return the matches of the draws and table assignments that count."""
    return event.matches.filter(COUNTING)


def load_match(event: Event, ident: str) -> Match | None:
    return valid_matches(event).select_related("event__tournament").filter(ident=ident).first()


def load_results(match: Match) -> list[MatchResult]:
    """Return all results of a match, newest first."""
    return list(match.results.select_related("match", "winner").order_by("-pk"))


@dataclass(frozen=True)
class _Written:
    """Everything recorded for the matches of an event.

    `recorded` is the last result of each match, with the match written last at the end.
    The others are by match and sides: the score, the number of results (0 after a void), and the first time.
    """

    scores: dict[tuple[str, Sides], dict[int, int]]
    recorded: dict[str, RecordedBy]
    results: Counter[tuple[str, Sides]]
    first: dict[tuple[str, Sides], datetime]

    def corrected(self, decided: Mapping[str, Sides]) -> frozenset[str]:
        """Return the matches whose result replaced an earlier one of the same sides."""
        return frozenset(ident for ident, sides in decided.items() if self.results[ident, sides] > 1)

    def played_by(self, decided: Mapping[str, Sides], names: EntryNames) -> dict[str, Mapping[int, str]]:
        """Return the players' names for each match, or nothing if no entry of the event has changed its name."""
        if not names.earlier:
            return {}
        return {ident: names.at(self.first.get((ident, sides))) for ident, sides in decided.items()}


def _load_written(event: Event) -> _Written:
    found = _Written({}, {}, Counter(), {})
    results = MatchResult.objects.filter(match__in=valid_matches(event)).order_by("pk")
    columns = results.values_list("match__ident", "score", "credits", "by_name", "at")
    for ident, score, credits, by_name, at in columns:
        pair = ident, frozenset(map(int, credits))
        found.scores[pair] = {int(number): points for number, points in score.items()}
        found.first.setdefault(pair, at)
        found.recorded.pop(ident, None)
        found.recorded[ident] = RecordedBy(by_name, at)
        is_void = any(cause == Cause.VOID for _result, cause in credits.values())
        found.results[pair] = 0 if is_void else found.results[pair] + 1
    return found


def load_decided_games(
    event: Event, decided: Mapping[str, Sides], names: EntryNames
) -> tuple[Mapping[str, datetime], frozenset[str], Mapping[str, Mapping[int, str]]]:
    """Return when these decided games were recorded (latest first), the corrected ones, and their players' names."""
    written = _load_written(event)
    recorded = {ident: written.recorded[ident].at for ident in reversed(written.recorded) if ident in decided}
    return recorded, written.corrected(decided), written.played_by(decided, names)


def load_played_by(event: Event, matches: Mapping[str, Sides]) -> Mapping[str, Mapping[int, str]]:
    """Return the players' names for each match, or nothing if the event had no substitutes."""
    names = load_names(event)
    return _load_written(event).played_by(matches, names) if names.earlier else {}


def load_recorded(event: Event) -> dict[str, RecordedBy]:
    """Return for each match who recorded the valid result, and when."""
    return _load_written(event).recorded
