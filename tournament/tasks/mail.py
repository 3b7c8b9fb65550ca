"""Tasks that send emails. The result for each recipient is stored, so a repeated task sends no email twice."""

import logging
import smtplib
from typing import Final

from celery import Task, shared_task
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override

from tournament.core.selectors.copies import sends_email
from tournament.messages.services import record_delivery, record_unsent_link
from tournament.models import DayReopened, Entrant, Message, MessageCopy, Tournament
from tournament.money.providers import load_payment_options
from tournament.money.selectors.ledger import load_entry_account
from tournament.registration.selectors.entries import load_members, make_waiting_list_context
from tournament.spreadsheets import email_key
from tournament.templatetags.gin import day_in_year

logger = logging.getLogger(__name__)
MAIL_ERRORS = (smtplib.SMTPException, OSError)
FIRST_RETRY_DELAY_S: Final = 30
"""Seconds before the first retry. The delay doubles with each further retry."""


@shared_task(bind=True, name="tournament.send_confirmation", max_retries=3)
def send_confirmation(task: Task, entrant_id: int, site: str, language: str | None = None) -> None:
    """Email a new entrant the private link. If the last retry fails, record the failure for the desk."""
    try:
        _send_confirmation_mail(_load_entrant(entrant_id), site, language)
    except MAIL_ERRORS as error:
        if task.request.retries < task.max_retries:
            raise task.retry(exc=error, countdown=FIRST_RETRY_DELAY_S * 2**task.request.retries) from error
        _record_unsent_confirmation(entrant_id, error)


@shared_task(name="tournament.send_links")
def send_links(event_id: int, email: str, site: str, language: str | None = None) -> None:
    """Email the private links of all entrants in the event who have this address."""
    entrants = Entrant.objects.filter(event_id=event_id, members__player__email_key=email_key(email))
    without_link = (Entrant.State.REFUSED, Entrant.State.JOINED, Entrant.State.PARTED)
    for entrant_id in entrants.exclude(state__in=without_link).distinct().values_list("pk", flat=True):
        try:
            _send_confirmation_mail(_load_entrant(entrant_id), site, language)
        except MAIL_ERRORS as error:
            _record_unsent_confirmation(entrant_id, error)


@shared_task(name="tournament.send_message")
def send_message(message_id: int, site: str = "", language: str | None = None) -> None:
    """Email all pending copies of a message. Failures are recorded, so that staff can call these entrants."""
    tournament = Tournament.objects.get(events__messages=message_id)
    if not sends_email(tournament):
        return
    waiting = MessageCopy.objects.filter(
        message_id=message_id, channel=MessageCopy.Channel.EMAIL, state=MessageCopy.State.WAITING
    )
    for copy in waiting.select_related("message", "entrant__event__tournament"):
        try:
            if copy.message.audience == Message.OF_ENTRY:
                _send_confirmation_mail(copy.entrant, site, language)
            else:
                _send_mail(copy.entrant, copy.message.subject, "message", site, language, message=copy.message)
        except MAIL_ERRORS as error:
            logger.warning("message %s to entry %s was not sent: %s", message_id, copy.entrant_id, error)
            record_delivery(copy, error=_format_error(error))
        else:
            record_delivery(copy)


@shared_task(name="tournament.tell_signers")
def tell_signers(reopened_id: int, site: str = "") -> None:
    """Email both signers of a daily close when a director has reopened the day."""
    row = DayReopened.objects.select_related("close__count__by", "close__by", "close__tournament").get(pk=reopened_id)
    close, tournament = row.close, row.close.tournament
    subject = _("%(tournament)s: %(day)s is open again") % {"tournament": tournament, "day": day_in_year(close.day)}
    for signer in (close.count.by, close.by):
        if signer is None:
            continue
        about = {"row": row, "close": close, "name": signer.name, "zone": tournament.time_zone}
        body = render_to_string("tournament/mail/day_reopened.txt", about)
        try:
            _send(tournament, subject, body, [signer.email])
        except MAIL_ERRORS as error:
            logger.warning("%s was not told that %s is open again: %s", signer.pk, close.day, error)


def _load_entrant(pk: int) -> Entrant:
    return Entrant.objects.select_related("event__tournament").get(pk=pk)


def _send_confirmation_mail(entrant: Entrant, site: str, language: str | None) -> None:
    if sends_email(entrant.event.tournament):
        subject = f"{entrant.event.tournament}: {entrant.event}"
        due = load_entry_account(entrant.joined_to or entrant).due_cents
        offers = {offer["name"]: offer["shown"] for offer in load_payment_options(entrant)} if due else {}
        more = {"waits": make_waiting_list_context(entrant), "transfer": offers.get("transfer"), "due": due}
        _send_mail(entrant, subject, "confirmation", site, language, **more)


def _record_unsent_confirmation(entrant_id: int, error: Exception) -> None:
    logger.warning("the private link of entry %s was not sent: %s", entrant_id, error)
    record_unsent_link(_load_entrant(entrant_id), error=_format_error(error))


def _format_error(error: Exception) -> str:
    return str(error) or type(error).__name__


def _send_mail(entrant: Entrant, subject: str, template: str, site: str, language: str | None, **more: object) -> None:
    """Send an email to an entrant in the language of the original request."""
    addresses = [m.player.email for m in load_members(entrant) if m.player.email]
    if not addresses:
        return
    link = f"{settings.SITE_URL or site}{reverse('tournament:my', kwargs={'token': entrant.token})}"
    context = {"entrant": entrant, "event": entrant.event, "tournament": entrant.event.tournament, "link": link, **more}
    with override(language or settings.LANGUAGE_CODE):
        body = render_to_string(f"tournament/mail/{template}.txt", context)
    _send(entrant.event.tournament, subject, body, addresses)


def _send(tournament: Tournament, subject: str, body: str, to: list[str]) -> None:
    """Send an email, unless the tournament is a copy. All emails of tournaments are sent by this function."""
    if sends_email(tournament):
        EmailMessage(" ".join(subject.split()), body, to=to).send()
