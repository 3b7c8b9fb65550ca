"""The penalties that players carry from this event and earlier ones."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from scoring.models import ConductPenalty
from scoring.rules.irregularities import IRREGULARITIES
from tournament.models import Entrant, Event, Member


@dataclass(frozen=True, slots=True)
class Before:
    """A penalty that somebody carries.

    `event` and `tournament` are names. `ruling` is the number in that tournament's register.
    """

    effect: str
    words: str
    offence: str
    at: datetime
    event: str
    tournament: str
    people: tuple[str, ...]
    ruling: int | None
    dispute: int | None


def load_penalties(entrants: Iterable[Entrant | int]) -> dict[int, tuple[Before, ...]]:
    """Return the penalties of the players of these entries, the oldest first, by the entry's primary key.

    Lifted penalties are left out. Penalties move with a player who is merged into another record. It takes two queries.
    """
    wanted = [entrant if isinstance(entrant, int) else entrant.pk for entrant in entrants]
    people: dict[int, set[int]] = defaultdict(set)
    members = Member.objects.filter(entrant__in=wanted, replaced_by__isnull=True)
    for entry, person in members.values_list("entrant", "player"):
        people[person].add(entry)
    found: dict[int, dict[int, Before]] = defaultdict(dict)
    rows = (
        ConductPenalty.objects.filter(players__in=people, lifted__isnull=True)
        .select_related("entrant__event__tournament", "ruling")
        .prefetch_related("players")
        .distinct()
        .order_by("pk")
    )
    for row in rows:
        for who in row.players.all():
            for carrier in people.get(who.pk, ()):
                found[carrier][row.pk] = _before(row)
    return {entrant: tuple(each.values()) for entrant, each in found.items()}


def load_carried(event: Event) -> list[tuple[Entrant, tuple[Before, ...]]]:
    """Return the entries of an event whose players carry penalties, by number. It takes one query if there are none."""
    carriers = ConductPenalty.players.through.objects.filter(conductpenalty__lifted__isnull=True).values("player")
    entrants = event.entrants.filter(members__replaced_by__isnull=True, members__player__in=carriers)
    found = list(entrants.distinct().order_by("number"))
    carried = load_penalties(found) if found else {}
    return [(entrant, carried[entrant.pk]) for entrant in found if entrant.pk in carried]


def count_warnings(entrant: Entrant, *, without: int | None = None) -> int:
    """Return how often the players of an entry were warned. `without` leaves out the dispute that is decided again."""
    carried = load_penalties([entrant]).get(entrant.pk, ())
    warnings = [each for each in carried if each.effect == ConductPenalty.Effect.WARNING]
    return sum(without is None or each.dispute != without for each in warnings)


def _before(row: ConductPenalty) -> Before:
    kind = IRREGULARITIES.get(row.offence)
    event: Any = row.entrant.event
    return Before(
        effect=row.effect,
        words=row.get_effect_display(),
        offence=kind.title if kind else row.offence,
        at=row.at,
        event=event.name,
        tournament=event.tournament.name,
        people=tuple(str(player) for player in row.players.all()),
        ruling=row.ruling.number if row.ruling else None,
        dispute=row.ruling.dispute_id if row.ruling else None,
    )
