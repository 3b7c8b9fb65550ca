"""Signed by every side → posted → the match is decided → the winner moves up: one transaction."""

from __future__ import annotations

from collections import Counter

from django.db.models import QuerySet

from pairing.draws import Cause, Credit, MatchOutcome, Result, changes
from pairing.draws.endings import end_match
from pairing.models import Match, MatchResult
from pairing.selectors.brackets import load_progress
from pairing.selectors.turning import Turning, load_turning
from pairing.services.results import follow_in, record_credits, record_result, touches_later
from scoring.models import Card
from scoring.selectors.cards import CardState, load_card_by_pk, load_match_cards
from scoring.selectors.lost_games import ahead, load_lost_games
from scoring.selectors.meetings import Meeting, load_meeting
from scoring.selectors.taken_back import load_taken_back
from scoring.services.director_calls import call_about_difference
from scoring.services.opening import open_next, open_ready_cards
from scoring.services.sealing import record_posting
from tournament.errors import NeedsReason
from tournament.models import Entrant
from tournament.services.record import Note


def post_if_signed(note: Note, card: Card) -> CardState:
    """Inside an open write: post the card if it is complete and every side signed what is on it."""
    state = load_card_by_pk(card.pk)
    if state.is_posted or state.missing or not state.is_complete:
        return state
    record_posting(note, state)
    meeting = load_meeting(card.match)
    cards = load_match_cards(meeting.match.pk, meeting.key)
    if _asks_desk(note, meeting, cards):
        return load_card_by_pk(card.pk)
    settle_match(note, meeting, cards)
    return load_card_by_pk(card.pk)


def settle_again(note: Note, card: Card) -> None:
    """Inside an open write: a card counts from now on, for the first time or because a correction brought it back."""
    meeting = load_meeting(card.match)
    settle_match(note, meeting, load_match_cards(meeting.match.pk, meeting.key))


def settle_match(note: Note, meeting: Meeting, cards: list[CardState]) -> None:
    """What the posted cards of a match mean for it: a winner who moves up, or the result of a table."""
    if not meeting.is_of_two or not cards[0].card.entrants:
        _settle_table(note, meeting, cards)
    else:
        _settle_two(note, meeting, cards)


def _settle_table(note: Note, meeting: Meeting, cards: list[CardState]) -> None:
    """Table play: when every card is posted, each entrant's total; the winner of the one card there is, if any."""
    turning = load_turning(meeting.match.event)
    if turning is not None:
        cards = [card for card in cards if card.is_posted or not _has_gone(card, turning)]
    if not cards or not all(card.is_posted for card in cards):
        return
    score = {side.number: side.total for card in cards for side in card.sides if side.number is not None}
    if turning is not None and not score:
        score = _of_everybody(turning, cards[0])
    winner = cards[0].winner if len(cards) == 1 else None
    cause = Cause.TIME if any(card.is_closed for card in cards) else Cause.PLAYED
    recorded = meeting.match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    stored = {str(number): total for number, total in score.items()}
    if recorded is not None and (recorded.winner, recorded.score) == (winner, stored):
        return
    credits = {winner.number: Credit(Result.WIN, cause)} if winner else {}
    outcome = MatchOutcome(meeting.match.ident, winner.number if winner else None, credits)
    record_result(note, meeting.match, outcome, score=score)


def _has_gone(card: CardState, turning: Turning) -> bool:
    """Whose own card it is plays no more: nobody waits for it."""
    numbers = [side.number for side in card.sides if side.number is not None]
    return bool(numbers) and not any(map(turning.plays, numbers))


def _of_everybody(turning: Turning, card: CardState) -> dict[int, int]:
    """Of two teams: everybody has the points of his own."""
    sides = zip((turning.sides.left, turning.sides.right), card.totals, strict=True)
    return {number: total for side, total in sides for number in side}


def _asks_desk(note: Note, meeting: Meeting, cards: list[CardState]) -> bool:
    """A card signed late says otherwise than the result by which play has gone on: that stands until the desk decides.

    Whoever has won by the cards calls the director, and the call names what is touched.
    """
    recorded = _recorded_winner(meeting)
    if recorded is None or not meeting.is_of_two or not cards[0].card.entrants:
        return False
    counted = _since_taken_back(meeting, cards)
    closed = next((card for card in counted if card.is_closed), None)
    winner = _winner_of(meeting, cards[0].games_to_win, _ahead(meeting, cards[0], games_won(counted)))
    if closed is not None or (winner is not None and winner.pk == recorded):
        return False
    ident = meeting.match.ident
    if winner is not None:
        outcome = MatchOutcome.won(ident, winner.number, meeting.opponent_of(winner).number)
    else:
        outcome = MatchOutcome.void(ident, tuple(who.number for who in meeting.entrants))
    touched = touches_later(meeting.match.event, meeting.match, outcome)
    if touched:
        on_record = next(who for who in meeting.entrants if who.pk == recorded)
        call_about_difference(note, meeting.match, winner or on_record, (on_record, touched))
    return bool(touched)


def games_won(cards: list[CardState]) -> Counter[int]:
    """Games won by entrant, of the posted cards; one that was closed decides the match, it is no game won."""
    return Counter(card.winner.pk for card in cards if card.is_posted and not card.is_closed and card.winner)


