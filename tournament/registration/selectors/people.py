"""Load players, possible duplicates, merges, and requests for lost links."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from rapidfuzz import fuzz

from tournament.core.selectors.events import INACTIVE_ENTRANT_STATES, resolve_merged_player
from tournament.errors import NotFound
from tournament.models import Entrant, Event, LinkAnswer, LinkRequest, Member, Merge, Player, Tournament
from tournament.spreadsheets import name_key

MIN_NAME_SIMILARITY: Final = 88
"""The similarity (rapidfuzz, up to 100) from which two names may belong to the same person."""


def load_player(tournament: Tournament, pk: int) -> Player:
    """Return a player with a public entry in this tournament. If the record was merged, return the remaining record.

    Raises:
        NotFound: `no-player`.
    """
    player = Player.objects.select_related("merged_into").filter(pk=pk).first()
    if player is None or not load_public_entries(tournament, player).exists():
        raise NotFound("no-player", _("There is no such player in this tournament. Look at the list of entrants."))
    return resolve_merged_player(player)


def load_public_entries(tournament: Tournament, player: Player) -> QuerySet[Entrant]:
    """Return the person's public entries in the tournament, including those of merged records."""
    own = resolve_merged_player(player)
    theirs = Q(members__player=own) | Q(members__player__merged_into=own)
    entrants = Entrant.objects.filter(theirs, event__tournament=tournament, members__replaced_by=None)
    public = entrants.exclude(event__state="draft").exclude(state__in=NONPUBLIC_ENTRANT_STATES)
    return public.select_related("event__tournament").distinct().order_by("event_id", "number")


NONPUBLIC_ENTRANT_STATES: Final = (*INACTIVE_ENTRANT_STATES, Entrant.State.APPLIED)


def find_duplicate_players(tournament: Tournament) -> list[dict[str, Any]]:
    """Return pairs of records that may be the same person, most likely first, each with the reason (`why`)."""
    people = list(load_tournament_players(tournament).order_by("pk"))
    pairs_by_key: dict[tuple[int, int], dict[str, Any]] = {}
    for why, pairs in (
        (
            _("the same email and name"),
            _iter_pairs_with_same_key(people, lambda p: f"{p.email_key}|{p.name_key}" if p.email_key else ""),
        ),
        (_("the same name"), _iter_pairs_with_same_key(people, lambda p: p.name_key)),
        (_("the same email"), _iter_pairs_with_same_key(people, lambda p: p.email_key)),
        (_("similar names"), _iter_pairs_with_similar_names(people)),
    ):
        for one, other in sorted(pairs, key=lambda pair: (pair[0].pk, pair[1].pk)):
            pairs_by_key.setdefault((one.pk, other.pk), {"one": one, "other": other, "both": (one, other), "why": why})
    return list(pairs_by_key.values())


def load_tournament_players(tournament: Tournament) -> QuerySet[Player]:
    members = Member.objects.filter(entrant__event__tournament=tournament).values("player")
    return Player.objects.filter(pk__in=members, merged_into=None)


def load_reversible_merges(tournament: Tournament) -> QuerySet[Merge]:
    """Return the merges of this tournament's players that can be undone, newest first."""
    members = Member.objects.filter(entrant__event__tournament=tournament).values("player")
    merges = Merge.objects.filter(kept__in=members, gone__in=members, undone=None)
    return merges.select_related("kept", "gone").distinct().order_by("-pk")


def find_events_entered_twice(tournament: Tournament, player: Player) -> list[str]:
    """Return the names of events in which this person has more than one entry."""
    theirs = Q(entrants__members__player=player) | Q(entrants__members__player__merged_into=player)
    live = ~Q(entrants__state__in=INACTIVE_ENTRANT_STATES)
    counted = tournament.events.filter(theirs, live).annotate(entries=Count("entrants", distinct=True))
    return list(counted.filter(entries__gt=1).values_list("name", flat=True))


def _iter_pairs_with_same_key(people: list[Player], key: Callable[[Player], str]) -> Iterator[tuple[Player, Player]]:
    groups: dict[str, list[Player]] = defaultdict(list)
    for person in people:
        shared = key(person)
        if shared:
            groups[shared].append(person)
    for group in groups.values():
        yield from combinations(group, 2)


