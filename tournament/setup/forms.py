"""Forms for tournaments, events, and the setup of an event in four steps."""

import zoneinfo
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from itertools import chain, count
from typing import Any, ClassVar, Final

from django import forms
from django.db.models import QuerySet
from django.forms import BoundField
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from tzlocal import get_localzone_name

from tournament.core.forms import CentsField, PercentField, PrizeScaleField
from tournament.core.selectors.installation import load_club
from tournament.errors import DomainError
from tournament.models import Event, Tournament
from tournament.money.providers import list_provider_choices
from tournament.purse.fees import FeeTerms
from tournament.purse.pool import read_prize_percent
from tournament.purse.prizes import FlatAmounts, make_prize_scale, make_prize_table
from tournament.registration.selectors.entries import APPROVAL_ROLES
from tournament.spreadsheets import normalize_text
from tournament.spreadsheets.names import parse_number

RESERVED_SLUGS: Final = frozenset(
    {
        "log",
        "staff",
        "settings",
        "new",
        "new-event",
        "remove-demo",
        "remove-copy",
        "player",
        "players",
        "jobs",
        "rulings",
        "backups",
    }
)
"""URL segments that are used by other pages. They cannot be slugs of tournaments or events."""

MAX_SLUG_LENGTH: Final = 60


def propose_slug(name: str, otherwise: str, taken: Iterable[str]) -> str:
    """Return a free slug made from the name, or from `otherwise` if the name has no usable letters.

    >>> propose_slug("Desert Classic 2026", "tournament", ["desert-classic-2026"])
    'desert-classic-2026-2'
    >>> propose_slug("Log", "event", []), propose_slug("東京", "event", ["event", "event-2"])
    ('log-2', 'event-3')
    """
    stem = slugify(name)[: MAX_SLUG_LENGTH - 4].strip("-_") or otherwise
    used = RESERVED_SLUGS.union(taken)
    tries = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(slug for slug in tries if slug not in used)


# --- Fields ----------------------------------------------------------------------------------------------------------

CURRENCIES = ("USD", "EUR", "GBP", "CAD", "AUD", "CHF", "MXN")
"""Currencies with two decimal places, because every amount is stored in cents."""
MAX_SITE_NAME_LENGTH = 100
MIN_YEAR, MAX_YEAR = 1900, 2200
"""The range of years that forms accept. Other years are typos, and some cannot be converted between time zones."""


class FlatPrizesField(forms.CharField):
    """Fixed amounts by place, best first, such as “500, 300, 200”.

    A comma always separates two amounts and is never a thousands separator.
    """

    def clean(self, value: Any) -> list[int]:
        parts = [part.strip() for part in super().clean(value).replace(";", ",").split(",") if part.strip()]
        if "000" in parts:
            raise forms.ValidationError(_("Write each amount without a comma inside, such as 1000, 500."))
        return [CentsField().clean(part) for part in parts]

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(CentsField().prepare_value(one) for one in value) if isinstance(value, list) else value


