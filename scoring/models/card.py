from collections.abc import Collection, Iterable
from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pairing.models.match import BEGUN, match_topic
from tournament.models.entrant import Entrant
from tournament.models.fact import Fact, OrderedFact
from tournament.models.topic import EVERYBODY

SIDES: Final = ("A", "B", "C", "D", "E")
"""The sheet's own names for its sides, by position; people read the names of the seats."""


class Card(models.Model):
    """The score card of one game; its lines, totals, digest and state are folds of the facts below.

    Who plays on it are its seats. `sides_key` is who they are, in any order: one card a game for the same.
    `length` is what its rule sheet has other than usual for matches where this one stands; empty: as usual.
    """

    match = models.ForeignKey("pairing.Match", on_delete=models.CASCADE, related_name="cards")
    game = models.PositiveSmallIntegerField()
    sides_key = models.CharField(max_length=120, default="", blank=True)
    sheet = models.ForeignKey("RuleSheet", on_delete=models.RESTRICT, related_name="cards")
    length = models.JSONField(default=dict, blank=True)
    token = models.CharField(max_length=64, unique=True)
    opened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "game", "sides_key"], name="one_card_a_game_and_sides")
        ]

    def __str__(self) -> str:
        return f"{self.match}, game {self.game}"

    def topics_of(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        return (match_topic(self.match_id),) if created else (EVERYBODY,)

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Those who play on it for themselves, in the order of their seats; nobody where its sides are teams."""
        return tuple(seat.entrant for seat in self.seats.all() if seat.entrant is not None)


def sides_key(entrants: Iterable[int]) -> str:
    """Who plays, by the primary keys of the entrants, no matter in what order they are named; empty for teams.

    >>> sides_key([12, 7]) == sides_key([7, 12])
    True
    """
    return "-".join(str(pk) for pk in sorted(entrants))


class OfCard:
    """What stands on one card: it concerns who looks at that match."""

    card: Any

    def topics(self) -> tuple[str, ...]:
        return (match_topic(self.card.match_id),)


class CardSeat(models.Model, OfCard):
    """A side of a card: an entrant, or a team that no one entrant is (the ladies of a table), under its own name.

    The name stands as it was when the first line was written: a later substitute does not change what was signed.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="seats")
    position = models.PositiveSmallIntegerField()
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="card_seats"
    )
    name = models.CharField(max_length=200, default="", blank=True)

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["card", "position"], name="one_seat_a_position"),
            models.UniqueConstraint(
                fields=["card", "entrant"], condition=models.Q(entrant__isnull=False), name="one_seat_an_entrant"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.card}, {self.side}: {self.name}"

    @property
    def side(self) -> str:
        """What the sheet calls it: A for the first seat."""
        return SIDES[self.position]


class Cut(OrderedFact, OfCard):
    """What the players cut or drew for before play: who keeps score, or who drew which place.

    Where the low card deals and keeps score (GRA 2012, singles 2) `keeper` says both. `order` has the letters of the
    sides, by the places of `Variant.table_draw`. Of each the last one counts.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="cuts")
    keeper = models.ForeignKey("tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    order = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        if self.keeper is None:
            return f"drawn on {self.card}: {', '.join(self.order)}"
        return f"{self.keeper} keeps score of {self.card}"


class SheetLine(Fact, OfCard):
    """A line on the sheet, as `tally` takes it. A correction supersedes a line; a null line strikes it out."""

    class Via(models.TextChoices):
        PHONE = "phone", _("A player's phone")
        DESK = "desk", _("The desk, from paper")
        API = "api", _("JSON")
        HANDED = "handed", _("A player's phone, handed over by QR")

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="lines")
    number = models.PositiveIntegerField()
    line = models.JSONField(null=True)
    via = models.CharField(max_length=10, choices=Via.choices)
    warnings = models.JSONField(default=list)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="superseded_by"
    )

    class Meta:
        ordering: ClassVar = ["number", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["card", "number"], condition=models.Q(supersedes__isnull=True), name="one_line_a_number"
            )
        ]

    def __str__(self) -> str:
        return f"{self.card}, line {self.number}"

    is_plain: bool = False
    """Set before it is saved: one hand more in the middle of a game, which changes nothing for the desk."""

    def topics(self) -> tuple[str, ...]:
        """With the first line play at this match has begun: so it stands in every bracket and list."""
        return (*super().topics(), *(BEGUN if self.number == 1 else ()))


class Signature(Fact, OfCard):
    """One side signed exactly what was on the card: `digest` says what; it counts only while the card still has it.

    `entrant` is who signed: the side itself, or one of a team; nobody where the desk saw a team's paper. No `seat`: the
    scorekeeper of an event signed, who plays for neither side (`Variant.signs_besides`).
    """

    class Method(models.TextChoices):
        DRAWN = "drawn", _("Drawn")
        CODE = "code", _("By signing code")
        PAPER = "paper", _("On paper")

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="signatures")
    seat = models.ForeignKey(CardSeat, null=True, blank=True, on_delete=models.RESTRICT, related_name="signatures")
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )
    digest = models.CharField(max_length=64)
    method = models.CharField(max_length=10, choices=Method.choices)
    strokes = models.JSONField(default=list, blank=True)
    witness = models.CharField(max_length=200, blank=True)
    device = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["seat", "digest"], name="one_signature_a_seat_and_content"),
            models.UniqueConstraint(
                fields=["card", "digest"],
                condition=models.Q(seat__isnull=True),
                name="one_scorekeepers_signature_a_content",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seat or 'the scorekeeper'} signed"


class CardPosted(Fact, OfCard):
    """A signed card counts from here on; a card changed later is posted again with its new digest."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="postings")
    digest = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["card", "digest"], name="one_posting_a_content")]

    def __str__(self) -> str:
        return f"{self.card} posted"


class CardClosed(OrderedFact, OfCard):
    """The game is not played to its end: time was called, or somebody left. The last one counts until it is taken back.

    By which rule it ends, after how many hands (None: as it stands), who left, who has won by the director's word, and
    how many games each side had won before (by its letter); who leads follows from the sheet.
    """

    class Cause(models.TextChoices):
        TIME = "time", _("Time was called")
        FORFEIT = "forfeit", _("A player left before the end")

    class Rule(models.TextChoices):
        LEADER = "leader", _("The leader has won")
        LAST_HAND = "last-hand", _("The last hand is played out, then the leader has won")
        REPLAY = "replay", _("The game is played again")
        DIRECTOR = "director", _("The director decides")
        GIVES_UP = "forfeit", _("The player who left has lost")

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="closings")
    cause = models.CharField(max_length=10, choices=Cause.choices)
    rule = models.CharField(max_length=10, choices=Rule.choices)
    hands = models.PositiveIntegerField(null=True, blank=True)
    left = models.ForeignKey(CardSeat, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    winner = models.ForeignKey(CardSeat, null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    games = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.card} closed: {self.get_rule_display()}"


class ClosingTakenBack(Fact):
    """The game is open again."""

    closing = models.OneToOneField(CardClosed, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.closing}, taken back"

    def topics(self) -> tuple[str, ...]:
        return self.closing.topics()
