"""Every way in which a card is played out and signed, through the services that the pages use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from scoring.card_state.selectors.cards import load_card_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import LineEntry, add_line, record_cut, record_draw
from scoring.cards.services.paper_cards import PaperCard, PaperRow, confirm_card_entry, enter_paper_card
from scoring.cards.services.signing import SeenCard, sign_by_code, sign_by_drawing, sign_on_paper
from scoring.models import Card, StaffEntry
from scoring.posting.services.correction_period import set_card_terms
from scoring.rules.sheet.card_status import ClockTerms, Second
from scoring.rules.sheet.sheets import judge_line, open_sheet, tally
from tests.devtools.whole_events.lines import line_of, next_line
from tests.factories import a_director, a_user
from tournament.core.permissions import SYSTEM, player, staff
from tournament.models import Entrant

STROKES: Final = [[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]

Signs = Callable[[Card, str], CardState]
"""Play the card to its end with this winner (a letter), and have it signed and posted."""


def drawn(card: Card, winner: str = "A") -> CardState:
    """Everybody signs with a finger on their own phone."""
    return sign_drawn(on_phones(card, winner))


def by_code(card: Card, winner: str = "A") -> CardState:
    return sign_coded(on_phones(card, winner))


def sign_drawn(state: CardState) -> CardState:
    """A card that is played out, signed with a finger by everybody on it."""
    for who in players_of(state):
        shown = SeenCard(state.digest, device=f"{who.name}'s phone")
        state = sign_by_drawing(state.card, STROKES, shown, by=player(who))
    return state


def sign_coded(state: CardState) -> CardState:
    """Sign the same card by their signing codes."""
    for who in players_of(state):
        state = sign_by_code(state.card, who.sign_code, SeenCard(state.digest), by=player(who))
    return state


def one_phone(card: Card, winner: str = "A") -> CardState:
    """The scorekeeper signs by drawing and passes the phone over; the others type their codes on it."""
    state = on_phones(card, winner)
    first, *rest = players_of(state)
    shown = SeenCard(state.digest, device="the scorekeeper's phone")
    state = sign_by_drawing(card, STROKES, shown, by=player(first))
    for who in rest:
        state = sign_by_code(card, who.sign_code, shown, by=player(who))
    return state


def tablet(card: Card, winner: str = "A") -> CardState:
    """The tablet of the table: each draws on the same device."""
    state = on_phones(card, winner)
    for who in players_of(state):
        state = sign_by_drawing(card, STROKES, SeenCard(state.digest, device="tablet of the table"), by=player(who))
    return state


def on_paper(card: Card, winner: str = "A") -> CardState:
    """Played on phones, signed on the printed card: the desk has it in its hand."""
    state = on_phones(card, winner)
    for side in state.letters:
        state = sign_on_paper(card, side, "Mary at the desk", SeenCard(state.digest), by=SYSTEM)
    return state


def paper_entered(card: Card, winner: str = "A") -> CardState:
    """The whole card comes on paper, with all signatures."""
    return enter_paper_card(card, paper_card(card, winner), by=SYSTEM)


def one_missing(card: Card, winner: str = "A") -> CardState:
    """A signature is missing on the paper; the player comes back to the desk and signs."""
    paper = paper_card(card, winner)
    *signed, last = paper.signed
    state = enter_paper_card(
        card, PaperCard(rows=paper.rows, keeper=paper.keeper, signed=tuple(signed), **SEEN), by=SYSTEM
    )
    return sign_on_paper(card, last, "the director, at the desk", SeenCard(state.digest), by=SYSTEM)


def second_official(card: Card, winner: str = "A") -> CardState:
    """The event asks for a second person: one of the desk types the card, another confirms it."""
    event = card.match.event
    director = a_director(event.tournament)
    set_card_terms(event, ClockTerms(second=Second.APPROVAL), by=director)
    enter_paper_card(card, paper_card(card, winner), by=staff(a_user("desk", event.tournament)))
    entry = StaffEntry.objects.get(card=card)
    state = confirm_card_entry(entry, by=director)
    set_card_terms(event, ClockTerms(), by=director)
    return state


WAYS: Final[Mapping[str, Signs]] = {
    way.__name__: way
    for way in (drawn, by_code, one_phone, tablet, on_paper, paper_entered, one_missing, second_official)
}
SEEN: Final[dict[str, Any]] = {"witness": "Mary at the desk", "override": "as it is on the paper"}


def on_phones(card: Card, winner: str = "A") -> CardState:
    """The cut, then hand after hand by who keeps score, until the game is over."""
    state = load_card_by_pk(card.pk)
    keeper = players_of(state)[0]
    if state.draw.needs_draw:
        state = record_draw(card, state.letters, by=SYSTEM)
    if state.keeper_id is None:
        state = record_cut(card, keeper, by=SYSTEM)
    while not state.is_complete:
        state = add_line(card, LineEntry(next_line(state, winner), override="as played"), by=player(keeper))
    return state


def paper_card(card: Card, winner: str = "A") -> PaperCard:
    """What the desk types from a paper that was kept hand by hand."""
    state = load_card_by_pk(card.pk)
    sheet, rows = open_sheet(state.rules, state.letters), []
    while not tally(sheet).complete:
        line = line_of(state.rules, state.letters, len(rows), winner)
        sheet = judge_line(sheet, line).sheet
        rows.append(PaperRow(line, {}))
    drawn = state.letters if state.draw.needs_draw else ()
    return PaperCard(rows=tuple(rows), keeper=players_of(state)[0], signed=state.letters, drawn=drawn, **SEEN)


def players_of(state: CardState) -> list[Entrant]:
    """Who sits on it for themselves, in the order of the seats."""
    return [seat.entrant for seat in state.seats if seat.entrant is not None]
