"""The desk's settings, the best pairs among the waiting entries, and the reasons why others have to wait.

    waiting entries, entries still playing, terms ──suggest_pairs──► pairs that may start now, and unpaired entries

The best pairing has, in this order of priority:

1. as many pairs as possible, 2. the fewest rematches, pairs that meet too early, and pairs from the same club, 3. the
smallest spread, which is the sum of the squared differences in wins, 4. the entries that have waited longest.

Some pairs are made only if neither entry could still get a new opponent from the games in progress. These are pairs
whose entries have met, should be kept apart, or differ too much in wins for now. Two entries that must never meet are
not paired, but a director can pair them by hand.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from itertools import combinations, count, islice
from typing import Any, Final

from pairing.draws.order import compute_pair_lot
from pairing.draws.pairs.reasons import ByeReason, PairReason, explain_pairing
from pairing.draws.pairs.record import (
    BITS_PER_LOT,
    MAX_WEIGHT_BITS,
    NO_PAIRING_CONSTRAINTS,
    EntryWithRecord,
    NoPossiblePairing,
    Pair,
    PairingByRecord,
    PairingCandidates,
    PairingConstraints,
    find_min_weight_matching,
    pair_by_record,
)
from pairing.draws.results import Credit, Result, ResultCause
from pairing.draws.stages.qualifier import MAX_QUALIFYING_GAMES
from tournament.cases import FieldReader, ProblemCollector, read_integer, read_object
from tournament.lazy_text import lazy_text

MAX_TABLE_NUMBER: Final = 9999
MAX_WAIT_MINUTES: Final = 600
MAX_WAITING_ENTRIES: Final = 500


class MissedGamesPolicy(StrEnum):
    """How a late entry's missed games count: as losses, as wins by a bye, or not at all."""

    LOSS = "loss"
    BYE = "bye"
    NONE = "none"

    @property
    def credit(self) -> Credit:
        match self:
            case MissedGamesPolicy.LOSS:
                return Credit(Result.LOSS, ResultCause.NO_SHOW)
            case MissedGamesPolicy.BYE:
                return Credit(Result.WIN, ResultCause.BYE)
        return Credit(Result.NONE, ResultCause.BYE)


