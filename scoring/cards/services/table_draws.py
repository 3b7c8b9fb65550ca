"""Record and correct the draw before play: who deals first, and who has which seat or role."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from scoring.card_state.permissions import is_desk, require_side
from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.cards.services.drawn import draw_in, drawn_order
from scoring.cards.services.hands import refuse_closed, settle_corrected
from scoring.cards.services.keys import own_key
from scoring.correction_period.services.second_official import Typed, with_second_person
from scoring.correction_period.services.terms import correction_kind
from scoring.models import Card
from tournament.core.permissions import Actor
from tournament.core.services.record import Write, scoped_key, writing
from tournament.errors import Conflict, DomainError


def record_draw(card: Card, said: Sequence[str], *, by: Actor, reason: str = "", key: str = "") -> CardState:
    """Record who drew which place, by the letters of the sides (`Variant.table_draw`).

    The last place may be left out. Every player of the card can record and correct the draw until the first hand. After
    that the desk corrects it with a reason, and signatures of the old draw no longer count.

    Raises:
        DomainError: `bad-draw`, `seats-by-event`, `reason-needed`.
        Conflict: `draw-done`.
        BadLine: the hands on the card are impossible with this draw.
    """
    own = own_key(card, by, scoped_key(key, *said))
    with writing(card.match.event, verb="card.draw", by=by, key=own, reason=reason) as write:
        state = load_card_by_pk(card.pk)
        if write.repeated:
            return state
        require_side(by, card)
        refuse_closed(write, card)
        order = drawn_order(state, said)
        write.about(card, card=card.pk, drawn=list(order), was=list(state.draw.order_on_card))
        if order == state.draw.order_on_card:
            return state
        if not state.entered and not state.signatures.made:
            draw_in(write, state, order)
        else:
            _correct(write, state, order)
    return load_card_by_pk(card.pk)


def correct_draw_in(write: Write, state: CardState, order: Sequence[str]) -> None:
    """Record another draw inside an open write, and settle what follows. The caller has made the checks.

    Raises:
        BadLine, NeedsReason: as for the correction of a hand.
    """
    draw_in(write, state, order)
    settle_corrected(write, state, write.reason)


def _correct(write: Write, state: CardState, order: tuple[str, ...]) -> None:
    if not is_desk(write.by, write.tournament):
        raise Conflict("draw-done", _("Play has started. Ask the desk to correct the draw."))
    if not write.reason.strip():
        raise DomainError("reason-needed", _("Write what was wrong. Every correction needs a reason."))
    kind, said = correction_kind(write, state), state.draw.draw_in_words(order)
    typed = Typed(kind, {"hand": 0, "drawn": list(order), "said": said}, ("drawn",), said)
    with_second_person(write, state, typed, lambda: correct_draw_in(write, state, order))
