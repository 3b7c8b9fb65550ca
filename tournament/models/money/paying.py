"""How money came that was not paid at the desk: a bank's transfers, and payments by card with what was told of them."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import LedgerLine
from tournament.models.topic import PRIZES


class BankTransfer(OrderedFact):
    """One transfer that a bank's list reported. `ident` is what it says, digested: the same one is taken in once."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="transfers")
    ident = models.CharField(max_length=64)
    booked = models.CharField(max_length=40)
    """The bank's date, as its list writes it."""

    cents = models.PositiveBigIntegerField()
    payer = models.CharField(max_length=200, blank=True)
    text = models.CharField(max_length=500, blank=True)

    class Meta(OrderedFact.Meta):
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "ident"], name="a_transfer_is_taken_in_once")
        ]

    def __str__(self) -> str:
        return f"{self.booked} {self.cents} {self.payer}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class TransferMatch(OrderedFact):
    """What became of a transfer: the payment it is, or, with a reason, that it is none of the tournament's."""

    transfer = models.OneToOneField(BankTransfer, on_delete=models.CASCADE, related_name="match")
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="transfer_match")

    def __str__(self) -> str:
        return f"{self.transfer}: {self.line or 'set aside'}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class CardPayment(OrderedFact):
    """An entrant went to pay this much by card. Whether they did is said by the provider's events."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="card_payments")
    entrant = models.ForeignKey("Entrant", on_delete=models.CASCADE, related_name="card_payments")
    ident = models.CharField(max_length=64, unique=True)
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.entrant}: {self.cents} by card"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class CardEvent(models.Model):
    """What the card provider told, kept as it came; `state` says what was made of it."""

    class State(models.TextChoices):
        RECORDED = "recorded", _("Recorded")
        WAITING = "waiting", _("Waiting")
        IGNORED = "ignored", _("Ignored")

    ident = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=60)
    at = models.DateTimeField()
    payload = models.JSONField()
    payment = models.ForeignKey(CardPayment, null=True, on_delete=models.CASCADE, related_name="told")
    """None: no payment of this site."""

    refund = models.CharField(max_length=100, blank=True)
    cents = models.PositiveBigIntegerField(default=0)
    currency = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=20, choices=State.choices)
    note = models.CharField(max_length=300, blank=True)
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="card_event")

    class Meta:
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return f"{self.ident}: {self.kind}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)
