"""What may have become of the match of a card before somebody writes on it: one question, asked under the lock."""

from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from pairing.models import LateEntry, Match, MatchResult
from scoring.models import Card
from scoring.posting.selectors.taken_back import MAY_BE_PARTED

PARTS: Final = ("seating", "pairing", "stage", "draw")
"""What a match is part of and can be taken back with, the nearest first."""


@dataclass(frozen=True, slots=True)
class MatchStanding:
    """Which of `PARTS` was taken back, and whether there is a result, or a late entry that is about the card.

    `may_be_parted`: a result elsewhere was corrected, or somebody came back in, so that others may meet there.
    """

    taken_back: str | None
    has_result: bool
    has_late_entry: bool
    may_be_parted: bool


def load_match_standing(card: Card) -> MatchStanding:
    said = Match.objects.filter(pk=card.match_id).annotate(
        has_result=Exists(MatchResult.objects.filter(match=OuterRef("pk"))),
        has_late=Exists(late_entries_about(card)),
        parted=MAY_BE_PARTED,
    )
    *gone, has_result, has_late, parted = said.values_list(
        *(f"{part}__taken_back" for part in PARTS), "has_result", "has_late", "parted"
    ).get()
    taken_back = next((part for part, pk in zip(PARTS, gone, strict=True) if pk is not None), None)
    return MatchStanding(taken_back, bool(has_result), bool(has_late), bool(parted))


def late_entries_about(card: Card) -> QuerySet[LateEntry]:
    """Of a match of a bracket: its own that was taken back, or one that gives a side an earlier match."""
    match = card.match
    if match.round > 2 or match.pairing_id is not None or match.seating_id is not None:
        return LateEntry.objects.none()
    of_match = Q(match=match, taken_back__isnull=False)
    of_side = Q(taken_back__isnull=True, bye__in=card.seats.values("entrant"))
    return LateEntry.objects.filter(of_match | of_side, draw=match.draw_id)
