"""What a line of a card is called, on its pages."""

from typing import Protocol

from django import template

register = template.Library()


class HasLines(Protocol):
    def name_line(self, number: int) -> str: ...

    def mark_line(self, number: int) -> str: ...


@register.filter
def line(card: HasLines, number: int | None) -> str:
    """Within a sentence: “hand 3”, “hand with 3s wild”; empty where it is about none."""
    return card.name_line(number) if number else ""


@register.filter
def mark(card: HasLines, number: int) -> str:
    """Before it in a list: “3”, “3s wild”."""
    return card.mark_line(number)
