"""The business day: which one money counts to, how it was counted, that it is closed, and opened again."""

from django.db import models

from tournament.models.fact import ByLink, OrderedFact
from tournament.models.topic import DESK


class DayOpened(OrderedFact):
    """The director said which day money counts to; it holds on the date on which it was said (`ledger.days`)."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="days_opened")
    day = models.DateField()

    def __str__(self) -> str:
        return f"money counts to {self.day}"

    def topics(self) -> tuple[str, ...]:
        return ()


class DayCount(OrderedFact, ByLink):
    """Somebody counted what is there at night, and signed it. The last count of a day is the one that is closed.

    `pieces` are the bills and coins, `counted` and `expected` the cents of each method. The reason is why they differ.
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
    """A second member of staff signed a count: no money is recorded on this day any more, nor on one before it.

    `figures` is the report as it was signed and printed.
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
    """A director opened a day again that was closed by mistake. The close stays on record, and the day gets another.

    `movements` is how many movements the tournament had then: those of closed days are the ones that were signed.
    """

    close = models.OneToOneField(DayClose, on_delete=models.CASCADE, related_name="reopened")
    movements = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.close.day} opened again"

    def topics(self) -> tuple[str, ...]:
        return (DESK,)
