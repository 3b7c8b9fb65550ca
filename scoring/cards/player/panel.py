"""The part of a card's page that is the same for every player at the card, at any time."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.template.loader import render_to_string

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.tables.closed import ClosedWords, closed_words
from scoring.card_state.tables.sheet import running_of, sheet_of, signatures_of
from scoring.card_state.tables.substitutes import plays_on_words
from scoring.card_state.tables.words import line_in_words
from scoring.cards.selectors.keepers import Keeping, load_keeping
from scoring.cards.selectors.policies import announces_now, last_announced
from scoring.cards.selectors.shown_cards import MatchCards
from scoring.correction_period.selectors import load_clock
from scoring.disputes.selectors.disputes import DisputeState
from scoring.disputes.selectors.of_card import load_card_disputes
from scoring.models import Card, DirectorCall, TotalsAnnounced
from scoring.posting.selectors.statements import load_statement
from scoring.posting.tables.statements import StatementSaid, said_of
from scoring.rules.evidence.clocks import Clock


@dataclass(frozen=True)
class Panel:
    """The template's context, under its names.

    `written` is rendered HTML. `announces` says whether the scorekeeper has to announce the totals at this point.
    """

    games: list[CardState]
    last_in_words: str
    written: str
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


def load_panel(state: CardState, known: MatchCards) -> Panel:
    """Load the panel of a card. `known` has all cards of its match."""
    card, is_there = state.card, partial(known.may_have, state)
    last = state.hands[-1] if state.hands else None
    return Panel(
        games=known.of_sides(card.sides_key),
        last_in_words=line_in_words(state, last.line) if last else "",
        written=_written(state),
        came=plays_on_words(state, None if is_there("substitutes") else ()),
        signatures=signatures_of(state, substitutes=is_there("substitutes")),
        call=_open_call(card) if is_there("open_calls") else None,
        disputes=load_card_disputes(card) if is_there("disputes") else [],
        announces=announces_now(state),
        announced=last_announced(state),
        closed=closed_words(state),
        keeping=load_keeping(state, is_there),
        clock=load_clock(state, disputed=is_there("disputes")),
        said=said_of(load_statement(state, of_match=known.cards, decided=is_there("results"))),
    )


def _written(state: CardState) -> str:
    if not state.lines:
        return ""
    context = {"state": state, "sheet": sheet_of(state), "running": running_of(state)}
    return render_to_string("scoring/cards/player/written.html", context)


def _open_call(card: Card) -> DirectorCall | None:
    return card.match.director_calls.filter(answered__isnull=True).first()
