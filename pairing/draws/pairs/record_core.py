"""Pairing a large field by its core: the exact matching only of what is tight, and the proof that it is enough.

A group is all entries of the same wins. Small groups are tight; of each large one the core takes some representatives,
and the rest of it meets itself by lists, at no cost. The exact matching of the core is one pairing of the field.

*The proof.* Let everybody in a large group be as good as its best: with nobody met, no person shared, nobody to be
kept apart from, the fewest byes of the group. No pairing of the true field is better than the best of that easier one.
In the easier one two pairs between the same two large groups can change into a pair within each, which costs nothing;
so of a large group no more need to meet others than there are tight entries, other large groups and a bye, and so many
representatives are a field of the same least cost. Where the exact matching of that easier core costs no less than the
pairing found, nothing is better. Where it does, or the rest cannot be paired, more groups count as tight, in the end
all.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pairing.draws.pairs.record_field import CannotPair, Pair, RecordEntry, RecordField
from pairing.draws.pairs.record_lists import pair_group
from pairing.draws.pairs.record_matching import pair_by_matching

SMALL_FIELD: Final = 160
"""Up to so many entries the matching of the whole field takes no longer than that of a core."""

TIGHT_UP_TO: Final = (8, 24, 72)
"""The sizes up to which a group is tight, tried in turn."""

Group = list[RecordEntry]


def pair_by_core(field: RecordField, *, small: int = SMALL_FIELD) -> tuple[list[Pair], int | None]:
    """The pairs and the bye of the least cost; a field up to `small` is its own core.

    Raises:
        CannotPair: too many entries share a person.
    """
    if len(field.order) > small:
        groups = [group for _wins, group in field.groups]
        for tight_up_to in TIGHT_UP_TO:
            found = _pair_core(field, groups, tight_up_to)
            if found is not None:
                return found
    return pair_by_matching(field)


def _pair_core(field: RecordField, groups: Sequence[Group], tight_up_to: int) -> tuple[list[Pair], int | None] | None:
    """The pairs and the bye, if they are proved to be the best."""
    tight = [entry for group in groups if len(group) <= tight_up_to for entry in group]
    large = [group for group in groups if len(group) > tight_up_to]
    split = [_split(group, len(tight) + len(large) + 1) for group in large]
    core = RecordField(tight + [entry for chosen, _ in split for entry in chosen], field.seed, field.constraints)
    if 3 * len(core.order) > 2 * len(field.order):
        return None
    known = field.constraints.among({entry.number for entry in tight})
    easier = RecordField(_easier(tight, [chosen for chosen, _ in split]), field.seed, known)
    rest = [pair_group(field, others) for _, others in split]
    try:
        pairs, bye = pair_by_matching(core)
        bound = easier.cost_of(*pair_by_matching(easier, with_lots=False))
    except CannotPair:
        return None
    if core.cost_of(pairs, bye) != bound or None in rest:
        return None
    return pairs + [pair for paired in rest if paired for pair in paired], bye


def _split(group: Group, needed: int) -> tuple[Group, Group]:
    """The representatives of a large group, those with the fewest byes first, and an even number of others."""
    chosen = needed + (len(group) - needed) % 2
    ordered = sorted(group, key=lambda entry: entry.byes)
    return ordered[:chosen], ordered[chosen:]


def _easier(tight: Sequence[RecordEntry], large: Sequence[Group]) -> list[RecordEntry]:
    """The core with nothing known of the large groups but their wins and the fewest byes of each."""
    among = frozenset(entry.number for entry in tight)
    nobody: frozenset[int] = frozenset()
    free = [
        replace(entry, byes=chosen[0].byes, met=nobody, persons=frozenset()) for chosen in large for entry in chosen
    ]
    return [replace(entry, met=entry.met & among) for entry in tight] + free
