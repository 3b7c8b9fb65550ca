"""The payments between players that the posted cards of an event add up to."""

from dataclasses import dataclass

from pairing.matches.selectors.records import COUNTING
from scoring.card_state.selectors.cards import CardState, card_state_of, cards_with_facts
from scoring.rules.sheet.transfers import add_games, least_transfers
from tournament.models import Entrant, Event


@dataclass(frozen=True, slots=True)
class Payment:
    payer: Entrant
    payee: Entrant
    cents: int


@dataclass(frozen=True, slots=True)
class Settlement:
    """The balances and payments between players. `games` are counted, and `open_games` are not posted yet.

    `balances` has all entrants who played, those who get most first.
    """

    balances: tuple[tuple[Entrant, int], ...]
    payments: tuple[Payment, ...]
    games: int
    open_games: int


def load_settlement(event: Event) -> Settlement:
    """Add up the posted cards. A card that was changed counts once it is posted again."""
    cards = cards_with_facts().filter(match__in=event.matches.filter(COUNTING))
    states = [card_state_of(card) for card in cards]
    posted = [stakes for state in states if state.is_posted and (stakes := _stakes(state)) is not None]
    entrants = {entrant.pk: entrant for state in states for entrant in _entrants(state)}
    sums = add_games(posted)
    ordered = sorted(sums, key=lambda pk: (-sums[pk], entrants[pk].number))
    paid = (
        Payment(entrants[one.payer], entrants[one.payee], one.cents)
        for one in least_transfers({pk: sums[pk] for pk in ordered})
    )
    balances = tuple((entrants[pk], sums[pk]) for pk in ordered)
    still_open = sum(not state.is_posted for state in states)
    return Settlement(balances, tuple(paid), len(posted), still_open)


def _entrants(state: CardState) -> list[Entrant]:
    return [seat.entrant for seat in state.seats if seat.entrant is not None]


def _stakes(state: CardState) -> dict[int, int] | None:
    """Map entrants to cents, or return None for a game without stakes or one that was not played to its end."""
    stakes = state.score.tally.stakes_cents
    if stakes is None or len(_entrants(state)) < len(state.seats):
        return None
    by_letter = dict(zip(state.letters, _entrants(state), strict=True))
    return {by_letter[letter].pk: cents for letter, cents in stakes.items()}