@dataclass(frozen=True, slots=True)
class SiteTables:
    """A site's tables, from `first` to `last`.

    Raises:
        ValueError: the first table is below 1, or the last is before the first.
    """

    site: str
    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.first <= self.last:
            raise ValueError("tables go from 1, the lower number first")

    @property
    def tables(self) -> range:
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskTerms:
    """The settings that control how the desk pairs entries.

    - Pairs are made when `wait_for` entries are waiting, or when an entry has waited `longest_wait` minutes.
    - Two entries may meet if their wins differ by at most `difference`. The limit grows by one for every `grow_every`
      minutes that either of them has waited. If `difference` is None, any two may meet. If `grow_every` is None, the
      limit does not grow.
    - `first_table` and `last_table` are the event's tables. Without a last table, there are as many as needed.
    - `apart_in` lists the games in which entrants from the same club are kept apart.
    - If `reset_daily` is true, entries that met on an earlier day may meet again.
    - The sites in `at_sites` have tables of their own. All other sites share the rest.
    - If `pair_absent` is true, entries that are not checked in are paired, too.
    - `missed` determines how a late entry's missed games count.
    - `rounds` replaces the planned number of rounds.

    Raises:
        ValueError: a number is too small, the last table is before the first, or two sites share a table.
    """

    wait_for: int = 4
    longest_wait: int = 5
    difference: int | None = 1
    grow_every: int | None = 5
    first_table: int = 1
    last_table: int | None = None
    apart_in: tuple[int, ...] = ()
    reset_daily: bool = False
    at_sites: tuple[SiteTables, ...] = ()
    pair_absent: bool = False
    missed: MissedGamesPolicy = MissedGamesPolicy.LOSS
    rounds: int | None = None

    def __post_init__(self) -> None:
        if self.wait_for < 2 or self.longest_wait < 0 or (self.grow_every is not None and self.grow_every < 1):
            raise ValueError("two wait at least, and no time is less than a minute")
        if self.first_table < 1 or (self.last_table is not None and self.last_table < self.first_table):
            raise ValueError("tables go from 1, the lower number first")
        if find_table_used_twice(self.at_sites) is not None:
            raise ValueError("every table stands at one site")

    @property
    def longest_wait_duration(self) -> timedelta:
        return timedelta(minutes=self.longest_wait)

    def list_tables(self, needed: int, site: str = "") -> Sequence[int]:
        """Return the tables of the event or of one site. If there is no last table, return the first `needed` tables.

        >>> terms = DeskTerms(at_sites=(SiteTables("Austin", 2, 4),))
        >>> list(terms.list_tables(3, "Austin")), list(terms.list_tables(3, "Oslo"))
        ([2, 3, 4], [1, 5, 6])
        """
        own = next((one for one in self.at_sites if one.site == site), None)
        if own is not None:
            return own.tables
        elsewhere = {table for one in self.at_sites for table in one.tables}
        if self.last_table is not None:
            return [table for table in range(self.first_table, self.last_table + 1) if table not in elsewhere]
        free = (table for table in count(self.first_table) if table not in elsewhere)
        return list(islice(free, needed))

    def allows_pair(self, difference: int, since: datetime, now: datetime) -> bool:
        """Return whether two entries may meet at the time `now`, given their difference in wins.

        `since` is when the longer-waiting entry began to wait.
        """
        at = self.compute_earliest_meeting(difference, since)
        return at is not None and at <= now

    def compute_earliest_meeting(self, difference: int, since: datetime) -> datetime | None:
        """Return the earliest time at which entries with this difference in wins may meet, or None if they never may.

        >>> from datetime import UTC
        >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
        >>> print(DeskTerms(difference=1, grow_every=10).compute_earliest_meeting(3, noon).time())
        12:20:00
        """
        beyond = 0 if self.difference is None else difference - self.difference
        if beyond <= 0:
            return since
        return None if self.grow_every is None else since + timedelta(minutes=self.grow_every * beyond)

    def as_json(self) -> dict[str, Any]:
        record = asdict(self)
        at_sites = list(record["at_sites"])
        return record | {"apart_in": list(self.apart_in), "at_sites": at_sites, "missed": self.missed.value}


def find_table_used_twice(at_sites: Sequence[SiteTables]) -> int | None:
    """Return the first table number that is assigned to two sites, or None if no sites share a table."""
    seen: set[int] = set()
    for one in at_sites:
        twice = next((table for table in one.tables if table in seen), None)
        if twice is not None:
            return twice
        seen.update(one.tables)
    return None


DEFAULT_DESK_TERMS: Final = DeskTerms()


