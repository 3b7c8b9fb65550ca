"""Template filters for the names of lines and cards."""

from typing import Protocol

from django import template
from django.utils.translation import gettext

from pairing.stages.pictures.boxes import format_full_match_name
from scoring.models import Card

register = template.Library()


class _HasLines(Protocol):
    def name_line(self, number: int) -> str: ...

    def label_line(self, number: int) -> str: ...


@register.filter
def line_name(card: _HasLines, number: int | None) -> str:
    """Return a line's name for use within a sentence, such as “hand 3”. If `number` is None, return ""."""
    return card.name_line(number) if number else ""


@register.filter
def match_and_game(card: Card) -> str:
    """Return the name of a card's match and game, such as “Quarterfinal 2, game 1”."""
    return gettext("%(match)s, game %(game)s") % {"match": format_full_match_name(card.match), "game": card.game}


@register.filter
def line_label(card: _HasLines, number: int) -> str:
    """Return the label in front of a line in a list, such as “3” or “3s wild”."""
    return card.label_line(number)
