from django.db import models

from tournament.models.base import Fact, OrderedFact


class LateEntry(OrderedFact):
    """A late entry that takes the place of a bye in round one. The draw itself stays unchanged.

    `match` is the new match against `bye`, the entry that had the bye. `open_byes` are the entries whose byes were
    open, in the order of their lots. The entries in `kept_apart` were passed over because they must not meet the
    newcomer.
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
    """The undoing of a late entry, possible only before its match is called or begun. The bye is restored."""

    late_entry = models.OneToOneField(LateEntry, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.late_entry}, taken back"
