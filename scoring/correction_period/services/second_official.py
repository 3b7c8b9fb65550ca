"""What one of the staff types, and a second person has to agree to: by looking at it, or by typing it again.

enter_paper, correct_line, add_line ──(the event asks for it, or the card is final)──► StaffEntry, nothing on the card
agree | the same typed by another person ──────────────────────────────────────────► on the card, with both names
"""

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from scoring.card_state.permissions import is_desk
from scoring.card_state.selectors.cards import CardState
from scoring.correction_period.selectors import load_clock, load_terms
from scoring.models import Card, StaffEntry, StaffEntryDecided
from scoring.rules.evidence.clocks import Second
from tournament.core.permissions import SYSTEM, Actor, may, require
from tournament.core.services.record import Write
from tournament.core.topics import rolled_back
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.templatetags.gin import signed_in_by, signer

Kind, Needs, Decision = StaffEntry.Kind, StaffEntry.Needs, StaffEntryDecided.Decision
Enter = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Typed:
    """What somebody typed, as it is kept: `payload` by its kind; `same` is what has to be equal when typed again."""

    kind: str
    payload: Mapping[str, Any]
    same: tuple[str, ...]
    said: str
    """In words, for who compares."""


class Differs(DomainError):
    """Typed again, it is not the same; nothing is written, nothing is lost.

    `data`: `by` who typed it `first`, and `again`, both as they are kept.
    """


def with_second_person(write: Write, state: CardState, typed: Typed, enter: Enter) -> bool:
    """Inside an open write of the desk: write it now (True), or keep it for a second person (False).

    Raises:
        Differs: another person typed it differently before.
        All that `enter` refuses: it is tried, and rolled back, before it is kept.
    """
    needs = _needs(write, state)
    if needs is None:
        enter()
        return True
    waiting = waiting_entry(state.card, typed.kind, typed.payload.get("hand"))
    if waiting is not None and waiting.needs == Needs.REKEY and waiting.by_id != _user(write.by):
        _compare(waiting, typed)
        write.reason = reason_of_both(waiting, write.by, write.reason, "typed again by")
        enter()
        _decide(write, waiting, Decision.AGREED)
        return True
    _try(write, enter)
    if waiting is not None and waiting.by_id == _user(write.by):
        _decide(write, waiting, Decision.WITHDRAWN)
    elif waiting is not None:
        raise Conflict(
            "waits-already",
            _("%(by_name)s has entered this. Confirm or refuse it under Entries to confirm.")
            % {"by_name": waiting.by_name},
        )
    kept = StaffEntry.objects.create(
        card=state.card,
        kind=typed.kind,
        needs=needs,
        payload=dict(typed.payload),
        digest=state.digest,
        **write.signature_fields(),
    )
    write.about(state.card, card=state.card.pk, staff_entry=kept.pk, needs=str(needs))
    return False


def waiting_entry(card: Card, kind: str, hand: int | None = None) -> StaffEntry | None:
    """What waits for a second person; of corrections the one of that hand."""
    waiting = StaffEntry.objects.filter(card=card, kind=kind, decided__isnull=True).order_by("-pk")
    return next((entry for entry in waiting if hand is None or entry.payload.get("hand") == hand), None)


def agree_in(write: Write, entry: StaffEntry, state: CardState, enter: Enter) -> None:
    """Inside an open write: the second person has looked at it.

    Raises:
        NotAllowed: `own-entry`; `needs-director`.
        Conflict: `decided`, `card-changed`.
    """
    refuse_decided(entry)
    require(write.by, "desk", write.tournament)
    if entry.by_id == _user(write.by) and write.by != SYSTEM:
        raise NotAllowed("own-entry", _("You entered this yourself. Ask another official to confirm it."))
    if entry.needs == Needs.REKEY:
        raise Conflict(
            "type-again", _("In this event a second person enters the figures again. Enter the card from the paper.")
        )
    if entry.needs == Needs.OFFICIAL and not (_directs(entry.by, write) or _directs(write.by.user, write)):
        raise NotAllowed(
            "needs-director", _("One of the two officials has to be a director. Ask a director to confirm it.")
        )
    if state.digest != entry.digest:
        raise Conflict(
            "card-changed", _("The card has changed since this was entered. Look at the card and enter it again.")
        )
    enter()
    _decide(write, entry, Decision.AGREED)


def reason_of_both(entry: StaffEntry, second: Actor, reason: str, how: str) -> str:
    """Name both officials for the record, and by whose link each of them was signed in: English, as all reasons."""
    tournament = entry.card.match.event.tournament
    with translation.override("en"):
        link = signed_in_by(second.link, tournament, timezone.now())
        other = f"{second.name} ({link})" if link else second.name
        return " · ".join(filter(None, [reason, f"typed by {signer(entry, tournament)}, {how} {other}"]))


def refuse_in(write: Write, entry: StaffEntry) -> None:
    """Inside an open write: it does not count. Its author withdraws it, anybody else says why it is wrong."""
    refuse_decided(entry)
    require(write.by, "desk", write.tournament)
    own = entry.by_id == _user(write.by)
    if not own and not write.reason.strip():
        raise DomainError("reason-needed", _("The reason is missing. Enter what is wrong."))
    _decide(write, entry, Decision.WITHDRAWN if own else Decision.REFUSED)


def refuse_decided(entry: StaffEntry) -> None:
    if StaffEntryDecided.objects.filter(entry=entry).exists():
        raise Conflict("decided", _("This entry has been decided. Look at the card."))


def _needs(write: Write, state: CardState) -> str | None:
    if not is_desk(write.by, write.tournament) or write.by == SYSTEM:
        return None
    clock = load_clock(state)
    if clock is not None and clock.is_final(write.at):
        return Needs.OFFICIAL
    second = load_terms(state.card.match.event).second
    return {Second.NONE: None, Second.APPROVAL: Needs.APPROVAL, Second.REKEY: Needs.REKEY}[second]


def _compare(waiting: StaffEntry, typed: Typed) -> None:
    first, again = waiting.payload, typed.payload
    different = [name for name in typed.same if first.get(name) != again.get(name)]
    if different:
        said = _(
            "%(name)s entered: %(one)s. You entered: %(other)s. "
            "Look at the paper, then correct yours or refuse the first entry."
        ) % {"name": waiting.by_name, "one": first.get("said") or "", "other": typed.said}
        both = {"first": dict(first), "again": dict(again)}
        raise Differs("differs", said, differences=different, by=waiting.by_name, **both)


def _try(write: Write, enter: Enter) -> None:
    """Everything that would be refused is refused now; nothing of it stays."""
    outcome, kept, subject = deepcopy(write.outcome), deepcopy(write.kept), write.subject
    sid = transaction.savepoint()
    try:
        with rolled_back():
            enter()
    finally:
        transaction.savepoint_rollback(sid)
        write.outcome, write.kept, write.subject = outcome, kept, subject


def _decide(write: Write, entry: StaffEntry, decision: str) -> None:
    StaffEntryDecided.objects.create(entry=entry, decision=decision, **write.signature_fields())
    write.about(entry.card, staff_entry=entry.pk, decision=str(decision), typed_by=entry.by_name)


def _directs(user: Any, write: Write) -> bool:
    return user is not None and may(user, "direct", write.tournament)


def _user(by: Actor) -> int | None:
    return by.user.pk if by.user else None
