"""Describe the rounds of a couples tournament as text: each team's points, and the points and gins awarded."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.rules.variants.metzker.couples import RoundTally


def describe_round(counted: RoundTally) -> str:
    """Return a round as text: “Guys 61, Dolls 40: 21 to Guys, 1 gin to Dolls”."""
    sums = ", ".join(f"{side} {points}" for side, points in counted.sums.items())
    award = counted.points_award
    points = _("%(points)s to %(side)s") % {"points": award.amount, "side": award.to} if award.to else _("tied")
    return f"{sums}: {points}" + (f", {_describe_gins(counted)}" if counted.gins_award.games else "")


def describe_awards(counted: RoundTally) -> str:
    """Return a round's awards as sentences: “21 points to Guys, who deal next. 1 gin to Dolls.”."""
    points, gins = counted.points_award, counted.gins_award
    words = _("Tied: no points are awarded.")
    if points.to:
        words = _("%(points)s points to %(side)s, who deal next.") % {"points": points.amount, "side": points.to}
    if not gins.to:
        return words
    if gins.games:
        return f"{words} {_describe_gins(counted)}."
    return _("%(said)s %(gins)s, in no game yet.") % {"said": words, "gins": _describe_gins(counted)}


def _describe_gins(counted: RoundTally) -> str:
    award = counted.gins_award
    return ngettext("%(gins)s gin to %(side)s", "%(gins)s gins to %(side)s", award.amount) % {
        "gins": award.amount,
        "side": award.to,
    }
