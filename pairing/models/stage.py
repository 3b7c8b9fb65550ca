from typing import ClassVar

from django.db import models

from pairing.models.match import PLAY
from tournament.models.base import Fact, OrderedFact


class Stage(Fact):
    """A stage of an event that was opened, with its entries and its terms.

    `terms` are a copy of the plan's at that moment. `entries` are entry numbers, the best first if an earlier stage
    ranked them. `record` has the places of a bracket, groups, byes with their reasons, and the seed.
    """

    draw = models.ForeignKey("Draw", on_delete=models.CASCADE, related_name="stages")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=100)
    terms = models.JSONField(default=dict, blank=True)
    entries = models.JSONField()
    record = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["number", "pk"]

    def __str__(self) -> str:
        return f"{self.draw}, {self.name}"


class StageTakenBack(Fact):
    """The undoing of a stage, possible only before its first result. It stays on record with its reason."""

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.stage} taken back"


class StageSeal(OrderedFact):
    """The seal on the secret for the blind draw of the next stage. The newest row of a stage counts.

    The secret stays unpublished until the next stage is opened. Undoing that stage needs a new seal.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="seals")
    draw_id = models.CharField(max_length=120)
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"seal {self.draw_id}"


class StageLots(OrderedFact):
    """A draw of lots among entrants who are tied in a stage: their entry numbers in the order drawn."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="lots")
    order = models.JSONField()

    def __str__(self) -> str:
        return f"lots of {self.stage}"


class StageEntry(Fact):
    """An entrant who joined a stage after it was opened: a late entry, or a replacement for a vacant place."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="late_entries")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "entrant"], name="one_late_entry_a_stage")]

    def __str__(self) -> str:
        return f"{self.entrant} joins {self.stage}"


class Pairing(OrderedFact):
    """The pairings of one act: pairs sent by the desk, or a whole round. Their matches are created with it.

    `pairs` and `bye` are entry numbers. `record` has the input and the cost of the pairing: the case for the command
    `pair`, the proof, and the reason of each pair. For a pair made by hand it has the rules that the pair broke.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="pairings")
    round = models.PositiveSmallIntegerField(null=True, blank=True)
    pairs = models.JSONField()
    bye = models.PositiveIntegerField(null=True, blank=True)
    by_hand = models.BooleanField(default=False)
    record = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.stage}, {len(self.pairs)} pairs"

    def topics(self) -> tuple[str, ...]:
        return PLAY


class PairingTakenBack(Fact):
    """The undoing of pairings, possible only before their first result."""

    pairing = models.OneToOneField(Pairing, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.pairing} taken back"


class Hold(OrderedFact):
    """A hold on an entrant. The desk does not pair the entrant until the hold is ended."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="holds")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="holds")

    def __str__(self) -> str:
        return f"{self.entrant} held"


class HoldEnded(Fact):
    hold = models.OneToOneField(Hold, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.hold} no more"


class DeskSettings(OrderedFact):
    """The desk's settings for the stage of this number. The newest row counts.

    `settings` has the form of `pairing.draws.desk.desk`. The settings can be made before the stage is opened, and
    they survive its being taken back and opened again.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="desk_settings")
    number = models.PositiveSmallIntegerField()
    settings = models.JSONField()

    def __str__(self) -> str:
        return f"desk of {self.event}, stage {self.number}"
