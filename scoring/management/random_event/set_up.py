"""Create the tournament, its staff and its event, with everything that is set before registration."""

import datetime as dt
from itertools import starmap
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils import timezone

from pairing.stages.selectors.plans import TABLES
from pairing.stages.services.plans import choose_format
from scoring.management.demo import demo_staff
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.kinds import Playable, table_options
from scoring.management.random_event.play import Play
from scoring.models import RuleSheet
from scoring.posting.services.correction_period import set_terms
from scoring.rules.sheet.card_status import ClockTerms, Second
from scoring.rulesheets.selectors.sheets import has_games
from scoring.rulesheets.services import RulesChosen, save_rules
from tournament.core.permissions import Actor
from tournament.models import Event, StaffRole, Tournament
from tournament.setup.services.tournaments import create_event, create_tournament, grant_role, open_registration

By = Event.PrizesBy
HOME: Final = "America/Los_Angeles"
SCALES: Final = (["100"], ["60", "40"], ["50", "30", "20"], ["40", "24", "10", "10", "4", "4", "4", "4"])
TABLE: Final = [[1, ["100"]], [4, ["70", "30"]], [6, ["50", "30", "20"]]]
FLAT: Final = [300_00, 150_00, 50_01]
STAFF: Final = (
    ("director@example.org", "Demo Director"),
    ("desk@example.org", "Demo Desk"),
    ("second@example.org", "Demo Second Director"),
)


def set_up(one: Playable, dice: Dice, wanted: int, seed: int) -> Play:
    """Create a tournament marked DEMO with one event that is open for registration."""
    director, desk, second = starmap(demo_staff, STAFF)
    tournament = _tournament(one, seed, director)
    _grant(tournament, desk, StaffRole.Role.DESK, director)
    _grant(tournament, second, StaffRole.Role.DIRECTOR, director)
    event = create_event(tournament, by=director, slug="event", name="Random event", **_settings(one, dice))
    _choose(event, one, dice, wanted, director)
    open_registration(event, by=director)
    return Play(one, dice, event.pk, director, desk, second, wanted)


def _tournament(one: Playable, seed: int, by: Actor) -> Tournament:
    today = timezone.localdate(timezone=ZoneInfo(HOME))
    name = f"{one.kind.name}-{one.rules.name}-{seed}".replace(":", "-")
    slug, turn = name, 1
    while Tournament.objects.filter(slug=slug).exists():
        turn += 1
        slug = f"{name}-{turn}"
    return create_tournament(
        by=by,
        is_demo=True,
        slug=slug,
        name=f"Random event {seed}",
        venue="Palm Desert",
        starts_on=today,
        ends_on=today + dt.timedelta(days=1),
        time_zone=HOME,
        about="A made-up event, played by chance to check the program. Nobody in it is real.",
    )


def _grant(tournament: Tournament, who: Actor, role: str, by: Actor) -> None:
    if who.user is None:
        raise LookupError("staff has an account")
    grant_role(tournament, who.user, role, by=by)


def _settings(one: Playable, dice: Dice) -> dict[str, Any]:
    fee = dice.choice((0, 20_00, 100_00, 275_50))
    early = dice.chance(0.5) and fee > 0
    today = timezone.localdate(timezone=ZoneInfo(HOME))
    return {
        "entry_size": one.kind.entry_size,
        "fee_cents": fee,
        "early_fee_cents": fee - 5_00 if early else None,
        "early_until": today - dt.timedelta(days=14) if early else None,
        **_prizes(dice),
        "prize_percent": dice.choice(("82", "100", "66.5")),
        "unit_cents": dice.choice((1, 1_00, 5_00)),
        "added_cents": dice.choice((0, 0, 250_00)),
        "guarantee_cents": dice.choice((None, None, 500_00)),
        **one.kind.settings,
    }


def _prizes(dice: Dice) -> dict[str, Any]:
    by = dice.choice((By.SCALE, By.SCALE, By.TABLE, By.FLAT))
    return {"prizes_by": by, "prize_scale": dice.choice(SCALES), "prize_table": TABLE, "flat_cents": FLAT}


def _choose(event: Event, one: Playable, dice: Dice, wanted: int, by: Actor) -> None:
    at_tables = one.kind.format == TABLES
    options = table_options(one.rules, dice, wanted) if at_tables else one.kind.options(dice, wanted)
    choose_format(event, one.kind.format, options, by=by)
    event = Event.objects.select_related("tournament").get(pk=event.pk)
    games = dice.choice((1, 1, 1, 2)) if has_games(event, one.rules.variant) else 1
    unfinished = dice.choice(RuleSheet.Unfinished.values)
    save_rules(event, RulesChosen(one.rules.variant, one.rules.chosen(dice), games, unfinished=unfinished), by=by)
    if dice.chance(0.6):
        set_terms(event, _terms(dice), by=by)


def _terms(dice: Dice) -> ClockTerms:
    """Return random terms. With some of them a card is final as soon as it is posted."""
    minutes = dice.choice(((0, 0, 0), (0, 30, 30), (30, 30, 30)))
    second = dice.choice((Second.NONE, Second.NONE, Second.APPROVAL, Second.REKEY))
    return ClockTerms(corrections=minutes[0], rulings=minutes[1], appeals=minutes[2], second=second)
