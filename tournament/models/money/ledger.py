from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.topic import PRIZES, entrant_topic


class LedgerLine(OrderedFact):
    """Money is only ever added: a payment taken by mistake is corrected by another line, any other line reversed."""

    class Kind(models.TextChoices):
        CHARGE = "charge", _("Fee")
        SIDE_POOL = "side-pool", _("Side pool")
        EXTRA = "extra", _("Extra")
        DISCOUNT = "discount", _("Discount")
        COMPLIMENTARY = "complimentary", _("Complimentary")
        CANCELLATION = "cancellation", _("Fee canceled")
        PAYMENT = "payment", _("Payment")
        REFUND = "refund", _("Refund")
        CORRECTION = "correction", _("Correction of a payment")
        REVERSAL = "reversal", _("Reversal")

    class Method(models.TextChoices):
        CASH = "cash", _("Cash")
        CHECK = "check", _("Check")
        CARD = "card", _("Card")
        TRANSFER = "transfer", _("Transfer")
        OTHER = "other", _("Other")

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="ledger")
    entrant = models.ForeignKey("Entrant", on_delete=models.RESTRICT, related_name="ledger")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=Method.choices, blank=True)
    reference = models.CharField(max_length=100, blank=True)
    corrects = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="corrected_by"
    )

    def __str__(self) -> str:
        return f"{self.entrant}: {self.get_kind_display()} {self.cents}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.entrant_id))


class Finish(OrderedFact):
    """The order in which an event ended, best first, as entry numbers that tie: the fact the payouts are made from.

    An event opened again finishes again: the last one counts, and none while the event is in play.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="finishes")
    places = models.JSONField()

    def __str__(self) -> str:
        return f"finish of {self.event}"


class EndedEarly(OrderedFact):
    """This finish is the standings as they were, before everything was decided; the reason says why."""

    finish = models.OneToOneField(Finish, on_delete=models.CASCADE, related_name="early")

    def __str__(self) -> str:
        return f"{self.finish}, ended early"


class PaidOut(OrderedFact):
    """A prize was handed over, in whole or the rest of it; or `reverses` says that an earlier row never was.

    A reversing row has the amount and the method of the row that it reverses. What an entrant has is the sum of the
    rows that stand: neither reversed nor reversing.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="paid_out")
    entrant = models.ForeignKey("Entrant", on_delete=models.RESTRICT, related_name="paid_out")
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )

    def __str__(self) -> str:
        return f"{self.entrant}: {self.cents} {'not paid out after all' if self.reverses_id else 'paid out'}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.entrant_id))


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
