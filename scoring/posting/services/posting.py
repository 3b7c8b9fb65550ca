"""Post a card that every side has signed, and decide its match, in one transaction."""

from collections import Counter
from collections.abc import Sequence

from django.utils.translation import gettext as _

from pairing.draws.results import Cause, Credit, MatchOutcome, Result
from pairing.models import Match, MatchResult
from pairing.results.selectors.results import load_correction, touches_later
from pairing.results.services.results import record_credits, record_result
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.kinds import Turning
from scoring.card_state.selectors.cards import load_card_by_pk, load_match_cards, replace_state
from scoring.card_state.selectors.players import SeatedMatch, load_meeting_to_decide
from scoring.card_state.selectors.state import CardState
from scoring.models import Card
from scoring.posting.selectors.results import (
    count_games_won,
    games_with_lost_ones,
    late_entries_about,
    load_lost_games,
    load_restart_times,
    load_results_in_force,
    outcome_of_cards,
)
from scoring.posting.services.opening import open_next_card, open_ready_cards_of_bracket
from scoring.rules.sheet.card_status import CardOutcome, ResultRow, agrees_with_result, records_exactly
from scoring.seals.services.sealing import log_closing, record_posting
from tournament.core.services.record import Write
from tournament.errors import Conflict, NeedsReason
from tournament.models import Event


def post_if_signed(write: Write, state: CardState, beside: Sequence[CardState] | None = None) -> CardState:
    """Post the card inside an open write, if it is complete and everybody has signed its present content.

    `beside` are the cards of the same sides in the match, if they are loaded.
    """
    if state.is_posted or state.signatures.missing_names or not state.is_complete:
        return state
    state = state.with_added_facts(postings=(*state.postings, record_posting(write, state)))
    meeting = load_meeting_to_decide(state.card)
    if beside is not None and meeting.key == state.card.sides_key:
        cards = replace_state(beside, state)
    else:
        cards = load_match_cards(meeting.match.pk, meeting.key, known=state)
    _refuse_after_walkover(meeting, cards)
    if not _contradicts_play(write, meeting, cards):
        settle_match(write, meeting, cards)
    return _reload_closed(state)


