"""Close games early when time is called or a player leaves, and correct cards that have only totals.

The event's rule determines how an unfinished game ends. If nobody leads, or there is no rule, the director decides.
Undoing a closing requires a reason and reopens the game.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.knockout.bracket import BracketPart
from pairing.draws.results import Credit, Result, ResultCause
from pairing.results.services.results import record_credits
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.tables import load_rotating_sides_match
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_match_cards, select_cards_with_facts
from scoring.card_state.selectors.players import SeatedMatch, load_ready_seated_matches, load_seated_match
from scoring.card_state.selectors.state import CardState, can_end_without_winner, make_card_state, make_early_game_end
from scoring.cards.services.hands import (
    BadLine,
    LineEntry,
    require_correctable_hand,
    supersede_line,
    update_results_after_correction,
    write_line,
)
from scoring.models import Card, CardClosed, ClosingTakenBack, RuleSheet, SheetLine
from scoring.posting.selectors.results import (
    count_games_won,
    count_games_won_with_penalties,
    load_match_restart_times,
    load_penalty_losses,
    load_valid_results,
)
from scoring.posting.services.correction_period import (
    PendingStaffEntry,
    find_correction_kind,
    write_or_store_staff_entry,
)
from scoring.posting.services.posting import (
    make_card_idempotency_key,
    require_reason_to_remove_win,
    require_writable_card,
    update_match_result,
)
from scoring.rules.sheet.closing import ClosingResult, ClosingRule, ClosingVerdict, judge_closing
from scoring.rules.sheet.paper import judge_totals_line
from scoring.rules.sheet.sheets import accepts_totals, tally_sheet
from scoring.rules.variants.variant import TotalsLine, is_totals_record
from scoring.seals.services.sealing import add_closing_to_log
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.previews import require_override
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, InvalidInput
from tournament.models import Event

CardClosingRule = CardClosed.Rule


CLOSE_BY_RULE_CHOICE: Final = ""
CLOSE_NOW_CHOICE: Final = "now"
"""The choice for a game in which no hand was being played when time was called. It ends without another hand."""


TOTALS_STAND_CHOICE: Final = "stands"
LEAVE_OPEN_CHOICE: Final = "later"
"""The choice to leave the game open."""


# --- Open games ------------------------------------------------------------------------------------------------------
# The open games of an event, and how the event's rule would end each if time were called.

_RULES_FOR_TOTALS: Final = (CardClosingRule.LEADER, CardClosingRule.LAST_HAND)
"""The closing rules that also work for a card that needs no winner, because every total counts in the standings.

For such a card, the director decides under any other rule.
"""


_PART_NAMES: Final = {
    BracketPart.WINNERS: gettext_lazy("Winners' bracket, round %(number)s"),
    BracketPart.LOSERS: gettext_lazy("Losers' bracket, round %(number)s"),
    BracketPart.FINAL: gettext_lazy("Final, match %(number)s"),
}


@dataclass(frozen=True)
class OpenGame:
    """A match's open card. `games` is the number of games that each side has already won in the match, by letter."""

    meeting: SeatedMatch
    state: CardState
    games: dict[str, int]

    @property
    def rule(self) -> str:
        return _find_closing_rule(self.state)

    @property
    def proposed_verdict(self) -> ClosingVerdict:
        """The verdict to show for this game: the one already recorded, or the one that the event's rule gives."""
        if self.state.score.verdict is not None:
            return self.state.score.verdict
        fact = _make_closing(self.state, self.rule, self.games)
        return judge_closing(self.state.named_sheet, make_early_game_end(fact, self.state.names_by_letter))

    @property
    def snapshot(self) -> str:
        return make_card_snapshot(self.state)

    @property
    def accepts_totals(self) -> bool:
        """Whether totals from paper can be entered. The card has to be empty, and the game needs two sides."""
        if not self.state.is_single_game or len(self.state.seats) != 2 or self.state.lines:
            return False
        return accepts_totals(self.state.sheet.variant)

    @property
    def score_in_games(self) -> str:
        """The games won earlier in the match (“1–0”), or "" if no game was won."""
        return "–".join(map(str, self.games.values())) if any(self.games.values()) else ""

    @property
    def group_name(self) -> str:
        """The stage or round under which the page lists the game."""
        meeting = self.meeting
        if meeting.stage_match is not None:
            return meeting.match.stage.name
        if meeting.bracket_match is not None and meeting.bracket_match.match.part is not None:
            return _PART_NAMES[meeting.bracket_match.match.part] % {"number": meeting.match.round}
        return _("Round %(number)s") % {"number": meeting.match.round}


