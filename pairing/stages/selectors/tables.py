"""Rounds at tables, and rounds in which two sides rotate: their state, table assignments, and standings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import Any

from django.db.models import Prefetch

from pairing.draws.knockout.places import Placings
from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.results import RemovalReason, ResultCause
from pairing.draws.stages.plan import StageKind, StagePlan
from pairing.draws.table_rounds import (
    SeatedTable,
    TableOutcome,
    TableRound,
    TableRounds,
    TableStanding,
    make_final_standings,
    make_standings,
    make_table_placings,
)
from pairing.draws.two_sides import (
    TwoSides,
    WhistTable,
    WhistTables,
    make_first_whist_tables,
    make_next_whist_tables,
    make_rotation_round,
    split_order_by_side,
)
from pairing.models import Match, MatchResult, MatchSeat, Seating, Stage
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import MatchState, RotatingSides, StageState
from pairing.stages.selectors.plans import TABLES_FORMAT, load_table_rules, load_table_terms
from pairing.stages.selectors.records import (
    VALID_MATCH_FILTER,
    EventStageFacts,
    load_called_tables,
    load_open_stages,
    parse_match_credits,
)
from tournament.core.selectors.events import load_entry_names, search_entries
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_early_finish
from tournament.purse.prizes import make_placings_from_finish
from tournament.registration.selectors.entries import get_side_names


def load_posted_rounds(stage: Stage) -> tuple[TableRound, ...]:
    """Return the posted rounds that have not been undone, in order."""
    seats = Prefetch("matches__seats", MatchSeat.objects.select_related("entrant"))
    results = Prefetch("matches__results", MatchResult.objects.select_related("winner").order_by("pk"))
    counting = stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    return tuple(
        TableRound(seating.round, tuple(map(_make_seated_table, seating.matches.all())), tuple(seating.sits_out))
        for seating in counting.prefetch_related("matches", seats, results)
    )


def _make_seated_table(match: Match) -> SeatedTable:
    results = list(match.results.all())
    entries = tuple(seat.entrant.number for seat in match.seats.all())
    return SeatedTable(match.ident, entries, read_table_outcome(results[-1]) if results else None)


def read_table_outcome(result: MatchResult) -> TableOutcome:
    """Return the table outcome recorded in this row, even if it no longer counts."""
    points = {int(number): total for number, total in result.score.items()}
    causes = {credit.cause for credit in parse_match_credits(result.credits).values()}
    cause = ResultCause.PLAYED if points else min(causes, default=ResultCause.PLAYED)
    return TableOutcome(points, result.winner.number if result.winner else None, cause)


@dataclass(frozen=True, kw_only=True)
class _TablesStage(StageState):
    rounds: TableRounds

    @property
    def is_complete(self) -> bool:
        return self.rounds.is_complete

    @cached_property
    def match_states(self) -> Mapping[str, MatchState]:
        return {
            table.match: MatchState(
                table.entries, BracketMatchState.DECIDED if table.is_decided else BracketMatchState.READY
            )
            for each in self.rounds.rounds
            for table in each.tables
        }

    @cached_property
    def ready_matches(self) -> tuple[str, ...]:
        return tuple(table.match for table in self.rounds.ready_tables)

    @property
    def entries(self) -> tuple[int, ...]:
        return self.rounds.entries

    def iter_tied_groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from (placing.entries for placing in self.compute_placings(before).finish)

    def compute_placings(self, before: Sequence[StageState]) -> Placings:
        return make_table_placings(make_standings(self.rounds))

    def compute_placings_if_ended(self, before: Sequence[StageState]) -> Placings:
        return make_table_placings(make_final_standings(self.rounds))


def load_tables_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> _TablesStage:
    terms = facts.plan.first.tables  # The director can still change the number of rounds after the draw.
    assert terms is not None
    rules, seated = load_table_rules(facts.event), load_posted_rounds(row)
    later = {entry for each in seated for table in each.tables for entry in table.entries} - set(row.entries)
    rounds = TableRounds(
        terms=terms,
        entries=(*row.entries, *sorted(later)),
        rounds=seated,
        removal_reasons={entry: out.why for entry, out in facts.removals.items()},
        low_wins=rules is not None and rules.low_wins,
    )
    return _TablesStage(row=row, plan=planned, seed=facts.make_seed(row), rounds=rounds)


# --- Two sides that rotate against each other ------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class _SidesStage(StageState):
    """A stage in which two sides rotate against each other, recorded as a single match.

    `totals` has the place of each entry, computed from the points. It is None until the match has a result.
    """

    rotating_sides: RotatingSides
    totals: Placings | None

    @property
    def is_complete(self) -> bool:
        return self.totals is not None

    @cached_property
    def match_states(self) -> Mapping[str, MatchState]:
        return {}

    @property
    def ready_matches(self) -> tuple[str, ...]:
        return ()

    def iter_tied_groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        yield from (placing.entries for placing in self.totals.finish) if self.totals is not None else ()

    def compute_placings(self, before: Sequence[StageState]) -> Placings | None:
        return self.totals


def load_rotating_sides_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> _SidesStage:
    rotating_sides, totals = _load_rotating_sides(facts.event, row), _load_totals(facts)
    return _SidesStage(row=row, plan=planned, seed=facts.make_seed(row), rotating_sides=rotating_sides, totals=totals)


def _load_rotating_sides(event: Event, stage: Stage) -> RotatingSides:
    names = get_side_names(event)
    assert names is not None
    inside = Entrant.objects.filter(event=event.pk, number__in=stage.entries)
    people = {entrant.number: entrant for entrant in inside}
    return RotatingSides(
        stage=stage,
        match=Match.objects.values_list("pk", flat=True).get(stage=stage),
        names=names,
        sides=split_order_by_side(stage.entries, {number: entrant.side for number, entrant in people.items()}),
        people=people,
        rounds=tuple(stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")),
    )


def _load_totals(facts: EventStageFacts) -> Placings | None:
    """Return the places by points from the stage's only result, or None if there is no result.

    Equal points share a place. If two teams play, everybody has the team's points, so the winners share first place.
    """
    results = MatchResult.objects.filter(match__event=facts.event, match__draw__taken_back__isnull=True)
    last = results.order_by("-pk").first()
    if last is None or not last.score:
        return None
    without = {entry for entry, out in facts.removals.items() if out.why is RemovalReason.DISQUALIFIED}
    points = {int(number): total for number, total in last.score.items() if int(number) not in without}
    order = sorted(points, key=lambda number: (-points[number], number))
    groups = [list(group) for _points, group in groupby(order, key=lambda number: points[number])]
    return Placings(make_placings_from_finish(groups), (), tuple(sorted(without)))


# --- The rounds of two sides, as they follow from the draw -----------------------------------------------------------


def load_rotating_sides_match(rotating_sides: RotatingSides) -> Match:
    return Match.objects.select_related("event__tournament").get(pk=rotating_sides.match)


def read_whist_tables(seating: Seating) -> WhistTables:
    """Return a posted round of Court Whist. Each table is stored as man, lady, man, lady."""
    tables = (WhistTable((a, c), (b, d), ((a, b), (c, d))) for a, b, c, d in seating.tables)
    return WhistTables(tuple(tables), tuple(seating.sits_out))


def list_whist_seats(game: WhistTables) -> list[list[int]]:
    return [[player for couple in table.partners for player in couple] for table in game.tables]


def recompute_tables(rotating_sides: RotatingSides, seating: Seating) -> list[list[int]]:
    """Recompute a round's tables from the draw and from the facts recorded before the round."""
    number = seating.round
    if not StageKind(rotating_sides.stage.kind).traits.own_cards:
        # Entries that neither sat at a table nor sat out had left before the round.
        here = {entry for table in seating.tables for entry in table} | set(seating.sits_out)
        pairs = make_rotation_round(rotating_sides.sides.left, rotating_sides.sides.right, turn=number)
        return [list(pair) for pair in pairs if set(pair) <= here]
    if number == 1:
        game = make_first_whist_tables(rotating_sides.sides)
    else:
        before = next(round_ for round_ in rotating_sides.rounds if round_.round == number - 1)
        left, right = seating.record["present"]
        winners = [(man, lady) for man, lady in seating.record["winners"]]
        sat_out = {int(player): count for player, count in seating.record["sat_out"].items()}
        game = make_next_whist_tables(read_whist_tables(before), winners, TwoSides(tuple(left), tuple(right)), sat_out)
    return list_whist_seats(game)


