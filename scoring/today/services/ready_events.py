"""Create a new event from a ready-made template, or as a copy of an earlier event."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.draws.stages.plan import StageKind
from pairing.stages.selectors.plans import BRACKET_FORMAT, STAGES_FORMAT, TABLES_FORMAT, load_event_format
from pairing.stages.services.plans import choose_format
from scoring.posting.selectors.card_status import load_correction_terms
from scoring.posting.services.correction_period import set_correction_terms
from scoring.rules.sheet.card_status import CorrectionTerms
from scoring.rulesheets.selectors import load_current_rule_sheet
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tournament.core.permissions import Actor
from tournament.errors import Conflict
from tournament.models import Event, Tournament, User
from tournament.money.selectors.side_pools import read_side_pool_terms
from tournament.money.services.side_pools import (
    EventExtraTerms,
    SidePoolTerms,
    add_event_extra,
    add_side_pool,
    remove_event_extra,
    remove_side_pool,
)
from tournament.registration.selectors.entries import APPROVAL_ROLES
from tournament.setup.forms import propose_slug
from tournament.setup.services.tournaments import change_event, create_event

COPIED_SETTINGS: Final = (
    "name", "entry_size", "partners", "approvals", "sites", "fee_cents", "early_fee_cents", "capacity", "promotion",
    "reentry", "prize_percent", "prize_scale", "unit_cents", "added_cents", "guarantee_cents", "discounts_from",
    "absent_by_round", "prizes_by", "prize_table", "flat_cents", "reentry_fee_cents",
)  # fmt: skip
COPIED_DATES: Final = ("early_until", "opens_at", "closes_at", "reentry_until")
"""The dates that are copied to a new event. Each date keeps its distance in days from the tournament's first day."""
READY_MADE_PRIZE_PERCENT: Final = "82"
"""The percentage of the fees that every ready-made event pays out."""
GRA_EVENT_SETTINGS: Final[Mapping[str, Any]] = {
    "approvals": list(APPROVAL_ROLES),
    "prize_percent": READY_MADE_PRIZE_PERCENT,
    "prize_scale": ["40", "24", "10", "10", "4", "4", "4", "4"],
    "unit_cents": 5_00,
    "fee_cents": 300_00,
}
"""The settings for events under the Gin Rummy Association's rule sheets of 2012."""
CLUB_EVENT_SETTINGS: Final[Mapping[str, Any]] = {
    "approvals": [],
    "prize_percent": READY_MADE_PRIZE_PERCENT,
    "prize_scale": ["50", "30", "20"],
    "unit_cents": 1_00,
    "fee_cents": 20_00,
}
"""The settings for a club evening, which needs no approvals."""
PAIRS_EVENT_SETTINGS: Final[Mapping[str, Any]] = {"entry_size": 2, "partners": Event.Partners.TOGETHER.value}
EARLY_FEE_LEAD_TIME: Final = timedelta(days=14)
REGISTRATION_END_TIME: Final = time(9, 0)
"""The local time at which registration closes on the first day."""
MAX_LISTED_EARLIER_EVENTS: Final = 50
"""The maximum number of former events to list."""

GRA_PAIRS_PLAN: Final[Mapping[str, Any]] = {
    "stages": [
        {"kind": "record", "games": 5, "losses": 2, "wins": 4, "unbeaten_play_on": True},
        {"kind": "single-elimination", "byes_to": [5], "fallback": "standing"},
    ]
}
"""The stages of the partnership event. Source: GRA 2012, partnership rules 1 to 3."""
SWISS_PLAN: Final[Mapping[str, Any]] = {"stages": [{"kind": "swiss", "rounds": 4}]}
LADDER_PLAN: Final[Mapping[str, Any]] = {"stages": [{"kind": "ladder"}]}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventTemplate:
    """All settings of a new event. If `rules` or `terms` is None, the defaults are used."""

    settings: Mapping[str, Any]
    format: str
    options: Mapping[str, Any]
    rules: ChosenRules | None
    terms: CorrectionTerms | None = None
    side_pools: tuple[SidePoolTerms, ...] = ()
    extras: tuple[EventExtraTerms, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyMadeEvent:
    """A ready-made event that a director can start without going through the setup."""

    name: str
    title: Any
    sentence: Any
    rules: ChosenRules
    format: str = BRACKET_FORMAT
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=lambda: CLUB_EVENT_SETTINGS)
    early_fee_cents: int | None = None
    """The fee in cents for early entries. It is used only if the tournament starts in two weeks or later."""

    def make_template(self, tournament: Tournament, now: datetime) -> EventTemplate:
        settings = {"name": str(self.title), **self.settings, **self._make_dates(tournament, now)}
        return EventTemplate(settings=settings, format=self.format, options=self.options, rules=self.rules)

    def _make_dates(self, tournament: Tournament, now: datetime) -> dict[str, Any]:
        """Return the closing time, and the early-bird fee with its deadline. Times in the past are left out."""
        zone = ZoneInfo(tournament.time_zone)
        closes, early = (
            datetime.combine(tournament.starts_on, REGISTRATION_END_TIME, zone),
            tournament.starts_on - EARLY_FEE_LEAD_TIME,
        )
        dates: dict[str, Any] = {"closes_at": closes} if closes > now else {}
        if self.early_fee_cents is not None and early >= now.astimezone(zone).date():
            dates |= {"early_fee_cents": self.early_fee_cents, "early_until": early}
        return dates


