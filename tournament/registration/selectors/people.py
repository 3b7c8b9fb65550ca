"""Load players, possible duplicates and merges. A merged record is read as the record that remains."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext as _
from rapidfuzz import fuzz

from tournament.core.selectors.events import GONE, kept_player
from tournament.errors import NotFound
from tournament.models import Entrant, Member, Merge, Player, Tournament

ALIKE: Final = 88
"""The lowest similarity (rapidfuzz, of 100) at which two names are listed as perhaps one person."""


def load_player(tournament: Tournament, pk: int) -> Player:
    """Return a player with a public entry in this tournament, following merges.

    Raises:
        NotFound: `no-player`.
    """
    found = Player.objects.select_related("merged_into").filter(pk=pk).first()
    if found is None or not entries_of(tournament, found).exists():
        raise NotFound("no-player", _("There is no such player in this tournament. Look at the list of entrants."))
    return kept_player(found)


def entries_of(tournament: Tournament, player: Player) -> QuerySet[Entrant]:
    """Return the public entries of this person in the tournament, under any of their merged records."""
    own = kept_player(player)
    mine = Q(members__player=own) | Q(members__player__merged_into=own)
    entrants = Entrant.objects.filter(mine, event__tournament=tournament, members__replaced_by=None)
    shown = entrants.exclude(event__state="draft").exclude(state__in=HIDDEN)
    return shown.select_related("event__tournament").distinct().order_by("event_id", "number")


HIDDEN: Final = (*GONE, Entrant.State.APPLIED)


@dataclass(frozen=True, slots=True)
class _Twins:
    one: Player
    other: Player
    why: str

    @property
    def both(self) -> tuple[Player, Player]:
        return self.one, self.other


def find_twins(tournament: Tournament) -> list[_Twins]:
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


def merges_of(tournament: Tournament) -> QuerySet[Merge]:
    """Return the merges that can be undone here, newest first. Both records have an entry in this tournament."""
    members = Member.objects.filter(entrant__event__tournament=tournament).values("player")
    found = Merge.objects.filter(kept__in=members, gone__in=members, undone=None)
    return found.select_related("kept", "gone").distinct().order_by("-pk")


def entered_twice(tournament: Tournament, player: Player) -> list[str]:
    """Return the names of events in which this person has more than one live entry."""
    theirs = Q(entrants__members__player=player) | Q(entrants__members__player__merged_into=player)
    live = ~Q(entrants__state__in=GONE)
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