# --- Recorded table assignments --------------------------------------------------------------------------------------


def load_seating_preview(event: Event) -> Seating | None:
    """Return the table assignments that are neither posted nor undone, or None. Only staff can see them."""
    previews = Seating.objects.filter(stage__in=load_open_stages(event), posted__isnull=True, taken_back__isnull=True)
    return previews.select_related("stage__draw").first()


def load_preview_and_last_seating(event: Event) -> tuple[Seating | None, Seating | None]:
    """Return the preview of table assignments and the latest posted ones, using a single query."""
    counting = Seating.objects.filter(stage__in=load_open_stages(event), taken_back__isnull=True)
    seatings = list(counting.select_related("stage__draw", "posted").order_by("-round", "pk"))
    preview = next((seating for seating in seatings if not hasattr(seating, "posted")), None)
    posted = next((seating for seating in seatings if hasattr(seating, "posted")), None)
    return preview, posted


def load_undone_seatings(event: Event) -> list[Seating]:
    """Return all undone table assignments, including undone previews, newest first."""
    undone = Seating.objects.filter(stage__draw__commitment__event=event, taken_back__isnull=False)
    return list(undone.select_related("taken_back").order_by("-pk"))


def load_seating_records(event: Event) -> list[dict[str, Any]]:
    """Return all posted rounds that have not been undone.

    Every round after the first has a `case` that the `pair` command can rerun.
    """
    posted = Seating.objects.filter(stage__in=load_open_stages(event), posted__isnull=False, taken_back__isnull=True)
    terms = load_table_terms(event)
    return (
        [_make_seating_record(seating, terms.size) for seating in posted.order_by("round")] if terms is not None else []
    )


