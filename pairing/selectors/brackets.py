"""The bracket as it stands: facts in, one pure value out, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from django.db import connection

from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.double_bracket import make_double_bracket
from pairing.draws.knockout.elimination import AnyBracket, AnyProgress, make_any_placings, make_any_progress
from pairing.draws.knockout.late_byes import ByeTaken, with_late_entries
from pairing.draws.knockout.placing import Placings
from pairing.draws.results.credits import BracketFact, Cause, Credit, MatchOutcome, Removal, Removed, Result, SidesKept
from pairing.draws.stages.plan import StageKind
from pairing.models import Draw, LateEntry, MatchKept, MatchResult, Stage
from pairing.selectors.formats import plays_bracket, plays_stages
from tournament.models import EntrantFact, Event
from tournament.selectors.kept import until_written

REMOVALS = {
    EntrantFact.Kind.WITHDRAWN: Removal.WITHDRAWN,
    EntrantFact.Kind.NO_SHOW: Removal.NO_SHOW,
    EntrantFact.Kind.ELIMINATED: Removal.ELIMINATED,
    EntrantFact.Kind.DISQUALIFIED: Removal.DISQUALIFIED,
}

BACK = EntrantFact.Kind.REINSTATED
"""A removal that was taken back is left out, as if it had never been."""


def load_posted_draw(event: Event) -> Draw | None:
    """The draw that counts: posted and not taken back."""
    return (
        Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True)
        .select_related("commitment", "posted")
        .order_by("-pk")
        .first()
    )


def load_progress(event: Event) -> AnyProgress | None:
    """Every match as it stands; None before a draw is posted, and where the format has no bracket.

    Of an event in stages it is the bracket at the end, once it is opened.

    Kept by the event's version; inside a transaction until the next write: what is written there may be taken back.
    """
    if not plays_bracket(event) and not plays_stages(event):
        return None
    if connection.in_atomic_block:
        return until_written(("bracket", event.pk), lambda: _make(event))
    version = Event.objects.values_list("version", flat=True).get(pk=event.pk)
    return _kept(event.pk, version)


def load_placings(event: Event) -> Placings | None:
    progress = load_progress(event)
    return make_any_placings(progress) if progress else None


@lru_cache(maxsize=64)
def _kept(event_id: int, version: int) -> AnyProgress | None:
    return _make(Event.objects.get(pk=event_id))


def _make(event: Event) -> AnyProgress | None:
    draw = load_posted_draw(event)
    if draw is None:
        return None
    if not plays_stages(event):
        return make_any_progress(bracket_in(draw), load_facts(event, draw))
    stage = load_elimination(draw)
    if stage is None:
        return None
    return make_any_progress(bracket_of(stage), load_facts(event, draw, stage))


def load_elimination(draw: Draw) -> Stage | None:
    """The bracket at the end of an event in stages, once it is opened."""
    kinds = [StageKind.SINGLE, StageKind.DOUBLE]
    return draw.stages.filter(kind__in=kinds, taken_back__isnull=True).select_related("draw").last()


def bracket_of(stage: Stage) -> AnyBracket:
    """The bracket of an elimination stage, from the places it was opened with and the byes taken since."""
    return bracket_in(stage.draw, stage)


def bracket_in(draw: Draw, stage: Stage | None = None) -> AnyBracket:
    """The bracket that is the whole event, or that of a stage, with the late entries that took a bye."""
    places = tuple(draw.places if stage is None else stage.record["places"])
    if stage is not None and stage.kind == StageKind.DOUBLE:
        return make_double_bracket(places)
    # Without a bye nobody can have come late: most brackets ask nothing.
    taken = load_byes_taken(draw, stage) if None in places else []
    return with_late_entries(make_bracket(places), taken)


def load_byes_taken(draw: Draw, stage: Stage | None) -> list[ByeTaken]:
    """In the order in which they came."""
    rows = LateEntry.objects.filter(draw=draw, stage=stage, taken_back__isnull=True).order_by("pk")
    columns = rows.values_list("bye__number", "entrant__number", "match__position")
    return [ByeTaken(bye, entry, position) for bye, entry, position in columns]


def load_facts(event: Event, draw: Draw, stage: Stage | None = None) -> list[BracketFact]:
    """Outcomes, kept sides and removals since the draw was posted (of a stage: since it was opened), as recorded."""
    posted = draw.posted.at if stage is None else stage.at
    found: list[tuple[object, int, BracketFact]] = [
        (at, pk, SidesKept(ident, (upper, lower)))
        for at, pk, ident, (upper, lower) in MatchKept.objects.filter(match__draw=draw, match__stage=stage).values_list(
            "at", "pk", "match__ident", "sides"
        )
    ]
    results = MatchResult.objects.filter(match__draw=draw, match__stage=stage).values_list(
        "at", "pk", "match__ident", "winner__number", "credits"
    )
    for at, pk, ident, winner, credits in results:
        found.append((at, pk, MatchOutcome(ident, winner, read_credits(credits))))
    back: set[int] = set()
    removals = EntrantFact.objects.filter(entrant__event=event, kind__in=[*REMOVALS, BACK], at__gte=posted)
    for at, pk, number, kind in removals.order_by("-pk").values_list("at", "pk", "entrant__number", "kind"):
        if kind == BACK:
            back.add(number)
        elif number not in back:
            found.append((at, pk, Removed(number, REMOVALS[EntrantFact.Kind(kind)])))
    found.sort(key=lambda fact: fact[:2])
    return [fact for _at, _pk, fact in found]


def read_credits(stored: dict[str, list[str]]) -> dict[int, Credit]:
    return {int(number): Credit(Result(result), Cause(cause)) for number, (result, cause) in stored.items()}


def outcome_of(result: MatchResult) -> MatchOutcome:
    """What one row recorded, whether it still counts or not."""
    winner = result.winner.number if result.winner else None
    return MatchOutcome(result.match.ident, winner, read_credits(result.credits))


def counts(result: MatchResult) -> bool:
    """Whether a row is a result: neither void, nor the taking back of the one before (without credits and points).

    Of as many sides as there are: at a table, too, where points without any credit are a result.
    """
    causes = {credit.cause for credit in read_credits(result.credits).values()}
    return bool(result.credits or result.score) and Cause.VOID not in causes


def write_credits(credits: Mapping[int, Credit]) -> dict[str, list[str]]:
    """Credits by entry number, as a result keeps them: [result, cause]."""
    return {str(number): [credit.result.value, credit.cause.value] for number, credit in credits.items()}


def load_names(event: Event) -> dict[int, str]:
    return dict(event.entrants.values_list("number", "name"))
