"""The results of matches as rows that the fold of `scoring.rules.sheet.statements` takes."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from django.db.models import F

from pairing.models import MatchResult
from scoring.card_state.tables.decisions import GAME_OF
from scoring.models import CardClosed, CardPosted, ClosingTakenBack, ConductPenalty, ConductPenaltyLifted, SheetLine
from scoring.rules.sheet.statements import ResultRow, in_force

Moments = set[tuple[int, datetime]]


def load_results_in_force(matches: Collection[int]) -> dict[int, tuple[ResultRow, ...]]:
    """Match → the results that hold, oldest first; a match without any result is left out."""
    rows = list(
        MatchResult.objects.filter(match__in=matches)
        .order_by("pk")
        .values_list("match_id", "pk", "at", "by_name", "reason", "winner__number", "credits", "score")
        .annotate(before=F("supersedes_id"), undone=F("undoes_id"))
    )
    moments = _moments_of_cards({row[0] for row in rows}) if rows else set()
    found: dict[int, list[ResultRow]] = defaultdict(list)
    for match, key, at, by, reason, winner, credits, score, before, undone in rows:
        found[match].append(
            ResultRow(
                key=key,
                at=at,
                by=by,
                reason=reason,
                winner=winner,
                credits={int(number): (result, cause) for number, (result, cause) in credits.items()},
                points={int(number): points for number, points in score.items()},
                supersedes=before,
                undoes=undone,
                by_cards=undone is None and (match, at) in moments,
            )
        )
    return {match: in_force(each) for match, each in found.items()}


def _moments_of_cards(matches: Collection[int]) -> Moments:
    """When something was signed, written, closed or opened again on the cards of a match, or a penalty fell.

    All facts of one act have one moment.
    """
    postings = CardPosted.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    lines = SheetLine.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    closed = CardClosed.objects.filter(card__match__in=matches).values_list("card__match_id", "at")
    reopened = ClosingTakenBack.objects.filter(closing__card__match__in=matches).values_list(
        "closing__card__match_id", "at"
    )
    lifted = ConductPenaltyLifted.objects.filter(penalty__entrant__event__matches__in=matches).values_list(
        "penalty__entrant__event__matches", "at"
    )
    return {*postings, *lines, *closed, *reopened, *lifted, *_games_lost(matches)}


def _games_lost(matches: Collection[int]) -> Moments:
    """A game lost by a ruling counts with the cards: what they come to then is no decision against them."""
    rows = ConductPenalty.objects.filter(
        effect=ConductPenalty.Effect.GAME_LOSS, ruling__isnull=False, entrant__event__matches__in=matches
    ).select_related("entrant", "ruling")
    return {(match, row.at) for row in rows.distinct() if (match := match_lost_in(row)) is not None}


def match_lost_in(row: ConductPenalty) -> int | None:
    """The match of several games of which one was lost by this penalty; None: it was another penalty."""
    did = row.ruling.effects.get("penalties", ()) if row.ruling is not None else ()
    return next((each.get(GAME_OF) for each in did if each["entry"] == row.entrant.number), None)
