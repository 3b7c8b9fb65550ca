"""Record a simulated day in memory, or in the database.

`InMemoryDayRecorder` needs no database. `DatabaseDayRecorder` calls the same services as the pages.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.utils import timezone

from pairing.desk.selectors.desk import PairingDesk, load_pairing_desk
from pairing.desk.services.pairings import end_hold, give_bye, hold_entrant
from pairing.desk.services.sending import DeskPreview, change_desk_settings, send_previewed_pairs
from pairing.draws.desk.desk import DeskTerms, PairingInput, WaitingEntry, suggest_pairs
from pairing.draws.forecast.forecast import TimedGame
from pairing.draws.pairs.record import EntryWithRecord
from pairing.draws.results import PLAYED_MATCH_CAUSES, EntryRemoval, MatchOutcome, Meeting, RemovalReason, ResultCause
from pairing.draws.stages.qualifier import (
    GRA_PARTNERSHIP_TERMS,
    QualifierTerms,
    QualifyingEntry,
    QualifyingStage,
    make_qualifying_stage,
)
from pairing.models import Match
from pairing.results.services.results import record_result, remove_entrant
from scoring.rehearsal.services.day import (
    DeskSnapshot,
    EntryPair,
    PairSentToTable,
    can_have_another_game,
    round_down_to_minute,
)
from scoring.rehearsal.services.engine import (
    close_registration_and_draw,
    create_demo,
    create_demo_event,
    freeze_time,
    get_demo_director,
    open_demo_event,
    register_demo_entrant,
)
from tournament.core.selectors.events import reload_event
from tournament.core.services.record import writing
from tournament.models import Entrant, Event, Tournament
from tournament.money.services.checkin import set_check_in_status
from tournament.setup.services.tournaments import change_event_state

_STAGES: Final = [
    {"kind": "record", "games": 5, "losses": 2, "wins": 4, "byes_to": [5]},
    {"kind": "single-elimination", "byes_to": [5]},
]
_HOUR: Final = timedelta(hours=1)


class InMemoryDayRecorder:
    """Keeps the records of a simulated day in memory, without a database."""

    def __init__(self, desk: DeskTerms, lots: str, terms: QualifierTerms = GRA_PARTNERSHIP_TERMS) -> None:
        self.desk, self.lots, self.terms = desk, lots, terms
        self.entrants: dict[int, QualifyingEntry] = {}
        self.since: dict[int, datetime] = {}
        self.meetings: dict[str, Meeting] = {}
        self.own: dict[int, dict[str, Meeting]] = defaultdict(dict)
        self.games: dict[str, TimedGame] = {}
        self.held: set[int] = set()
        self.removed: dict[int, EntryRemoval] = {}

    def open_stage(self, entries: list[int], absent: list[int], at: datetime) -> None:
        self.since |= dict.fromkeys(entries, at)
        self.held |= set(absent)
        self._recompute_records(entries)

    def record_arrivals(self, entries: list[int], at: datetime) -> None:
        self.held -= set(entries)

    def send_pairs_to_tables(self, pairs: tuple[EntryPair, ...], at: datetime) -> list[PairSentToTable]:
        sent = [PairSentToTable(f"G{len(self.meetings) + place}", pair) for place, pair in enumerate(pairs, start=1)]
        for one in sent:
            self._save_meeting(Meeting(one.ident, one.pair))
            self.games[one.ident] = TimedGame(one.pair, at)
        return sent

    def record_game_result(self, sent: PairSentToTable, winner: int, cause: ResultCause, at: datetime) -> None:
        loser = next(side for side in sent.pair if side != winner)
        outcome = MatchOutcome.won(sent.ident, winner, loser, cause)
        self._save_meeting(Meeting(sent.ident, sent.pair, outcome))
        began = self.games.pop(sent.ident).began
        if cause in PLAYED_MATCH_CAUSES:
            self.games[sent.ident] = TimedGame(sent.pair, began, at)
        self.since |= dict.fromkeys(sent.pair, at)

    def record_bye(self, entry: int, at: datetime) -> None:
        self._save_meeting(Meeting.bye(f"G{len(self.meetings) + 1}", entry))

    def remove_entry(self, entry: int, why: RemovalReason, at: datetime) -> None:
        self.removed[entry] = EntryRemoval(entry, why)
        self._recompute_records([entry])

    def _save_meeting(self, meeting: Meeting) -> None:
        self.meetings[meeting.match] = meeting
        for side in meeting.sides:
            self.own[side][meeting.match] = meeting
        self._recompute_records(meeting.sides)

    def _recompute_records(self, entries: Iterable[int]) -> None:
        """Recompute the win-loss records of these entries."""
        for entry in entries:
            removed = [self.removed[entry]] if entry in self.removed else []
            found = make_qualifying_stage(self.terms, [entry], self.own[entry].values(), removed)
            self.entrants |= found.entrants

    def take_snapshot(self, at: datetime) -> DeskSnapshot:
        found = QualifyingStage(self.terms, dict(self.entrants))
        pairs = self._suggest_pairs(found, at)
        alone = found.entry_without_opponent if found.entry_without_opponent not in self.held else None
        return DeskSnapshot(at, found, tuple(self.games.values()), dict(self.since), pairs, alone)

    def _suggest_pairs(self, found: QualifyingStage, at: datetime) -> tuple[EntryPair, ...]:
        busy = len(found.playing_entries) // 2
        tables = len(self.desk.list_tables(busy + len(found.ready_entries) // 2)) - busy
        if len(found.ready_entries) < 2 or tables < 1:
            return ()
        waiting = tuple(
            WaitingEntry(_find_entry(found, entry), round_down_to_minute(self.since[entry]), entry in self.held)
            for entry in found.ready_entries
        )
        coming = tuple(
            _find_entry(found, entry) for entry in found.playing_entries if can_have_another_game(found, entry)
        )
        desk = PairingInput(waiting=waiting, still_playing=coming, terms=self.desk, seed=self.lots)
        return tuple(pair.pair for pair in suggest_pairs(desk, now=round_down_to_minute(at)).pairs)[:tables]


def _find_entry(found: QualifyingStage, number: int) -> EntryWithRecord:
    record = found[number].record
    return EntryWithRecord(number, record.wins, record.losses, record.byes, record.met)


class DatabaseDayRecorder:
    """Keeps the records of a simulated day in the database, by calling the services at the simulated time."""

    def __init__(self, desk: DeskTerms, entrants: int, began: datetime) -> None:
        self.desk, self.count, self.began = desk, entrants, began
        self.by = get_demo_director()
        with freeze_time(began - _HOUR):
            self.event = self._create_event()

    def _create_event(self) -> Event:
        day = timezone.localdate(self.began)
        turn = Tournament.objects.filter(slug__startswith="made-up-day").count() + 1
        slug, name = f"made-up-day-{turn}", f"Made-up day {turn}"
        tournament = create_demo(by=self.by, slug=slug, name=name, starts_on=day, ends_on=day)
        draft = create_demo_event(
            tournament, ("stages", {"stages": _STAGES}), by=self.by, slug="qualifying", name="Qualifying", fee_cents=0
        )
        event = open_demo_event(draft, by=self.by)
        for number in range(1, self.count + 1):
            register_demo_entrant(event, f"Player {number}", by=self.by)
        return reload_event(event)

    def open_stage(self, entries: list[int], absent: list[int], at: datetime) -> None:
        with freeze_time(at - _HOUR):
            close_registration_and_draw(self.event, "7H QS 2D", kept=entries, by=self.by)
        with freeze_time(at):
            with writing(self.event, verb="event.in-play", by=self.by) as write:
                change_event_state(write, write.the_event, Event.State.IN_PLAY)
            # Players who have not come are held below. Nobody else is checked in.
            change_desk_settings(self.event, replace(self.desk, pair_absent=True), by=self.by)
            for entrant in self._load_entrants(absent):
                hold_entrant(entrant, by=self.by, reason="not here yet")
        self.event = reload_event(self.event)

    def record_arrivals(self, entries: list[int], at: datetime) -> None:
        with freeze_time(at):
            for entrant in self._load_entrants(entries):
                set_check_in_status(entrant, by=self.by)
                end_hold(entrant, by=self.by, reason="came")

    @property
    def lots(self) -> str:
        """Return the draw's secret, which is used to break ties."""
        return self._load_desk(self.began).groups[0].pairing_input.seed

    def _load_desk(self, at: datetime) -> PairingDesk:
        desk = load_pairing_desk(self.event, at)
        assert desk is not None
        return desk

    def take_snapshot(self, at: datetime) -> DeskSnapshot:
        desk = self._load_desk(at)
        assert desk.stage.pool is not None
        pairs = tuple(going.suggestion.pair for going in desk.next_pairs if going.table is not None)
        return DeskSnapshot(
            at, desk.stage.pool.qualifying, desk.games, desk.waiting_since, pairs, desk.entry_without_opponent
        )

    def send_pairs_to_tables(self, pairs: tuple[EntryPair, ...], at: datetime) -> list[PairSentToTable]:
        going = tuple(one.pair_and_table for one in self._load_desk(at).next_pairs if one.table is not None)
        with freeze_time(at):
            pairings, _called = send_previewed_pairs(self.event, DeskPreview(at=at, pairs=going), by=self.by)
        rows = Match.objects.filter(pairing__in=pairings).order_by("pk").prefetch_related("seats__entrant")
        sent = []
        for row in rows:
            one, other = sorted(seat.entrant.number for seat in row.seats.all())
            sent.append(PairSentToTable(row.ident, (one, other)))
        return sorted(sent, key=lambda each: pairs.index(each.pair))

    def record_game_result(self, sent: PairSentToTable, winner: int, cause: ResultCause, at: datetime) -> None:
        match = Match.objects.get(event=self.event, ident=sent.ident)
        loser = next(side for side in sent.pair if side != winner)
        with freeze_time(at), writing(self.event, verb="card.posted", by=self.by) as write:
            record_result(write, match, MatchOutcome.won(sent.ident, winner, loser, cause))

    def record_bye(self, entry: int, at: datetime) -> None:
        with freeze_time(at):
            give_bye(self._load_entrants([entry])[0], by=self.by, reason="nobody is left to play")

    def remove_entry(self, entry: int, why: RemovalReason, at: datetime) -> None:
        with freeze_time(at):
            remove_entrant(self._load_entrants([entry])[0], why.value, by=self.by, reason="gone")

    def _load_entrants(self, numbers: list[int]) -> list[Entrant]:
        found = self.event.entrants.filter(number__in=numbers).select_related("event__tournament")
        return list(found.order_by("number"))
