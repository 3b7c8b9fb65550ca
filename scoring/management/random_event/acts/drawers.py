"""Acts on cash drawers, and on the close of a day, which one person counts and another one signs."""

from datetime import date
from typing import Final

from django.utils import timezone

from scoring.management.random_event.acts.money import OPEN
from scoring.management.random_event.core import Doing, State, aside, forward, one_of
from scoring.management.random_event.play import Play
from tournament.core.permissions import Actor
from tournament.models import DayClose, DayCount, Drawer
from tournament.money.selectors.cash import (
    CASH,
    closes_of,
    current_day,
    days_to_close,
    expected_of,
    in_drawer,
    last_count,
    load_open_report,
    open_drawers,
)
from tournament.money.services.cash import (
    DrawerCount,
    NightCount,
    close_day,
    close_drawer,
    count_day,
    move_bank,
    move_float,
    open_day,
    open_drawer,
    reopen_day,
)
from tournament.purse.business_day import denominations_of, next_open_day

ALWAYS: Final = (*OPEN, State.FINISHED)
MOST_CLOSES: Final = 2
HOW_OFTEN_OFF: Final = 0.3
"""The probability that a count is a little too high or too low."""


@aside("open-drawer", in_state=ALWAYS)
def open_own(play: Play) -> Doing | None:
    """Open a drawer. It is refused with an empty safe, or if the person has another drawer."""
    by, cents, brought = play.staff(), play.dice.randint(0, 200_00), play.dice.chance(0.7)
    tournament, key = play.event.tournament, play.dice.token()
    return Doing(f"{by.name}: {cents}", lambda: open_drawer(tournament, cents, by=by, key=key, brought=brought))


@aside("move-cash", in_state=ALWAYS, weight=0.5)
@one_of(lambda play: open_drawers(play.event.tournament).select_related("tournament"))
def move(play: Play, drawer: Drawer) -> Doing | None:
    """Move cash between a drawer and the safe. It is refused if there is not enough cash."""
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
    """Count a drawer, rightly or not, and close it or hand it over to somebody who may already have a drawer."""
    found = _as_counted(play, in_drawer(drawer).get(CASH, 0))
    count = DrawerCount(_pieces(play, found), play.staff().user if play.dice.chance(0.4) else None)
    by, reason, key = play.staff(), play.reason(), play.dice.token()
    return Doing(f"{drawer}: {found}", lambda: close_drawer(drawer, count, by=by, key=key, reason=reason))


@aside("count-day", in_state=ALWAYS, weight=0.5)
def count_night(play: Play) -> Doing | None:
    """Count the day. It is refused as long as a drawer is open."""
    return _count(play, current_day(play.event.tournament, timezone.now()))


@aside("sign-day", in_state=ALWAYS, weight=4)
def sign_night(play: Play) -> Doing | None:
    """Sign the count of a day. It is refused for the person who counted, or if money moved after the count."""
    count = last_count(play.event.tournament, current_day(play.event.tournament, timezone.now()))
    if count is None or hasattr(count, "close") or not play.take("closes", MOST_CLOSES):
        return None
    return _sign(play, count, play.dice.choice((play.director, play.second)))


@aside("reopen-day", in_state=ALWAYS, weight=0.5)
@one_of(lambda play: list(closes_of(play.event.tournament)))
def reopen(play: Play, close: DayClose) -> Doing | None:
    """Open a closed day again. It is refused for any day but the last closed one."""
    reason, key = play.reason(), play.dice.token()
    return Doing(close.day.isoformat(), lambda: reopen_day(close, by=play.director, reason=reason, key=key))


@forward("count-last-drawer", in_state=(State.FINISHED,), turn=7)
def count_last(play: Play) -> Doing | None:
    """Close the drawers for the night, once every prize is paid."""
    return count_one(play)


@forward("count-last-day", in_state=(State.FINISHED,), turn=8)
def count_at_the_end(play: Play) -> Doing | None:
    day = _open_day(play)
    return None if day is None or _fresh_count(play, day) is not None else _count(play, day)


@forward("sign-last-day", in_state=(State.FINISHED,), turn=9)
def sign_at_the_end(play: Play) -> Doing | None:
    """Sign the last day by a director who did not count it."""
    day = _open_day(play)
    count = _fresh_count(play, day) if day is not None else None
    if count is None:
        return None
    return _sign(play, count, play.second if count.by == play.director.user else play.director)


def _open_day(play: Play) -> date | None:
    """Return the last day on which money was recorded, if it is not closed."""
    return next(iter(days_to_close(play.event.tournament)), None)


def _fresh_count(play: Play, day: date) -> DayCount | None:
    """Return the last count of a day if no money was recorded after it."""
    count = last_count(play.event.tournament, day)
    is_fresh = count is not None and count.expected == expected_of(load_open_report(play.event.tournament, day))
    return count if is_fresh else None


def _count(play: Play, day: date) -> Doing:
    tournament = play.event.tournament
    expected = expected_of(load_open_report(tournament, day))
    others = {one: _as_counted(play, cents, lowest=cents) for one, cents in expected.items() if one != CASH}
    count = NightCount(_pieces(play, _as_counted(play, expected[CASH])), others)
    by, reason, key = play.staff(), play.reason(), play.dice.token()
    return Doing(day.isoformat(), lambda: count_day(tournament, day, count, by=by, key=key, reason=reason))


def _sign(play: Play, count: DayCount, by: Actor) -> Doing:
    """Sign a count, and open the next day so that play goes on."""

    def sign() -> None:
        close_day(count, by=by)
        open_day(count.tournament, next_open_day(count.day, count.day), by=play.director)

    return Doing(count.day.isoformat(), sign)


def _as_counted(play: Play, cents: int, *, lowest: int = 0) -> int:
    """Return the amount that somebody counts, with an occasional mistake."""
    off = play.dice.randint(-1_00, 1_00) if play.dice.chance(HOW_OFTEN_OFF) else 0
    return max(lowest, cents + off)


def _pieces(play: Play, cents: int) -> dict[int, int]:
    """Return the amount in the fewest bills and coins."""
    found = {}
    for worth in denominations_of(play.event.tournament.currency):
        found[worth], cents = divmod(cents, worth)
    return {worth: number for worth, number in found.items() if number}
