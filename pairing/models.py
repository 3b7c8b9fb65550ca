"""The recorded facts about how an event is drawn and played: draws, stages, matches, results, and pairings."""

from typing import ClassVar, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from tournament.models.base import Fact, OrderedFact
from tournament.models.topic import BRACKET_TOPIC, EVERYBODY_TOPIC, PAIRINGS_TOPIC, STANDINGS_TOPIC, get_entrant_topic

MATCH_PROGRESS_TOPICS: Final = (BRACKET_TOPIC, PAIRINGS_TOPIC)
"""The topics of the pages to update when matches in progress change."""

PAIRING_AND_RESULT_TOPICS: Final = (BRACKET_TOPIC, PAIRINGS_TOPIC, STANDINGS_TOPIC)
"""The topics of the pages to update when pairings or results change."""


def get_match_topic(match: int) -> str:
    """Return the topic of the pages about a match. `match` is the match's primary key."""
    return f"match-{match}"


class Match(models.Model):
    """A match of a stage.

    In a bracket, the match's sides are computed from earlier results (`pairing.draws.knockout.progress`). In rounds at
    tables, the sides are the match's `seats`, and `seating` has the table assignments of the round. A match paired at
    the desk has two `seats` and the `pairing` that created it. A bye, or a penalty outside any match, has one seat. A
    match between teams has no seats, because the score card names the teams.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="matches")
    draw = models.ForeignKey("Draw", on_delete=models.CASCADE, related_name="matches")
    seating = models.ForeignKey("Seating", null=True, blank=True, on_delete=models.CASCADE, related_name="matches")
    stage = models.ForeignKey("Stage", on_delete=models.CASCADE, related_name="matches")
    pairing = models.ForeignKey("Pairing", null=True, blank=True, on_delete=models.CASCADE, related_name="matches")
    ident = models.CharField(max_length=20)
    round = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["round", "position"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["stage", "ident"], name="one_ident_a_stage")]

    def __str__(self) -> str:
        return f"{self.event} {self.ident}"

    def affected_topics(self) -> tuple[str, ...]:
        return PAIRING_AND_RESULT_TOPICS


class MatchResult(Fact):
    """A result of a match. A later result of the same match supersedes an earlier one.

    `credits` has each side's credit (such as a win or a loss) and the cause of the credit. `score` has points or games
    won, and is empty if nothing was played. The keys of `credits` and `score` are entry numbers. `undoes` is an earlier
    result that this result undoes.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="results")
    winner = models.ForeignKey("tournament.Entrant", null=True, blank=True, on_delete=models.RESTRICT, related_name="+")
    credits = models.JSONField()
    score = models.JSONField(default=dict, blank=True)
    supersedes = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.RESTRICT, related_name="superseded_by"
    )
    undoes = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="undone_by")

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["match"], condition=models.Q(supersedes__isnull=True), name="one_first_result_a_match"
            )
        ]

    def __str__(self) -> str:
        return f"{self.match}: {self.winner or 'nobody'}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return the topics of the pages to update.

        A correction updates all pages of the event, because it can change who plays in any later match.
        """
        if self.supersedes_id is not None or self.undoes_id is not None:
            return (EVERYBODY_TOPIC,)
        return (get_match_topic(self.match_id), *PAIRING_AND_RESULT_TOPICS)


class MatchKept(OrderedFact):
    """A match in a bracket or play-off that keeps its players, although a corrected result sends somebody else to it.

    `sides` contains the entry numbers that stay, in the order of the match's sides. If it has null for a side, the
    results decide who plays there. The newest row for a match counts. `result` is the correction that was saved
    together with this row.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="kept")
    sides = models.JSONField()
    result = models.ForeignKey(MatchResult, null=True, blank=True, on_delete=models.RESTRICT, related_name="kept")

    def __str__(self) -> str:
        return f"{self.match} kept"


class TableCall(OrderedFact):
    """A call that sends a match's players to a table. The newest call for a match counts.

    A row whose `table` is null frees the match's table.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="calls")
    table = models.PositiveIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.match} at table {self.table}"

    def affected_topics(self) -> tuple[str, ...]:
        return (get_match_topic(self.match_id), *MATCH_PROGRESS_TOPICS)


class Stage(Fact):
    """An opened stage of an event.

    `terms` are copied from the plan when the stage is opened. `entries` are entry numbers, best first if an earlier
    stage ranked them. `record` has the positions in a bracket, the groups, the byes with their reasons, and the seed.
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
    """Undoes a stage before its first result. The stage stays on record."""

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.stage} taken back"


