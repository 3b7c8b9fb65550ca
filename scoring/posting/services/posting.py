"""Post a card that every side has signed, and decide its match, in a single transaction."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.results import Credit, MatchOutcome, Result, ResultCause
from pairing.models import Match, MatchResult
from pairing.results.selectors.results import find_dependent_stage_or_matches, load_correction
from pairing.results.services.results import record_credits, record_result
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.kinds import RotatingSides
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_match_cards, replace_card_state
from scoring.card_state.selectors.players import SeatedMatch, load_match_to_decide
from scoring.card_state.selectors.state import CardState
from scoring.models import Card
from scoring.posting.selectors.results import (
    combine_card_outcomes,
    count_games_won,
    count_games_won_with_penalties,
    load_cards_with_changed_opponents,
    load_facts_blocking_writing,
    load_late_entries_for_card,
    load_match_restart_times,
    load_penalty_losses,
    load_valid_results,
    load_void_cards,
)
from scoring.posting.services.opening import open_next_card, open_ready_bracket_cards
from scoring.rules.sheet.card_status import CardOutcome, RecordedResult, agrees_with_result, matches_result_exactly
from scoring.seals.services.sealing import add_closing_to_log, post_and_seal_card
from tournament.core.permissions import Actor
from tournament.core.services.record import WriteTransaction
from tournament.errors import Conflict, ReasonRequired
from tournament.models import Event

# --- Cards that can be written on ------------------------------------------------------------------------------------


_UNDONE_MESSAGES: Final = {
    "seating": gettext_lazy("The table assignments of this score card were undone. Look at the new table assignments."),
    "pairing": gettext_lazy("This pairing was undone. Look at the pairings for the game that counts."),
    "stage": gettext_lazy("The stage of this score card was undone. Look at the pairings for the game that counts."),
    "draw": gettext_lazy("The draw of this score card was undone. Look at the bracket for the match that counts."),
}


def make_card_idempotency_key(card: Card, by: Actor, key: str) -> str:
    """Return an idempotency key that also depends on the card and on the actor. An empty key stays empty."""
    if not key:
        return ""
    who = f"entrant {by.entrant.pk}" if by.entrant else f"user {by.user.pk if by.user else 'system'}"
    return hashlib.sha256(f"{card.pk}|{who}|{key}".encode()).hexdigest()


def require_writable_card(write: WriteTransaction, card: Card) -> None:
    """Raise Conflict if nothing may be written on a card, because it can no longer count.

    For example, the event is not in play, the draw was undone, or a correction changed the match's players.
    """
    if write.the_event.state != Event.State.IN_PLAY:
        raise Conflict(
            "not-in-play",
            _("%(name)s is not in play (“%(state)s”). Nothing was recorded.")
            % {"name": write.the_event.name, "state": write.the_event.get_state_display()},
        )
    undone, has_result, has_late_entry, may_have_other_players = load_facts_blocking_writing(card)
    if undone is not None:
        raise Conflict(f"{undone}-taken-back", str(_UNDONE_MESSAGES[undone]))
    if has_result and load_void_cards([card]):
        raise Conflict(
            "made-void",
            _(
                "The director made this match void, so this score card no longer counts. If that is wrong, "
                "the desk can undo it on the page of the match."
            ),
        )
    if may_have_other_players and load_cards_with_changed_opponents([card]):
        raise Conflict(
            "others-meet",
            _("These two no longer meet in this match: an earlier result was corrected. Look at the bracket."),
        )
    if has_late_entry:
        _require_no_late_entry(write.the_event, card)


def _require_no_late_entry(event: Event, card: Card) -> None:
    """Raise Conflict if a late entry changed the card's players, or created the card's match and was then undone."""
    match = card.match
    entry = load_late_entries_for_card(card).select_related("entrant", "bye").first()
    if entry is None:
        return
    if entry.match_id == match.pk and hasattr(entry, "taken_back"):
        raise Conflict(
            "late-entry-taken-back",
            _("The late entry of this score card was undone. Look at the bracket for the match that counts."),
        )
    progress = load_event_stages(event).progress
    view = progress.views.get(match.ident) if progress is not None else None
    sides = set(card.seats.values_list("entrant__number", flat=True))
    if view is not None and sides != set(view.entries):
        message = _("%(name)s entered late and plays %(match)s first.") % {
            "name": entry.entrant.name,
            "match": entry.bye.name,
        }
        raise Conflict("bye-taken", _("%(said)s Look at the bracket for the match that counts.") % {"said": message})


# --- Post a card -----------------------------------------------------------------------------------------------------


def post_card_if_signed(
    write: WriteTransaction, state: CardState, match_cards: Sequence[CardState] | None = None
) -> CardState:
    """Post a complete card in the caller's transaction, if everybody has signed its current content.

    If the match's cards for the same sides are already loaded, pass them as `match_cards`.
    """
    if state.is_posted or state.signatures.missing_names or not state.is_complete:
        return state
    state = state.copy_with_added_facts(postings=(*state.postings, post_and_seal_card(write, state)))
    meeting = load_match_to_decide(state.card)
    if match_cards is not None and meeting.cards_key == state.card.sides_key:
        cards = replace_card_state(match_cards, state)
    else:
        cards = load_match_cards(meeting.match.pk, meeting.cards_key, known=state)
    _require_no_conflicting_walkover(meeting, cards)
    if not _contradicts_later_matches(write, meeting, cards):
        record_result_from_cards(write, meeting, cards)
    return _reload_closed(state)


def _require_no_conflicting_walkover(meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Raise Conflict if the cards show a win for a withdrawn player whose opponent has already advanced by walkover."""
    if not meeting.is_decided_without_play or not cards[0].card.entrants:
        return
    outcome = _combine_cards(meeting, cards, _find_counting_cards(meeting, cards))
    if outcome.winner is None or outcome.winner == meeting.advancing_entry:
        return
    raise Conflict(
        "went-on",
        _(
            "A player of this match is withdrawn, and play has continued without the result. Go to the "
            "desk; the director decides this match."
        ),
    )


