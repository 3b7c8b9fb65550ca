"""Shared code for all events with made-up players, including reproducible randomness and a simulated clock."""

import datetime as dt
import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext as _

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.results.services.finish import finish_event
from pairing.stages.services.plans import choose_format
from scoring.posting.services.correction_period import set_correction_terms
from scoring.rules.sheet.card_status import CorrectionTerms
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tournament.core.permissions import Actor, make_staff_actor
from tournament.core.selectors.events import reload_event
from tournament.errors import NotAllowed
from tournament.models import Entrant, Event, Tournament, User
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.payouts import pay_prize
from tournament.registration.services.entries import EntryRequest, add_entry, keep_entrants_in_draw
from tournament.registration.services.people import Person
from tournament.setup.services.tournaments import create_event, create_tournament, open_registration

DEMO_TIME_ZONE: Final = "America/Los_Angeles"
_NAMES_FILE: Final = Path(__file__).with_name("demo-names.txt")


def get_demo_director() -> Actor:
    return get_or_create_demo_staff("director@example.org", "Demo Director")


def get_or_create_demo_staff(email: str, name: str) -> Actor:
    made_up = {"name": name, "password": "!", "is_named": False}
    return make_staff_actor(User.objects.get_or_create(email=email, defaults=made_up)[0])


def make_demo_names(count: int, dice: random.Random) -> list[str]:
    """Return this many different made-up names."""
    names = [line.strip() for line in _NAMES_FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
    firsts = sorted({name.split()[0] for name in names})
    lasts = sorted({name.split()[-1] for name in names})
    found = dict.fromkeys(names[:count])
    while len(found) < count:
        found[f"{dice.choice(firsts)} {dice.choice(lasts)}"] = None
    return list(found)


def get_demo_date() -> dt.date:
    return timezone.localdate(timezone=ZoneInfo(DEMO_TIME_ZONE))


# --- An event from its set-up to its end -----------------------------------------------------------------------------


def create_demo(*, by: Actor, slug: str, days: int = 1, **fields: Any) -> Tournament:
    """Create a tournament marked DEMO. By default, it starts today and lasts `days` days."""
    today = get_demo_date()
    dates = {"starts_on": today, "ends_on": today + dt.timedelta(days=days - 1)}
    return create_tournament(by=by, is_demo=True, slug=slug, **{**dates, **fields})


def create_demo_event(
    tournament: Tournament, format_and_options: tuple[str, Any] | None = None, *, by: Actor, **fields: Any
) -> Event:
    """Create a draft event in a tournament marked DEMO.

    Raises:
        NotAllowed: `not-a-demo`.
    """
    require_demo_tournament(tournament)
    event = create_event(tournament, by=by, **fields)
    if format_and_options is not None:
        choose_format(event, *format_and_options, by=by)
    return reload_event(event)


def open_demo_event(
    event: Event, rules: ChosenRules | None = None, corrections: CorrectionTerms | None = None, *, by: Actor
) -> Event:
    """Save the rule sheet and the settings for the correction period, and open registration."""
    if rules is not None:
        save_rule_sheet(event, rules, by=by)
    if corrections is not None:
        set_correction_terms(event, corrections, by=by)
    open_registration(event, by=by)
    return reload_event(event)


def register_demo_entrant(event: Event, *names: str, club: str = "", by: Actor) -> Entrant:
    people = tuple(Person(name=name, club=club, consents=True) for name in names)
    return add_entry(event, EntryRequest(people, source=Entrant.Source.DESK.value), by=by)


def close_registration_and_draw(event: Event, cut: str, *, kept: list[int] | None = None, by: Actor) -> Event:
    """Close registration, make the draw, and post it. `cut` names the cards that were cut from a deck for the draw.

    The entries in `kept` stay in the draw even if they have not paid.
    """
    close_registration(event, by=by)
    if kept:
        keep_entrants_in_draw(event, kept, by=by)
    make_draw(event, cut, by=by)
    post_draw(event, by=by)
    return reload_event(event)


def finish_event_and_pay_prizes(event: Event, *, by: Actor) -> None:
    finish_event(event, by=by)
    event = reload_event(event)
    for award in load_prizes(event).awards:
        if award.to_pay_cents:
            pay_prize(event.entrants.select_related("event__tournament").get(pk=award.entrant_id), "check", by=by)


# --- Repeatable chance and time ---------------------------------------------------------------------------------------
# The code that draws and records knows nothing of the rehearsal. The rehearsal replaces the source of secrets and the
# clock from outside, as a test would: in its own process, in one thread, during one block (decision 29).


def require_demo_tournament(tournament: Tournament) -> None:
    """Raise an error if this is a real tournament.

    Raises:
        NotAllowed: `not-a-demo`.
    """
    if not tournament.is_demo:
        raise NotAllowed(
            "not-a-demo", _("Only an event of a tournament marked DEMO is played by chance. This one is real.")
        )


@contextmanager
def seed_draw_secrets(tournament: Tournament, dice: random.Random) -> Iterator[None]:
    """Within the `with` block, take the secrets of sealed draws from this random generator.

    The same seed then repeats the same draws.

    Raises:
        NotAllowed: `not-a-demo`.
    """
    require_demo_tournament(tournament)
    token_bytes = _limit_to_current_thread(dice.randbytes, secrets.token_bytes)
    with patch("pairing.stages.services.stages.secrets", SimpleNamespace(token_bytes=token_bytes)):
        yield


@contextmanager
def freeze_time(moment: dt.datetime) -> Iterator[None]:
    """Within the `with` block, make `timezone.now()` return this moment."""
    with patch.object(timezone, "now", _limit_to_current_thread(lambda: moment, timezone.now)):
        yield


def _limit_to_current_thread(pretend: Callable[..., Any], real: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `pretend` in the current thread and `real` in all other threads."""
    thread = get_ident()
    return lambda *args: pretend(*args) if get_ident() == thread else real(*args)
