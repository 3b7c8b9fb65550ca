"""The steps of the blind draw: close and seal the list, cut, preview, post, or undo."""

from typing import Final

from django.utils.translation import gettext as _

from pairing.blind_draw.selectors.draws import (
    current_commitment,
    drawn_numbers,
    has_second_round,
    load_doubtful,
    load_draw_terms,
)
from pairing.draws.order import commitment_to, draw_order
from pairing.draws.separation.draw import BLIND, DrawKind, DrawTerms, place_by_terms
from pairing.draws.table_rounds import RoundTables
from pairing.models import Commitment, Draw, DrawPosted, DrawTakenBack, DrawTermsSaid, MatchResult
from pairing.stages.selectors.apart import load_avoid_list
from pairing.stages.selectors.kinds import FirstRound, room_of
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import open_draw
from pairing.stages.services.rotation import first_tables_of_sides, refuse_missing_sides, refuse_unfit_sides
from pairing.stages.services.seatings import first_round_of, refuse_table_sizes
from pairing.stages.services.stages import new_secret, open_first_stage, require_company_at_site, require_sites
from tournament.core.permissions import Actor, require
from tournament.core.services.record import Write, require_reason, scoped_key, writing
from tournament.errors import Conflict, DomainError
from tournament.models import Event
from tournament.setup.services.tournaments import transition

State = Event.State


def close_event(event: Event, *, by: Actor, reason: str = "") -> Commitment:
    """Close registration, and publish the list together with the seal on a secret.

    Raises:
        DomainError: `no-side` if the event has two sides and an entrant has no side yet.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="event.closed", by=by, reason=reason) as write:
        refuse_missing_sides(write.the_event)
        transition(write, write.the_event, State.CLOSED)
        return _new_commitment(write)


def renew_commitment(event: Event, *, by: Actor, reason: str = "") -> Commitment:
    """Seal the list again with a new secret, because it has changed since the last seal."""
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.sealed", by=by, reason=reason) as write:
        if write.the_event.state != State.CLOSED:
            raise Conflict(
                "not-closed",
                _("The list can be sealed only between the close of registration and the draw. Look at the Draw page."),
            )
        if open_draw(write.the_event) is not None:
            raise Conflict("drawn", _("There is a draw that is not posted. Post it, or undo it first."))
        refuse_missing_sides(write.the_event)
        return _new_commitment(write)


def _new_commitment(write: Write) -> Commitment:
    """Seal the current list with a new secret, inside an open write."""
    event = write.the_event
    numbers = drawn_numbers(event)
    turn = event.commitments.count() + 1
    secret = new_secret()
    sealed = Commitment.objects.create(
        event=event,
        draw_id=f"{event.tournament.slug}-{event.slug}-{turn}",
        numbers=numbers,
        commitment=commitment_to(secret),
        secret=secret.hex(),
        **write.fact_fields(),
    )
    write.about(event, commitment=sealed.commitment, draw_id=sealed.draw_id, entrants=len(numbers))
    return sealed


def set_draw_terms(event: Event, terms: DrawTerms, *, by: Actor, reason: str = "") -> DrawTermsSaid:
    """Set how the first bracket is filled: by lot alone, with byes for named entries, or by seeds.

    The terms are public with the seal before the cut. The draw uses the latest ones.

    Raises:
        Conflict: `drawn`.
        DomainError: `no-bracket`, `nobody`, `not-in-draw`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.terms-said", by=by, reason=reason) as write:
        if open_draw(write.the_event) is not None or _posted_draw(write.the_event) is not None:
            raise Conflict("drawn", _("The draw is made, so byes and seeds can no longer change. Undo the draw first."))
        if load_plan(write.the_event).first.knockout is None:
            raise DomainError(
                "no-bracket",
                _(
                    "Byes and seeds are for an event that starts with a bracket. Choose another format, or leave "
                    "them out."
                ),
            )
        if terms.kind is not DrawKind.BLIND and not terms.entries:
            raise DomainError("nobody", _("No player is named. Name at least one, or choose a blind draw."))
        missing = [number for number in terms.entries if number not in drawn_numbers(write.the_event)]
        if missing:
            who = ", ".join(map(str, missing))
            raise DomainError(
                "not-in-draw", _("Not in this draw: %(who)s. Look at the list of entrants.") % {"who": who}
            )
        said = DrawTermsSaid.objects.create(event=write.the_event, terms=terms.as_json(), **write.fact_fields())
        write.about(said, **terms.as_json())
        return said


