"""Load the entrants who are kept apart in blind draws, in pairing by record, at tables, and in groups.

Rounds are numbered from 1 in each stage. Pairs that are kept apart in round one are relevant only for the first stage.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from pairing.draws.pairs.record import PairingRules, SeparatedGroup
from pairing.draws.separation.draw import UNREACHABLE_ROUND_NUMBER, AvoidList
from pairing.models import AvoidPair, ClubsApart
from tournament.lazy_text import lazy_text
from tournament.models import Entrant, Event, Member
from tournament.spreadsheets.names import name_key
from tournament.spreadsheets.rows import KEEP_APART_PATTERN

AvoidPairKind = AvoidPair.Kind
Pair = tuple[int, int]


def load_last_round_with_clubs_apart(event: Event) -> int | None:
    """Return the last round in which members of the same club are kept apart.

    0 means that they are not kept apart at all, and None means that they are kept apart in the whole event.
    """
    last = ClubsApart.objects.filter(event=event).last()
    return 0 if last is None else last.until


def load_keep_apart_requests(event: Event) -> list[dict[str, Any]]:
    """Return the undecided keep-apart requests that entrants made in their notes.

    Each request has the `entrant` and the `words` that name the other entrants. A request is decided once the director
    has kept the entrant apart from everybody whom the request names, even if only for some time.
    """
    decided: dict[int, set[int]] = defaultdict(set)
    for one, other in event.avoid_pairs.values_list("one_id", "other_id"):
        decided[one].add(other)
        decided[other].add(one)
    entrants = list(event.entrants.filter(state=Entrant.State.IN).order_by("number"))
    keys = {entrant.pk: name_key(entrant.name) for entrant in entrants}
    requests = []
    for entrant in entrants:
        request = KEEP_APART_PATTERN.search(entrant.notes)
        if request is None:
            continue
        words = f" {name_key(request[1])} "
        named = {pk for pk, key in keys.items() if pk != entrant.pk and key and f" {key} " in words}
        apart = decided[entrant.pk]
        if not (named <= apart if named else apart):
            requests.append({"entrant": entrant, "words": request[1].strip()})
    return requests


def load_avoid_list(event: Event) -> AvoidList:
    """Return the entrants who must not meet in a bracket, and for how many rounds.

    Two entrants are kept apart if they are on the director's list, belong to the same club, or share a person.
    """
    rows = AvoidPair.objects.filter(event=event, ended=None)
    listed = list(rows.values_list("one__number", "other__number", "kind", "before_round"))
    persons: dict[int, list[int]] = {}
    members = Member.objects.filter(
        entrant__event=event, entrant__state=Entrant.State.IN, replaced_by__isnull=True
    ).values_list("entrant__number", "player_id", "player__merged_into_id")
    for number, player, merged in members:
        persons.setdefault(number, []).append(merged or player)
    avoid = AvoidList.with_persons([(one, other) for one, other, _kind, _before in listed], persons)
    later: dict[Pair, int] = {}
    for one, other, kind, before in listed:
        until = (
            UNREACHABLE_ROUND_NUMBER
            if kind == AvoidPairKind.NEVER
            else before - 1
            if kind == AvoidPairKind.NOT_BEFORE and before
            else 1
        )
        pair = (min(one, other), max(one, other))
        later[pair] = max(until, later.get(pair, 1))
    avoid = replace(
        avoid,
        last_round_by_pair={pair: until for pair, until in later.items() if until > 1},
        persons_until=UNREACHABLE_ROUND_NUMBER,
    )
    clubs_until = load_last_round_with_clubs_apart(event)
    if clubs_until == 0:
        return avoid
    entrants = event.entrants.filter(state=Entrant.State.IN).values_list("number", "club")
    clubs = tuple(tuple(sorted(members)) for members in group_by_club(dict(entrants)).values())
    return replace(avoid, groups=clubs, clubs_until=UNREACHABLE_ROUND_NUMBER if clubs_until is None else clubs_until)


def group_by_club(clubs: Mapping[int, str]) -> dict[str, list[int]]:
    """Return all clubs with two or more entries. Case and surrounding spaces in club names are ignored.

    >>> group_by_club({1: "Indio", 2: " indio ", 3: "Reno", 4: ""})
    {'Indio': [1, 2]}
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for number, club in clubs.items():
        if club.strip():
            by_name[club.strip().casefold()].append(number)
    return {clubs[members[0]].strip(): members for members in by_name.values() if len(members) > 1}


def load_pairing_rules(
    event: Event, clubs: Mapping[int, str], games_apart: Iterable[int], *, is_first_stage: bool
) -> PairingRules:
    """Return the pairing rules that keep entrants apart: the director's list, the couples, and the clubs.

    Members of a club are kept apart in all games, or only in the first games of the event. They are also kept apart in
    the games whose numbers are in `games_apart`, which come from the desk's settings.
    """
    never: list[Pair] = []
    not_before: dict[Pair, int] = {}
    until = load_last_round_with_clubs_apart(event)
    club_rounds = None if until is None else frozenset(games_apart) | frozenset(range(1, until + 1))
    apart: list[SeparatedGroup] = []
    if club_rounds is None or club_rounds:
        apart = [
            SeparatedGroup(name, frozenset(members), club_rounds) for name, members in group_by_club(clubs).items()
        ]
    rows = event.avoid_pairs.filter(ended=None).values_list(
        "kind", "before_round", "is_couple", "one__number", "other__number"
    )
    for kind, before, is_couple, one, other in rows:
        pair = (min(one, other), max(one, other))
        last = before - 1 if kind == AvoidPairKind.NOT_BEFORE and before else 1
        if kind == AvoidPairKind.FIRST_ROUND and not is_first_stage:
            continue
        if is_couple:
            rounds = None if kind == AvoidPairKind.NEVER else frozenset(range(1, last + 1))
            apart.append(
                SeparatedGroup(
                    lazy_text("the couple %(one)s and %(other)s", one=pair[0], other=pair[1]), frozenset(pair), rounds
                )
            )
        elif kind == AvoidPairKind.NEVER:
            never.append(pair)
        else:
            not_before[pair] = max(last + 1, not_before.get(pair, 0))
    return PairingRules(never=never, not_before=not_before, apart=apart)


def load_separated_pairs(event: Event, entries: Collection[int], turn: int) -> frozenset[Pair]:
    """Return the pairs of these entries that are kept apart in round `turn`."""
    clubs = dict(event.entrants.filter(number__in=entries).values_list("number", "club"))
    rules = load_pairing_rules(event, clubs, (), is_first_stage=True).make_constraints(dict.fromkeys(entries, turn))
    members: dict[str, list[int]] = defaultdict(list)
    for entry, names in rules.groups.items():
        for name in names:
            members[name].append(entry)
    together = (pair for inside in members.values() for pair in combinations(sorted(inside), 2))
    listed = (pair for pair in (*rules.never, *rules.not_yet) if set(pair) <= set(entries))
    return frozenset((*listed, *together))
