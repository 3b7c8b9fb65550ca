"""Cached card states for pages with many cards. A card is loaded again only after a write on its match."""

from collections.abc import Mapping

from pairing.models.match import match_topic
from scoring.card_state.selectors.cards import CardState, card_state_of, cards_with_facts
from tournament.core.folded import folded_each
from tournament.models import Event


def load_kept_cards(event: Event, match_of: Mapping[int, int], versions: Mapping[str, int]) -> list[CardState]:
    """Return the cards with these keys in their order. `match_of` has the key of each card's match.

    Load `versions` (`versions_by_topic`) before the keys of the cards, or a write in between is missed.
    """

    def make(missing: list[tuple[str, int]]) -> dict[tuple[str, int], CardState]:
        cards = list(cards_with_facts().filter(pk__in=[pk for _kind, pk in missing]))
        for card in cards:
            card.match.event = event  # all cards share one event object; each row came with its own
        return {("kept-card", card.pk): card_state_of(card) for card in cards}

    topics = {("kept-card", pk): (match_topic(match),) for pk, match in match_of.items()}
    return list(folded_each(event.pk, topics, versions, make).values())
