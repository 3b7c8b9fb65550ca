"""Load the results of matches as the rows that `scoring.rules.sheet.card_status` computes with."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from django.db.models import F

from pairing.draws.results import Cause
from pairing.models import MatchResult
from pairing.models.match import match_topic
from scoring.card_state.tables.decisions import GAME_OF
from scoring.models import CardClosed, CardPosted, ClosingTakenBack, ConductPenalty, ConductPenaltyLifted, SheetLine
from scoring.posting.selectors.ruled_results import load_ruled_results
from scoring.rules.sheet.card_status import ResultRow, in_force
from tournament.core.folded import folded_each, seen_versions

Moments = set[tuple[int, datetime]]


Rows = dict[int, tuple[ResultRow, ...]]


def load_results_in_force(matches: Collection[int], event_id: int | None = None) -> Rows:
    """Return the results in force by match, oldest first. A match without any result is left out.

    With `event_id` they are cached until somebody writes to their matches, for pages that only read.
    """
    seen = seen_versions(event_id) if event_id is not None else None
    if event_id is None or seen is None:
        return _load(matches)

    def make(missing: list[tuple[str, int]]) -> dict[tuple[str, int], tuple[ResultRow, ...]]:
        found = _load([match for _kind, match in missing])
        return {name: found.get(name[1], ()) for name in missing}

    kept = folded_each(event_id, {("results", match): (match_topic(match),) for match in matches}, seen, make)
    return {match: rows for (_kind, match), rows in kept.items() if rows}


def _load(matches: Collection[int]) -> Rows:
    rows = list(
        MatchResult.objects.filter(match__in=matches)
        .order_by("pk")
        .values_list("match_id", "pk", "at", "by_name", "reason", "winner__number", "credits", "score")
        .annotate(before=F("supersedes_id"), undone=F("undoes_id"))
    )
    moments = _moments_of_cards({row[0] for row in rows}) if rows else set()
    # A ruling can change a hand and decide against both players in one act. Its result still is a decision.
    penalized = {row[1] for row in rows if (row[0], row[2]) in moments and _is_by_penalty(row[6])}
    ruled = load_ruled_results(penalized) if penalized else {}
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
                by_cards=undone is None and (match, at) in moments and key not in ruled,
            )
        )
    return {match: in_force(each) for match, each in found.items()}


def _is_by_penalty(credits: Mapping[str, Sequence[str]]) -> bool:
    return any(cause == Cause.PENALTY.value for _result, cause in credits.values())


def _moments_of_cards(matches: Collection[int]) -> Moments:
    """Return the moments at which cards were signed, written, closed or opened again, or a penalty was given.

    All facts of one act have the same moment.
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
    written = postings.order_by().union(*(facts.order_by() for facts in (lines, closed, reopened, lifted)))
    return {*written, *_games_lost(matches)}


def _games_lost(matches: Collection[int]) -> Moments:
    """Return the moments of games lost by a ruling. They count with the cards, so the result is not a decision."""
    rows = ConductPenalty.objects.filter(
        effect=ConductPenalty.Effect.GAME_LOSS, ruling__isnull=False, entrant__event__matches__in=matches
    ).select_related("entrant", "ruling")
    return {(match, row.at) for row in rows.distinct() if (match := match_lost_in(row)) is not None}


def match_lost_in(row: ConductPenalty) -> int | None:
    """Return the match of several games in which this penalty lost a game, or None for another kind of penalty."""
    did = row.ruling.effects.get("penalties", ()) if row.ruling is not None else ()
    return next((each.get(GAME_OF) for each in did if each["entry"] == row.entrant.number), None)
