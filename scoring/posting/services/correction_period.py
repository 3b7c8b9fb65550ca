"""Set the terms under which cards become final, and store staff entries until a second official confirms them."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from pairing.models import Match
from scoring.card_state.permissions import can_act_for_desk
from scoring.card_state.selectors.cards import load_match_cards, matches_content_digest
from scoring.card_state.selectors.state import CardState
from scoring.models import Card, CardTerms, StaffEntry, StaffEntryDecided
from scoring.posting.selectors.card_status import load_correction_period, load_correction_terms
from scoring.rules.sheet.card_status import MAX_CORRECTION_PERIOD_MINUTES, CorrectionTerms, StaffEntryCheck
from tournament.core.permissions import SYSTEM_ACTOR, Actor, is_allowed, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.core.topics import discard_tracked_changes
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event
from tournament.templatetags.gin import describe_link_creator, local_time, signer


def set_correction_terms(event: Event, terms: CorrectionTerms, *, by: Actor, key: str = "") -> CorrectionTerms:
    """Set the terms for cards that are posted from now on. Cards posted earlier keep their own terms."""
    require_permission(by, "direct", event.tournament)
    minutes = (terms.corrections, terms.rulings, terms.appeals)
    if not all(0 <= each <= MAX_CORRECTION_PERIOD_MINUTES for each in minutes):
        raise DomainError(
            "bad-minutes",
            _("A period cannot be longer than seven days. Enter 0 to %(most_minutes)s minutes.")
            % {"most_minutes": MAX_CORRECTION_PERIOD_MINUTES},
        )
    with writing(event, verb="card-terms.set", by=by, key=make_idempotency_key(key, terms)) as write:
        if not write.repeated and terms != load_correction_terms(event):
            made = CardTerms.objects.create(event=event, terms=terms.as_json(), **write.fact_fields())
            write.log_row_digest("card_terms", made)
            write.about(event, terms=made.pk)
    return terms


def require_card_not_final(write: WriteTransaction, state: CardState) -> None:
    """Raise Conflict if the card is final. Changing a final card takes two officials."""
    clock = load_correction_period(state)
    if clock is not None and clock.is_final(write.acted_at):
        raise Conflict(
            "final",
            _(
                "This card has been final since %(said)s. A director can still correct it at the desk, with a "
                "reason, and a second official confirms it."
            )
            % {"said": _format_local_time(state, clock.final_at)},
        )


def find_correction_kind(write: WriteTransaction, state: CardState) -> str:
    """Return the kind of staff entry for a correction.

    Raises:
        NotAllowed: `corrections-over`: the time to correct errors is over, and the actor is not a director.
    """
    clock = load_correction_period(state)
    if clock is not None and clock.is_final(write.acted_at):
        return StaffEntry.Kind.AFTER_FINAL
    if clock is None or clock.accepts_corrections(write.acted_at) or is_acting_as_director(write):
        return StaffEntry.Kind.CORRECTION
    raise NotAllowed(
        "corrections-over",
        _("The time to correct scoring errors ended at %(said)s. Ask the director to correct this card.")
        % {"said": _format_local_time(state, clock.corrections_until)},
    )


def require_match_not_final(write: WriteTransaction, match: Match) -> None:
    """Raise Conflict if the match has a final card.

    The desk cannot decide such a match, because changing a final card takes two officials.
    """
    for state in load_match_cards(match.pk):
        require_card_not_final(write, state)


def _format_local_time(state: CardState, moment: datetime) -> str:
    return local_time(moment, state.card.match.event.tournament)


def is_acting_as_director(write: WriteTransaction) -> bool:
    by = write.by
    return (
        can_act_for_desk(by, write.tournament) if by.user is None else is_allowed(by.user, "direct", write.tournament)
    )


# --- Entries that a second official confirms -------------------------------------------------------------------------
# The second official looks at the entry, or enters the same again.

StaffEntryKind, NeededConfirmation, StaffEntryDecision = StaffEntry.Kind, StaffEntry.Needs, StaffEntryDecided.Decision
EntryWriter = Callable[[], object]


@dataclass(frozen=True, slots=True)
class PendingStaffEntry:
    """A staff member's entry for a card, with its kind, its data (`payload`), and a description.

    A second person may have to type the entry again. `keys_to_compare` contains the payload keys whose values must then
    be equal in both entries.
    """

    kind: str
    payload: Mapping[str, Any]
    keys_to_compare: tuple[str, ...]
    text: str


class StaffEntryMismatch(DomainError):
    """An error that is raised if the second person's entry differs from the first.

    Nothing is written, and the first entry is kept. `data` contains the payloads of both entries (`first` and `again`),
    and the name of the person who made the first one (`by`).
    """


def write_or_store_staff_entry(
    write: WriteTransaction, state: CardState, typed: PendingStaffEntry, enter: EntryWriter
) -> bool:
    """Write a staff entry, or store it until a second official confirms it. Return whether it was written.

    Call this inside a write transaction.

    Raises:
        StaffEntryMismatch: another official's entry for the same change is different.
        Conflict: `waits-already`: another official's entry has to be confirmed first.
        DomainError: any error raised by `enter`, which is tried and rolled back before the entry is stored.
    """
    needs = _find_needed_confirmation(write, state)
    if needs is None:
        enter()
        return True
    waiting = _find_waiting_entry(state.card, typed.kind, typed.payload.get("hand"))
    if waiting is not None and waiting.needs == NeededConfirmation.REKEY and waiting.by_id != _get_user_pk(write.by):
        _require_equal_entries(waiting, typed)
        write.reason = add_officials_to_reason(waiting, write.by, write.reason, "typed again by")
        enter()
        _record_decision(write, waiting, StaffEntryDecision.AGREED)
        return True
    _try_and_roll_back(write, enter)
    if waiting is not None and waiting.by_id == _get_user_pk(write.by):
        _record_decision(write, waiting, StaffEntryDecision.WITHDRAWN)
    elif waiting is not None:
        raise Conflict(
            "waits-already",
            _("%(by_name)s has entered this. Confirm or refuse it under Entries to confirm.")
            % {"by_name": waiting.by_name},
        )
    held = StaffEntry.objects.create(
        card=state.card,
        kind=typed.kind,
        needs=needs,
        payload=dict(typed.payload),
        digest=state.digest,
        **write.signature_fields(),
    )
    write.about(state.card, card=state.card.pk, staff_entry=held.pk, needs=str(needs))
    return False


def _find_waiting_entry(card: Card, kind: str, hand: int | None = None) -> StaffEntry | None:
    """Return the latest entry of this kind for the card (and hand) that no second official has decided yet, or None."""
    waiting = StaffEntry.objects.filter(card=card, kind=kind, decided__isnull=True).order_by("-pk")
    return next((entry for entry in waiting if hand is None or entry.payload.get("hand") == hand), None)


def apply_confirmed_staff_entry(
    write: WriteTransaction, entry: StaffEntry, state: CardState, enter: EntryWriter
) -> None:
    """Confirm a staff entry as the second official, in the caller's transaction.

    Raises:
        NotAllowed: `own-entry`, `needs-director`.
        Conflict: `decided`, `type-again`, `card-changed`.
    """
    _require_undecided_entry(entry)
    require_permission(write.by, "desk", write.tournament)
    if entry.by_id == _get_user_pk(write.by) and write.by != SYSTEM_ACTOR:
        raise NotAllowed("own-entry", _("You entered this yourself. Ask another official to confirm it."))
    if entry.needs == NeededConfirmation.REKEY:
        raise Conflict(
            "type-again", _("In this event a second person enters the figures again. Enter the card from the paper.")
        )
    if entry.needs == NeededConfirmation.OFFICIAL and not (
        _is_director(entry.by, write) or _is_director(write.by.user, write)
    ):
        raise NotAllowed(
            "needs-director", _("One of the two officials has to be a director. Ask a director to confirm it.")
        )
    if not matches_content_digest(state, entry.digest):
        raise Conflict(
            "card-changed", _("The card has changed since this was entered. Look at the card and enter it again.")
        )
    enter()
    _record_decision(write, entry, StaffEntryDecision.AGREED)


def add_officials_to_reason(entry: StaffEntry, second: Actor, reason: str, how: str) -> str:
    """Return a reason in English that names both officials.

    If an official signed in by link, the reason also names the person who created the link.
    """
    tournament = entry.card.match.event.tournament
    with translation.override("en"):
        link = describe_link_creator(second.link, tournament, timezone.now())
        other = f"{second.name} ({link})" if link else second.name
        return " · ".join(filter(None, [reason, f"typed by {signer(entry, tournament)}, {how} {other}"]))


def write_staff_entry_rejection(write: WriteTransaction, entry: StaffEntry) -> None:
    """Reject a staff entry in the caller's transaction. A rejection by the entry's author counts as a withdrawal.

    Anybody except the author has to give a reason.
    """
    _require_undecided_entry(entry)
    require_permission(write.by, "desk", write.tournament)
    own = entry.by_id == _get_user_pk(write.by)
    if not own and not write.reason.strip():
        raise DomainError("reason-needed", _("The reason is missing. Enter what is wrong."))
    _record_decision(write, entry, StaffEntryDecision.WITHDRAWN if own else StaffEntryDecision.REFUSED)


def _require_undecided_entry(entry: StaffEntry) -> None:
    if StaffEntryDecided.objects.filter(entry=entry).exists():
        raise Conflict("decided", _("This entry has been decided. Look at the card."))


def _find_needed_confirmation(write: WriteTransaction, state: CardState) -> str | None:
    if not can_act_for_desk(write.by, write.tournament) or write.by == SYSTEM_ACTOR:
        return None
    clock = load_correction_period(state)
    if clock is not None and clock.is_final(write.acted_at):
        return NeededConfirmation.OFFICIAL
    second = load_correction_terms(state.card.match.event).second
    return {
        StaffEntryCheck.NONE: None,
        StaffEntryCheck.APPROVAL: NeededConfirmation.APPROVAL,
        StaffEntryCheck.REKEY: NeededConfirmation.REKEY,
    }[second]


def _require_equal_entries(waiting: StaffEntry, typed: PendingStaffEntry) -> None:
    first, again = waiting.payload, typed.payload
    different = [name for name in typed.keys_to_compare if first.get(name) != again.get(name)]
    if different:
        message = _(
            "%(name)s entered: %(one)s. You entered: %(other)s. "
            "Look at the paper, then correct yours or refuse the first entry."
        ) % {"name": waiting.by_name, "one": first.get("said") or "", "other": typed.text}
        both = {"first": dict(first), "again": dict(again)}
        raise StaffEntryMismatch("differs", message, differences=different, by=waiting.by_name, **both)


def _try_and_roll_back(write: WriteTransaction, enter: EntryWriter) -> None:
    """Run `enter` and roll it back, so that its errors are raised before the entry is stored."""
    outcome, digests, subject = deepcopy(write.outcome), deepcopy(write.digests), write.subject
    sid = transaction.savepoint()
    try:
        with discard_tracked_changes():
            enter()
    finally:
        transaction.savepoint_rollback(sid)
        write.outcome, write.digests, write.subject = outcome, digests, subject


def _record_decision(write: WriteTransaction, entry: StaffEntry, decision: str) -> None:
    StaffEntryDecided.objects.create(entry=entry, decision=decision, **write.signature_fields())
    write.about(entry.card, staff_entry=entry.pk, decision=str(decision), typed_by=entry.by_name)


def _is_director(user: Any, write: WriteTransaction) -> bool:
    return user is not None and is_allowed(user, "direct", write.tournament)


def _get_user_pk(by: Actor) -> int | None:
    return by.user.pk if by.user else None
