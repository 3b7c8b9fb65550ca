"""Tournaments and events, with all settings that a director can change."""

from copy import deepcopy
from functools import partial
from typing import Any, ClassVar, Final

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.models.base import NameField, OrderedFact

DEFAULT_EXPENSE_CATEGORIES: Final = [
    *("Advertising", "Brochures", "Postage", "Stationery", "Office supplies", "Phone calls", "Charts", "Trays"),
    *("Staff", "Computer", "Internet", "Website", "Travel", "Awards"),
]
"""Categories of expenses that may be paid from entry fees (GRA 2012, the note below the rules)."""
DEFAULT_PAYMENT_PROVIDERS: Final = ["desk"]


class Tournament(models.Model):
    slug = models.SlugField(max_length=60, unique=True)
    name = NameField(max_length=200)
    venue = NameField(max_length=200)
    starts_on = models.DateField()
    ends_on = models.DateField()
    time_zone = models.CharField(max_length=60, default="America/Los_Angeles")
    currency = models.CharField(max_length=3, default="USD")
    contact = NameField(max_length=200, blank=True)
    about = models.TextField(blank=True)
    expense_categories = models.JSONField(
        default=partial(deepcopy, DEFAULT_EXPENSE_CATEGORIES),
        db_default=models.Value(DEFAULT_EXPENSE_CATEGORIES, models.JSONField()),
    )
    tax_form_cents = models.PositiveBigIntegerField(null=True, blank=True)
    """The total winnings from which a player needs a tax form, or None if no form is ever needed."""
    providers = models.JSONField(
        default=partial(deepcopy, DEFAULT_PAYMENT_PROVIDERS),
        db_default=models.Value(DEFAULT_PAYMENT_PROVIDERS, models.JSONField()),
    )
    """Accepted ways to pay entry fees. The names are from `tournament.money.providers`."""

    bank_account = models.TextField(blank=True, default="", db_default="")
    """The bank account details that players see."""

    publishes_names = models.BooleanField(default=True, db_default=True)
    """Whether names are public unless the player objects. This is the default in forms and imported lists."""

    is_demo = models.BooleanField(default=False)
    is_copy = models.BooleanField(default=False, db_default=False)
    """Whether this tournament is a copy to look at or to try things out.

    Every page of a copy is marked COPY, and a copy sends no emails.
    """

    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering: ClassVar = ["-starts_on", "name"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(ends_on__gte=models.F("starts_on")), name="ends_after_it_starts")
        ]

    def __str__(self) -> str:
        return self.name


# --- Events ----------------------------------------------------------------------------------------------------------

DEFAULT_STAGE_PLAN: Final[dict[str, Any]] = {"stages": [{"kind": "single-elimination", "name": "Bracket"}]}
DEFAULT_PRIZE_SCALE: Final = ["50", "30", "20"]
DEFAULT_PRIZE_TABLE: Final[list[list[Any]]] = [
    [1, ["100"]],
    [8, ["65", "35"]],
    [12, ["50", "30", "20"]],
    [16, ["45", "27", "17", "11"]],
    [20, ["40", "25", "16", "11", "8"]],
    [24, ["38", "23", "15", "11", "7", "6"]],
    [28, ["36", "22", "14", "10", "7", "6", "5"]],
    [32, ["40", "24", "10", "10", "4", "4", "4", "4"]],
]
"""The default prize table, in which about one entry in four wins a prize.

Each row has a minimum number of entries and the percentages for that size. The rows for 32 and more entries are the
Association's (GRA 2012).
"""


