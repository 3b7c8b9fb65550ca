"""Pair by lists in one pass from the most wins down. The result reaches the lower bound if the field leaves room.

A pairing found here needs no further proof: every pair fits, and the first entry for the bye has it. From each odd
group one entry floats to the next group, as in the bound.
"""

from collections.abc import Sequence

from pairing.draws.pairs.record_field import Pair, RecordEntry, RecordField


def pair_by_lists(field: RecordField) -> tuple[list[Pair], int | None] | None:
    """Return the pairs and the bye at the lower bound, or None if a group cannot be paired by exchanging.

    Within a group of equal wins the lots decide. From an odd group one entry floats down and meets the first entry of
    the next group that fits.
    """
    bye = field.first_for_bye
    pairs: list[Pair] = []
    floating: RecordEntry | None = None
    for wins, group in field.groups:
        members = [entry for entry in group if entry is not bye] if bye is not None and bye.wins == wins else group[:]
        if floating is not None and members:
            partner = next((entry for entry in members if field.fits(floating, entry)), None)
            if partner is None:
                return None
            members.remove(partner)
            pairs.append((floating.number, partner.number))
            floating = None
        if len(members) % 2:
            floating = members.pop()
        paired = pair_group(field, members)
        if paired is None:
            return None
        pairs += paired
    return pairs, None if bye is None else bye.number


def pair_group(field: RecordField, members: Sequence[RecordEntry]) -> list[Pair] | None:
    """Pair an even number of entries, each with the next one that fits. Return None if that is impossible.

    Entries that find nobody exchange with a pair made before.
    """
    fits = field.fits
    pairs: list[Pair] = []
    stuck: list[RecordEntry] = []
    rest = list(reversed(members))
    while rest:
        one = rest.pop()
        if rest and fits(one, rest[-1]):
            pairs.append((one.number, rest.pop().number))
            continue
        index = next((index for index in range(len(rest) - 2, -1, -1) if fits(one, rest[index])), None)
        if index is None:
            stuck.append(one)
        else:
            pairs.append((one.number, rest.pop(index).number))
    for one, other in zip(stuck[::2], stuck[1::2], strict=True):
        if not _exchange(field, pairs, one, other):
            return None
    return pairs


def _exchange(field: RecordField, pairs: list[Pair], one: RecordEntry, other: RecordEntry) -> bool:
    """Make two pairs out of one pair and the two entries that do not fit. Return whether that was possible."""
    for index, pair in enumerate(pairs):
        first, second = field.of[pair[0]], field.of[pair[1]]
        for beside_one, beside_other in ((first, second), (second, first)):
            if field.fits(one, beside_one) and field.fits(other, beside_other):
                pairs[index] = (one.number, beside_one.number)
                pairs.append((other.number, beside_other.number))
                return True
    return False
