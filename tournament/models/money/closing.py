"""The business day: the day that money counts to, its count, its close, and its reopening."""

from django.db import models

from tournament.models.fact import ByLink, OrderedFact
from tournament.models.topic import DESK


class DayOpened(OrderedFact):
    """The director's choice of the day that money counts to, valid on the date on which it was made (`ledger.days`)."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="days_opened")
    day = models.DateField()

    def __str__(self) -> str:
        return f"money counts to {self.day}"

    def topics(self) -> tuple[str, ...]:
        return ()


class DayCount(OrderedFact, ByLink):
    """A signed count of the money at the end of a day. The last count of a day is the one that is closed.

    `pieces` are the bills and coins, `counted` and `expected` the cents by method. The reason explains a difference.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="day_counts")
    day = models.DateField()
    pieces = models.JSONField()
    counted = models.JSONField()
    expected = models.JSONField()

    def __str__(self) -> str:
        return f"count of {self.day}"

    def topics(self) -> tuple[str, ...]:
        return ()


class DayClose(OrderedFact, ByLink):
    """The signature of a second member of staff on a count, which closes the day.

    No money is recorded on this day or an earlier one any more. `figures` is the report as it was signed and printed.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="day_closes")
    day = models.DateField()
    count = models.OneToOneField(DayCount, on_delete=models.RESTRICT, related_name="close")
    figures = models.JSONField()

    def __str__(self) -> str:
        return f"close of {self.day}"

    def topics(self) -> tuple[str, ...]:
        return (DESK,)


class DayReopened(OrderedFact, ByLink):
    """A director's reopening of a day that was closed by mistake. The close stays on record, and the day gets another.

    `movements` is the number of movements in the tournament at that time. Those on closed days were signed.
    """

    close = models.OneToOneField(DayClose, on_delete=models.CASCADE, related_name="reopened")
    movements = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.close.day} opened again"

    def topics(self) -> tuple[str, ...]:
        return (DESK,)
