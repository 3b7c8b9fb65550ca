"""The state of a bracket stage, computed from its recorded facts.

A write transaction can load the state once, and then update it with each result (`UpdatableBracket`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any

from pairing.draws.knockout.bracket import (
    Bracket,
    ByeTakeover,
    make_bracket,
    make_double_elimination_bracket,
    replace_byes_with_matches,
)
from pairing.draws.knockout.corrections import propagate_correction
from pairing.draws.knockout.places import Placings, PossiblePlaces, find_possible_places, make_placings
from pairing.draws.knockout.progress import BracketMatchState, BracketProgress, make_bracket_progress
from pairing.draws.places import BracketPlaces
from pairing.draws.results import BracketFact, EntryRemoval, MatchOutcome, RetainedMatchSides
from pairing.draws.stages.corrections import ResultCorrection
from pairing.draws.stages.plan import StageKind, StagePlan
from pairing.draws.stages.pools import add_absent_entries_to_groups
from pairing.models import Draw, LateEntry, Match, MatchKept, MatchResult, Stage
from pairing.stages.selectors.kinds import MatchState, NewResult, StageState
from pairing.stages.selectors.records import (
    REINSTATED_FACT_KIND,
    REMOVAL_REASON_BY_KIND,
    EventStageFacts,
    load_open_stages,
    parse_match_credits,
    read_outcome,
)
from tournament.models import Entrant, EntrantFact

DatedBracketFact = tuple[datetime, int, BracketFact]
"""A fact with its time and primary key. Facts are applied in this order."""


def load_bracket(stage: Stage) -> Bracket:
    """Return the bracket of an elimination stage. Each bye that a late entry took over is replaced by a match."""
    places = read_drawn_places(stage)
    if StageKind(stage.kind).traits.two_lives:
        return _make_cached_double_bracket(places)
    taken: list[ByeTakeover] = []
    if None in places:
        # Only a late entry that took a bye changes the bracket, so a bracket without byes needs no query.
        rows = LateEntry.objects.filter(stage=stage, taken_back__isnull=True).order_by("pk")
        columns = rows.values_list("bye__number", "entrant__number", "match__position")
        taken = [ByeTakeover(bye, entry, position) for bye, entry, position in columns]
    return replace_byes_with_matches(make_bracket(places), taken)


@lru_cache(maxsize=32)
def _make_cached_double_bracket(places: BracketPlaces) -> Bracket:
    return make_double_elimination_bracket(places)


def load_bracket_record(stage: Stage) -> Mapping[str, Any]:
    """Return the record of how a bracket was drawn or seeded.

    The first stage's record comes from the draw. `places` has the entry at each position, and `order` has the entries
    in drawn order. `moves` lists the exchanges of entries. `avoid` and `terms` are the avoid list and the director's
    terms.

    The record of a later stage always has `places`. Its other fields depend on the kind of stage.
    """
    draw: Draw = stage.draw
    if stage.number > 1:
        return dict(stage.record)
    return {"order": draw.order, "places": draw.places, "moves": draw.moves, "avoid": draw.avoid, "terms": draw.terms}


def read_drawn_places(stage: Stage) -> BracketPlaces:
    """Return the positions as they were drawn or seeded, without late entries."""
    return tuple(load_bracket_record(stage)["places"])


def _load_dated_facts(stage: Stage) -> list[DatedBracketFact]:
    """Return the facts that determine the bracket's state, in order.

    The facts are the outcomes, the sides kept after corrections, and the removals since the stage was opened.
    """
    event = stage.draw.commitment.event_id
    kept = MatchKept.objects.filter(match__stage=stage).values_list("at", "pk", "match__ident", "sides")
    facts: list[DatedBracketFact] = [
        (at, pk, RetainedMatchSides(ident, (upper, lower))) for at, pk, ident, (upper, lower) in kept
    ]
    results = MatchResult.objects.filter(match__stage=stage)
    rows = results.values_list("at", "pk", "match__ident", "winner__number", "credits")
    facts += [
        (at, pk, MatchOutcome(ident, winner, parse_match_credits(credits))) for at, pk, ident, winner, credits in rows
    ]
    reinstated: set[int] = set()
    removals = EntrantFact.objects.filter(
        entrant__event=event, kind__in=[*REMOVAL_REASON_BY_KIND, REINSTATED_FACT_KIND], at__gte=stage.at
    )
    for at, pk, number, kind in removals.order_by("-pk").values_list("at", "pk", "entrant__number", "kind"):
        if kind == REINSTATED_FACT_KIND:
            reinstated.add(number)
        elif number not in reinstated:
            facts.append((at, pk, EntryRemoval(number, REMOVAL_REASON_BY_KIND[EntrantFact.Kind(kind)])))
    return sorted(facts, key=lambda fact: fact[:2])


# --- The state of a bracket, with single or double elimination -------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class BracketStage(StageState):
    progress: BracketProgress
    facts: tuple[BracketFact, ...] = ()

    @property
    def is_complete(self) -> bool:
        return self.progress.is_complete

    @cached_property
    def match_states(self) -> Mapping[str, MatchState]:
        return {
            ident: MatchState(
                tuple(side.entry for side in view.sides),
                view.state,
                view.outcome,
                view.is_decided_without_result,
                kept=any(side.kept for side in view.sides),
            )
            for ident, view in self.progress.views.items()
        }

    @cached_property
    def ready_matches(self) -> tuple[str, ...]:
        return tuple(view.match.id for view in self.progress.ready)

    @property
    def entries(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys([*self.row.entries, *self.progress.bracket.entries]))

    @cached_property
    def places_in_bracket(self) -> Placings:
        return make_placings(self.progress)

    @property
    def disqualified(self) -> tuple[int, ...]:
        return self.places_in_bracket.disqualified

    def find_affected_entries(self, ident: str) -> frozenset[int]:
        return self.progress.find_affected_entries(ident)

    def compute_correction(self, new: NewResult) -> ResultCorrection:
        if new.outcome is None:
            return ResultCorrection()
        before = self.progress
        later = propagate_correction(before.bracket, self.facts, new.outcome, new.choices, new.in_play(), before=before)
        return ResultCorrection(
            affected_matches=later.touched,
            facts_to_record=tuple(fact for fact in later.added if not isinstance(fact, EntryRemoval)),
            winner_advances=True,
            matches_with_other_players=later.after.find_changed_matches(later.before),
            double_bookings=later.double_bookings,
        )

    def iter_tied_groups(self, before: Sequence[StageState]) -> Iterator[tuple[int, ...]]:
        """Yield the groups of entries that share a place, best first.

        The first group has the entries that are still playing, if there are any. If the event ends early, they share
        first place.
        """
        places = self.places_in_bracket
        yield from [places.still_in] if places.still_in else []
        yield from add_absent_entries_to_groups((placing.entries for placing in places.finish), self.absent)

    def compute_possible_places(self, before: Sequence[StageState]) -> PossiblePlaces:
        """Return the places that each entry can still get in the event. `before` are the earlier stages."""

        def rank(progress: BracketProgress) -> Placings:
            return replace(self, progress=progress).compute_placings(before) or make_placings(progress)

        finishes = find_possible_places(self.progress.bracket, self.facts, rank)
        without = {entry for stage in (*before, self) for entry in stage.disqualified}
        still_in = tuple(entry for entry in self.places_in_bracket.still_in if entry not in without)
        return PossiblePlaces(finishes, still_in, tuple(sorted(without)))


def load_bracket_stage(
    facts: EventStageFacts, row: Stage, planned: StagePlan, before: Sequence[StageState]
) -> BracketStage:
    recorded = tuple(fact for _at, _pk, fact in _load_dated_facts(row))
    progress = make_bracket_progress(load_bracket(row), recorded)
    return BracketStage(row=row, plan=planned, seed=facts.make_seed(row), progress=progress, facts=recorded)


# --- A bracket to which new results are applied without reading its facts again --------------------------------------


@dataclass(frozen=True)
class UpdatableBracket:
    """A bracket that was loaded inside a write transaction, and that can be updated with new results.

    It stays valid as long as the transaction records only results.
    """

    stage: Stage
    bracket: Bracket
    facts: tuple[DatedBracketFact, ...]
    loaded_entrants: dict[int, Entrant] = field(default_factory=dict, compare=False)
    """The entrants loaded so far, by entry number."""

    @cached_property
    def progress(self) -> BracketProgress:
        return make_bracket_progress(self.bracket, [fact for _at, _pk, fact in self.facts])

    def has_result(self, match: Match) -> bool:
        """Return whether a result was ever recorded for the match, even if it no longer counts."""
        outcomes = (fact for _at, _pk, fact in self.facts if isinstance(fact, MatchOutcome))
        return any(outcome.match == match.ident for outcome in outcomes)

    def find_affected_entries(self, match: Match) -> frozenset[int]:
        return self.progress.find_affected_entries(match.ident)

    def load_entrants(self, numbers: Collection[int]) -> dict[int, Entrant]:
        """Return the entrants with these numbers.

        The first call also loads all entrants who are still playing, which saves later queries.
        """
        if not self.loaded_entrants.keys() >= set(numbers):
            open_views = (view for view in self.progress.views.values() if view.state is not BracketMatchState.DECIDED)
            wanted = {*numbers, *(entry for view in open_views for entry in view.entries)}
            rows = Entrant.objects.filter(event=self.stage.draw.commitment.event_id, number__in=wanted)
            self.loaded_entrants.update((entrant.number, entrant) for entrant in rows.order_by("number"))
        return {number: self.loaded_entrants[number] for number in numbers}

    def with_result(self, result: MatchResult) -> "UpdatableBracket":
        facts = [*self.facts, (result.at, result.pk, read_outcome(result))]
        return replace(self, facts=tuple(sorted(facts, key=lambda fact: fact[:2])))


def load_updatable_bracket(match: Match) -> UpdatableBracket | None:
    """Return the match's bracket, or None if the match is not in a bracket."""
    stage = load_open_stages(match.event).filter(pk=match.stage_id).first()
    if stage is None or not StageKind(stage.kind).traits.is_bracket:
        return None
    return UpdatableBracket(stage, load_bracket(stage), tuple(_load_dated_facts(stage)))