def load_open_games(event: Event, card: str = "") -> list[OpenGame]:
    """Load the open games in the order of the matches, with a constant number of queries.

    If `card` is a card's token, only the game on that card is returned.
    """
    rotating_sides = load_event_stages(event).rotating_sides
    ready = (
        [SeatedMatch(load_rotating_sides_match(rotating_sides), ())]
        if rotating_sides
        else load_ready_seated_matches(event)
    )
    meetings = {meeting.match.pk: meeting for meeting in ready}
    cards = select_cards_with_facts().filter(match__in=list(meetings))
    by_match: dict[int, list[CardState]] = {}
    for state in map(make_card_state, cards.order_by("match__round", "match__position", "game", "pk")):
        if state.card.sides_key == (meetings[state.card.match_id].cards_key or state.card.sides_key):
            by_match.setdefault(state.card.match_id, []).append(state)
    several = {state.card.match for states in by_match.values() for state in states if state.games_to_win > 1}
    lost = load_penalty_losses(several) if several else {}
    games = []
    for pk, states in by_match.items():
        waiting = [state for state in states if not state.is_posted and not state.score.tally.complete]
        for state in waiting if rotating_sides else waiting[:1]:
            if card in ("", state.card.token):
                games.append(OpenGame(meetings[pk], state, _count_games_before(states, state, lost.get(pk))))
    return games


def _count_games_before(
    cards: Sequence[CardState], state: CardState, lost: Counter[int] | None = None
) -> dict[str, int]:
    """Return the number of games that each side won in the match before this card, keyed by letter.

    `lost` is the number of games that each entrant lost as a penalty, keyed by primary key.
    """
    won = count_games_won(cards)
    seats = {seat.entrant_id: seat.side for seat in state.seats if seat.entrant_id is not None}
    if lost and len(seats) == 2:
        won = count_games_won_with_penalties(cards, won, lost)
    return {side: won[entrant] for entrant, side in seats.items()}


def _find_closing_rule(state: CardState) -> str:
    """Return the rule that decides how this card's game ends early.

    This is usually the event's rule. However, some cards need no winner, because every total counts in the standings.
    For such a card, the director decides if it covers the whole event, or if the event's rule is not in
    `_RULES_FOR_TOTALS`.
    """
    rule = state.card.sheet.unfinished
    is_for_event = not state.is_single_game and state.card.match.seating_id is None
    if can_end_without_winner(state.card) and (is_for_event or rule not in _RULES_FOR_TOTALS):
        return RuleSheet.Unfinished.DIRECTOR.value
    return rule


def _make_closing(state: CardState, rule: str, games: dict[str, int], *, between_hands: bool = False) -> CardClosed:
    """Return an unsaved record that ends the card's game early, in its current state.

    Under the last-hand rule, the current hand is finished first, unless the game is `between_hands`.
    """
    waits = rule == ClosingRule.LAST_HAND and not between_hands and (state.lines or state.keeper_id is not None)
    return CardClosed(
        card=state.card,
        cause=CardClosed.Cause.TIME,
        rule=rule,
        hands=len(state.lines) + 1 if waits else None,
        games=games if any(games.values()) else {},
    )


def make_card_snapshot(state: CardState) -> str:
    """Return a string that identifies the card's hands, totals and closing.

    Services compare it with the string in the submitted form, to find out if the card has changed.
    """
    closing = state.closing.pk if state.closing else 0
    return f"{len(state.lines)}:{state.score.totals_text}:{closing}"


# --- Call time -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeCall:
    """The form data to call time on one game.

    `seen_snapshot` is the snapshot on the page (`make_card_snapshot`). `totals` are totals from paper, keyed by the
    side's letter. `choice` is one of this module's constants, or a decision by the director: `replay`, `last-hand` or
    the letter of the winner.
    """

    card: Card
    seen_snapshot: str
    totals: Mapping[str, int] | None = None
    choice: str = CLOSE_BY_RULE_CHOICE


@dataclass(frozen=True, slots=True)
class TimeCallResult:
    """The result of calling time. Each field is a list of game titles.

    Games in `closed` are decided, those in `waiting` are still playing their last hand, and those in `undecided` need
    the director. Games in `skipped` changed after the page was displayed.
    """

    closed: tuple[str, ...]
    waiting: tuple[str, ...]
    undecided: tuple[str, ...]
    skipped: tuple[str, ...]


