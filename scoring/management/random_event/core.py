"""What an act is, what comes of it, and the one list of them.

    @act("withdraw", in_state=(State.IN_PLAY,))
    def withdraw(play: Play) -> Doing | None:      None: not possible now
        return Doing("Ann", lambda: …)              one service, called as a page calls it

    @act("cancel-fee")
    @one_of(lambda play: play.seen.entrants)        about one of them, chosen by the dice; None of nobody
    def cancel(play: Play, who: Entrant) -> Doing | None:

An act is found first, with what it is about, and done then. What it is refused for (`DomainError`) is part of play:
the record of the act says so, and nothing may have changed. Any other exception is a fault of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tournament.models import Event

if TYPE_CHECKING:
    from scoring.management.random_event.play import Play

State = Event.State
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Doing:
    """An act that is possible now: what it is about, and the call that does it."""

    about: str
    do: Callable[[], object]


@dataclass(frozen=True, slots=True)
class ActDone:
    """What came of one act, for anyone who watches. `refused`: the code of the refusal; None: it was done.

    `number` counts all acts of the event, refused ones, too, from 1; `event` is as it stands after the act.
    """

    number: int
    act: str
    about: str
    refused: str | None
    event: Event

    def as_json(self) -> dict[str, Any]:
        """The record of the act, as the command prints it."""
        return {"act": self.act, "about": self.about, "refused": self.refused}


Find = Callable[["Play"], Doing | None]


@dataclass(frozen=True, slots=True)
class Act:
    """A kind of act. `turn` says when it is tried: see `forward` and `aside`. `weight`: how often among its like."""

    name: str
    find: Find
    in_state: frozenset[str]
    turn: int
    weight: float


ASIDE: Final = -1
ACTS: Final[dict[str, Act]] = {}


def forward(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), turn: int = 0) -> Callable[[Find], Find]:
    """An act that leads the event on. Those of a later turn are tried only where none of an earlier one is possible."""
    return _register(name, in_state, turn, 1.0)


def aside(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), weight: float = 1.0) -> Callable[[Find], Find]:
    """An act that may happen or not: there are so many of them in an event as the dice say."""
    return _register(name, in_state, ASIDE, weight)


def _register(name: str, in_state: Iterable[str], turn: int, weight: float) -> Callable[[Find], Find]:
    def register(find: Find) -> Find:
        if name in ACTS:
            raise LookupError(f"there are two acts “{name}”")
        ACTS[name] = Act(name, find, frozenset(map(str, in_state)), turn, weight)
        return find

    return register


def one_of(among: Callable[[Play], Iterable[T]]) -> Callable[[Callable[[Play, T], Doing | None]], Find]:
    """An act about one of those, chosen at random; it is not possible where there is none."""

    def about_one(find: Callable[[Play, T], Doing | None]) -> Find:
        def find_one(play: Play) -> Doing | None:
            one = play.dice.one_of(list(among(play)))
            return None if one is None else find(play, one)

        return find_one

    return about_one
