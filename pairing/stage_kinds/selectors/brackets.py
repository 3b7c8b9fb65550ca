"""The bracket as it stands: facts in, one pure value out, in a constant number of queries."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.double_bracket import make_double_bracket
from pairing.draws.knockout.elimination import AnyBracket
from pairing.draws.knockout.late_byes import ByeTaken, with_late_entries
from pairing.draws.placement.places import Places
from pairing.draws.results.credits import BracketFact, MatchOutcome, Removed, SidesKept
from pairing.draws.stages.kinds import StageKind
from pairing.matches.selectors.records import BACK, REMOVALS, read_credits
from pairing.models import Draw, LateEntry, MatchKept, MatchResult, Stage
from tournament.models import EntrantFact

DatedFact = tuple[datetime, int, BracketFact]
"""When it was recorded, its primary key, and what it says: facts count in this order."""


def bracket_of(stage: Stage) -> AnyBracket:
    """The bracket of an elimination stage, from the places it was opened with and the byes taken since."""
    places = places_of(stage)
    if StageKind(stage.kind).traits.two_lives:
        return _double(places)
    # Without a bye nobody can have come late: most brackets ask nothing.
    taken = load_byes_taken(stage) if None in places else []
    return with_late_entries(make_bracket(places), taken)


@lru_cache(maxsize=32)
def _double(places: Places) -> AnyBracket:
    return make_double_bracket(places)


def placing_of(stage: Stage) -> Mapping[str, Any]:
    """How the places of a bracket came about: `order`, `places`, `moves`, `avoid`, and the byes that were given.

    Of the first stage the draw has it, of a later one its own record.
    """
    draw: Draw = stage.draw
    if stage.number > 1:
        return dict(stage.record)
    return {"order": draw.order, "places": draw.places, "moves": draw.moves, "avoid": draw.avoid, "terms": draw.terms}


def places_of(stage: Stage) -> Places:
    """As they were drawn or seeded, before anybody came late."""
    return tuple(placing_of(stage)["places"])


def load_byes_taken(stage: Stage) -> list[ByeTaken]:
    """In the order in which they came."""
    rows = LateEntry.objects.filter(stage=stage, taken_back__isnull=True).order_by("pk")
    columns = rows.values_list("bye__number", "entrant__number", "match__position")
    return [ByeTaken(bye, entry, position) for bye, entry, position in columns]


def load_facts(stage: Stage) -> list[BracketFact]:
    """Outcomes, kept sides and removals since the stage was opened, as recorded."""
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
