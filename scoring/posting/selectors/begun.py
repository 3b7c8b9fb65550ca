from collections import defaultdict
from collections.abc import Collection

from django.db.models import Exists, OuterRef

from pairing.course.selectors.in_play import load_decided
from pairing.matches.selectors.records import COUNTING
from pairing.models import MatchResult
from scoring.card_state.selectors.cards import card_state_of, cards_with_facts
from scoring.models import Card, CardSeat
from scoring.posting.selectors.taken_back import load_void_cards
from tournament.models import Entrant, Event


def load_begun(event: Event, matches: Collection[str]) -> set[tuple[str, frozenset[int]]]:
    """Return the matches with a line on a card, each with the entry numbers of the players on that card.

    Cards of a match that was made void later do not count.
    """
    seats = CardSeat.objects.filter(
        card__match__event=event, card__match__ident__in=matches, card__lines__isnull=False, entrant__isnull=False
    )
    decided = Exists(MatchResult.objects.filter(match=OuterRef("card__match")))
    sides: dict[tuple[int, str], set[int]] = defaultdict(set)
    asked = set()
    rows = seats.values_list("card_id", "card__match__ident", "entrant__number", decided)
    for card, ident, number, was_decided in rows.distinct():
        sides[card, ident].add(number)
        if was_decided:
            asked.add(card)
    void = load_void_cards(list(Card.objects.filter(pk__in=asked).select_related("match"))) if asked else {}
    return {(ident, frozenset(numbers)) for (card, ident), numbers in sides.items() if card not in void}


def has_only_closed_cards(entrant: Entrant) -> bool:
    """Whether the entrant has cards that count, and each is posted, closed, or of a decided match."""
    event = entrant.event
    cards = cards_with_facts().filter(match__in=event.matches.filter(COUNTING), seats__entrant=entrant)
    decided = load_decided(event)
    over = [card.match.ident in decided or card_state_of(card).is_posted for card in cards]
    return bool(over) and all(over)
