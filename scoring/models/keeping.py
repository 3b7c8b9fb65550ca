from django.db import models
from django.utils import timezone

from pairing.models.match import match_topic
from scoring.models.card import Card, OfCard, SheetLine
from tournament.models.base import OrderedFact


class UpCard(OrderedFact, OfCard):
    """The up card of a hand, recorded when it was turned. A later row for the same hand corrects it, and both stay.

    `turned_at` is the time of turning by the recorder's clock, because a phone without a network sends it late. `at` is
    when it arrived. Both are evidence in a dispute. `entrant` is the recorder, or None for the desk.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="up_cards")
    hand = models.PositiveSmallIntegerField()
    up = models.CharField(max_length=2)
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )
    turned_at = models.DateTimeField(default=timezone.now)

    is_plain = True

    def __str__(self) -> str:
        return f"{self.card}, hand {self.hand}: {self.up}"


class HandCheck(OrderedFact):
    """A check of a line by somebody other than the scorekeeper: a confirmation, or other figures (`own`, a line).

    A confirmation is for this line only. Other figures are for the hand: they are in dispute until the hand has the
    same figures, or their author confirms it. The last check of an entrant counts. With `entrant` None, the desk
    settled the hand as this line has it, with a reason.
    """

    line = models.ForeignKey(SheetLine, on_delete=models.CASCADE, related_name="checks")
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )
    own = models.JSONField(null=True, blank=True)

    is_plain = True

    def __str__(self) -> str:
        return f"{self.by_name} {'has other figures for' if self.own else 'confirms'} {self.line}"

    def topics(self) -> tuple[str, ...]:
        return (match_topic(self.line.card.match_id),)


class NewDeck(OrderedFact, OfCard):
    """A new deck for a player, once in a match (GRA 2012, singles 15). The old deck stays out of play."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="new_decks")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    is_plain = True
    hand = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant}: a new deck on {self.card}"
