"""Who can still join the stage that is played now, and what counts of what they have missed."""

from dataclasses import dataclass

from pairing.course.selectors.openings import advancing
from pairing.desk.selectors.waiting import load_desk_terms
from pairing.draws.desk.desk_terms import MissedGamesPolicy
from pairing.stage_kinds.selectors.stages import Course, load_course
from tournament.models import Entrant, Event


def may_join(course: Course, entry: int) -> bool:
    """Anyone who has played in no stage before; in a later one also who should have gone on to it by the standings
    now."""
    if course.pool is None or entry in course.pool.qualifying.entrants:
        return False
    return entry not in course.entries or entry in should_be_in(course)


def should_be_in(course: Course) -> frozenset[int]:
    """Who would come into the stage that is played now, if it were opened by the standings as they are."""
    if len(course.stages) < 2:
        return frozenset()
    return advancing(Course(course.plan, course.stages[:-1]))


@dataclass(frozen=True, slots=True)
class LateTerms:
    """Who can join a stage, and how many games of `most` are usually over for them, counting as what."""

    stage: str
    numbers: tuple[int, ...]
    missed: int
    most: int
    counts_as: MissedGamesPolicy


def load_late_terms(event: Event) -> LateTerms | None:
    """None where nobody can join: nothing is drawn, or who meets whom is fixed."""
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
    """How many games are over before somebody who comes now: of rounds those that were posted."""
    pool = course.pool
    if pool is None or not course.current.kind.traits.by_rounds:
        return 0
    return min(pool.rounds, most_missed(course))


def most_missed(course: Course) -> int:
    """One game at least is left to play, where each plays so many; else all of them are."""
    pool = course.pool
    traits = course.current.kind.traits
    if pool is None or traits.all_meet or traits.in_line:
        return 0
    return pool.terms.qualifier.games - 1
