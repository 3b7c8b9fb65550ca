"""Whom the director wants kept apart when pairing by record: never, not before a round, and clubs or couples in some.

    PairingRules ──holding──► Constraints, which pairing by record weighs together with what was played

A constraint is honoured exactly where that is possible, and where it is not as few are broken as can be. Their places
among what is least stand in `record_field`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A club, a couple: its entries do not meet in these rounds; None is in all of them."""

    name: str
    entries: frozenset[int]
    rounds: frozenset[int] | None = None


@dataclass(frozen=True)
class Constraints:
    """What holds in one round: pairs `(low, high)` of the two lists, and the groups in which an entry is kept apart.

    Entries that are not in the field may be named; they change nothing.
    """

    never: frozenset[Pair] = frozenset()
    not_yet: frozenset[Pair] = frozenset()
    groups: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.never or self.not_yet or self.groups)

    @cached_property
    def listed(self) -> Mapping[int, frozenset[int]]:
        """Of each entry those whom it shall not meet, by either list."""
        found: dict[int, set[int]] = defaultdict(set)
        for one, other in self.never | self.not_yet:
            found[one].add(other)
            found[other].add(one)
        return {entry: frozenset(others) for entry, others in found.items()}

    def shared(self, one: int, other: int) -> frozenset[str]:
        """The groups in which both are to be kept apart."""
        return self.groups.get(one, _NONE) & self.groups.get(other, _NONE)

    def among(self, entries: Collection[int]) -> "Constraints":
        """What of it is about these entries only."""
        return Constraints(
            frozenset(pair for pair in self.never if pair[0] in entries and pair[1] in entries),
            frozenset(pair for pair in self.not_yet if pair[0] in entries and pair[1] in entries),
            {entry: names for entry, names in self.groups.items() if entry in entries},
        )


_NONE: Final[frozenset[str]] = frozenset()
UNCONSTRAINED: Final = Constraints()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules:
    """The director's list: pairs that never meet, pairs with the first round in which they may, and groups.

    Raises:
        ValueError: an entry to be kept apart from itself.
    """

    never: Collection[Pair] = ()
    not_before: Mapping[Pair, int] = field(default_factory=dict)
    apart: Collection[KeptApart] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.never, *self.not_before)):
            raise ValueError("an entry cannot be kept apart from itself")

    def holding(self, rounds: Mapping[int, int]) -> Constraints:
        """What holds for entries about to play these rounds; at the desk each has its own: its games and one.

        Two who may not meet before round n meet when both play it; a group is kept apart between those of it who
        play one of its rounds.

        >>> rules = PairingRules(never=[(4, 1)], not_before={(1, 2): 3}, apart=[KeptApart("Indio", frozenset({1, 4}))])
        >>> now = rules.holding({1: 3, 2: 2, 4: 3})
        >>> now.never, now.not_yet, now.shared(1, 4)
        (frozenset({(1, 4)}), frozenset({(1, 2)}), frozenset({'Indio'}))
        """
        groups: dict[int, set[str]] = defaultdict(set)
        for group in self.apart:
            for entry in group.entries & rounds.keys():
                if group.rounds is None or rounds[entry] in group.rounds:
                    groups[entry].add(group.name)
        early = (
            pair
            for pair, first in self.not_before.items()
            if rounds.keys() >= set(pair) and min(rounds[entry] for entry in pair) < first
        )
        return Constraints(
            _sorted(self.never), _sorted(early), {entry: frozenset(names) for entry, names in groups.items()}
        )


def _sorted(pairs: Iterable[Pair]) -> frozenset[Pair]:
    return frozenset((min(pair), max(pair)) for pair in pairs)
