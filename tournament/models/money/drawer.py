"""Cash at the desk: drawers, each of one cashier from its opening until it is counted, and cash that is moved."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import ByLink, OrderedFact
from tournament.models.money.ledger import LedgerLine


class Drawer(OrderedFact):
    """A cashier opened a drawer, or took one over. What is in it is the sum of its postings."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="drawers")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    cashier = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.RESTRICT, related_name="drawers")

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        """No page of an event shows a drawer."""
        return ()


class DrawerClosed(OrderedFact, ByLink):
    """A drawer was counted and is closed; what was in it went to the safe, or into the drawer of the next cashier.

    `pieces` is how many there were of each denomination, by its cents. The reason is why the count differs.
    """

    drawer = models.OneToOneField(Drawer, on_delete=models.CASCADE, related_name="closed")
    pieces = models.JSONField()
    counted_cents = models.BigIntegerField()
    expected_cents = models.BigIntegerField()
    next = models.OneToOneField(
        Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="taken_over_from"
    )

    def __str__(self) -> str:
        return f"{self.drawer} closed"

    @property
    def difference_cents(self) -> int:
        return self.counted_cents - self.expected_cents

    def topics(self) -> tuple[str, ...]:
        return ()


class CashMoved(OrderedFact):
    """Money moved between drawers and the safe, or to and from the bank; or a count found too much or too little.

    `drawer` is where it was, or what was counted, `to_drawer` where it went; None: the safe.
    """

    class Kind(models.TextChoices):
        TRANSFER = "transfer", _("Transfer")
        BROUGHT = "brought", _("Change brought")
        BANKED = "banked", _("Taken to the bank")
        OVER = "over", _("Over")
        SHORT = "short", _("Short")

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="cash_moved")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    cents = models.PositiveBigIntegerField()
    method = models.CharField(max_length=20, choices=LedgerLine.Method.choices)
    drawer = models.ForeignKey(Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="moved_out")
    to_drawer = models.ForeignKey(Drawer, null=True, blank=True, on_delete=models.RESTRICT, related_name="moved_in")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.cents}"

    def topics(self) -> tuple[str, ...]:
        return ()
