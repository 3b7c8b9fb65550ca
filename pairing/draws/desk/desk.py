"""Suggest the best pairs of the entries that wait at the desk, and explain why the others still wait.

    waiting entries, entries to come, terms ──suggest──► pairs that may go now, and the entries that stay

The best pairing is found in this order:

1. as many pairs as possible,
2. the fewest rematches, pairs too early and pairs of one club,
3. the least spread, which is the sum of the squared differences in wins,
4. the entries that have waited longest.

Some pairs are made only if neither entry could still meet somebody new who is to come. These are entries that have
met, that are to be kept apart, or whose wins differ too much for now. Two that must never meet are not paired. A
director can pair them by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from itertools import combinations

from pairing.draws.desk.desk_terms import USUAL_DESK, DeskTerms
from pairing.draws.order.lots import pair_lot
from pairing.draws.pairs.constraints import UNCONSTRAINED, Constraints
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.pairs.record_field import CannotPair, Pair, RecordEntry, RecordField, RecordPairing
from pairing.draws.pairs.record_matching import LARGEST_WEIGHT, LOT_BITS, least_matching
from pairing.draws.pairs.record_reasons import ByeReason, PairReason, explain_pairing


@dataclass(frozen=True, slots=True)
class WaitingEntry:
    """An entry that has finished a game, or has come. The desk does not pair it while it is `held`, or `absent`."""

    entry: RecordEntry
    since: datetime
    held: bool = False
    absent: bool = False

    @property
    def is_free(self) -> bool:
        return not self.held and not self.absent

    @property
    def stays(self) -> "Unpaired":
        """The reason why an entry that is not free is in no pair."""
        return Unpaired(self.entry.number, UnpairedReason.HELD if self.held else UnpairedReason.ABSENT)


@dataclass(frozen=True, kw_only=True)
class PairingInput:
    """Everything the desk pairs by. `to_come` holds entries at tables that may have another game after this one.

    `constraints` apply to the next game of each entry.
    """

    waiting: tuple[WaitingEntry, ...]
    to_come: tuple[RecordEntry, ...] = ()
    terms: DeskTerms = USUAL_DESK
    constraints: Constraints = UNCONSTRAINED
    seed: str = ""

    @cached_property
    def free(self) -> tuple[WaitingEntry, ...]:
        return tuple(one for one in self.waiting if one.is_free)

    @cached_property
    def since(self) -> Mapping[int, datetime]:
        return {one.entry.number: one.since for one in self.waiting}

    @cached_property
    def field(self) -> RecordField:
        """The entries that wait and those that may come, on hold or not."""
        everybody = [*(one.entry for one in self.waiting), *self.to_come]
        return RecordField(everybody, self.seed, self.constraints)


class UnpairedReason(StrEnum):
    HELD = "held"
    ABSENT = "absent"
    TOO_FEW = "too-few"
    ALONE = "alone"
    LEFT_OVER = "left-over"
    DIFFERENCE = "difference"
    KEPT_APART = "kept-apart"
    HAS_MET = "has-met"


@dataclass(frozen=True, slots=True)
class Unpaired:
    """An entry that is not paired.

    `until` is the time at which the clock alone changes that, and `other` the entry it may play then. `told` is the
    reason in other words, if there are any.
    """

    entry: int
    why: UnpairedReason
    until: datetime | None = None
    other: int | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class SuggestedPair:
    """A suggested pair.

    `since` is the time from which the one that has waited longer waits. `keeps_table` is the entry that stays at its
    table.
    """

    pair: Pair
    reason: PairReason
    since: datetime
    keeps_table: int | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The pairs that may go, longest wait first, and all other entries.

    `until` is the time at which the clock changes it.

    Pairing `entries` by record gives `paired`, from which the pairs come. `too_few` is true if nobody is paired yet
    because so few wait. `told` says in other words why nobody is paired.
    """

    pairs: tuple[SuggestedPair, ...]
    stays: tuple[Unpaired, ...]
    paired: RecordPairing
    entries: tuple[RecordEntry, ...] = ()
    until: datetime | None = None
    too_few: bool = False
    bye: ByeReason | None = None
    told: str = ""


def suggest_round(desk: PairingInput) -> Suggestion:
    """Pair a whole round of the free entries, most wins first. With an odd number one entry has the bye.

    The terms of the desk do not apply. Entries that are still to come play in the next round.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> three = tuple(WaitingEntry(RecordEntry(n, wins), noon) for n, wins in ((1, 1), (2, 0), (4, 1)))
    >>> found = suggest_round(PairingInput(waiting=three))
    >>> [pair.pair for pair in found.pairs], found.bye.entry
    ([(1, 4)], 2)

    Raises:
        CannotPair: so many entries share a person that an entry has nobody to meet.
    """
    entries = tuple(one.entry for one in desk.free)
    paired = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    reasons = explain_pairing(entries, paired, constraints=desk.constraints)
    pairs = [
        SuggestedPair(reason.pair, reason, min(desk.since[number] for number in reason.pair))
        for reason in reasons.pairs
    ]
    pairs.sort(key=lambda found: (-max(found.reason.wins), -min(found.reason.wins), found.pair))
    held = tuple(one.stays for one in desk.waiting if not one.is_free)
    return Suggestion(tuple(pairs), held, paired, entries, bye=reasons.bye)


