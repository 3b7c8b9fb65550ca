"""Explain each pair that was made by win-loss record.

Every explanation can be proved. Earlier meetings are on record. The pairing algorithm finds the lowest possible cost,
so no other pairing is better. A barrier (from the Tutte–Berge formula) proves that a rematch is unavoidable, and
anybody can check this proof.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from pairing.draws.blossoms import AlternatingForest
from pairing.draws.pairs.record import (
    NO_PAIRING_CONSTRAINTS,
    NO_VIOLATIONS,
    EntryWithRecord,
    Pair,
    PairingByRecord,
    PairingCandidates,
    PairingConstraints,
    ViolatedConstraints,
    find_min_weight_matching,
)
from tournament.lazy_text import join_with_and, lazy_plural, lazy_text

MAX_ENTRIES_FOR_REMATCH_PROOF: Final = 200
"""Up to this many entries, the program searches for a proof that a rematch is unavoidable.

Nobody would check a larger proof by hand.
"""

BYE_NUMBER: Final = 0
"""The number that represents the bye in a rematch proof's `possible_opponents`. Entry numbers begin at 1."""

_Graph = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class UnavoidableRematchProof:
    """A proof that a rematch is unavoidable.

    Each group has an odd number of members. They can get a new opponent only inside their own group or from
    `possible_opponents`, which can include `BYE_NUMBER`. If there are more groups than entries in `possible_opponents`,
    somebody is left without a new opponent.
    """

    groups: tuple[tuple[int, ...], ...]
    possible_opponents: tuple[int, ...]

    @property
    def unmatched_group_count(self) -> int:
        """The number of groups in which one member is left without a new opponent."""
        return len(self.groups) - len(self.possible_opponents)

    @property
    def entries(self) -> frozenset[int]:
        return frozenset(entry for group in self.groups for entry in group)

    def __str__(self) -> str:
        """Return the proof as the end of a sentence that explains why a rematch is unavoidable.

        The text says whom the members of each group have not met yet. Members of one group have not met each other.
        Outside of their groups, the only entries that they have not met are those in `possible_opponents`.

        >>> print(UnavoidableRematchProof(((4,), (7,), (9,)), (2,)))
        entries 4, 7 and 9 could newly meet only entry 2
        >>> print(UnavoidableRematchProof(((1, 2, 3),), ()))
        entries 1, 2 and 3, an odd number, could newly meet only each other
        >>> print(UnavoidableRematchProof(((1, 2, 3), (7,), (8,)), (5,)))
        of the groups (1, 2, 3), (7) and (8), each of an odd number, anybody could newly meet outside only entry 5
        """
        if all(len(group) == 1 for group in self.groups):
            entries = _name_entries(sorted(self.entries))
            if not self.possible_opponents:
                return lazy_text("%(entries)s could newly meet nobody", entries=entries)
            return lazy_text(
                "%(entries)s could newly meet only %(few)s", entries=entries, few=_name_entries(self.possible_opponents)
            )
        if not self.possible_opponents:
            return lazy_text(
                "%(group)s, an odd number, could newly meet only each other", group=_name_entries(self.groups[0])
            )
        groups = join_with_and([f"({', '.join(map(str, group))})" for group in self.groups])
        return lazy_text(
            "of the groups %(groups)s, each of an odd number, anybody could newly meet outside only %(few)s",
            groups=groups,
            few=_name_entries(self.possible_opponents),
        )


def _name_entries(entries: Sequence[int]) -> str:
    numbers = [str(entry) for entry in entries if entry != BYE_NUMBER]
    if not numbers:
        return lazy_text("the bye")
    if BYE_NUMBER in entries:
        return lazy_plural(
            "entry %(entries)s or the bye",
            "entries %(entries)s or the bye",
            len(numbers),
            entries=join_with_and(numbers),
        )
    return lazy_plural("entry %(entries)s", "entries %(entries)s", len(numbers), entries=join_with_and(numbers))


class FloatedPairReason(StrEnum):
    NOBODY_ELSE = "nobody-else"
    MET_ALL = "met-all"
    ODD_GROUP = "odd-group"
    CHEAPEST_OVERALL = "least-in-all"