def call_time(event: Event, games: Sequence[TimeCall], *, by: Actor, reason: str = "", key: str = "") -> TimeCallResult:
    """Close these games in a single transaction, each by the event's rule or by the director's decision.

    Raises:
        NotAllowed: a director's decision is given, but the user is not a director.
        DomainError: `reason-needed` for a director's decision, `bad-choice`, or `bad-totals` for impossible totals.
        Conflict: `not-in-play`.
    """
    require_permission(by, "desk", event.tournament)
    wanted = [game for game in games if game.choice != LEAVE_OPEN_CHOICE]
    if any(_is_director_decision(game) for game in wanted):
        require_permission(by, "direct", event.tournament)
        if not reason.strip():
            raise DomainError("reason-needed", _("Write the reason for the director's decision."))
    own = make_idempotency_key(key, [(game.card.pk, game.seen_snapshot, game.choice, game.totals) for game in games])
    with writing(event, verb="time.called", by=by, key=own, reason=reason) as write:
        if write.repeated:
            return TimeCallResult(
                *(tuple(write.outcome[name]) for name in ("closed", "waiting", "undecided", "skipped"))
            )
        results: dict[str, list[str]] = {"closed": [], "waiting": [], "undecided": [], "skipped": []}
        for game in wanted:
            state = load_card_state_by_pk(game.card.pk)
            results[_close_game(write, state, game)].append(state.title)
        write.about(event, **results)
        return TimeCallResult(*(tuple(titles) for titles in results.values()))


def _is_director_decision(game: TimeCall) -> bool:
    """Return whether the director chose how the game ends, instead of applying the event's rule."""
    return game.choice not in (CLOSE_BY_RULE_CHOICE, CLOSE_NOW_CHOICE)


def _close_game(write: WriteTransaction, state: CardState, game: TimeCall) -> str:
    """Close one game, and return the name of the `TimeCallResult` field that lists it."""
    if state.is_posted or state.score.tally.complete or make_card_snapshot(state) != game.seen_snapshot:
        return "skipped"
    _require_closable_game(write, state)
    fact = (
        None
        if state.score.verdict is not None and game.choice == CLOSE_BY_RULE_CHOICE
        else _make_chosen_closing(state, game)
    )
    if game.totals is not None and not state.lines:
        _write_paper_totals(write, state, game.totals)
    after = _record_closing(write, state, fact)
    if after.score.verdict is None or after.score.verdict.is_final:
        return "closed"
    return "waiting" if after.score.verdict.ending is ClosingResult.WAITING else "undecided"


def _make_chosen_closing(state: CardState, game: TimeCall) -> CardClosed:
    """Return an unsaved record that ends the game by the chosen rule or director's decision.

    Raise an error for an unknown choice.
    """
    games, choice = _load_games_won_before(state), game.choice
    if not _is_director_decision(game):
        return _make_closing(state, _find_closing_rule(state), games, between_hands=choice == CLOSE_NOW_CHOICE)
    if choice == TOTALS_STAND_CHOICE:
        return _make_closing(state, CardClosingRule.LEADER, games)
    if choice == CardClosingRule.REPLAY and not can_end_without_winner(state.card):
        return _make_closing(state, CardClosingRule.REPLAY, games)
    if choice == CardClosingRule.LAST_HAND:
        fact = _make_closing(state, CardClosingRule.LAST_HAND, games)
        fact.hands = len(state.lines) + 1
        return fact
    fact = _make_closing(state, CardClosingRule.DIRECTOR, games)
    fact.winner = None if can_end_without_winner(state.card) else state.find_seat_by_letter(choice)
    if fact.winner is None:
        raise DomainError("bad-choice", _("Choose how the game ends, or leave it open."))
    return fact


def _write_paper_totals(write: WriteTransaction, state: CardState, totals: Mapping[str, int]) -> None:
    """Write totals from paper on a card without hands.

    Raises:
        DomainError: `bad-totals`: the totals are impossible, or the game was played to its end.
    """
    try:
        entered = judge_totals_line(state.rules, state.letters, dict(totals), unfinished=True)
    except InvalidInput as error:
        problems = " ".join(problem.message for problem in error.problems)
        raise DomainError("bad-totals", _("%(card)s: %(said)s") % {"card": state.title, "said": problems}) from None
    if tally_sheet(entered.sheet).complete:
        message = _("%(card)s: the game was played to its end. Enter it as a paper score card, with its signatures.")
        raise DomainError("bad-totals", message % {"card": state.title})
    write_line(write, state, LineEntry(entered.as_json(), via=SheetLine.Via.DESK), [])


