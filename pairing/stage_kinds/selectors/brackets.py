"""The bracket of a stage and its recorded facts, read in a constant number of queries."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from pairing.draws.knockout.bracket import ByeTaken, make_bracket, make_double_bracket, with_late_entries
from pairing.draws.knockout.elimination import AnyBracket
from pairing.draws.places import Places
from pairing.draws.results import BracketFact, MatchOutcome, Removed, SidesKept
from pairing.draws.stages.plan import StageKind
from pairing.matches.selectors.records import BACK, REMOVALS, read_credits
from pairing.models import Draw, LateEntry, MatchKept, MatchResult, Stage
from tournament.models import EntrantFact

DatedFact = tuple[datetime, int, BracketFact]
"""The time and primary key of a fact, and the fact. Facts are applied in this order."""


def bracket_of(stage: Stage) -> AnyBracket:
    """Return the bracket of an elimination stage, from its original places and the byes taken since."""
    places = places_of(stage)
    if StageKind(stage.kind).traits.two_lives:
        return _double(places)
    # Only a late entry that took a bye changes the bracket, so a bracket without byes needs no query.
    taken = load_byes_taken(stage) if None in places else []
    return with_late_entries(make_bracket(places), taken)


@lru_cache(maxsize=32)
def _double(places: Places) -> AnyBracket:
    return make_double_bracket(places)


def placing_of(stage: Stage) -> Mapping[str, Any]:
    """Return the `order`, `places`, `moves` and `avoid` of a bracket, and the terms for its byes.

    For a first stage these come from the draw, for a later stage from its own record.
    """
    draw: Draw = stage.draw
    if stage.number > 1:
        return dict(stage.record)
    return {"order": draw.order, "places": draw.places, "moves": draw.moves, "avoid": draw.avoid, "terms": draw.terms}


def places_of(stage: Stage) -> Places:
    """Return the places as they were drawn or seeded, without late entries."""
    return tuple(placing_of(stage)["places"])


def load_byes_taken(stage: Stage) -> list[ByeTaken]:
    """Return the byes that late entries took, in the order in which they came."""
    rows = LateEntry.objects.filter(stage=stage, taken_back__isnull=True).order_by("pk")
    columns = rows.values_list("bye__number", "entrant__number", "match__position")
    return [ByeTaken(bye, entry, position) for bye, entry, position in columns]


def load_facts(stage: Stage) -> list[BracketFact]:
    """Return the outcomes, kept sides and removals since the stage was opened, in order."""
    return [fact for _at, _pk, fact in load_dated_facts(stage)]


def load_dated_facts(stage: Stage) -> list[DatedFact]:
    event = stage.draw.commitment.event_id
    kept = MatchKept.objects.filter(match__stage=stage).values_list("at", "pk", "match__ident", "sides")
    found: list[DatedFact] = [(at, pk, SidesKept(ident, (upper, lower))) for at, pk, ident, (upper, lower) in kept]
    results = MatchResult.objects.filter(match__stage=stage)
    rows = results.values_list("at", "pk", "match__ident", "winner__number", "credits")
    found += [(at, pk, MatchOutcome(ident, winner, read_credits(credits))) for at, pk, ident, winner, credits in rows]
    back: set[int] = set()
    removals = EntrantFact.objects.filter(entrant__event=event, kind__in=[*REMOVALS, BACK], at__gte=stage.at)
    for at, pk, number, kind in removals.order_by("-pk").values_list("at", "pk", "entrant__number", "kind"):
        if kind == BACK:
            back.add(number)
        elif number not in back:
            found.append((at, pk, Removed(number, REMOVALS[EntrantFact.Kind(kind)])))
    return sorted(found, key=lambda fact: fact[:2])
