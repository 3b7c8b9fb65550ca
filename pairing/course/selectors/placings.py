"""Who came where, once everything is decided, and so far."""

from pairing.course.selectors.openings import is_over
from pairing.draws.knockout.placing import Placings, PossiblePlaces
from pairing.stage_kinds.selectors.stages import load_course
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early


def load_final_placings(event: Event) -> Placings | None:
    """Who came where, however the event is played; None while something is still to be decided.

    Of an event that was ended early: who stood where then.
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
    """Who stands where now, by what was played: the places of an event that is ended early.

    Who is still in shares the first place of a bracket or play-off; where nobody has played, all are level. None
    before a draw is posted, and where two sides turn: there the cards are closed, and their totals stand.
    """
    stages = load_course(event).stages
    return stages[-1].placings_if_ended(stages[:-1]) if stages else None
