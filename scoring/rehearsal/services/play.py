"""The state of an event played at random, and the registry of all random actions.

    @register_main_action("sign")
    def sign(play: RehearsalContext) -> RehearsalAction | None:  # None if nobody can sign now
        return RehearsalAction("Ann", lambda: …)  # calls one service, as a page does

    @register_side_action("cancel-fee")
    @act_on_random_item(lambda play: play.state.entrants)  # a random entrant
    def cancel(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:

An action is first proposed and then carried out. If the service raises a `DomainError`, the action counts as rejected,
and must not have changed anything. Any other exception is a bug.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

from pairing.models import Match
from pairing.stages.selectors.course import EventStages, load_event_stages
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches
from scoring.card_state.selectors.state import CardState, make_card_state
from scoring.models import StaffEntry
from scoring.rehearsal.selectors.playable import PlayableCombination, RehearsalRandomizer
from tournament.core.permissions import Actor
from tournament.models import Entrant, Event


@dataclass
class RehearsalEventSnapshot:
    """The event's current state. Each part is loaded on first use, and discarded after every action."""

    event: Event

    @cached_property
    def meetings(self) -> list[SeatedMatch]:
        return load_ready_seated_matches(self.event)

    @cached_property
    def course(self) -> EventStages | None:
        course = load_event_stages(self.event)
        return course if course.stages and load_event_plan(self.event).desk_stages else None

    @cached_property
    def cards(self) -> list[CardState]:
        """All score cards of valid matches, in the order in which they were opened."""
        counting = self.event.matches.filter(VALID_MATCH_FILTER)
        return [make_card_state(card) for card in select_cards_with_facts().filter(match__in=counting).order_by("pk")]

    @cached_property
    def open_cards(self) -> list[CardState]:
        """The newest card of each match that can be played, unless the card is posted (final)."""
        found: list[CardState] = []
        for meeting in self.meetings:
            own = [state for state in self.cards if state.card.match_id == meeting.match.pk]
            own = [state for state in own if state.card.sides_key in (meeting.cards_key or "", "")]
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

    def has_card_changed(self, entry: StaffEntry) -> bool:
        """Return whether the card has changed since this entry was typed."""
        return any(state.card.pk == entry.card_id and state.digest != entry.digest for state in self.cards)

    def filter_entrants(self, *states: str) -> list[Entrant]:
        return [entrant for entrant in self.entrants if entrant.state in states]

    @cached_property
    def decided_matches(self) -> list[Match]:
        """Matches with a valid result, ordered by the time of the result."""
        rows = self.event.matches.filter(VALID_MATCH_FILTER, results__superseded_by__isnull=True, results__isnull=False)
        return list(rows.select_related("event__tournament").order_by("results__pk").distinct())


@dataclass
class RehearsalContext:
    """The event's current state, the random generator (“dice”), and the staff, for use by random actions.

    `remaining` counts how often each limited action may still happen. `second` is a second director, who can confirm
    entries by `director` and `desk`.
    """

    playable: PlayableCombination
    dice: RehearsalRandomizer
    event_pk: int
    director: Actor
    desk: Actor
    second: Actor
    field_size: int
    remaining: dict[str, int] = field(default_factory=dict)
    scoring_methods: dict[int, str] = field(default_factory=dict)
    _loaded_state: RehearsalEventSnapshot | None = None

    @property
    def state(self) -> RehearsalEventSnapshot:
        if self._loaded_state is None:
            self._loaded_state = RehearsalEventSnapshot(
                Event.objects.select_related("tournament").get(pk=self.event_pk)
            )
        return self._loaded_state

    @property
    def event(self) -> Event:
        return self.state.event

    def discard_state(self) -> None:
        """Discard the loaded state, because an action may have changed it."""
        self._loaded_state = None

    def use_up_allowance(self, name: str, usual: int) -> bool:
        """Return whether an action may still happen, and lower its count in `remaining` by one.

        The count starts at `usual` if `remaining` does not contain the action yet. It never falls below 0.
        """
        remaining = self.remaining.setdefault(name, usual)
        self.remaining[name] = max(0, remaining - 1)
        return remaining > 0

    def choose_staff_actor(self) -> Actor:
        """Return a random staff member."""
        return self.dice.choice((self.director, self.desk, self.second))

    def choose_scoring_method(self, state: CardState, ways: Iterable[str]) -> str:
        """Return how scores are recorded on this card, such as on phones or on paper.

        The first call for a card chooses one of `ways` at random. Later calls return the same one.
        """
        if state.card.pk not in self.scoring_methods:
            self.scoring_methods[state.card.pk] = self.dice.choice(list(ways))
        return self.scoring_methods[state.card.pk]

    def choose_reason(self) -> str:
        return self.dice.choice(
            ("as the players say", "seen by the director", "the paper says so", "a slip of the pen")
        )


