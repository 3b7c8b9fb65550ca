"""Template tags and filters that describe unresolved issues, card messages, payment methods, and the business day."""

from datetime import date
from typing import Any, Final

from django import template
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from tournament.models import Tournament
from tournament.money.selectors.drawers_and_close import find_business_day_after_close
from tournament.money.selectors.prizes import UnresolvedIssue
from tournament.money.words import card_event_label, line_method_label
from tournament.templatetags.gin import local_day_time, money

register = template.Library()
register.filter("card_event_label", card_event_label)
register.filter("line_method_label", line_method_label)

MAX_LISTED_NAMES: Final = 5


@register.simple_tag
def money_day_after_close(tournament: Tournament) -> date | None:
    """Return the later day to which new money belongs if today is already closed. If today is open, return None."""
    return find_business_day_after_close(tournament, timezone.now())


_POINT_TEXTS: Final[dict[str, Any]] = {
    "correction-period": ngettext_lazy(
        "The correction period of %(count)s score card is running, until %(until)s: %(who)s.",
        "The correction periods of %(count)s score cards are running, the last until %(until)s: %(who)s.",
        "count",
    ),
    "against-result": ngettext_lazy(
        "%(count)s score card does not match the recorded result, and no ruling has been made: %(who)s.",
        "%(count)s score cards do not match the recorded results, and no ruling has been made: %(who)s.",
        "count",
    ),
    "not-posted": ngettext_lazy(
        "%(count)s score card has been started but not posted: %(who)s.",
        "%(count)s score cards have been started but not posted: %(who)s.",
        "count",
    ),
    "to-confirm": ngettext_lazy(
        "%(count)s score entry needs a second official: %(who)s.",
        "%(count)s score entries need a second official: %(who)s.",
        "count",
    ),
    "rulings": ngettext_lazy("%(count)s dispute needs a ruling.", "%(count)s disputes need a ruling.", "count"),
    "calls": ngettext_lazy(
        "%(count)s call for the director has not been answered: %(who)s.",
        "%(count)s calls for the director have not been answered: %(who)s.",
        "count",
    ),
    "to-hand-back": gettext_lazy("Money to refund: %(who)s."),
    "to-pay": ngettext_lazy(
        "%(count)s entry still owes %(amount)s: %(who)s. Unpaid fees are not in the prize pool.",
        "%(count)s entries still owe %(amount)s: %(who)s. Unpaid fees are not in the prize pool.",
        "count",
    ),
    "side-pool-results": ngettext_lazy(
        "%(count)s side pool has no result yet: %(who)s. Record it under Prizes › Side pools.",
        "%(count)s side pools have no result yet: %(who)s. Record them under Prizes › Side pools.",
        "count",
    ),
    "paid-too-much": gettext_lazy("Paid more than their new prize: %(who)s. Collect the difference."),
    "paid-too-little": gettext_lazy("Paid less than their new prize: %(who)s. Pay them the difference."),
}


@register.filter
def describe_finish_issue(point: UnresolvedIssue, tournament: Tournament) -> str:
    """Return a sentence about an issue, with names, amounts, and times in the venue's time zone."""
    text: str = _POINT_TEXTS[point.code] % {
        "count": point.count,
        "who": _list_names(point, tournament.currency),
        "amount": money(point.cents, tournament.currency),
        "until": local_day_time(point.until, tournament),
    }
    return text


def _list_names(point: UnresolvedIssue, currency: str) -> str:
    listed = [f"{name} {money(cents, currency)}" if cents else name for name, cents in point.who[:MAX_LISTED_NAMES]]
    more = len(point.who) - len(listed)
    names = ", ".join(listed)
    return _("%(names)s and %(count)s more") % {"names": names, "count": more} if more else names
