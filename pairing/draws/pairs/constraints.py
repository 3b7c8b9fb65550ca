"""The entries that the director wants kept apart when pairing by record.

Some pairs never meet, some do not meet before a certain round, and clubs or couples are kept apart in chosen rounds.

    PairingRules ──holding──► Constraints, which pairing by record weighs together with what was played

Constraints are met wherever that is possible. Otherwise as few as possible are broken. `record_field` ranks them among
the other costs.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class KeptApart:
    """A club or couple whose entries do not meet in these rounds. If `rounds` is None, that means all rounds."""

    name: str
    entries: frozenset[int]
    rounds: frozenset[int] | None = None


@dataclass(frozen=True)
class Constraints:
    """The constraints of one round: the pairs `(low, high)` of both lists, and the groups of each entry.

    Entries that are not in the field may be named and have no effect.
    """

    never: frozenset[Pair] = frozenset()
    not_yet: frozenset[Pair] = frozenset()
    groups: Mapping[int, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.never or self.not_yet or self.groups)

    @cached_property
    def listed(self) -> Mapping[int, frozenset[int]]:
        """Map each entry to the entries that it should not meet, from either list."""
        found: dict[int, set[int]] = defaultdict(set)
        for one, other in self.never | self.not_yet:
            found[one].add(other)
            found[other].add(one)
        return {entry: frozenset(others) for entry, others in found.items()}

    def shared(self, one: int, other: int) -> frozenset[str]:
        """Return the groups in which both are to be kept apart."""
        return self.groups.get(one, _NONE) & self.groups.get(other, _NONE)

    def among(self, entries: Collection[int]) -> "Constraints":
        """Return only the constraints that concern these entries."""
        return Constraints(
            frozenset(pair for pair in self.never if pair[0] in entries and pair[1] in entries),
            frozenset(pair for pair in self.not_yet if pair[0] in entries and pair[1] in entries),
            {entry: names for entry, names in self.groups.items() if entry in entries},
        )


_NONE: Final[frozenset[str]] = frozenset()
UNCONSTRAINED: Final = Constraints()


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingRules:
    """The director's list: pairs that never meet, pairs with the first round in which they may meet, and groups.

    Raises:
        ValueError: an entry is to be kept apart from itself.
    """

    never: Collection[Pair] = ()
    not_before: Mapping[Pair, int] = field(default_factory=dict)
    apart: Collection[KeptApart] = ()

    def __post_init__(self) -> None:
        if any(one == other for one, other in (*self.never, *self.not_before)):
            raise ValueError("an entry cannot be kept apart from itself")

    def holding(self, rounds: Mapping[int, int]) -> Constraints:
        """Return the constraints for entries that are about to play these rounds.

        At the desk each entry has its own round: its number of games, plus one. Two entries that may not meet before
        round n can meet once both play it. A group is kept apart among its members that play one of its rounds.

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
