"""Pairing by lists: one pass from the most wins down, which reaches the lower bound where the field leaves room.

What it finds needs no further proof: every pair fits, the first for the bye has it, and of each odd group one floats to
the next, as in the bound.
"""

from collections.abc import Sequence

from pairing.draws.pairs.record_field import Pair, RecordEntry, RecordField


def pair_by_lists(field: RecordField) -> tuple[list[Pair], int | None] | None:
    """The pairs and the bye at the lower bound, or None where a group cannot be paired by exchanging.

    Within a group of equal wins the lots decide. Of an odd group one floats down, and meets the first of the next
    group whom it has not met.
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
    """An even number of entries, each with the next that it has not met; who is left exchanges with a pair made before.

    None where there is no such exchange.
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
    """Make two pairs of one pair and the two who cannot meet."""
    for index, pair in enumerate(pairs):
        first, second = field.of[pair[0]], field.of[pair[1]]
        for beside_one, beside_other in ((first, second), (second, first)):
            if field.fits(one, beside_one) and field.fits(other, beside_other):
                pairs[index] = (one.number, beside_one.number)
                pairs.append((other.number, beside_other.number))
                return True
    return False
