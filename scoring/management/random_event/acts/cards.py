"""What is written on cards: the cut, up cards, hands on phones and at the desk, paper cards, corrections."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from scoring.card_state.selectors.cards import CardState
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_cut
from scoring.cards.services.table_draws import record_draw
from scoring.cards.services.totals import correct_totals
from scoring.desk_entry.services.paper_cards import PaperCard, PaperRow, enter_paper
from scoring.management.random_event.core import Doing, aside, forward
from scoring.management.random_event.hands import a_line, a_wrong_line, all_lines
from scoring.management.random_event.play import Play, about
from scoring.models import SheetLine
from scoring.rules.sheet.sheets import judge_line, tally
from tournament.core.permissions import Actor, player
from tournament.models import Entrant

PHONES: Final = "phones"
DESK: Final = "desk"
PAPER: Final = "paper"
TOTALS: Final = "totals"
WAYS: Final = (PHONES, PHONES, PHONES, DESK, PAPER, PAPER, TOTALS, TOTALS)


def way_of(play: Play, state: CardState) -> str:
    """How that card is kept."""
    return play.way_of(state, WAYS)


def waits(play: Play, state: CardState) -> bool:
    """Whether something that one of the staff typed on that card waits for a second person."""
    return any(entry.card_id == state.card.pk for entry in play.seen.entries_to_confirm)


def _open(play: Play, *ways: str) -> list[CardState]:
    """Cards on which play goes on, kept in one of these ways."""
    found = [state for state in play.seen.open_cards if state.score.takes_hands and not waits(play, state)]
    found = [state for state in found if not state.draw.needs_draw]
    return [state for state in found if way_of(play, state) in ways and len(state.seats) > 1]


def keeper_of(state: CardState) -> Entrant | None:
    return next((who for who in state.card.entrants if who.pk == state.keeper_id), None)


@forward("table-draw")
def table_draw(play: Play) -> Doing | None:
    """What a table draws for before play, as the cards happen to fall; said by one of the players, or the desk."""
    asking = [state for state in play.seen.open_cards if state.draw.asks_draw and state.is_game and not state.entered]
    state = play.pick([state for state in asking if not state.draw.table_draw.keeps_score], lambda state: True)
    if state is None:
        return None
    order = play.dice.mixed(sorted(state.letters))[: len(state.draw.table_draw.places)]
    who = play.dice.one_of(state.card.entrants)
    by = player(who) if who is not None and play.dice.chance(0.7) else play.staff()
    return Doing(f"{about(state)}: {', '.join(order)}", lambda: record_draw(state.card, order, by=by))


@forward("cut")
def cut(play: Play) -> Doing | None:
    state = play.pick(_open(play, PHONES), lambda state: state.keeper_id is None)
    who = play.dice.one_of(state.card.entrants) if state is not None else None
    if state is None or who is None:
        return None
    return Doing(f"{about(state)}: {who.name}", lambda: record_cut(state.card, who, by=player(who)))


@forward("hand")
def next_hand(play: Play) -> Doing | None:
    """By the scorekeeper's phone, or typed at the desk."""
    state = play.pick(
        _open(play, PHONES, DESK), lambda state: way_of(play, state) == DESK or state.keeper_id is not None
    )
    return _next_hand(play, state) if state is not None else None


def _next_hand(play: Play, state: CardState) -> Doing | None:
    line = a_line(play.dice, state.sheet)
    if line is None:
        return None
    who, by = keeper_of(state), play.staff()
    on_phone = who is not None and way_of(play, state) == PHONES
    actor: Actor = player(who) if who is not None and on_phone else by
    via = SheetLine.Via.PHONE if on_phone else SheetLine.Via.DESK
    hand = len(state.lines) + 1
    entry = LineEntry(line, via=via, hand=hand, key=play.dice.token(), override="as played")
    return Doing(f"{about(state)} hand {hand}", lambda: add_line(state.card, entry, by=actor))


@forward("paper-card")
def paper_card(play: Play) -> Doing | None:
    """The whole card in one act: every hand, or the totals alone."""
    state = play.pick(_open(play, PAPER, TOTALS), lambda state: True)
    if state is None:
        return None
    paper = _paper(play, state)
    if paper is None:
        play.ways[state.card.pk] = DESK
        return None
    by = play.staff()
    return Doing(about(state), lambda: enter_paper(state.card, replace(paper, witness=by.name), by=by))


