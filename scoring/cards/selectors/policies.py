"""The state of a card that the ruling policy of its rules needs."""

from pairing.plans.selectors import traits_of
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.whist import load_whist
from scoring.models import TotalsAnnounced
from scoring.rules.rulings.policies import CardStanding, policy_of
from scoring.rules.variants.three_games import Game, with_open_games
from tournament.models import Entrant


def standing_of(state: CardState) -> CardStanding:
    keeper = state.seat_of(state.keeper_id) if state.keeper_id is not None else None
    wild = getattr(getattr(state.sheet.variant, "terms", None), "wild", None)
    return CardStanding(
        totals=_totals_of(state) | _on_other_cards(state),
        low_wins=bool(getattr(state.sheet.variant, "low_wins", False)),
        keeper=keeper.side if keeper else _side_of(state),
        played=len(state.lines),
        hands=len(wild) if wild is not None else None,
        announced=last_announced(state) is not None,
    )


def last_announced(state: CardState) -> TotalsAnnounced | None:
    """Return the announcement that counts. It was made with the present totals, before the last hand or after it."""
    if not policy_of(state.sheet.rule_sheet.rules).announces:
        return None
    return TotalsAnnounced.objects.filter(card=state.card).last()


def announces_now(state: CardState) -> bool:
    """Whether the scorer has to announce the totals: the next hand is the last, and there was no announcement yet."""
    if not policy_of(state.sheet.rule_sheet.rules).announces or not state.score.takes_hands:
        return False
    standing = standing_of(state)
    return standing.is_before_last and not standing.announced


def _totals_of(state: CardState) -> dict[str, int]:
    """Return the totals. With three games at once they include the points of the open games."""
    games = [game for game in getattr(state.score.tally, "games", ()) if isinstance(game, Game)]
    return with_open_games(dict(zip(state.letters, state.score.totals, strict=True)), games)


def _on_other_cards(state: CardState) -> dict[str, int]:
    """Return the other players' totals by number, if every player has their own card (Court Whist)."""
    event = state.card.match.event
    if state.variant.most_sides > 1 or not traits_of(event).own_cards:
        return {}
    hall = load_whist(event)
    if hall is None:
        return {}
    own = {entrant.number for entrant in state.card.entrants}
    return {str(guest.number): guest.total for guest in hall.guests.values() if guest.number not in own}


def _side_of(state: CardState) -> str:
    """Return the letter of the scorekeeper's team, if the card is one of teams."""
    if state.keeper is None or state.is_game or len(state.letters) != len(Entrant.Side):
        return ""
    return dict(zip(Entrant.Side.values, state.letters, strict=True)).get(state.keeper.side, "")