def read_desk_terms(settings: Mapping[str, Any]) -> DeskTerms:
    """Read the desk's settings from JSON. Missing settings get their default values.

    >>> read_desk_terms({"wait_for": 6, "difference": None}).difference is None
    True

    Raises:
        InvalidInput: a setting is unknown or out of bounds.
    """
    problems, usual = ProblemCollector(), DEFAULT_DESK_TERMS
    fields = FieldReader(dict(settings), problems)
    first = fields.integer("first_table", minimum=1, maximum=MAX_TABLE_NUMBER, default=1)
    last = fields.integer_or_none("last_table", minimum=1, maximum=MAX_TABLE_NUMBER)
    apart = fields.items(
        "apart_in", lambda v, p, e: read_integer(v, p, e, minimum=1, maximum=MAX_QUALIFYING_GAMES), default=()
    )
    missed = fields.choice("missed", [each.value for each in MissedGamesPolicy], default=MissedGamesPolicy.LOSS.value)
    terms = {
        "wait_for": fields.integer("wait_for", minimum=2, maximum=MAX_WAITING_ENTRIES, default=usual.wait_for),
        "longest_wait": fields.integer("longest_wait", minimum=0, maximum=MAX_WAIT_MINUTES, default=usual.longest_wait),
        "difference": fields.integer_or_none(
            "difference", minimum=0, maximum=MAX_QUALIFYING_GAMES, default=usual.difference
        ),
        "grow_every": fields.integer_or_none(
            "grow_every", minimum=1, maximum=MAX_WAIT_MINUTES, default=usual.grow_every
        ),
        "reset_daily": fields.boolean("reset_daily", default=False),
        "pair_absent": fields.boolean("pair_absent", default=False),
        "at_sites": tuple(fields.items("at_sites", _read_site, default=())),
        "apart_in": tuple(sorted(set(apart))),
        "missed": MissedGamesPolicy(missed),
        "rounds": fields.integer_or_none("rounds", minimum=1, maximum=MAX_QUALIFYING_GAMES),
    }
    fields.finish()
    if (twice := find_table_used_twice(terms["at_sites"])) is not None:
        problems.add_bad_value(
            "at_sites", lazy_text("Table %(twice)s stands at two sites. Every table stands at one.", twice=twice)
        )
    if last is not None and last < first:
        problems.add_bad_value("last_table", lazy_text("The last table is before the first, %(first)s.", first=first))
    problems.raise_if_any()
    return DeskTerms(first_table=first, last_table=last, **terms)


def _read_site(value: object, path: str, problems: ProblemCollector) -> SiteTables | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = FieldReader(data, problems, path)
    site = fields.text("site")
    first = fields.integer("first", minimum=1, maximum=MAX_TABLE_NUMBER)
    last = fields.integer("last", minimum=1, maximum=MAX_TABLE_NUMBER)
    fields.finish()
    if not site or first is None or last is None:
        return None
    if last < first:
        problems.add_bad_value(f"{path}.last", lazy_text("The last table is before the first, %(first)s.", first=first))
        return None
    return SiteTables(site, first, last)


# --- Suggestions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WaitingEntry:
    """An entry that is ready for a game. It is not paired while it is on hold (`held`) or not checked in (`absent`)."""

    entry: EntryWithRecord
    since: datetime
    held: bool = False
    absent: bool = False

    @property
    def is_free(self) -> bool:
        return not self.held and not self.absent

    @property
    def explanation(self) -> "UnpairedEntry":
        """The reason why an entry that is not free can't be paired: it is on hold or absent."""
        return UnpairedEntry(self.entry.number, UnpairedReason.HELD if self.held else UnpairedReason.ABSENT)


@dataclass(frozen=True, kw_only=True)
class PairingInput:
    """The input for pairing: the waiting entries, the settings, and the constraints for each entry's next game.

    `still_playing` are the entries that are still playing and may have another game after their current one.
    """

    waiting: tuple[WaitingEntry, ...]
    still_playing: tuple[EntryWithRecord, ...] = ()
    terms: DeskTerms = DEFAULT_DESK_TERMS
    constraints: PairingConstraints = NO_PAIRING_CONSTRAINTS
    seed: str = ""

    @cached_property
    def free_entries(self) -> tuple[WaitingEntry, ...]:
        return tuple(one for one in self.waiting if one.is_free)

    @cached_property
    def wait_start_times(self) -> Mapping[int, datetime]:
        return {one.entry.number: one.since for one in self.waiting}

    @cached_property
    def candidates(self) -> PairingCandidates:
        """All waiting entries, even those on hold, together with those in `still_playing`."""
        everybody = [*(one.entry for one in self.waiting), *self.still_playing]
        return PairingCandidates(everybody, self.seed, self.constraints)


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
class UnpairedEntry:
    """An entry that was not paired, and why.

    If it only has to wait, `pairable_at` is when it can be paired and `possible_opponent` is its possible opponent.
    `explanation` replaces the usual text for the reason.
    """

    entry: int
    why: UnpairedReason
    pairable_at: datetime | None = None
    possible_opponent: int | None = None
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class SuggestedPair:
    """A suggested pair.

    `waiting_since` is when the longer-waiting entry began to wait. `keeps_table` is the entry that stays at its table.
    """

    pair: Pair
    reason: PairReason
    waiting_since: datetime
    keeps_table: int | None = None


