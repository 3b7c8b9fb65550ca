from django.db import models
from django.utils import timezone

from pairing.models.match import match_topic
from scoring.models.card import Card, OfCard, SheetLine
from tournament.models.fact import OrderedFact


class UpCard(OrderedFact, OfCard):
    """The up card of a hand, recorded when it was turned; a later one of the same hand corrects it, both stay.

    `turned_at` is when the one who recorded it says it was turned (a phone that had no network sends it late), `at`
    when it arrived: what is evidence in a dispute is both. `entrant` is who recorded it; nobody where the desk did.
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
    """Somebody other than the scorekeeper looked at a line: they confirm it, or have other figures (`own`, a line).

    A confirmation is about that very line. Other figures are about the hand: they stand against what is
    written for it until they are equal, or the one who had them confirms. The last of an entrant counts. Nobody
    (`entrant` None): the desk settled it as the line has it, and says why.
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
    """A player had the deck changed: once each in a match (GRA 2012, singles 15); the old one stays out."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="new_decks")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    is_plain = True
    hand = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant}: a new deck on {self.card}"
