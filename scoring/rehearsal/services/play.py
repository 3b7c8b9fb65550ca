"""An event in play: its dice, its staff, the state that acts look at, and the registry of all acts.

    @forward("sign")
    def sign(play: Play) -> Act | None:           None: not possible at the moment
        return Act("Ann", lambda: …)              one service, called as a page calls it

    @aside("cancel-fee")
    @one_of(lambda play: play.state.entrants)        about one of these, chosen by the dice
    def cancel(play: Play, who: Entrant) -> Act | None:

An act is first found, together with its object, and then done. A refusal (`DomainError`) is part of play: it is
recorded, and must not have changed anything. Any other exception is a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from pairing.models import Match
from pairing.stages.selectors.course import Course, load_course
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import COUNTING
from scoring.card_state.selectors.cards import cards_with_facts
from scoring.card_state.selectors.players import SeatedMatch, load_ready_meetings
from scoring.card_state.selectors.state import CardState, card_state_of
from scoring.models import StaffEntry
from scoring.rehearsal.selectors.playable import Dice, Playable
from tournament.core.permissions import Actor
from tournament.models import Entrant, Event


@dataclass
class EventState:
    """The state of the event. Each part is loaded when needed, and everything is dropped after an act."""

    event: Event

    @cached_property
    def meetings(self) -> list[SeatedMatch]:
        return load_ready_meetings(self.event)

    @cached_property
    def course(self) -> Course | None:
        course = load_course(self.event)
        return course if course.stages and load_plan(self.event).desk_stages else None

    @cached_property
    def cards(self) -> list[CardState]:
        """All cards that count, in the order in which they were opened."""
        counting = self.event.matches.filter(COUNTING)
        return [card_state_of(card) for card in cards_with_facts().filter(match__in=counting).order_by("pk")]

    @cached_property
    def open_cards(self) -> list[CardState]:
        """The newest card of every match that can be played, if it is not posted."""
        found: list[CardState] = []
        for meeting in self.meetings:
            own = [state for state in self.cards if state.card.match_id == meeting.match.pk]
            own = [state for state in own if state.card.sides_key in (meeting.key or "", "")]
            found += own[-1:]
        return [state for state in found if not state.is_posted]

    @cached_property
    def entrants(self) -> list[Entrant]:
        return list(self.event.entrants.select_related("event__tournament").order_by("number"))

    @cached_property
    def entries_to_confirm(self) -> list[StaffEntry]:
        waiting = StaffEntry.objects.filter(card__match__event=self.event, decided__isnull=True).order_by("pk")
        counting = {state.card.pk for state in self.cards}
        rows = waiting.select_related("card__match__event__tournament", "by")
        return [entry for entry in rows if entry.card_id in counting]

    def has_changed(self, entry: StaffEntry) -> bool:
        """Return whether the card has changed since this entry was typed."""
        return any(state.card.pk == entry.card_id and state.digest != entry.digest for state in self.cards)

    def in_state(self, *states: str) -> list[Entrant]:
        return [entrant for entrant in self.entrants if entrant.state in states]

    @cached_property
    def decided(self) -> list[Match]:
        """Matches with a result that counts, ordered by the time of the result."""
        rows = self.event.matches.filter(COUNTING, results__superseded_by__isnull=True, results__isnull=False)
        return list(rows.select_related("event__tournament").order_by("results__pk").distinct())


@dataclass
class Play:
    """The dice, the staff and the state of an event, for the acts.

    `remaining` counts how often limited things may still happen. `director`, `desk` and `second` are staff. `second`
    is another director, so that every entry can be confirmed.
    """

    playable: Playable
    dice: Dice
    event_pk: int
    director: Actor
    desk: Actor
    second: Actor
    field_size: int
    remaining: dict[str, int] = field(default_factory=dict)
    ways: dict[int, str] = field(default_factory=dict)
    _state: EventState | None = None

    @property
    def state(self) -> EventState:
        if self._state is None:
            self._state = EventState(Event.objects.select_related("tournament").get(pk=self.event_pk))
        return self._state

    @property
    def event(self) -> Event:
        return self.state.event

    def drop_state(self) -> None:
        """Drop the loaded state, because an act may have changed it."""
        self._state = None

    def take(self, name: str, usual: int) -> bool:
        """Use up one of the `usual` number of times that something may happen. Return False if none is left."""
        remaining = self.remaining.setdefault(name, usual)
        self.remaining[name] = max(0, remaining - 1)
        return remaining > 0

    def staff(self) -> Actor:
        """Return one of the staff members who may do everything at the tables."""
        return self.dice.choice((self.director, self.desk, self.second))

    def way_of(self, state: CardState, ways: Iterable[str]) -> str:
        """Return how this card is kept. It is chosen when the card is first seen."""
        if state.card.pk not in self.ways:
            self.ways[state.card.pk] = self.dice.choice(list(ways))
        return self.ways[state.card.pk]

    def reason(self) -> str:
        return self.dice.choice(
            ("as the players say", "seen by the director", "the paper says so", "a slip of the pen")
        )


def about(state: CardState) -> str:
    """Return a card in words for the record of an act."""
    return f"{state.card.match.ident} game {state.card.game}"


# --- Acts, and the record of what they led to ------------------------------------------------------------------------

State = Event.State
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Act:
    """An act that is possible: the words for its object, and the call that does it."""

    about: str
    do: Callable[[], object]


@dataclass(frozen=True, slots=True)
class ActDone:
    """The record of an act, for a watcher. `refused` is the code of the refusal, or None if it was done.

    `number` counts all acts of the event from 1, with refused ones. `event` has its state after the act.
    """

    number: int
    act: str
    about: str
    refused: str | None
    event: Event

    def as_json(self) -> dict[str, Any]:
        return {"act": self.act, "about": self.about, "refused": self.refused}


_Find = Callable[["Play"], Act | None]


@dataclass(frozen=True, slots=True)
class ActKind:
    """A kind of act. `turn` says when it is tried (see `forward` and `aside`), `weight` how often."""

    name: str
    find: _Find
    in_state: frozenset[str]
    turn: int
    weight: float


ASIDE: Final = -1
ACTS: Final[dict[str, ActKind]] = {}


def forward(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), turn: int = 0) -> Callable[[_Find], _Find]:
    """Register an act that leads the event on. A later turn is tried only if no act of an earlier one is possible."""
    return _register(name, in_state, turn, 1.0)


def aside(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), weight: float = 1.0) -> Callable[[_Find], _Find]:
    """Register an act that may happen or not. The dice decide how many of them there are in an event."""
    return _register(name, in_state, ASIDE, weight)


def _register(name: str, in_state: Iterable[str], turn: int, weight: float) -> Callable[[_Find], _Find]:
    def register(find: _Find) -> _Find:
        if name in ACTS:
            raise LookupError(f"there are two acts “{name}”")
        ACTS[name] = ActKind(name, find, frozenset(map(str, in_state)), turn, weight)
        return find

    return register


def one_of(among: Callable[[Play], Iterable[_T]]) -> Callable[[Callable[[Play, _T], Act | None]], _Find]:
    """Make an act about one of these objects, chosen at random. It is not possible if there are none."""

    def about_one(find: Callable[[Play, _T], Act | None]) -> _Find:
        def find_one(play: Play) -> Act | None:
            one = play.dice.one_of(list(among(play)))
            return None if one is None else find(play, one)

        return find_one

    return about_one