READY_MADE_EVENTS: Final = (
    ReadyMadeEvent(
        name="gra-singles",
        title=gettext_lazy("GRA singles"),
        sentence=gettext_lazy("One on one by the Association’s rules: lose a match and you are eliminated."),
        rules=ChosenRules("gra-singles", {}),
        settings=GRA_EVENT_SETTINGS,
        early_fee_cents=275_00,
    ),
    ReadyMadeEvent(
        name="gra-partnership",
        title=gettext_lazy("GRA partnership"),
        sentence=gettext_lazy("Partners sit side by side: up to five qualifying games, then a bracket."),
        rules=ChosenRules("gra-partnership", {}),
        format=STAGES_FORMAT,
        options=GRA_PAIRS_PLAN,
        settings={**GRA_EVENT_SETTINGS, **PAIRS_EVENT_SETTINGS},
    ),
    ReadyMadeEvent(
        name="fort-worth",
        title=gettext_lazy("Fort Worth"),
        sentence=gettext_lazy("Up to four at a table, with a new wild rank every hand. The lowest total wins."),
        rules=ChosenRules("fort-worth", {}),
        format=TABLES_FORMAT,
        options={"size": 4, "rounds": 2},
    ),
    ReadyMadeEvent(
        name="word-gin",
        title=gettext_lazy("Word gin"),
        sentence=gettext_lazy("Two players make words instead of melds, in four rounds of winners against winners."),
        rules=ChosenRules("word-gin", {}),
        format=STAGES_FORMAT,
        options=SWISS_PLAN,
    ),
    ReadyMadeEvent(
        name="captain",
        title=gettext_lazy("Captain"),
        sentence=gettext_lazy("Three at a table: the box plays the captain while the third player sits out."),
        rules=ChosenRules("captain", {}),
        format=TABLES_FORMAT,
        options={"size": 3, "full": True, "rounds": 3},
    ),
    ReadyMadeEvent(
        name="oklahoma",
        title=gettext_lazy("Oklahoma"),
        sentence=gettext_lazy("The up card limits the knock, a spade counts double, and one loss eliminates."),
        rules=ChosenRules("oklahoma", {}),
    ),
    ReadyMadeEvent(
        name="hollywood",
        title=gettext_lazy("Hollywood"),
        sentence=gettext_lazy("Two players score three games at once from the same hands, in four rounds."),
        rules=ChosenRules("hollywood", {}),
        format=STAGES_FORMAT,
        options=SWISS_PLAN,
    ),
    ReadyMadeEvent(
        name="couples",
        title=gettext_lazy("Couples (Metzker)"),
        sentence=gettext_lazy("Guys against girls in three games at once, and one side moves a seat every round."),
        rules=ChosenRules("metzker", {}),
        format=StageKind.ROTATION.value,
    ),
    ReadyMadeEvent(
        name="court-whist",
        title=gettext_lazy("Court Whist"),
        sentence=gettext_lazy("Seven games of whist at tables of four, and everybody keeps getting new partners."),
        rules=ChosenRules("court-whist", {}),
        format=StageKind.COURT_WHIST.value,
    ),
    ReadyMadeEvent(
        name="score-pads",
        title=gettext_lazy("Score pads"),
        sentence=gettext_lazy("Hearts or another card game from the book, at tables of four."),
        rules=ChosenRules("score-pad", {"game": "hearts"}),
        format=TABLES_FORMAT,
        options={"size": 4, "full": True, "rounds": 1},
    ),
    ReadyMadeEvent(
        name="ladder",
        title=gettext_lazy("Ladder evening"),
        sentence=gettext_lazy("The winner stays at the table, and the loser goes to the end of the line."),
        rules=ChosenRules("standard", {}),
        format=STAGES_FORMAT,
        options=LADDER_PLAN,
    ),
)