class StageSeal(OrderedFact):
    """The published seal (hash) of the secret for the next stage's blind draw. The newest row for a stage counts.

    The secret is published when the next stage is opened. If that stage is undone, a new seal is made.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="seals")
    draw_id = models.CharField(max_length=120)
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"seal {self.draw_id}"


class StageLots(OrderedFact):
    """A draw of lots among a stage's tied entrants, as entry numbers in the order drawn."""

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
    """A pair that the desk sent to a table. The match is created together with this row.

    If a whole round was sent, or if an entry got a bye at the same time, a single row has all the pairs. `pairs` and
    `bye` are entry numbers. `record` has the input for the `pair` command, the proof that no pairing is better, and the
    reason for each pair. For a pair made by hand, `record` lists the rules that the pair broke.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="pairings")
    round = models.PositiveSmallIntegerField(null=True, blank=True)
    pairs = models.JSONField()
    bye = models.PositiveIntegerField(null=True, blank=True)
    by_hand = models.BooleanField(default=False)
    record = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"{self.stage}, {len(self.pairs)} pairs"

    def affected_topics(self) -> tuple[str, ...]:
        return PAIRING_AND_RESULT_TOPICS


class PairingTakenBack(Fact):
    """Undoes pairings before their first result."""

    pairing = models.OneToOneField(Pairing, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.pairing} taken back"


class Hold(OrderedFact):
    """A hold on an entrant, who is not paired at the desk until the hold ends."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="holds")
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.CASCADE, related_name="holds")

    def __str__(self) -> str:
        return f"{self.entrant} held"


class HoldEnded(Fact):
    hold = models.OneToOneField(Hold, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.hold} no more"


class DeskSettings(OrderedFact):
    """The desk's settings for the stage with this number, even if the stage is not open yet. The newest row counts.

    `settings` is JSON in the format of `pairing.draws.desk.desk`.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="desk_settings")
    number = models.PositiveSmallIntegerField()
    settings = models.JSONField()

    def __str__(self) -> str:
        return f"desk of {self.event}, stage {self.number}"


class AvoidPair(Fact):
    """Two entrants who are kept apart in round one, before a certain round, or in the whole event.

    `before_round` is used with `NOT_BEFORE`. If a stage pairs entrants by their wins and losses, an entrant's round is
    the number of games that the entrant has played, plus one.
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
    """Whether the two are a couple. Like members of a club, couples are kept apart if possible."""

    def __str__(self) -> str:
        return f"{self.one} apart from {self.other}"


class AvoidPairEnded(Fact):
    pair = models.OneToOneField(AvoidPair, on_delete=models.CASCADE, related_name="ended")

    def __str__(self) -> str:
        return f"{self.pair} no more"


class ClubsApart(OrderedFact):
    """The last round in which members of the same club are kept apart. The newest row counts.

    If `until` is None, members of a club are kept apart in the whole event. If it is 0, they are not kept apart at all.
    If entrants are paired one by one at the desk, each game of an entrant counts as a round.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="clubs_apart")
    until = models.PositiveSmallIntegerField(null=True, blank=True)

    def __str__(self) -> str:
        return f"clubs apart in {self.event}"


class DrawTermsSaid(OrderedFact):
    """The director's terms for filling the first bracket, recorded before the cut. The newest row counts.

    `terms` is the JSON of `pairing.draws.DrawTerms`: blind, blind with byes for certain entries, or seeded.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="draw_terms")
    terms = models.JSONField()

    def __str__(self) -> str:
        return f"draw of {self.event}: {self.terms.get('kind')}"


