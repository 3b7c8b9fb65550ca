"""Players whose prizes in the whole tournament reach the amount for which a tax form is due."""

from collections.abc import Iterator
from dataclasses import dataclass

from tournament.models import Event, Player, Tournament
from tournament.money.selectors.awards import AwardRow
from tournament.money.selectors.prizes import load_prizes
from tournament.money.selectors.shares import NOBODY, load_sharing


@dataclass(frozen=True, slots=True)
class TaxRow:
    """A player's winnings in all events of the tournament, and what was paid and withheld of them, in cents."""

    player: Player
    won_cents: int
    paid_cents: int
    withheld_cents: int = 0

    @property
    def cents(self) -> int:
        """Return the larger amount of won and paid, so that the address is asked for before the prize is paid."""
        return max(self.won_cents, self.paid_cents)


def load_tax_rows(tournament: Tournament) -> tuple[TaxRow, ...]:
    """Return the players who reach the tax-form amount, by family name, or nobody if no amount is set."""
    if tournament.tax_form_cents is None:
        return ()
    won: dict[int, int] = {}
    paid: dict[int, int] = {}
    withheld: dict[int, int] = {}
    for event in tournament.events.order_by("pk"):
        for player, won_cents, paid_cents, withheld_cents in _shares(event):
            won[player] = won.get(player, 0) + won_cents
            paid[player] = paid.get(player, 0) + paid_cents
            withheld[player] = withheld.get(player, 0) + withheld_cents
    players = Player.objects.filter(pk__in=won).order_by("sort_key", "pk")
    rows = (TaxRow(player, won[player.pk], paid[player.pk], withheld[player.pk]) for player in players)
    return tuple(row for row in rows if row.cents >= tournament.tax_form_cents)


def _shares(event: Event) -> Iterator[tuple[int, int, int, int]]:
    """Yield each player with the cents won, paid and withheld. A partial payment to a pair is split like the prize."""
    if event.state not in (Event.State.IN_PLAY, Event.State.FINISHED):
        return
    rows: tuple[AwardRow, ...] = load_prizes(event).rows
    sharing = load_sharing(event, [row.number for row in rows])
    for row in rows:
        own = sharing.get(row.number, NOBODY)
        if own.players:
            for won, paid in zip(own.of(row.cents), own.of(row.paid_cents, row.withheld_cents), strict=True):
                yield won.player, won.cents, paid.cents, paid.withheld_cents
