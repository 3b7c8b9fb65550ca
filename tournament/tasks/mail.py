"""E-mails to entrants. Each copy keeps what became of it, so that doing a task twice sends nothing twice."""

import logging
import smtplib

from celery import shared_task
from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse

from tournament.messages.services import record_delivery
from tournament.models import Entrant, MessageCopy
from tournament.registration.selectors.entrants import members_of, why_waiting
from tournament.spreadsheets import email_key

logger = logging.getLogger(__name__)
NOT_SENT = (smtplib.SMTPException, OSError)


@shared_task(name="tournament.send_confirmation", autoretry_for=NOT_SENT, retry_backoff=30, retry_jitter=False)
def send_confirmation(entrant_id: int, site: str) -> None:
    """The private link, to who has just entered or lost it."""
    entrant = Entrant.objects.select_related("event__tournament").get(pk=entrant_id)
    if settings.MAIL_IS_SET:
        _mail(entrant, f"{entrant.event.tournament}: {entrant.event}", "confirmation", site, waits=why_waiting(entrant))


@shared_task(name="tournament.send_links")
def send_links(event_id: int, email: str, site: str) -> None:
    """The private links of everybody with this address in this event; nobody learns whether there are any."""
    found = Entrant.objects.filter(event_id=event_id, members__player__email_key=email_key(email))
    gone = (Entrant.State.REFUSED, Entrant.State.JOINED, Entrant.State.PARTED)
    for entrant_id in found.exclude(state__in=gone).distinct().values_list("pk", flat=True):
        send_confirmation(entrant_id, site)


@shared_task(name="tournament.send_message")
def send_message(message_id: int, site: str = "") -> None:
    """All copies of a message that wait to go by e-mail; what cannot be sent is to be told by phone."""
    waiting = MessageCopy.objects.filter(
        message_id=message_id, channel=MessageCopy.Channel.EMAIL, state=MessageCopy.State.WAITING
    )
    for copy in waiting.select_related("message", "entrant__event__tournament"):
        try:
            _mail(copy.entrant, copy.message.subject, "message", site, message=copy.message)
        except NOT_SENT as error:
            logger.warning("message %s to entry %s was not sent: %s", message_id, copy.entrant_id, error)
            record_delivery(copy, error=str(error) or type(error).__name__)
        else:
            record_delivery(copy)


def _mail(entrant: Entrant, subject: str, template: str, site: str, **more: object) -> None:
    addresses = [m.player.email for m in members_of(entrant) if m.player.email]
    if not addresses:
        return
    link = f"{settings.SITE_URL or site}{reverse('tournament:my', kwargs={'token': entrant.token})}"
    context = {"entrant": entrant, "event": entrant.event, "tournament": entrant.event.tournament, "link": link, **more}
    body = render_to_string(f"tournament/mail/{template}.txt", context)
    EmailMessage(" ".join(subject.split()), body, to=addresses).send()
