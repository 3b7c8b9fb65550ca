"""Payments away from the desk: bank transfers, and card payments with the events that the provider sent."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.money.ledger import LedgerLine
from tournament.models.topic import PRIZES


class BankTransfer(OrderedFact):
    """A transfer on a bank's list. `ident` is a digest of its content, so that the same one is recorded once."""

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
    """The decision on a transfer: its payment, or None if it does not belong to the tournament, with the reason."""

    transfer = models.OneToOneField(BankTransfer, on_delete=models.CASCADE, related_name="match")
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="transfer_match")

    def __str__(self) -> str:
        return f"{self.transfer}: {self.line or 'set aside'}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class CardPayment(OrderedFact):
    """An entrant's attempt to pay this amount by card. The provider's events tell whether it succeeded."""

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="card_payments")
    entrant = models.ForeignKey("Entrant", on_delete=models.CASCADE, related_name="card_payments")
    ident = models.CharField(max_length=64, unique=True)
    cents = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.entrant}: {self.cents} by card"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


class CardEvent(models.Model):
    """An event from the card provider, stored as it came. `state` is what was made of it."""

    class State(models.TextChoices):
        RECORDED = "recorded", _("Recorded")
        WAITING = "waiting", _("Waiting")
        IGNORED = "ignored", _("Ignored")

    ident = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=60)
    at = models.DateTimeField()
    payload = models.JSONField()
    payment = models.ForeignKey(CardPayment, null=True, on_delete=models.CASCADE, related_name="told")
    """The payment, or None if the event is about no payment of this site."""

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
