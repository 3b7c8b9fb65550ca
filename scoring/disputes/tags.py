"""Template tags that list the players' earlier penalties, for check-in and the entrant's page."""

from django import template

from scoring.disputes.selectors.rulings import PenaltyOnRecord, load_entrants_with_penalties, load_penalties
from tournament.models import Entrant, Event

register = template.Library()


@register.simple_tag
def penalties_of_entry(entrant: Entrant) -> tuple[PenaltyOnRecord, ...]:
    """Return the earlier penalties against an entry's players."""
    return load_penalties([entrant]).get(entrant.pk, ())


@register.simple_tag
def penalties_in_event(event: Event) -> list[tuple[Entrant, tuple[PenaltyOnRecord, ...]]]:
    """Return the event's entries whose players have earlier penalties, each with its penalties."""
    return load_entrants_with_penalties(event)
