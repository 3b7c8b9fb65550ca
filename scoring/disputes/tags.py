"""Template tags for the penalties that players carry, for check-in and the entrant's page."""

from django import template

from scoring.disputes.selectors.rulings import PenaltyOnRecord, load_entrants_with_penalties, load_penalties
from tournament.models import Entrant, Event

register = template.Library()


@register.simple_tag
def carried_by(entrant: Entrant) -> tuple[PenaltyOnRecord, ...]:
    """Return the penalties that the players of an entry carry."""
    return load_penalties([entrant]).get(entrant.pk, ())


@register.simple_tag
def carried_in(event: Event) -> list[tuple[Entrant, tuple[PenaltyOnRecord, ...]]]:
    """Return the entries of an event whose players carry penalties."""
    return load_entrants_with_penalties(event)
