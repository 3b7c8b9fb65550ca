"""Load the places of all entrants: final, possible, or so far."""

from pairing.course.selectors.openings import is_over
from pairing.draws.knockout.elimination import Placings, PossiblePlaces
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Event
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
    None before a draw is posted, and for stages with two sides, which end by the totals of their closed cards.
    """
    stages = load_course(event).stages
    return stages[-1].placings_if_ended(stages[:-1]) if stages else None