class Event(models.Model):
    """One competition in a tournament, with its own fee, rule sheet, draw and prizes."""

    class State(models.TextChoices):
        DRAFT = "draft", _("Draft")
        OPEN = "open", _("Open for registration")
        CLOSED = "closed", _("Registration closed")
        DRAWN = "drawn", _("Drawn")
        IN_PLAY = "in-play", _("In play")
        FINISHED = "finished", _("Finished")
        CALLED_OFF = "called-off", _("Called off")

    class Promotion(models.TextChoices):
        ARRIVAL = "arrival", _("In order of entry, as soon as a place comes free")
        PAID_FIRST = "paid-first", _("Paid entries first, then in order of entry")
        DIRECTOR = "director", _("The director chooses")

    class Partners(models.TextChoices):
        """How players form pairs in an event for pairs."""

        TOGETHER = "together", _("Only pairs enter")
        ONE_POOL = "one", _("Pairs enter, or single players: partners are drawn from one pool")
        TWO_POOLS = "a-b", _("Pairs enter, or single players: an A player is drawn with a B player")

    class DiscountSource(models.TextChoices):
        """The source of the money that pays for discounts and complimentary entries."""

        EXPENSES = "expenses", _("From the expenses: the prize pool gets its share of the full fee")
        FEE = "fee", _("From the fee before it is split: prize pool and expenses both get less")

    class PrizesBy(models.TextChoices):
        SCALE = "scale", _("By percents, the same for any number of entries")
        TABLE = "table", _("By percents that follow the number of entries")
        FLAT = "flat", _("By flat amounts, the rest to first place")

    class Settlement(models.TextChoices):
        """Whether players settle up among themselves in a game with a value per point, and who can see the amounts."""

        OFF = "off", _("No settlement")
        DIRECTORS = "directors", _("Computed and printed, for directors")
        PUBLIC = "public", _("Computed and printed, and shown on the event’s page")

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="events")
    slug = models.SlugField(max_length=60)
    name = NameField(max_length=200)
    entry_size = models.PositiveSmallIntegerField(default=1)
    partners = models.CharField(max_length=10, choices=Partners.choices, default=Partners.ONE_POOL)
    second_chance_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="second_chances"
    )
    plan = models.JSONField(default=partial(deepcopy, DEFAULT_STAGE_PLAN))
    """The event's stages in order, each with its kind and terms (`pairing.draws.stages.plan`)."""

    approvals = models.JSONField(default=list, blank=True)
    """The roles that must approve every entry. Possible roles are director, coordinator and hotel."""

    sites = models.JSONField(default=list, blank=True)
    """The names of the event's locations, if it has several."""

    fee_cents = models.PositiveBigIntegerField(default=0)
    early_fee_cents = models.PositiveBigIntegerField(null=True, blank=True)
    early_until = models.DateField(null=True, blank=True)
    late_fee_cents = models.PositiveBigIntegerField(null=True, blank=True)
    late_from = models.DateField(null=True, blank=True)
    capacity = models.PositiveIntegerField(null=True, blank=True)
    promotion = models.CharField(max_length=20, choices=Promotion.choices, default=Promotion.ARRIVAL)
    starts_at = models.DateTimeField(null=True, blank=True)
    """The announced time at which play starts."""

    opens_at = models.DateTimeField(null=True, blank=True)
    closes_at = models.DateTimeField(null=True, blank=True)
    reentry = models.BooleanField(default=False)
    reentry_until = models.DateTimeField(null=True, blank=True)
    reentry_fee_cents = models.PositiveBigIntegerField(null=True, blank=True)
    """The fee for entering again, or None if it equals the normal entry fee."""

    prize_percent = models.CharField(max_length=20, default="82")
    prizes_by = models.CharField(
        max_length=10, choices=PrizesBy.choices, default=PrizesBy.SCALE, db_default=PrizesBy.SCALE
    )
    prize_scale = models.JSONField(default=partial(deepcopy, DEFAULT_PRIZE_SCALE))
    prize_table = models.JSONField(
        default=partial(deepcopy, DEFAULT_PRIZE_TABLE), db_default=models.Value(DEFAULT_PRIZE_TABLE, models.JSONField())
    )
    flat_cents = models.JSONField(default=list, db_default=models.Value([], models.JSONField()), blank=True)
    unit_cents = models.PositiveBigIntegerField(default=100)
    added_cents = models.PositiveBigIntegerField(default=0)
    guarantee_cents = models.PositiveBigIntegerField(null=True, blank=True)
    discounts_from = models.CharField(max_length=10, choices=DiscountSource.choices, default=DiscountSource.EXPENSES)

    absent_by_round = models.BooleanField(default=False, db_default=False)
    """Whether qualifiers who miss a play-off are ranked and paid according to the round they reached."""

    settlement = models.CharField(
        max_length=10, choices=Settlement.choices, default=Settlement.OFF, db_default=Settlement.OFF
    )

    state = models.CharField(max_length=20, choices=State.choices, default=State.DRAFT)
    version = models.PositiveBigIntegerField(default=0)

    class Meta:
        ordering: ClassVar = ["pk"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["tournament", "slug"], name="one_slug_a_tournament")]

    def __str__(self) -> str:
        return self.name


class EventStep(OrderedFact):
    """A change of an event's state. `Event.state` is a copy of the latest state, for queries."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="steps")
    came_from = models.CharField(max_length=20, choices=Event.State.choices)
    went_to = models.CharField(max_length=20, choices=Event.State.choices)

    def __str__(self) -> str:
        return f"{self.event}: {self.came_from} → {self.went_to}"