def suggest(desk: PairingInput, *, now: datetime) -> Suggestion:
    """Return the best pairs that may go now.

    >>> from datetime import UTC
    >>> noon, at = (datetime(2026, 11, 28, 12, minute, tzinfo=UTC) for minute in (0, 4))
    >>> three = [WaitingEntry(RecordEntry(n, wins), noon) for n, wins in ((1, 1), (2, 0), (4, 1))]
    >>> few = suggest(PairingInput(waiting=tuple(three), to_come=(RecordEntry(9, 1),)), now=at)
    >>> few.too_few, few.until == noon + DeskTerms().patience
    (True, True)
    >>> [found.pair for found in suggest(PairingInput(waiting=tuple(three)), now=at).pairs]
    [(1, 4)]
    """
    opens = _opens_at(desk)
    if opens is None or opens > now:
        return _nobody_yet(desk, opens)
    rules = _Rules(desk, now)
    chosen = _all_but_the_odd_one(desk, rules) or _as_many_as_can(desk, rules)
    entries = tuple(desk.field.of[number] for pair in chosen for number in pair)
    paired = _paired(entries, desk, rules)
    reasons = explain_pairing(entries, paired, constraints=desk.constraints.among(desk.field.of))
    pairs = [SuggestedPair(reason.pair, reason, rules.longer(reason.pair)) for reason in reasons.pairs]
    going = frozenset(entry.number for entry in entries)
    stays = tuple(_stays(one, desk, rules) for one in desk.waiting if one.entry.number not in going)
    until = min((stay.until for stay in stays if stay.until is not None), default=None)
    ordered = tuple(sorted(pairs, key=lambda found: (found.since, found.pair)))
    return Suggestion(ordered, stays, paired, entries, until)


def _opens_at(desk: PairingInput) -> datetime | None:
    """Return the time from which the desk pairs the waiting entries, or None if somebody else must come first."""
    if len(desk.free) < 2:
        return None
    earliest = min(one.since for one in desk.free)
    if len(desk.free) >= desk.terms.wait_for or not desk.to_come:
        return earliest
    return earliest + desk.terms.patience


def _nobody_yet(desk: PairingInput, opens: datetime | None) -> Suggestion:
    why = UnpairedReason.TOO_FEW if len(desk.free) > 1 else UnpairedReason.ALONE
    stays = tuple(Unpaired(one.entry.number, why, opens) if one.is_free else one.stays for one in desk.waiting)
    return Suggestion((), stays, pair_by_record((), seed=desk.seed), until=opens, too_few=len(desk.free) > 1)


class _Rules:
    def __init__(self, desk: PairingInput, now: datetime) -> None:
        self.desk, self.now, self.field = desk, now, desk.field
        self.hopes = frozenset(
            one.entry.number
            for one in desk.free
            if any(other.number != one.entry.number and self.field.fits(one.entry, other) for other in desk.to_come)
        )
        """The entries that could newly meet an entry that is still to come."""

    def longer(self, pair: Pair) -> datetime:
        return min(self.desk.since[number] for number in pair)

    def is_wanted(self, pair: Pair) -> bool:
        """Return whether the two have not met and no constraint keeps them apart."""
        return self.field.fits(self.field.of[pair[0]], self.field.of[pair[1]])

    def allowed_from(self, pair: Pair) -> datetime | None:
        one, other = (self.field.of[number].wins for number in pair)
        return self.desk.terms.allowed_from(abs(one - other), self.longer(pair))

    def may_go(self, pair: Pair) -> bool:
        one, other = (self.field.of[number] for number in pair)
        if not one.persons.isdisjoint(other.persons) or self.field.broken_by(one, other).never:
            return False
        if self.hopes.isdisjoint(pair):
            return True
        at = self.allowed_from(pair)
        return self.is_wanted(pair) and at is not None and at <= self.now


