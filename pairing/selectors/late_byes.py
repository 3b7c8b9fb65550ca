"""Which byes of round one somebody who comes late can still take, and which of them they get by lot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from pairing.draws.knockout.bracket import Bracket
from pairing.draws.knockout.late_byes import bye_lots
from pairing.draws.knockout.progress import State
from pairing.draws.placement.places import Places
from pairing.models import Draw, LateEntry, Stage
from pairing.selectors.apart import load_apart_pairs
from pairing.selectors.boards import load_in_play
from pairing.selectors.brackets import load_elimination, load_names, load_posted_draw, load_progress
from pairing.selectors.formats import plays_stages
from pairing.selectors.stages import load_course, load_persons
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class OpenBye:
    """Who has it, and the match they would go on to without playing before."""

    entry: int
    match: str


@dataclass(frozen=True)
class OpenByes:
    """The byes that can be taken now, in the order of their lots.

    `stage` is None where the bracket is the whole event; `drawn` is how many matches round one was drawn with.
    """

    draw: Draw
    stage: Stage | None
    byes: tuple[OpenBye, ...]
    entries: frozenset[int]
    drawn: int


def load_open_byes(event: Event) -> OpenByes | None:
    """None where nobody takes a bye: no bracket that everybody began in, of single elimination, with byes."""
    draw = load_posted_draw(event)
    stage = load_elimination(draw) if draw is not None and plays_stages(event) else None
    if draw is None or (plays_stages(event) and (stage is None or stage.number > 1)):
        return None
    progress, places = load_progress(event), places_as_drawn(draw, stage)
    if progress is None or not isinstance(progress.bracket, Bracket) or None not in places:
        return None
    shut = load_in_play(event) | _written(draw, stage)
    byes = []
    for entry in lots_of(draw, places):
        first = progress.bracket.first_of[entry]
        is_open = first.round == 2 and first.id not in shut and progress[first.id].state is not State.DECIDED
        if is_open and entry not in progress.removed:
            byes.append(OpenBye(entry, first.id))
    drawn = (len(places) - 2 * places.count(None)) // 2
    return OpenByes(draw, stage, tuple(byes), frozenset(progress.bracket.entries), drawn)


def places_as_drawn(draw: Draw, stage: Stage | None) -> Places:
    """As they were drawn, before anybody came late."""
    return tuple(draw.places if stage is None else stage.record["places"])


def lots_of(draw: Draw, places: Places) -> tuple[int, ...]:
    return bye_lots(places, secret=draw.commitment.secret, draw_id=draw.commitment.draw_id)


def _written(draw: Draw, stage: Stage | None) -> frozenset[str]:
    """Matches of which something was ever recorded, void or not."""
    written = Q(results__isnull=False) | Q(kept__isnull=False)
    return frozenset(draw.matches.filter(written, stage=stage).values_list("ident", flat=True))


def takes_late_entries(event: Event) -> bool:
    """Whether somebody can still join: the stage that is played now, or a bracket with an open bye."""
    course = load_course(event)
    if course is not None and course.current.takes_late_entries:
        return True
    found = load_open_byes(event)
    return found is not None and bool(found.byes)


def apart_from(event: Event, entry: int, found: OpenByes) -> frozenset[int]:
    """Whose byes the entry does not get while there is another: the director keeps the two, or their clubs, apart."""
    byes = [bye.entry for bye in found.byes]
    pairs = load_apart_pairs(event, [entry, *byes], 1)
    return frozenset(number for pair in pairs if entry in pair for number in pair if number != entry)


def same_persons(event: Event, entry: int, found: OpenByes) -> frozenset[int]:
    """Whose byes the entry never gets: one person plays for both."""
    persons = load_persons(event, [entry, *(bye.entry for bye in found.byes)])
    own = persons.get(entry, frozenset())
    return frozenset(bye.entry for bye in found.byes if own & persons.get(bye.entry, frozenset()))


@dataclass(frozen=True)
class LateByes:
    """For the page: the open byes, who could take one, and the late entries that count."""

    open: OpenByes
    numbers: tuple[int, ...]
    came: tuple[LateEntry, ...]
    names: Mapping[int, str]


def load_late_byes(event: Event) -> LateByes | None:
    found = load_open_byes(event)
    if found is None:
        return None
    inside = event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True)
    came = load_late_entries(found.draw).filter(taken_back__isnull=True)
    numbers = tuple(number for number in inside if number not in found.entries)
    return LateByes(found, numbers, tuple(came), load_names(event))


def load_late_entries(draw: Draw) -> QuerySet[LateEntry]:
    """All of a draw, those that were taken back too."""
    return LateEntry.objects.filter(draw=draw).select_related("entrant", "bye", "match", "taken_back").order_by("pk")
