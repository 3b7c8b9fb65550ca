"""Cash at the desk: drawers, each of one cashier from its opening to its count, and cash that is moved."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.fact import ByLink, OrderedFact
from tournament.models.money.ledger import LedgerLine


class Drawer(OrderedFact):
    """A drawer that a cashier opened or took over. Its content is the sum of its postings."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="drawers")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=60)
    cashier = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.RESTRICT, related_name="drawers")

    def __str__(self) -> str:
        return self.name

    def topics(self) -> tuple[str, ...]:
        """Return no topics, because no page of an event shows a drawer."""
        return ()


class DrawerClosed(OrderedFact, ByLink):
    """The count and close of a drawer. Its money went to the safe, or to the drawer of the next cashier.

    `pieces` has the number of each denomination by its cents. The reason explains a difference.
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
    """Money moved between drawers and the safe, or to and from the bank, or a count that was over or short.

    `drawer` is where the money was, or what was counted, and `to_drawer` is where it went. None means the safe.
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
