from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from pairing.draws.desk.desk import DeskTerms, PairingInput, WaitingEntry, suggest
from pairing.draws.forecast.forecast import TimedGame
from pairing.draws.pairs.field import RecordEntry
from pairing.draws.results import BOTH_PLAYED, Cause, MatchOutcome, Meeting, Removal, Removed
from pairing.draws.stages.qualifier import GRA_PARTNERSHIP, Qualifier, QualifierTerms, Qualifying, make_qualifying
from pairing.management.day.hall import Moment, Pair, Sent, full_minute, has_games_after


class PureHall:
    """A hall without a database, which keeps in plain values what the services would record."""

    def __init__(self, desk: DeskTerms, lots: str, terms: QualifierTerms = GRA_PARTNERSHIP) -> None:
        self.desk, self.lots, self.terms = desk, lots, terms
        self.entrants: dict[int, Qualifier] = {}
        self.since: dict[int, datetime] = {}
        self.meetings: dict[str, Meeting] = {}
        self.own: dict[int, dict[str, Meeting]] = defaultdict(dict)
        self.games: dict[str, TimedGame] = {}
        self.held: set[int] = set()
        self.removed: dict[int, Removed] = {}

    def open(self, entries: list[int], absent: list[int], at: datetime) -> None:
        self.since |= dict.fromkeys(entries, at)
        self.held |= set(absent)
        self._fold(entries)

    def arrive(self, entries: list[int], at: datetime) -> None:
        self.held -= set(entries)

    def send(self, pairs: tuple[Pair, ...], at: datetime) -> list[Sent]:
        sent = [Sent(f"G{len(self.meetings) + place}", pair) for place, pair in enumerate(pairs, start=1)]
        for one in sent:
            self._record(Meeting(one.ident, one.pair))
            self.games[one.ident] = TimedGame(one.pair, at)
        return sent

    def decide(self, sent: Sent, winner: int, cause: Cause, at: datetime) -> None:
        loser = next(side for side in sent.pair if side != winner)
        outcome = MatchOutcome.won(sent.ident, winner, loser, cause)
        self._record(Meeting(sent.ident, sent.pair, outcome))
        began = self.games.pop(sent.ident).began
        if cause in BOTH_PLAYED:
            self.games[sent.ident] = TimedGame(sent.pair, began, at)
        self.since |= dict.fromkeys(sent.pair, at)

    def bye(self, entry: int, at: datetime) -> None:
        self._record(Meeting.bye(f"G{len(self.meetings) + 1}", entry))

    def remove(self, entry: int, why: Removal, at: datetime) -> None:
        self.removed[entry] = Removed(entry, why)
        self._fold([entry])

    def _record(self, meeting: Meeting) -> None:
        self.meetings[meeting.match] = meeting
        for side in meeting.sides:
            self.own[side][meeting.match] = meeting
        self._fold(meeting.sides)

    def _fold(self, entries: Iterable[int]) -> None:
        """Recompute the records of these entries only. Nobody else's record has changed."""
        for entry in entries:
            removed = [self.removed[entry]] if entry in self.removed else []
            found = make_qualifying(self.terms, [entry], self.own[entry].values(), removed)
            self.entrants |= found.entrants

    def look(self, at: datetime) -> Moment:
        found = Qualifying(self.terms, dict(self.entrants))
        pairs = self._suggested(found, at)
        alone = found.alone if found.alone not in self.held else None
        return Moment(at, found, tuple(self.games.values()), dict(self.since), pairs, alone)

    def _suggested(self, found: Qualifying, at: datetime) -> tuple[Pair, ...]:
        busy = len(found.playing) // 2
        tables = len(self.desk.tables(busy + len(found.ready) // 2)) - busy
        if len(found.ready) < 2 or tables < 1:
            return ()
        waiting = tuple(
            WaitingEntry(_entry(found, entry), full_minute(self.since[entry]), entry in self.held)
            for entry in found.ready
        )
        coming = tuple(_entry(found, entry) for entry in found.playing if has_games_after(found, entry))
        desk = PairingInput(waiting=waiting, to_come=coming, terms=self.desk, seed=self.lots)
        return tuple(pair.pair for pair in suggest(desk, now=full_minute(at)).pairs)[:tables]


def _entry(found: Qualifying, number: int) -> RecordEntry:
    record = found[number].record
    return RecordEntry(number, record.wins, record.losses, record.byes, record.met)
