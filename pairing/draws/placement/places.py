"""The places of a bracket, and the moves of entries away from the places they were drawn to.

A bracket for up to 2ᵏ entries has 2ᵏ places from top to bottom. Places 1 and 2 meet in round one, then 3 and 4, and so
on. An entry beside an empty place has a bye. `Places` is the list of entry numbers, with None for an empty place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pairing.draws.order.entries import entry_in_words
from tournament.said import SaidFirst, joined, worded

Places = tuple[int | None, ...]


class MoveReason(StrEnum):
    BYE = "bye"
    AVOID = "avoid"
    CLUB = "club"
    GROUP = "group"
    SAME_PERSON = "same-person"
    CHAIN = "chain"


_BOTH = {
    MoveReason.SAME_PERSON: worded("Both are the same person."),
    MoveReason.CLUB: worded("Both belong to the same club."),
    MoveReason.GROUP: worded("Both come from the same group."),
}


@dataclass(frozen=True, slots=True)
class Move:
    """A move: `entry` changed places with `other`, or `other` is None and it had to stay where it was drawn to.

    `opponent` is the entry it was to be kept apart from. It is None if the move was for a bye, or if several exchanges
    were needed together. `round` is the first round in which the two could meet.
    """

    entry: int
    other: int | None
    reason: MoveReason
    opponent: int | None = None
    round: int = 1

    def as_json(self) -> dict[str, Any]:
        """Return the move as the draw's record stores it.

        >>> Move(9, 4, MoveReason.AVOID, 7).as_json()
        {'entry': 9, 'with': 4, 'reason': 'avoid', 'opponent': 7}
        """
        said = {"entry": self.entry, "with": self.other, "reason": self.reason.value, "opponent": self.opponent}
        return {**said, "round": self.round} if self.round > 1 else said

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Move":
        return cls(
            record["entry"], record["with"], MoveReason(record["reason"]), record["opponent"], record.get("round", 1)
        )

    def __str__(self) -> str:
        """Return the move in words, for the draw's record.

        >>> print(Move(9, 4, MoveReason.AVOID, 7))
        Entry 9 changed places with entry 4, to be kept apart from entry 7 in round one.
        >>> print(Move(9, None, MoveReason.SAME_PERSON, 7))
        Entry 9 stays with entry 7: no exchange keeps everyone apart who should be. Both are the same person.
        """
        if self.reason is MoveReason.BYE:
            return worded("%(first)s changed places with %(other)s, to have the bye.", **self.words)
        if self.reason is MoveReason.CHAIN:
            return worded(
                "%(first)s changed places with %(other)s. Several exchanges together keep everyone "
                "apart who should be.",
                **self.words,
            )
        return self.with_why(self._stayed() if self.other is None else self._moved())

    def with_why(self, sentence: str) -> str:
        """Return the sentence, followed by what the two entries have in common."""
        both = _BOTH.get(self.reason)
        return joined(" ", [sentence, both]) if both else sentence

    @property
    def words(self) -> dict[str, Any]:
        """The values for a sentence about the move, with its entries in words."""
        named = {"other": self.other, "opponent": self.opponent}
        words = {name: None if number is None else entry_in_words(number) for name, number in named.items()}
        return {"first": SaidFirst(entry_in_words(self.entry)), "round": self.round, **words}

    def _stayed(self) -> str:
        if self.round > 1:
            return worded("%(first)s may meet %(opponent)s in round %(round)s: no exchange helps.", **self.words)
        return worded(
            "%(first)s stays with %(opponent)s: no exchange keeps everyone apart who should be.",
            **self.words,
        )

    def _moved(self) -> str:
        if self.round == 1:
            return worded(
                "%(first)s changed places with %(other)s, to be kept apart from %(opponent)s in round one.",
                **self.words,
            )
        return worded(
            "%(first)s changed places with %(other)s, to be kept apart from %(opponent)s in round %(round)s.",
            **self.words,
        )


def neighbour(place: int) -> int:
    """Return the place that this place meets in round one. Places count from 0 here.

    >>> neighbour(0), neighbour(1), neighbour(6)
    (1, 0, 7)
    """
    return place ^ 1


def first_round(places: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of round one, from top to bottom.

    >>> list(first_round((4, None, 2, 9)))
    [(2, 9)]
    """
    for place in range(0, len(places), 2):
        top, bottom = places[place], places[place + 1]
        if top is not None and bottom is not None:
            yield top, bottom


def bye_entries(places: Sequence[int | None]) -> tuple[int, ...]:
    """Return the entries that have a bye, from top to bottom.

    >>> bye_entries((4, None, 2, 9))
    (4,)
    """
    return tuple(entry for place, entry in enumerate(places) if entry is not None and places[neighbour(place)] is None)
