"""Explain each pair of a pairing by record, as plain values and as a sentence.

Every statement is true of this field. Earlier meetings are looked up, and the exact pairing has proved that nothing
better exists.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pairing.draws.order.entries import entry_in_words
from pairing.draws.pairs.constraints import UNCONSTRAINED, Constraints
from pairing.draws.pairs.record_barrier import Barrier, find_barriers
from pairing.draws.pairs.record_field import (
    UNBROKEN,
    Pair,
    RecordEntry,
    RecordField,
    RecordPairing,
    ViolatedConstraints,
)
from tournament.said import joined, listed, worded, worded_plural


class FloatReason(StrEnum):
    NOBODY_ELSE = "nobody-else"
    MET_ALL = "met-all"
    ODD_GROUP = "odd-group"
    LEAST_IN_ALL = "least-in-all"


@dataclass(frozen=True, slots=True)
class Float:
    """An entry with `wins` wins that meets an opponent with fewer."""

    entry: int
    wins: int
    because: FloatReason

    def __str__(self) -> str:
        """Return the float as a clause of a sentence.

        >>> print(Float(7, 3, FloatReason.ODD_GROUP))
        entry 7 floated down, because an odd number with 3 wins was to be paired
        """
        wins = in_wins(self.wins)
        why = {
            FloatReason.NOBODY_ELSE: worded("nobody else has %(wins)s", wins=wins),
            FloatReason.MET_ALL: worded("it cannot newly meet anybody else with %(wins)s", wins=wins),
            FloatReason.ODD_GROUP: worded("an odd number with %(wins)s was to be paired", wins=wins),
            FloatReason.LEAST_IN_ALL: worded("no pairing of the whole field costs less"),
        }
        return worded(
            "%(entry)s floated down, because %(why)s", entry=entry_in_words(self.entry), why=why[self.because]
        )


@dataclass(frozen=True, slots=True)
class PairReason:
    """The reason why these two meet.

    `wins` holds their wins, in the order of the pair. `floated` is None if those are equal.

    If `again` is true, they have met before. `barrier` then proves that somebody must meet again, if a barrier was
    found. `broken` counts the director's constraints that the pair breaks. `groups` names the groups in which both
    were to be kept apart. `told`, called with the names, returns the whole reason if it is of another kind.
    """

    pair: Pair
    wins: tuple[int, int]
    floated: Float | None = None
    again: bool = False
    barrier: Barrier | None = None
    broken: ViolatedConstraints = UNBROKEN
    groups: tuple[str, ...] = ()
    told: Callable[[Mapping[int, str]], str] | None = None

    def __str__(self) -> str:
        """Return the reason in sentences.

        >>> print(PairReason((4, 9), (3, 3)))
        Same record: 3 wins each.
        >>> print(PairReason((4, 9), (3, 3), again=True, barrier=Barrier(((4,), (7,), (9,)), (2,))))
        Same record: 3 wins each. Rematch unavoidable, because entries 4, 7 and 9 could newly meet only entry 2.
        """
        again = [self._rematch()] if self.again else []
        return joined(" ", [self._record(), *again, *self._not_kept()])

    def _record(self) -> str:
        high, low = max(self.wins), min(self.wins)
        if self.floated is None:
            return worded("Same record: %(high)s each.", high=in_wins(high))
        return worded("%(high)s to %(low)s: %(why)s.", high=in_wins(high), low=low, why=self.floated)

    def _rematch(self) -> str:
        if self.barrier is None:
            return worded("Rematch unavoidable, because every pairing of this field has as many.")
        return worded("Rematch unavoidable, because %(barrier)s.", barrier=self.barrier)

    def _not_kept(self) -> Iterable[str]:
        fewest = worded("every other pairing breaks more that comes first, or as much")
        if self.broken.never:
            yield worded("They should never meet; that could not be kept, because %(fewest)s.", fewest=fewest)
        if self.broken.not_yet:
            yield worded("They should not meet yet; that could not be kept, because %(fewest)s.", fewest=fewest)
        if self.broken.apart:
            yield worded(
                "Both are of %(groups)s; they could not be kept apart, because %(fewest)s.",
                groups=listed(self.groups),
                fewest=fewest,
            )


@dataclass(frozen=True, slots=True)
class ByeReason:
    """The reason why this entry has the bye: the fewest earlier byes, then the fewest wins.

    A bye for any entry in `rather_than`, whose turn came first, would break more of the costs that outrank it.
    """

    entry: int
    byes: int
    wins: int
    rather_than: tuple[int, ...] = ()

    def __str__(self) -> str:
        """Return the reason as a sentence.

        >>> print(ByeReason(7, 0, 1))
        Bye by the fewest byes (0), and of those the fewest wins (1); equals by lot.
        """
        if not self.rather_than:
            return worded(
                "Bye by the fewest byes (%(byes)s), and of those the fewest wins (%(wins)s); equals by lot.",
                byes=self.byes,
                wins=self.wins,
            )
        others = ", ".join(map(str, self.rather_than))
        return worded(
            "Bye with %(byes)s before and %(wins)s: one for %(others)s, whose turn was before, would "
            "break more of what comes first.",
            byes=in_byes(self.byes),
            wins=in_wins(self.wins),
            others=others,
        )


@dataclass(frozen=True, slots=True)
class Reasons:
    """The reasons for all pairs, in the order of the pairs, and for the bye."""

    pairs: tuple[PairReason, ...]
    bye: ByeReason | None = None


def explain_pairing(
    entries: Iterable[RecordEntry], paired: RecordPairing, *, constraints: Constraints = UNCONSTRAINED
) -> Reasons:
    """Explain a pairing that was made for these entries and constraints.

    >>> from pairing.draws.pairs.record import pair_by_record
    >>> field = [RecordEntry(number, wins) for number, wins in ((1, 1), (3, 0), (4, 0))]
    >>> field.append(RecordEntry(2, wins=1, met=frozenset({1})))
    >>> print(explain_pairing(field, pair_by_record(field, seed="friday")).pairs[0])
    1 win to 0: entry 1 floated down, because it cannot newly meet anybody else with 1 win.

    Raises:
        KeyError: the pairing is of other entries.
    """
    field = RecordField(entries, "", constraints)
    barriers = find_barriers(field) if paired.cost.rematches else ()
    both = [(field.of[one], field.of[other]) for one, other in paired.pairs]
    not_new = sum(field.have_met(*pair) or field.broken_by(*pair).never for pair in both)
    # A barrier proves the rematches only if it accounts for all of them: shared persons can cost more.
    if sum(barrier.left_over for barrier in barriers) != 2 * not_new:
        barriers = ()
    odd = _odd_groups(field, paired)
    reasons = tuple(_pair_reason(field, pair, odd, barriers) for pair in paired.pairs)
    return Reasons(reasons, None if paired.bye is None else _bye_reason(field, field.of[paired.bye]))


def _odd_groups(field: RecordField, paired: RecordPairing) -> frozenset[int]:
    """Return the numbers of wins whose group is odd, without the bye and the entries that float into it."""
    left = Counter(entry.wins for entry in field.order if entry.number != paired.bye)
    for pair in paired.pairs:
        wins = [field.of[number].wins for number in pair]
        if wins[0] != wins[1]:
            left[min(wins)] -= 1
    return frozenset(wins for wins, count in left.items() if count % 2)


def _pair_reason(field: RecordField, pair: Pair, odd: frozenset[int], barriers: Sequence[Barrier]) -> PairReason:
    one, other = field.of[pair[0]], field.of[pair[1]]
    again = field.have_met(one, other)
    return PairReason(
        pair,
        (one.wins, other.wins),
        floated=None if one.wins == other.wins else _float(field, max(one, other, key=lambda entry: entry.wins), odd),
        again=again,
        barrier=next((found for found in barriers if again and one.number in found.entries), None),
        broken=field.broken_by(one, other),
        groups=tuple(sorted(field.constraints.shared(one.number, other.number))),
    )


def _float(field: RecordField, entry: RecordEntry, odd: frozenset[int]) -> Float:
    others = [other for other in dict(field.groups)[entry.wins] if other is not entry]
    if not others:
        because = FloatReason.NOBODY_ELSE
    elif not any(field.fits(entry, other) for other in others):
        because = FloatReason.MET_ALL
    else:
        because = FloatReason.ODD_GROUP if entry.wins in odd else FloatReason.LEAST_IN_ALL
    return Float(entry.number, entry.wins, because)


def _bye_reason(field: RecordField, entry: RecordEntry) -> ByeReason:
    before = sorted(other.number for other in field.order if other.bye_key < entry.bye_key)
    return ByeReason(entry.number, entry.byes, entry.wins, tuple(before))


def in_wins(number: int) -> str:
    """Return a number of wins in words.

    >>> print(in_wins(1), in_wins(3))
    1 win 3 wins
    """
    return worded_plural("%(number)s win", "%(number)s wins", number)


def in_byes(number: int) -> str:
    return worded_plural("%(number)s bye", "%(number)s byes", number)
