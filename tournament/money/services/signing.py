"""Signatures of players on screen for a payout, or for their share of it."""

from typing import Any

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import scoped_key, writing
from tournament.core.services.strokes import read_strokes
from tournament.errors import Conflict, DomainError
from tournament.models import PaidOut, PayoutSignature
from tournament.money.selectors.shares import shares_of


def sign_payout(paid: PaidOut, player: int, strokes: Any, *, by: Actor, key: str = "") -> PayoutSignature:
    """Store the signature of one player of the entry, taken on the screen of the staff member `by`.

    The signature stays on record if the payout is undone. An undone payout cannot be signed for.

    Raises:
        DomainError: `no-signature`, `not-a-player`.
        Conflict: `undone-already`, `signed-already`.
    """
    event = paid.event
    require(by, "desk", event.tournament)
    drawn = read_strokes(strokes, _("There is no signature yet. Sign on the line."))
    key = scoped_key(key, paid.pk, player, strokes)
    with writing(event, verb="prize.signed", by=by, key=key) as write:
        if write.repeated:
            return PayoutSignature.objects.get(pk=write.outcome["signature"])
        if paid.reverses_id is not None or PaidOut.objects.filter(reverses=paid).exists():
            raise Conflict("undone-already", _("This payout was undone. Open the prizes page again."))
        share = next((one for one in shares_of(paid) if one.player == player), None)
        if share is None:
            raise DomainError("not-a-player", _("Only a player of this entry can sign for its prize."))
        if PayoutSignature.objects.filter(paid_out=paid, player_id=player).exists():
            said = _("%(name)s has signed for this payout. Nothing was changed.") % {"name": share.name}
            raise Conflict("signed-already", said)
        row = PayoutSignature.objects.create(
            paid_out=paid, player_id=player, cents=share.handed_cents, strokes=drawn, **write.fact_fields()
        )
        write.keep("payout_signatures", row)
        write.about(paid.entrant, paid=paid.pk, signature=row.pk, player=player, cents=share.handed_cents)
        return row