def _settle_two(note: Note, meeting: Meeting, cards: list[CardState]) -> None:
    """Decide the match when enough games are won, else open the next game."""
    sheet = cards[0].card.sheet
    counted = _since_taken_back(meeting, cards)
    won = games_won(counted)
    standing = _ahead(meeting, cards[0], won)
    closed = _closed(note, counted, standing)
    winner = closed.winner if closed else _winner_of(meeting, cards[0].games_to_win, standing)
    recorded = _recorded_winner(meeting)
    if winner is not None:
        if recorded != winner.pk:
            outcome = _outcome(meeting, winner, closed, by_penalty=won[winner.pk] < cards[0].games_to_win)
            record_result(note, meeting.match, outcome, score=_score(meeting, counted, won))
        open_ready_cards(note)
        return
    if recorded is not None and meeting.duel is not None:
        # In a pool a void game is over, and both would be sent to another; this one is open again.
        record_credits(note, meeting.match, None, {})
    elif recorded is not None:
        numbers = tuple(who.number for who in meeting.entrants)
        record_result(note, meeting.match, MatchOutcome.void(meeting.match.ident, numbers))
    if all(card.is_posted for card in cards):
        open_next(meeting, cards[-1].card.game + 1, sheet)


def _ahead(meeting: Meeting, card: CardState, won: Counter[int]) -> Counter[int]:
    """The games won, and in a match of several those that the other has lost by a penalty."""
    if card.games_to_win == 1:
        return won
    one, other = meeting.entrants
    return ahead(won, load_lost_games([meeting.match])[meeting.match.pk], (one.pk, other.pk))


def _winner_of(meeting: Meeting, games_to_win: int, standing: Counter[int]) -> Entrant | None:
    return next((who for who in meeting.entrants if standing[who.pk] >= games_to_win), None)


def _outcome(meeting: Meeting, winner: Entrant, closed: CardState | None, *, by_penalty: bool) -> MatchOutcome:
    """Who goes on because the other has lost games by a penalty has not won them, and so no match."""
    loser, ident = meeting.opponent_of(winner), meeting.match.ident
    if closed is None and by_penalty:
        return end_match(ident, (winner.number, loser.number), winner.number, Cause.PENALTY)
    return MatchOutcome.won(ident, winner.number, loser.number, cause_of(closed, loser))


def _since_taken_back(meeting: Meeting, cards: list[CardState]) -> list[CardState]:
    """The cards that count: after the desk made the match void, those posted from then on.

    A result that a posting itself took back has the moment of that posting, and starts nothing anew.
    """
    taken_back = load_taken_back([meeting.match.pk]).get(meeting.match.pk)
    if taken_back is None:
        return cards
    return [card for card in cards if card.counts_since and card.counts_since > taken_back]


def _closed(note: Note, cards: list[CardState], standing: Counter[int]) -> CardState | None:
    """The card that was closed and decides the match, by the games as they stand now."""
    for card in cards:
        if not card.is_closed or card.closing is None:
            continue
        games = {seat.side: standing[seat.entrant_id] for seat in card.seats if seat.entrant_id is not None}
        said = games if any(games.values()) else {}
        if said != card.closing.games:
            card.closing.pk, card.closing.games = None, said
            for name, value in note.signed().items():
                setattr(card.closing, name, value)
            card.closing.save(force_insert=True)
            card = load_card_by_pk(card.card.pk)
        if card.winner is not None:
            return card
    return None


def cause_of(closed: CardState | None, loser: Entrant) -> Cause:
    """Why the loser has lost: played out, closed when time was called, or because he left."""
    if closed is None or closed.closing is None:
        return Cause.PLAYED
    left = closed.closing.left
    return Cause.FORFEIT if left is not None and left.entrant_id == loser.pk else Cause.TIME


def _score(meeting: Meeting, cards: list[CardState], won: Counter[int]) -> dict[int, int]:
    """What the bracket shows: the points of a single game, else the games won; by entry number."""
    if len(cards) == 1 and (cards[0].games_to_win == 1 or cards[0].is_closed):
        return {side.number: side.total for side in cards[0].sides if side.number is not None}
    return {who.number: won[who.pk] for who in meeting.entrants}


def _recorded_winner(meeting: Meeting) -> int | None:
    """Who won by what is recorded for this pair; None while the match is open."""
    number = meeting.winner
    return next((who.pk for who in meeting.entrants if who.number == number), None)


def refuse_upset(before: CardState, after: CardState, override: str) -> None:
    """A correction that takes the win from somebody who has begun or played the next match is looked at first.

    `data` says which match is to be decided, and how (as the desk's form has it), so that whoever corrects can choose
    what becomes of the later ones; with a reason of its own they are open for whoever stands there then.
    """
    match, won = before.card.match, before.winner
    progress = load_progress(match.event)
    if override.strip() or won is None or won == after.winner or progress is None:
        return
    view = progress.views.get(match.ident)
    if view is None or view.winner != won.number:
        return
    later = _later_matches(match, _if_corrected(match, view.entries, won, after.winner))
    begun = Card.objects.filter(match__in=later, lines__isnull=False, seats__entrant=won).exists()
    if begun or MatchResult.objects.filter(match__in=later, superseded_by__isnull=True).exists():
        said = (
            f"{won.name} has won with this card and plays the next match already. Decide first, on the page of the "
            "match, what becomes of the later ones; then correct the card."
        )
        ending = f"{Cause.PLAYED.value}:{after.winner.number}" if after.winner else f"{Cause.VOID.value}:"
        raise NeedsReason("later-match-began", said, warnings=[said], ident=match.ident, ending=ending)


def _if_corrected(match: Match, sides: tuple[int, ...], won: Entrant, winner: Entrant | None) -> MatchOutcome:
    if winner is None:
        return MatchOutcome.void(match.ident, sides)
    return MatchOutcome.won(match.ident, winner.number, won.number)


def _later_matches(match: Match, outcome: MatchOutcome) -> QuerySet[Match]:
    """Those in which somebody else, or nobody, would stand."""
    followed = follow_in(match.event, match, outcome)
    moved = changes(followed.before, followed.after).sides if followed is not None else ()
    return Match.objects.filter(draw=match.draw_id, stage=match.stage_id, ident__in=moved)
