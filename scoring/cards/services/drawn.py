"""Record the draw at a table, inside an open write, and refuse hands that need a draw first."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from scoring.card_state.permissions import require_side
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.models import Cut
from scoring.rules.variants.variant import read_drawn
from scoring.seals.services.sealing import log_cut
from tournament.core.services.record import Write
from tournament.errors import Conflict, DomainError
from tournament.models import Entrant


def drawn_order(state: CardState, said: Sequence[object]) -> tuple[str, ...]:
    """Return the letters of the sides by the places of the rules.

    Raises:
        DomainError: `bad-draw`, or `seats-by-event` if the seats come from the event's draw.
    """
    if not state.draw.draws_at_table and state.draw.table_draw.places:
        raise DomainError(
            "seats-by-event",
            _("The seats of this event come from its draw. The director can change that on the rule sheet."),
        )
    return read_drawn(state.draw.table_draw, sorted(state.letters), said)


def draw_in(write: Write, state: CardState, order: Sequence[str]) -> None:
    """Record who drew which place. If the low card keeps score, record it as the cut."""
    if state.draw.table_draw.keeps_score:
        seat = state.seat_at(order[0])
        if seat is None or seat.entrant is None:
            raise DomainError("not-a-player", _("Only a player on this score card can keep score. Choose one of them."))
        keep_score(write, state, seat.entrant)
        return
    _write(write, state, order=list(order))
    write.about(state.card, drawn=list(order))


def keep_score(write: Write, state: CardState, keeper: Entrant) -> None:
    if state.keeper_id != keeper.pk:
        _write(write, state, keeper=keeper)
    write.about(state.card, keeper=keeper.number)


def take_draw(write: Write, state: CardState, said: Sequence[str]) -> CardState:
    """Record the draw that came with a hand, from a phone that had no network during the draw.

    The player who enters the hand keeps score if nobody does yet.

    Raises:
        DomainError: `bad-draw`.
        Conflict: `draw-differs`: the card has another draw in the meantime.
    """
    if not said:
        return state
    require_side(write.by, state.card)
    order = drawn_order(state, said)
    if not state.draw.asks_draw:
        _refuse_other(state, order)
    elif not state.lines:
        draw_in(write, state, order)
    after = load_card_by_pk(state.card.pk)
    if after.keeper is None and write.by.entrant is not None:
        keep_score(write, after, write.by.entrant)
    return load_card_by_pk(state.card.pk)


def refuse_undrawn(state: CardState) -> None:
    """Refuse a hand (Conflict) as long as the roles of the first hand are not known (three-handed gin)."""
    if state.draw.needs_draw:
        raise Conflict(
            "no-draw", _("%(words)s Record who drew which card first.") % {"words": state.draw.table_draw.words}
        )


def _refuse_other(state: CardState, order: tuple[str, ...]) -> None:
    known = state.draw.order_on_card
    if known != order:
        said = state.draw.draw_in_words(known)
        raise Conflict(
            "draw-differs",
            _("The score card has another draw: %(said)s. Look at it, then enter the hand.") % {"said": said},
        )


def _write(write: Write, state: CardState, *, keeper: Entrant | None = None, order: Sequence[str] = ()) -> None:
    log_cut(write, Cut.objects.create(card=state.card, keeper=keeper, order=list(order), **write.fact_fields()))
    write.about(state.card, card=state.card.pk)
