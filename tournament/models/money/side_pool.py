"""Side pools of an event: optional, with a fee, entrants and prizes of their own (`tournament.purse.side_pools`)."""

from copy import deepcopy
from functools import partial
from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.entrant import Entrant
from tournament.models.event import USUAL_SCALE, Event
from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import LedgerLine, PaidOut
from tournament.models.names import NameField
from tournament.models.player import Player
from tournament.models.topic import PRIZES, entrant_topic

LONGEST_NAME: Final = 60


class SidePool(models.Model):
    """The terms. Name and fee stay as they are once somebody is in it: the ledger repeats them."""

    class PlacesBy(models.TextChoices):
        """How its places come about."""

        FINISH = "finish", _("The places of the event, among the entrants of the pool")
        DESK = "desk", _("Recorded by the desk, such as the best game")

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="side_pools")
    name = NameField(max_length=LONGEST_NAME)
    condition = models.CharField(max_length=200, blank=True)
    """Who may be in it, in words; empty: everybody."""

    fee_cents = models.PositiveBigIntegerField()
    prize_percent = models.CharField(max_length=20, default="100")
    prize_scale = models.JSONField(default=partial(deepcopy, USUAL_SCALE))
    places_by = models.CharField(max_length=10, choices=PlacesBy.choices, default=PlacesBy.FINISH)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_side_pool_a_name")]

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class SidePoolEntry(OrderedFact):
    """An entry is in the pool since this line charged it; it is out when the line was reversed."""

    pool = models.ForeignKey(SidePool, on_delete=models.CASCADE, related_name="entries")
    entrant = models.ForeignKey(Entrant, on_delete=models.RESTRICT, related_name="side_pools")
    line = models.OneToOneField(LedgerLine, on_delete=models.CASCADE, related_name="pool_entry")

    def __str__(self) -> str:
        return f"{self.entrant} in {self.pool}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.entrant_id))


class SidePoolResult(OrderedFact):
    """Who came where in a pool whose places the desk records: entry numbers that tie, best first. The last counts.

    It concerns everybody: the pages of all who are in it say what they won.
    """

    pool = models.ForeignKey(SidePool, on_delete=models.CASCADE, related_name="results")
    places = models.JSONField()

    def __str__(self) -> str:
        return f"result of {self.pool}"


class SidePoolPayout(OrderedFact):
    """This payout, or its reversal, is of an award of the pool and not of a prize of the event."""

    pool = models.ForeignKey(SidePool, on_delete=models.RESTRICT, related_name="payouts")
    paid_out = models.OneToOneField(PaidOut, on_delete=models.CASCADE, related_name="of_pool")

    def __str__(self) -> str:
        return f"{self.paid_out} of {self.pool}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.paid_out.entrant_id))


class PayoutSignature(OrderedFact):
    """A player signed on screen that they received a payout, or their share of it. It stays when that is undone."""

    paid_out = models.ForeignKey(PaidOut, on_delete=models.CASCADE, related_name="signatures")
    player = models.ForeignKey(Player, on_delete=models.RESTRICT, related_name="+")
    cents = models.PositiveBigIntegerField()
    strokes = models.JSONField()

    class Meta(OrderedFact.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["paid_out", "player"], name="one_signature_a_payout_and_player")
        ]

    def __str__(self) -> str:
        return f"{self.player} signed for {self.cents}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)
