from django.db import models

from tournament.models.fact import Fact, OrderedFact


class LateEntry(OrderedFact):
    """After play had begun somebody took the place of a bye in round one: the draw stays, and this is beside it.

    `match` is made with it, against `bye`, who had the bye. `open_byes` are the entries whose byes could be taken then,
    in the order of their lots; those of them `kept_apart` from the newcomer were passed over.
    """

    draw = models.ForeignKey("Draw", on_delete=models.CASCADE, related_name="late_entries")
    stage = models.ForeignKey("Stage", on_delete=models.CASCADE, related_name="taken_byes")
    match = models.OneToOneField("Match", on_delete=models.CASCADE, related_name="late_entry")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")
    bye = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")
    open_byes = models.JSONField()
    kept_apart = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant} takes the bye of {self.bye}"


class LateEntryTakenBack(Fact):
    """The bye is a bye again (before that match is called or begun); the late entry stays in the record."""

    late_entry = models.OneToOneField(LateEntry, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.late_entry}, taken back"
