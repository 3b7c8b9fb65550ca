"""Compute what an action changes by comparing the event before and after it.

load_snapshot ──► EventSnapshot ┐
                                ├──compare_snapshots──► ActionEffects: matches, places, money, each before → after
load_snapshot ──► EventSnapshot ┘
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from pairing.draws.knockout.progress import BracketMatchState
from pairing.models import MatchResult
from pairing.ports import CardStatusKind, CardSummary, RulingStatement, score_cards
from pairing.results.selectors.results import load_prize_ranges
from pairing.stages.selectors.boards import load_matches_with_started_cards
from pairing.stages.selectors.course import (
    EventStages,
    is_stage_without_result,
    list_ranked_qualifiers,
    load_event_stages,
    load_possible_places,
)
from pairing.stages.selectors.kinds import MatchState
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import VALID_MATCH_FILTER, load_called_tables
from tournament.core.selectors.events import load_entry_names
from tournament.core.services.previews import compute_preview_digest
from tournament.models import Event
from tournament.money.selectors.awards import load_paid_prize_cents
from tournament.money.selectors.ledger import load_prize_breakdown
from tournament.purse.prizes import CentsRange, TiedPlaces

NO_PRIZE: Final = CentsRange(0, 0)
_T = TypeVar("_T")
MatchFingerprint = tuple[tuple[int | None, ...], str, int]


@dataclass(frozen=True, slots=True)
class MatchSnapshot(MatchState):
    """A match in a snapshot of an event.

    `table` and `started` are set only while the match is ready. `started` is true if its card has at least one line.
    """

    table: int | None = None
    started: bool = False

    @property
    def winner(self) -> int | None:
        return self.outcome.winner if self.outcome else None


@dataclass(frozen=True, slots=True)
class PoolStanding:
    """An entry's place and record in a pool, and whether it advances to the next stage."""

    stage: str
    place: int | None
    record: str
    advances: bool


@dataclass(frozen=True, slots=True)
class _OpenedStage:
    """An opened stage other than the event's first stage.

    `entries` are the entries that the stage had when it was opened. `qualifiers` are the entries that the current
    standings would send to it, with their wins. If `by_order` is true, places or byes in the stage depend on the
    standings. If `may_go_back` is true, the stage can be undone. If `takes_more` is true, missing entrants can still
    join it.
    """

    number: int
    name: str
    entries: frozenset[int]
    qualifiers: tuple[tuple[int, int], ...]
    by_order: bool
    may_go_back: bool
    takes_more: bool

    @property
    def qualifier_numbers(self) -> frozenset[int]:
        return frozenset(entry for entry, _wins in self.qualifiers)


@dataclass(frozen=True)
class EventSnapshot:
    """The state of an event at a certain moment.

    `places` and `won` cover entries that have finished playing. A place in a bracket is the range that is still
    possible. For example, the loser of a semifinal immediately gets 3–4. Places in rounds and pools are known once
    everything is decided. `paid` are the prizes paid so far, in cents. `opened_stages` are all stages after the first.
    `rulings` are the rulings that are no longer fully in force.

    `match_fingerprints` maps a match's primary key to the match's sides, its state, and the primary key of its last
    result. A match differs between two snapshots if these values differ. `cards` are the signed cards of the matches
    that differ from an earlier snapshot, because the status of these cards may have changed. Without an earlier
    snapshot, `cards` is empty.
    """

    names: Mapping[int, str]
    matches: Mapping[str, MatchSnapshot]
    standings: Mapping[tuple[int, int], PoolStanding] = field(default_factory=dict)
    places: Mapping[int, tuple[TiedPlaces, ...]] = field(default_factory=dict)
    won: Mapping[int, CentsRange] = field(default_factory=dict)
    paid: Mapping[int, int] = field(default_factory=dict)
    pool_cents: int = 0
    opened_stages: tuple[_OpenedStage, ...] = ()
    match_fingerprints: Mapping[int, MatchFingerprint] = field(default_factory=dict)
    cards: tuple[CardSummary, ...] = ()
    rulings: tuple[RulingStatement, ...] = ()

    @property
    def not_yet_won_cents(self) -> int:
        """The part of the prize pool, in cents, that no entry is certain to win yet."""
        return self.pool_cents - sum(prize.least for prize in self.won.values())