def close_abandoned_game(
    card: Card, side: str, *, gives_up: bool, by: Actor, reason: str, key: str = "", seen: str | None = None
) -> CardState:
    """Close a game because one side left.

    `side` is the letter of the side that left. If `gives_up` is True, this side loses. Otherwise, the event's rule for
    unfinished games applies.

    Raises:
        DomainError: `reason-needed`, `not-a-player`.
        Conflict: `over-already`, `card-changed`, `not-of-two`.
    """
    require_permission(by, "desk", card.match.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write what happened. It stays on record with the score card."))
    with writing(
        card.match.event, verb="card.left", by=by, key=make_idempotency_key(key, card.pk, side, gives_up), reason=reason
    ) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        _require_closable_game(write, state)
        if can_end_without_winner(card) or len(state.seats) != 2:
            raise Conflict(
                "not-of-two",
                _("The other players at this table play on. Withdraw the player who left, or let the totals stand."),
            )
        if seen is not None and seen != make_card_snapshot(state):
            raise Conflict("card-changed", _("The score card changed in the meantime. Look at it again."))
        seat = state.find_seat_by_letter(side)
        if seat is None:
            raise DomainError("not-a-player", _("Choose which player left."))
        rule = CardClosingRule.GIVES_UP.value if gives_up else _find_closing_rule(state)
        fact = _make_closing(state, rule, _load_games_won_before(state), between_hands=True)
        fact.cause, fact.left = CardClosed.Cause.FORFEIT, seat
        _record_closing(write, state, fact)
        write.about(card, card=card.pk, left=side, rule=rule)
        return load_card_state_by_pk(card.pk)


def _require_closable_game(write: WriteTransaction, state: CardState) -> None:
    require_writable_card(write, state.card)
    if state.is_posted or state.score.tally.complete:
        raise Conflict("over-already", _("This game is over already. Nothing was changed."))


def _load_games_won_before(state: CardState) -> dict[str, int]:
    if can_end_without_winner(state.card):
        return {}
    match = state.card.match
    lost = load_penalty_losses([match])[match.pk] if state.games_to_win > 1 else None
    return _count_games_before(load_match_cards(match.pk, state.card.sides_key), state, lost)


def _record_closing(write: WriteTransaction, state: CardState, fact: CardClosed | None) -> CardState:
    """Store the early end of a game, and update the result of its match.

    If `fact` is None, the game was already ended early, and the stored record is used.
    """
    if fact is not None:
        if state.closing is not None and fact.left is None:
            fact.left, fact.cause = state.closing.left, state.closing.cause
        for name, value in write.fact_fields().items():
            setattr(fact, name, value)
        fact.save(force_insert=True)
        add_closing_to_log(write, fact)
    after = load_card_state_by_pk(state.card.pk)
    if after.score.is_closed:
        update_match_result(write, state.card)
    return after


def reopen_game(card: Card, *, by: Actor, reason: str, override: str = "", key: str = "") -> CardState:
    """Reopen a game that was closed early, and undo the result that the closing led to.

    Raises:
        DomainError: `reason-needed`.
        ReasonRequired: the winner is already playing the next match.
        Conflict: `not-closed`.
    """
    require_permission(by, "desk", card.match.event.tournament)
    if not reason.strip():
        raise DomainError("reason-needed", _("Write why the game is opened again. The reason stays on record."))
    with writing(
        card.match.event, verb="card.reopened", by=by, key=make_idempotency_key(key, card.pk), reason=reason
    ) as write:
        before = load_card_state_by_pk(card.pk)
        if write.repeated:
            return before
        require_writable_card(write, card)
        if before.closing is None:
            raise Conflict("not-closed", _("This game is not closed. Nothing was changed."))
        if before.closing.rule == CardClosingRule.DIRECTOR:
            require_permission(by, "direct", card.match.event.tournament)
        ClosingTakenBack.objects.create(closing=before.closing, **write.fact_fields())
        after = load_card_state_by_pk(card.pk)
        require_reason_to_remove_win(before, after, override)
        if before.score.is_closed:
            _undo_result(write, before)
        write.about(card, card=card.pk, closing=before.closing.pk)
        return after


def _undo_result(write: WriteTransaction, before: CardState) -> None:
    """Undo the result that came from closing the game early. The match then has to be decided again.

    `before` is the card before it was reopened. If the desk has decided or restarted the card's table after the
    closing, the result no longer comes from the closing, and nothing is undone.
    """
    meeting = load_seated_match(before.card.match)
    if meeting.has_two_entrants:
        update_match_result(write, before.card)
        return
    if meeting.table is not None and not _is_result_from_closing(before):
        return
    recorded = meeting.match.results.filter(superseded_by__isnull=True).order_by("-pk").first()
    if recorded is not None:
        void = {entrant.number: Credit(Result.NONE, ResultCause.VOID) for entrant in meeting.entrants}
        record_credits(write, meeting.match, None, void)


def _is_result_from_closing(before: CardState) -> bool:
    """Return whether the recorded result of a table in a round comes from closing this card early."""
    match, closed_at = before.card.match_id, before.posted_or_closed_at
    rows = load_valid_results([match]).get(match, ())
    restarted = load_match_restart_times([match]).get(match)
    is_restarted = restarted is not None and closed_at is not None and closed_at <= restarted
    return bool(rows) and rows[-1].by_cards and not is_restarted


# --- Cards that were entered by their totals -------------------------------------------------------------------------


def correct_totals(
    card: Card, totals: Mapping[str, int], *, seen: str, by: Actor, reason: str, override: str = "", key: str = ""
) -> CardState:
    """Correct a paper card's totals. The new totals are keyed by the sides' letters.

    `seen` is the digest of the card as displayed. If two people both try to swap the totals, the second attempt is
    rejected, because its digest no longer matches.

    Raises:
        DomainError: `reason-needed`, `same-totals`.
        BadLine: no game can end with these totals.
        ReasonRequired: the totals are improbable, or the winner is already playing the next match.
        Conflict: `not-by-totals`: there are hands on the card. `card-changed`: the card changed since it was shown.
    """
    event = card.match.event
    require_permission(by, "desk", event.tournament)
    own = make_card_idempotency_key(card, by, make_idempotency_key(key, seen, dict(totals)))
    with writing(event, verb="card.corrected", by=by, key=own, reason=reason) as write:
        state = load_card_state_by_pk(card.pk)
        if write.repeated:
            return state
        require_writable_card(write, card)
        if not reason.strip():
            raise DomainError("reason-needed", _("Write what was wrong. Every correction needs a reason."))
        _require_correctable_totals(state, totals, seen)
        kind = find_correction_kind(write, state)
        require_correctable_hand(write, state, 1)
        entry = LineEntry(TotalsLine(dict(totals)).as_json(), via=SheetLine.Via.DESK, override=override)
        payload = {"hand": 1, "line": entry.line, "via": str(entry.via), "override": entry.override}
        words = ", ".join(f"{state.names_by_letter.get(side, side)} {points}" for side, points in totals.items())
        typed = PendingStaffEntry(kind, {**payload, "said": words}, ("line",), words)
        write_or_store_staff_entry(write, state, typed, lambda: write_corrected_totals(write, state, entry))
    return load_card_state_by_pk(card.pk)


def write_corrected_totals(write: WriteTransaction, state: CardState, entry: LineEntry) -> SheetLine:
    """Replace the totals of a card in the caller's transaction.

    The caller must already have checked the card and the user's permission.

    Raises:
        BadLine, ReasonRequired: see `correct_totals`.
    """
    warnings = _list_totals_warnings(state, entry.line["totals"])
    require_override(warnings, entry.override)
    first, *others = state.lines
    for old in () if is_totals_record(first.line) else others:
        supersede_line(write, old, None, [])
    fact = supersede_line(write, first, entry, warnings)
    update_results_after_correction(write, state, entry.override)
    write.about(state.card, card=state.card.pk, line=fact.pk, hand=1, was=[line.line for line in state.lines])
    return fact


def _require_correctable_totals(state: CardState, totals: Mapping[str, int], seen: str) -> None:
    if not state.has_only_totals:
        raise Conflict("not-by-totals", _("This score card has hands. Correct the hand that is wrong."))
    if seen != state.digest:
        raise Conflict(
            "card-changed",
            _("This score card changed in the meantime: %(line)s. Look at it again.")
            % {"line": state.score.line_with_names},
        )
    if dict(totals) == state.score.entered_totals:
        raise DomainError(
            "same-totals",
            _("The score card already says %(line)s. Nothing was changed.") % {"line": state.score.line_with_names},
        )


def _list_totals_warnings(state: CardState, totals: Mapping[str, int]) -> list[str]:
    try:
        named = state.replace_letters_with_names(dict(totals))
        entered = judge_totals_line(state.rules, state.names, named, unfinished=state.closing is not None)
    except InvalidInput as error:
        raise BadLine(error.problems) from None
    return [doubt.message for doubt in entered.warnings]
