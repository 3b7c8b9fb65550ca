"""Changes that rulings make to hands of a card, and their undoing. A changed card loses its signatures."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.services.hands import (
    BY_TOTALS,
    LineEntry,
    correct_line_in,
    preview_line,
    refuse_closed,
    settle_if_closed,
    write_line,
)
from scoring.correction_period.selectors import load_clock
from scoring.disputes.selectors.disputes import DisputeState
from scoring.models import SheetLine
from scoring.posting.services.posting import settle_again
from scoring.rules.rulings.recommend import Decided, OnSheet, hand_to_write
from scoring.seals.services.sealing import log_lines
from tournament.core.services.record import Write
from tournament.errors import Conflict

Did = dict[str, Any]


def write_ruled_hand(write: Write, state: DisputeState, decided: Decided, why: str) -> Did:
    """Write the ruled hand inside an open write. Return the change for the ruling's record, or nothing.

    A card that the desk entered by its totals has no hand to change. The desk corrects its totals afterwards.

    Raises:
        BadLine, Conflict: As for a correction at the desk.
    """
    card = state.dispute.card
    if card is None or decided.sheet is OnSheet.NOTHING:
        return {}
    before = load_card_by_pk(card.pk)
    if before.lines and not before.hands:
        return {}
    refuse_closed(write, card)
    hand = state.hand if state.hand is not None and 1 <= state.hand <= len(before.lines) else None
    was = before.lines[hand - 1].line if hand is not None else None
    line = hand_to_write(decided, was, kind=state.kind, board=state.board)
    if line == was:
        return {}
    _refuse_called_late(state, before)
    if hand is None:
        return _added(write, before, line, why)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why) if line is not None else None
    fact = correct_line_in(write, before, hand, entry, override=why)
    return {"did": "struck" if line is None else "corrected", "hand": hand, "was": was, "line": line, "fact": fact.pk}


def _refuse_called_late(state: DisputeState, card: CardState) -> None:
    """Refuse to change a card that was already final when the director was called.

    An earlier call stops the clock of its card.
    """
    clock = load_clock(card)
    if clock is not None and state.dispute.at >= clock.final_at:
        raise Conflict(
            "final",
            _(
                "This score card was final when the director was called. Rule that the hand stays, then have "
                "a director and a second official correct it on the score card’s page."
            ),
        )


def _added(write: Write, before: CardState, line: dict[str, Any] | None, why: str) -> Did:
    if line is None:
        return {}
    if before.score.tally.complete and before.is_by_totals:
        raise Conflict("by-totals", str(BY_TOTALS))
    if before.score.tally.complete:
        raise Conflict("after-end", _("The game is over. Choose the hand that the ruling is about."))
    judged = preview_line(before, line)
    entry = LineEntry(line, via=SheetLine.Via.DESK, override=why)
    fact = write_line(write, before, entry, [doubt.message for doubt in judged.doubts])
    settle_if_closed(write, before)
    return {"did": "added", "hand": len(before.lines) + 1, "was": None, "line": fact.line, "fact": fact.pk}


def take_hand_back(write: Write, state: DisputeState, did: Mapping[str, Any]) -> None:
    """Restore the hand as it was before a ruling, inside an open write.

    A hand that somebody has changed since is left alone.
    """
    if not did or state.dispute.card is None:
        return
    fact = SheetLine.objects.get(pk=did["fact"])
    if SheetLine.objects.filter(supersedes=fact).exists():
        return
    before = load_card_by_pk(state.dispute.card.pk)
    line = SheetLine.objects.create(
        card_id=fact.card_id,
        number=fact.number,
        line=did["was"],
        via=fact.via,
        warnings=[],
        supersedes=fact,
        **write.fact_fields(),
    )
    log_lines(write, line)
    if load_card_by_pk(fact.card_id).is_posted or before.score.is_closed:
        settle_again(write, before.card)