def load_snapshot(event: Event, earlier: EventSnapshot | None = None) -> EventSnapshot:
    """Load the current state of an event.

    If `earlier` is given, also load the cards of matches that have changed since.
    """
    event = Event.objects.select_related("tournament").get(pk=event.pk)
    course = load_event_stages(event)
    possible, matches, purse = (
        load_possible_places(event),
        _load_match_snapshots(event, course),
        load_prize_breakdown(event),
    )
    placed = possible.placed_entries if possible is not None else ()
    prizes = load_prize_ranges(event, possible, purse) if possible is not None else {}
    marks = _load_fingerprints(event, matches)
    changed = (
        {match for match, _mark in marks.items() ^ earlier.match_fingerprints.items()} if earlier is not None else set()
    )
    return EventSnapshot(
        names=load_entry_names(event),
        matches=matches,
        standings=_list_standings(course),
        places={entry: possible.finishes[entry] for entry in placed} if possible is not None else {},
        won={entry: prizes[entry] for entry in placed if entry in prizes},
        paid=load_paid_prize_cents(event),
        pool_cents=purse.pool.pool_cents,
        opened_stages=_list_opened_stages(course),
        match_fingerprints=marks,
        cards=tuple(score_cards().load_card_summaries(event, changed)) if changed else (),
        rulings=tuple(score_cards().load_changed_rulings(event)),
    )


def _load_fingerprints(event: Event, matches: Mapping[str, MatchSnapshot]) -> dict[int, MatchFingerprint]:
    """Return a tuple for each match: its sides, its state, and the primary key of its last result (or 0)."""
    results = MatchResult.objects.filter(match__event=event, superseded_by__isnull=True)
    last = dict(results.values_list("match_id", "pk"))
    rows = event.matches.filter(VALID_MATCH_FILTER).values_list("pk", "ident")
    not_needed = MatchSnapshot((), BracketMatchState.NOT_NEEDED)
    snapshots = ((pk, matches.get(ident, not_needed)) for pk, ident in rows)
    return {pk: (match.sides, match.state.value, last.get(pk, 0)) for pk, match in snapshots}


def _load_match_snapshots(event: Event, course: EventStages) -> dict[str, MatchSnapshot]:
    states = {ident: state for stage in course.stages for ident, state in stage.match_states.items()}
    ready = {
        ident: frozenset(match.entries) for ident, match in states.items() if match.state is BracketMatchState.READY
    }
    tables, started = load_called_tables(event, ready), load_matches_with_started_cards(event, ready) if ready else ()
    return {
        ident: MatchSnapshot(
            match.sides,
            match.state,
            match.outcome,
            match.is_decided_without_result,
            match.kept,
            tables.get(ident),
            started=ident in started,
        )
        for ident, match in states.items()
    }


def _list_standings(course: EventStages) -> dict[tuple[int, int], PoolStanding]:
    """Return the standings in each pool, keyed by stage number and entry number."""
    standings: dict[tuple[int, int], PoolStanding] = {}
    for stage in course.pools:
        going_on = _find_advancing_entries(course, stage)
        for row in (row for _part, ranked in stage.pool.standings for row in ranked):
            why = stage.pool.qualifying[row.entry].why
            standings[stage.number, row.entry] = PoolStanding(stage.name, row.place, why, row.entry in going_on)
    return standings


