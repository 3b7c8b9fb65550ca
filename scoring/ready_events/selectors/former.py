"""Load the former events that a user may copy, and the settings that a copy begins with."""

from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from pairing.plans.selectors import STAGES, format_of
from scoring.correction_period.selectors import load_terms
from scoring.ready_events.selectors.ready import DATES, SETTINGS, Beginning
from scoring.rulesheets.selectors.sheets import current_sheet
from scoring.rulesheets.services import RulesChosen
from tournament.models import Event, Tournament, User
from tournament.money.selectors.side_pools import side_pool_terms
from tournament.money.services.side_pools import ExtraTerms, SidePoolTerms

MOST_LISTED: Final = 50


def load_former_events(user: User) -> list[Event]:
    """Return the events of every tournament in which the user has a role, the newest first."""
    events = Event.objects.select_related("tournament").order_by("-tournament__starts_on", "-pk")
    seen = events if user.is_superuser else events.filter(tournament__roles__user=user).distinct()
    return list(seen[:MOST_LISTED])


def load_copy(former: Event, tournament: Tournament) -> Beginning:
    """Return a former event's settings, format, rules, correction period, side pools and extras, without entries."""
    return Beginning(
        settings={name: getattr(former, name) for name in SETTINGS} | _moved(former, tournament),
        format=format_of(former),
        options=_options(former),
        rules=_rules(former),
        terms=load_terms(former),
        side_pools=tuple(SidePoolTerms(**side_pool_terms(pool)) for pool in former.side_pools.all()),
        extras=tuple(ExtraTerms(extra.name, extra.price_cents) for extra in former.extras.all()),
    )


def _options(former: Event) -> dict[str, Any]:
    if format_of(former) == STAGES:
        return dict(former.plan)
    (stage,) = former.plan["stages"]
    return {name: said for name, said in stage.items() if name not in ("kind", "name")}


def _rules(former: Event) -> RulesChosen | None:
    sheet = current_sheet(former)
    if sheet is None:
        return None
    lengths = tuple(sheet.lengths)
    return RulesChosen(
        sheet.variant, sheet.options, sheet.games_to_win, sheet.remarks, lengths, sheet.unfinished, sheet.seats
    )


def _moved(former: Event, tournament: Tournament) -> dict[str, Any]:
    by = tournament.starts_on - former.tournament.starts_on
    zones = ZoneInfo(former.tournament.time_zone), ZoneInfo(tournament.time_zone)
    return {name: _later(getattr(former, name), by, zones) for name in DATES}


def _later(said: date | datetime | None, by: timedelta, zones: tuple[ZoneInfo, ZoneInfo]) -> date | datetime | None:
    """Move a date or time by some days. A time keeps its local time of day in the new time zone."""
    if isinstance(said, datetime):
        here = said.astimezone(zones[0])
        return datetime.combine(here.date() + by, here.time(), zones[1])
    return None if said is None else said + by
