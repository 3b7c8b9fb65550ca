"""The rulings that wrote results of matches or lines of cards."""

from collections.abc import Collection

from pairing.models import MatchResult
from scoring.models import Ruling


def load_ruled_results(results: Collection[int]) -> dict[int, Ruling]:
    """Return the ruling that wrote each of these results (primary keys). Results without a ruling are left out."""
    wanted = set(results)
    events = MatchResult.objects.filter(pk__in=wanted).values("match__event")
    rulings = Ruling.objects.filter(dispute__event__in=events, penalties__isnull=False).distinct()
    each = rulings.select_related("dispute__event__tournament")
    did = ((ruling, done.get("result")) for ruling in each for done in ruling.effects.get("penalties", ()))
    return {result: ruling for ruling, result in did if result in wanted}


def load_ruling_of_line(fact: int) -> Ruling | None:
    """Return the ruling that wrote this line of a card (its primary key), or None."""
    rulings = Ruling.objects.filter(dispute__card__lines=fact).select_related("dispute__event__tournament")
    return next((one for one in rulings if (one.effects.get("sheet") or {}).get("fact") == fact), None)
