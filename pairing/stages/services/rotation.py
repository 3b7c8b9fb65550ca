"""The rounds of two sides: the first follows from the draw, each later one from the round before it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import StageKind
from pairing.draws.two_sides import GAMES, Couple, first_game, next_game, rotation, split, why_no_rotation, why_no_whist
from pairing.models import Match, Seating, SeatingPosted, Stage
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.kinds import Turning
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.rotation import seat_numbers, whist_tables_of
from tournament.core.services.record import Write
from tournament.errors import Conflict, DomainError
from tournament.models import Event
from tournament.registration.selectors.entries import load_sideless, side_names

EVENT_MATCH = "M1"
"""The name of the event's single match, whose cards are those of the whole event."""

SIDE_CHECKS = {StageKind.ROTATION: why_no_rotation, StageKind.COURT_WHIST: why_no_whist}


def refuse_missing_sides(event: Event) -> None:
    """Refuse to seal a list with entrants who have no side, if the format has two sides.

    Raises:
        DomainError: `no-side`, with their `numbers`.
    """
    unsaid = load_sideless(event)
    if unsaid:
        who = ", ".join(map(str, unsaid))
        said = _("These entrants have no side yet: %(who)s. Choose a side on their pages, then close registration.") % {
            "who": who
        }
        raise DomainError("no-side", said, numbers=[entrant.number for entrant in unsaid])


def refuse_unfit_sides(event: Event, numbers: Sequence[int]) -> None:
    """Refuse to draw unless everybody is on a side and the sizes of the sides fit.

    Raises:
        DomainError: `not-single`, `no-side`, `uneven-sides`.
    """
    if event.entry_size != 1:
        raise DomainError(
            "not-single", _("This format needs one player an entry. Change that in the event's settings.")
        )
    names = side_names(event)
    assert names is not None
    people = {entrant.number: entrant for entrant in event.entrants.filter(number__in=numbers)}
    unsaid = [str(people[number]) for number in numbers if not people[number].side]
    if unsaid:
        said = _("These entrants have no side yet: %(unsaid)s. Choose a side on their pages first.") % {
            "unsaid": ", ".join(unsaid)
        }
        raise DomainError("no-side", said)
    sides = split(numbers, {number: people[number].side for number in numbers})
    why = SIDE_CHECKS[load_plan(event).first.kind](len(sides.left), len(sides.right), names)
    if why:
        raise DomainError("uneven-sides", why)


def first_tables_of_sides(event: Event, order: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """Return the tables of round 1 by the drawn order, and the entries that sit it out."""
    sides = split(order, dict(event.entrants.filter(number__in=order).values_list("number", "side")))
    if not load_plan(event).first.kind.traits.own_cards:
        return [list(pair) for pair in rotation(sides.left, sides.right, turn=1)], []
    game = first_game(sides)
    return seat_numbers(game), list(game.sits_out)


def start_rounds(write: Write, stage: Stage) -> Seating:
    """Create the event's single match and the tables of round 1, inside the write that posts the draw."""
    event = write.the_event
    refuse_unfit_sides(event, stage.entries)
    Match.objects.create(event=event, draw=stage.draw, stage=stage, ident=EVENT_MATCH, round=1, position=1)
    return _post(write, stage, 1, first_tables_of_sides(event, stage.entries))


def seat_rotation(write: Write, turning: Turning, number: int) -> Seating:
    """Post the next round of couples inside an open write.

    The left side keeps its seats, and the right side moves one seat a round. A player whose partner has left sits out.
    """
    pairs = rotation(turning.sides.left, turning.sides.right, turn=number)
    both = [pair for pair in pairs if all(map(turning.plays, pair))]
    alone = [one for pair in pairs if pair not in both for one in pair if turning.plays(one)]
    return _post(write, turning.stage, number, ([list(pair) for pair in both], alone))


def seat_next_game(write: Write, turning: Turning, winners: Sequence[Couple]) -> Seating:
    """Post the next game of Court Whist inside an open write. The winners of each table move.

    Raises:
        Conflict: `last-game`.
        DomainError: `too-few`.
    """
    last = turning.current
    if last.round >= GAMES:
        raise Conflict(
            "last-game", _("All %(games)s games have their tables. Finish the event next.") % {"games": GAMES}
        )
    present, sat_out = turning.present, turning.sat_out
    if min(len(present.left), len(present.right)) < 2:
        raise DomainError(
            "too-few", _("A table needs two players of each side, and too few are left. Finish the event instead.")
        )
    game = next_game(whist_tables_of(last), winners, present, sat_out)
    return _post(
        write,
        turning.stage,
        last.round + 1,
        (seat_numbers(game), list(game.sits_out)),
        winners=[list(couple) for couple in winners],
        present=[list(present.left), list(present.right)],
        sat_out={str(number): count for number, count in sat_out.items()},
    )


def require_turning(event: Event) -> Turning:
    """Return the two sides of an event.

    Raises:
        Conflict: `not-drawn`.
    """
    turning = load_course(event).turning
    if turning is None:
        raise Conflict("not-drawn", _("Post the draw first. The rounds follow from it."))
    return turning


def _post(
    write: Write, stage: Stage, number: int, seated: tuple[list[list[int]], list[int]], **record: object
) -> Seating:
    """Save and post a round. `seated` has its tables and who sits out.

    `record` has what `seated_again` needs to recompute the round.
    """
    tables, out = seated
    seating = Seating.objects.create(
        stage=stage, round=number, tables=tables, sits_out=out, record=record, **write.fact_fields()
    )
    write.keep("seatings", seating)
    SeatingPosted.objects.create(seating=seating, **write.fact_fields())
    write.outcome["seated"] = seating.pk
    return seating
