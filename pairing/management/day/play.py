from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from heapq import heappop, heappush
from typing import Final, NamedTuple

from pairing.draws.results import Cause, Removal
from pairing.management.day.chance import Chance
from pairing.management.day.hall import Hall, Moment, Pair, Sent, full_minute

BEGINS: Final = datetime(2026, 11, 28, 17, tzinfo=UTC)
NOT_COME: Final = timedelta(minutes=10)
"""The desk waits this long for a side that does not come to its table."""

MINUTE: Final = timedelta(minutes=1)


class Ending(NamedTuple):
    at: datetime
    turn: int
    sent: Sent
    winner: int
    cause: Cause


@dataclass
class DayPlayed:
    """The record of a simulated day: every moment at which something changed, waits in minutes, and rematches."""

    ended: datetime = BEGINS
    moments: list[Moment] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    rematches: list[tuple[Moment, Pair]] = field(default_factory=list)
    byes: int = 0

    @property
    def minutes(self) -> float:
        return (self.ended - BEGINS) / MINUTE


def play_day(hall: Hall, chance: Chance) -> DayPlayed:
    """Play from the first pairs until nobody has a game left."""
    return _Day(hall, chance).play()


class _Day:
    """The course of a simulated day, event by event."""

    def __init__(self, hall: Hall, chance: Chance) -> None:
        self.hall, self.chance = hall, chance
        self.now = BEGINS
        self.endings: list[Ending] = []
        self.turns = 0
        late = {entry: minutes for entry, minutes in chance.arrives.items() if minutes > 0}
        self.coming = sorted((BEGINS + minutes * MINUTE, entry) for entry, minutes in late.items())
        self.free_since = dict.fromkeys(chance.arrives, BEGINS)
        hall.open(sorted(chance.arrives), sorted(late), BEGINS)
        self.games: dict[int, int] = {}
        self.played = DayPlayed()

    def play(self) -> DayPlayed:
        while True:
            self._come()
            while self.endings and self.endings[0].at <= self.now:
                self._end(heappop(self.endings))
            moment = self._look()
            if moment.alone is not None:
                self._bye(moment.alone)
                continue
            if moment.pairs:
                self._send(moment)
                moment = self._look()
            if not (self.endings or self.coming or moment.qualifying.ready):
                return self.played
            self.now = self._next(moment)

    def _look(self) -> Moment:
        moment = self.hall.look(self.now)
        self.played.moments.append(moment)
        return moment

    def _next(self, moment: Moment) -> datetime:
        """Return the time of the next event. While somebody waits, the desk also looks at each full minute."""
        times = [full_minute(self.now) + MINUTE] if moment.qualifying.ready else []
        times += [ending.at for ending in self.endings[:1]]
        times += [at for at, _entry in self.coming[:1]]
        return min(times)

    def _come(self) -> None:
        here = sorted(entry for at, entry in self.coming if at <= self.now)
        if here:
            self.coming = self.coming[len(here) :]
            self.hall.arrive(here, self.now)
            self.free_since |= dict.fromkeys(here, self.now)

    def _bye(self, entry: int) -> None:
        self.hall.bye(entry, self.now)
        self.played.byes += 1
        self.played.ended = self.now

    def _send(self, moment: Moment) -> None:
        entrants = moment.qualifying.entrants
        again = [pair for pair in moment.pairs if pair[1] in entrants[pair[0]].record.met]
        self.played.rematches += [(moment, pair) for pair in again]
        for sent in self.hall.send(moment.pairs, self.now):
            self._begin(sent)

    def _begin(self, sent: Sent) -> None:
        for entry in sent.pair:
            self.games[entry] = self.games.get(entry, 0) + 1
            self.played.waits.append((self.now - self.free_since[entry]) / MINUTE)
        self.turns += 1
        absent = next((entry for entry in sent.pair if self.chance.vanishes(entry, self.games[entry])), None)
        if absent is not None:
            winner = next(entry for entry in sent.pair if entry != absent)
            ending = Ending(self.now + NOT_COME, self.turns, sent, winner, Cause.NO_SHOW)
        else:
            game = self.games[sent.pair[0]]
            length = timedelta(seconds=round(60 * self.chance.minutes(*sent.pair, game)))
            winner = self.chance.winner(*sent.pair, game)
            ending = Ending(self.now + length, self.turns, sent, winner, Cause.PLAYED)
        heappush(self.endings, ending)

    def _end(self, ending: Ending) -> None:
        """Record the result, and remove a side that was absent or goes home although it has games left."""
        self.hall.decide(ending.sent, ending.winner, ending.cause, self.now)
        self.played.ended = self.now
        for entry in ending.sent.pair:
            self.free_since[entry] = self.now
            absent = ending.cause is Cause.NO_SHOW and entry != ending.winner
            leaves = absent or self.chance.leaves(entry, self.games[entry])
            if leaves and self.hall.look(self.now).qualifying[entry].way.is_in_play:
                self.hall.remove(entry, Removal.NO_SHOW if absent else Removal.WITHDRAWN, self.now)
