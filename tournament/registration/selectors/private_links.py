"""Load requests for a lost private link, with the entries that each may mean."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import QuerySet

from tournament.models import Entrant, Event, LinkAnswer, LinkRequest, Player
from tournament.spreadsheets import name_key

MOST_OPEN: Final = 30
REQUEST_LIFETIME: Final = timedelta(hours=2)
"""The time after which an unanswered request expires."""
LINK_LIFETIME: Final = timedelta(minutes=30)
"""The time after the desk's approval in which the browser that asked may open the page."""
LINKABLE_STATES: Final = ("in", "seeking", "waiting", "applied", "joined", "parted", "removed")


def open_requests(event: Event, now: datetime) -> QuerySet[LinkRequest]:
    return LinkRequest.objects.filter(event=event, answer__isnull=True, at__gt=now - REQUEST_LIFETIME)


def has_expired(request: LinkRequest, now: datetime) -> bool:
    return request.at <= now - REQUEST_LIFETIME


def load_waiting_requests(event: Event, now: datetime) -> list[dict[str, Any]]:
    """Return each open `request` with its `candidates`, the entries of that name. The oldest request comes first.

    The number of queries is constant.
    """
    waiting = list(open_requests(event, now))
    if not waiting:
        return []
    entrants = event.entrants.filter(state__in=LINKABLE_STATES).prefetch_related(
        "members__player", "members__replaced_by"
    )
    playing = {
        entrant: [one.player for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
        for entrant in entrants.order_by("number")
    }
    return [{"request": each, "candidates": _candidates(each, playing)} for each in waiting]


def _candidates(request: LinkRequest, playing: Mapping[Entrant, list[Player]]) -> list[dict[str, Any]]:
    """Find the entries with a player of the given name, also where either name has more words than the other.

    `phone_agrees` is None if a phone number is missing on either side. `shares_link` tells whether several players use
    this link, so that a new link takes it from the others.
    """
    asked = set(name_key(request.name).split())
    found = []
    for entrant, players in playing.items():
        meant = [player for player in players if _is_called(asked, player)]
        if meant:
            agrees = _phone_agrees(request, meant)
            found.append({"entrant": entrant, "phone_agrees": agrees, "shares_link": len(players) > 1})
    return sorted(found, key=lambda one: (one["phone_agrees"] is not True, one["entrant"].number))


def _is_called(asked: set[str], player: Player) -> bool:
    words = set(name_key(player.name).split()), set(name_key(player.public_name).split())
    return any(each and asked and (asked <= each or each <= asked) for each in words)


def _phone_agrees(request: LinkRequest, players: Iterable[Player]) -> bool | None:
    """Return whether a player has this end of the phone number, or None if a number is missing on either side."""
    digits = ["".join(filter(str.isdigit, player.phone)) for player in players]
    on_record = [each for each in digits if each]
    if not request.phone_end or not on_record:
        return None
    return any(each.endswith(request.phone_end) for each in on_record)


def find_own_request(event: Event, browser: str) -> LinkRequest | None:
    """Return the request that the browser with this digest made in this event."""
    return LinkRequest.objects.select_related("answer__entrant").filter(event=event, browser=browser).first()


def is_shown(answer: LinkAnswer, now: datetime) -> bool:
    return answer.entrant_id is not None and answer.at > now - LINK_LIFETIME
