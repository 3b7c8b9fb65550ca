"""Create and change tournaments and events, and change the state of events."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_permission
from tournament.core.services.record import WriteTransaction, lock_tournament, make_idempotency_key, writing
from tournament.core.topics import record_changed_rows
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event, EventStep, Player, StaffRole, Tournament, User
from tournament.purse.fees import FeeTerms
from tournament.purse.pool import read_prize_percent
from tournament.purse.prizes import FlatAmounts, make_prize_scale, make_prize_table
from tournament.registration.services.waiting_list import fill_free_places, validate_site_changes
from tournament.setup.selectors import SETUP_IN_STEPS_KEY, SETUP_STEP_KEY
from tournament.setup.services.sign_in import expire_unused_links

MONEY_FIELDS = (
    "prize_percent", "prize_scale", "unit_cents", "added_cents", "guarantee_cents", "discounts_from", "fee_cents",
    "absent_by_round", "early_fee_cents", "early_until", "late_fee_cents", "late_from", "prizes_by", "prize_table",
    "flat_cents", "reentry_fee_cents",
)  # fmt: skip


def create_tournament(*, by: Actor, is_demo: bool = False, **fields: Any) -> Tournament:
    """Create a tournament. Any user can do so, and becomes its first director."""
    if by.user is None and by != SYSTEM_ACTOR:
        raise NotAllowed("not-allowed", _("Sign in first: a tournament belongs to the director who makes it."))
    with _report_duplicate_slug(), transaction.atomic():
        tournament = Tournament.objects.create(is_demo=is_demo, **fields)
        with writing(tournament, verb="tournament.created", by=by) as write:
            record_changed_rows(Tournament, [tournament.pk])
            if by.user is not None:
                StaffRole.objects.create(tournament=tournament, user=by.user, role=StaffRole.Role.DIRECTOR)
            write.about(tournament, slug=tournament.slug)
    return tournament


def change_tournament(tournament: Tournament, changes: Mapping[str, Any], *, by: Actor) -> Tournament:
    require_permission(by, "direct", tournament)
    with _report_duplicate_slug(), writing(tournament, verb="tournament.changed", by=by) as write:
        write.about(tournament, changed=_apply_changes(write.tournament, changes))
        return write.tournament


def create_event(tournament: Tournament, *, by: Actor, key: str = "", in_steps: bool = False, **fields: Any) -> Event:
    """Create a draft event. If `in_steps` is set, its setup steps still have to be completed."""
    require_permission(by, "direct", tournament)
    _validate_money_settings(Event(), fields)
    validate_site_changes(Event(), fields)
    with (
        _report_duplicate_slug(),
        writing(tournament, verb="event.created", by=by, key=make_idempotency_key(key, in_steps)) as write,
    ):
        if write.repeated:
            return Event.objects.select_related("tournament").get(pk=write.outcome["event"])
        event = Event.objects.create(tournament=tournament, **fields)
        write.about(event, event=event.pk, slug=event.slug, **({SETUP_IN_STEPS_KEY: True} if in_steps else {}))
        return event


def change_event(event: Event, changes: Mapping[str, Any], *, by: Actor, reason: str = "", step: str = "") -> Event:
    """Change an event's settings. After the draw, changes that affect money need a reason.

    `step` is the setup step that is being saved.
    """
    require_permission(by, "direct", event.tournament)
    with _report_duplicate_slug(), writing(event, verb="event.changed", by=by, reason=reason) as write:
        locked = write.the_event
        _validate_money_settings(locked, changes)
        validate_site_changes(locked, changes)
        late = locked.state in (Event.State.DRAWN, Event.State.IN_PLAY)
        if locked.state == Event.State.FINISHED:
            raise Conflict(
                "finished", _("The event is finished. Open it again first, with a reason, on the prizes page.")
            )
        money = [name for name in changes if name in MONEY_FIELDS and changes[name] != getattr(locked, name)]
        if late and money and not reason.strip():
            message = _("The draw is made, so a change of fees or prizes needs a reason. Write it for the log.")
            raise DomainError("reason-needed", message)
        changed = _apply_changes(locked, changes)
        promoted = fill_free_places(write)
        moved_up = {"promoted": promoted} if promoted else {}
        write.about(locked, changed=changed, **moved_up, **({SETUP_STEP_KEY: step} if step else {}))
        return locked


def grant_role(tournament: Tournament, user: User, role: str, *, by: Actor) -> StaffRole:
    require_permission(by, "direct", tournament)
    with writing(tournament, verb="staff.granted", by=by) as write:
        if user.roles.exclude(tournament=tournament).exists():
            expire_unused_links(user)  # links made by a director elsewhere would open this tournament, too
        granted, _created = StaffRole.objects.get_or_create(tournament=tournament, user=user, role=role)
        write.about(user, role=role, user=user.pk)
        return granted


def revoke_role(role: StaffRole, *, by: Actor) -> None:
    """Revoke a staff role.

    Raises:
        Conflict: `last-director`: the tournament would have no director.
    """
    require_permission(by, "direct", role.tournament)
    with writing(role.tournament, verb="staff.taken", by=by) as write:
        directors = role.tournament.roles.filter(role=StaffRole.Role.DIRECTOR)
        if role.role == StaffRole.Role.DIRECTOR and directors.count() == 1:
            raise Conflict("last-director", _("This is the only director. Add another director first."))
        write.about(role.user, role=role.role)
        role.delete()


def remove_tournament(tournament: Tournament, *, by: Actor) -> None:
    """Delete a demo or a copy with all its data, and its players unless they also played elsewhere.

    Other tournaments cannot be deleted.
    """
    require_permission(by, "direct", tournament)
    if not (tournament.is_demo or tournament.is_copy):
        message = _("Only a tournament marked DEMO or COPY can be removed. This one stays on record.")
        raise NotAllowed("not-removable", message)
    with transaction.atomic():
        locked = lock_tournament(tournament)
        people = list(Player.objects.filter(members__entrant__event__tournament=locked).values_list("pk", flat=True))
        locked.delete()
        left_over = Player.objects.filter(pk__in=people, members=None, merges=None, merges_away=None, merged=None)
        left_over.delete()


@contextmanager
def _report_duplicate_slug() -> Iterator[None]:
    """Turn a database error for a duplicate slug in this block into an error on the form's field."""
    try:
        yield
    except IntegrityError as error:
        if "slug" not in str(error):
            raise
        taken = _("This web address is taken already. Choose another.")
        raise Conflict("slug-taken", taken, field="slug") from error


