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
def _seat(play: RehearsalContext) -> RehearsalAction | None:
    rounds = load_event_stages(play.event).rounds
    if rounds is None or load_seating_preview(play.event) is not None or rounds.ready:
        return None
    if len(rounds.rounds) >= rounds.terms.rounds:
        return None
    return RehearsalAction(f"round {len(rounds.rounds) + 1}", partial(seat_next_round, play.event, by=play.director))


@register_main_action("begin-round", turn=3)
def _begin(play: RehearsalContext) -> RehearsalAction | None:
    begin = RehearsalAction(play.event.name, partial(begin_round, play.event, by=play.director))
    return begin if load_seating_preview(play.event) is not None else None


@register_main_action("take-back-unfit-seating", turn=5)
def _unfit_back(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to undo the seating, because a seated entrant has left."""
    if load_seating_preview(play.event) is None:
        return None
    return RehearsalAction(
        play.event.name, partial(take_back_seating, play.event, by=play.director, reason="somebody left")
    )


@register_main_action("fewer-rounds", turn=6)
def _fewer_rounds(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to reduce the number of rounds, because too few entrants are left for another one."""
    rounds = load_event_stages(play.event).rounds
    if rounds is None or rounds.ready or len(rounds.rounds) >= rounds.terms.rounds:
        return None
    most = max(1, len(rounds.rounds))
    return RehearsalAction(
        str(most), partial(change_round_count, play.event, most, by=play.director, reason="too few are left")
    )


@register_side_action("take-back-seating")
def _seating_back(play: RehearsalContext) -> RehearsalAction | None:
    if load_event_stages(play.event).rounds is None:
        return None
    return RehearsalAction(
        play.event.name, partial(take_back_seating, play.event, by=play.director, reason=play.reason())
    )


@register_side_action("totals-without-card", weight=2)
def _type_totals(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to enter the totals of a table that is still playing or has finished."""
    found = _a_table(play)
    return _typing(play, found, override=False) if found is not None else None


def _typing(play: RehearsalContext, table: tuple[Match, tuple[int, ...]], *, override: bool) -> RehearsalAction:
    match, entries = table
    here = play.dice.some_of(list(entries), len(entries))
    totals = {number: play.dice.randint(-20, 150) for number in here}
    typed = partial(record_table_result, match, totals, by=play.staff(), reason=play.reason(), override=override)
    return RehearsalAction(f"{match.ident}: {totals}", typed)


@register_main_action("totals-after-all", turn=10)
def _type_totals_after_all(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to enter totals for a table if every table was closed without totals."""
    placings = load_final_placings(play.event)
    if placings is None or placings.finish:
        return None
    found = _a_table(play)
    left = {entrant.number for entrant in play.state.in_state(Entrant.State.IN)}
    return _typing(play, found, override=True) if found is not None and left.intersection(found[1]) else None


@register_side_action("close-table")
def find_table_to_close(play: RehearsalContext) -> RehearsalAction | None:
    found = _a_table(play)
    return None if found is None else _close(play, found[0])


@register_main_action("close-idle-table", turn=4)
def _close_idle(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to close a table with too few players."""
    rounds = load_event_stages(play.event).rounds
    ready = rounds.ready if rounds is not None else ()
    if not ready:
        return None
    return _close(play, _match(play, play.dice.choice(ready).match))


def _close(play: RehearsalContext, match: Match) -> RehearsalAction:
    """Return the action that closes a table.

    The action overrides any result that the table's signed cards have already produced.
    """
    cause = play.dice.choice(sorted(TABLE_CLOSING_CAUSES))
    closing = partial(record_table_result, match, {}, cause, by=play.staff(), reason=play.reason(), override=True)
    return RehearsalAction(f"{match.ident}: {cause.value}", closing)


def _a_table(play: RehearsalContext) -> tuple[Match, tuple[int, ...]] | None:
    rounds = load_event_stages(play.event).rounds
    tables = [table for each in rounds.rounds for table in each.tables] if rounds is not None else []
    table = play.dice.one_of(tables)
    return None if table is None else (_match(play, table.match), table.entries)


def _match(play: RehearsalContext, ident: str) -> Match:
    return (
        Match.objects.filter(VALID_MATCH_FILTER).select_related("event__tournament").get(event=play.event, ident=ident)
    )


# --- Cards -----------------------------------------------------------------------------------------------------------
# Acts on cards: the cut, the draw, hands on phones and at the desk, paper cards, and corrections.

PHONE_SCORING: Final = "phones"
DESK_SCORING: Final = "desk"
_PAPER: Final = "paper"
_TOTALS: Final = "totals"
_WAYS: Final = (PHONE_SCORING, PHONE_SCORING, PHONE_SCORING, DESK_SCORING, _PAPER, _PAPER, _TOTALS, _TOTALS)


def _way_of(play: RehearsalContext, state: CardState) -> str:
    return play.way_of(state, _WAYS)


def is_awaiting_confirmation(play: RehearsalContext, state: CardState) -> bool:
    """Return whether a staff member's entry on this card is waiting for a second person to confirm it."""
    return any(entry.card_id == state.card.pk for entry in play.state.entries_to_confirm)


def _open(play: RehearsalContext, *ways: str) -> list[CardState]:
    """Return the cards in play whose scores are recorded in one of these ways, such as by phone or on paper."""
    found = [
        state
        for state in play.state.open_cards
        if state.score.takes_hands and not is_awaiting_confirmation(play, state)
    ]
    return [s for s in found if not s.draw.needs_draw and _way_of(play, s) in ways and len(s.seats) > 1]


def find_scorekeeper_on_card(state: CardState) -> Entrant | None:
    return next((who for who in state.card.entrants if who.pk == state.keeper_id), None)


def _asking(play: RehearsalContext) -> list[CardState]:
    asking = [state for state in play.state.open_cards if state.draw.asks_draw and state.is_game and not state.entered]
    return [state for state in asking if not state.draw.table_draw.keeps_score]


@register_main_action("table-draw")
@act_on_random_item(_asking)
def _table_draw(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to record a random table draw, as a player or as staff."""
    order = play.dice.mixed(sorted(state.letters))[: len(state.draw.table_draw.places)]
    who = play.dice.one_of(state.card.entrants)
    by = make_player_actor(who) if who is not None and play.dice.chance(0.7) else play.staff()
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {', '.join(order)}", lambda: record_table_draw(state.card, order, by=by)
    )


@register_main_action("cut")
@act_on_random_item(lambda play: [state for state in _open(play, PHONE_SCORING) if state.keeper_id is None])
def _cut(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = play.dice.one_of(state.card.entrants)
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
        one for one in _open(play, PHONE_SCORING, DESK_SCORING) if _way_of(play, one) == DESK_SCORING or one.keeper_id
    ]
)
def _next_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add the next hand, either as the scorekeeper by phone or as staff."""
    line = make_random_line(play.dice, state.sheet)
    if line is None:
        return None
    who, by = find_scorekeeper_on_card(state), play.staff()
    on_phone = who is not None and _way_of(play, state) == PHONE_SCORING
    actor = make_player_actor(who) if who is not None and on_phone else by
    via, hand = SheetLine.Via.PHONE if on_phone else SheetLine.Via.DESK, len(state.lines) + 1
    entry = LineEntry(line, via=via, hand=hand, key=play.dice.token(), override="as played")
    return RehearsalAction(f"{describe_card_for_log(state)} hand {hand}", lambda: add_line(state.card, entry, by=actor))


@register_main_action("paper-card")
@act_on_random_item(lambda play: _open(play, _PAPER, _TOTALS))
def _paper_card(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to enter a complete paper card, with all its hands or only with its totals."""
    paper = _paper(play, state)
    if paper is None:
        play.ways[state.card.pk] = DESK_SCORING
        return None
    by = play.staff()
    return RehearsalAction(
        describe_card_for_log(state), lambda: enter_paper_card(state.card, replace(paper, witness=by.name), by=by)
    )


def _paper(play: RehearsalContext, state: CardState) -> PaperCard | None:
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
    signed = tuple(state.letters) if play.dice.chance(0.85) else ()
    keeper = play.dice.one_of(state.card.entrants)
    common = PaperCard(keeper=keeper, signed=signed, override="as on the paper", key=play.dice.token())
    if _way_of(play, state) == _TOTALS and sheet.variant.points_line(state.letters[0], 1) is not None:
        return replace(common, totals=dict(counted.totals))
    rows = [
        PaperRow(line, dict(row.running) if play.dice.chance(0.8) else {})
        for line, row in zip(whole, counted.lines, strict=True)
    ]
    return replace(common, rows=tuple(rows))


@register_side_action("wrong-hand", weight=0.5)
@act_on_random_item(
    lambda play: [state for state in _open(play, PHONE_SCORING, DESK_SCORING) if state.keeper_id is not None]
)
def _wrong_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add a hand with a mistake, which may be rejected."""
    who, line = find_scorekeeper_on_card(state), make_random_wrong_line(play.dice, state.sheet)
    actor = make_player_actor(who) if who is not None else play.desk
    return RehearsalAction(
        describe_card_for_log(state), lambda: add_line(state.card, LineEntry(line, override="as played"), by=actor)
    )


@register_side_action("hand-by-another", weight=0.3)
@act_on_random_item(lambda play: [state for state in _open(play, PHONE_SCORING) if state.keeper_id is not None])
def _hand_by_another(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    who = play.dice.one_of([who for who in state.card.entrants if who.pk != state.keeper_id])
    line = make_random_line(play.dice, state.sheet)
    if who is None or line is None:
        return None
    return RehearsalAction(
        f"{describe_card_for_log(state)}: {who.name}",
        lambda: add_line(state.card, LineEntry(line), by=make_player_actor(who)),
    )


@register_side_action("correct-hand", weight=3)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.hands and len(state.seats) > 1])
def _correct_hand(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose that the scorekeeper or staff replace or strike out a hand, even on a posted (final) card."""
    hand = play.dice.one_of(state.hand_numbers)
    if hand is None:
        return None
    before = replace(state.sheet, lines=state.sheet.lines[: hand - 1])
    line = make_random_line(play.dice, before) if play.dice.chance(0.8) else None
    who, by = find_scorekeeper_on_card(state), play.staff()
    actor = make_player_actor(who) if who is not None and play.dice.chance(0.4) else by
    via = SheetLine.Via.PHONE if actor.entrant else SheetLine.Via.DESK
    entry = LineEntry(line, via=via, override="looked at") if line is not None else None
    change = ("" if entry else " struck out") + (", posted" if state.is_posted else "")
    label = f"{describe_card_for_log(state)} hand {hand}{change}"
    return RehearsalAction(label, partial(correct_line, state.card, hand, entry, by=actor, reason=play.reason()))


@register_side_action("correct-totals", weight=2)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.is_by_totals])
def _correct_both_totals(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to swap or change a paper card's totals, before or after the card is posted (final)."""
    now, by = state.score.entered_totals, play.staff()
    swapped = dict(zip(now, reversed(now.values()), strict=True))
    low = min(now, key=lambda side: now[side])
    totals = swapped if play.dice.chance(0.7) else now | {low: max(0, now[low] - play.dice.randint(1, 9))}
    seen, reason = state.digest, play.reason()
    label = f"{describe_card_for_log(state)} totals {totals}{', posted' if state.is_posted else ''}"
    act = partial(correct_totals, state.card, totals, seen=seen, by=by, reason=reason, override="looked at")
    return RehearsalAction(label, act)


# --- Closing ---------------------------------------------------------------------------------------------------------
# Acts that close games: time is called, a player leaves in the middle, and closings are taken back.


@register_side_action("call-time", weight=2)
def _time(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to call time on a few games."""
    games = play.dice.some_of(load_open_games(play.event), 3)
    return _call(play, games) if games else None


@register_main_action("decide-called-game", turn=3)
@act_on_random_item(lambda play: [game for game in load_open_games(play.event) if game.state.closing is not None])
def _decide_called(play: RehearsalContext, game: OpenGame) -> RehearsalAction | None:
    """Propose the director's decision about a game that was stopped when time was up."""
    letter = play.dice.choice(game.state.letters)
    called = [TimeCall(game.state.card, game.seen, choice=letter if game.state.is_game else TOTALS_STAND_CHOICE)]
    return RehearsalAction(
        describe_card_for_log(game.state), partial(call_time, play.event, called, by=play.director, reason="who led")
    )


@register_main_action("totals-stand", turn=4)
def _stand(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to close all cards of an event with two sides, because too few players are left."""
    games = load_open_games(play.event) if play.playable.kind.turns else []
    if not games:
        return None
    called = [TimeCall(game.state.card, game.seen, choice=TOTALS_STAND_CHOICE) for game in games]
    return RehearsalAction(
        play.event.name, partial(call_time, play.event, called, by=play.director, reason="too few are left")
    )


def _call(play: RehearsalContext, games: list[OpenGame]) -> RehearsalAction:
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
        if game.accepts_totals and play.dice.chance(0.5):
            totals = {side: play.dice.randint(0, 60) for side in game.state.letters}
        called.append(TimeCall(game.state.card, game.seen, totals, choice))
    label = ", ".join(
        f"{describe_card_for_log(game.state)} {one.choice}" for game, one in zip(games, called, strict=True)
    )
    return RehearsalAction(label, partial(call_time, play.event, called, by=play.director, reason=play.reason()))


@register_side_action("left-in-the-middle", weight=1.5)
@act_on_random_item(lambda play: play.state.open_cards)
def _left(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    side = play.dice.choice(state.letters)
    act = partial(
        close_abandoned_game, state.card, side, gives_up=play.dice.chance(0.5), by=play.staff(), reason=play.reason()
    )
    return RehearsalAction(f"{describe_card_for_log(state)}: {side}", act)


@register_side_action("take-back-closing", weight=2)
@act_on_random_item(lambda play: [state for state in play.state.cards if state.closing is not None])
def _back(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    override = "looked at" if play.dice.chance(0.7) else ""
    act = partial(reopen_game, state.card, by=play.director, reason=play.reason(), override=override)
    return RehearsalAction(describe_card_for_log(state), act)
