"""Taxes withheld from a payout. The player receives the rest."""

from django.db import models

from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import PaidOut
from tournament.models.topic import PRIZES, entrant_topic


class Withholding(OrderedFact):
    """The amount withheld from a payout, with its purpose as the reason. The reversal of a payout has its own row.

    The money remains in hand until it is sent to the tax office (`EventMoney.Kind.REMITTANCE`).
    """

    paid_out = models.OneToOneField(PaidOut, on_delete=models.CASCADE, related_name="withholding")
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.cents} of {self.paid_out} withheld"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.paid_out.entrant_id))
