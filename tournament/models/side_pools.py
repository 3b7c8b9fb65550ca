"""Extras that entrants can buy, such as a dinner, and side pools with their own fees and prizes."""

from copy import deepcopy
from functools import partial
from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.base import NameField, OrderedFact
from tournament.models.ledger import LedgerLine, PaidOut
from tournament.models.registration import Entrant, Player
from tournament.models.topic import PRIZES_TOPIC, get_entrant_topic
from tournament.models.tournament import DEFAULT_PRIZE_SCALE, Event


class EventExtra(models.Model):
    """Something that entrants can buy. Its price never goes into a prize pool.

    Its name and price are fixed once it has been sold, because ledger lines repeat them.
    """

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="extras")
    name = NameField(max_length=60)
    price_cents = models.PositiveBigIntegerField()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_extra_a_name")]

    def __str__(self) -> str:
        return self.name

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


# --- Side pools ------------------------------------------------------------------------------------------------------
# `tournament.purse.pool` computes their prizes.

MAX_SIDE_POOL_NAME_LENGTH: Final = 60


class SidePool(models.Model):
    """The terms of a side pool, an optional extra competition for prizes.

    Name and fee are fixed once somebody has joined.
    """

    class PlacesBy(models.TextChoices):
        FINISH = "finish", _("The places of the event, among the entrants of the pool")
        DESK = "desk", _("Recorded by the desk, such as the best game")

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="side_pools")
    name = NameField(max_length=MAX_SIDE_POOL_NAME_LENGTH)
    condition = models.CharField(max_length=200, blank=True)
    """A description of the players who may join. If it is empty, everybody may join."""

    fee_cents = models.PositiveBigIntegerField()
    prize_percent = models.CharField(max_length=20, default="100")
    prize_scale = models.JSONField(default=partial(deepcopy, DEFAULT_PRIZE_SCALE))
    places_by = models.CharField(max_length=10, choices=PlacesBy.choices, default=PlacesBy.FINISH)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "name"], name="one_side_pool_a_name")]

    def __str__(self) -> str:
        return self.name

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)


class SidePoolEntry(OrderedFact):
    """An entrant's participation in a side pool. It ends when the ledger line with its fee is reversed."""

    pool = models.ForeignKey(SidePool, on_delete=models.CASCADE, related_name="entries")
    entrant = models.ForeignKey(Entrant, on_delete=models.RESTRICT, related_name="side_pools")
    line = models.OneToOneField(LedgerLine, on_delete=models.CASCADE, related_name="pool_entry")

    def __str__(self) -> str:
        return f"{self.entrant} in {self.pool}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.entrant_id))


class SidePoolResult(OrderedFact):
    """A side pool's ranking as entered by the desk: lists of tied entry numbers, best first.

    The latest result counts.
    """

    pool = models.ForeignKey(SidePool, on_delete=models.CASCADE, related_name="results")
    places = models.JSONField()

    def __str__(self) -> str:
        return f"result of {self.pool}"


class SidePoolPayout(OrderedFact):
    """Records that a payout or its reversal belongs to a side pool instead of the event's prizes."""

    pool = models.ForeignKey(SidePool, on_delete=models.RESTRICT, related_name="payouts")
    paid_out = models.OneToOneField(PaidOut, on_delete=models.CASCADE, related_name="of_pool")

    def __str__(self) -> str:
        return f"{self.paid_out} of {self.pool}"

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC, get_entrant_topic(self.paid_out.entrant_id))


class PayoutSignature(OrderedFact):
    """A player's on-screen signature for a payout or for their share of it. It is kept even if the payout is undone."""

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

    def affected_topics(self) -> tuple[str, ...]:
        return (PRIZES_TOPIC,)
