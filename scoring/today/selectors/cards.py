"""Score cards that need attention: each by itself while they are few, together where half a hall runs late."""

from collections.abc import Iterable, Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.card_list.selectors import DeskCard
from scoring.today.selectors.items import AttentionItem, Open

MOST_APART = 5
"""More than these are one line with their number: the list of score cards names them."""

CARDS = "scoring:desk_cards"


def cards_in_play(cards: Iterable[DeskCard]) -> Iterator[AttentionItem]:
    """Those whose end the director decides, that are not signed, or that take very long."""
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
    if len(cards) > MOST_APART:
        text = ngettext(
            "%(count)s score card is begun, but not posted",
            "%(count)s score cards are begun, but not posted",
            len(cards),
        )
        yield _together(Open.NOT_POSTED, text, cards, "?only=open")
        return
    for card in cards:
        said = _("%(names)s: the score card is begun, but not posted") % {"names": card.state.title}
        yield AttentionItem(Open.NOT_POSTED, said, CARDS, card.since)


def _unsigned(code: Open, cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    if len(cards) > MOST_APART:
        text = ngettext(
            "A signature is missing on %(count)s score card",
            "A signature is missing on %(count)s score cards",
            len(cards),
        )
        yield _together(code, text, cards, "?only=unsigned")
        return
    for card in cards:
        said = _("Table %(table)s, %(names)s: a signature is missing") % _place(card)
        yield AttentionItem(code, said, CARDS, card.since)


def _long(cards: Sequence[DeskCard]) -> Iterator[AttentionItem]:
    if len(cards) > MOST_APART:
        text = ngettext(
            "%(count)s match has been in play for %(minutes)s minutes or more",
            "%(count)s matches have been in play for %(minutes)s minutes or more",
            len(cards),
        )
        yield _together(Open.CARD, text, cards, "?only=overdue")
        return
    for card in cards:
        said = _("Table %(table)s, %(names)s: in play for %(minutes)s minutes") % _place(card)
        yield AttentionItem(Open.CARD, said, CARDS, card.since)


def _together(code: Open, text: str, cards: Sequence[DeskCard], query: str) -> AttentionItem:
    said = text % {"count": len(cards), "minutes": min(card.minutes for card in cards)}
    return AttentionItem(code, said, CARDS, min(card.since for card in cards), query=query, count=len(cards))


def _place(card: DeskCard) -> dict[str, object]:
    return {"table": card.state.table or "–", "names": card.state.title, "minutes": card.minutes}
