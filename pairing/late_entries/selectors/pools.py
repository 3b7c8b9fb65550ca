"""Compute who can join the current stage late, and how the games they missed count."""

from dataclasses import dataclass

from pairing.course.selectors.openings import advancing
from pairing.desk.selectors.waiting import load_desk_terms
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.stage_kinds.selectors.stages import Course, load_course
from tournament.models import Entrant, Event


def may_join(course: Course, entry: int) -> bool:
    """Return whether an entry can join the current stage.

    It can if it has played in no stage before, or should have advanced to this one by the present standings.
    """
    if course.pool is None or entry in course.pool.qualifying.entrants:
        return False
    return entry not in course.entries or entry in should_be_in(course)


def should_be_in(course: Course) -> frozenset[int]:
    """Return the entries that would be in the current stage if it were opened by the present standings."""
    if len(course.stages) < 2:
        return frozenset()
    return advancing(Course(course.plan, course.stages[:-1]))


@dataclass(frozen=True, slots=True)
class LateTerms:
    """The entries that can join a stage, and how their missed games count.

    `missed` games are usually over for them, and at most `most` can count as missed.
    """

    stage: str
    numbers: tuple[int, ...]
    missed: int
    most: int
    counts_as: MissedGamesPolicy


def load_late_terms(event: Event) -> LateTerms | None:
    """Return the terms of a late entry, or None if nothing is drawn or the pairings are fixed."""
    course = load_course(event)
    if not course.stages or not course.current.takes_late_entries:
        return None
    inside = event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True)
    return LateTerms(
        stage=course.current.name,
        numbers=tuple(number for number in inside if may_join(course, number)),
        missed=usual_missed(course),
        most=most_missed(course),
        counts_as=load_desk_terms(event, course.current.number).missed,
    )


def usual_missed(course: Course) -> int:
    """Return how many games a late entry has usually missed: the posted rounds, in a stage by rounds."""
    pool = course.pool
    if pool is None or not course.current.kind.traits.by_rounds:
        return 0
    return min(pool.rounds, most_missed(course))


def most_missed(course: Course) -> int:
    """Return the most games that can count as missed. At least one has to be left to play.

    0 for stages in which a late entry plays all its games.
    """
    pool = course.pool
    traits = course.current.kind.traits
    if pool is None or traits.all_meet or traits.in_line:
        return 0
    return pool.terms.qualifier.games - 1
