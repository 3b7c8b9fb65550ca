"""What something would change: the event as it stands before and after, and the difference in every place it shows.

load_snapshot ──► Snapshot ┐
                           ├──compare──► Effects: matches, standings, places, money, each before → after
load_snapshot ──► Snapshot ┘
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from pairing.above import CardCounts, CardStatement, RulingStatement, score_cards
from pairing.course.selectors.drawn_from import CutChange, DrawnFrom, changed_cuts, drawn_from
from pairing.course.selectors.placings import load_possible_places
from pairing.draws.knockout.progress import State
from pairing.finish.selectors.prizes import load_prize_ranges
from pairing.knockout.selectors import load_begun_of
from pairing.matches.selectors.records import COUNTING, load_called, load_names
from pairing.models import MatchResult
from pairing.stage_kinds.selectors.pool_stage import PoolStage
from pairing.stage_kinds.selectors.stage_state import MatchNow
from pairing.stage_kinds.selectors.stages import Course, load_course
from tournament.models import Event
from tournament.money.selectors.ledger import load_purse
from tournament.money.selectors.payouts import load_paid
from tournament.purse import CentsRange, TiedPlaces

NOTHING: Final = CentsRange(0, 0)
T = TypeVar("T")
Mark = tuple[tuple[int | None, ...], str, int]


@dataclass(frozen=True, slots=True)
class MatchShown(MatchNow):
    """`table` is where it is called to while it can be played; `begun`: somebody has written a line on its card."""

    table: int | None = None
    begun: bool = False

    @property
    def winner(self) -> int | None:
        return self.outcome.winner if self.outcome else None


@dataclass(frozen=True, slots=True)
class PoolStanding:
    """How an entry stands in a pool of games: its place, its record, and in words what follows for it."""

    stage: str
    place: int | None
    record: str
    goes_on: bool


@dataclass(frozen=True)
class Snapshot:
    """An event at one moment. `places` and `won` are of those who play no more; `paid` was handed over.

    Of a bracket they say what can still come out, so that who has lost a semifinal is 3–4 at once. Of rounds and pools
    they are known once everything is decided.

    `drawn` are the stages that were opened with those who went on from the one before. `marks` of each match, by its
    primary key, say whether what its cards count for can have changed; `cards` are the signed ones of matches with
    another mark than in the snapshot before. `rulings` are those of which not everything stands any more.
    """

    names: Mapping[int, str]
    matches: Mapping[str, MatchShown]
    standings: Mapping[tuple[int, int], PoolStanding] = field(default_factory=dict)
    places: Mapping[int, tuple[TiedPlaces, ...]] = field(default_factory=dict)
    won: Mapping[int, CentsRange] = field(default_factory=dict)
    paid: Mapping[int, int] = field(default_factory=dict)
    pool_cents: int = 0
    drawn: tuple[DrawnFrom, ...] = ()
    marks: Mapping[int, Mark] = field(default_factory=dict)
    cards: tuple[CardStatement, ...] = ()
    rulings: tuple[RulingStatement, ...] = ()

    @property
    def open_cents(self) -> int:
        """Return the cents of the pool that nobody has won for certain yet."""
        return self.pool_cents - sum(prize.least for prize in self.won.values())


def load_snapshot(event: Event, since: Snapshot | None = None) -> Snapshot:
    """The event as it stands now, read anew; `since`: to be compared with that."""
    event = Event.objects.select_related("tournament").get(pk=event.pk)
    course = load_course(event)
    possible, matches, purse = load_possible_places(event), _matches(event, course), load_purse(event)
    placed = possible.placed if possible is not None else ()
    prizes = load_prize_ranges(event, possible, purse) if possible is not None else {}
    marks = _marks(event, matches)
    changed = {match for match, _mark in marks.items() ^ since.marks.items()} if since is not None else set()
    return Snapshot(
        names=load_names(event),
        matches=matches,
        standings=_standings(course),
        places={entry: possible.finishes[entry] for entry in placed} if possible is not None else {},
        won={entry: prizes[entry] for entry in placed if entry in prizes},
        paid=load_paid(event),
        pool_cents=purse.pool.pool_cents,
        drawn=drawn_from(course),
        marks=marks,
        cards=tuple(score_cards().load_card_statements(event, changed)) if changed else (),
        rulings=tuple(score_cards().load_rulings_changed(event)),
    )


def _marks(event: Event, matches: Mapping[str, MatchShown]) -> dict[int, Mark]:
    """Of every match that counts: who stands there, and the key of its last result (0: none)."""
    results = MatchResult.objects.filter(match__event=event, superseded_by__isnull=True)
    last = dict(results.values_list("match_id", "pk"))
    rows = event.matches.filter(COUNTING).values_list("pk", "ident")
    nobody = MatchShown((), State.NOT_NEEDED)
    found = ((pk, matches.get(ident, nobody)) for pk, ident in rows)
    return {pk: (shown.sides, shown.state.value, last.get(pk, 0)) for pk, shown in found}


def _matches(event: Event, course: Course) -> dict[str, MatchShown]:
    """Those that can be played with their table, and whether their card has a line of these sides."""
    standing = {ident: now for stage in course.stages for ident, now in stage.standing.items()}
    ready = {ident: frozenset(now.entries) for ident, now in standing.items() if now.state is State.READY}
    tables, begun = load_called(event, ready), load_begun_of(event, ready) if ready else ()
    return {
        ident: MatchShown(
            now.sides, now.state, now.outcome, now.by_itself, now.kept, tables.get(ident), begun=ident in begun
        )
        for ident, now in standing.items()
    }


def _standings(course: Course) -> dict[tuple[int, int], PoolStanding]:
    """Where everybody stands in every pool, and whether they would go on from it as it is."""
    found: dict[tuple[int, int], PoolStanding] = {}
    for stage in course.pools:
        going_on = _going_on(course, stage)
        for row in (row for _part, ranked in stage.pool.standings for row in ranked):
            why = stage.pool.qualifying[row.entry].why
            found[stage.number, row.entry] = PoolStanding(stage.name, row.place, why, row.entry in going_on)
    return found


def _going_on(course: Course, stage: PoolStage) -> frozenset[int]:
    """Anyone who would be in the next stage or play off for it; nobody while this one is played, or is the last."""
    after = course.plan.after(stage.number)
    if after is None or not stage.is_complete:
        return frozenset()
    places = after.knockout.places if after.knockout is not None else None
    by_play_off = after.kind.traits.for_places
    now = stage.going_on(places if by_play_off else None, None if by_play_off else places)
    return frozenset((*now.through, *now.play_off))


@dataclass(frozen=True, slots=True)
class MatchChange:
    """A match that would stand otherwise; `before` or `after` None: it is not there then."""

    ident: str
    before: MatchShown | None
    after: MatchShown | None

    @property
    def is_called(self) -> bool:
        """At a table now, for those who would not play it then."""
        if self.before is None or self.before.table is None:
            return False
        return self.after is None or self.after.sides != self.before.sides or self.after.state is not State.READY


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """An entry whose place (empty: none yet), or standing in a pool, would be another."""

    entry: int
    before: T
    after: T


@dataclass(frozen=True, slots=True)
class MoneyChange:
    """The prize of an entry before and after the act, in cents. `paid` was handed over already."""

    entry: int
    before: CentsRange
    after: CentsRange
    paid: int | None = None


@dataclass(frozen=True)
class Effects:
    """Everything that would change, and what stays as it is beside it.

    The money adds up: what entries win at least and what is open are the pool, before and after. `cards` are the
    signed ones of the matches that change, by what they count for then; `cards_before` by what they count for now,
    where it was asked.
    """

    before: Snapshot
    after: Snapshot
    matches: tuple[MatchChange, ...]
    standings: tuple[Change[PoolStanding | None], ...]
    places: tuple[Change[tuple[TiedPlaces, ...]], ...]
    money: tuple[MoneyChange, ...]
    handed_over: tuple[MoneyChange, ...]
    cuts: tuple[CutChange, ...] = ()
    cards: tuple[CardStatement, ...] = ()
    cards_before: tuple[CardStatement, ...] = ()

    def __bool__(self) -> bool:
        changed = (self.matches, self.standings, self.places, self.money, self.cuts, self.changed_cards, self.rulings)
        return any(changed)

    @property
    def rulings(self) -> tuple[RulingStatement, ...]:
        """The rulings of which something would not stand any more that stands now, each with that."""
        now = {one.number: one.said for one in self.before.rulings}
        added = [(one, tuple(w for w in one.said if w not in now.get(one.number, ()))) for one in self.after.rulings]
        return tuple(replace(one, said=said) for one, said in added if said)

    @property
    def changed_cards(self) -> tuple[tuple[CardStatement | None, CardStatement], ...]:
        """The signed cards that would count for something else, now (None: not asked) and then."""
        now = {card.card: card for card in self.cards_before}
        pairs = ((now.get(card.card), card) for card in self.cards)
        return tuple(pair for pair in pairs if (pair[0].counts if pair[0] else CardCounts.STANDS) is not pair[1].counts)

    @property
    def digest(self) -> str:
        """Of exactly what is shown: another digest, and somebody changed something since."""
        shown = (
            self.matches,
            self.standings,
            self.places,
            self.money,
            self.handed_over,
            self.cuts,
            [(card.match, card.game, card.title, card.counts.value) for card in self.cards],
            [(one.number, one.said) for one in self.rulings],
            (self.before.pool_cents, self.after.pool_cents, self.before.open_cents, self.after.open_cents),
            [(entry, name) for entry, name in sorted(self.after.names.items()) if self.before.names.get(entry) != name],
        )
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:32]

    @property
    def round_count(self) -> int:
        """The number of rounds of the event's single-elimination bracket, or 0 if it has none."""
        rounds = (ident[1:].partition("M") for ident in self.after.matches if ident.startswith("R"))
        return max((int(number) for number, is_match, _position in rounds if is_match), default=0)

    def name(self, entry: int) -> str:
        return self.after.names.get(entry) or self.before.names.get(entry) or str(entry)


def compare(before: Snapshot, after: Snapshot) -> Effects:
    """What differs, in the order of the draw, then by entry number."""
    idents = dict.fromkeys([*before.matches, *after.matches])
    matches = (MatchChange(ident, before.matches.get(ident), after.matches.get(ident)) for ident in idents)
    standings = (
        Change(key[1], before.standings.get(key), after.standings.get(key))
        for key in dict.fromkeys([*after.standings, *before.standings])
    )
    entries = sorted({*before.names, *after.names})
    places = (Change(entry, before.places.get(entry, ()), after.places.get(entry, ())) for entry in entries)
    won = ((entry, before.won.get(entry, NOTHING), after.won.get(entry, NOTHING)) for entry in entries)
    money = tuple(MoneyChange(*each, before.paid.get(each[0])) for each in won if each[1] != each[2])
    return Effects(
        before=before,
        after=after,
        matches=tuple(change for change in matches if change.before != change.after),
        standings=tuple(change for change in standings if change.before != change.after),
        places=tuple(change for change in places if change.before != change.after),
        money=money,
        handed_over=tuple(change for change in money if change.paid is not None),
        cuts=changed_cuts(before.drawn, after.drawn),
        cards=after.cards,
    )
