"""Requests for a lost private link: the open ones, the entries they may mean, and the time limits."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from tournament.models import Entrant, Event, LinkAnswer, LinkRequest
from tournament.spreadsheets import name_key

MOST_OPEN: Final = 30
WAITS_FOR: Final = timedelta(hours=2)
"""The time after which an unanswered request expires."""
SHOWN_FOR: Final = timedelta(minutes=30)
"""The time after the desk's approval in which the browser that asked may open the page."""
CAN_BE: Final = ("in", "seeking", "waiting", "applied", "joined", "parted", "removed")


def open_requests(event: Event, now: datetime) -> QuerySet[LinkRequest]:
    return LinkRequest.objects.filter(event=event, answer__isnull=True, at__gt=now - WAITS_FOR)


def has_expired(request: LinkRequest, now: datetime) -> bool:
    return request.at <= now - WAITS_FOR


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An entry with the name that was given. `phone_agrees` is None if a phone number is missing on either side."""

    entrant: Entrant
    phone_agrees: bool | None
    shares_link: bool
    """Whether several players use this link, so that a new link takes it from the others."""


@dataclass(frozen=True, slots=True)
class _WaitingRequest:
    request: LinkRequest
    candidates: tuple[_Candidate, ...]


def load_waiting_requests(event: Event, now: datetime) -> list[_WaitingRequest]:
    """Return the open requests, the oldest first, each with the entries of that name. A constant number of queries."""
    waiting = list(open_requests(event, now))
    if not waiting:
        return []
    entrants = event.entrants.filter(state__in=CAN_BE).prefetch_related("members__player", "members__replaced_by")
    known = [(entrant, _playing(entrant)) for entrant in entrants.order_by("number")]
    return [_WaitingRequest(each, tuple(_candidates(each, known))) for each in waiting]


def _playing(entrant: Entrant) -> list[Mapping[str, str]]:
    found = [one.player for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
    return [{"name": player.name, "shown": player.public_name, "phone": player.phone} for player in found]


def _candidates(request: LinkRequest, known: Iterable[tuple[Entrant, list[Mapping[str, str]]]]) -> Iterable[_Candidate]:
    """Find the entries with a player of the given name, also where either name has more words than the other."""
    asked = set(name_key(request.name).split())
    found = []
    for entrant, playing in known:
        meant = [player for player in playing if _is_called(asked, player)]
        if meant:
            found.append(_Candidate(entrant, _phone_agrees(request, meant), len(playing) > 1))
    return sorted(found, key=lambda one: (one.phone_agrees is not True, one.entrant.number))


def _is_called(asked: set[str], player: Mapping[str, str]) -> bool:
    words = set(name_key(player["name"]).split()), set(name_key(player["shown"]).split())
    return any(each and asked and (asked <= each or each <= asked) for each in words)


def _phone_agrees(request: LinkRequest, players: Iterable[Mapping[str, str]]) -> bool | None:
    digits = ["".join(filter(str.isdigit, player["phone"])) for player in players]
    on_record = [each for each in digits if each]
    if not request.phone_end or not on_record:
        return None
    return any(each.endswith(request.phone_end) for each in on_record)


def find_own_request(event: Event, browser: str) -> LinkRequest | None:
    """Return the request that the browser with this digest made in this event."""
    return LinkRequest.objects.select_related("answer__entrant").filter(event=event, browser=browser).first()


def is_shown(answer: LinkAnswer, now: datetime) -> bool:
    return answer.entrant_id is not None and answer.at > now - SHOWN_FOR
