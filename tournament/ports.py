"""Ask the app above what only that app knows, without importing it.

The lower app describes its questions in a `Protocol` and declares a `Port`. In `AppConfig.ready`, the upper app gives
the port a function that imports the answering module on first use.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse

from tournament.models import Entrant, Event
from tournament.purse.prizes import TiedPlaces

T = TypeVar("T")


class Port(Generic[T]):
    """A place for the module that answers a protocol. `stages.answered_by(find)` sets it, and `stages()` returns it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._find: Callable[[], T] | None = None

    def answered_by(self, find: Callable[[], T]) -> None:
        self._find = find

    def __call__(self) -> T:
        if self._find is None:
            raise LookupError(f"no app answers for {self._name}: its AppConfig.ready did not say so")
        return self._find()


@dataclass(frozen=True, slots=True)
class OwnNext:
    """The first lines of a player's page: “You play”, the opponents, the table, and about when it starts."""

    title: str
    table: int | None = None
    opponents: str = ""
    text: str = ""
    about: datetime | None = None


class Stages(Protocol):
    """Questions about the stages in play, for entries, players' pages, and event pages."""

    def accepts_late_entries(self, event: Event) -> bool:
        """Return whether an entrant can still join the stage in play."""

    def is_drawn(self, entrant: Entrant) -> bool:
        """Return whether the entrant is in the draw, or was added to a stage after it."""

    def has_played_all(self, entrant: Entrant) -> bool:
        """Return whether the entrant has score cards and all of them are over."""

    def count_in_play(self, event: Event) -> int | None:
        """Return how many entrants can still win the event, or None before the draw."""

    def possible_finishes(self, event: Event) -> Mapping[int, Sequence[TiedPlaces]]:
        """Return the places that each entry can still reach in a bracket, by entry number, or {} without a bracket."""

    def is_out(self, entrant: Entrant) -> bool:
        """Return whether the entrant was eliminated, or withdrew after the draw."""

    def has_two_sided_matches(self, event: Event) -> bool:
        """Return whether every match has two sides, so that each entrant has a path through the event."""

    def seat_url(self, entrant: Entrant) -> str:
        """Return the URL of the table assignments, or "" if the event is not seated round by round."""

    def load_own_next(self, entrant: Entrant) -> OwnNext | None:
        """Return what the entrant plays next, or None if nothing is left or only the score card shows it."""

    def show_event(self, request: HttpRequest, event: Event) -> HttpResponse:
        """Render the page of an event: how to enter, what is being played, or who has won."""


stages: Port[Stages] = Port("stages")


class Sealing(Protocol):
    """The question about the log: a signature over its last row with the installation's key."""

    def seal_bytes(self, content: bytes) -> tuple[str, str]:
        """Return the installation's signature over the content, and the public key, both as hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpperPages:
    """URL names of an event's pages in an upper app, to which lower apps link.

    `rounds` shows the seats of an event with rotating sides, and `rounds_wall` shows them in the hall. `post_round`
    posts the next round at tables, which also opens the score cards.
    """

    desk: str
    match_cards: str
    rounds: str
    rounds_wall: str
    post_round: str


upper_pages: Port[UpperPages] = Port("the pages of the app above")
sealing: Port[Sealing] = Port("the installation's key")