def find_ready_made_event(name: str) -> ReadyMadeEvent | None:
    return next((ready for ready in READY_MADE_EVENTS if ready.name == name), None)


# --- Copies of former events -----------------------------------------------------------------------------------------


def load_earlier_events(user: User) -> list[Event]:
    """Return the newest events from all tournaments in which the user has a role.

    Superusers get the events of all tournaments. Events in copies of tournaments are left out.
    """
    events = Event.objects.filter(tournament__is_copy=False).select_related("tournament")
    events = events.order_by("-tournament__starts_on", "-pk")
    if not user.is_superuser:
        events = events.filter(tournament__roles__user=user).distinct()
    return list(events[:MAX_LISTED_EARLIER_EVENTS])


def make_template_from_event(former: Event, tournament: Tournament) -> EventTemplate:
    """Copy a former event's settings for a new event in this tournament."""
    by = tournament.starts_on - former.tournament.starts_on
    zones = ZoneInfo(former.tournament.time_zone), ZoneInfo(tournament.time_zone)
    dates = {name: _shift_date(getattr(former, name), by, zones) for name in COPIED_DATES}
    return EventTemplate(
        settings={name: getattr(former, name) for name in COPIED_SETTINGS} | dates,
        format=load_event_format(former),
        options=_read_format_options(former),
        rules=_load_rules_of_event(former),
        terms=load_correction_terms(former),
        side_pools=tuple(SidePoolTerms(**read_side_pool_terms(pool)) for pool in former.side_pools.all()),
        extras=tuple(EventExtraTerms(extra.name, extra.price_cents) for extra in former.extras.all()),
    )


def _read_format_options(former: Event) -> dict[str, Any]:
    if load_event_format(former) == STAGES_FORMAT:
        return dict(former.plan)
    (stage,) = former.plan["stages"]
    return {name: value for name, value in stage.items() if name not in ("kind", "name")}


def _load_rules_of_event(former: Event) -> ChosenRules | None:
    sheet = load_current_rule_sheet(former)
    if sheet is None:
        return None
    lengths = tuple(sheet.lengths)
    return ChosenRules(
        sheet.variant, sheet.options, sheet.games_to_win, sheet.remarks, lengths, sheet.unfinished, sheet.seats
    )


def _shift_date(day: date | datetime | None, by: timedelta, zones: tuple[ZoneInfo, ZoneInfo]) -> date | datetime | None:
    """Move a date or a time by this difference. A time keeps its local hour in the new time zone."""
    if isinstance(day, datetime):
        local = day.astimezone(zones[0])
        return datetime.combine(local.date() + by, local.time(), zones[1])
    return None if day is None else day + by


# --- Start an event --------------------------------------------------------------------------------------------------


def create_event_from_template(tournament: Tournament, template: EventTemplate, *, by: Actor, key: str) -> Event:
    """Create a draft from a template. A repeated request with the same key returns the same draft."""
    with transaction.atomic():
        taken = tournament.events.values_list("slug", flat=True)
        slug = propose_slug(template.settings["name"], "event", taken)
        event = create_event(tournament, by=by, key=key, in_steps=True, slug=slug, **template.settings)
        _apply_template(event, template, by=by, key=key)
    return event


def apply_template_to_draft(event: Event, template: EventTemplate, *, by: Actor) -> Event:
    """Replace all settings of a draft with those of a template. The draft's URL stays the same.

    Raises:
        Conflict: `not-a-draft` if registration has opened.
    """
    if event.state != Event.State.DRAFT:
        raise Conflict("not-a-draft", _("Registration has opened. Change the event under Setup instead."))
    with transaction.atomic():
        usual = {name: getattr(Event(), name) for name in (*COPIED_SETTINGS, *COPIED_DATES)}
        changed = change_event(event, {**usual, **template.settings}, by=by)
        for pool in changed.side_pools.select_related("event__tournament"):
            remove_side_pool(pool, by=by)
        for extra in changed.extras.select_related("event__tournament"):
            remove_event_extra(extra, by=by)
        _apply_template(changed, template, by=by)
    return changed


def _apply_template(event: Event, template: EventTemplate, *, by: Actor, key: str = "") -> None:
    choose_format(event, template.format, template.options, by=by, key=key)
    event.refresh_from_db(fields=["plan"])
    if template.rules is not None:
        save_rule_sheet(event, template.rules, by=by, key=key)
    if template.terms is not None:
        set_correction_terms(event, template.terms, by=by, key=key)
    for pool in template.side_pools:
        add_side_pool(event, pool, by=by, key=key)
    for extra in template.extras:
        add_event_extra(event, extra, by=by, key=key)
