"""The outcome of a match of two, computed from its cards: games won, the winner, and the points to show."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pairing.draws.results import Cause, MatchOutcome, end_match
from scoring.card_state.selectors.cards import CardState
from scoring.posting.selectors.lost_games import ahead
from scoring.rules.sheet.card_status import CardsSay
from tournament.models import Entrant


@dataclass(frozen=True, slots=True)
class TwoInMatch:
    """The two entrants of a match, and how many games each has lost by penalty (by primary key)."""

    match: str
    entrants: tuple[Entrant, Entrant]
    lost: Counter[int]

    def opponent_of(self, entrant: Entrant) -> Entrant:
        one, other = self.entrants
        return other if entrant.pk == one.pk else one


def games_won(cards: Sequence[CardState], *, as_they_stand: bool = False) -> Counter[int]:
    """Return the games won by each entrant on posted cards, or on all cards with `as_they_stand`.

    A game that was closed early decides the match and is not counted as won.
    """
    counting = (card for card in cards if (as_they_stand or card.is_posted) and not card.score.is_closed)
    return Counter(card.score.winner.pk for card in counting if card.score.winner)


def games_ahead(sides: TwoInMatch, games_to_win: int, won: Counter[int]) -> Counter[int]:
    """Return the games won. In a match of several games, add those that the opponent lost by penalty."""
    if games_to_win == 1:
        return won
    one, other = sides.entrants
    return ahead(won, sides.lost, (one.pk, other.pk))


def won_by(sides: TwoInMatch, winner: Entrant, closed: CardState | None, *, by_penalty: bool) -> MatchOutcome:
    """Return the outcome of a match that `winner` won.

    A match decided by games that the opponent lost by penalty is not recorded as won.
    """
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
    """Return the figures beside the names, by entry number: points in a match of one game, or else games won.

    A level game is played again, so the points are those of the game that `winner` won. The points also count if a game
    was closed before any of several games was won.
    """
    if cards[0].games_to_win == 1 or (not won and any(card.score.is_closed for card in cards)):
        decided = (card for card in cards if winner is not None and card.score.winner == winner)
        return {side.number: side.total for side in next(decided, cards[-1]).sides if side.number is not None}
    return {who.number: won[who.pk] for who in sides.entrants}


def cards_say(sides: TwoInMatch, cards: Sequence[CardState], *, as_they_stand: bool = False) -> CardsSay:
    """Return what the posted cards come to together, or all cards with `as_they_stand`.

    There is no winner as long as more games are needed.
    """
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