def _make_seating_record(seating: Seating, size: int) -> dict[str, Any]:
    record = {"round": seating.round, "tables": seating.tables, "sits_out": seating.sits_out}
    if seating.round == 1:
        return record
    playing = sorted(number for table in seating.tables for number in table)
    met, seed = seating.record["met"], seating.record["seed"]
    return {**record, "case": {"format": TABLES_FORMAT, "entries": playing, "size": size, "met": met, "seed": seed}}


def is_seating_without_result(seating: Seating) -> bool:
    return not MatchResult.objects.filter(match__seating=seating).exists()


# --- Rounds with names, tables and standings -------------------------------------------------------------------------


@dataclass(frozen=True)
class SeatingBoard:
    """The rounds of an event with names and tables, ready to be shown.

    `tables` maps a match to the table that it is called to. `ended` is true if the event ended early. `names_by_match`
    has the original players' names for tables at which an entry played before it got a substitute.
    """

    rounds: TableRounds
    names: Mapping[int, str]
    tables: Mapping[str, int]
    ended: bool = False
    names_by_match: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def get_name_in_match(self, match: str, number: int) -> str:
        """Return the name of the player who plays, or played, at this table for an entry."""
        return self.names_by_match.get(match, self.names).get(number, str(number))

    @cached_property
    def standings(self) -> tuple[TableStanding, ...]:
        return make_final_standings(self.rounds) if self.ended else make_standings(self.rounds)

    @property
    def is_over(self) -> bool:
        return self.rounds.is_complete or self.ended

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners once everything is decided. Several can share first place."""
        if not self.is_over:
            return ()
        return tuple(self.name(standing.entry) for standing in self.standings if standing.place == 1)

    def find_entries(self, wanted: str) -> tuple[int, ...]:
        """Return the entries that match the search text `wanted`: an entry number, or part of a name."""
        return search_entries(wanted, {entry: self.name(entry) for entry in self.rounds.entries})


def load_seating_board(event: Event) -> SeatingBoard | None:
    """Return an event's rounds, or None if no draw is posted or the event has another format."""
    rounds = load_event_stages(event).rounds
    if rounds is None:
        return None
    called = load_called_tables(event, (table.match for table in rounds.ready_tables))
    names = load_entry_names(event)
    played_by: dict[str, Mapping[int, str]] = {}
    if names.earlier:
        # The names at the time of each table's first result that counts.
        results = MatchResult.objects.filter(match__in=event.matches.filter(VALID_MATCH_FILTER)).order_by("-pk")
        played_by = {ident: names.get_names_at(at) for ident, at in results.values_list("match__ident", "at")}
    return SeatingBoard(rounds, names, called, load_early_finish(event) is not None, played_by)
