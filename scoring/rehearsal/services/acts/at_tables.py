"""Random actions in rounds at tables.

They assign seats, begin and undo rounds, close tables, play hands on score cards, and enter totals without a card.
"""

from dataclasses import replace
from functools import partial
from typing import Final

from pairing.models import Match
from pairing.results.services.results import TABLE_CLOSING_CAUSES, record_table_result
from pairing.stages.selectors.course import load_event_stages, load_final_placings
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from pairing.stages.selectors.tables import load_seating_preview
from pairing.stages.services.tables import change_round_count, seat_next_round, take_back_seating
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.closing import (
    CLOSE_BY_RULE_CHOICE,
    CLOSE_NOW_CHOICE,
    LEAVE_OPEN_CHOICE,
    TOTALS_STAND_CHOICE,
    OpenGame,
    TimeCall,
    call_time,
    close_abandoned_game,
    correct_totals,
    load_open_games,
    reopen_game,
)
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_scorekeeper, record_table_draw
from scoring.cards.services.paper_cards import PaperCard, PaperRow, enter_paper_card
from scoring.models import CardClosed, SheetLine
from scoring.posting.services.opening import begin_round
from scoring.rehearsal.selectors.hands import make_random_line, make_random_lines_to_end, make_random_wrong_line
from scoring.rehearsal.services.play import (
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    describe_card_for_log,
    register_main_action,
    register_side_action,
)
from scoring.rules.sheet.sheets import judge_line, tally_sheet
from tournament.core.permissions import make_player_actor
from tournament.models import Entrant


@register_main_action("seat-round", turn=2)
def _propose_next_seating(play: RehearsalContext) -> RehearsalAction | None:
    rounds = load_event_stages(play.event).rounds
    if rounds is None or load_seating_preview(play.event) is not None or rounds.ready_tables:
        return None
    if len(rounds.rounds) >= rounds.terms.rounds:
        return None
    return RehearsalAction(f"round {len(rounds.rounds) + 1}", partial(seat_next_round, play.event, by=play.director))


@register_main_action("begin-round", turn=3)
def _propose_begin_round(play: RehearsalContext) -> RehearsalAction | None:
    begin = RehearsalAction(play.event.name, partial(begin_round, play.event, by=play.director))
    return begin if load_seating_preview(play.event) is not None else None