def _all_but_the_odd_one(desk: PairingInput, rules: _Rules) -> tuple[Pair, ...] | None:
    """Pair all free entries by record. If their number is odd, the one with the shortest wait stays.

    Return None if a pair may not go, or if it is not certain that nothing is better.
    """
    entries = [one.entry for one in desk.free]
    bound = None
    if len(entries) % 2:
        out, bound = _odd_one(desk)
        entries.remove(out)
    try:
        paired = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    except CannotPair:
        return None
    if not all(rules.may_go(pair) for pair in paired.pairs) or (bound is not None and paired.cost.rank > bound):
        return None
    return paired.pairs


def _odd_one(desk: PairingInput) -> tuple[RecordEntry, tuple[int | tuple[int, ...], ...]]:
    """Return the entry to leave out, and the least cost that the others could have.

    It is the entry with the shortest wait among those whose absence allows that cost.
    """
    bounds = {}
    for one in desk.free:
        if one.entry.wins not in bounds:
            rest = [other.entry for other in desk.free if other is not one]
            bounds[one.entry.wins] = RecordField(rest, "").least_cost().rank
    least = min(bounds.values())
    candidates = [one for one in desk.free if bounds[one.entry.wins] == least]
    return max(candidates, key=lambda one: (one.since, one.entry.number)).entry, least


def _as_many_as_can(desk: PairingInput, rules: _Rules) -> tuple[Pair, ...]:
    """Return the exact best of all ways to pair free entries and leave others, by one matching."""
    numbers = sorted(one.entry.number for one in desk.free)
    weights = _Weights(desk)
    edges = [
        (one, other, weights.of(pair))
        for (one, low), (other, high) in combinations(enumerate(numbers), 2)
        if rules.may_go(pair := (low, high))
    ]
    return tuple((numbers[one], numbers[other]) for one, other in least_matching(len(numbers), edges))


class _Weights:
    """The cost of a pair as one number, in which each part outweighs all the parts after it."""

    def __init__(self, desk: PairingInput) -> None:
        self.field, self.seed = desk.field, desk.seed
        turns = {since: turn for turn, since in enumerate(sorted({one.since for one in desk.free}))}
        self.late = {one.entry.number: turns[one.since] for one in desk.free}
        half = len(desk.free) // 2
        wins = [one.entry.wins for one in desk.free]
        self.per_spread = 1 + 2 * half * len(turns)
        self.per_apart = self.per_spread * (1 + half * (max(wins) - min(wins)) ** 2)
        self.per_not_yet = self.per_apart * (1 + half)
        self.per_rematch = self.per_not_yet * (1 + half)
        most = (self.per_rematch * (1 + half)).bit_length()
        self.bits = max(0, min(LOT_BITS, LARGEST_WEIGHT - most - len(desk.free).bit_length()))
        self.radix = 1 << (self.bits + len(desk.free).bit_length())

    def of(self, pair: Pair) -> int:
        one, other = (self.field.of[number] for number in pair)
        broken = self.field.broken_by(one, other)
        cost = self.per_rematch * self.field.have_met(one, other) + self.per_not_yet * broken.not_yet
        cost += self.per_apart * broken.apart + self.per_spread * (one.wins - other.wins) ** 2
        cost += self.late[pair[0]] + self.late[pair[1]]
        return cost * self.radix + (pair_lot(self.seed, pair, bits=self.bits) if self.bits else 0)


def _paired(entries: tuple[RecordEntry, ...], desk: PairingInput, rules: _Rules) -> RecordPairing:
    """Pair these entries by record.

    If a pair may not go now, pair them again without such pairs.
    """
    plain = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    if all(rules.may_go(pair) for pair in plain.pairs):
        return plain
    numbers = sorted(entry.number for entry in entries)
    barred = frozenset(pair for pair in combinations(numbers, 2) if not rules.may_go(pair))
    stricter = replace(desk.constraints, never=desk.constraints.never | barred)
    return pair_by_record(entries, seed=desk.seed, constraints=stricter)


def _stays(one: WaitingEntry, desk: PairingInput, rules: _Rules) -> Unpaired:
    number = one.entry.number
    if not one.is_free:
        return one.stays
    pairs = {
        other.entry.number: (min(number, other.entry.number), max(number, other.entry.number))
        for other in desk.free
        if other is not one
    }
    if any(rules.may_go(pair) for pair in pairs.values()):
        return Unpaired(number, UnpairedReason.LEFT_OVER)
    wanted = {other: pair for other, pair in pairs.items() if rules.is_wanted(pair)}
    allowed = [(at, other) for other, pair in wanted.items() if (at := rules.allowed_from(pair)) is not None]
    if allowed:
        return Unpaired(number, UnpairedReason.DIFFERENCE, *min(allowed))
    if wanted:
        return Unpaired(number, UnpairedReason.DIFFERENCE)
    new = any(not rules.field.have_met(one.entry, rules.field.of[other]) for other in pairs)
    return Unpaired(number, UnpairedReason.KEPT_APART if new else UnpairedReason.HAS_MET)
