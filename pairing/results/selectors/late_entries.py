"""Late entries: the entrants who can join the current stage, their missed games, and a bracket's open byes."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.knockout.bracket import order_byes_for_late_entries
from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.places import BracketPlaces
from pairing.models import Draw, LateEntry, Stage
from pairing.stages.selectors.boards import load_matches_in_play
from pairing.stages.selectors.brackets import read_drawn_places
from pairing.stages.selectors.course import EventStages, list_advancing_entries, load_event_stages
from pairing.stages.selectors.plans import load_desk_terms
from pairing.stages.selectors.records import load_current_entry_numbers
from tournament.core.selectors.events import ListedEntry, load_entries
from tournament.models import Entrant, Event


def can_join_stage(course: EventStages, entry: int) -> bool:
    """Return whether an entry can join the current stage.

    An entry can join if it played in no earlier stage, or if it should have advanced to this one according to the
    current standings.
    """
    if course.pool is None or entry in course.pool.qualifying.entrants:
        return False
    if entry not in course.entries:
        return True
    return len(course.stages) > 1 and entry in list_advancing_entries(EventStages(course.plan, course.stages[:-1]))


@dataclass(frozen=True, slots=True)
class LateEntryTerms:
    """The entries that can join a stage, and how their missed games count.

    `default_missed_games` is the default number of missed games, and `max_missed_games` is the maximum.
    """

    stage: str
    numbers: tuple[int, ...]
    default_missed_games: int
    max_missed_games: int
    missed_games_policy: MissedGamesPolicy


def load_late_entry_terms(event: Event) -> LateEntryTerms | None:
    """Return the terms for late entries, or None if there is no draw or the pairings are fixed."""
    course = load_event_stages(event)
    if not course.stages or not course.current_stage.accepts_late_entries:
        return None
    most, pairs_in_rounds = compute_max_missed_games(course), course.current_stage.kind.traits.pairs_in_rounds
    return LateEntryTerms(
        stage=course.current_stage.name,
        numbers=tuple(number for number in load_current_entry_numbers(event) if can_join_stage(course, number)),
        # In a stage by rounds, a late entry has usually missed the posted rounds.
        default_missed_games=min(course.pool.max_started_games, most)
        if course.pool is not None and pairs_in_rounds
        else 0,
        max_missed_games=most,
        missed_games_policy=load_desk_terms(event, course.current_stage.number).missed,
    )


def compute_max_missed_games(course: EventStages) -> int:
    """Return the maximum number of games that can count as missed. At least one game must be left to play.

    The maximum is 0 for stages in which a late entry plays all games.
    """
    pool = course.pool
    traits = course.current_stage.kind.traits
    if pool is None or traits.all_meet or traits.in_line:
        return 0
    return pool.terms.qualifier.games - 1


# --- Byes of round one that late entries can take --------------------------------------------------------------------


@dataclass(frozen=True)
class OpenByes:
    """The byes that late entries can still take over, in the order of lots that follow from the draw's secret.

    `byes` maps each entry with a bye to its first match. `entries` are all entries in the bracket. `drawn_match_count`
    is the number of round-one matches in the draw.
    """

    stage: Stage
    byes: Mapping[int, str]
    entries: frozenset[int]
    drawn_match_count: int


def load_open_byes(event: Event) -> OpenByes | None:
    """Return the open byes, or None if the first stage is not a single-elimination bracket with byes."""
    bracket = load_event_stages(event).bracket
    if bracket is None or bracket.number > 1:
        return None
    stage, progress, places = bracket.row, bracket.progress, read_drawn_places(bracket.row)
    if progress.bracket.is_double or None not in places:
        return None
    written = stage.matches.filter(Q(results__isnull=False) | Q(kept__isnull=False))
    closed = load_matches_in_play(event, bracket) | set(written.values_list("ident", flat=True))
    firsts = ((entry, progress.bracket.first_matches[entry]) for entry in list_byes_in_lot_order(stage.draw, places))
    byes = {
        entry: first.id
        for entry, first in firsts
        if first.round == 2 and first.id not in closed and progress[first.id].state is not BracketMatchState.DECIDED
        if entry not in progress.removed
    }
    drawn = (len(places) - 2 * places.count(None)) // 2
    return OpenByes(stage, byes, frozenset(progress.bracket.entries), drawn)


def list_byes_in_lot_order(draw: Draw, places: BracketPlaces) -> tuple[int, ...]:
    return order_byes_for_late_entries(places, secret=draw.commitment.secret, draw_id=draw.commitment.draw_id)


def accepts_late_entries(event: Event) -> bool:
    """Return whether an entrant can still join, either in the current stage or in place of an open bye."""
    course = load_event_stages(event)
    if course.stages and course.current_stage.accepts_late_entries:
        return True
    open_byes = load_open_byes(event)
    return open_byes is not None and bool(open_byes.byes)


def load_late_entries(draw: Draw) -> QuerySet[LateEntry]:
    """Return a draw's late entries, including undone ones."""
    return LateEntry.objects.filter(draw=draw).select_related("entrant", "bye", "match", "taken_back").order_by("pk")


def load_undrawn_entries(event: Event) -> tuple[tuple[ListedEntry, ...], bool]:
    """Return the checked-in entries that are not in the draw, and whether they can still join."""
    entries = load_event_stages(event).entries if event.state == Event.State.IN_PLAY else ()
    if not entries:
        return (), False
    here = (entry for entry in load_entries(event) if entry.state == Entrant.State.IN and entry.arrived)
    waiting = tuple(entry for entry in here if entry.number not in entries)
    return waiting, bool(waiting) and accepts_late_entries(event)
