"""Random actions in events with stages: pairing, late entries, and opening or undoing a stage."""

from functools import partial
from typing import Any

from pairing.desk.selectors.desk import load_pairing_desk
from pairing.desk.services.pairings import end_hold, give_bye, hold_entrant, penalize_entrant
from pairing.desk.services.sending import DeskPreview, send_manual_pair, send_previewed_pairs, undo_last_pairings
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.draws.stages.pools import Pool, find_ties_needing_lots
from pairing.models import Pairing
from pairing.results.services.late_entries import join_stage, take_over_bye
from pairing.stages.selectors.course import load_drawn_entries
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.services.stages import make_play_off_round, open_next_stage, record_drawn_lots, take_back_stage
from scoring.card_state.selectors.rotation import (
    CouplesWorksheet,
    WhistEventState,
    WhistGameTable,
    load_couples_worksheet,
    load_whist_event_state,
)
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE, CardState
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper, sign_with_strokes
from scoring.rehearsal.selectors.hands import make_random_couples_result
from scoring.rehearsal.services.acts.at_tables import is_awaiting_confirmation
from scoring.rehearsal.services.acts.entering import list_present_entrants, make_random_entry
from scoring.rehearsal.services.demo import make_random_signature_strokes
from scoring.rehearsal.services.play import (
    RehearsalAction,
    RehearsalContext,
    act_on_random_item,
    register_main_action,
    register_side_action,
)
from scoring.rules.variants.court_whist import FACE_CARD_COUNT, HANDS_PER_GAME, TRICKS_PER_HAND, WHIST_GAMES
from scoring.scorekeeping.services import (
    RoundReport,
    WhistTableReport,
    correct_round,
    enter_whist_table_game,
    post_cards_signed_on_paper,
    post_round,
    seat_current_round,
    start_next_whist_game,
)
from tournament.core.permissions import make_player_actor
from tournament.models import Entrant
from tournament.registration.services.entries import add_entry


def _find_current_pool(play: RehearsalContext) -> Pool | None:
    return play.state.course.pool if play.state.course is not None else None


