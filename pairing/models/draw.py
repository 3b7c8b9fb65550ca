from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.base import Fact, OrderedFact


class AvoidPair(Fact):
    """Two entrants who are kept apart in round one, before a given round, or for good, until the director ends it.

    `before_round` belongs to `NOT_BEFORE`. In a stage paired by record, the round is one more than the entrant's own
    games.
    """

    class Kind(models.TextChoices):
        FIRST_ROUND = "first-round", _("In round one")
        NOT_BEFORE = "not-before", _("Before a round")
        NEVER = "never", _("Never")

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="avoid_pairs")
    one = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="+")
    other = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20, choices=Kind.choices, default=Kind.FIRST_ROUND)
    before_round = models.PositiveSmallIntegerField(null=True, blank=True)
    is_couple = models.BooleanField(default=False)
    """The two are a couple. Like a club, they are kept apart as long as the rounds leave room for it."""

    def __str__(self) -> str:
        return f"{self.one} apart from {self.other}"


class AvoidPairEnded(Fact):
    pair = models.OneToOneField(AvoidPair, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.pair} no more"


class ClubsApart(OrderedFact):
    """The last round, or game at the desk, in which entries of one club do not meet. The newest row counts.

    `until` is None for the whole event and 0 if clubs are not kept apart.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="clubs_apart")
    until = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"clubs apart in {self.event}"


class DrawTermsSaid(OrderedFact):
    """The terms by which the first bracket is filled, recorded before the cut. The newest row counts.

    `terms` is the JSON of `pairing.draws.DrawTerms`: blind, blind with byes for named entries, or seeded.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="draw_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"draw of {self.event}: {self.terms.get('kind')}"


class Commitment(OrderedFact):
    """The published seal before the cut: the list, the draw's name, and the commitment to a secret.

    After a change of the list there is a new commitment. Only the newest one can be drawn from.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="commitments")
    draw_id = models.CharField(max_length=120, unique=True)
    numbers = models.JSONField()
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.draw_id


class Draw(Fact):
    """A blind draw from a commitment and a cut. Only staff see it until it is posted.

    `avoid` is the list of entrants to keep apart at the draw: {"pairs": [[a, b], …], "same_person": [[a, b], …]}.
    `moves` is a list of `pairing.draws.Move.as_json`. `terms` has the entries with byes or seeds, and is empty for a
    draw that is completely blind.
    """

    commitment = models.OneToOneField(Commitment, on_delete=models.CASCADE, related_name="draw")
    public = models.CharField(max_length=300, blank=True)
    order = models.JSONField()
    terms = models.JSONField(default=dict, blank=True)
    avoid = models.JSONField(default=dict)
    places = models.JSONField()
    moves = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"draw {self.commitment.draw_id}"


class DrawPosted(Fact):
    draw = models.OneToOneField(Draw, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.draw} posted"


class DrawTakenBack(Fact):
    """The undoing of a draw, possible only before its first result. It stays on record with its reason."""

    draw = models.OneToOneField(Draw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"
