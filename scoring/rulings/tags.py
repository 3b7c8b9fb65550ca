"""Who was penalised before, for the pages on which staff meets people: check-in and an entry's own."""

from django import template

from scoring.rulings.selectors.penalties import Before, load_carried, load_penalties
from tournament.models import Entrant, Event

register = template.Library()


@register.simple_tag
def carried_by(entrant: Entrant) -> tuple[Before, ...]:
    """What the people of one entry carry."""
    return load_penalties([entrant]).get(entrant.pk, ())


@register.simple_tag
def carried_in(event: Event) -> list[tuple[Entrant, tuple[Before, ...]]]:
    """Every entry of an event whose people carry something."""
    return load_carried(event)