def _paper(play: Play, state: CardState) -> PaperCard | None:
    """As the players have it; totals where the rule set can take them, and they are of a game that can end so."""
    written = state.sheet if state.hands else replace(state.sheet, lines=())
    lines = all_lines(play.dice, written)
    if not lines:
        return None
    whole = [*(fact.line or {} for fact in state.hands), *lines]
    sheet = replace(state.sheet, lines=())
    for line in whole:
        sheet = judge_line(sheet, line).sheet
    counted = tally(sheet)
    signed = tuple(state.letters) if play.dice.chance(0.85) else ()
    keeper = play.dice.one_of(state.card.entrants)
    common = PaperCard(keeper=keeper, signed=signed, override="as on the paper", key=play.dice.token())
    if way_of(play, state) == TOTALS and sheet.variant.points_line(state.letters[0], 1) is not None:
        return replace(common, totals=dict(counted.totals))
    rows = [
        PaperRow(line, dict(row.running) if play.dice.chance(0.8) else {})
        for line, row in zip(whole, counted.lines, strict=True)
    ]
    return replace(common, rows=tuple(rows))


@aside("wrong-hand", weight=0.5)
def wrong_hand(play: Play) -> Doing | None:
    """Something is typed wrongly: it is refused, or it stands and may be corrected."""
    state = play.pick(_open(play, PHONES, DESK), lambda state: state.keeper_id is not None)
    if state is None:
        return None
    who, line = keeper_of(state), a_wrong_line(play.dice, state.sheet)
    actor = player(who) if who is not None else play.desk
    return Doing(about(state), lambda: add_line(state.card, LineEntry(line, override="as played"), by=actor))


@aside("hand-by-another", weight=0.3)
def hand_by_another(play: Play) -> Doing | None:
    """Who does not keep score types a hand."""
    state = play.pick(_open(play, PHONES), lambda state: state.keeper_id is not None)
    who = play.dice.one_of([w for w in state.card.entrants if w.pk != state.keeper_id]) if state is not None else None
    line = a_line(play.dice, state.sheet) if state is not None else None
    if state is None or who is None or line is None:
        return None
    return Doing(f"{about(state)}: {who.name}", lambda: add_line(state.card, LineEntry(line), by=player(who)))


@aside("correct-hand", weight=3)
def correct_hand(play: Play) -> Doing | None:
    """Another hand in its place, or none, before or after the card is posted; by the scorekeeper or at the desk."""
    cards = [state for state in play.seen.cards if state.hands and len(state.seats) > 1]
    state = play.dice.one_of(cards)
    hand = play.dice.one_of(state.hand_numbers) if state is not None else None
    if state is None or hand is None:
        return None
    before = replace(state.sheet, lines=state.sheet.lines[: hand - 1])
    line = a_line(play.dice, before) if play.dice.chance(0.8) else None
    who, by = keeper_of(state), play.staff()
    actor = player(who) if who is not None and play.dice.chance(0.4) else by
    via = SheetLine.Via.PHONE if actor.entrant else SheetLine.Via.DESK
    entry = LineEntry(line, via=via, override="looked at") if line is not None else None
    said = f"{about(state)} hand {hand}{'' if entry else ' struck out'}{', posted' if state.is_posted else ''}"
    return Doing(said, partial(correct_line, state.card, hand, entry, by=actor, reason=play.reason()))


@aside("correct-totals", weight=2)
def correct_both_totals(play: Play) -> Doing | None:
    """The totals of a paper card, swapped or typed anew, before or after it is posted."""
    state = play.dice.one_of([state for state in play.seen.cards if state.is_by_totals])
    if state is None:
        return None
    now, by = state.score.entered_totals, play.staff()
    swapped = dict(zip(now, reversed(now.values()), strict=True))
    low = min(now, key=lambda side: now[side])
    totals = swapped if play.dice.chance(0.7) else now | {low: max(0, now[low] - play.dice.randint(1, 9))}
    seen, reason = state.digest, play.reason()
    said = f"{about(state)} totals {totals}{', posted' if state.is_posted else ''}"
    act = partial(correct_totals, state.card, totals, seen=seen, by=by, reason=reason, override="looked at")
    return Doing(said, act)
