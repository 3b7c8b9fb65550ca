"""Whom the desk pairs now: the best pairs of those who wait, and of everybody else why, and how long, they wait.

    waiting, who may still come, terms ──suggest──► pairs that may go now, and who stays

What is best, in this order: as many pairs as can be; of those the fewest rematches, pairs too early and pairs of one
club; the least spread, the sum of the squared differences in wins; and the one who has waited longest goes. Two who
have met, are to be kept apart or whose wins differ too much for now are a pair only when nobody is still to come who
could newly meet one of them. Two who shall never meet are none: those a director pairs by hand, or not at all.
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
    """Somebody who has finished, or has come; `held`, or `absent` until checked in: the desk does not pair them now."""

    entry: RecordEntry
    since: datetime
    held: bool = False
    absent: bool = False

    @property
    def is_free(self) -> bool:
        return not self.held and not self.absent

    @property
    def stays(self) -> "Unpaired":
        """Why one who is not free is in no pair."""
        return Unpaired(self.entry.number, UnpairedReason.HELD if self.held else UnpairedReason.ABSENT)


@dataclass(frozen=True, kw_only=True)
class PairingInput:
    """Everything the desk goes by. `to_come` are at tables, and may have another game to play after this one.

    `constraints` hold for the next game of each.
    """

    waiting: tuple[WaitingEntry, ...]
    to_come: tuple[RecordEntry, ...] = ()
    terms: DeskTerms = USUAL_DESK
    constraints: Constraints = UNCONSTRAINED
    seed: str = ""

    @cached_property
    def free(self) -> tuple[WaitingEntry, ...]:
        """Those whom the desk may pair."""
        return tuple(one for one in self.waiting if one.is_free)

    @cached_property
    def since(self) -> Mapping[int, datetime]:
        return {one.entry.number: one.since for one in self.waiting}

    @cached_property
    def field(self) -> RecordField:
        """Those who wait and those who may come, held or not."""
        everybody = [*(one.entry for one in self.waiting), *self.to_come]
        return RecordField(everybody, self.seed, self.constraints)


class UnpairedReason(StrEnum):
    """Why somebody who waits is in no pair now."""

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
    """`until`: when the clock alone changes it; `other` is with whom it may play then. `told`: why, in other words."""

    entry: int
    why: UnpairedReason
    until: datetime | None = None
    other: int | None = None
    told: str = ""


@dataclass(frozen=True, slots=True)
class SuggestedPair:
    """`since`: when the one of the two who waits longer began to; `keeps_table`: who stays where they played last."""

    pair: Pair
    reason: PairReason
    since: datetime
    keeps_table: int | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The pairs that may go now, who waits longest first, and everybody else; `until`: when the clock changes it.

    `paired` and `entries` are what the pairs came from: pairing these entries by record answers these pairs.
    `too_few`: nobody is paired yet, because so few wait. `told`: why nobody is, in other words.
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
    """A whole round of those whom the desk may pair, those with the most wins first; of an odd number one has the bye.

    Terms of the desk say nothing here: who is still to come plays in the next round.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> three = tuple(WaitingEntry(RecordEntry(n, wins), noon) for n, wins in ((1, 1), (2, 0), (4, 1)))
    >>> found = suggest_round(PairingInput(waiting=three))
    >>> [pair.pair for pair in found.pairs], found.bye.entry
    ([(1, 4)], 2)

    Raises:
        CannotPair: so many of them share a person that somebody has nobody to meet.
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
    """The best pairs that may go now.

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
    """From when on the desk pairs those who wait; None: somebody else must come first."""
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
    """Which pairs may go at this moment."""

    def __init__(self, desk: PairingInput, now: datetime) -> None:
        self.desk, self.now, self.field = desk, now, desk.field
        self.hopes = frozenset(
            one.entry.number
            for one in desk.free
            if any(other.number != one.entry.number and self.field.fits(one.entry, other) for other in desk.to_come)
        )
        """Who could newly meet somebody who is still to come."""

    def longer(self, pair: Pair) -> datetime:
        return min(self.desk.since[number] for number in pair)

    def is_wanted(self, pair: Pair) -> bool:
        """Whether they are new to each other and nobody wants them apart."""
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
    """All who are free paired by record, where that is allowed; of an odd number the one who waits shortest stays.

    None where it is not certain that nothing is better.
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
    """Who waits shortest of those without whom the others could cost least, and what that is at the least."""
    bounds = {}
    for one in desk.free:
        if one.entry.wins not in bounds:
            rest = [other.entry for other in desk.free if other is not one]
            bounds[one.entry.wins] = RecordField(rest, "").least_cost().rank
    least = min(bounds.values())
    candidates = [one for one in desk.free if bounds[one.entry.wins] == least]
    return max(candidates, key=lambda one: (one.since, one.entry.number)).entry, least


def _as_many_as_can(desk: PairingInput, rules: _Rules) -> tuple[Pair, ...]:
    """The exact best of all ways to pair those who are free and leave the others, by one matching."""
    numbers = sorted(one.entry.number for one in desk.free)
    weights = _Weights(desk)
    edges = [
        (one, other, weights.of(pair))
        for (one, low), (other, high) in combinations(enumerate(numbers), 2)
        if rules.may_go(pair := (low, high))
    ]
    return tuple((numbers[one], numbers[other]) for one, other in least_matching(len(numbers), edges))


class _Weights:
    """What a pair costs as one number: each part beyond all that the parts after it can add up to."""

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
    """These entries paired by record: plainly where that is allowed, else without the pairs that may not go now."""
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