@dataclass(frozen=True, slots=True)
class PairReason:
    """The reason why two entries were paired. `wins` are their wins, in the order of the pair.

    `float_reason` explains why the entry with more wins got an opponent with fewer. It is None if both have the same
    number of wins. If `is_rematch` is true, the two have met before, and `rematch_proof` may prove that a rematch was
    unavoidable. `violations` counts the director's constraints that the pair breaks. `groups` are the clubs or couples
    that should keep the two apart. If `describe` is set, it returns the whole explanation from a mapping of names.
    """

    pair: Pair
    wins: tuple[int, int]
    float_reason: FloatedPairReason | None = None
    is_rematch: bool = False
    rematch_proof: UnavoidableRematchProof | None = None
    violations: ViolatedConstraints = NO_VIOLATIONS
    groups: tuple[str, ...] = ()
    describe: Callable[[Mapping[int, str]], str] | None = None


@dataclass(frozen=True, slots=True)
class ByeReason:
    """The reason why an entry got the bye: it has the fewest earlier byes, then the fewest wins.

    The entries in `passed_over` were ahead of it, but a bye for one of them would have led to a worse pairing.
    """

    entry: int
    byes: int
    wins: int
    passed_over: tuple[int, ...] = ()


def explain_pairing(
    entries: Iterable[EntryWithRecord],
    paired: PairingByRecord,
    *,
    constraints: PairingConstraints = NO_PAIRING_CONSTRAINTS,
) -> tuple[tuple[PairReason, ...], ByeReason | None]:
    """Return the reason for each pair, in the order of the pairs, and the reason for the bye.

    >>> from pairing.draws.pairs.record import pair_by_record
    >>> field = [EntryWithRecord(number, wins) for number, wins in ((1, 1), (3, 0), (4, 0))]
    >>> field.append(EntryWithRecord(2, wins=1, met=frozenset({1})))
    >>> reasons, _bye = explain_pairing(field, pair_by_record(field, seed="friday"))
    >>> reasons[0].float_reason
    <FloatedPairReason.MET_ALL: 'met-all'>

    Raises:
        KeyError: the pairing contains an entry that is not in `entries`.
    """
    field = PairingCandidates(entries, "", constraints)
    barriers = _find_unavoidable_rematch_proofs(field) if paired.cost.rematches else ()
    both = [(field.by_number[one], field.by_number[other]) for one, other in paired.pairs]
    not_new = sum(field.have_met(*pair) or field.find_violations(*pair).never for pair in both)
    # A barrier proves the rematches only if it accounts for all of them: shared persons can cost more.
    if sum(barrier.unmatched_group_count for barrier in barriers) != 2 * not_new:
        barriers = ()
    odd = _find_odd_win_counts(field, paired)
    reasons = tuple(_explain_pair(field, pair, odd, barriers) for pair in paired.pairs)
    if paired.bye is None:
        return reasons, None
    bye = field.by_number[paired.bye]
    passed_over = sorted(other.number for other in field.order if other.bye_key < bye.bye_key)
    return reasons, ByeReason(bye.number, bye.byes, bye.wins, tuple(passed_over))


def _find_odd_win_counts(field: PairingCandidates, paired: PairingByRecord) -> frozenset[int]:
    """Return the win counts that are shared by an odd number of entries.

    The entry with the bye is not counted, nor are entries that get an opponent with more wins.
    """
    left = Counter(entry.wins for entry in field.order if entry.number != paired.bye)
    for pair in paired.pairs:
        wins = [field.by_number[number].wins for number in pair]
        if wins[0] != wins[1]:
            left[min(wins)] -= 1
    return frozenset(wins for wins, count in left.items() if count % 2)


def _explain_pair(
    field: PairingCandidates, pair: Pair, odd: frozenset[int], barriers: Sequence[UnavoidableRematchProof]
) -> PairReason:
    one, other = field.by_number[pair[0]], field.by_number[pair[1]]
    again = field.have_met(one, other)
    return PairReason(
        pair,
        (one.wins, other.wins),
        float_reason=None
        if one.wins == other.wins
        else _explain_float(field, max(one, other, key=lambda entry: entry.wins), odd),
        is_rematch=again,
        rematch_proof=next((found for found in barriers if again and one.number in found.entries), None),
        violations=field.find_violations(one, other),
        groups=tuple(sorted(field.constraints.find_shared_groups(one.number, other.number))),
    )


