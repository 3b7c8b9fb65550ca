"""Compare the standings of every stage in a pool with the results on record, credit by credit."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pairing.draws.results import Result, WinLossRecord
from pairing.draws.stages.pools import Pool
from pairing.matches.selectors.records import COUNTING
from pairing.models import MatchResult, Stage
from pairing.stage_kinds.selectors.stage_state import StageState
from pairing.stage_kinds.selectors.stages import load_course
from scoring.verification.selectors.checks import Check
from tournament.models import Event


@dataclass(slots=True)
class _Told:
    """The sums of an entry's recorded results: result and cause by match, and points won less points lost."""

    credits: dict[str, tuple[str, str]] = field(default_factory=dict)
    spread: int = 0


def check_standings(event: Event) -> Iterator[Check]:
    """Check the standings of each pool, even while it is played. Nothing is yielded for an event without one."""
    for stage in load_course(event).pools:
        yield _of_pool(stage, stage.pool)


def _of_pool(stage: StageState, pool: Pool) -> Check:
    rows = _results_of(stage.row)
    told = _told(rows)
    ranked = {row.entry: row for _part, listed in pool.standings for row in listed}
    listed = sum(len(rows) for _part, rows in pool.standings)
    wrong = sorted(entry for entry, row in ranked.items() if not _agrees(row.record, told.get(entry, _Told()), rows))
    missing = sorted(set(told) - set(ranked))
    good = not wrong and not missing and listed == len(ranked)
    said = f"{listed} entries by {len(rows)} results"
    said += f"; entries {', '.join(map(str, wrong))} have other results" if wrong else ""
    said += f"; entries {', '.join(map(str, missing))} are missing" if missing else ""
    facts = {"entries": sorted(ranked), "results": sorted(row.pk for row in rows.values())}
    counts = {"standings": listed}
    return Check(f"standings of {stage.name}", good, said, kind="standings", counts=counts, facts=facts)


def _results_of(stage: Stage) -> Mapping[str, MatchResult]:
    """Return the last result of each match. A result that was undone or is void gives nobody anything."""
    counting = stage.matches.filter(COUNTING)
    rows = MatchResult.objects.filter(match__in=counting, superseded_by__isnull=True).select_related("match")
    found = {row.match.ident: row for row in rows.order_by("pk") if row.credits}
    none = Result.NONE.value
    return {ident: row for ident, row in found.items() if any(result != none for result, _ in row.credits.values())}


def _told(rows: Mapping[str, MatchResult]) -> dict[int, _Told]:
    found: dict[int, _Told] = defaultdict(_Told)
    for ident, row in rows.items():
        score = {int(number): int(points) for number, points in row.score.items()}
        for number, (result, cause) in row.credits.items():
            one = found[int(number)]
            one.credits[ident] = (result, cause)
            if len(score) == 2 and int(number) in score and result != Result.NONE.value:
                one.spread += 2 * score[int(number)] - sum(score.values())
    return dict(found)


def _agrees(record: WinLossRecord, told: _Told, rows: Mapping[str, MatchResult]) -> bool:
    """Return whether an entry's record agrees with the results.

    Credits without a result, as by a withdrawal, are ignored.
    """
    own = {one.match: (one.credit.result.value, one.credit.cause.value) for one in record.credits if one.match in rows}
    return own == told.credits and record.spread == told.spread