def describe_card_for_log(state: CardState) -> str:
    """Return a short description of a card for the log of actions."""
    return f"{state.card.match.ident} game {state.card.game}"


# --- Acts, and the record of what they led to ------------------------------------------------------------------------

EventState = Event.State
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class RehearsalAction:
    """A proposed action. `about` names the person or thing that it concerns, and `do` carries the action out."""

    about: str
    do: Callable[[], object]


@dataclass(frozen=True, slots=True)
class ActionRecord:
    """The record of an action. `refused` is the error code, or None if the action succeeded.

    `number` counts all of the event's actions from 1, including rejected ones.
    """

    number: int
    act: str
    about: str
    refused: str | None
    event: Event

    def as_json(self) -> dict[str, Any]:
        return {"act": self.act, "about": self.about, "refused": self.refused}


_ProposeFunction = Callable[["RehearsalContext"], RehearsalAction | None]


@dataclass(frozen=True, slots=True)
class RehearsalActionKind:
    """A kind of random action, such as paying a fee.

    `turn` is its rank among main actions (see `register_main_action`). Side actions with a higher `weight` are more
    likely to be tried.
    """

    name: str
    find: _ProposeFunction
    in_state: frozenset[str]
    turn: int
    weight: float


SIDE_ACTION_TURN: Final = -1
ACTION_KINDS: Final[dict[str, RehearsalActionKind]] = {}


def register_main_action(
    name: str, *, in_state: Iterable[str] = (EventState.IN_PLAY,), turn: int = 0
) -> Callable[[_ProposeFunction], _ProposeFunction]:
    """Register an action that brings the event closer to its end.

    Actions with a higher `turn` are tried only if no action with a lower one is possible.
    """
    return _register_action(name, in_state, turn, 1.0)


def register_side_action(
    name: str, *, in_state: Iterable[str] = (EventState.IN_PLAY,), weight: float = 1.0
) -> Callable[[_ProposeFunction], _ProposeFunction]:
    """Register an optional action. How many of them happen in an event is random."""
    return _register_action(name, in_state, SIDE_ACTION_TURN, weight)


def _register_action(
    name: str, in_state: Iterable[str], turn: int, weight: float
) -> Callable[[_ProposeFunction], _ProposeFunction]:
    def register(find: _ProposeFunction) -> _ProposeFunction:
        if name in ACTION_KINDS:
            raise LookupError(f"there are two acts “{name}”")
        ACTION_KINDS[name] = RehearsalActionKind(name, find, frozenset(map(str, in_state)), turn, weight)
        return find

    return register


def act_on_random_item(
    among: Callable[[RehearsalContext], Iterable[_T]],
) -> Callable[[Callable[[RehearsalContext, _T], RehearsalAction | None]], _ProposeFunction]:
    """Return a decorator that passes a random object from `among` to the action.

    If there are no objects, the action is not possible.
    """

    def about_one(find: Callable[[RehearsalContext, _T], RehearsalAction | None]) -> _ProposeFunction:
        def find_one(play: RehearsalContext) -> RehearsalAction | None:
            one = play.dice.pick_one(list(among(play)))
            return None if one is None else find(play, one)

        return find_one

    return about_one
