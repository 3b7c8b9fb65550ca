"""What the cards of a match of two come to: games won, who has won by them, and the points beside it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pairing.draws.results.credits import Cause, MatchOutcome
from pairing.draws.results.endings import end_match
from scoring.card_state.selectors.cards import CardState
from scoring.posting.selectors.lost_games import ahead
from scoring.rules.sheet.statements import CardsSay
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class TwoInMatch:
    """The two who meet, and how many games each has lost by a penalty (by the entrants' primary keys)."""

    match: str
    entrants: tuple[Entrant, Entrant]
    lost: Counter[int]

    def opponent_of(self, entrant: Entrant) -> Entrant:
        one, other = self.entrants
        return other if entrant.pk == one.pk else one


def games_won(cards: Sequence[CardState], *, as_they_stand: bool = False) -> Counter[int]:
    """Games won by entrant, of the posted cards, or of all; a closed one decides the match, it is no game won."""
    counting = (card for card in cards if (as_they_stand or card.is_posted) and not card.score.is_closed)
    return Counter(card.score.winner.pk for card in counting if card.score.winner)


def games_ahead(sides: TwoInMatch, games_to_win: int, won: Counter[int]) -> Counter[int]:
    """The games won, and in a match of several those that the other has lost by a penalty."""
    if games_to_win == 1:
        return won
    one, other = sides.entrants
    return ahead(won, sides.lost, (one.pk, other.pk))


def won_by(sides: TwoInMatch, winner: Entrant, closed: CardState | None, *, by_penalty: bool) -> MatchOutcome:
    """Who goes on because the other has lost games by a penalty has not won them, and so no match."""
    loser = sides.opponent_of(winner)
    if closed is None and by_penalty:
        return end_match(sides.match, (winner.number, loser.number), winner.number, Cause.PENALTY)
    cause = Cause.PLAYED
    if closed is not None and closed.closing is not None:
        left = closed.closing.left
        cause = Cause.FORFEIT if left is not None and left.entrant_id == loser.pk else Cause.TIME
    return MatchOutcome.won(sides.match, winner.number, loser.number, cause)


def score_of(
    sides: TwoInMatch, cards: Sequence[CardState], won: Counter[int], winner: Entrant | None = None
) -> dict[int, int]:
    """What is shown beside the names, by entry number: the points of a match of one game, else the games won.

    A game that ended level is played again: the points are those of the game that `winner` has won. So they are where
    one was closed before any game of several was won.
    """
    if cards[0].games_to_win == 1 or (not won and any(card.score.is_closed for card in cards)):
        decided = (card for card in cards if winner is not None and card.score.winner == winner)
        return {side.number: side.total for side in next(decided, cards[-1]).sides if side.number is not None}
    return {who.number: won[who.pk] for who in sides.entrants}


def cards_say(sides: TwoInMatch, cards: Sequence[CardState], *, as_they_stand: bool = False) -> CardsSay:
    """What these cards come to together, those that are signed, or all; nobody has won where it takes more games."""
    if not cards:
        return CardsSay(winner=None)
    won = games_won(cards, as_they_stand=as_they_stand)
    since = max((card.clock.counts_since for card in cards if card.clock.counts_since), default=None)
    games_to_win = cards[0].games_to_win
    standing = games_ahead(sides, games_to_win, won)
    closed = next((card for card in cards if card.score.is_closed and card.score.winner is not None), None)
    winner = closed.score.winner if closed is not None else None
    winner = winner or next((who for who in sides.entrants if standing[who.pk] >= games_to_win), None)
    score = score_of(sides, cards, won, winner)
    games = {who.number: won[who.pk] for who in sides.entrants} if games_to_win > 1 and closed is None else {}
    if winner is None:
        return CardsSay(winner=None, points=score, games=games, since=since)
    outcome = won_by(sides, winner, closed, by_penalty=won[winner.pk] < games_to_win)
    credits = {number: (credit.result.value, credit.cause.value) for number, credit in outcome.credits.items()}
    return CardsSay(winner=outcome.winner, credits=credits, points=score, games=games, since=since)
