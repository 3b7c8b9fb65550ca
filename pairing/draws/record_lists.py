"""Pairing by lists: one pass from the most wins down, which reaches the lower bound where the field leaves room.

Nothing here is a promise: whoever asks compares the cost with the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pairing.draws.record_field import Pair, RecordEntry, RecordField

Pairs = list[tuple[RecordEntry, RecordEntry]]


def pair_by_lists(field: RecordField) -> tuple[list[Pair], int | None] | None:
    """The pairs and the bye, or None where a group cannot be paired by exchanging.

    Within a group of equal wins the lots decide. Of an odd group one floats down, and meets the first of the next
    group whom it has not met.
    """
    entries = field.order
    bye = min(entries, key=lambda entry: entry.bye_key) if field.is_odd else None
    playing = sorted((entry for entry in entries if entry is not bye), key=lambda entry: -entry.wins)
    pairs: Pairs = []
    floating: RecordEntry | None = None
    for _, group in groupby(playing, key=lambda entry: entry.wins):
        members = list(group)
        if floating is not None:
            partner = next((entry for entry in members if field.fits(floating, entry)), None)
            if partner is None:
                return None
            members.remove(partner)
            pairs.append((floating, partner))
        floating = members.pop() if len(members) % 2 else None
        paired = pair_group(field, members)
        if paired is None:
            return None
        pairs += paired
    return [(one.number, other.number) for one, other in pairs], None if bye is None else bye.number


def pair_group(field: RecordField, members: Sequence[RecordEntry]) -> Pairs | None:
    """An even number of entries, each with the next that it has not met; who is left exchanges with a pair made before.

    None where there is no such exchange.
    """
    pairs: Pairs = []
    stuck: list[RecordEntry] = []
    rest = list(reversed(members))
    while rest:
        one = rest.pop()
        for index in range(len(rest) - 1, -1, -1):
            if field.fits(one, rest[index]):
                pairs.append((one, rest.pop(index)))
                break
        else:
            stuck.append(one)
    for one, other in zip(stuck[::2], stuck[1::2], strict=True):
        if not _exchange(field, pairs, one, other):
            return None
    return pairs


def _exchange(field: RecordField, pairs: Pairs, one: RecordEntry, other: RecordEntry) -> bool:
    """Make two pairs of one pair and the two who cannot meet."""
    for index, (first, second) in enumerate(pairs):
        for beside_one, beside_other in ((first, second), (second, first)):
            if field.fits(one, beside_one) and field.fits(other, beside_other):
                pairs[index] = (one, beside_one)
                pairs.append((other, beside_other))
                return True
    return False
