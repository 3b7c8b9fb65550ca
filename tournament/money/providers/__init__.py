"""The ways to pay an entry fee, each behind the same small interface. Which of them a tournament offers is its setting.

A way says whether this installation is ready for it, and what a player who owes money is shown (a template and its
words). Money itself is recorded by `tournament.money.services` alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from tournament.models import Entrant, Tournament
from tournament.money.providers.card import PayByCard
from tournament.money.providers.desk import PayAtTheDesk
from tournament.money.providers.transfer import PayByTransfer


class Provider(Protocol):
    name: str
    label: Any
    template: str

    def is_ready(self) -> bool: ...

    def shown_to(self, entrant: Entrant) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to pay, as a player's page and mail show it."""

    name: str
    template: str
    shown: Mapping[str, Any] = field(default_factory=dict)


PROVIDERS: Final[tuple[Provider, ...]] = (PayAtTheDesk(), PayByTransfer(), PayByCard())


def ready_choices() -> list[tuple[str, Any]]:
    """What a tournament can choose from on this installation."""
    return [(provider.name, provider.label) for provider in PROVIDERS if provider.is_ready()]


def offered_by(tournament: Tournament) -> list[Provider]:
    return [one for one in PROVIDERS if one.name in tournament.providers and one.is_ready()]


def offers_for(entrant: Entrant) -> list[Offer]:
    """How this entrant can pay, in the order of the list."""
    offered = offered_by(entrant.event.tournament)
    return [Offer(provider.name, provider.template, provider.shown_to(entrant)) for provider in offered]
