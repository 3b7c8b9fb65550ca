"""Find the byes of round one that late entries can take, and the entrants who wait for a place."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from pairing.apart.selectors import load_apart_pairs
from pairing.draws.knockout.bracket import Bracket, bye_lots
from pairing.draws.knockout.progress import State
from pairing.draws.places import Places
from pairing.knockout.selectors import load_in_play
from pairing.matches.selectors.records import load_names
from pairing.models import Draw, LateEntry, Stage
from pairing.stage_kinds.selectors.brackets import places_of
from pairing.stage_kinds.selectors.stages import load_course, load_persons
from tournament.core.selectors.events import ListedEntry, load_entries
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class OpenBye:
    """An entry with a bye, and the match to which it advances by it."""

    entry: int
    match: str


@dataclass(frozen=True)
class OpenByes:
    """The byes that can still be taken, in the order of their lots.

    `drawn` is the number of round-one matches in the draw.
    """

    stage: Stage
    byes: tuple[OpenBye, ...]
    entries: frozenset[int]
    drawn: int


def load_open_byes(event: Event) -> OpenByes | None:
    """Return the open byes, or None unless the first stage is a single-elimination bracket with byes."""
    bracket = load_course(event).bracket
    if bracket is None or bracket.number > 1:
        return None
    stage, progress, places = bracket.row, bracket.progress, places_of(bracket.row)
    if not isinstance(progress.bracket, Bracket) or None not in places:
        return None
    shut = load_in_play(event, bracket) | _written(stage)
    firsts = ((entry, progress.bracket.first_of[entry]) for entry in lots_of(stage.draw, places))
    byes = tuple(
        OpenBye(entry, first.id)
        for entry, first in firsts
        if first.round == 2 and first.id not in shut and progress[first.id].state is not State.DECIDED
        if entry not in progress.removed
    )
    drawn = (len(places) - 2 * places.count(None)) // 2
    return OpenByes(stage, byes, frozenset(progress.bracket.entries), drawn)


def lots_of(draw: Draw, places: Places) -> tuple[int, ...]:
    return bye_lots(places, secret=draw.commitment.secret, draw_id=draw.commitment.draw_id)


def _written(stage: Stage) -> frozenset[str]:
    written = Q(results__isnull=False) | Q(kept__isnull=False)
    return frozenset(stage.matches.filter(written).values_list("ident", flat=True))


def takes_late_entries(event: Event) -> bool:
    """Return whether an entrant can still join, either the current stage or a bracket with an open bye."""
    course = load_course(event)
    if course.stages and course.current.takes_late_entries:
        return True
    found = load_open_byes(event)
    return found is not None and bool(found.byes)


def apart_from(event: Event, entry: int, found: OpenByes) -> frozenset[int]:
    """Return the entries that the director keeps apart from this one, in pairs or by club.

    Their byes are given to it only if no other is open.
    """
    byes = [bye.entry for bye in found.byes]
    pairs = load_apart_pairs(event, [entry, *byes], 1)
    return frozenset(number for pair in pairs if entry in pair for number in pair if number != entry)


def same_persons(event: Event, entry: int, found: OpenByes) -> frozenset[int]:
    """Return the entries of the same person, whose byes this entry never gets."""
    persons = load_persons(event, [entry, *(bye.entry for bye in found.byes)])
    own = persons.get(entry, frozenset())
    return frozenset(bye.entry for bye in found.byes if own & persons.get(bye.entry, frozenset()))


@dataclass(frozen=True)
class LateByes:
    """The open byes, the entries that could take one, and the late entries that count."""

    open: OpenByes
    numbers: tuple[int, ...]
    came: tuple[LateEntry, ...]
    names: Mapping[int, str]


def load_late_byes(event: Event) -> LateByes | None:
    found = load_open_byes(event)
    if found is None:
        return None
    inside = event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True)
    came = load_late_entries(found.stage.draw).filter(taken_back__isnull=True)
    numbers = tuple(number for number in inside if number not in found.entries)
    return LateByes(found, numbers, tuple(came), load_names(event))


def load_late_entries(draw: Draw) -> QuerySet[LateEntry]:
    """Return all late entries of a draw, including undone ones."""
    return LateEntry.objects.filter(draw=draw).select_related("entrant", "bye", "match", "taken_back").order_by("pk")


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Entries that are checked in and in no match. `can_join`: a bye or a place in a pool is open for them."""

    entrants: tuple[ListedEntry, ...]
    can_join: bool


def load_unplaced(event: Event) -> Unplaced:
    """Return the late entries and re-entries that are in the event but in nothing that is played."""
    entries = load_course(event).entries if event.state == Event.State.IN_PLAY else ()
    if not entries:
        return Unplaced((), False)
    here = (entry for entry in load_entries(event) if entry.state == Entrant.State.IN and entry.arrived)
    waiting = tuple(entry for entry in here if entry.number not in entries)
    return Unplaced(waiting, bool(waiting) and takes_late_entries(event))