def _refuse_after_walkover(meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Refuse a result against a player who already went on because the opponent was withdrawn.

    Only the director can turn that around.

    Raises:
        Conflict: `went-on`: the cards give the match to the other player.
    """
    if not meeting.is_decided_without_play or not cards[0].card.entrants:
        return
    outcome = _outcome(meeting, cards, _since_taken_back(meeting, cards))
    if outcome.winner is None or outcome.winner == meeting.advancing_entry:
        return
    raise Conflict(
        "went-on",
        _(
            "A player of this match is withdrawn, and play has continued without the result. Go to the "
            "desk; the director decides this match."
        ),
    )


def _contradicts_play(write: Write, meeting: SeatedMatch, cards: list[CardState]) -> bool:
    """Whether a card signed late contradicts a result with which play has already gone on.

    The result then holds until the desk decides. Nothing is recorded for it: card and result disagree
    (`scoring.posting.selectors.card_status`), and the desk sees that.
    """
    holds = _result_in_force(meeting)
    if holds is None or holds.winner is None or not meeting.is_of_two or not cards[0].card.entrants:
        return False
    counted = _since_taken_back(meeting, cards)
    outcome = _outcome(meeting, cards, counted)
    if any(card.score.is_closed for card in counted) or agrees_with_result(holds, outcome):
        return False
    return bool(touches_later(meeting.match.event, meeting.match, _match_outcome(meeting, outcome)))


# --- Settle a match --------------------------------------------------------------------------------------------------


def settle_match_of_card(write: Write, card: Card) -> None:
    """Settle the match of a card inside an open write, when the card begins to count or counts again."""
    meeting = load_meeting_to_decide(card)
    settle_match(write, meeting, load_match_cards(meeting.match.pk, meeting.key))


def settle_match(write: Write, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Record the outcome of the posted cards of a match: a winner, or the result of a table."""
    if not meeting.is_of_two or not cards[0].card.entrants:
        _settle_table(write, meeting, cards)
    else:
        _settle_two(write, meeting, cards)


def _settle_table(write: Write, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Record the totals of a table once all its cards are posted, with a winner if there is only one card."""
    turning = load_course(meeting.match.event).turning
    if turning is not None:
        cards = [card for card in cards if card.is_posted or not _has_owner_left(card, turning)]
    if not cards or not all(card.is_posted for card in cards):
        return
    score = {side.number: side.total for card in cards for side in card.sides if side.number is not None}
    if turning is not None and not score:
        # Each player of a team has the points of the team.
        teams = zip((turning.sides.left, turning.sides.right), cards[0].score.totals, strict=True)
        score = {number: total for team, total in teams for number in team}
    winner = cards[0].score.winner if len(cards) == 1 else None
    cause = Cause.TIME if any(card.score.is_closed for card in cards) else Cause.PLAYED
    recorded = meeting.match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    stored = {str(number): total for number, total in score.items()}
    if recorded is not None and (recorded.winner, recorded.score) == (winner, stored):
        return
    credits = {winner.number: Credit(Result.WIN, cause)} if winner else {}
    outcome = MatchOutcome(meeting.match.ident, winner.number if winner else None, credits)
    record_result(write, meeting.match, outcome, score=score)


def _has_owner_left(card: CardState, turning: Turning) -> bool:
    """Whether the owner of the card has left the event, so that nobody waits for the card."""
    numbers = [side.number for side in card.sides if side.number is not None]
    return bool(numbers) and not any(map(turning.plays, numbers))


def _settle_two(write: Write, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Decide the match if enough games are won, or else open the next game.

    A decision of the desk holds, whatever is signed before or after it. Only the desk can undo it. If a card
    contradicts it, the pages of both and the desk say so (`scoring.posting.selectors.card_status`).
    """
    counted = _since_taken_back(meeting, cards)
    holds, bracket, lost = _result_in_force(meeting), meeting.bracket, _lost_games(meeting, cards)
    _close_by_games(write, counted, games_with_lost_ones(cards, count_games_won(counted), lost))
    outcome = outcome_of_cards([card for card in map(_reload_closed, counted) if card.is_posted], lost)
    decided = holds is not None and holds.winner is not None
    by_desk = holds is not None and decided and not holds.by_cards
    if by_desk:
        open_ready_cards_of_bracket(write, bracket)
        return
    if outcome.winner is not None:
        if holds is None or not records_exactly(holds, outcome):
            decision = _match_outcome(meeting, outcome)
            result = record_result(write, meeting.match, decision, score=outcome.points, known=meeting)
            bracket = bracket.with_result(result) if bracket is not None else None
        open_ready_cards_of_bracket(write, bracket)
        return
    if decided and meeting.duel is not None:
        # In a pool a void game would be over and both sent to other opponents. This match is open again.
        record_credits(write, meeting.match, None, {})
    elif decided:
        record_result(write, meeting.match, _match_outcome(meeting, outcome))
    if all(card.is_posted for card in cards):
        open_next_card(meeting, cards[-1].card.game + 1, cards[0].card.sheet)


def _outcome(meeting: SeatedMatch, cards: Sequence[CardState], counted: Sequence[CardState]) -> CardOutcome:
    """Return the outcome of those of the `counted` cards that are posted."""
    return outcome_of_cards([card for card in counted if card.is_posted], _lost_games(meeting, cards))


def _lost_games(meeting: SeatedMatch, cards: Sequence[CardState]) -> Counter[int]:
    """Return the games lost by penalty. In a match of one game a penalty decides the match, so none are loaded."""
    return load_lost_games([meeting.match])[meeting.match.pk] if cards[0].games_to_win > 1 else Counter[int]()


def _match_outcome(meeting: SeatedMatch, outcome: CardOutcome) -> MatchOutcome:
    """Return the outcome of the cards. Without a winner the match is open."""
    if outcome.winner is None:
        return MatchOutcome.void(meeting.match.ident, tuple(who.number for who in meeting.entrants))
    credits = {number: Credit(Result(result), Cause(cause)) for number, (result, cause) in outcome.credits.items()}
    return MatchOutcome(meeting.match.ident, outcome.winner, credits)


def _result_in_force(meeting: SeatedMatch) -> ResultRow | None:
    """Return the result in force for the present players, or None while the match is open."""
    if meeting.winner is None:
        return None
    rows = load_results_in_force([meeting.match.pk]).get(meeting.match.pk, ())
    return next((row for row in reversed(rows) if row.winner == meeting.winner), None)


def _since_taken_back(meeting: SeatedMatch, cards: list[CardState]) -> list[CardState]:
    """Return the cards that count: all of them, or those posted since the desk made the match void.

    A result that a posting took back has the moment of that posting, and does not restart the match.
    """
    taken_back = None if meeting.is_untouched else load_restart_times([meeting.match.pk]).get(meeting.match.pk)
    if taken_back is None:
        return cards
    return [card for card in cards if card.counts_since and card.counts_since > taken_back]


def _close_by_games(write: Write, cards: list[CardState], standing: Counter[int]) -> None:
    """Record the closing again if the count of games has changed since, because it decides the match."""
    for card in cards:
        if not card.score.is_closed or card.closing is None:
            continue
        games = {seat.side: standing[seat.entrant_id] for seat in card.seats if seat.entrant_id is not None}
        counted = games if any(games.values()) else {}
        if counted != card.closing.games:
            card.closing.pk, card.closing.games = None, counted
            for name, value in write.fact_fields().items():
                setattr(card.closing, name, value)
            card.closing.save(force_insert=True)
            log_closing(write, card.closing)
            card = load_card_by_pk(card.card.pk)
        if card.score.winner is not None:
            return


def _reload_closed(card: CardState) -> CardState:
    """Return the card, loaded again if it was closed, because its closing can have been replaced."""
    return load_card_by_pk(card.card.pk) if card.closing is not None else card


# --- Refusals --------------------------------------------------------------------------------------------------------


def refuse_upsetting_correction(before: CardState, after: CardState, override: str) -> None:
    """Refuse a correction (NeedsReason) that takes a win from a player whose next match has begun or is decided.

    `data` says which match to decide and how, in the desk form's terms, so that the desk can choose what becomes of the
    later matches. With a reason in `override`, the later matches are reopened for their present players.
    """
    match, won = before.card.match, before.score.winner
    progress = load_course(match.event).progress
    if override.strip() or won is None or won == after.score.winner or progress is None:
        return
    view = progress.views.get(match.ident)
    if view is None or view.winner != won.number:
        return
    outcome = MatchOutcome.void(match.ident, view.entries)
    if after.score.winner is not None:
        outcome = MatchOutcome.won(match.ident, after.score.winner.number, won.number)
    moved = load_correction(match.event, match, outcome).moved  # the later matches whose players would change
    later = Match.objects.filter(draw=match.draw_id, stage=match.stage_id, ident__in=moved)
    begun = Card.objects.filter(match__in=later, lines__isnull=False, seats__entrant=won).exists()
    if begun or MatchResult.objects.filter(match__in=later, superseded_by__isnull=True).exists():
        message = _(
            "%(name)s won with this score card and is already in the next match. Decide about the later "
            "matches on the match page first, then correct the score card."
        ) % {"name": won.name}
        ending = f"{Cause.PLAYED.value}:{after.score.winner.number}" if after.score.winner else f"{Cause.VOID.value}:"
        raise NeedsReason("later-match-began", message, warnings=[message], ident=match.ident, ending=ending)


def refuse_after_late_entry(event: Event, card: Card) -> None:
    """Refuse a card if its match was taken back with a late entry, or if a late entry changed its players.

    The bracket is only loaded if a late entry concerns this card.

    Raises:
        Conflict: `late-entry-taken-back`, `bye-taken`.
    """
    match = card.match
    found = late_entries_about(card).select_related("entrant", "bye").first()
    if found is None:
        return
    if found.match_id == match.pk and hasattr(found, "taken_back"):
        raise Conflict(
            "late-entry-taken-back",
            _("The late entry of this score card was undone. Look at the bracket for the match that counts."),
        )
    progress = load_course(event).progress
    view = progress.views.get(match.ident) if progress is not None else None
    sides = set(card.seats.values_list("entrant__number", flat=True))
    if view is not None and sides != set(view.entries):
        message = _("%(name)s entered late and plays %(match)s first.") % {
            "name": found.entrant.name,
            "match": found.bye.name,
        }
        raise Conflict("bye-taken", _("%(said)s Look at the bracket for the match that counts.") % {"said": message})