def make_draw(event: Event, public: str, *, by: Actor, key: str = "") -> Draw:
    """Enter the cut and compute the order. Only staff see this preview until it is posted.

    Raises:
        Conflict: `not-closed`, `drawn-already`, `list-changed` (seal the list again first), or `wrong-sides` if the
            rule sheet does not allow the table sizes of round one.
        DomainError: `too-few`, `no-seeds`, `no-sites`, `no-site`, `alone-at-site`, `no-side` and others from the room
            of the stage kind.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.drawn", by=by, key=scoped_key(key, public)) as write:
        if write.repeated:
            return Draw.objects.get(pk=write.outcome["draw"])
        sealed = _require_sealed_list(write.the_event)
        avoid = load_avoid_list(write.the_event)
        order = draw_order(
            sealed.numbers, secret=bytes.fromhex(sealed.secret), public=public.strip(), draw_id=sealed.draw_id
        )
        terms = (load_draw_terms(write.the_event) or BLIND).among(sealed.numbers)
        drawn = place_by_terms(order, terms, avoid) if load_plan(write.the_event).first.knockout else None
        made = Draw.objects.create(
            commitment=sealed,
            public=public.strip(),
            order=list(order),
            terms=terms.as_json() if drawn else {},
            avoid=avoid.as_json(),
            places=list(drawn.places) if drawn else [],
            moves=[move.as_json() for move in drawn.moves] if drawn else [],
            **write.fact_fields(),
        )
        first = room_of(load_plan(write.the_event).first.kind).first_round
        if first is not None:
            first.refuse(write.the_event, made)
        write.about(made, draw=made.pk, order=list(order))
        return made


def _require_sealed_list(event: Event) -> Commitment:
    if event.state != State.CLOSED:
        raise Conflict("not-closed", _("The draw is made from the sealed list. Close registration first."))
    if open_draw(event) is not None:
        raise Conflict("drawn-already", _("The draw is made. Look at it, then post it or undo it."))
    sealed = current_commitment(event)
    if sealed is None or Draw.objects.filter(commitment=sealed).exists():
        raise Conflict("not-sealed", _("The seal has to be public before the cut. Seal the list first."))
    if sealed.numbers != drawn_numbers(event):
        raise Conflict(
            "list-changed", _("The list has changed since it was sealed. Seal it again, then cut the cards again.")
        )
    undecided = [f"{row.entrant}" for row in load_doubtful(event) if not row.kept]
    if undecided:
        said = _(
            "These entrants have not paid or not checked in: %(names)s. Keep them in the draw, or draw without them."
        )
        raise DomainError("undecided", said % {"names": ", ".join(undecided)})
    if len(sealed.numbers) < 2:
        raise DomainError("too-few", _("A draw needs at least two players. Enter more players first."))
    plan = load_plan(event)
    if plan.is_seeded and load_draw_terms(event) is None:
        raise DomainError("no-seeds", _("The bracket is seeded. Name the seeds first, or choose a blind draw."))
    require_sites(event, plan.stages, sealed.numbers)
    require_company_at_site(event, plan.first, sealed.numbers)
    return sealed


def post_draw(event: Event, *, by: Actor) -> Draw:
    """Publish the preview with its secret, and create the matches of the first stage.

    Raises:
        Conflict: `no-draw`, `list-changed`.
    """
    require(by, "direct", event.tournament)
    with writing(event, verb="draw.posted", by=by) as write:
        made = open_draw(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw to post. Check whether it has been posted, or draw first."))
        if made.commitment.numbers != drawn_numbers(write.the_event):
            raise Conflict(
                "list-changed", _("The list of entrants has changed since the draw. Undo the draw and draw again.")
            )
        DrawPosted.objects.create(draw=made, **write.fact_fields())
        open_first_stage(write, made)
        transition(write, write.the_event, State.DRAWN)
        write.about(made, posted=made.pk)
        return made


def take_back(event: Event, *, by: Actor, reason: str) -> Commitment:
    """Undo the draw before its first result, and seal the list again.

    The undone draw stays on record with the reason.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `no-draw`, `play-began`.
    """
    require(by, "direct", event.tournament)
    require_reason(reason, _("Enter why you undo the draw. The reason is published with the undone draw."))
    with writing(event, verb="draw.taken-back", by=by, reason=reason) as write:
        made = open_draw(write.the_event) or _posted_draw(write.the_event)
        if made is None:
            raise Conflict("no-draw", _("There is no draw to undo. Look at the Draw page."))
        if MatchResult.objects.filter(match__draw=made).exists() or has_second_round(made):
            raise Conflict("play-began", _("A result is recorded, so the draw stands. Correct single results instead."))
        DrawTakenBack.objects.create(draw=made, **write.fact_fields())
        if write.the_event.state in (State.DRAWN, State.IN_PLAY):
            transition(write, write.the_event, State.CLOSED)
        sealed = _new_commitment(write)
        write.about(made, taken_back=made.pk)
        return sealed


def _posted_draw(event: Event) -> Draw | None:
    return Draw.objects.filter(commitment__event=event, posted__isnull=False, taken_back__isnull=True).first()


# --- First rounds that are seated with the draw ----------------------------------------------------------------------


def first_round_tables(event: Event, made: Draw) -> RoundTables | None:
    """Return the tables of round 1, or None if the first stage is not seated with the draw."""
    found = room_of(load_plan(event).first.kind).first_round
    return found.seat(event, made) if found is not None else None


def _seat_at_tables(event: Event, made: Draw) -> RoundTables:
    return first_round_of(event, made, made.order)


def _seat_sides(event: Event, made: Draw) -> RoundTables:
    tables, sits_out = first_tables_of_sides(event, made.order)
    return RoundTables(tuple(map(tuple, tables)), tuple(sits_out))


SEATED_AT_TABLES: Final = FirstRound(
    seat=_seat_at_tables,
    refuse=lambda event, made: refuse_table_sizes(event, [len(at) for at in _seat_at_tables(event, made).tables]),
)
SEATED_BY_SIDES: Final = FirstRound(seat=_seat_sides, refuse=lambda event, made: refuse_unfit_sides(event, made.order))
