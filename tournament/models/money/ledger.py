from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.topic import PRIZES, entrant_topic


class LedgerLine(OrderedFact):
    """A line of money for an entry, which is never changed.

    A wrong payment is corrected by another line, and any other line is reversed.
    """

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
    """The final order of an event, best first, as lists of entry numbers that tie. Payouts are computed from it.

    An event that is reopened finishes again. The last finish counts, and none counts while the event is in play.
    """

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="finishes")
    places = models.JSONField()

    def __str__(self) -> str:
        return f"finish of {self.event}"


class EndedEarly(OrderedFact):
    """The fact that a finish was taken from the standings before everything was decided, with the reason."""

    finish = models.OneToOneField(Finish, on_delete=models.CASCADE, related_name="early")

    def __str__(self) -> str:
        return f"{self.finish}, ended early"


class PaidOut(OrderedFact):
    """A payout of a prize, whole or in part. If `reverses` is set, the earlier payout does not count.

    A reversal has the amount and the method of the row that it reverses. An entrant has received the sum of the rows
    that are neither reversed nor reversals.
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
    """The method by which refunded money had been paid. The refund's own line has the method of handing it back.

    If a check is refunded in cash, the drawer still has the check and less cash. The entry has got its check back.
    """

    line = models.OneToOneField(LedgerLine, on_delete=models.CASCADE, related_name="refund_source")
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)

    def __str__(self) -> str:
        return f"{self.line}, paid by {self.get_method_display()}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES, entrant_topic(self.line.entrant_id))