def _iter_pairs_with_similar_names(people: list[Player]) -> Iterator[tuple[Player, Player]]:
    """Yield pairs of people with similar names. For speed, only names that share a first letter are compared."""
    groups: dict[str, list[Player]] = defaultdict(list)
    for person in people:
        for letter in {word[0] for word in person.name_key.split()}:
            groups[letter].append(person)
    for group in groups.values():
        for one, other in combinations(group, 2):
            if fuzz.token_sort_ratio(one.name_key, other.name_key) >= MIN_NAME_SIMILARITY:
                yield one, other


# --- Requests for lost private links ---------------------------------------------------------------------------------

MAX_OPEN_LINK_REQUESTS: Final = 30
LINK_REQUEST_LIFETIME: Final = timedelta(hours=2)
"""The time after which an unanswered request expires."""
APPROVED_LINK_LIFETIME: Final = timedelta(minutes=30)
"""How long after the desk's approval the requesting browser can open the page."""
RECOVERABLE_LINK_STATES: Final = ("in", "seeking", "waiting", "applied", "joined", "parted", "removed")


def load_open_link_requests(event: Event, now: datetime) -> QuerySet[LinkRequest]:
    return LinkRequest.objects.filter(event=event, answer__isnull=True, at__gt=now - LINK_REQUEST_LIFETIME)


def has_link_request_expired(request: LinkRequest, now: datetime) -> bool:
    return request.at <= now - LINK_REQUEST_LIFETIME


def load_undecided_link_requests(event: Event, now: datetime) -> list[dict[str, Any]]:
    """Return the open requests for lost links, oldest first.

    Each item contains a `request` and its `candidates`, which are the entries with a matching name. The number of
    queries does not depend on the number of requests.
    """
    waiting = list(load_open_link_requests(event, now))
    if not waiting:
        return []
    entrants = event.entrants.filter(state__in=RECOVERABLE_LINK_STATES).prefetch_related(
        "members__player", "members__replaced_by"
    )
    players = {
        entrant: [one.player for one in entrant.members.all() if getattr(one, "replaced_by", None) is None]
        for entrant in entrants.order_by("number")
    }
    return [{"request": each, "candidates": _find_candidates(each, players)} for each in waiting]


def _find_candidates(request: LinkRequest, players_of: Mapping[Entrant, list[Player]]) -> list[dict[str, Any]]:
    """Return the entries with a player whose name matches the request.

    Names match if one contains all words of the other. `phone_agrees` is None if no phone number is known for the
    request or for the players. `shares_link` is true if several players use the same link. A new link would then lock
    out the other players.
    """
    words = set(name_key(request.name).split())
    candidates = []
    for entrant, players in players_of.items():
        matching = [player for player in players if _has_matching_name(player, words)]
        if matching:
            agrees = _has_matching_phone(request, matching)
            candidates.append({"entrant": entrant, "phone_agrees": agrees, "shares_link": len(players) > 1})
    return sorted(candidates, key=lambda each: (each["phone_agrees"] is not True, each["entrant"].number))


def _has_matching_name(player: Player, words: set[str]) -> bool:
    names = set(name_key(player.name).split()), set(name_key(player.public_name).split())
    return any(name and words and (words <= name or name <= words) for name in names)


def _has_matching_phone(request: LinkRequest, players: Iterable[Player]) -> bool | None:
    """Return whether a player's phone number ends with the digits given in the request.

    Return None if the request contains no digits, or if no player has a phone number.
    """
    digits = ["".join(filter(str.isdigit, player.phone)) for player in players]
    on_record = [each for each in digits if each]
    if not request.phone_end or not on_record:
        return None
    return any(each.endswith(request.phone_end) for each in on_record)


def find_link_request_by_browser(event: Event, browser: str) -> LinkRequest | None:
    """Return the request that this browser made for the event, or None if there is none.

    `browser` is the digest of the secret in the browser's session.
    """
    return LinkRequest.objects.select_related("answer__entrant").filter(event=event, browser=browser).first()


def is_approved_link_visible(answer: LinkAnswer, now: datetime) -> bool:
    return answer.entrant_id is not None and answer.at > now - APPROVED_LINK_LIFETIME
