"""Load players, possible duplicates, merges and requests for lost links. A merged record is read as the other one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from rapidfuzz import fuzz

from tournament.core.selectors.events import GONE_STATES, merged_player
from tournament.errors import NotFound
from tournament.models import Entrant, Event, LinkAnswer, LinkRequest, Member, Merge, Player, Tournament
from tournament.spreadsheets import name_key

ALIKE: Final = 88
"""The lowest similarity (rapidfuzz, of 100) at which two names are listed as perhaps one person."""


def load_player(tournament: Tournament, pk: int) -> Player:
    """Return a player with a public entry in this tournament, following merges.

    Raises:
        NotFound: `no-player`.
    """
    found = Player.objects.select_related("merged_into").filter(pk=pk).first()
    if found is None or not load_public_entries(tournament, found).exists():
        raise NotFound("no-player", _("There is no such player in this tournament. Look at the list of entrants."))
    return merged_player(found)


def load_public_entries(tournament: Tournament, player: Player) -> QuerySet[Entrant]:
    """Return the public entries of this person in the tournament, under any of their merged records."""
    own = merged_player(player)
    mine = Q(members__player=own) | Q(members__player__merged_into=own)
    entrants = Entrant.objects.filter(mine, event__tournament=tournament, members__replaced_by=None)
    shown = entrants.exclude(event__state="draft").exclude(state__in=HIDDEN)
    return shown.select_related("event__tournament").distinct().order_by("event_id", "number")


HIDDEN: Final = (*GONE_STATES, Entrant.State.APPLIED)


@dataclass(frozen=True, slots=True)
class _Twins:
    one: Player
    other: Player
    why: str

    @property
    def both(self) -> tuple[Player, Player]:
        return self.one, self.other


def find_duplicates(tournament: Tournament) -> list[_Twins]:
    """Return pairs of records of this tournament that may be one person, the surest first, in one query."""
    people = list(tournament_people(tournament).order_by("pk"))
    found: dict[tuple[int, int], _Twins] = {}
    for why, pairs in (
        (
            _("the same email and name"),
            _sharing(people, lambda p: f"{p.email_key}|{p.name_key}" if p.email_key else ""),
        ),
        (_("the same name"), _sharing(people, lambda p: p.name_key)),
        (_("the same email"), _sharing(people, lambda p: p.email_key)),
        (_("similar names"), _alike(people)),
    ):
        for one, other in sorted(pairs, key=lambda pair: (pair[0].pk, pair[1].pk)):
            found.setdefault((one.pk, other.pk), _Twins(one, other, why))
    return list(found.values())


def tournament_people(tournament: Tournament) -> QuerySet[Player]:
    members = Member.objects.filter(entrant__event__tournament=tournament).values("player")
    return Player.objects.filter(pk__in=members, merged_into=None)


def load_merges(tournament: Tournament) -> QuerySet[Merge]:
    """Return the merges that can be undone here, newest first. Both records have an entry in this tournament."""
    members = Member.objects.filter(entrant__event__tournament=tournament).values("player")
    found = Merge.objects.filter(kept__in=members, gone__in=members, undone=None)
    return found.select_related("kept", "gone").distinct().order_by("-pk")


def find_double_entries(tournament: Tournament, player: Player) -> list[str]:
    """Return the names of events in which this person has more than one live entry."""
    theirs = Q(entrants__members__player=player) | Q(entrants__members__player__merged_into=player)
    live = ~Q(entrants__state__in=GONE_STATES)
    counted = tournament.events.filter(theirs, live).annotate(entries=Count("entrants", distinct=True))
    return list(counted.filter(entries__gt=1).values_list("name", flat=True))


def _sharing(people: list[Player], key: Callable[[Player], str]) -> Iterator[tuple[Player, Player]]:
    groups: dict[str, list[Player]] = defaultdict(list)
    for person in people:
        shared = key(person)
        if shared:
            groups[shared].append(person)
    for group in groups.values():
        yield from combinations(group, 2)


def _alike(people: list[Player]) -> Iterator[tuple[Player, Player]]:
    """Yield pairs with similar names. Comparing only names that share a first letter makes 1,000 names quick."""
    groups: dict[str, list[Player]] = defaultdict(list)
    for person in people:
        for letter in {word[0] for word in person.name_key.split()}:
            groups[letter].append(person)
    for group in groups.values():
        for one, other in combinations(group, 2):
            if fuzz.token_sort_ratio(one.name_key, other.name_key) >= ALIKE:
                yield one, other


# --- Private links ---------------------------------------------------------------------------------------------------
# Load requests for a lost private link, with the entries that each may mean.

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


def is_link_visible(answer: LinkAnswer, now: datetime) -> bool:
    return answer.entrant_id is not None and answer.at > now - LINK_LIFETIME
