from typing import ClassVar

from django.db import models

from pairing.models.match import PLAY
from tournament.models.fact import Fact, OrderedFact


class Stage(Fact):
    """A part of an event that was opened: who plays in it, in which order they came, and by which terms.

    `terms` are those of the plan at that moment; `entries` the entry numbers, the best first where an earlier stage
    ranked them. `record` says how it came about: places of a bracket, groups, byes with their reasons, the seed.
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
    """It no longer counts (before its first result only); it stays in the record with its reason."""

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.stage} taken back"


class StageSeal(OrderedFact):
    """The seal on the secret by which the stage after this one is drawn blind; the last of a stage counts.

    The secret stays unpublished until that stage is opened; taking it back takes a new one.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="seals")
    draw_id = models.CharField(max_length=120)
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"seal {self.draw_id}"


class StageLots(OrderedFact):
    """Lots were drawn among entrants who are level in a stage: their numbers in the order drawn."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="lots")
    order = models.JSONField()

    def __str__(self) -> str:
        return f"lots of {self.stage}"


class StageEntry(Fact):
    """Somebody joined a stage after it was opened: a late entry, or one who comes up for a place left vacant."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="late_entries")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "entrant"], name="one_late_entry_a_stage")]

    def __str__(self) -> str:
        return f"{self.entrant} joins {self.stage}"


class Pairing(OrderedFact):
    """Who was sent to meet whom in one act: pairs of the desk, or a whole round; the matches are made with it.

    `pairs` and `bye` are entry numbers. `record` keeps what it was computed from and what that cost: the case that
    `pair` answers again, the proof, the reason of each pair; of a pair made by hand what it broke.
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
    """It no longer counts (before its first result only)."""

    pairing = models.OneToOneField(Pairing, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.pairing} taken back"


class Hold(OrderedFact):
    """The desk does not pair this entrant until the hold is ended."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="holds")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="holds")

    def __str__(self) -> str:
        return f"{self.entrant} held"


class HoldEnded(Fact):
    hold = models.OneToOneField(Hold, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.hold} no more"


class DeskSettings(OrderedFact):
    """How the desk pairs in the stage of this number, as `pairing.draws.desk.desk_terms` reads it; the last counts.

    They can be made before that stage is opened, and hold on where it is taken back and opened again.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="desk_settings")
    number = models.PositiveSmallIntegerField()
    settings = models.JSONField()

    def __str__(self) -> str:
        return f"desk of {self.event}, stage {self.number}"
