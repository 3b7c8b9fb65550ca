"""Let a lower app call functions of an upper app without importing it.

The lower app defines the functions in a `Protocol` and declares a `Port`. In `AppConfig.ready`, the upper app gives the
port a function that imports the implementing module on first use.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse

from tournament.models import AuditEntry, Entrant, Event
from tournament.purse.prizes import TiedPlaces

_T = TypeVar("_T")


class Port(Generic[_T]):
    """A reference to a protocol's implementation.

    For example, `stage_provider.set_provider(find)` sets the function that returns the implementation, and
    `stage_provider()` calls this function.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._find: Callable[[], _T] | None = None

    def set_provider(self, find: Callable[[], _T]) -> None:
        self._find = find

    def __call__(self) -> _T:
        if self._find is None:
            raise LookupError(f"no app answers for {self._name}: its AppConfig.ready did not say so")
        return self._find()


@dataclass(frozen=True, slots=True)
class NextMatchSummary:
    """A player's next match or current status, for the top of the player's page.

    It has a title such as “You play”. The opponents, the table, and the approximate time are included if known.
    """

    title: str
    table: int | None = None
    opponents: str = ""
    text: str = ""
    about: datetime | None = None


class StageProvider(Protocol):
    """Functions about an event's stages, such as a bracket, that this app needs from the app above it."""

    def accepts_late_entries(self, event: Event) -> bool:
        """Return whether entrants can still join the current stage."""

    def is_in_draw(self, entrant: Entrant) -> bool:
        """Return whether the entrant was drawn, or was added to a stage after the draw."""

    def has_finished_all_matches(self, entrant: Entrant) -> bool:
        """Return whether the entrant has at least one score card, and all of their score cards are finished."""

    def count_entrants_in_play(self, event: Event) -> int | None:
        """Return how many entrants can still win the event, or None before the draw."""

    def load_possible_finishes(self, event: Event) -> Mapping[int, Sequence[TiedPlaces]]:
        """Return the places that each entry can still reach in a bracket, by entry number.

        Without a bracket, return {}.
        """

    def is_eliminated_or_withdrawn(self, entrant: Entrant) -> bool:
        """Return whether the entrant was eliminated, or withdrew after the draw."""

    def has_two_sided_matches(self, event: Event) -> bool:
        """Return whether every match is between two sides. Only then does an entrant's page link to “My path”."""

    def find_seat_assignments_url(self, entrant: Entrant) -> str:
        """Return the URL of the table assignments, or "" if the event does not seat players round by round."""

    def load_next_match_summary(self, entrant: Entrant) -> NextMatchSummary | None:
        """Return the entrant's next match or current status.

        Return None if the event is not in progress, or if the score card has this information.
        """

    def show_event(self, request: HttpRequest, event: Event) -> HttpResponse:
        """Render an event's page: how to enter, what is being played, or who has won."""


stage_provider: Port[StageProvider] = Port("stages")


class LogProvider(Protocol):
    """The functions about the log that this app needs from a higher app."""

    def seal_bytes(self, content: bytes) -> tuple[str, str]:
        """Return the installation's signature on the content, and the public key, both in hexadecimal."""

    def describe_log_details(self, entry: AuditEntry) -> str:
        """Return details that were recorded, such as how a hand ended, or "" if the log row has no further details."""


class ArchiveProvider(Protocol):
    """Functions that backups need for installation files. The app `scoring` provides them.

    An installation file contains all tournaments and accounts in the program's own format.
    """

    def export_for_backup(self, target: Path) -> None:
        """Write an installation file. Raise `Conflict` if there is no tournament."""

    def find_installation_file_fault(self, file: Path) -> str:
        """Return what is wrong with an installation file, or "" if it is intact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HigherAppUrlNames:
    """URL names of an upper app's event pages, which lower apps link to.

    `rounds` shows the table assignments of an event with rotating players, and `rounds_wall` shows them on a wall
    screen. `post_round` publishes the next round's table assignments, which also opens the score cards.
    """

    desk: str
    match_cards: str
    rounds: str
    rounds_wall: str
    post_round: str


higher_app_url_names: Port[HigherAppUrlNames] = Port("the pages of the app above")
log_provider: Port[LogProvider] = Port("the log")
archive_provider: Port[ArchiveProvider] = Port("files of the installation")
