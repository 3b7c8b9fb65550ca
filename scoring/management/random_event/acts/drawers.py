"""Drawers opened, emptied, counted and handed over; a day that is counted by one and signed by another."""

from typing import Final

from django.utils import timezone

from scoring.management.random_event.acts.money import OPEN
from scoring.management.random_event.core import Doing, State, aside, one_of
from scoring.management.random_event.play import Play
from tournament.models import Drawer
from tournament.money.selectors.closing import expected_of, load_report
from tournament.money.selectors.days import current_day, last_count
from tournament.money.selectors.drawers import CASH, in_drawer, open_drawers
from tournament.money.services.closing import NightCount, close_day, count_day, open_day
from tournament.money.services.drawers import DrawerCount, close_drawer, move_bank, move_float, open_drawer
from tournament.purse.ledger.counted import denominations_of
from tournament.purse.ledger.days import next_open_day

ALWAYS: Final = (*OPEN, State.FINISHED)
MOST_CLOSES: Final = 2
HOW_OFTEN_OFF: Final = 0.3
"""How often somebody counts a little more or less than there should be."""


@aside("open-drawer", in_state=ALWAYS)
def open_own(play: Play) -> Doing | None:
    """Out of an empty safe, or beside another one of theirs, it is refused."""
    by, cents, brought = play.staff(), play.dice.randint(0, 200_00), play.dice.chance(0.7)
    tournament, key = play.event.tournament, play.dice.token()
    return Doing(f"{by.name}: {cents}", lambda: open_drawer(tournament, cents, by=by, key=key, brought=brought))


@aside("move-cash", in_state=ALWAYS, weight=0.5)
@one_of(lambda play: open_drawers(play.event.tournament).select_related("tournament"))
def move(play: Play, drawer: Drawer) -> Doing | None:
    """More than is there is refused."""
    by, cents, to_safe, key = play.staff(), play.dice.randint(1, 150_00), play.dice.chance(0.6), play.dice.token()
    return Doing(f"{drawer}: {cents}", lambda: move_float(drawer, cents, to_safe=to_safe, by=by, key=key))


@aside("to-the-bank", in_state=ALWAYS, weight=0.2)
def bank(play: Play) -> Doing | None:
    cents, to_bank, key = play.dice.randint(1, 300_00), play.dice.chance(0.5), play.dice.token()
    tournament, by = play.event.tournament, play.director
    return Doing(str(cents), lambda: move_bank(tournament, cents, to_bank=to_bank, by=by, key=key))


@aside("count-drawer", in_state=ALWAYS)
@one_of(lambda play: open_drawers(play.event.tournament).select_related("tournament"))
def count_one(play: Play, drawer: Drawer) -> Doing | None:
    """Counted rightly or not, then closed or handed over to somebody who may have a drawer already."""
    found = _as_counted(play, in_drawer(drawer).get(CASH, 0))
    count = DrawerCount(_pieces(play, found), play.staff().user if play.dice.chance(0.4) else None)
    by, reason, key = play.staff(), play.reason(), play.dice.token()
    return Doing(f"{drawer}: {found}", lambda: close_drawer(drawer, count, by=by, key=key, reason=reason))


@aside("count-day", in_state=ALWAYS, weight=0.5)
def count_night(play: Play) -> Doing | None:
    """While a drawer is open it is refused."""
    tournament = play.event.tournament
    day = current_day(tournament, timezone.now())
    expected = expected_of(load_report(tournament, day))
    others = {one: _as_counted(play, cents, lowest=cents) for one, cents in expected.items() if one != CASH}
    count = NightCount(_pieces(play, _as_counted(play, expected[CASH])), others)
    by, reason, key = play.staff(), play.reason(), play.dice.token()
    return Doing(day.isoformat(), lambda: count_day(tournament, day, count, by=by, key=key, reason=reason))


@aside("sign-day", in_state=ALWAYS, weight=8)
def sign_night(play: Play) -> Doing | None:
    """By whoever counted, or after more money, it is refused. Closed, the next day is opened: play goes on."""
    tournament, by = play.event.tournament, play.dice.choice((play.director, play.second))
    count = last_count(tournament, current_day(tournament, timezone.now()))
    if count is None or hasattr(count, "close") or not play.take("closes", MOST_CLOSES):
        return None

    def sign() -> None:
        close_day(count, by=by)
        open_day(tournament, next_open_day(count.day, count.day), by=play.director)

    return Doing(count.day.isoformat(), sign)


def _as_counted(play: Play, cents: int, *, lowest: int = 0) -> int:
    """What somebody counts of it: nobody counts less than nothing."""
    off = play.dice.randint(-1_00, 1_00) if play.dice.chance(HOW_OFTEN_OFF) else 0
    return max(lowest, cents + off)


def _pieces(play: Play, cents: int) -> dict[int, int]:
    """The fewest bills and coins."""
    found = {}
    for worth in denominations_of(play.event.tournament.currency):
        found[worth], cents = divmod(cents, worth)
    return {worth: number for worth, number in found.items() if number}