@dataclass(frozen=True, slots=True)
class PairingSuggestion:
    """The pairs that can start now, longest wait first, and the entries that are not paired.

    The pairs are taken from `paired`, the pairing of all `entries` by record. `until` is the time at which the
    suggestion changes even if no game ends, because an entry has then waited long enough for another pair. `too_few` is
    true if nobody is paired because too few are waiting. `explanation` replaces the usual text for why nobody is
    paired.
    """

    pairs: tuple[SuggestedPair, ...]
    unpaired: tuple[UnpairedEntry, ...]
    paired: PairingByRecord
    entries: tuple[EntryWithRecord, ...] = ()
    until: datetime | None = None
    too_few: bool = False
    bye: ByeReason | None = None
    explanation: str = ""


def suggest_round(desk: PairingInput) -> PairingSuggestion:
    """Pair all free entries for a whole round, most wins first. If their number is odd, one of them gets a bye.

    The desk's settings do not apply. Entries in `still_playing` play in the next round.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> three = tuple(WaitingEntry(EntryWithRecord(n, wins), noon) for n, wins in ((1, 1), (2, 0), (4, 1)))
    >>> found = suggest_round(PairingInput(waiting=three))
    >>> [pair.pair for pair in found.pairs], found.bye.entry
    ([(1, 4)], 2)

    Raises:
        NoPossiblePairing: so many entries share a person that one of them has no possible opponent.
    """
    entries = tuple(one.entry for one in desk.free_entries)
    paired = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    reasons, bye = explain_pairing(entries, paired, constraints=desk.constraints)
    pairs = [
        SuggestedPair(reason.pair, reason, min(desk.wait_start_times[number] for number in reason.pair))
        for reason in reasons
    ]
    pairs.sort(key=lambda found: (-max(found.reason.wins), -min(found.reason.wins), found.pair))
    held = tuple(one.explanation for one in desk.waiting if not one.is_free)
    return PairingSuggestion(tuple(pairs), held, paired, entries, bye=bye)


def suggest_pairs(desk: PairingInput, *, now: datetime) -> PairingSuggestion:
    """Return the best pairs that can start now.

    >>> from datetime import UTC
    >>> noon, at = (datetime(2026, 11, 28, 12, minute, tzinfo=UTC) for minute in (0, 4))
    >>> three = [WaitingEntry(EntryWithRecord(n, wins), noon) for n, wins in ((1, 1), (2, 0), (4, 1))]
    >>> few = suggest_pairs(PairingInput(waiting=tuple(three), still_playing=(EntryWithRecord(9, 1),)), now=at)
    >>> few.too_few, few.until == noon + DeskTerms().longest_wait_duration
    (True, True)
    >>> [found.pair for found in suggest_pairs(PairingInput(waiting=tuple(three)), now=at).pairs]
    [(1, 4)]
    """
    opens = _compute_opening_time(desk)
    if opens is None or opens > now:
        too_few = len(desk.free_entries) > 1
        why = UnpairedReason.TOO_FEW if too_few else UnpairedReason.ALONE
        waiting = tuple(
            UnpairedEntry(one.entry.number, why, opens) if one.is_free else one.explanation for one in desk.waiting
        )
        return PairingSuggestion((), waiting, pair_by_record((), seed=desk.seed), until=opens, too_few=too_few)
    rules = _PairRules(desk, now)
    chosen = _pair_all_but_one(desk, rules) or _pair_as_many_as_possible(desk, rules)
    entries = tuple(desk.candidates.by_number[number] for pair in chosen for number in pair)
    paired = _pair_entries(entries, desk, rules)
    reasons, _bye = explain_pairing(
        entries, paired, constraints=desk.constraints.restrict_to(desk.candidates.by_number)
    )
    pairs = [SuggestedPair(reason.pair, reason, rules.get_start_of_longer_wait(reason.pair)) for reason in reasons]
    going = frozenset(entry.number for entry in entries)
    stays = tuple(_explain_unpaired_entry(one, desk, rules) for one in desk.waiting if one.entry.number not in going)
    until = min((stay.pairable_at for stay in stays if stay.pairable_at is not None), default=None)
    ordered = tuple(sorted(pairs, key=lambda found: (found.waiting_since, found.pair)))
    return PairingSuggestion(ordered, stays, paired, entries, until)


