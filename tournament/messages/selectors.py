"""Messages for walls, and the players who get their private link by email or on paper."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant, Event, Message, MessageCopy

State = Entrant.State
LIVE: Final = (State.IN, State.SEEKING, State.WAITING, State.APPLIED)
RECEIVERS: Final = {
    "all": _("All players"),
    "imported": _("Players from an imported list"),
    "no-email": _("Players without an email address"),
}


TO_EVERYBODY: Final = ("in", "all", "arrived")
"""Audiences whose messages appear on a wall. Messages to others are private."""
ON_THE_WALL: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class _WallMessage:
    subject: str
    body: str
    at: datetime
    until: datetime


def load_wall_message(event: Event, now: datetime) -> _WallMessage | None:
    """Return the last message to everybody, or None if none is recent enough for a wall."""
    sent = event.messages.filter(audience__in=TO_EVERYBODY, at__gt=now - ON_THE_WALL).first()
    return _WallMessage(sent.subject, sent.body, sent.at, sent.at + ON_THE_WALL) if sent is not None else None


def link_receivers(event: Event, who: str = "all") -> list[Entrant]:
    """Return the entrants who get a private link, sorted by family name, with their players prefetched."""
    found = event.entrants.filter(state__in=LIVE).order_by("sort_key", "number")
    if who == "imported":
        found = found.filter(source=Entrant.Source.IMPORT)
    entrants = list(found.prefetch_related("members__player__merged_into", "members__replaced_by"))
    return [entrant for entrant in entrants if who != "no-email" or not has_email(entrant)]


def load_undelivered(event: Event) -> list[tuple[Message, int]]:
    """Return the messages with failed emails, each with the number of its failed copies."""
    failed = Count("copies", filter=Q(copies__state=MessageCopy.State.FAILED))
    return [(message, message.failed) for message in event.messages.annotate(failed=failed).filter(failed__gt=0)]


def load_to_call(event: Event, since: datetime) -> list[tuple[Message, int]]:
    """Return the messages since then that players without an email wait for, with how many were not called yet."""
    waiting = Q(copies__channel=MessageCopy.Channel.PHONE, copies__state=MessageCopy.State.WAITING)
    messages = event.messages.filter(at__gte=since).annotate(to_call=Count("copies", filter=waiting))
    return [(message, message.to_call) for message in messages.filter(to_call__gt=0)]


def names_of(entrant: Entrant) -> list[str]:
    """Return the public names of the entry's current players. `link_receivers` has prefetched them."""
    playing = [one for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
    return [str(one.player) for one in playing] or [entrant.name]


def has_email(entrant: Entrant) -> bool:
    playing = [one for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
    return any(one.player.email for one in playing)