class PrizeTableField(forms.CharField):
    """A prize table. The line “8: 65, 35” means prizes of 65 and 35 percent with 8 or more entries."""

    widget = forms.Textarea(attrs={"rows": 8})

    def clean(self, value: Any) -> list[list[Any]]:
        return [_parse_table_row(line) for line in super().clean(value).splitlines() if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        return "\n".join(f"{begin}: {', '.join(percents)}" for begin, percents in value)


def _parse_table_row(line: str) -> list[Any]:
    begin, colon, percents = line.partition(":")
    entries = parse_number(begin.strip())
    if not colon or not entries:
        message = _(
            "“%(line)s” is not a row of the table. Write the number of entries, a colon and the percents: 8: 65, 35"
        )
        raise forms.ValidationError(message % {"line": line.strip()[:40]})
    return [entries, PrizeScaleField(required=False).clean(percents)]


class _LinesField(forms.CharField):
    """A list of names, one on each line."""

    widget = forms.Textarea(attrs={"rows": 3})

    def clean(self, value: Any) -> list[str]:
        lines = [normalize_text(line) for line in super().clean(value).splitlines()]
        if any(len(line) > MAX_SITE_NAME_LENGTH for line in lines):
            raise forms.ValidationError(_("Keep each line under 100 characters."))
        return [line for line in lines if line]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


def _validate_year(value: date) -> None:
    if not MIN_YEAR <= value.year <= MAX_YEAR:
        raise forms.ValidationError(_("Write the year with four digits, such as 2026."))


def _make_date_input() -> forms.DateInput:
    return forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


def _make_date_time_input() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


# --- Tournaments and events ------------------------------------------------------------------------------------------


class _SlugForm(forms.ModelForm):
    """A form for an object with a slug. If the user leaves the slug empty, it is made from the name.

    `load_objects_with_slugs` returns all objects whose slugs have to be different.
    """

    otherwise: ClassVar[str]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["slug"].required = self.instance.pk is not None
        for field in self.fields.values():
            if isinstance(field, forms.DateField | forms.DateTimeField):
                field.validators.append(_validate_year)

    def load_objects_with_slugs(self) -> QuerySet[Any]:
        raise NotImplementedError

    def clean_slug(self) -> str:
        typed = self.cleaned_data["slug"]
        if typed in RESERVED_SLUGS:
            raise forms.ValidationError(_("The program uses this word itself. Choose another web address."))
        if typed:
            return typed
        taken = self.load_objects_with_slugs().values_list("slug", flat=True)
        return propose_slug(self.cleaned_data.get("name", ""), self.otherwise, taken)


def find_default_time_zone() -> str:
    """Return the club's time zone, or this machine's if nobody has entered the club."""
    club = load_club()
    return club.time_zone if club is not None else _find_machine_time_zone()


def _find_machine_time_zone() -> str:
    """Return this machine's time zone. If it is not a geographic zone, return the model's default."""
    usual: str = Tournament._meta.get_field("time_zone").get_default()
    try:
        zone = get_localzone_name()
    except LookupError:
        return usual
    is_place = zone in zoneinfo.available_timezones() and "/" in zone and not zone.startswith("Etc/")
    return zone if is_place else usual


US_TIME_ZONES: Final = (
    ("America/New_York", _("New York (Eastern)")),
    ("America/Chicago", _("Chicago (Central)")),
    ("America/Denver", _("Denver (Mountain)")),
    ("America/Phoenix", _("Phoenix (Arizona)")),
    ("America/Los_Angeles", _("Los Angeles (Pacific)")),
    ("America/Anchorage", _("Anchorage (Alaska)")),
    ("Pacific/Honolulu", _("Honolulu (Hawaii)")),
)
TIME_ZONE_REGIONS: Final = {
    "America": _("America"),
    "Europe": _("Europe"),
    "Asia": _("Asia"),
    "Africa": _("Africa"),
    "Australia": _("Australia"),
    "Pacific": _("Pacific Ocean"),
    "Atlantic": _("Atlantic Ocean"),
    "Indian": _("Indian Ocean"),
    "Arctic": _("Arctic"),
    "Antarctica": _("Antarctica"),
}
"""The regions in the order of the list. Zones of other regions, such as US/Pacific, are other names of listed zones."""


_TimeZoneGroup = tuple[str | Promise, list[tuple[str, str | Promise]]]


def _list_time_zone_choices(own: str) -> list[_TimeZoneGroup]:
    """Return the time zones by region, starting with the regions where most venues are. `own` is always included.

    The city comes first in each label, because browsers jump to the label that begins with the typed letters.
    """
    regions: dict[str, list[tuple[str, str | Promise]]] = {region: [] for region in TIME_ZONE_REGIONS}
    listed = {zone for zone, _label in US_TIME_ZONES}
    for zone in sorted(zoneinfo.available_timezones() - listed):
        region, _slash, city = zone.partition("/")
        if region in regions and city:
            regions[region].append((zone, city.replace("_", " ").replace("/", ", ")))
            listed.add(zone)
    groups: list[_TimeZoneGroup] = [(_("United States"), list(US_TIME_ZONES))]
    groups += [(TIME_ZONE_REGIONS[region], zones) for region, zones in regions.items() if zones]
    if own not in listed:
        groups.append((_("Other"), [(own, own)]))
    return groups


class TimeZoneField(forms.ChoiceField):
    """A choice of time zones. The club's is selected, or the device's if nobody has entered the club."""

    widget = forms.Select(attrs={"data-own-zone": ""})

    def __init__(self, **options: Any) -> None:
        super().__init__(
            initial=find_default_time_zone, choices=lambda: _list_time_zone_choices(find_default_time_zone()), **options
        )


class TournamentForm(_SlugForm):
    """A tournament's settings. A user who has not chosen a name yet also enters their own name here."""

    otherwise = "tournament"
    your_name = forms.CharField(
        label=_("Your own name"),
        max_length=200,
        help_text=_("Everything you do in this tournament is recorded under this name."),
        widget=forms.TextInput(attrs={"autocomplete": "name", "autocapitalize": "words"}),
    )
    time_zone = TimeZoneField(label=_("Time zone of the venue"))
    currency = forms.ChoiceField(label=_("Currency"), choices=[(c, c) for c in CURRENCIES])
    providers = forms.MultipleChoiceField(
        label=_("How players can pay"),
        required=False,
        choices=list_provider_choices,
        widget=forms.CheckboxSelectMultiple,
        initial=["desk"],
        help_text=_("With none checked, players pay at the desk."),
    )

    class Meta:
        model = Tournament
        fields = (
            "name",
            "slug",
            "venue",
            "starts_on",
            "ends_on",
            "time_zone",
            "currency",
            "providers",
            "bank_account",
            "contact",
            "about",
            "publishes_names",
        )
        labels: ClassVar = {
            "name": _("Name"),
            "venue": _("Venue"),
            "slug": _("Web address"),
            "starts_on": _("First day"),
            "ends_on": _("Last day"),
            "contact": _("How players reach the director"),
            "about": _("About the tournament"),
            "publishes_names": _("Show the names of players in public"),
            "bank_account": _("Bank account for transfers"),
        }
        help_texts: ClassVar = {
            "slug": _("Letters and hyphens, such as desert-classic-2026. Leave empty to make one from the name."),
            "publishes_names": _("Each player can still ask that only their initials are shown."),
            "bank_account": _("As players read it: bank, account number, and the name on the account."),
        }
        widgets: ClassVar = {
            "starts_on": _make_date_input(),
            "ends_on": _make_date_input(),
            "about": forms.Textarea(attrs={"rows": 3}),
            "bank_account": forms.Textarea(attrs={"rows": 3}),
        }

    def __init__(self, *args: Any, asks_own_name: bool = False, **options: Any) -> None:
        super().__init__(*args, **options)
        if not asks_own_name:
            del self.fields["your_name"]
        if self.is_bound or self.instance.pk or load_club() is not None:
            del self.fields["time_zone"].widget.attrs["data-own-zone"]
        if self.instance.pk:
            time_zone = self.fields["time_zone"]
            assert isinstance(time_zone, forms.ChoiceField)
            time_zone.choices = _list_time_zone_choices(self.instance.time_zone)

    def load_objects_with_slugs(self) -> QuerySet[Any]:
        return Tournament.objects.all()

    def clean_providers(self) -> list[str]:
        return self.cleaned_data["providers"] or ["desk"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        first, last = cleaned.get("starts_on"), cleaned.get("ends_on")
        if first and last and last < first:
            self.add_error("ends_on", _("The last day is before the first day. Correct one of them."))
        if "transfer" in cleaned.get("providers", ()) and not cleaned.get("bank_account", "").strip():
            self.add_error("bank_account", _("Players need to know where to transfer the fee. Enter the account."))
        return cleaned


class EventForm(_SlugForm):
    otherwise = "event"
    fee_cents = CentsField(label=_("Entry fee"))
    early_fee_cents = CentsField(label=_("Early-bird fee"), required=False)
    late_fee_cents = CentsField(label=_("Late fee"), required=False)
    reentry_fee_cents = CentsField(
        label=_("Re-entry fee"), required=False, help_text=_("Leave empty if a re-entry costs as much as an entry.")
    )
    added_cents = CentsField(label=_("Money added to the pool"), required=False)
    guarantee_cents = CentsField(label=_("Guaranteed pool"), required=False)
    unit_cents = CentsField(
        label=_("Divide the pool in whole units of"),
        initial=Event._meta.get_field("unit_cents").get_default,
        help_text=_(
            "Each place is rounded down to whole units. Units left over go one each to the places that lost the most "
            "by rounding. First place gets what is less than a unit. Enter 0.01 to pay to the cent."
        ),
    )
    prize_scale = PrizeScaleField(
        label=_("Prize scale in percent, first place first"),
        initial=Event._meta.get_field("prize_scale").get_default,
        help_text=_("Percents that add up to 100, for example 50, 30, 20."),
    )
    prizes_by = forms.ChoiceField(
        label=_("How the pool is divided"), required=False, choices=Event.PrizesBy.choices, initial=Event.PrizesBy.SCALE
    )
    prize_table = PrizeTableField(
        label=_("Prize table"),
        required=False,
        initial=Event._meta.get_field("prize_table").get_default,
        help_text=_(
            "Where percents follow the number of entries. A line: from how many entries on, a colon, percents."
        ),
    )
    flat_cents = FlatPrizesField(
        label=_("Flat amounts, first place first"),
        required=False,
        help_text=_("Such as 500, 300, 200. The pool is at least their sum. The rest goes to first place."),
    )
    discounts_from = forms.ChoiceField(
        label=_("Discounts and complimentary entries"),
        required=False,
        choices=Event.DiscountSource.choices,
        initial=Event.DiscountSource.EXPENSES,
    )
    settlement = forms.ChoiceField(
        label=_("Settlement between players"),
        required=False,
        choices=Event.Settlement.choices,
        initial=Event.Settlement.OFF,
        help_text=_(
            "For games with a value per point, such as Fort Worth Gin. Playing for money is against the law in many "
            "places, so find out first. The prize pool never includes it."
        ),
    )
    partners = forms.ChoiceField(
        label=_("How partners come together"),
        required=False,
        choices=Event.Partners.choices,
        initial=Event.Partners.ONE_POOL,
    )
    approvals = forms.MultipleChoiceField(
        label=_("Required approvals"),
        required=False,
        choices=[("director", _("Director")), ("coordinator", _("Coordinator")), ("hotel", _("Hotel"))],
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Each of them approves every entry. The Association's rules require all three. A change "
            "affects only later entries."
        ),
    )
    sites = _LinesField(
        label=_("Sites"),
        required=False,
        help_text=_("For an event at several places: one on each line. Entrants choose where they play."),
    )
    reason = forms.CharField(
        label=_("Reason"), required=False, help_text=_("Required if you change fees or prizes after the draw")
    )

    class Meta:
        model = Event
        fields = (
            "name", "slug", "entry_size", "partners", "approvals", "sites", "second_chance_of", "fee_cents",
            "early_fee_cents", "early_until", "late_fee_cents", "late_from", "capacity", "promotion", "starts_at",
            "opens_at", "closes_at", "reentry", "reentry_until", "prize_percent", "prize_scale", "unit_cents",
            "added_cents", "guarantee_cents", "discounts_from", "absent_by_round", "prizes_by", "prize_table",
            "flat_cents", "reentry_fee_cents", "settlement",
        )  # fmt: skip
        labels: ClassVar = {
            "name": _("Name"),
            "slug": _("Web address"),
            "entry_size": _("Players per entry"),
            "second_chance_of": _("Second-chance event for players eliminated from"),
            "early_until": _("Last day of the early-bird fee"),
            "late_from": _("First day of the late fee"),
            "starts_at": _("Play starts"),
            "capacity": _("Capacity"),
            "promotion": _("How the waiting list moves"),
            "opens_at": _("Registration opens"),
            "closes_at": _("Registration closes"),
            "reentry": _("A player may enter again after losing"),
            "reentry_until": _("Re-entry until"),
            "prize_percent": _("Percent of the entry fees in the prize pool"),
            "absent_by_round": _("A qualifier who does not come gets the money of the round reached"),
        }
        help_texts: ClassVar = {
            "capacity": _("Leave empty for no limit."),
            "absent_by_round": _("They tie with the players who lose in the first round of the play-off or finals."),
            "reentry": _("At the desk, once they are eliminated: into a pool that is played, or for an open bye."),
            "prize_percent": _("82 is usual, and the rest is for expenses. Enter 100 to pay out all of the fees."),
            "slug": _("Such as singles. Leave empty to make one from the name."),
        }
        field_classes: ClassVar = {"prize_percent": PercentField}
        widgets: ClassVar = {
            "entry_size": forms.Select(choices=[(1, _("One player")), (2, _("A pair"))]),
            "early_until": _make_date_input(),
            "late_from": _make_date_input(),
            "starts_at": _make_date_time_input(),
            "opens_at": _make_date_time_input(),
            "closes_at": _make_date_time_input(),
            "reentry_until": _make_date_time_input(),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        first = self.fields["second_chance_of"]
        assert isinstance(first, forms.ModelChoiceField)
        first.empty_label = str(_("no other event"))
        first.queryset = self.load_objects_with_slugs().exclude(pk=self.instance.pk).order_by("pk")

    def load_objects_with_slugs(self) -> QuerySet[Any]:
        return Event.objects.filter(tournament=self.instance.tournament_id)

    def clean_added_cents(self) -> int:
        return self.cleaned_data["added_cents"] or 0

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in ("partners", "settlement", "discounts_from", "prizes_by", "prize_table", "flat_cents"):
            if name in cleaned:
                cleaned[name] = cleaned[name] or getattr(self.instance, name)
        early, until = cleaned.get("early_fee_cents"), cleaned.get("early_until")
        if (early is None) != (until is None):
            self.add_error("early_until", _("Fill in the early-bird fee and its last day, or leave both empty."))
        if cleaned.get("reentry_until") and not cleaned.get("reentry"):
            self.add_error("reentry", _("Check this box, or leave the re-entry deadline empty."))
        return cleaned


# --- Setup in four steps ---------------------------------------------------------------------------------------------
# Rare fields are behind “More choices”.

EVENT_STATES_AFTER_DRAW: Final = (Event.State.DRAWN, Event.State.IN_PLAY)
MONEY_SETUP_STEPS: Final = ("money", "prizes")


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A step in the setup of an event. Its `rare` fields are collapsed, unless one of them has an error."""

    name: str
    title: Any
    fields: tuple[str, ...]
    rare: tuple[str, ...] = ()


RARELY_USED_PRIZE_FIELDS: Final = (
    *("prizes_by", "prize_table", "flat_cents", "guarantee_cents", "unit_cents"),
    *("absent_by_round", "settlement"),
)
RARELY_USED_FEE_FIELDS: Final = ("late_fee_cents", "late_from", "reentry_fee_cents", "discounts_from")
SETUP_STEPS: Final = (
    SetupStep("what", _("What and when"), ("name", "starts_at", "opens_at", "closes_at"), ("slug",)),
    SetupStep(
        "who",
        _("Who may enter"),
        ("partners", "approvals", "capacity"),
        ("entry_size", "promotion", "reentry", "reentry_until", "second_chance_of", "sites"),
    ),
    SetupStep("money", _("Money"), ("fee_cents", "early_fee_cents", "early_until"), RARELY_USED_FEE_FIELDS),
    SetupStep("prizes", _("Prizes"), ("prize_percent", "prize_scale", "added_cents"), RARELY_USED_PRIZE_FIELDS),
)
SETUP_FIELD_LABELS: Final[dict[str, Any]] = {
    "partners": _("How partners come together"),
    "second_chance_of": _("Second-chance event for players eliminated from"),
    "promotion": _("How the waiting list moves"),
    "prize_percent": _("Percent of the entry fees in the prize pool"),
    "early_until": _("Last day of the early-bird fee"),
    "late_from": _("First day of the late fee"),
}
SETUP_FIELD_HINTS: Final[dict[str, Any]] = {
    "opens_at": _("Leave empty: as soon as you open registration."),
    "closes_at": _("Leave empty: until you close registration."),
    "early_fee_cents": _("For those who enter early. Leave empty if there is none."),
    "early_until": _("Leave empty if there is no early-bird fee."),
    "late_fee_cents": _("For those who enter late, such as walk-ins on the day. Leave empty if there is none."),
    "late_from": _("Leave empty if there is no late fee."),
    "starts_at": _("When the first cards are dealt. Shown to players."),
    "slug": _("The last part of the event’s address. Short, such as singles."),
}


def group_fields_by_step(form: forms.BaseForm) -> list[tuple[Any, list[BoundField]]]:
    """Return a form's fields grouped by the titles of their setup steps. Fields that belong to no step come last."""
    named = [(step.title, (*step.fields, *step.rare)) for step in SETUP_STEPS]
    placed = {name for _title, names in named for name in names}
    named.append(("", tuple(name for name in form.fields if name not in placed)))
    parts = [(title, [form[name] for name in names if name in form.fields]) for title, names in named]
    return [(title, fields) for title, fields in parts if fields]


def find_setup_step(name: str) -> SetupStep | None:
    return next((step for step in SETUP_STEPS if step.name == name), None)


class SetupStepForm(EventForm):
    """A form with one setup step's fields for an existing event."""

    def __init__(self, data: Any = None, *, step: SetupStep, event: Event) -> None:
        super().__init__(data, instance=event)
        self.step = step
        shown = [*step.fields, *step.rare]
        if event.state in EVENT_STATES_AFTER_DRAW and step.name in MONEY_SETUP_STEPS:
            shown.append("reason")
        self.order_fields(shown)
        for name in [name for name in self.fields if name not in shown]:
            del self.fields[name]
        for name, field in self.fields.items():
            field.label, field.help_text = (
                SETUP_FIELD_LABELS.get(name, field.label),
                SETUP_FIELD_HINTS.get(name, field.help_text),
            )
        if "entry_size" in self.fields:
            self.fields["entry_size"].widget = forms.RadioSelect(choices=[(1, _("One player")), (2, _("A pair"))])

    @property
    def common_fields(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name not in self.step.rare]

    @property
    def rare_fields(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name in self.step.rare]

    @property
    def has_rare_error(self) -> bool:
        return any(field.errors for field in self.rare_fields)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens and closes and opens >= closes:
            self.add_error("closes_at", _("Registration closes before it opens. Correct one of the two."))
        fees = ("fee_cents", "early_fee_cents", "early_until", "late_fee_cents", "late_from")
        if cleaned.keys() >= {*fees}:
            usual, early, until, late, since = (cleaned[name] for name in fees)
            self._call_or_add_error("early_fee_cents", lambda: FeeTerms(usual, early, until))
            self._call_or_add_error("late_fee_cents", lambda: FeeTerms(usual, late_fee_cents=late, late_from=since))
            self._call_or_add_error("late_from", lambda: FeeTerms(usual, early, until, late, since))
        if "prize_percent" in cleaned:
            self._call_or_add_error("prize_percent", lambda: read_prize_percent(cleaned["prize_percent"]))
        if "prize_scale" in cleaned and cleaned.get("unit_cents"):
            self._call_or_add_error(
                "prize_scale", lambda: make_prize_scale(cleaned["prize_scale"], cleaned["unit_cents"])
            )
        if cleaned.get("prizes_by") == Event.PrizesBy.TABLE and "prize_table" in cleaned:
            self._call_or_add_error("prize_table", lambda: make_prize_table(cleaned["prize_table"]))
        if cleaned.get("prizes_by") == Event.PrizesBy.FLAT and "flat_cents" in cleaned:
            self._call_or_add_error("flat_cents", lambda: FlatAmounts(tuple(cleaned["flat_cents"])))
        return cleaned

    def _call_or_add_error(self, field: str, read: Callable[[], object]) -> None:
        """Call `read`. If it raises a `DomainError`, add the message to the field's errors.

        If the form already has errors, the message is not added.
        """
        try:
            read()
        except DomainError as error:
            if not self.errors:
                self.add_error(field, error.message)


# --- Presets of a new event ------------------------------------------------------------------------------------------
# The Gin Rummy Association's presets follow its rule sheets of 2012.

EVENT_PRESETS: Final[tuple[dict[str, Any], ...]] = (
    {
        "name": "gra-singles",
        "label": _("GRA singles"),
        "initial": {"name": "Singles", "entry_size": 1, "approvals": list(APPROVAL_ROLES), "prize_percent": "82"},
    },
    {
        "name": "gra-partnership",
        "label": _("GRA partnership"),
        "initial": {
            "name": "Partnership",
            "entry_size": 2,
            "partners": Event.Partners.TOGETHER.value,
            "approvals": list(APPROVAL_ROLES),
            "prize_percent": "82",
        },
    },
    {
        "name": "game-night",
        "label": _("Game night"),
        "initial": {"name": "Game night", "entry_size": 1, "approvals": []},
    },
)


def find_preset_values(name: str) -> dict[str, Any]:
    return dict(next((preset["initial"] for preset in EVENT_PRESETS if preset["name"] == name), {"name": "Singles"}))
