"""Load the course of an event in any format: the places of all entrants, the open matches, and their sides."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from pairing.draws.knockout.places import Placings, PossiblePlaces
from pairing.draws.stages.plan import StageKind
from pairing.models import Match
from pairing.ports import score_cards
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.openings import is_over
from pairing.stages.selectors.records import load_last_calls
from tournament.errors import Conflict
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_ended_early


def load_final_placings(event: Event) -> Placings | None:
    """Return the final places for any format, or None while something is undecided.

    If the event was ended early, these are the places at that moment.
    """
    course = load_course(event)
    final = course.current.placings(course.stages[:-1]) if course.stages and is_over(course) else None
    if final is not None and final.finish:
        return final
    return load_placings_so_far(event) if load_ended_early(event) is not None else final


def load_possible_places(event: Event) -> PossiblePlaces | None:
    """Return the places that every entry can still get, or None while no bracket is open.

    Once everything is decided, these are the final places.
    """
    final = load_final_placings(event)
    if final is not None:
        return PossiblePlaces.settled(final)
    course = load_course(event)
    return course.bracket.possible_places(course.stages[:-1]) if course.bracket is not None else None


def load_placings_so_far(event: Event) -> Placings | None:
    """Return the places by the games played so far, as an event that ends early needs them.

    Entries that are still in share first place of a bracket or play-off. Before any game, all are tied.
    Return None before a draw is posted, and for stages with two sides, which end by the totals of their closed cards.
    """
    stages = load_course(event).stages
    return stages[-1].placings_if_ended(stages[:-1]) if stages else None


# --- Matches that are ready, called or decided -----------------------------------------------------------------------


def load_ready(event: Event) -> list[str]:
    """Return the matches that can be played, in the order of the draw."""
    course = load_course(event)
    return list(course.current.ready) if course.stages else []


def load_decided(event: Event) -> list[str]:
    return load_course(event).decided


def has_played_all(entrant: Entrant) -> bool:
    """Return whether the entrant has score cards and all of them are closed."""
    return score_cards().has_only_closed_cards(entrant)


def drawn_entries(event: Event) -> Collection[int] | None:
    """Return the entries of the posted draw, or None before it is posted."""
    course = load_course(event)
    return course.entries if course.stages else None


def load_table_calls(event: Event) -> dict[str, datetime]:
    """Return the time of each match's last call to a table. Matches that were taken off are left out."""
    return {ident: call.at for ident, call in load_last_calls(event).items() if call.table is not None}


# --- The two sides of a match ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchSides:
    """The two sides of a match.

    `goes_on`: one of them has to advance, as in a bracket. `kind` is set for pools and play-offs.
    """

    numbers: tuple[int, int]
    goes_on: bool
    is_decided: bool
    kind: StageKind | None = None


def load_sides(event: Event, match: Match) -> MatchSides:
    """Return the sides of a match that can be decided.

    Raises:
        Conflict: `not-in-play`, or any error of `sides_of`.
    """
    if event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play", _("Results can be recorded only while the event is in play. Open the event again first.")
        )
    return sides_of(event, match)


def sides_of(event: Event, match: Match) -> MatchSides:
    """Return the sides of a match of a bracket, a play-off or a pool.

    Raises:
        Conflict: `no-opponent`, `passed-over`.
    """
    course = load_course(event)
    progress = course.progress
    found = course.find(match.ident)
    if found is not None:
        stage, staged = found
        if match.ident in stage.passed_over:
            raise Conflict(
                "passed-over",
                _("This match is no longer played, because an earlier result was corrected. Look at the bracket."),
            )
        return _two_sides(staged.meeting.sides, stage.pool is None, staged.is_decided, stage.kind)
    if progress is None or match.ident not in progress.views:
        raise Conflict("no-opponent", _("This match is not being played now. Look at the results."))
    view = progress[match.ident]
    return _two_sides(view.entries, True, view.outcome is not None, None)


def _two_sides(numbers: tuple[int, ...], goes_on: bool, is_decided: bool, kind: StageKind | None) -> MatchSides:
    if len(numbers) != 2:
        raise Conflict("no-opponent", _("Both players of this match are not known yet. Look at the bracket."))
    return MatchSides((numbers[0], numbers[1]), goes_on, is_decided, kind)
