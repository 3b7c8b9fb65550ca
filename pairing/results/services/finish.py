"""Finish an event, end it early, reopen it, or call it off and bring it back."""

from django.utils.translation import gettext as _

from pairing.results.selectors.results import compute_early_end_digest, load_placings_if_ended, load_unresolved_issues
from pairing.stages.selectors.course import load_final_placings
from tournament.core.permissions import Actor, require_permission
from tournament.core.selectors.events import INACTIVE_ENTRANT_STATES
from tournament.core.selectors.rows import load_recorded_keys
from tournament.core.services.previews import compute_preview_digest, require_unchanged
from tournament.core.services.record import WriteTransaction, require_reason, writing
from tournament.errors import Conflict, ReasonRequired
from tournament.messages.services import MessageDraft, record_message
from tournament.models import AuditEntry, Event, Finish, LedgerLine
from tournament.money.selectors.awards import load_paid_prize_cents
from tournament.money.selectors.ledger import load_event_accounts
from tournament.money.selectors.prizes import UnresolvedIssue, UnresolvedIssueLoader
from tournament.money.services.side_pools import (
    cancel_all_fees,
    record_early_finish,
    record_finish,
    require_no_prizes_paid,
    restore_charges,
)
from tournament.setup.services.tournaments import change_event_state


def finish_event(
    event: Event, *, by: Actor, reason: str = "", still_open: UnresolvedIssueLoader | None = None, shown: str = ""
) -> Finish:
    """Finish an event that is completely decided, and record its places for the payouts.

    `still_open` loads the open issues while the event is locked. `shown` is the digest of the issues that the user saw.
    A reason overrides issues that would prevent the finish.

    Raises:
        Conflict: `not-complete`.
        ReasonRequired: `still-open` if the open issues have changed, or if one of them prevents the finish and no
            reason is given.
    """
    require_permission(by, "direct", event.tournament)
    with writing(event, verb="event.finished", by=by, reason=reason) as write:
        placings = load_final_placings(write.the_event)
        if placings is None:
            raise Conflict("not-complete", _("Some matches are not decided yet. Look at Tables for what is open."))
        points = load_unresolved_issues(write.the_event, placings, still_open) if still_open is not None else ()
        change_event_state(write, write.the_event, Event.State.FINISHED)
        _require_no_open_issues(write, points, shown)
        finish = record_finish(write, write.the_event, [list(placing.entries) for placing in placings.finish])
        _log_open_issues(write, points)
        return finish


def end_event_early(
    event: Event, *, by: Actor, reason: str, still_open: UnresolvedIssueLoader | None = None, shown: str | None = None
) -> Finish:
    """End the event with its current standings, because too few entrants are left or there is no time to continue.

    Undecided matches stay open on record. `shown` is a digest from `compute_early_end_digest`. If it is given, the
    places and open issues must not have changed since it was made. `still_open` must then be the function that loaded
    the issues for the digest.

    Raises:
        DomainError: `reason-needed`, or `no-finish` if everybody is disqualified.
        Conflict: `not-in-play`, `all-decided` if it can be finished, `cards-first` if an event with two sides has open
            cards, `look-again` if something has changed.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why the event ends early. The reason is published beside the results."))
    with writing(event, verb="event.ended-early", by=by, reason=reason) as write:
        placings = load_placings_if_ended(write.the_event)
        points = load_unresolved_issues(write.the_event, placings, still_open) if still_open is not None else ()
        message = _("The places have changed since you opened this page. Look at them again before you finish.")
        require_unchanged(shown, compute_early_end_digest(placings, points), message)
        change_event_state(write, write.the_event, Event.State.FINISHED)
        finish = record_early_finish(write, write.the_event, [list(placing.entries) for placing in placings.finish])
        _log_open_issues(write, points)
        return finish


def _require_no_open_issues(write: WriteTransaction, points: tuple[UnresolvedIssue, ...], shown: str) -> None:
    stops = [point.code for point in points if point.stops]
    if points and compute_preview_digest(*points) != shown:
        raise ReasonRequired(
            "still-open", _("Some things are still open. Look at them before you finish the event."), warnings=stops
        )
    if stops and not write.reason.strip():
        raise ReasonRequired(
            "still-open", _("Some things are still open. Enter the reason to finish anyway."), warnings=stops
        )


def _log_open_issues(write: WriteTransaction, points: tuple[UnresolvedIssue, ...]) -> None:
    if points:
        write.about(write.event, still_open=[point.code for point in points])


def reopen_event(event: Event, *, by: Actor, reason: str) -> Event:
    """Reopen a finished event to correct a result. The prizes are computed again when the event is finished.

    Payouts that were already made stay on record. Once the event is finished again, the prizes page lists the entries
    that were paid too much or too little.

    Raises:
        DomainError: `reason-needed`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Opening a finished event needs a reason. Enter the reason."))
    with writing(event, verb="event.reopened", by=by, reason=reason) as write:
        paid = load_paid_prize_cents(write.the_event)
        opened = change_event_state(write, write.the_event, Event.State.IN_PLAY)
        if paid:
            write.about(opened, handed_over={str(number): cents for number, cents in sorted(paid.items())})
        return opened


