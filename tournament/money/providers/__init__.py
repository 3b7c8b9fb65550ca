"""The ways to pay an entry fee, each behind the same small interface. A tournament's settings choose among them.

A provider reports whether this installation is ready for it, and gives the template and the values that a player who
owes money sees. Only `tournament.money.services` records money.
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

    def context_for(self, entrant: Entrant) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """A way to pay, as shown on a player's page and in mail."""

    name: str
    template: str
    shown: Mapping[str, Any] = field(default_factory=dict)


PROVIDERS: Final[tuple[Provider, ...]] = (PayAtTheDesk(), PayByTransfer(), PayByCard())


def ready_choices() -> list[tuple[str, Any]]:
    """Return the names and labels of the providers that are ready on this installation."""
    return [(provider.name, provider.label) for provider in PROVIDERS if provider.is_ready()]


def offered_by(tournament: Tournament) -> list[Provider]:
    return [provider for provider in PROVIDERS if provider.name in tournament.providers and provider.is_ready()]


def offers_for(entrant: Entrant) -> list[Offer]:
    """Return the ways in which this entrant can pay, in the order of the list."""
    offered = offered_by(entrant.event.tournament)
    return [Offer(provider.name, provider.template, provider.context_for(entrant)) for provider in offered]