def _find_advancing_entries(course: EventStages, stage: PoolStage) -> frozenset[int]:
    """Return the entries of a pool that would advance to the next stage or play off for it.

    There are none if the pool is incomplete or is the last stage.
    """
    after = course.plan.get_stage_after(stage.number)
    if after is None or not stage.is_complete:
        return frozenset()
    places = after.knockout.places if after.knockout is not None else None
    by_play_off = after.kind.traits.for_places
    advancement = stage.compute_advancement(places if by_play_off else None, None if by_play_off else places)
    return frozenset((*advancement.advancing_entries, *advancement.play_off))


def _list_opened_stages(course: EventStages) -> tuple[_OpenedStage, ...]:
    opened = []
    for at, stage in enumerate(course.stages[1:], start=1):
        knockout = stage.plan.knockout
        opened.append(
            _OpenedStage(
                number=stage.number,
                name=stage.name,
                entries=frozenset(stage.row.entries),
                qualifiers=list_ranked_qualifiers(EventStages(course.plan, course.stages[:at])),
                by_order=knockout is not None and (knockout.seeded or bool(knockout.byes_to)),
                may_go_back=stage is course.current_stage and is_stage_without_result(stage),
                takes_more=stage is course.current_stage and stage.accepts_late_entries,
            )
        )
    return tuple(opened)


@dataclass(frozen=True, slots=True)
class QualifierChange:
    """An opened stage whose qualifiers would change if the result were corrected.

    The `unqualified` entries should not be in the stage, and the `missing` entries should be. If the stage is
    `reordered`, it has the right entries, but places or byes would be different.
    """

    stage: _OpenedStage
    unqualified: tuple[int, ...]
    missing: tuple[int, ...]
    reordered: bool


@dataclass(frozen=True, slots=True)
class MatchChange:
    """A match that would change. `before` is None if it would be new, and `after` is None if it would disappear."""

    ident: str
    before: MatchSnapshot | None
    after: MatchSnapshot | None

    @property
    def frees_table(self) -> bool:
        """Whether the match is at a table but would no longer be played by its current players."""
        if self.before is None or self.before.table is None:
            return False
        return (
            self.after is None
            or self.after.sides != self.before.sides
            or self.after.state is not BracketMatchState.READY
        )


@dataclass(frozen=True, slots=True)
class _Change(Generic[_T]):
    """A change to an entry's place, pool standing, or prize."""

    entry: int
    before: _T
    after: _T