@register_main_action("send-pairs", turn=1)
def _propose_send_pairs(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to send all suggested pairs to their tables in a single action."""
    if play.state.course is None:
        return None
    desk = load_pairing_desk(play.event)
    if desk is None:
        return None
    pairs = tuple(one.pair_and_table for one in desk.next_pairs if one.table is not None or desk.pairs_in_rounds)
    if not pairs and desk.bye is None:
        return None
    calls = tuple((game.ident, table) for game, table in desk.next_calls)
    shown = DeskPreview(at=desk.now, pairs=pairs, calls=calls, bye=desk.bye)
    label = ", ".join(f"{one}–{other}" for one, other, _table in shown.pairs)
    return RehearsalAction(
        label,
        partial(send_previewed_pairs, play.event, shown, by=play.desk, key=play.dice.make_key(), reason="it is late"),
    )


@register_main_action("bye-for-the-last", turn=2)
def _propose_bye(play: RehearsalContext) -> RehearsalAction | None:
    """Propose a bye for an entrant who still has a game to play but no possible opponent."""
    pool = _find_current_pool(play)
    pool = pool if pool is not None and not pool.kind.traits.all_meet else None
    ready = (
        [number for number in pool.qualifying.ready_entries if pool.qualifying[number].status.is_in_play]
        if pool
        else []
    )
    number = play.dice.pick_one(ready)
    if number is None or play.state.meetings:
        return None
    return RehearsalAction(
        str(number), partial(give_bye, _get_entrant(play, number), by=play.desk, reason="nobody is left to play")
    )


@register_main_action("end-hold", turn=2)
def _propose_end_hold(play: RehearsalContext) -> RehearsalAction | None:
    desk = load_pairing_desk(play.event) if play.state.course is not None else None
    number = play.dice.pick_one(sorted(desk.held)) if desk is not None else None
    if number is None:
        return None
    return RehearsalAction(str(number), partial(end_hold, _get_entrant(play, number), by=play.desk))


@register_main_action("open-next-stage", turn=3)
def _propose_open_next_stage(play: RehearsalContext) -> RehearsalAction | None:
    course = play.state.course
    if course is None or course.next_plan is None or not course.current_stage.is_complete:
        return None
    cut = play.dice.draw_cut_cards()
    return RehearsalAction(
        cut, partial(open_next_stage, play.event, by=play.director, choices=StageOpeningChoices(cut=cut))
    )


@register_main_action("play-off-round", turn=1)
def _propose_play_off_round(play: RehearsalContext) -> RehearsalAction | None:
    course = play.state.course
    if course is None or not course.current_stage.lacks_matches:
        return None
    return RehearsalAction(course.current_stage.name, partial(make_play_off_round, play.event, by=play.desk))


@register_side_action("take-back-stage")
def _propose_undo_stage(play: RehearsalContext) -> RehearsalAction | None:
    course = play.state.course
    if course is None:
        return None
    return RehearsalAction(
        course.current_stage.name, partial(take_back_stage, play.event, by=play.director, reason=play.choose_reason())
    )


@register_side_action("take-back-pairs")
def _propose_undo_pairs(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to undo the most recently sent pairs in a single action."""
    course = play.state.course
    last = (
        Pairing.objects.filter(stage=course.current_stage.row, taken_back=None).last() if course is not None else None
    )
    if last is None:
        return None
    seen = [state.card.match.ident for state in play.state.cards]
    return RehearsalAction(
        str(last),
        partial(undo_last_pairings, play.event, last.pk, by=play.desk, reason=play.choose_reason(), seen=seen),
    )


@register_side_action("send-by-hand")
def _propose_manual_pair(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to pair two waiting entrants manually, no matter which pairs the program suggests."""
    pool = _find_current_pool(play)
    if pool is None or len(pool.qualifying.ready_entries) < 2:
        return None
    one, other = play.dice.sample(list(pool.qualifying.ready_entries), 2)
    act = partial(send_manual_pair, play.event, (one, other), by=play.desk, reason="as they ask")
    return RehearsalAction(f"{one}–{other}", act)


def _list_entrants_in_stage(play: RehearsalContext) -> list[Entrant]:
    return list_present_entrants(play) if play.state.course is not None else []


@register_side_action("hold", weight=0.5)
@act_on_random_item(_list_entrants_in_stage)
def _propose_hold(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    return RehearsalAction(who.name, partial(hold_entrant, who, by=play.desk, reason="at lunch"))


@register_side_action("penalty-game", weight=0.5)
@act_on_random_item(_list_entrants_in_stage)
def _propose_penalty(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose a penalty for an entrant. It is recorded as the loss of an extra game without an opponent."""
    return RehearsalAction(who.name, partial(penalize_entrant, who, by=play.director, reason="played unmatched"))


@register_side_action("record-lots")
@act_on_random_item(
    lambda play: (
        [sorted(group) for group in find_ties_needing_lots(pool)]
        if (pool := _find_current_pool(play)) is not None
        else []
    )
)
def _propose_lots(play: RehearsalContext, level: list[int]) -> RehearsalAction | None:
    order = play.dice.make_shuffled_list(level)
    return RehearsalAction(
        str(order), partial(record_drawn_lots, play.event, order, by=play.director, reason="cut for it")
    )


@register_side_action("enter-in-play", weight=2)
def _propose_late_entry(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to accept a late entry. Adding it to the stage is a separate action."""
    entry = make_random_entry(play)
    return RehearsalAction(entry.people[0].name, partial(add_entry, play.event, entry, by=play.desk))


def _list_entrants_without_place(play: RehearsalContext) -> list[Entrant]:
    drawn = set(load_drawn_entries(play.event) or ())
    if play.state.course is not None:
        drawn |= set(play.state.course.entries)
    return [who for who in list_present_entrants(play) if who.number not in drawn]


@register_side_action("join-late", weight=3)
@act_on_random_item(_list_entrants_without_place)
def _propose_join_late(play: RehearsalContext, who: Entrant) -> RehearsalAction | None:
    """Propose that a late entry join the current stage, or take the place of a bye in the bracket."""
    if _find_current_pool(play) is not None:
        missed, counts_as = play.dice.randint(0, 1), play.dice.choice(list(MissedGamesPolicy))
        join = partial(join_stage, who, by=play.desk, reason="came late", missed=missed, counts_as=counts_as)
        return RehearsalAction(who.name, join)
    return RehearsalAction(who.name, partial(take_over_bye, who, by=play.desk, reason="came late"))


def _get_entrant(play: RehearsalContext, number: int) -> Entrant:
    return next(who for who in play.state.entrants if who.number == number)


# --- Turning ---------------------------------------------------------------------------------------------------------
# Acts in events with two sides: rounds of couples on one card, and Court Whist with a card for each player.

_GAME_COUNT = len(WHIST_GAMES)


def _load_worksheet(play: RehearsalContext) -> CouplesWorksheet | None:
    traits = load_stage_traits(play.event)
    return load_couples_worksheet(play.event) if traits.one_card and not traits.own_cards else None


def _load_whist_state(play: RehearsalContext) -> WhistEventState | None:
    hall = load_whist_event_state(play.event) if load_stage_traits(play.event).own_cards else None
    return hall if hall is not None and hall.guests else None


@register_main_action("post-round")
def _propose_post_round(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to record the results of all tables in a round.

    Occasionally, one table is recorded as not having played.
    """
    sheet = _load_worksheet(play)
    if (
        sheet is None
        or sheet.state is None
        or not sheet.state.score.accepts_hands
        or is_awaiting_confirmation(play, sheet.state)
    ):
        return None
    if not sheet.couples:
        return None
    report = _make_round_report(play, sheet, sheet.round_number, [one.table for one in sheet.couples])
    return RehearsalAction(
        f"round {sheet.round_number}", partial(post_round, play.event, report, by=play.choose_staff_actor())
    )


def _make_round_report(
    play: RehearsalContext, sheet: CouplesWorksheet, number: int, tables: list[int], **fields: Any
) -> RoundReport:
    assert sheet.state is not None
    left_out = frozenset(tables[:1]) if len(tables) > 1 and play.dice.happens_with_probability(0.05) else frozenset()
    sides = sheet.state.letters
    results = {table: make_random_couples_result(play.dice, sides) for table in tables if table not in left_out}
    return RoundReport(number=number, results=results, not_played=left_out, override="as reported", **fields)


@register_main_action("seat-missing-round", turn=1)
def _propose_seat_round(play: RehearsalContext) -> RehearsalAction | None:
    sheet = _load_worksheet(play)
    if sheet is None or sheet.is_over or sheet.seating is not None:
        return None
    return RehearsalAction(f"round {sheet.round_number}", partial(seat_current_round, play.event, by=play.desk))


@register_side_action("correct-round", weight=4)
def _propose_correct_round(play: RehearsalContext) -> RehearsalAction | None:
    """Propose to correct a round's results, before or after the card is signed."""
    sheet = _load_worksheet(play)
    if sheet is None or sheet.state is None or not sheet.state.lines:
        return None
    line = play.dice.randint(1, len(sheet.state.lines))
    number = sheet.state.lines[line - 1].number
    tables = [one.table for one in sheet.make_tables(sheet.rotating_sides.find_round(number))]
    report = _make_round_report(play, sheet, number, tables, reason=play.choose_reason())
    return RehearsalAction(
        f"round {number}", partial(correct_round, play.event, line, report, by=play.choose_staff_actor())
    )


def _list_cards_to_sign(play: RehearsalContext) -> list[CardState]:
    cards = play.state.cards if play.playable.kind.has_rotating_sides else []
    return [state for state in cards if state.is_complete and state.signatures.missing_names and not state.is_posted]


@register_main_action("sign-for-all", turn=1)
@act_on_random_item(_list_cards_to_sign)
def _propose_signature(play: RehearsalContext, state: CardState) -> RehearsalAction | None:
    """Propose to add a missing signature to the couples' card or to a player's own Court Whist card.

    The couples' card is signed first on behalf of each team, and then by the scorekeeper.
    """
    if not state.signatures.missing_seats:
        shown = SigningContext(state.digest)
        act = partial(sign_on_paper, state.card, SCOREKEEPER_SIDE, play.desk.name, shown, by=play.desk)
        return RehearsalAction(f"{state.card}, the scorekeeper", act)
    seat = play.dice.choice(state.signatures.missing_seats)
    side = Entrant.Side.values[seat.position]
    who = seat.entrant or play.dice.pick_one([who for who in list_present_entrants(play) if who.side == side])
    shown = SigningContext(state.digest, side="" if seat.entrant else seat.side)
    how = play.dice.choice(("drawn", "code", "paper"))
    if who is None or how == "paper":
        act = partial(sign_on_paper, state.card, seat.side, play.desk.name, shown, by=play.desk)
        return RehearsalAction(f"{seat}, paper", act)
    if how == "code":
        return RehearsalAction(
            f"{seat}, code", partial(sign_by_code, state.card, who.sign_code, shown, by=make_player_actor(who))
        )
    strokes = make_random_signature_strokes(play.dice)
    return RehearsalAction(
        f"{seat}, drawn", partial(sign_with_strokes, state.card, strokes, shown, by=make_player_actor(who))
    )


@register_side_action("sign-everybody")
def _propose_sign_everybody(play: RehearsalContext) -> RehearsalAction | None:
    if _load_whist_state(play) is None:
        return None
    return RehearsalAction(
        play.event.name, partial(post_cards_signed_on_paper, play.event, play.desk.name, by=play.desk)
    )


def _list_tables_to_enter(play: RehearsalContext) -> list[WhistGameTable]:
    hall = _load_whist_state(play)
    return [table for table in hall.tables if not table.is_entered] if hall is not None else []


@register_main_action("enter-table")
@act_on_random_item(_list_tables_to_enter)
def _propose_enter_table(play: RehearsalContext, table: WhistGameTable) -> RehearsalAction | None:
    return _make_enter_table_action(play, table, "")


def _list_entered_tables(play: RehearsalContext) -> list[WhistGameTable]:
    hall = _load_whist_state(play)
    tables = (
        [table for one in hall.rotating_sides.rounds for table in hall.make_tables(one)] if hall is not None else []
    )
    return [table for table in tables if table.has_recorded_hands]


@register_side_action("enter-table-again", weight=4)
@act_on_random_item(_list_entered_tables)
def _propose_correct_table(play: RehearsalContext, table: WhistGameTable) -> RehearsalAction | None:
    """Propose to enter different results for a Court Whist table, which corrects all four of its cards."""
    return _make_enter_table_action(play, table, play.choose_reason())


def _make_enter_table_action(play: RehearsalContext, table: WhistGameTable, reason: str) -> RehearsalAction:
    hands = _make_random_whist_hands(play, table)
    report = WhistTableReport(game=table.game, table=table.number, hands=hands, override="as reported", reason=reason)
    return RehearsalAction(
        f"game {table.game} table {table.number}",
        partial(enter_whist_table_game, play.event, report, by=play.choose_staff_actor()),
    )


def _make_random_whist_hands(play: RehearsalContext, table: WhistGameTable) -> dict[int, list[dict[str, Any]]]:
    """Return random hands for a game at one Court Whist table, keyed by the player's number."""
    found: dict[int, list[dict[str, Any]]] = {guest.number: [] for guest in table.players}
    for hand in range(1, HANDS_PER_GAME + 1):
        taken, faces = _make_random_shares(play, table.game), play.dice.randint(0, FACE_CARD_COUNT)
        for place, guest in enumerate(table.players):
            line: dict[str, Any] = {"game": table.game, "hand": hand, "tricks": taken[place]}
            if table.game == 4:
                line["lady_tricks"] = taken[place] // 2
            if table.game == 6:
                line["spoken"] = play.dice.randint(0, 1)
            if table.game == 7:
                line["faces"] = faces if place < 2 else FACE_CARD_COUNT - faces
            found[guest.number].append(line)
    return found


def _make_random_shares(play: RehearsalContext, game: int) -> list[int]:
    if game != 3:
        own = play.dice.randint(0, TRICKS_PER_HAND)
        return [own, own, TRICKS_PER_HAND - own, TRICKS_PER_HAND - own]
    cuts = sorted(play.dice.randint(0, TRICKS_PER_HAND) for _cut in range(3))
    return [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], TRICKS_PER_HAND - cuts[2]]


@register_main_action("move-on", turn=1)
def _propose_next_whist_game(play: RehearsalContext) -> RehearsalAction | None:
    hall = _load_whist_state(play)
    if hall is None or not hall.is_game_entered or hall.current_game.number >= _GAME_COUNT:
        return None
    if min(len(hall.rotating_sides.present_sides.left), len(hall.rotating_sides.present_sides.right)) < 2:
        return None
    cuts = {
        table.number: [play.dice.choice(table.find_best_players(side)).number for side in (0, 1)]
        for table in hall.tables
    }
    return RehearsalAction(
        f"after game {hall.current_game.number}", partial(start_next_whist_game, play.event, cuts, by=play.director)
    )
