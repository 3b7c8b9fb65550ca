"""Pair a large field by its core: match only the tight part exactly, and prove that this is enough.

A group is all entries with the same number of wins. Small groups are tight. The core takes all tight entries and some
representatives of each large group. The rest of a large group meets itself by lists, at no cost. The exact matching of
the core, with those lists, gives one pairing of the field.

*The proof.* Make the field easier: give everybody in a large group the group's fewest byes, no earlier opponents, no
shared person and no constraint. No pairing of the true field is better than the best pairing of the easier one. In the
easier field, two pairs between the same two large groups can be changed into a pair within each group, at no cost. So
the entries of a large group that must meet others are never more than the tight entries, the other large groups and a
bye. With that many representatives the core has the same least cost as the whole easier field. If the exact matching
of the easier core costs no less than the pairing found, nothing is better. If it costs less, or the rest cannot be
paired, more groups count as tight, and in the end all of them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pairing.draws.pairs.record_field import CannotPair, Pair, RecordEntry, RecordField
from pairing.draws.pairs.record_lists import pair_group
from pairing.draws.pairs.record_matching import pair_by_matching

SMALL_FIELD: Final = 160
"""Fields up to this size are matched as a whole, which takes no longer than matching a core."""

TIGHT_UP_TO: Final = (8, 24, 72)
"""The sizes up to which a group counts as tight. They are tried in turn."""

Group = list[RecordEntry]


def pair_by_core(field: RecordField, *, small: int = SMALL_FIELD) -> tuple[list[Pair], int | None]:
    """Return the pairs and the bye of the least cost. A field of up to `small` entries is its own core.

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
    """Return the pairs and the bye if they are proved to be the best, or None."""
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
    """Return the representatives of a large group, fewest byes first, and the others, an even number of them."""
    chosen = needed + (len(group) - needed) % 2
    ordered = sorted(group, key=lambda entry: entry.byes)
    return ordered[:chosen], ordered[chosen:]


def _easier(tight: Sequence[RecordEntry], large: Sequence[Group]) -> list[RecordEntry]:
    """Return the core with only the wins and the fewest byes of each large group."""
    among = frozenset(entry.number for entry in tight)
    nobody: frozenset[int] = frozenset()
    free = [
        replace(entry, byes=chosen[0].byes, met=nobody, persons=frozenset()) for chosen in large for entry in chosen
    ]
    return [replace(entry, met=entry.met & among) for entry in tight] + free
