"""Score cards, and what is recorded about them: seats, cuts, lines, checks, signatures, postings, and closings."""

from collections.abc import Collection, Iterable
from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pairing.models import MATCH_PROGRESS_TOPICS, get_match_topic
from tournament.models.base import Fact, OrderedFact
from tournament.models.registration import Entrant
from tournament.models.topic import EVERYBODY_TOPIC

SIDE_LETTERS: Final = ("A", "B", "C", "D", "E")
"""The letters that stored lines use for the sides, in the order of the seats. Pages show names instead."""


class Card(models.Model):
    """The score card of one game. Its totals, digest and state are computed from the rows that refer to the card.

    Such rows are, for example, score lines and signatures. `sides_key` identifies the players regardless of their
    order. `length` is the special length of the match, which overrides options of the rule sheet. `length` is empty
    for a match of the usual length.
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

    def find_affected_topics(self, *, created: bool, fields: Collection[str] | None) -> tuple[str, ...]:
        return (get_match_topic(self.match_id),) if created else (EVERYBODY_TOPIC,)

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """The entrants on the card in the order of their seats. The tuple is empty if the sides are teams."""
        return tuple(seat.entrant for seat in self.seats.all() if seat.entrant is not None)


def make_sides_key(entrants: Iterable[int]) -> str:
    """Return a key for the entrants (primary keys), regardless of their order. It is empty for teams.

    >>> make_sides_key([12, 7]) == make_sides_key([7, 12])
    True
    """
    return "-".join(str(pk) for pk in sorted(entrants))


class CardTopicsMixin:
    """A mixin for facts about a card. When a fact is added, all pages that show the card's match are updated."""

    card: Any

    def affected_topics(self) -> tuple[str, ...]:
        return (get_match_topic(self.card.match_id),)


class CardSeat(models.Model, CardTopicsMixin):
    """A side of a card: either an entrant, or a team that is not an entrant (such as the ladies at a table).

    The name is fixed when the first line is written, so that a later substitute does not change what was signed.
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
        """The letter of this side. The first seat has the letter A."""
        return SIDE_LETTERS[self.position]


class Cut(OrderedFact, CardTopicsMixin):
    """The result of the cut or draw before play: who keeps score, or who drew which position.

    `keeper` is the scorekeeper. In some games, the player who cuts the low card keeps score and also deals first (GRA
    2012, singles 2). `order` lists the sides' letters in the order of the positions in `Variant.table_draw`. A row can
    have only one of `keeper` and `order`. A card's scorekeeper comes from the latest row with a `keeper`, and its order
    from the latest row with an `order`.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="cuts")
    keeper = models.ForeignKey("tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    order = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        if self.keeper is None:
            return f"drawn on {self.card}: {', '.join(self.order)}"
        return f"{self.keeper} keeps score of {self.card}"


class SheetLine(Fact, CardTopicsMixin):
    """A line of a score sheet, in the format of the `tally` command.

    A correction is a new row that supersedes the old one. A correction with a null `line` strikes the hand out.
    """

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
    """Whether the line is a hand in the middle of a game, which does not change the desk's lists."""

    def affected_topics(self) -> tuple[str, ...]:
        """Return the topics of the pages to update when the line is saved: the pages that show the card's match.

        If the line is the first on its card, the pages that list the matches in play are updated, too.
        """
        return (*super().affected_topics(), *(MATCH_PROGRESS_TOPICS if self.number == 1 else ()))


class Signature(Fact, CardTopicsMixin):
    """A signature on a card. It counts only for the content with this `digest`.

    `entrant` is the signer: the side itself, or a member of a team. `entrant` is None if the desk saw a team's
    signature on paper. If `seat` is None, the signer is the event's scorekeeper, who plays for neither side
    (`Variant.further_signers`).
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


class CardPosted(Fact, CardTopicsMixin):
    """The posting of a signed card, which makes the card count for its match's result.

    A card that is changed later is posted again.
    """

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="postings")
    digest = models.CharField(max_length=64)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["card", "digest"], name="one_posting_a_content")]

    def __str__(self) -> str:
        return f"{self.card} posted"


class CardClosed(OrderedFact, CardTopicsMixin):
    """The early end of a game, because time was called or a player left.

    A card's latest closing counts until it is undone. `rule` determines who wins. `hands` is the number of hands after
    which the game ends, or None if it ends immediately. `left` is the side that left, and `winner` is the side chosen
    by the director. `games` is the number of games that each side had won earlier in the match, by letter.
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
    """The reopening of a closed game. The closing then no longer counts."""

    closing = models.OneToOneField(CardClosed, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.closing}, taken back"

    def affected_topics(self) -> tuple[str, ...]:
        return self.closing.affected_topics()


class UpCard(OrderedFact, CardTopicsMixin):
    """The up card of a hand, recorded when the card is turned up.

    A later row for the same hand corrects the earlier row, and both rows are kept.

    `turned_at` is when the card was turned, according to the recorder's clock. `at` is when the record arrived, which
    is later for an offline phone. `entrant` is the recorder, or None for the desk.
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
    """A check of a line by a player who does not keep score: either a confirmation, or different figures (`own`).

    A confirmation applies only to this line. If a player enters different figures, the line is in dispute until the
    hand is corrected to match them, or until the same player confirms the hand. Each entrant's latest check counts. If
    `entrant` is None, the desk decided to keep the hand as written.
    """

    line = models.ForeignKey(SheetLine, on_delete=models.CASCADE, related_name="checks")
    entrant = models.ForeignKey(
        "tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+"
    )
    own = models.JSONField(null=True, blank=True)

    is_plain = True

    def __str__(self) -> str:
        return f"{self.by_name} {'has other figures for' if self.own else 'confirms'} {self.line}"

    def affected_topics(self) -> tuple[str, ...]:
        return (get_match_topic(self.line.card.match_id),)


class NewDeck(OrderedFact, CardTopicsMixin):
    """A new deck for a player, allowed once in a match (GRA 2012, singles 15). The old deck stays out of play."""

    card = models.ForeignKey(Card, on_delete=models.CASCADE, related_name="new_decks")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    is_plain = True
    hand = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.entrant}: a new deck on {self.card}"