def _validate_money_settings(event: Event, fields: Mapping[str, Any]) -> None:
    """Raise an error if a fee, the prize scale, or another of the event's money settings is invalid."""

    def value(name: str) -> Any:
        return fields.get(name, getattr(event, name))

    fees = ("fee_cents", "early_fee_cents", "early_until", "late_fee_cents", "late_from")
    FeeTerms(*map(value, fees))
    if value("unit_cents") < 1:
        raise DomainError("bad-value", _("Prizes are rounded to a cent or more, such as 1.00."), field="unit_cents")
    if value("discounts_from") not in Event.DiscountSource.values:
        raise DomainError(
            "bad-value", _("Choose what pays for discounts, the expenses or the fee."), field="discounts_from"
        )
    read_prize_percent(value("prize_percent"))
    make_prize_scale(value("prize_scale"), value("unit_cents"))
    if value("prizes_by") == Event.PrizesBy.TABLE:
        make_prize_table(value("prize_table"), value("unit_cents"))
    if value("prizes_by") == Event.PrizesBy.FLAT:
        FlatAmounts(tuple(value("flat_cents")))


def _apply_changes(row: Tournament | Event, changes: Mapping[str, Any]) -> dict[str, list[str]]:
    changed = {name: value for name, value in changes.items() if getattr(row, name) != value}
    logged = {name: [str(getattr(row, name)), str(value)] for name, value in changed.items()}
    for name, value in changed.items():
        setattr(row, name, value)
    if changed:
        row.save(update_fields=list(changed))
    return logged


# --- States of an event ----------------------------------------------------------------------------------------------
# draft → open → closed → drawn → in play → finished

EventState = Event.State

EVENT_STATE_TRANSITIONS: Final[dict[str, tuple[str, ...]]] = {
    EventState.DRAFT: (EventState.OPEN,),
    EventState.OPEN: (EventState.CLOSED, EventState.CALLED_OFF),
    EventState.CLOSED: (EventState.OPEN, EventState.DRAWN, EventState.CALLED_OFF),
    EventState.DRAWN: (EventState.CLOSED, EventState.IN_PLAY, EventState.CALLED_OFF),
    EventState.IN_PLAY: (EventState.FINISHED, EventState.CLOSED, EventState.CALLED_OFF),
    EventState.FINISHED: (EventState.IN_PLAY,),
    EventState.CALLED_OFF: (EventState.OPEN, EventState.CLOSED, EventState.DRAWN, EventState.IN_PLAY),
}
"""The allowed state changes, by current state.

Going back needs a reason: from closed to open, from drawn or in play to closed (a redraw), from finished to in play,
and from called off.
"""

_STATES_IN_ORDER: Final = [state.value for state in EventState]


def change_event_state(write: WriteTransaction, event: Event, to: str) -> Event:
    """Change the state of an event, and record the change. The caller's transaction must have locked the event.

    Raises:
        Conflict: `already-there`, if the event already has this state. `no-such-door`, if the event cannot change from
            its current state to this one.
        DomainError: `reason-needed` when returning to an earlier state.
    """
    if event.state == to:
        raise Conflict(
            "already-there",
            _("%(name)s is “%(state)s” already. Nothing was changed.")
            % {"name": event.name, "state": event.get_state_display()},
        )
    if to not in EVENT_STATE_TRANSITIONS[event.state]:
        message = _("%(name)s is “%(state)s” and cannot become “%(label)s”. Look at what comes next.") % {
            "name": event.name,
            "state": event.get_state_display(),
            "label": EventState(to).label,
        }
        raise Conflict("no-such-door", message)
    if _STATES_IN_ORDER.index(to) < _STATES_IN_ORDER.index(event.state) and not write.reason.strip():
        raise DomainError("reason-needed", _("Write why you go back. The reason is kept in the log."))
    EventStep.objects.create(event=event, came_from=event.state, went_to=to, **write.fact_fields())
    event.state = to
    event.save(update_fields=["state"])
    write.about(event, state=to)
    return event


def open_registration(event: Event, *, by: Actor, reason: str = "") -> Event:
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="event.opened", by=by, reason=reason) as write:
        locked = write.the_event
        if locked.opens_at and locked.closes_at and locked.opens_at >= locked.closes_at:
            message = _("Registration closes before it opens. Correct the registration window in the settings.")
            raise DomainError("window", message)
        return change_event_state(write, locked, EventState.OPEN)
