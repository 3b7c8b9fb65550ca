"""The teams of a card that an entrant can sign for."""

from scoring.card_state.selectors.cards import CardState
from scoring.models import CardSeat
from tournament.models import Entrant


def may_sign_for(state: CardState, entrant: Entrant) -> list[CardSeat]:
    """Return the teams that an entrant can sign for: their own if the event has sides, or else any team."""
    teams = [seat for seat in state.seats if seat.entrant_id is None]
    if not entrant.side:
        return teams
    return [seat for seat in teams if seat.position == Entrant.Side.values.index(entrant.side)]
