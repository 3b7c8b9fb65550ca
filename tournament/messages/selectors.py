"""Announcements for wall screens, undelivered messages, and the recipients of private links."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from tournament.models import Entrant, Event, Message, MessageCopy, Player

EntrantState = Entrant.State
LINK_RECIPIENT_STATES: Final = (EntrantState.IN, EntrantState.SEEKING, EntrantState.WAITING, EntrantState.APPLIED)
RECIPIENT_GROUPS: Final = {
    "all": _("All players"),
    "imported": _("Players from an imported list"),
    "no-email": _("Players without an email address"),
}
WALL_MESSAGE_AUDIENCES: Final = ("in", "all", "arrived")
"""Audiences whose messages appear on wall screens. Messages to other audiences are private."""
WALL_MESSAGE_LIFETIME: Final = timedelta(minutes=30)


def load_wall_message(event: Event, now: datetime) -> dict[str, Any] | None:
    """Return the latest announcement for wall screens as template context, or None if there is no recent one."""
    sent = event.messages.filter(audience__in=WALL_MESSAGE_AUDIENCES, at__gt=now - WALL_MESSAGE_LIFETIME).first()
    if sent is None:
        return None
    return {"subject": sent.subject, "body": sent.body, "at": sent.at, "until": sent.at + WALL_MESSAGE_LIFETIME}


def load_link_recipients(event: Event, who: str = "all") -> list[Entrant]:
    """Return the recipients of private links in order of family name, with their players prefetched."""
    found = event.entrants.filter(state__in=LINK_RECIPIENT_STATES).order_by("sort_key", "number")
    if who == "imported":
        found = found.filter(source=Entrant.Source.IMPORT)
    entrants = list(found.prefetch_related("members__player__merged_into", "members__replaced_by"))
    return [entrant for entrant in entrants if who != "no-email" or not has_email(entrant)]


def load_undelivered_messages(event: Event) -> list[tuple[Message, int]]:
    """Return messages with failed emails, each with the number of failures.

    For a copy of a tournament, return none.
    """
    if event.tournament.is_copy:
        return []
    failed = Count("copies", filter=Q(copies__state=MessageCopy.State.FAILED))
    return [(message, message.failed) for message in event.messages.annotate(failed=failed).filter(failed__gt=0)]


def load_messages_needing_calls(event: Event, since: datetime) -> list[tuple[Message, int]]:
    """Return messages sent since this time to players without email, each with the number of players still to call.

    For a copy of a tournament, return none, because its players must not be called.
    """
    if event.tournament.is_copy:
        return []
    waiting = Q(copies__channel=MessageCopy.Channel.PHONE, copies__state=MessageCopy.State.WAITING)
    messages = event.messages.filter(at__gte=since).annotate(to_call=Count("copies", filter=waiting))
    return [(message, message.to_call) for message in messages.filter(to_call__gt=0)]


def list_current_player_names(entrant: Entrant) -> list[str]:
    """Return the public names of the entry's current players, as prefetched by `load_link_recipients`."""
    return [str(player) for player in _list_current_players(entrant)] or [entrant.name]


def has_email(entrant: Entrant) -> bool:
    return any(player.email for player in _list_current_players(entrant))


def _list_current_players(entrant: Entrant) -> list[Player]:
    return [one.player for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
