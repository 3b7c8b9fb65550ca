"""The positions in a bracket (“places”), seeds, promised byes, and moves from one position to another.

The number of positions is a power of two.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from pairing.draws.order import format_entry, require_unique_entries
from tournament.lazy_text import CapitalizedText, join_texts, lazy_text

BracketPlaces = tuple[int | None, ...]


class EntryMoveReason(StrEnum):
    BYE = "bye"
    AVOID = "avoid"
    CLUB = "club"
    GROUP = "group"
    SAME_PERSON = "same-person"
    CHAIN = "chain"


_SHARED_REASON_TEXTS = {
    EntryMoveReason.SAME_PERSON: lazy_text("Both are the same person."),
    EntryMoveReason.CLUB: lazy_text("Both belong to the same club."),
    EntryMoveReason.GROUP: lazy_text("Both come from the same group."),
}


@dataclass(frozen=True, slots=True)
class EntryMove:
    """A change to the drawn order: `entry` changed places with `other`.

    If `other` is None, `entry` had to stay where it was drawn.

    `opponent` is the entry from which `entry` should be kept apart. It is None if the move was for a bye, or if several
    exchanges were needed together. `round` is the first round in which the two could meet.
    """

    entry: int
    other: int | None
    reason: EntryMoveReason
    opponent: int | None = None
    round: int = 1

    def as_json(self) -> dict[str, Any]:
        record = {"entry": self.entry, "with": self.other, "reason": self.reason.value, "opponent": self.opponent}
        return {**record, "round": self.round} if self.round > 1 else record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "EntryMove":
        return cls(
            record["entry"],
            record["with"],
            EntryMoveReason(record["reason"]),
            record["opponent"],
            record.get("round", 1),
        )

    def __str__(self) -> str:
        """Describe the move in a sentence for the draw's record.

        >>> print(EntryMove(9, 4, EntryMoveReason.AVOID, 7))
        Entry 9 changed places with entry 4, to be kept apart from entry 7 in round one.
        >>> print(EntryMove(9, None, EntryMoveReason.SAME_PERSON, 7))
        Entry 9 stays with entry 7: no exchange keeps everyone apart who should be. Both are the same person.
        """
        if self.reason is EntryMoveReason.BYE:
            return lazy_text("%(first)s changed places with %(other)s, to have the bye.", **self.placeholder_values)
        if self.reason is EntryMoveReason.CHAIN:
            return lazy_text(
                "%(first)s changed places with %(other)s. Several exchanges together keep everyone "
                "apart who should be.",
                **self.placeholder_values,
            )
        return self.with_shared_reason(self._describe_stay() if self.other is None else self._describe_exchange())

    def with_shared_reason(self, sentence: str) -> str:
        """Return `sentence`, which describes the move, together with the reason why the two entries are kept apart.

        A second sentence is added only if the two entries share a person, club, or group.
        """
        both = _SHARED_REASON_TEXTS.get(self.reason)
        return join_texts(" ", [sentence, both]) if both else sentence

    @property
    def placeholder_values(self) -> dict[str, Any]:
        """The values for the placeholders in a sentence about the move."""
        named = {"other": self.other, "opponent": self.opponent}
        words = {name: None if number is None else format_entry(number) for name, number in named.items()}
        return {"first": CapitalizedText(format_entry(self.entry)), "round": self.round, **words}

    def _describe_stay(self) -> str:
        if self.round > 1:
            return lazy_text(
                "%(first)s may meet %(opponent)s in round %(round)s: no exchange helps.", **self.placeholder_values
            )
        return lazy_text(
            "%(first)s stays with %(opponent)s: no exchange keeps everyone apart who should be.",
            **self.placeholder_values,
        )

    def _describe_exchange(self) -> str:
        if self.round == 1:
            return lazy_text(
                "%(first)s changed places with %(other)s, to be kept apart from %(opponent)s in round one.",
                **self.placeholder_values,
            )
        return lazy_text(
            "%(first)s changed places with %(other)s, to be kept apart from %(opponent)s in round %(round)s.",
            **self.placeholder_values,
        )


def compute_first_opponent_place(place: int) -> int:
    """Return the position of the first-round opponent. Positions count from 0 here.

    >>> compute_first_opponent_place(0), compute_first_opponent_place(1), compute_first_opponent_place(6)
    (1, 0, 7)
    """
    return place ^ 1


def iter_first_round_pairs(places: Sequence[int | None]) -> Iterator[tuple[int, int]]:
    """Yield the first-round pairs from top to bottom.

    >>> list(iter_first_round_pairs((4, None, 2, 9)))
    [(2, 9)]
    """
    for place in range(0, len(places), 2):
        top, bottom = places[place], places[place + 1]
        if top is not None and bottom is not None:
            yield top, bottom


def find_entries_with_bye(places: Sequence[int | None]) -> tuple[int, ...]:
    """Return the entries that have a first-round bye, from top to bottom.

    >>> find_entries_with_bye((4, None, 2, 9))
    (4,)
    """
    return tuple(
        entry
        for place, entry in enumerate(places)
        if entry is not None and places[compute_first_opponent_place(place)] is None
    )


# --- Seeds -----------------------------------------------------------------------------------------------------------
# Ranks are assigned to places so that the best meet as late as possible and byes are spread.


def compute_bracket_size(entries: int) -> int:
    """Return the number of positions in a bracket with this many entries, which is the next power of two.

    >>> [compute_bracket_size(n) for n in (2, 3, 4, 5, 64, 65)]
    [2, 4, 4, 8, 64, 128]

    Raises:
        ValueError: there are fewer than two entries.
    """
    if entries < 2:
        raise ValueError("a bracket needs at least two entries")
    return 1 << (entries - 1).bit_length()


@lru_cache(maxsize=16)
def compute_ranks_by_position(size: int) -> tuple[int, ...]:
    """Return the rank that belongs at each position, from top to bottom. `size` is a power of two.

    >>> compute_ranks_by_position(8)
    (1, 8, 5, 4, 3, 6, 7, 2)
    """
    ranks = [1]
    while len(ranks) < size:
        both = 2 * len(ranks) + 1
        ranks = [
            rank
            for place, held in enumerate(ranks)
            for rank in ((held, both - held) if place % 2 == 0 else (both - held, held))
        ]
    return tuple(ranks)


def place_seeds(ranked: Sequence[int]) -> BracketPlaces:
    """Put ranked entries at the positions of their ranks, so that ranks 1 and 2 can meet only in the final.

    >>> place_seeds([11, 12, 13, 14, 15])
    (11, None, 15, 14, 13, None, None, 12)

    Raises:
        ValueError: there are fewer than two entries, or one occurs twice.
    """
    require_unique_entries(ranked)
    return tuple(
        ranked[rank - 1] if rank <= len(ranked) else None
        for rank in compute_ranks_by_position(compute_bracket_size(len(ranked)))
    )
