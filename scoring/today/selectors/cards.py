"""Score cards that need attention, each in an item of its own if they are few, and together if they are many."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.card_list.selectors import DeskCard
from scoring.today.selectors.items import AttentionItem, Open

MOST_APART = 5
"""The most cards with an item each. If there are more, they share an item with their number."""

CARDS = "scoring:desk_cards"


def cards_in_play(cards: Iterable[DeskCard]) -> Iterator[AttentionItem]:
    """Yield items for cards whose end the director decides, that are not signed, or that take very long."""
    listed = list(cards)
    undecided = [card for card in listed if card.state.state == "undecided"]
    others = [card for card in listed if card.state.state != "undecided"]
    for card in undecided:
        said = _("Table %(table)s, %(names)s: the director decides how the game ends") % _place(card)
        yield AttentionItem(Open.CARD, said, "scoring:desk_time", card.since)
    complete = [card for card in others if card.state.is_complete]
    yield from _unsigned(Open.UNSIGNED, [card for card in complete if card.is_overdue])
    yield from _unsigned(Open.CARD, [card for card in complete if not card.is_overdue])
    yield from _long([card for card in others if card.is_overdue and not card.state.is_complete])


def cards_not_posted(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("%(names)s: the score card is begun, but not posted")
    together = ngettext(
        "%(count)s score card is begun, but not posted", "%(count)s score cards are begun, but not posted", len(cards)
    )
    return _told(Open.NOT_POSTED, cards, each, together, "?only=open")


def _unsigned(code: Open, cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: a signature is missing")
    together = ngettext(
        "A signature is missing on %(count)s score card", "A signature is missing on %(count)s score cards", len(cards)
    )
    return _told(code, cards, each, together, "?only=unsigned")


def _long(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    each = _("Table %(table)s, %(names)s: in play for %(minutes)s minutes")
    together = ngettext(
        "%(count)s match has been in play for %(minutes)s minutes or more",
        "%(count)s matches have been in play for %(minutes)s minutes or more",
        len(cards),
    )
    return _told(Open.CARD, cards, each, together, "?only=overdue")


def _told(code: Open, cards: Sequence[DeskCard], each: str, together: str, query: str) -> Iterator[AttentionItem]:
    if len(cards) > MOST_APART:
        said = together % {"count": len(cards), "minutes": min(card.minutes for card in cards)}
        yield AttentionItem(code, said, CARDS, min(card.since for card in cards), query=query, count=len(cards))
        return
    for card in cards:
        yield AttentionItem(code, each % _place(card), CARDS, card.since)


def _place(card: DeskCard) -> dict[str, object]:
    return {"table": card.state.table or "–", "names": card.state.title, "minutes": card.minutes}