def _compute_opening_time(desk: PairingInput) -> datetime | None:
    """Return when the desk starts pairing the waiting entries, or None if it has to wait for another entry."""
    if len(desk.free_entries) < 2:
        return None
    earliest = min(one.since for one in desk.free_entries)
    if len(desk.free_entries) >= desk.terms.wait_for or not desk.still_playing:
        return earliest
    return earliest + desk.terms.longest_wait_duration


class _PairRules:
    def __init__(self, desk: PairingInput, now: datetime) -> None:
        self.desk, self.now, self.field = desk, now, desk.candidates
        self.hopes = frozenset(
            one.entry.number
            for one in desk.free_entries
            if any(
                other.number != one.entry.number and self.field.is_good_pair(one.entry, other)
                for other in desk.still_playing
            )
        )
        """The entries that could still get a new opponent from the games in progress."""

    def get_start_of_longer_wait(self, pair: Pair) -> datetime:
        return min(self.desk.wait_start_times[number] for number in pair)

    def is_wanted(self, pair: Pair) -> bool:
        return self.field.is_good_pair(self.field.by_number[pair[0]], self.field.by_number[pair[1]])

    def compute_earliest_meeting(self, pair: Pair) -> datetime | None:
        one, other = (self.field.by_number[number].wins for number in pair)
        return self.desk.terms.compute_earliest_meeting(abs(one - other), self.get_start_of_longer_wait(pair))

    def can_start(self, pair: Pair) -> bool:
        one, other = (self.field.by_number[number] for number in pair)
        if not one.persons.isdisjoint(other.persons) or self.field.find_violations(one, other).never:
            return False
        if self.hopes.isdisjoint(pair):
            return True
        at = self.compute_earliest_meeting(pair)
        return self.is_wanted(pair) and at is not None and at <= self.now


def _pair_all_but_one(desk: PairingInput, rules: _PairRules) -> tuple[Pair, ...] | None:
    """Pair all free entries by record. If their number is odd, leave out the one that has waited the shortest time.

    Return None if one of the pairs can't start yet, or if a better pairing might exist.
    """
    entries = [one.entry for one in desk.free_entries]
    bound = None
    if len(entries) % 2:
        out, bound = _choose_entry_to_leave_out(desk)
        entries.remove(out)
    try:
        paired = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    except NoPossiblePairing:
        return None
    if not all(rules.can_start(pair) for pair in paired.pairs) or (bound is not None and paired.cost.sort_key > bound):
        return None
    return paired.pairs


def _choose_entry_to_leave_out(desk: PairingInput) -> tuple[EntryWithRecord, tuple[int | tuple[int, ...], ...]]:
    """Return the entry to leave out, and the lowest cost that a pairing of the others could have.

    If several entries allow that cost, leave out the one that has waited the shortest time.
    """
    bounds = {}
    for one in desk.free_entries:
        if one.entry.wins not in bounds:
            rest = [other.entry for other in desk.free_entries if other is not one]
            bounds[one.entry.wins] = PairingCandidates(rest, "").compute_min_cost().sort_key
    least = min(bounds.values())
    candidates = [one for one in desk.free_entries if bounds[one.entry.wins] == least]
    return max(candidates, key=lambda one: (one.since, one.entry.number)).entry, least


