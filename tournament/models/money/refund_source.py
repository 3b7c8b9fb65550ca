"""The method by which refunded money had been paid, where it is handed back by another."""

from django.db import models

from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import LedgerLine
from tournament.models.topic import PRIZES, entrant_topic


class RefundSource(OrderedFact):
    """This refund gives back money that was paid by `method`, and hands it back by the method of its line.

    A check that is given back in cash stays in the box: the drawer has the check, and less cash. The entry has got
    back what it paid by check.
    """

    line = models.OneToOneField(LedgerLine, on_delete=models.CASCADE, related_name="refund_source")
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)

    def __str__(self) -> str:
        return f"{self.line}, paid by {self.get_method_display()}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.line.entrant_id))