def _contradicts_later_matches(write: WriteTransaction, meeting: SeatedMatch, cards: list[CardState]) -> bool:
    """Return whether the cards contradict a result that later matches already depend on.

    If so, the result stays unchanged until the desk decides.
    """
    result = _load_result_in_force(meeting)
    if result is None or result.winner is None or not meeting.has_two_entrants or not cards[0].card.entrants:
        return False
    counted = _find_counting_cards(meeting, cards)
    outcome = _combine_cards(meeting, cards, counted)
    if any(card.score.is_closed for card in counted) or agrees_with_result(result, outcome):
        return False
    return bool(
        find_dependent_stage_or_matches(meeting.match.event, meeting.match, _make_match_outcome(meeting, outcome))
    )


# --- Settle a match --------------------------------------------------------------------------------------------------


def update_match_result(write: WriteTransaction, card: Card) -> None:
    """Update the result of a card's match in the caller's transaction.

    Call this after any write if the card now counts toward the result, or no longer counts.
    """
    meeting = load_match_to_decide(card)
    record_result_from_cards(write, meeting, load_match_cards(meeting.match.pk, meeting.cards_key))


def record_result_from_cards(write: WriteTransaction, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Record the result of a match's posted cards: a winner, or the totals of a table."""
    if not meeting.has_two_entrants or not cards[0].card.entrants:
        _record_table_result(write, meeting, cards)
    else:
        _settle_match_of_two(write, meeting, cards)


def _record_table_result(write: WriteTransaction, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Record the totals of a table once its card is posted.

    If sides rotate, all of the event's cards must be posted first, except those of players who have left.

    If the desk restarted a table, only the last card posted since then is used. If the desk decided a table, record
    nothing until the desk undoes its decision. If the totals come from a single card, that card's winner is recorded as
    well.
    """
    rotating_sides = load_event_stages(meeting.match.event).rotating_sides
    if rotating_sides is not None:
        # Nobody waits for the card of a player who has left.
        cards = [card for card in cards if card.is_posted or not _have_all_players_left(card, rotating_sides)]
    else:
        in_force = load_valid_results([meeting.match.pk]).get(meeting.match.pk, ())[-1:]
        if any(not row.by_cards and not row.leaves_match_open for row in in_force):
            return
        cards = _find_counting_cards(meeting, cards)[-1:]
    if not cards or not all(card.is_posted for card in cards):
        return
    score = {side.number: side.total for card in cards for side in card.sides if side.number is not None}
    if rotating_sides is not None and not score:
        # Each player of a team has the points of the team.
        teams = zip((rotating_sides.sides.left, rotating_sides.sides.right), cards[0].score.totals, strict=True)
        score = {number: total for team, total in teams for number in team}
    winner = cards[0].score.winner if len(cards) == 1 else None
    cause = ResultCause.TIME if any(card.score.is_closed for card in cards) else ResultCause.PLAYED
    recorded = meeting.match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    stored = {str(number): total for number, total in score.items()}
    if recorded is not None and (recorded.winner, recorded.score) == (winner, stored):
        return
    credits = {winner.number: Credit(Result.WIN, cause)} if winner else {}
    outcome = MatchOutcome(meeting.match.ident, winner.number if winner else None, credits)
    record_result(write, meeting.match, outcome, score=score)


def _have_all_players_left(card: CardState, rotating_sides: RotatingSides) -> bool:
    """Return whether all players on the card have left the event. Return False for a card of teams."""
    numbers = [side.number for side in card.sides if side.number is not None]
    return bool(numbers) and not any(map(rotating_sides.is_present, numbers))


def _settle_match_of_two(write: WriteTransaction, meeting: SeatedMatch, cards: list[CardState]) -> None:
    """Record the result of a match if enough games are won, otherwise open the next game.

    If the desk decided the match, the desk's decision counts until the desk undoes it.
    """
    counted = _find_counting_cards(meeting, cards)
    in_force, bracket, lost = _load_result_in_force(meeting), meeting.bracket, _load_lost_games(meeting, cards)
    _update_closing_game_counts(write, counted, count_games_won_with_penalties(cards, count_games_won(counted), lost))
    outcome = combine_card_outcomes([card for card in map(_reload_closed, counted) if card.is_posted], lost)
    is_decided = in_force is not None and in_force.winner is not None
    if in_force is not None and is_decided and not in_force.by_cards:
        open_ready_bracket_cards(write, bracket)
        return
    if outcome.winner is not None:
        if in_force is None or not matches_result_exactly(in_force, outcome):
            decision = _make_match_outcome(meeting, outcome)
            result = record_result(write, meeting.match, decision, score=outcome.points, known=meeting)
            bracket = bracket.with_result(result) if bracket is not None else None
        open_ready_bracket_cards(write, bracket)
        return
    if is_decided and meeting.stage_match is not None:
        # In a pool, a void game would be over. Without credits, these two play it again.
        record_credits(write, meeting.match, None, {})
    elif is_decided:
        record_result(write, meeting.match, _make_match_outcome(meeting, outcome))
    if all(card.is_posted for card in cards):
        open_next_card(meeting, cards[-1].card.game + 1, cards[0].card.sheet)


def _combine_cards(meeting: SeatedMatch, cards: Sequence[CardState], counted: Sequence[CardState]) -> CardOutcome:
    return combine_card_outcomes([card for card in counted if card.is_posted], _load_lost_games(meeting, cards))


def _load_lost_games(meeting: SeatedMatch, cards: Sequence[CardState]) -> Counter[int]:
    """Return the number of games that each entrant lost as a penalty.

    The numbers are zero in a match of one game, because a penalty decides the whole match.
    """
    return load_penalty_losses([meeting.match])[meeting.match.pk] if cards[0].games_to_win > 1 else Counter[int]()


def _make_match_outcome(meeting: SeatedMatch, outcome: CardOutcome) -> MatchOutcome:
    """Return the outcome to record for the match. If there is no winner, the match is played again."""
    if outcome.winner is None:
        return MatchOutcome.void(meeting.match.ident, tuple(who.number for who in meeting.entrants))
    credits = {
        number: Credit(Result(result), ResultCause(cause)) for number, (result, cause) in outcome.credits.items()
    }
    return MatchOutcome(meeting.match.ident, outcome.winner, credits)


def _load_result_in_force(meeting: SeatedMatch) -> RecordedResult | None:
    """Return the current result of the match between its current players, or None if the match is open."""
    if meeting.winner is None:
        return None
    rows = load_valid_results([meeting.match.pk]).get(meeting.match.pk, ())
    return next((row for row in reversed(rows) if row.winner == meeting.winner), None)


def _find_counting_cards(meeting: SeatedMatch, cards: list[CardState]) -> list[CardState]:
    """Return the cards posted since the desk last restarted the match, or all cards if it never did."""
    match = meeting.match.pk
    pairs = {match: [entrant.number for entrant in meeting.entrants]} if meeting.has_two_entrants else {}
    restarted = None if meeting.has_no_recorded_result else load_match_restart_times([match], pairs).get(match)
    if restarted is None:
        return cards
    return [card for card in cards if card.posted_or_closed_at and card.posted_or_closed_at > restarted]


def _update_closing_game_counts(write: WriteTransaction, cards: list[CardState], ahead: Counter[int]) -> None:
    """Update the numbers of games won that are stored with a game's early end.

    These numbers can determine the winner. If they have changed, the early end is recorded again with the new numbers.
    """
    for card in cards:
        if not card.score.is_closed or card.closing is None:
            continue
        games = {seat.side: ahead[seat.entrant_id] for seat in card.seats if seat.entrant_id is not None}
        counted = games if any(games.values()) else {}
        if counted != card.closing.games:
            card.closing.pk, card.closing.games = None, counted
            for name, value in write.fact_fields().items():
                setattr(card.closing, name, value)
            card.closing.save(force_insert=True)
            add_closing_to_log(write, card.closing)
            card = load_card_state_by_pk(card.card.pk)
        if card.score.winner is not None:
            return


def _reload_closed(card: CardState) -> CardState:
    """Return the card, reloaded if its game ended early, because the record of the early end may have been updated."""
    return load_card_state_by_pk(card.card.pk) if card.closing is not None else card


# --- Corrections of posted cards -------------------------------------------------------------------------------------


def require_reason_to_remove_win(before: CardState, after: CardState, override: str) -> None:
    """Raise ReasonRequired if a correction takes a win from a player whose next match has started or is decided.

    The error's `data` contains the match and the new outcome, for the form on which the desk decides about later
    matches. If `override` gives a reason, no error is raised, and later matches are reopened for their current players.
    """
    match, won = before.card.match, before.score.winner
    progress = load_event_stages(match.event).progress
    if override.strip() or won is None or won == after.score.winner or progress is None:
        return
    view = progress.views.get(match.ident)
    if view is None or view.winner != won.number:
        return
    outcome = MatchOutcome.void(match.ident, view.entries)
    if after.score.winner is not None:
        outcome = MatchOutcome.won(match.ident, after.score.winner.number, won.number)
    moved = load_correction(match.event, match, outcome).matches_with_other_players
    later = Match.objects.filter(draw=match.draw_id, stage=match.stage_id, ident__in=moved)
    begun = Card.objects.filter(match__in=later, lines__isnull=False, seats__entrant=won).exists()
    if begun or MatchResult.objects.filter(match__in=later, superseded_by__isnull=True).exists():
        message = _(
            "%(name)s won with this score card and is already in the next match. Decide about the later "
            "matches on the match page first, then correct the score card."
        ) % {"name": won.name}
        ending = (
            f"{ResultCause.PLAYED.value}:{after.score.winner.number}"
            if after.score.winner
            else f"{ResultCause.VOID.value}:"
        )
        raise ReasonRequired("later-match-began", message, warnings=[message], ident=match.ident, ending=ending)
