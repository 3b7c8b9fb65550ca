"""Whom the director keeps apart, as pairing by record takes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from pairing.draws import KeptApart, PairingRules
from pairing.models import AvoidPair
from tournament.models import Event

Kind = AvoidPair.Kind


def load_pairing_rules(event: Event, clubs: Mapping[int, str], apart_in: Iterable[int], *, first: bool) -> PairingRules:
    """The director's list, and clubs apart in these games; `first`: the pairs of round one are about this stage."""
    never: list[tuple[int, int]] = []
    not_before: dict[tuple[int, int], int] = {}
    rows = event.avoid_pairs.filter(ended=None).values_list("kind", "before_round", "one__number", "other__number")
    for kind, before, one, other in rows:
        pair = (min(one, other), max(one, other))
        if kind == Kind.NEVER:
            never.append(pair)
        elif kind == Kind.NOT_BEFORE and before:
            not_before[pair] = max(before, not_before.get(pair, 0))
        elif first:
            not_before.setdefault(pair, 2)
    return PairingRules(never=never, not_before=not_before, apart=_clubs(clubs, frozenset(apart_in)))


def _clubs(clubs: Mapping[int, str], games: frozenset[int]) -> tuple[KeptApart, ...]:
    """Clubs are the same however they are written; their name is as the first of them wrote it."""
    if not games:
        return ()
    found: dict[str, list[int]] = defaultdict(list)
    for number, club in clubs.items():
        if club.strip():
            found[club.strip().casefold()].append(number)
    return tuple(
        KeptApart(clubs[members[0]].strip(), frozenset(members), games)
        for members in found.values()
        if len(members) > 1
    )