def preview_call_off(event: Event) -> tuple[tuple[int, ...], int, str]:
    """Return the entries to notify if the event is called off, the cents to refund, and a digest of both."""
    entrants = event.entrants.exclude(state__in=INACTIVE_ENTRANT_STATES).order_by("number")
    numbers, due_cents = (
        tuple(entrants.values_list("number", flat=True)),
        load_event_accounts(event).total.net_paid_cents,
    )
    return numbers, due_cents, compute_preview_digest(len(numbers), due_cents)


def call_off_event(
    event: Event, *, by: Actor, reason: str, key: str = "", previewed: str | None = None, site: str = ""
) -> Event:
    """Call off an event that will not be played.

    All entrants are notified, all fees are refunded, and no result counts. An event that is a draft or finished cannot
    be called off.

    `previewed` is the digest from `preview_call_off`. If entries or payments have changed since, nothing is saved.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `no-such-door` (a draft or a finished event), `already-there`, `prizes-paid`, `look-again`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why the event is called off. All players read the reason."))
    with writing(event, verb="event.called-off", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return Event.objects.get(pk=event.pk)
        numbers, due_cents, digest = preview_call_off(write.the_event)
        message = _("Entries or payments have changed since you opened this page. Look again.")
        require_unchanged(previewed, digest, message)
        require_no_prizes_paid(write)
        lines = cancel_all_fees(write)
        words = {"event": event.name, "reason": reason.strip()}
        letter = MessageDraft(
            _("%(event)s is called off") % words,
            _("%(event)s is called off. Reason: %(reason)s\n\nThe fees that you paid are given back. Ask at the desk.")
            % words,
            "chosen",
            numbers,
        )
        message_pk = record_message(write, letter, site).pk if numbers else None
        called_off = change_event_state(write, write.the_event, Event.State.CALLED_OFF)
        write.about(called_off, lines=lines, message=message_pk, due_cents=due_cents)
        return called_off


def reinstate_event(event: Event, *, by: Actor, reason: str, key: str = "", site: str = "") -> Event:
    """Bring back an event that was called off.

    The event returns to its former state, and all fees are charged again.

    Raises:
        DomainError: `reason-needed`.
        Conflict: `not-called-off`.
    """
    require_permission(by, "direct", event.tournament)
    require_reason(reason, _("Enter why the event is played after all. All players read the reason."))
    with writing(event, verb="event.brought-back", by=by, reason=reason, key=key) as write:
        if write.repeated:
            return Event.objects.get(pk=event.pk)
        locked = write.the_event
        step = locked.steps.last()
        if locked.state != Event.State.CALLED_OFF or step is None:
            raise Conflict("not-called-off", _("This event is not called off. Nothing was changed."))
        logged = AuditEntry.objects.filter(event=locked, verb="event.called-off").order_by("-seq").first()
        if logged is not None:
            keys = load_recorded_keys(locked.tournament_id)
            lines = (keys.find_current_key(LedgerLine._meta.label, line, logged.seq) for line in logged.data["lines"])
            restore_charges(write, list(lines))
        words = {"event": event.name, "reason": reason.strip()}
        numbers = preview_call_off(locked)[0]
        letter = MessageDraft(
            _("%(event)s is played after all") % words,
            _(
                "%(event)s is played after all. Reason: %(reason)s\n\nYour entry stands as before. If your fee was "
                "given back, please pay it again at the desk."
            )
            % words,
            "chosen",
            numbers,
        )
        message_pk = record_message(write, letter, site).pk if numbers else None
        reinstated = change_event_state(write, locked, step.came_from)
        write.about(reinstated, message=message_pk)
        return reinstated
