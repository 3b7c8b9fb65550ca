"""Send messages to entrants. Each message appears on the entrant's own pages, and is emailed or passed on by phone.

The desk calls an entrant who has no email address, and all entrants if email is not set up.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from tournament.core.dispatch import send_task_after_commit
from tournament.core.permissions import SYSTEM_ACTOR, Actor, require_permission
from tournament.core.selectors.copies import sends_email
from tournament.core.selectors.events import INACTIVE_ENTRANT_STATES
from tournament.core.services.record import WriteTransaction, bump_version, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError
from tournament.messages.selectors import load_link_recipients
from tournament.models import Entrant, Event, Message, MessageCopy
from tournament.models.topic import DESK_TOPIC
from tournament.money.selectors.ledger import load_event_accounts

EntrantState = Entrant.State
AUDIENCES: Final = {
    "in": _("Everybody who is in"),
    "seeking": _("Players looking for a partner"),
    "waiting": _("The waiting list"),
    "applied": _("Players waiting for approval"),
    "arrived": _("Players who have checked in"),
    "missing": _("Players who have not checked in"),
    "unpaid": _("Players who owe money"),
    "all": _("Everybody: in, on the waiting list, waiting for approval, looking for a partner"),
    "chosen": _("Only these numbers"),
}
AUDIENCE_LABELS: Final = {**AUDIENCES, Message.OF_ENTRY: _("Players who have just entered")}
PRIVATE_LINK_TEXT: Final = _(
    "This link opens your page with your matches, messages and score cards. Your signing code is there, too. "
    "Keep the link to yourself: anyone who has it can sign for you."
)


@dataclass(frozen=True, slots=True)
class MessageDraft:
    subject: str
    body: str
    audience: str
    numbers: tuple[int, ...] = ()


def send_message(event: Event, letter: MessageDraft, *, by: Actor, key: str, site: str = "") -> Message:
    """Send a message to an audience.

    Raises:
        DomainError: `no-text`, `no-audience`.
        Conflict: `nobody`.
    """
    require_permission(by, "desk", event.tournament)
    if not letter.subject.strip() or not letter.body.strip():
        raise DomainError("no-text", gettext("Write a subject and a message."))
    if letter.audience not in AUDIENCES:
        raise DomainError("no-audience", gettext("Choose who gets the message."), field="audience")
    with writing(event, verb="message.sent", by=by, key=make_idempotency_key(key, letter)) as write:
        if write.repeated:
            return Message.objects.get(pk=write.outcome["message"])
        return record_message(write, letter, site)


def record_message(write: WriteTransaction, letter: MessageDraft, site: str = "") -> Message:
    """Store a message with a copy for each recipient, in the caller's transaction. Emails are sent after the commit.

    Raises:
        Conflict: `nobody`, if the audience is empty.
    """
    event = write.the_event
    copies, entrants = [], list(_load_audience(event, letter.audience, letter.numbers))
    if not entrants:
        raise Conflict("nobody", gettext("This group is empty now. Choose another one."))
    message = Message.objects.create(
        event=event,
        subject=letter.subject.strip()[:200],
        body=letter.body.strip(),
        audience=letter.audience,
        **write.fact_fields(),
    )
    for entrant in entrants:
        by_mail = sends_email(event.tournament) and any(member.player.email for member in entrant.members.all())
        # In a copy, nobody is called either. Its messages remain unsent emails.
        channel = MessageCopy.Channel.EMAIL if by_mail or event.tournament.is_copy else MessageCopy.Channel.PHONE
        copies.append(MessageCopy(message=message, entrant=entrant, channel=channel))
    MessageCopy.objects.bulk_create(copies)
    write.about(message, message=message.pk, copies=len(entrants))
    if sends_email(event.tournament):
        _send_emails(message, site)
    return message


def _require_no_copy(event: Event) -> None:
    if event.tournament.is_copy:
        raise Conflict("copy", gettext("This tournament is a copy, so nothing is sent. Send it from the original."))


def _send_emails(message: Message, site: str) -> None:
    """Have the worker send the emails after the commit, in the language of the current request."""
    send_task_after_commit("tournament.send_message", message_id=message.pk, site=site, language=get_language())


def resend_emails(message: Message, *, by: Actor, site: str = "") -> int:
    """Queue waiting and failed emails again, and return their number. No email is sent twice.

    Raises:
        Conflict: `copy`, `nothing-waits`.
    """
    require_permission(by, "desk", message.event.tournament)
    _require_no_copy(message.event)
    sends = sends_email(message.event.tournament)
    with writing(message.event, verb="message.sent-again", by=by) as write:
        failed = message.copies.filter(state=MessageCopy.State.FAILED)
        if sends:
            failed.update(channel=MessageCopy.Channel.EMAIL, state=MessageCopy.State.WAITING, changed_at=write.at)
        waiting = message.copies.filter(channel=MessageCopy.Channel.EMAIL, state=MessageCopy.State.WAITING).count()
        if not sends or not waiting:
            raise Conflict(
                "nothing-waits", gettext("No email of this message is waiting to be sent. Nothing was changed.")
            )
        write.about(message, message=message.pk, waiting=waiting)
        _send_emails(message, site)
        return waiting


def send_private_links(event: Event, who: str, *, by: Actor, key: str, site: str) -> Message:
    """Email each of these players their private link, and record the emails as one message.

    Players without an email address are listed for a call. Each link is added only to the email itself and is never
    stored with the message.

    Raises:
        Conflict: `copy`, `no-mail`, `nobody`.
    """
    require_permission(by, "links", event.tournament)
    _require_no_copy(event)
    if not sends_email(event.tournament):
        raise Conflict("no-mail", gettext("Email is not set up here. Print the slips instead."))
    numbers = tuple(entrant.number for entrant in load_link_recipients(event, who))
    letter = MessageDraft(gettext("Your private link"), str(PRIVATE_LINK_TEXT), "chosen", numbers)
    return send_message(event, letter, by=by, key=key, site=site)


def record_printed_slips(event: Event, entrants: Sequence[Entrant], *, by: Actor) -> None:
    """Log that these players' private links were printed.

    Raises:
        Conflict: `nobody`.
    """
    require_permission(by, "links", event.tournament)
    if not entrants:
        raise Conflict("nobody", gettext("This group is empty now. Choose another one."))
    with writing(event, verb="links.printed", by=by) as write:
        write.about(event, slips=len(entrants), numbers=[entrant.number for entrant in entrants])


def _load_audience(event: Event, audience: str, numbers: Sequence[int] = ()) -> QuerySet[Entrant]:
    entrants = event.entrants.exclude(state__in=[*INACTIVE_ENTRANT_STATES, EntrantState.REMOVED])
    entrants = entrants.prefetch_related("members__player__merged_into", "members__replaced_by")
    if audience in (EntrantState.IN, EntrantState.SEEKING, EntrantState.WAITING, EntrantState.APPLIED):
        return entrants.filter(state=audience)
    if audience == "arrived":
        return entrants.filter(arrived=True)
    if audience == "missing":
        return entrants.filter(state=EntrantState.IN, arrived=False)
    if audience == "unpaid":
        books = load_event_accounts(event)
        return entrants.filter(pk__in=[pk for pk, account in books.accounts.items() if account.due_cents > 0])
    if audience == "chosen":
        return event.entrants.filter(number__in=numbers)
    return entrants


def record_phone_call(copy: MessageCopy, told: bool = True, *, by: Actor) -> MessageCopy:
    """Record that this entrant was informed by phone, or undo that record."""
    event = copy.message.event
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="message.told" if told else "message.not-told", by=by) as write:
        locked = MessageCopy.objects.get(pk=copy.pk)
        locked.state = MessageCopy.State.TOLD if told else MessageCopy.State.WAITING
        locked.channel = MessageCopy.Channel.PHONE
        locked.changed_at = write.at
        locked.save(update_fields=["state", "channel", "changed_at"])
        write.about(locked.entrant, copy=locked.pk, told=told)
        return locked


def record_unsent_link(entrant: Entrant, *, error: str) -> MessageCopy:
    """Record that a private link could not be emailed, so that the desk sends it again or calls the player.

    Such records are collected in one message. Once the desk has dealt with all of them, the next failure starts a new
    message.
    """
    event = entrant.event
    with writing(event, verb="link.unsent", by=SYSTEM_ACTOR) as write:
        open_message = event.messages.filter(audience=Message.OF_ENTRY, copies__state=MessageCopy.State.FAILED).first()
        message = open_message or Message.objects.create(
            event=event,
            subject=gettext("Private link after entering"),
            body=gettext("The email with the private link and the signing code could not be sent to these players."),
            audience=Message.OF_ENTRY,
            **write.fact_fields(),
        )
        copy, _created = MessageCopy.objects.update_or_create(
            message=message,
            entrant=entrant,
            defaults={
                "channel": MessageCopy.Channel.PHONE,
                "state": MessageCopy.State.FAILED,
                "note": error[:300],
                "changed_at": write.at,
            },
        )
        write.about(entrant, message=message.pk, copy=copy.pk)
        bump_version(event, frozenset({DESK_TOPIC}))
    return copy


def record_delivery(copy: MessageCopy, *, error: str = "") -> None:
    """Record whether an email was sent. If it failed, the desk calls the player instead."""
    copy.state = MessageCopy.State.FAILED if error else MessageCopy.State.SENT
    copy.note = error[:300]
    copy.channel = MessageCopy.Channel.PHONE if error else MessageCopy.Channel.EMAIL
    with transaction.atomic():
        event = Event.objects.select_for_update(of=("self",)).get(pk=copy.message.event_id) if error else None
        copy.save(update_fields=["state", "note", "channel"])
        if event is not None:
            bump_version(event, frozenset({DESK_TOPIC}))
