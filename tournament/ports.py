"""Ask the app above for what only it knows, without importing it.

The lower app describes its questions in a `Protocol` and reserves a place for the answer. The upper app fills the
place in `AppConfig.ready` with a function that imports the answer on first use. Commands that ask nothing import
nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse

from tournament.models import Entrant, Event
from tournament.purse import TiedPlaces

T = TypeVar("T")


class Port(Generic[T]):
    """A place for the module that answers a protocol: `stages()` returns it, `stages.answered_by(find)` sets it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._find: Callable[[], T] | None = None

    def answered_by(self, find: Callable[[], T]) -> None:
        self._find = find

    def __call__(self) -> T:
        if self._find is None:
            raise LookupError(f"no app answers for {self._what}: its AppConfig.ready did not say so")
        return self._find()


@dataclass(frozen=True, slots=True)
class OwnNext:
    """The first lines of a player's page: “You play”, the opponents, and the table.

    `about` is the expected start, if it can be estimated.
    """

    title: str
    table: int | None = None
    opponents: str = ""
    text: str = ""
    about: datetime | None = None


class Stages(Protocol):
    """The questions that entries, players' pages and event pages ask about the stages in play."""

    def accepts_late_entries(self, event: Event) -> bool:
        """Return whether an entrant can still join the stage in play."""

    def is_drawn(self, entrant: Entrant) -> bool:
        """Return whether the entrant is in the draw, or was added to a stage after it."""

    def has_played_all(self, entrant: Entrant) -> bool:
        """Return whether the entrant has score cards and all of them are over."""

    def count_in_play(self, event: Event) -> int | None:
        """Return how many entrants can still win the event, or None before the draw."""

    def possible_finishes(self, event: Event) -> Mapping[int, Sequence[TiedPlaces]]:
        """Return the finishes that each entry can still have while a bracket is in play, otherwise an empty mapping."""

    def is_out(self, entrant: Entrant) -> bool:
        """Return whether the entrant was eliminated, or withdrew after the draw."""

    def two_meet(self, event: Event) -> bool:
        """Return whether every match has two sides, so that each entrant has a path through the event."""

    def seat_address(self, entrant: Entrant) -> str:
        """Return the address of the table assignments, or "" if the event is not seated round by round."""

    def load_own_next(self, entrant: Entrant) -> OwnNext | None:
        """Return what the entrant plays next.

        The result is None if nothing is drawn, everything is over, or only the score card shows it.
        """

    def show_event(self, request: HttpRequest, event: Event) -> HttpResponse:
        """Render the page of an event: how to enter, what is being played, or who has won."""


stages: Port[Stages] = Port("stages")


class Sealing(Protocol):
    """The question of the log: a signature over its last row by the key of the installation."""

    def seal_bytes(self, content: bytes) -> tuple[str, str]:
        """Return the installation's signature over the content, and its public key, both as hex digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpperPages:
    """Names of the addresses of an event's pages in an upper app, to which lower apps link.

    `rounds` has the seats of an event in which two sides turn, and `rounds_wall` is its version for the hall.
    `post_round` posts the next round at tables, which also opens the cards.
    """

    desk: str
    match_cards: str
    rounds: str
    rounds_wall: str
    post_round: str


upper_pages: Port[UpperPages] = Port("the pages of the app above")
sealing: Port[Sealing] = Port("the installation's key")