class Commitment(OrderedFact):
    """The published seal of a draw: the list of entries, the draw's name, and the commitment to a secret.

    If the list changes, a new seal is made. Only the newest seal can be used for a draw.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="commitments")
    draw_id = models.CharField(max_length=120)
    numbers = models.JSONField()
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    class Meta(OrderedFact.Meta):
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "draw_id"], name="one_seal_a_draw")]

    def __str__(self) -> str:
        return self.draw_id


class Draw(Fact):
    """A blind draw made from a sealed random order and a cut of the deck. Only staff see it until it is posted.

    `avoid` has the entrants who were kept apart: {"pairs": [[a, b], …], "same_person": [[a, b], …]}. `moves` is a list
    of `pairing.draws.EntryMove.as_json`. `terms` has the entries with byes or seeds, and is empty if the draw was
    entirely blind.
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
    """Undoes a draw before its first result. The draw stays on record."""

    draw = models.OneToOneField(Draw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"


class Seating(Fact):
    """The table assignments for a round of a stage played at tables.

    `tables` has the entry numbers at each table in seat order. `sits_out` are the entries without a table. `record` has
    the entries that changed places to be kept apart, the number of pairs that meet again, and the seed.
    """

    stage = models.ForeignKey("Stage", on_delete=models.CASCADE, related_name="seatings")
    round = models.PositiveSmallIntegerField()
    tables = models.JSONField()
    sits_out = models.JSONField(default=list, blank=True)
    record = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["round", "pk"]

    def __str__(self) -> str:
        return f"{self.stage}, round {self.round}"


class SeatingPosted(Fact):
    """The publication of table assignments. The round's matches are created at the same time."""

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="posted")

    def __str__(self) -> str:
        return f"{self.seating} posted"


class SeatingTakenBack(Fact):
    """Undoes table assignments before their first result. The assignments stay on record."""

    seating = models.OneToOneField(Seating, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.seating} taken back"


class MatchSeat(models.Model):
    """An entrant's seat in a match.

    A match has seats only if its sides are recorded instead of being computed from earlier results.
    """

    match = models.ForeignKey("Match", on_delete=models.CASCADE, related_name="seats")
    position = models.PositiveSmallIntegerField()
    entrant = models.ForeignKey("tournament.Entrant", on_delete=models.RESTRICT, related_name="+")

    class Meta:
        ordering: ClassVar = ["position"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "position"], name="one_entrant_a_match_seat"),
            models.UniqueConstraint(fields=["match", "entrant"], name="one_match_seat_an_entrant"),
        ]

    def __str__(self) -> str:
        return f"{self.entrant} at {self.match}"

    def affected_topics(self) -> tuple[str, ...]:
        return (*PAIRING_AND_RESULT_TOPICS, get_entrant_topic(self.entrant_id))


class RulesAtTables(OrderedFact):
    """The table sizes allowed by the event's rule sheet, and whether the fewest points win. The newest row counts."""

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="rules_at_tables")
    title = models.CharField(max_length=200)
    fewest = models.PositiveSmallIntegerField()
    most = models.PositiveSmallIntegerField()
    low_wins = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.title}: {self.fewest} to {self.most} at a table"


class LateEntry(OrderedFact):
    """A late entry that takes over a bye in round one. The draw itself does not change.

    `match` is the new match against `bye`, the entry that had the bye. `open_byes` are the entries whose byes were
    open, in the order of the draw. The entries in `kept_apart` were skipped because they are kept apart from the late
    entry.
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
    """Undoes a late entry before its match is called or started. The bye is restored."""

    late_entry = models.OneToOneField(LateEntry, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.late_entry}, taken back"


class PartnerSeal(OrderedFact):
    """The published seal of a partner draw: the list of players, the pairs to avoid, and the commitment to a secret.

    `pools` is {"A": numbers, "B": numbers}, or empty if there is only one pool. `same_person` and `before` (former
    partners) are pairs of entry numbers. Only the newest seal can be used for a draw.
    """

    event = models.ForeignKey("tournament.Event", on_delete=models.CASCADE, related_name="partner_seals")
    draw_id = models.CharField(max_length=130)
    numbers = models.JSONField()
    pools = models.JSONField(default=dict, blank=True)
    same_person = models.JSONField(default=list, blank=True)
    before = models.JSONField(default=list, blank=True)
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)

    class Meta(OrderedFact.Meta):
        constraints: ClassVar = [models.UniqueConstraint(fields=["event", "draw_id"], name="one_seal_a_partner_draw")]

    def __str__(self) -> str:
        return self.draw_id


class PartnerDraw(Fact):
    """A partner draw made from a sealed random order and a cut of the deck.

    Only the director sees it until it is posted.

    Each of the `pairs` becomes an entry when the draw is posted. `left` are the entries without a partner.
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
    """Undoes a partner draw before the event itself is drawn. The partner draw stays on record."""

    draw = models.OneToOneField(PartnerDraw, on_delete=models.CASCADE, related_name="taken_back")

    def __str__(self) -> str:
        return f"{self.draw} taken back"
