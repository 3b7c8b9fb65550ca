"""What a lower app asks of the one above it, which it cannot import.

The lower app says in a `Protocol` what it asks, and keeps a place for the answer. The upper app fills that place in
`AppConfig.ready`, with a function that finds the answer when it is first asked: commands that ask nothing load nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse

from tournament.models import Entrant, Event
from tournament.purse import TiedPlaces

T = TypeVar("T")


class Above(Generic[T]):
    """`stages()` is what answers; `stages.answered_by(find)` says how it is found."""

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
    """What a player reads first of all: “You play”, whom, and where; `about` is when, as far as that can be said."""

    title: str
    table: int | None = None
    opponents: str = ""
    text: str = ""
    about: datetime | None = None


class Stages(Protocol):
    """What entries, the pages of players and the page of an event ask of the stages that are played."""

    def takes_late_entries(self, event: Event) -> bool:
        """Whether somebody can still join what is played now."""

    def is_drawn(self, entrant: Entrant) -> bool:
        """Whether it is in the draw, or was added to what is played."""

    def has_played_all(self, entrant: Entrant) -> bool:
        """Whether it has score cards, and every one of them is over."""

    def count_in_play(self, event: Event) -> int | None:
        """How many can still come first; None: nothing is drawn."""

    def possible_finishes(self, event: Event) -> Mapping[int, Sequence[TiedPlaces]]:
        """Return the finishes that each entry can still have while a bracket is in play; else nothing."""

    def is_out(self, entrant: Entrant) -> bool:
        """Whether it plays no more, because it was eliminated or withdrawn after the draw."""

    def two_meet(self, event: Event) -> bool:
        """Whether two play each match, so that everybody has a path through the event."""

    def seat_address(self, entrant: Entrant) -> str:
        """The page on which they find their table, where everybody is seated anew each round; else empty."""

    def load_own_next(self, entrant: Entrant) -> OwnNext | None:
        """What they play now or next; None: nothing is drawn, all is over, or only their card says it."""

    def show_event(self, request: HttpRequest, event: Event) -> HttpResponse:
        """The page of an event as it stands: how to enter, what is on now, or who has won."""


stages: Above[Stages] = Above("stages")


class Sealing(Protocol):
    """The log asks the installation to sign its end."""

    def seal_bytes(self, content: bytes) -> tuple[str, str]:
        """Return the installation's signature over the content, and the public half of its key, as hex digits."""


sealing: Above[Sealing] = Above("the installation's key")