def _pair_as_many_as_possible(desk: PairingInput, rules: _PairRules) -> tuple[Pair, ...]:
    numbers = sorted(one.entry.number for one in desk.free_entries)
    weights = _PairWeights(desk)
    edges = [
        (one, other, weights.compute_weight(pair))
        for (one, low), (other, high) in combinations(enumerate(numbers), 2)
        if rules.can_start(pair := (low, high))
    ]
    return tuple((numbers[one], numbers[other]) for one, other in find_min_weight_matching(len(numbers), edges))


class _PairWeights:
    def __init__(self, desk: PairingInput) -> None:
        self.field, self.seed = desk.candidates, desk.seed
        turns = {since: turn for turn, since in enumerate(sorted({one.since for one in desk.free_entries}))}
        self.late = {one.entry.number: turns[one.since] for one in desk.free_entries}
        half = len(desk.free_entries) // 2
        wins = [one.entry.wins for one in desk.free_entries]
        self.per_spread = 1 + 2 * half * len(turns)
        self.per_apart = self.per_spread * (1 + half * (max(wins) - min(wins)) ** 2)
        self.per_not_yet = self.per_apart * (1 + half)
        self.per_rematch = self.per_not_yet * (1 + half)
        most = (self.per_rematch * (1 + half)).bit_length()
        self.bits = max(0, min(BITS_PER_LOT, MAX_WEIGHT_BITS - most - len(desk.free_entries).bit_length()))
        self.radix = 1 << (self.bits + len(desk.free_entries).bit_length())

    def compute_weight(self, pair: Pair) -> int:
        one, other = (self.field.by_number[number] for number in pair)
        broken = self.field.find_violations(one, other)
        cost = self.per_rematch * self.field.have_met(one, other) + self.per_not_yet * broken.not_yet
        cost += self.per_apart * broken.apart + self.per_spread * (one.wins - other.wins) ** 2
        cost += self.late[pair[0]] + self.late[pair[1]]
        return cost * self.radix + (compute_pair_lot(self.seed, pair, bits=self.bits) if self.bits else 0)


def _pair_entries(entries: tuple[EntryWithRecord, ...], desk: PairingInput, rules: _PairRules) -> PairingByRecord:
    """Pair these entries by record. If a pair can't start yet, exclude all such pairs and pair the entries again."""
    plain = pair_by_record(entries, seed=desk.seed, constraints=desk.constraints)
    if all(rules.can_start(pair) for pair in plain.pairs):
        return plain
    numbers = sorted(entry.number for entry in entries)
    barred = frozenset(pair for pair in combinations(numbers, 2) if not rules.can_start(pair))
    stricter = replace(desk.constraints, never=desk.constraints.never | barred)
    return pair_by_record(entries, seed=desk.seed, constraints=stricter)


def _explain_unpaired_entry(one: WaitingEntry, desk: PairingInput, rules: _PairRules) -> UnpairedEntry:
    number = one.entry.number
    if not one.is_free:
        return one.explanation
    pairs = {
        other.entry.number: (min(number, other.entry.number), max(number, other.entry.number))
        for other in desk.free_entries
        if other is not one
    }
    if any(rules.can_start(pair) for pair in pairs.values()):
        return UnpairedEntry(number, UnpairedReason.LEFT_OVER)
    wanted = {other: pair for other, pair in pairs.items() if rules.is_wanted(pair)}
    allowed = [
        (at, other) for other, pair in wanted.items() if (at := rules.compute_earliest_meeting(pair)) is not None
    ]
    if allowed:
        return UnpairedEntry(number, UnpairedReason.DIFFERENCE, *min(allowed))
    if wanted:
        return UnpairedEntry(number, UnpairedReason.DIFFERENCE)
    new = any(not rules.field.have_met(one.entry, rules.field.by_number[other]) for other in pairs)
    return UnpairedEntry(number, UnpairedReason.KEPT_APART if new else UnpairedReason.HAS_MET)
