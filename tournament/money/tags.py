"""What is still open at the end of an event, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournament.models import Tournament
from tournament.money.selectors.open_points import OpenPoint
from tournament.templatetags.gin import local_day_time, money

register = template.Library()

MOST_NAMES: Final = 5


def _periods(count: int) -> str:
    return ngettext(
        "The correction period of %(count)s score card is running, until %(until)s: %(who)s.",
        "The correction periods of %(count)s score cards are running, the last until %(until)s: %(who)s.",
        count,
    )


def _unposted(count: int) -> str:
    return ngettext(
        "%(count)s score card is begun and not posted: %(who)s.",
        "%(count)s score cards are begun and not posted: %(who)s.",
        count,
    )


def _against_result(count: int) -> str:
    return ngettext(
        "%(count)s score card says something else than the result, and nobody has decided: %(who)s.",
        "%(count)s score cards say something else than the result, and nobody has decided: %(who)s.",
        count,
    )


def _to_confirm(count: int) -> str:
    return ngettext(
        "%(count)s entry waits for a second official: %(who)s.",
        "%(count)s entries wait for a second official: %(who)s.",
        count,
    )


def _rulings(count: int) -> str:
    return ngettext("%(count)s dispute waits for a ruling.", "%(count)s disputes wait for a ruling.", count)


def _calls(count: int) -> str:
    return ngettext(
        "%(count)s call for the director is not answered: %(who)s.",
        "%(count)s calls for the director are not answered: %(who)s.",
        count,
    )


def _to_pay(count: int) -> str:
    return ngettext(
        "%(count)s entry still owes %(amount)s: %(who)s. What is not paid is not in the prize pool.",
        "%(count)s entries still owe %(amount)s: %(who)s. What is not paid is not in the prize pool.",
        count,
    )


_SAID: Final[dict[str, Callable[[int], str]]] = {
    "correction-period": _periods,
    "against-result": _against_result,
    "not-posted": _unposted,
    "to-confirm": _to_confirm,
    "rulings": _rulings,
    "calls": _calls,
    "to-hand-back": lambda _count: _("Money to be handed back: %(who)s."),
    "to-pay": _to_pay,
    "paid-too-much": lambda _count: _("Paid more than their prize will be: %(who)s. They give the rest back."),
    "paid-too-little": lambda _count: _("Paid less than their prize will be: %(who)s. They get the rest."),
}


@register.filter
def point_words(point: OpenPoint, tournament: Tournament) -> str:
    """One sentence, with names, amounts and the venue's time."""
    return _SAID[point.code](point.count) % {
        "count": point.count,
        "who": _names(point, tournament.currency),
        "amount": money(point.cents, tournament.currency),
        "until": local_day_time(point.until, tournament),
    }


def _names(point: OpenPoint, currency: str) -> str:
    said = [f"{name} {money(cents, currency)}" if cents else name for name, cents in point.who[:MOST_NAMES]]
    more = len(point.who) - len(said)
    return ", ".join(said) + (_(" and %(count)s more") % {"count": more} if more else "")
