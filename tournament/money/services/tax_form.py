"""Settings of the tax form: the amount from which players are listed, and their addresses."""

from typing import Any, Final

from django.utils.translation import gettext as _

from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import DomainError
from tournament.models import Player, Tournament

LONGEST_ADDRESS: Final = 500


def set_tax_amount(tournament: Tournament, cents: int | None, *, by: Actor) -> Tournament:
    """Set the amount from which players are listed. None lists nobody.

    Raises:
        DomainError: `bad-value`.
    """
    require(by, "direct", tournament)
    if cents is not None and cents < 1:
        said = _("Enter an amount above zero, or leave it empty to list nobody.")
        raise DomainError("bad-value", said, field="cents")
    with writing(tournament, verb="money.tax-amount", by=by) as write:
        _save(write.tournament, tax_form_cents=cents)
        write.about(tournament, cents=cents)
        return write.tournament


def set_address(tournament: Tournament, player: Player, address: str, *, by: Actor) -> Player:
    """Record a player's address. The log records that it changed, but not the address itself.

    Raises:
        DomainError: `bad-value`.
    """
    require(by, "direct", tournament)
    lines = [" ".join(line.split()) for line in address.splitlines()]
    said = "\n".join(line for line in lines if line)
    if len(said) > LONGEST_ADDRESS:
        words = _("The address is too long. Shorten it to %(most)s letters.") % {"most": LONGEST_ADDRESS}
        raise DomainError("bad-value", words, field="address")
    with writing(tournament, verb="player.address", by=by) as write:
        locked = Player.objects.get(pk=player.pk)
        _save(locked, address=said)
        write.about(locked, player=locked.pk)
        return locked


def _save(row: Tournament | Player, **columns: Any) -> None:
    for name, value in columns.items():
        setattr(row, name, value)
    row.save(update_fields=list(columns))
