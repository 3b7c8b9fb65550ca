"""The status of a card's match before a write: one query under the lock."""

from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value

from pairing.models import LateEntry, Match, MatchResult
from scoring.models import Card, CardSeat
from scoring.posting.selectors.taken_back import MAY_BE_PARTED
from tournament.core.selectors.prepared import Prepared

PARTS: Final = ("seating", "pairing", "stage", "draw")
"""The parts of the event that a match belongs to, nearest first. A match is undone with any of them."""


@dataclass(frozen=True, slots=True)
class MatchStanding:
    """The status of a match: which of `PARTS` was taken back, if any, and what else can forbid a write.

    `has_late_entry`: a late entry concerns the card. `may_be_parted`: a result elsewhere was corrected or somebody came
    back in, so that other players may meet in this match.
    """

    taken_back: str | None
    has_result: bool
    has_late_entry: bool
    may_be_parted: bool


def load_match_standing(card: Card) -> MatchStanding:
    asked = _with_late_entries if may_have_late_entries(card) else _without_late_entries
    (said,) = asked(card.match_id, card.pk)
    taken_back = next((part for part in PARTS if getattr(said, f"{part}_gone") is not None), None)
    return MatchStanding(taken_back, bool(said.has_result), bool(said.has_late), bool(said.parted))


def _standing(match: int, has_late: Exists | Value) -> QuerySet[Any]:
    return Match.objects.filter(pk=match).annotate(
        has_result=Exists(MatchResult.objects.filter(match=OuterRef("pk"))),
        has_late=has_late,
        parted=MAY_BE_PARTED,
        **{f"{part}_gone": F(f"{part}__taken_back") for part in PARTS},
    )


def _late_entries_of(match: int, card: int, draw: Any) -> QuerySet[LateEntry]:
    of_match = Q(match=match, taken_back__isnull=False)
    of_side = Q(taken_back__isnull=True, bye__in=CardSeat.objects.filter(card=card).values("entrant"))
    return LateEntry.objects.filter(of_match | of_side, draw=draw)


_with_late_entries = Prepared(
    lambda match, card: _standing(match, Exists(_late_entries_of(match, card, OuterRef("draw")))), values=2
)
_without_late_entries = Prepared(lambda match, _card: _standing(match, Value(False)), values=2)


def may_have_late_entries(card: Card) -> bool:
    match = card.match
    return match.round <= 2 and match.pairing_id is None and match.seating_id is None


def late_entries_about(card: Card) -> QuerySet[LateEntry]:
    """Return late entries that concern a card: of its own match if taken back, or with an earlier match for a side."""
    if not may_have_late_entries(card):
        return LateEntry.objects.none()
    return _late_entries_of(card.match_id, card.pk, card.match.draw_id)
