"""Every cent as postings that add up to zero (`tournament.purse.ledger`), written with the facts in one transaction.

The facts are the record: a line of an entry, a payout, money of no entry, moved cash. These rows hold them as columns
that can be summed.
"""

from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import OrderedFact
from tournament.models.money.drawer import CashMoved, Drawer
from tournament.models.money.ledger import LedgerLine, PaidOut
from tournament.models.topic import PRIZES


class EventMoney(OrderedFact):
    """Money that no entry pays or gets: added by a sponsor, spent, or withheld and sent on.

    If `reverses` is set, the earlier row does not count. A reversal has the kind, amount, method and category of the
    row that it reverses.
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
    """The person who gave the money or was paid, or the tax office for a remittance."""

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
    """A fact as money that moved, with its receipt number. Exactly one of the four facts is set.

    It also records what the fact lacks: `number` (from 1 in each event), `day`, `given_cents` and `drawer`.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="movements")
    """The event, or None if the movement belongs to the whole tournament, as the cash of its drawers does."""

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
    """The open drawer of the cashier, or None for the safe and for a move of cash, which names its drawers."""

    day = models.DateField(null=True)
    """The business day: the date at the venue when the movement was recorded, or another day that the director set."""

    given_cents = models.PositiveBigIntegerField(null=True)
    """The amount handed over at the desk, if it was more than the payment. The difference is the change."""

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
        """The receipt number, unique in the installation: “3-0017” is movement 17 of event 3.

        “T2-0004” is movement 4 of tournament 2.
        """
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
        """Return no topics, because the fact has them."""
        return ()


class Posting(models.Model):
    """Cents on one account. The postings of a movement add up to zero, and balances are sums over this table."""

    movement = models.ForeignKey(Movement, on_delete=models.CASCADE, related_name="postings")
    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="postings")
    account = models.CharField(max_length=20)
    kind = models.CharField(max_length=20)
    """The kind of the movement, or of the movement that it reverses."""

    entrant = models.ForeignKey("Entrant", null=True, on_delete=models.RESTRICT, related_name="postings")
    method = models.CharField(max_length=20, blank=True)
    category = models.CharField(max_length=100, blank=True)
    drawer = models.PositiveBigIntegerField(null=True)
    """The primary key of the drawer with the money, or None if it is in the safe or not money in hand."""

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
        """Return no topics, because the fact of its movement has them."""
        return ()