@dataclass(frozen=True)
class ActionEffects:
    """All the changes that an action would make.

    Some prize money is certain for an entry, and the rest is not certain for anybody yet (`not_yet_won_cents`). The two
    add up to the prize pool, both before and after the action.

    `cards` are the signed cards of the changed matches, with their status after the action. `cards_before` are the same
    cards with their current status, if it was loaded.
    """

    before: EventSnapshot
    after: EventSnapshot
    matches: tuple[MatchChange, ...]
    standings: tuple[_Change[PoolStanding | None], ...]
    places: tuple[_Change[tuple[TiedPlaces, ...]], ...]
    money: tuple[_Change[CentsRange], ...]
    qualifier_changes: tuple[QualifierChange, ...] = ()
    cards: tuple[CardSummary, ...] = ()
    cards_before: tuple[CardSummary, ...] = ()

    def __bool__(self) -> bool:
        changed = (self.matches, self.standings, self.places, self.money, self.qualifier_changes)
        return any((*changed, self.changed_cards, self.rulings))

    @property
    def rulings(self) -> tuple[RulingStatement, ...]:
        """The rulings whose effects the action would change. Each lists only the changes that the action would add."""
        known = {ruling.number: ruling.said for ruling in self.before.rulings}
        added = (
            replace(ruling, said=tuple(change for change in ruling.said if change not in known.get(ruling.number, ())))
            for ruling in self.after.rulings
        )
        return tuple(ruling for ruling in added if ruling.said)

    @property
    def changed_cards(self) -> tuple[tuple[CardSummary | None, CardSummary], ...]:
        """The signed cards whose status would change. Each item is the card before the action and after it.

        The first of the two is None if the card before the action was not loaded.
        """
        known = {card.card: card for card in self.cards_before}
        pairs = ((known.get(card.card), card) for card in self.cards)
        return tuple(pair for pair in pairs if (pair[0].kind if pair[0] else CardStatusKind.STANDS) is not pair[1].kind)

    @property
    def digest(self) -> str:
        """A digest of everything the preview shows. If it has changed when the user confirms, the action is not run."""
        return compute_preview_digest(
            self.matches,
            self.standings,
            self.places,
            self.money,
            self.changed_paid_prizes,
            self.qualifier_changes,
            [(card.match, card.game, card.title, card.kind.value) for card in self.cards],
            [(ruling.number, ruling.said) for ruling in self.rulings],
            (
                self.before.pool_cents,
                self.after.pool_cents,
                self.before.not_yet_won_cents,
                self.after.not_yet_won_cents,
            ),
            [(entry, name) for entry, name in sorted(self.after.names.items()) if self.before.names.get(entry) != name],
        )

    @property
    def changed_paid_prizes(self) -> tuple[tuple[_Change[CentsRange], int], ...]:
        """The changed prizes that were already paid, at least in part, each with the amount paid in cents."""
        paid = self.before.paid
        return tuple((change, paid[change.entry]) for change in self.money if change.entry in paid)

    @property
    def round_count(self) -> int:
        """The number of rounds in the event's single-elimination bracket, or 0 if it has none."""
        rounds = (ident[1:].partition("M") for ident in self.after.matches if ident.startswith("R"))
        return max((int(number) for number, is_match, _position in rounds if is_match), default=0)

    def name(self, entry: int) -> str:
        return self.after.names.get(entry) or self.before.names.get(entry) or str(entry)


def compare_snapshots(before: EventSnapshot, after: EventSnapshot) -> ActionEffects:
    """Return the differences between two snapshots.

    Matches are in the order of the draw. Places and prizes are in the order of the entry numbers.
    """
    idents = dict.fromkeys([*before.matches, *after.matches])
    matches = (MatchChange(ident, before.matches.get(ident), after.matches.get(ident)) for ident in idents)
    standings = (
        _Change(key[1], before.standings.get(key), after.standings.get(key))
        for key in dict.fromkeys([*after.standings, *before.standings])
    )
    entries = sorted({*before.names, *after.names})
    places = (_Change(entry, before.places.get(entry, ()), after.places.get(entry, ())) for entry in entries)
    money = (_Change(entry, before.won.get(entry, NO_PRIZE), after.won.get(entry, NO_PRIZE)) for entry in entries)
    return ActionEffects(
        before=before,
        after=after,
        matches=tuple(change for change in matches if change.before != change.after),
        standings=tuple(change for change in standings if change.before != change.after),
        places=tuple(change for change in places if change.before != change.after),
        money=tuple(change for change in money if change.before != change.after),
        qualifier_changes=_compare_qualifiers(before.opened_stages, after.opened_stages),
        cards=after.cards,
    )


def _compare_qualifiers(before: Sequence[_OpenedStage], after: Sequence[_OpenedStage]) -> tuple[QualifierChange, ...]:
    stages_after = {stage.number: stage for stage in after}
    changes = []
    for old in before:
        new = stages_after.get(old.number)
        if new is None or old.qualifiers == new.qualifiers:
            continue
        unqualified = (new.entries - new.qualifier_numbers) - (old.entries - old.qualifier_numbers)
        missing = (new.qualifier_numbers - new.entries) - (old.qualifier_numbers - old.entries)
        reordered = new.by_order and old.qualifier_numbers == new.qualifier_numbers
        if unqualified or missing or reordered:
            changes.append(QualifierChange(new, tuple(sorted(unqualified)), tuple(sorted(missing)), reordered))
    return tuple(changes)
