"""Check in entries at the desk, and undo check-ins."""

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, lock_event, make_idempotency_key, writing
from tournament.errors import Conflict
from tournament.models import Entrant, EntrantFact, Event

EntrantFactKind = EntrantFact.Kind
CHECK_IN_STATES = (Entrant.State.IN, Entrant.State.SEEKING)


def check_in_entrants(event: Event, numbers: Collection[int], *, by: Actor, key: str = "") -> list[Entrant]:
    """Check in several entries in one transaction, and return those that were not checked in before.

    If two desks check in the same entries at the same time, the second one records nothing.

    Raises:
        Conflict: `not-in` if an entry is not in the event. In this case, no entry is checked in.
    """
    return _set_check_in(event, numbers, True, by=by, key=key)


def set_check_in_status(entrant: Entrant, arrived: bool = True, *, by: Actor) -> Entrant:
    """Check in an entry, or undo its check-in. Repeating the call changes nothing.

    Raises:
        Conflict: `not-in` if the entry is not in the event.
    """
    _set_check_in(entrant.event, [entrant.number], arrived, by=by)
    return Entrant.objects.get(pk=entrant.pk)


def _set_check_in(event: Event, numbers: Collection[int], arrived: bool, *, by: Actor, key: str = "") -> list[Entrant]:
    require_permission(by, "desk", event.tournament)
    key = make_idempotency_key(key, arrived, sorted(numbers))
    verb = "entrant.arrived" if arrived else "entrant.not-arrived"
    with transaction.atomic():
        lock_event(event)
        changed = _lock_entries_to_change(event, numbers, arrived)
        if not changed:
            return []
        with writing(event, verb=verb, by=by, key=key) as write:
            if write.repeated:
                return []
            for entrant in changed:
                _record_check_in_change(write, entrant, arrived)
            about = ", ".join(map(str, changed))
            write.about(about, arrived=arrived, numbers=[entrant.number for entrant in changed])
            return changed


def record_check_in(write: WriteTransaction, entrant: Entrant) -> bool:
    """Check in an entry in the caller's transaction. Return False if it was already checked in.

    Raises:
        Conflict: `not-in` if the entry is not in the event.
    """
    if entrant.state not in CHECK_IN_STATES:
        message = _("%(name)s is in the state “%(state)s” and cannot be checked in. Take the payment only.")
        raise Conflict("not-in", message % {"name": entrant.name, "state": entrant.get_state_display()})
    if entrant.arrived:
        return False
    _record_check_in_change(write, entrant, True)
    return True


def _lock_entries_to_change(event: Event, numbers: Collection[int], arrived: bool) -> list[Entrant]:
    chosen = list(event.entrants.select_for_update(of=("self",)).filter(number__in=numbers).order_by("number"))
    for entrant in chosen:
        if entrant.state not in CHECK_IN_STATES:
            message = _(
                "%(name)s is in the state “%(state)s”, so nobody was checked in. Clear their box and try again."
            )
            raise Conflict("not-in", message % {"name": entrant.name, "state": entrant.get_state_display()})
    return [entrant for entrant in chosen if entrant.arrived != arrived]


def _record_check_in_change(write: WriteTransaction, entrant: Entrant, arrived: bool) -> None:
    kind = EntrantFactKind.ARRIVED if arrived else EntrantFactKind.NOT_ARRIVED
    EntrantFact.objects.create(entrant=entrant, kind=kind, **write.fact_fields())
    entrant.arrived = arrived
    entrant.save(update_fields=["arrived"])
