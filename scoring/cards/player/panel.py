"""What everybody who sits at a card is shown of it, whoever asks and at what time."""

from dataclasses import dataclass
from typing import Any

from scoring.card_state.selectors.cards import CardState, load_match_cards
from scoring.card_state.tables.closed import ClosedWords, closed_words
from scoring.card_state.tables.sheet import running_of, sheet_of, signatures_of
from scoring.card_state.tables.substitutes import plays_on_words
from scoring.card_state.tables.words import line_in_words
from scoring.cards.selectors.keepers import Keeping, load_keeping
from scoring.cards.selectors.policies import announces_now, last_announced
from scoring.correction_period.selectors import load_clock
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.selectors.of_card import load_card_disputes
from scoring.models import DirectorCall, TotalsAnnounced
from scoring.posting.selectors.statements import load_statement
from scoring.posting.tables.statements import StatementSaid, said_of
from scoring.rules.evidence.clocks import Clock


@dataclass(frozen=True)
class Panel:
    """By the names of the template; `announces`: whoever keeps score announces the totals now."""

    games: list[CardState]
    last_in_words: str
    sheet: Any
    running: Any
    came: list[str]
    signatures: Any
    call: DirectorCall | None
    disputes: list[DisputeState]
    announces: bool
    announced: TotalsAnnounced | None
    closed: ClosedWords | None
    keeping: Keeping
    clock: Clock | None
    said: StatementSaid | None


def load_panel(state: CardState) -> Panel:
    card = state.card
    last = state.hands[-1] if state.hands else None
    return Panel(
        games=load_match_cards(card.match_id, card.sides_key, known=state),
        last_in_words=line_in_words(state, last.line) if last else "",
        sheet=sheet_of(state),
        running=running_of(state),
        came=plays_on_words(state),
        signatures=signatures_of(state),
        call=card.match.director_calls.filter(answered__isnull=True).first(),
        disputes=load_card_disputes(card),
        announces=announces_now(state),
        announced=last_announced(state),
        closed=closed_words(state),
        keeping=load_keeping(state),
        clock=load_clock(state),
        said=said_of(load_statement(state)),
    )
