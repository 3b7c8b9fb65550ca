"""When the desk took back what a match had come to: what was posted before counts no more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from pairing.models import MatchResult
from scoring.models import CardPosted, ClosingTakenBack, ConductPenaltyLifted, SheetLine


def load_taken_back(matches: Collection[int]) -> dict[int, datetime]:
    """Match → when its result was taken back last by the desk; a card that did so itself starts nothing anew."""
    without = MatchResult.objects.filter(match__in=matches, winner__isnull=True).order_by("pk")
    last = dict(without.values_list("match_id", "at"))
    return {match: at for match, at in last.items() if not _by_a_card(match, at)}


def _by_a_card(match: int, moment: datetime) -> bool:
    """Whether something was posted, corrected or opened again on its cards at that moment, or a penalty fell."""
    return (
        CardPosted.objects.filter(card__match=match, at=moment).exists()
        or SheetLine.objects.filter(card__match=match, at=moment).exists()
        or ClosingTakenBack.objects.filter(closing__card__match=match, at=moment).exists()
        or ConductPenaltyLifted.objects.filter(penalty__entrant__event__matches=match, at=moment).exists()
    )
