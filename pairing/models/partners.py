from django.db import models

from tournament.models.base import Fact, OrderedFact


class PartnerSeal(OrderedFact):
    """The published seal before partners are drawn: the list, the pairs that must not be made, and the commitment.

    `pools` is {"A": numbers, "B": numbers}, or empty if there is one pool. `same_person` and `before` are pairs of
    entry numbers. Only the newest seal can be drawn from.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="partner_seals")
    draw_id = models.CharField(max_length=130, unique=True)
    numbers = models.JSONField()
    pools = models.JSONField(default=dict, blank=True)
    same_person = models.JSONField(default=list, blank=True)
    before = models.JSONField(default=list, blank=True)
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.draw_id


class PartnerDraw(Fact):
    """A draw of partners from a seal and a cut. Only the director sees it until it is posted.

    Each of `pairs` becomes an entry when the draw is posted. `left` are the entries left over without a partner.
    """

    seal = models.OneToOneField(PartnerSeal, on_delete=models.CASCADE, related_name="draw")
    public = models.CharField(max_length=300, blank=True)
    order = models.JSONField()
    pairs = models.JSONField()
    left = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"draw {self.seal.draw_id}"


class PartnerDrawPosted(Fact):
    draw = models.OneToOneField(PartnerDraw, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.draw} posted"


class PartnerDrawTakenBack(Fact):
    """The undoing of a draw of partners, possible only before the event's own draw.

    It stays on record with its reason.
    """

    draw = models.OneToOneField(PartnerDraw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"
