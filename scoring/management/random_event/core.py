"""The definition of an act, the record of what it led to, and the registry of all acts.

    @forward("sign")
    def sign(play: Play) -> Doing | None:           None: not possible at the moment
        return Doing("Ann", lambda: …)              one service, called as a page calls it

    @aside("cancel-fee")
    @one_of(lambda play: play.seen.entrants)        about one of these, chosen by the dice
    def cancel(play: Play, who: Entrant) -> Doing | None:

An act is first found, together with its object, and then done. A refusal (`DomainError`) is part of play: it is
recorded, and must not have changed anything. Any other exception is a bug.
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


Find = Callable[["Play"], Doing | None]


@dataclass(frozen=True, slots=True)
class Act:
    """A kind of act. `turn` says when it is tried (see `forward` and `aside`), `weight` how often."""

    name: str
    find: Find
    in_state: frozenset[str]
    turn: int
    weight: float


ASIDE: Final = -1
ACTS: Final[dict[str, Act]] = {}


def forward(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), turn: int = 0) -> Callable[[Find], Find]:
    """Register an act that leads the event on. A later turn is tried only if no act of an earlier one is possible."""
    return _register(name, in_state, turn, 1.0)


def aside(name: str, *, in_state: Iterable[str] = (State.IN_PLAY,), weight: float = 1.0) -> Callable[[Find], Find]:
    """Register an act that may happen or not. The dice decide how many of them there are in an event."""
    return _register(name, in_state, ASIDE, weight)


def _register(name: str, in_state: Iterable[str], turn: int, weight: float) -> Callable[[Find], Find]:
    def register(find: Find) -> Find:
        if name in ACTS:
            raise LookupError(f"there are two acts “{name}”")
        ACTS[name] = Act(name, find, frozenset(map(str, in_state)), turn, weight)
        return find

    return register


def one_of(among: Callable[[Play], Iterable[T]]) -> Callable[[Callable[[Play, T], Doing | None]], Find]:
    """Make an act about one of these objects, chosen at random. It is not possible if there are none."""

    def about_one(find: Callable[[Play, T], Doing | None]) -> Find:
        def find_one(play: Play) -> Doing | None:
            one = play.dice.one_of(list(among(play)))
            return None if one is None else find(play, one)

        return find_one

    return about_one