def _explain_float(field: PairingCandidates, entry: EntryWithRecord, odd: frozenset[int]) -> FloatedPairReason:
    others = [other for other in dict(field.groups_by_wins)[entry.wins] if other is not entry]
    if not others:
        return FloatedPairReason.NOBODY_ELSE
    if not any(field.is_good_pair(entry, other) for other in others):
        return FloatedPairReason.MET_ALL
    return FloatedPairReason.ODD_GROUP if entry.wins in odd else FloatedPairReason.CHEAPEST_OVERALL


def format_wins(number: int) -> str:
    """Return a number of wins as text, such as “3 wins”.

    >>> print(format_wins(1), format_wins(3))
    1 win 3 wins
    """
    return lazy_plural("%(number)s win", "%(number)s wins", number)


def format_byes(number: int) -> str:
    return lazy_plural("%(number)s bye", "%(number)s byes", number)


# --- Barriers --------------------------------------------------------------------------------------------------------


def _find_unavoidable_rematch_proofs(field: PairingCandidates) -> tuple[UnavoidableRematchProof, ...]:
    """Return proofs that rematches among these entries are unavoidable.

    The result is empty if everybody can meet a new opponent, or if there are too many entries to search.
    """
    count = len(field.order)
    if count < 2 or count > MAX_ENTRIES_FOR_REMATCH_PROOF:
        return ()
    graph = _list_new_opponents(field)
    outer = _find_nodes_unmatched_in_some_matching(graph)
    groups = _find_components(graph, outer)
    around = [frozenset(other for node in group for other in graph[node] if other not in outer) for group in groups]
    numbers = [entry.number for entry in field.order] + [BYE_NUMBER]
    made = []
    linked = [[other for other, few in enumerate(around) if not few.isdisjoint(own)] for own in around]
    for part in _find_components(linked, set(range(len(groups)))):
        few = sorted(numbers[node] for node in frozenset[int]().union(*(around[index] for index in part)))
        named = sorted(tuple(sorted(numbers[node] for node in groups[index])) for index in part)
        made.append(UnavoidableRematchProof(tuple(named), tuple(few)))
    return tuple(sorted((barrier for barrier in made if barrier.unmatched_group_count > 0), key=lambda one: one.groups))


def _list_new_opponents(field: PairingCandidates) -> list[list[int]]:
    """Return the possible new opponents of each entry. Entries are given as indexes in the order of the lots.

    Rematches and pairs that must never meet are excluded. If the number of entries is odd, the bye counts as one more
    entry, which comes last.
    """
    order = field.order
    graph: list[list[int]] = [[] for _ in range(len(order) + field.is_odd)]
    for (one, entry), (other, opponent) in combinations(enumerate(order), 2):
        if field.have_met(entry, opponent) or not entry.persons.isdisjoint(opponent.persons):
            continue
        if not (field.is_constrained and field.find_violations(entry, opponent).never):
            graph[one].append(other)
            graph[other].append(one)
    if field.is_odd:
        for one in range(len(order)):
            graph[one].append(len(order))
            graph[len(order)].append(one)
    return graph


def _find_nodes_unmatched_in_some_matching(graph: _Graph) -> set[int]:
    """Return the nodes that are left over in at least one maximum matching."""
    nodes = range(len(graph))
    edges = [(one, other, 0) for one in nodes for other in graph[one] if one < other]
    beside = {one: other for pair in find_min_weight_matching(len(graph), edges) for one, other in (pair, pair[::-1])}
    forest = AlternatingForest(nodes, [node for node in nodes if node not in beside], graph.__getitem__, beside)
    forest.find_augmenting_path()
    return forest.even_entries


def _find_components(graph: _Graph, nodes: set[int]) -> list[list[int]]:
    left, found = set(nodes), []
    while left:
        group, coming = [], [left.pop()]
        while coming:
            group.append(coming.pop())
            near = [other for other in graph[group[-1]] if other in left]
            left.difference_update(near)
            coming += near
        found.append(group)
    return found