@register_main_action("take-back-unfit-seating", turn=5)
def _propose_undo_unfit_seating(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to undo the seating, because a seated entrant has left."""
    if load_seating_preview(play.event) is None:
        return None
    return RehearsalAction(
        play.event.name, partial(take_back_seating, play.event, by=play.director, reason="somebody left")
    )


@register_main_action("fewer-rounds", turn=6)
def _propose_fewer_rounds(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to reduce the number of rounds, because too few entrants are left for another one."""
    rounds = load_event_stages(play.event).rounds
    if rounds is None or rounds.ready_tables or len(rounds.rounds) >= rounds.terms.rounds:
        return None
    most = max(1, len(rounds.rounds))
    return RehearsalAction(
        str(most), partial(change_round_count, play.event, most, by=play.director, reason="too few are left")
    )


@register_side_action("take-back-seating")
def _propose_undo_seating(play: RehearsalContext) -> RehearsalAction | None:
    if load_event_stages(play.event).rounds is None:
        return None
    return RehearsalAction(
        play.event.name, partial(take_back_seating, play.event, by=play.director, reason=play.choose_reason())
    )


@register_side_action("totals-without-card", weight=2)
def _propose_totals_without_card(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to enter the totals of a table that is still playing or has finished."""
    found = _choose_table(play)
    return _make_totals_action(play, found, override=False) if found is not None else None


def _make_totals_action(
    play: RehearsalContext, table: tuple[Match, tuple[int, ...]], *, override: bool
) -> RehearsalAction:
    match, entries = table
    here = play.dice.pick_some(list(entries), len(entries))
    totals = {number: play.dice.randint(-20, 150) for number in here}
    typed = partial(
        record_table_result, match, totals, by=play.choose_staff_actor(), reason=play.choose_reason(), override=override
    )
    return RehearsalAction(f"{match.ident}: {totals}", typed)


@register_main_action("totals-after-all", turn=10)
def _propose_totals_for_closed_table(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to enter totals for a table if every table was closed without totals."""
    placings = load_final_placings(play.event)
    if placings is None or placings.finish:
        return None
    found = _choose_table(play)
    left = {entrant.number for entrant in play.state.filter_entrants(Entrant.State.IN)}
    return (
        _make_totals_action(play, found, override=True) if found is not None and left.intersection(found[1]) else None
    )


@register_side_action("close-table")
def find_table_to_close(play: RehearsalContext) -> RehearsalAction | None:
    found = _choose_table(play)
    return None if found is None else _make_close_table_action(play, found[0])


@register_main_action("close-idle-table", turn=4)
def _propose_close_short_table(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to close a table with too few players."""
    rounds = load_event_stages(play.event).rounds
    ready = rounds.ready_tables if rounds is not None else ()
    if not ready:
        return None
    return _make_close_table_action(play, _get_match(play, play.dice.choice(ready).match))


def _make_close_table_action(play: RehearsalContext, match: Match) -> RehearsalAction:
    """Return the action that closes a table.

    The action overrides any result that the table's signed cards have already produced.
    """
    cause = play.dice.choice(sorted(TABLE_CLOSING_CAUSES))
    closing = partial(
        record_table_result, match, {}, cause, by=play.choose_staff_actor(), reason=play.choose_reason(), override=True
    )
    return RehearsalAction(f"{match.ident}: {cause.value}", closing)


def _choose_table(play: RehearsalContext) -> tuple[Match, tuple[int, ...]] | None:
    rounds = load_event_stages(play.event).rounds
    tables = [table for each in rounds.rounds for table in each.tables] if rounds is not None else []
    table = play.dice.pick_one(tables)
    return None if table is None else (_get_match(play, table.match), table.entries)


def _get_match(play: RehearsalContext, ident: str) -> Match:
    return (
        Match.objects.filter(VALID_MATCH_FILTER).select_related("event__tournament").get(event=play.event, ident=ident)
    )


# --- Cards -----------------------------------------------------------------------------------------------------------
# Acts on cards: the cut, the draw, hands on phones and at the desk, paper cards, and corrections.

PHONE_SCORING: Final = "phones"
DESK_SCORING: Final = "desk"
_PAPER_SCORING: Final = "paper"
_TOTALS_SCORING: Final = "totals"
_WEIGHTED_METHODS: Final = (
    PHONE_SCORING,
    PHONE_SCORING,
    PHONE_SCORING,
    DESK_SCORING,
    _PAPER_SCORING,
    _PAPER_SCORING,
    _TOTALS_SCORING,
    _TOTALS_SCORING,
)


def _choose_scoring_method(play: RehearsalContext, state: CardState) -> str:
    return play.choose_scoring_method(state, _WEIGHTED_METHODS)


def is_awaiting_confirmation(play: RehearsalContext, state: CardState) -> bool:
    """Return whether a staff member's entry on this card is waiting for a second person to confirm it."""
    return any(entry.card_id == state.card.pk for entry in play.state.entries_to_confirm)


def _list_open_cards(play: RehearsalContext, *ways: str) -> list[CardState]:
    """Return the open cards whose scores are recorded in one of the given `ways`, such as by phone or on paper."""
    found = [
        state
        for state in play.state.open_cards
        if state.score.accepts_hands and not is_awaiting_confirmation(play, state)
    ]
    return [
        s
        for s in found
        if not s.draw.blocks_first_hand and _choose_scoring_method(play, s) in ways and len(s.seats) > 1
    ]


def find_scorekeeper_on_card(state: CardState) -> Entrant | None:
    return next((who for who in state.card.entrants if who.pk == state.keeper_id), None)


def _list_cards_without_draw(play: RehearsalContext) -> list[CardState]:
    asking = [
        state
        for state in play.state.open_cards
        if state.draw.is_draw_missing and state.is_single_game and not state.entered
    ]
    return [state for state in asking if not state.draw.table_draw.keeps_score]


@register_main_action("table-draw")
@act_on_random_item(_list_cards_without_draw)
def _propose_table_draw(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to record a random table draw, as a player or as staff."""
    order = play.dice.make_shuffled_list(sorted(state.letters))[: len(state.draw.table_draw.places)]
    who = play.dice.pick_one(state.card.entrants)
    by = (
        make_player_actor(who)
        if who is not None and play.dice.happens_with_probability(0.7)
        else play.choose_staff_actor()
    )
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {', '.join(order)}", lambda: record_table_draw(state.card, order, by=by)
    )


@register_main_action("cut")
@act_on_random_item(lambda play: [state for state in _list_open_cards(play, PHONE_SCORING) if state.keeper_id is None])
def _propose_scorekeeper(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = play.dice.pick_one(state.card.entrants)
    return (
        RehearsalAction(
            f"{describe_card_for_log(state)}: {who.name}",
            lambda: record_scorekeeper(state.card, who, by=make_player_actor(who)),
        )
        if who
        else None
    )


@register_main_action("hand")
@act_on_random_item(
    lambda play: [
        one
        for one in _list_open_cards(play, PHONE_SCORING, DESK_SCORING)
        if _choose_scoring_method(play, one) == DESK_SCORING or one.keeper_id
    ]
)
def _propose_next_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add the next hand, either as the scorekeeper by phone or as staff."""
    line = make_random_line(play.dice, state.sheet)
    if line is None:
        return None
    who, by = find_scorekeeper_on_card(state), play.choose_staff_actor()
    on_phone = who is not None and _choose_scoring_method(play, state) == PHONE_SCORING
    actor = make_player_actor(who) if who is not None and on_phone else by
    via, hand = SheetLine.Via.PHONE if on_phone else SheetLine.Via.DESK, len(state.lines) + 1
    entry = LineEntry(line, via=via, hand=hand, key=play.dice.make_key(), override="as played")
    return RehearsalAction(f"{describe_card_for_log(state)} hand {hand}", lambda: add_line(state.card, entry, by=actor))


@register_main_action("paper-card")
@act_on_random_item(lambda play: _list_open_cards(play, _PAPER_SCORING, _TOTALS_SCORING))
def _propose_paper_card(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to enter a complete paper card, with all its hands or only with its totals."""
    paper = _make_random_paper_card(play, state)
    if paper is None:
        play.scoring_methods[state.card.pk] = DESK_SCORING
        return None
    by = play.choose_staff_actor()
    return RehearsalAction(
        describe_card_for_log(state), lambda: enter_paper_card(state.card, replace(paper, witness=by.name), by=by)
    )


def _make_random_paper_card(play: RehearsalContext, state: CardState) -> PaperCard | None:
    """Return a paper card filled in with random hands."""
    written = state.sheet if state.hands else replace(state.sheet, lines=())
    lines = make_random_lines_to_end(play.dice, written)
    if not lines:
        return None
    whole = [*(fact.line or {} for fact in state.hands), *lines]
    sheet = replace(state.sheet, lines=())
    for line in whole:
        sheet = judge_line(sheet, line).sheet
    counted = tally_sheet(sheet)
    signed = tuple(state.letters) if play.dice.happens_with_probability(0.85) else ()
    keeper = play.dice.pick_one(state.card.entrants)
    common = PaperCard(keeper=keeper, signed=signed, override="as on the paper", key=play.dice.make_key())
    if (
        _choose_scoring_method(play, state) == _TOTALS_SCORING
        and sheet.variant.make_points_line(state.letters[0], 1) is not None
    ):
        return replace(common, totals=dict(counted.totals))
    rows = [
        PaperRow(line, dict(row.running) if play.dice.happens_with_probability(0.8) else {})
        for line, row in zip(whole, counted.lines, strict=True)
    ]
    return replace(common, rows=tuple(rows))


@register_side_action("wrong-hand", weight=0.5)
@act_on_random_item(
    lambda play: [state for state in _list_open_cards(play, PHONE_SCORING, DESK_SCORING) if state.keeper_id is not None]
)
def _propose_wrong_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add a hand with a mistake, which may be rejected."""
    who, line = find_scorekeeper_on_card(state), make_random_wrong_line(play.dice, state.sheet)
    actor = make_player_actor(who) if who is not None else play.desk
    return RehearsalAction(
        describe_card_for_log(state), lambda: add_line(state.card, LineEntry(line, override="as played"), by=actor)
    )


@register_side_action("hand-by-another", weight=0.3)
@act_on_random_item(
    lambda play: [state for state in _list_open_cards(play, PHONE_SCORING) if state.keeper_id is not None]
)
def _propose_hand_by_opponent(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = play.dice.pick_one([who for who in state.card.entrants if who.pk != state.keeper_id])
    line = make_random_line(play.dice, state.sheet)
    if who is None or line is None:
        return None
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {who.name}",
        lambda: add_line(state.card, LineEntry(line), by=make_player_actor(who)),
    )


@register_side_action("correct-hand", weight=3)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.hands and len(state.seats) > 1])
def _propose_hand_correction(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose that the scorekeeper or staff replace or strike out a hand, even on a posted (final) card."""
    hand = play.dice.pick_one(state.hand_numbers)
    if hand is None:
        return None
    before = replace(state.sheet, lines=state.sheet.lines[: hand - 1])
    line = make_random_line(play.dice, before) if play.dice.happens_with_probability(0.8) else None
    who, by = find_scorekeeper_on_card(state), play.choose_staff_actor()
    actor = make_player_actor(who) if who is not None and play.dice.happens_with_probability(0.4) else by
    via = SheetLine.Via.PHONE if actor.entrant else SheetLine.Via.DESK
    entry = LineEntry(line, via=via, override="looked at") if line is not None else None
    change = ("" if entry else " struck out") + (", posted" if state.is_posted else "")
    label = f"{describe_card_for_log(state)} hand {hand}{change}"
    return RehearsalAction(label, partial(correct_line, state.card, hand, entry, by=actor, reason=play.choose_reason()))


@register_side_action("correct-totals", weight=2)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.has_only_totals])
def _propose_totals_correction(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to swap or change a paper card's totals, before or after the card is posted (final)."""
    now, by = state.score.entered_totals, play.choose_staff_actor()
    swapped = dict(zip(now, reversed(now.values()), strict=True))
    low = min(now, key=lambda side: now[side])
    totals = (
        swapped if play.dice.happens_with_probability(0.7) else now | {low: max(0, now[low] - play.dice.randint(1, 9))}
    )
    seen, reason = state.digest, play.choose_reason()
    label = f"{describe_card_for_log(state)} totals {totals}{', posted' if state.is_posted else ''}"
    act = partial(correct_totals, state.card, totals, seen=seen, by=by, reason=reason, override="looked at")
    return RehearsalAction(label, act)


# --- Closing ---------------------------------------------------------------------------------------------------------
# Acts that close games: time is called, a player leaves in the middle, and closings are taken back.


@register_side_action("call-time", weight=2)
def _propose_call_time(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to call time on a few games."""
    games = play.dice.pick_some(load_open_games(play.event), 3)
    return _make_call_time_action(play, games) if games else None


@register_main_action("decide-called-game", turn=3)
@act_on_random_item(lambda play: [game for game in load_open_games(play.event) if game.state.closing is not None])
def _propose_decision_after_time(play: RehearsalContext, game: OpenGame) -> RehearsalAction | None:
    """Propose the director's decision about a game that was stopped when time was up."""
    letter = play.dice.choice(game.state.letters)
    called = [
        TimeCall(game.state.card, game.snapshot, choice=letter if game.state.is_single_game else TOTALS_STAND_CHOICE)
    ]
    return RehearsalAction(
        describe_card_for_log(game.state), partial(call_time, play.event, called, by=play.director, reason="who led")
    )


@register_main_action("totals-stand", turn=4)
def _propose_totals_stand(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to close all cards and let their totals count, because too few players are left.

    This is possible only in an event with two sides.
    """
    games = load_open_games(play.event) if play.playable.kind.has_rotating_sides else []
    if not games:
        return None
    called = [TimeCall(game.state.card, game.snapshot, choice=TOTALS_STAND_CHOICE) for game in games]
    return RehearsalAction(
        play.event.name, partial(call_time, play.event, called, by=play.director, reason="too few are left")
    )


def _make_call_time_action(play: RehearsalContext, games: list[OpenGame]) -> RehearsalAction:
    called = []
    for game in games:
        words = [
            CLOSE_BY_RULE_CHOICE,
            CLOSE_NOW_CHOICE,
            LEAVE_OPEN_CHOICE,
            TOTALS_STAND_CHOICE,
            CardClosed.Rule.REPLAY,
            CardClosed.Rule.LAST_HAND,
        ]
        choice = str(play.dice.choice([*words, *game.state.letters]))
        totals = None
        if game.accepts_totals and play.dice.happens_with_probability(0.5):
            totals = {side: play.dice.randint(0, 60) for side in game.state.letters}
        called.append(TimeCall(game.state.card, game.snapshot, totals, choice))
    label = ", ".join(
        f"{describe_card_for_log(game.state)} {one.choice}" for game, one in zip(games, called, strict=True)
    )
    return RehearsalAction(label, partial(call_time, play.event, called, by=play.director, reason=play.choose_reason()))


@register_side_action("left-in-the-middle", weight=1.5)
@act_on_random_item(lambda play: play.state.open_cards)
def _propose_player_left(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    side = play.dice.choice(state.letters)
    act = partial(
        close_abandoned_game,
        state.card,
        side,
        gives_up=play.dice.happens_with_probability(0.5),
        by=play.choose_staff_actor(),
        reason=play.choose_reason(),
    )
    return RehearsalAction(f"{describe_card_for_log(state)}: {side}", act)


@register_side_action("take-back-closing", weight=2)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.closing is not None])
def _propose_reopen_game(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    override = "looked at" if play.dice.happens_with_probability(0.7) else ""
    act = partial(reopen_game, state.card, by=play.director, reason=play.choose_reason(), override=override)
    return RehearsalAction(describe_card_for_log(state), act)
