"""Acts on cards: the cut, the draw, hands on phones and at the desk, paper cards, and corrections."""

from dataclasses import replace
from functools import partial
from typing import Final

from scoring.card_state.selectors.cards import CardState
from scoring.cards.services.closing import correct_totals
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_cut, record_draw
from scoring.cards.services.paper_cards import PaperCard, PaperRow, enter_paper
from scoring.management.random_event.core import Doing, aside, forward, one_of
from scoring.management.random_event.hands import a_line, a_wrong_line, all_lines
from scoring.management.random_event.play import Play, about
from scoring.models import SheetLine
from scoring.rules.sheet.sheets import judge_line, tally
from tournament.core.permissions import player
from tournament.models import Entrant

PHONES: Final = "phones"
DESK: Final = "desk"
PAPER: Final = "paper"
TOTALS: Final = "totals"
WAYS: Final = (PHONES, PHONES, PHONES, DESK, PAPER, PAPER, TOTALS, TOTALS)


def way_of(play: Play, state: CardState) -> str:
    return play.way_of(state, WAYS)


def waits(play: Play, state: CardState) -> bool:
    """Whether an entry of the staff on this card waits for a second person."""
    return any(entry.card_id == state.card.pk for entry in play.seen.entries_to_confirm)


def _open(play: Play, *ways: str) -> list[CardState]:
    """Return the cards in play that are kept in one of these ways."""
    found = [state for state in play.seen.open_cards if state.score.takes_hands and not waits(play, state)]
    return [s for s in found if not s.draw.needs_draw and way_of(play, s) in ways and len(s.seats) > 1]


def keeper_of(state: CardState) -> Entrant | None:
    return next((who for who in state.card.entrants if who.pk == state.keeper_id), None)


def _asking(play: Play) -> list[CardState]:
    asking = [state for state in play.seen.open_cards if state.draw.asks_draw and state.is_game and not state.entered]
    return [state for state in asking if not state.draw.table_draw.keeps_score]


@forward("table-draw")
@one_of(_asking)
def table_draw(play: Play, state: CardState) -> Doing | None:
    """Record a random draw at a table, by one of the players or by the desk."""
    order = play.dice.mixed(sorted(state.letters))[: len(state.draw.table_draw.places)]
    who = play.dice.one_of(state.card.entrants)
    by = player(who) if who is not None and play.dice.chance(0.7) else play.staff()
    return Doing(f"{about(state)}: {', '.join(order)}", lambda: record_draw(state.card, order, by=by))


@forward("cut")
@one_of(lambda play: [state for state in _open(play, PHONES) if state.keeper_id is None])
def cut(play: Play, state: CardState) -> Doing | None:
    who = play.dice.one_of(state.card.entrants)
    return Doing(f"{about(state)}: {who.name}", lambda: record_cut(state.card, who, by=player(who))) if who else None


@forward("hand")
@one_of(lambda play: [one for one in _open(play, PHONES, DESK) if way_of(play, one) == DESK or one.keeper_id])
def next_hand(play: Play, state: CardState) -> Doing | None:
    """Add a hand on the scorekeeper's phone or at the desk."""
    line = a_line(play.dice, state.sheet)
    if line is None:
        return None
    who, by = keeper_of(state), play.staff()
    on_phone = who is not None and way_of(play, state) == PHONES
    actor = player(who) if who is not None and on_phone else by
    via, hand = SheetLine.Via.PHONE if on_phone else SheetLine.Via.DESK, len(state.lines) + 1
    entry = LineEntry(line, via=via, hand=hand, key=play.dice.token(), override="as played")
    return Doing(f"{about(state)} hand {hand}", lambda: add_line(state.card, entry, by=actor))


@forward("paper-card")
@one_of(lambda play: _open(play, PAPER, TOTALS))
def paper_card(play: Play, state: CardState) -> Doing | None:
    """Enter a whole paper card in one act, by its hands or by its totals."""
    paper = _paper(play, state)
    if paper is None:
        play.ways[state.card.pk] = DESK
        return None
    by = play.staff()
    return Doing(about(state), lambda: enter_paper(state.card, replace(paper, witness=by.name), by=by))


def _paper(play: Play, state: CardState) -> PaperCard | None:
    """Return a paper card as the players wrote it.

    It has only totals if the card is kept that way and the rule set accepts them.
    """
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
@one_of(lambda play: [state for state in _open(play, PHONES, DESK) if state.keeper_id is not None])
def wrong_hand(play: Play, state: CardState) -> Doing | None:
    """Add a hand with a mistake. It is refused, or it counts and can be corrected later."""
    who, line = keeper_of(state), a_wrong_line(play.dice, state.sheet)
    actor = player(who) if who is not None else play.desk
    return Doing(about(state), lambda: add_line(state.card, LineEntry(line, override="as played"), by=actor))


@aside("hand-by-another", weight=0.3)
@one_of(lambda play: [state for state in _open(play, PHONES) if state.keeper_id is not None])
def hand_by_another(play: Play, state: CardState) -> Doing | None:
    who = play.dice.one_of([who for who in state.card.entrants if who.pk != state.keeper_id])
    line = a_line(play.dice, state.sheet)
    if who is None or line is None:
        return None
    return Doing(f"{about(state)}: {who.name}", lambda: add_line(state.card, LineEntry(line), by=player(who)))


@aside("correct-hand", weight=3)
@one_of(lambda play: [state for state in play.seen.cards if state.hands and len(state.seats) > 1])
def correct_hand(play: Play, state: CardState) -> Doing | None:
    """Replace or strike out a hand, before or after the posting, by the scorekeeper or at the desk."""
    hand = play.dice.one_of(state.hand_numbers)
    if hand is None:
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
@one_of(lambda play: [state for state in play.seen.cards if state.is_by_totals])
def correct_both_totals(play: Play, state: CardState) -> Doing | None:
    """Swap or retype the totals of a paper card, before or after the posting."""
    now, by = state.score.entered_totals, play.staff()
    swapped = dict(zip(now, reversed(now.values()), strict=True))
    low = min(now, key=lambda side: now[side])
    totals = swapped if play.dice.chance(0.7) else now | {low: max(0, now[low] - play.dice.randint(1, 9))}
    seen, reason = state.digest, play.reason()
    said = f"{about(state)} totals {totals}{', posted' if state.is_posted else ''}"
    act = partial(correct_totals, state.card, totals, seen=seen, by=by, reason=reason, override="looked at")
    return Doing(said, act)
