from django.db import models

from tournament.models.fact import Fact, OrderedFact


class PartnerSeal(OrderedFact):
    """What is published before partners are drawn: who asks, who shall not be together, and the seal on a secret.

    `pools` is {"A": numbers, "B": numbers} where there are two, else empty. `same_person` and `before` are pairs of
    entry numbers. The newest seal is the one that a draw of partners may open.
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
    """The cut was entered, and order and pairs follow; a preview for the director until it is posted.

    Each of the pairs becomes an entry when it is posted; `left` are those nobody was left for.
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
    """The draw no longer counts (before the event's own draw only); it stays in the record with its reason."""

    draw = models.OneToOneField(PartnerDraw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"
