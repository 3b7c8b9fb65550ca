"""Every cent as postings that add up to zero (`tournament.purse.ledger`), made of the facts in the same transaction.

The facts stay the record: a line of an entry, a payout, money of no entry. These rows are their sums' columns.
"""

from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.money.drawer import CashMoved, Drawer
from tournament.models.money.ledger import LedgerLine, PaidOut
from tournament.models.topic import PRIZES


class EventMoney(OrderedFact):
    """Money that no entry pays or gets: a sponsor gave it, it was spent, or it was withheld and sent on.

    `reverses` says that a row never was.
    A reversing row has the kind, amount, method and category of the row that it reverses.
    """

    class Kind(models.TextChoices):
        ADDED = "added", _("Added money")
        EXPENSE = "expense", _("Expense")
        REMITTANCE = "remittance", _("Tax remittance")

    event = models.ForeignKey("Event", on_delete=models.CASCADE, related_name="other_money")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    category = models.CharField(max_length=100, blank=True)
    party = models.CharField(max_length=200, blank=True)
    """Who gave it, or who was paid; of a remittance the tax office."""

    reference = models.CharField(max_length=100, blank=True)
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.cents} {self.party or self.category}"

    def topics(self) -> tuple[str, ...]:
        return (PRIZES,)


FACTS: Final = ("line", "paid_out", "money", "cash")


def _only(fact: str) -> models.Q:
    return models.Q(**{f"{one}__isnull": one != fact for one in FACTS})


class Movement(models.Model):
    """One fact as money that moved, with the number on its receipt. Exactly one of the four facts is named.

    What a fact does not say is recorded here: `number`, from 1 in each event, `day`, `given_cents` and `drawer`.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="movements")
    """None: it belongs to the whole tournament, as the cash of its drawers does."""

    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20)
    line = models.OneToOneField(LedgerLine, null=True, on_delete=models.CASCADE, related_name="movement")
    paid_out = models.OneToOneField(PaidOut, null=True, on_delete=models.CASCADE, related_name="movement")
    money = models.OneToOneField(EventMoney, null=True, on_delete=models.CASCADE, related_name="movement")
    cash = models.OneToOneField(CashMoved, null=True, on_delete=models.CASCADE, related_name="movement")
    reverses = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="reversed_by"
    )
    drawer = models.ForeignKey(Drawer, null=True, on_delete=models.RESTRICT, related_name="movements")
    """The open drawer of the cashier who recorded it; None: the safe, or a move of cash, which names its drawers."""

    day = models.DateField(null=True)
    """The business day: the date at the venue when it was recorded, or another that the director said."""

    given_cents = models.PositiveBigIntegerField(null=True)
    """What was handed over at the desk, where more was given than paid; the difference is the change."""

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["event", "number"], name="one_receipt_number_an_event"),
            models.CheckConstraint(
                condition=_only("line") | _only("paid_out") | _only("money") | _only("cash"),
                name="a_movement_is_of_one_fact",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.receipt}: {self.kind}"

    @property
    def receipt(self) -> str:
        """“3-0017”: the 17th movement of event 3, “T2-0004” of tournament 2; unlike any other of the installation."""
        return f"{self.event_id or f'T{self.tournament_id}'}-{self.number:04}"

    @property
    def is_reversal(self) -> bool:
        return self.reverses_id is not None

    @property
    def fact(self) -> LedgerLine | PaidOut | EventMoney | CashMoved:
        found = self.line or self.paid_out or self.money or self.cash
        if found is None:
            raise LookupError(f"movement {self.pk} is of no fact")
        return found

    def topics(self) -> tuple[str, ...]:
        """Its fact says them."""
        return ()


class Posting(models.Model):
    """Cents on one account. All postings of a movement are zero in all; balances are sums of this table."""

    movement = models.ForeignKey(Movement, on_delete=models.CASCADE, related_name="postings")
    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="postings")
    account = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    """Of the movement, or of the movement that it reverses."""

    entrant = models.ForeignKey("Entrant", null=True, on_delete=models.RESTRICT, related_name="postings")
    method = models.CharField(max_length=20, blank=True)
    category = models.CharField(max_length=100, blank=True)
    drawer = models.PositiveBigIntegerField(null=True)
    """The drawer that the money in hand is in; None: in the safe, or it is no money in hand."""

    day = models.DateField(null=True)
    cents = models.BigIntegerField()

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(cents=0), name="a_posting_moves_something"),
            models.UniqueConstraint(
                fields=["movement", "account"],
                condition=models.Q(drawer__isnull=True),
                name="one_posting_an_account_of_a_movement",
            ),
            models.UniqueConstraint(
                fields=["movement", "account", "drawer"], name="one_posting_a_drawer_of_a_movement"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account} {self.cents}"

    def topics(self) -> tuple[str, ...]:
        """The fact of its movement says them."""
        return ()
