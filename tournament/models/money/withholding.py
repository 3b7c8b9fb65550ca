"""What was kept back of a prize for taxes; the rest was handed over."""

from django.db import models

from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import PaidOut
from tournament.models.topic import PRIZES, entrant_topic


class Withholding(OrderedFact):
    """Of this payout so much was withheld; its reason says what for. A payout that is reversed has its own row.

    It stays in hand until it is sent on to the tax office (`EventMoney.Kind.REMITTANCE`).
    """

    paid_out = models.OneToOneField(PaidOut, on_delete=models.CASCADE, related_name="withholding")
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.cents} of {self.paid_out} withheld"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.paid_out.entrant_id))
