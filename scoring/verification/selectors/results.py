"""Compare signed cards with the results of their matches, and results with the standings and the final places."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from django.db.models import QuerySet

from pairing.draws.results import Result, StatusKind, WinLossRecord
from pairing.draws.stages.pools import Pool
from pairing.models import Match, MatchResult, Stage
from pairing.stages.selectors.course import load_course, load_final_placings
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.records import COUNTING
from scoring.models import Card
from scoring.posting.selectors.card_status import CardStatus, load_card_statuses, load_points
from scoring.posting.selectors.results import load_results_in_force
from scoring.verification.selectors.checks import Check, Facts
from tournament.models import Event
from tournament.money.selectors.ledger import current_finish


def check_statements(event: Event) -> Iterator[Check]:
    """Check the cards against the results. Each card that contradicts the result is named, with both.

    A card superseded by a decision is fine, but an undecided contradiction is not.

    A changed card that waits for signatures is a problem if it contradicts the result. It also is one once the event is
    finished, because nobody can sign it then.
    """
    stated = [
        one for one in load_card_statuses(event).values() if one.kind is not StatusKind.NOTHING and not one.is_blank
    ]
    if stated:
        yield from _check_against_results(stated, is_over=event.state == Event.State.FINISHED)
    yield from _check_points(event)


def _check_against_results(stated: Sequence[CardStatus], *, is_over: bool) -> Iterator[Check]:
    waiting = [one for one in stated if one.kind is StatusKind.WAITS]
    decided = [one for one in stated if one.kind is StatusKind.DECIDED]
    void = [one for one in stated if one.kind is StatusKind.VOID]
    signed = [one for one in stated if one.kind not in (StatusKind.WAITS, StatusKind.DECIDED, StatusKind.VOID)]
    differing = [one for one in signed if one.kind is StatusKind.DISAGREES]
    for one in waiting:
        if is_over or not one.agrees:
            yield Check(_name(one), False, _describe_waiting(one), kind="statements")
    for one in differing:
        yield Check(_name(one), False, _describe_difference(one), kind="statements")
    superseded = sum(one.kind is StatusKind.SUPERSEDED for one in signed)
    text = f"{len(signed) - superseded - len(differing)} count as they were signed, {superseded} superseded"
    text += f", {len(waiting)} changed and not signed again" if waiting else ""
    text += f", {len(decided)} changed and decided since" if decided else ""
    text += f", {len(void)} void" if void else ""
    counts, facts = {"statements": len(stated)}, {"cards": [one.state.card.pk for one in stated]}
    yield Check("cards and results", True, text, kind="statements", counts=counts, facts=facts)


def _check_points(event: Event) -> Iterator[Check]:
    """Check matches of two that were decided as played. Without points, the standings lose their point spread."""
    matches = {match.pk: match for match in Match.objects.filter(event=event, seating=None)}
    idents: dict[bool, list[str]] = defaultdict(list)
    carded = set(Card.objects.filter(match__in=matches, postings__isnull=False).values_list("match_id", flat=True))
    for key, rows in load_results_in_force(matches).items():
        if rows and rows[-1].was_played and len(rows[-1].credits) == 2 and not rows[-1].points:
            has_points = key in carded and load_points(matches[key]) is not None
            idents[has_points].append(matches[key].ident)
    for ident in idents[True]:
        text = "it was decided as played, its score card has points, and no points are on record"
        yield Check(f"points of {ident}", False, text, kind="results")
    if idents[False]:
        text = f"{len(idents[False])} decided as played without a card and without points"
        yield Check("results without points", True, text, kind="results")


def _name(one: CardStatus) -> str:
    card = one.state.card
    return f"{card.match.ident}, game {card.game} ({one.state.title})"


def _describe_difference(one: CardStatus) -> str:
    return f"the card says {one.state.score.line}; the result on record says {one.result_line}"


def _describe_waiting(one: CardStatus) -> str:
    """Describe a card that was changed after posting and differs from the result."""
    whole = "" if one.state.is_complete else ", and the game is not over by it"
    return f"changed since it was posted and not signed again{whole}: {_describe_difference(one)}"


# --- Standings -------------------------------------------------------------------------------------------------------

Credits = dict[str, tuple[str, str]]
"""The result of an entry in each match, with its cause."""


def check_standings(event: Event) -> Iterator[Check]:
    """Compare the standings of each pool with the results on record, credit by credit, even while it is played.

    Nothing is yielded for an event without a pool.
    """
    for stage in load_course(event).pools:
        yield _check_pool(stage, stage.pool)


def _check_pool(stage: StageState, pool: Pool) -> Check:
    rows = _results_of(stage.row)
    credits, spreads = _recorded_credits(rows)
    ranked = {row.entry: row for _part, listed in pool.standings for row in listed}
    listed = sum(len(rows) for _part, rows in pool.standings)
    wrong = sorted(
        entry
        for entry, row in ranked.items()
        if _credits_of(row.record, rows) != credits.get(entry, {}) or row.record.spread != spreads.get(entry, 0)
    )
    missing = sorted(set(credits) - set(ranked))
    good = not wrong and not missing and listed == len(ranked)
    text = f"{listed} entries by {len(rows)} results"
    text += f"; entries {', '.join(map(str, wrong))} have other results" if wrong else ""
    text += f"; entries {', '.join(map(str, missing))} are missing" if missing else ""
    facts = {"entries": sorted(ranked), "results": sorted(row.pk for row in rows.values())}
    counts = {"standings": listed}
    return Check(f"standings of {stage.name}", good, text, kind="standings", counts=counts, facts=facts)


def _results_of(stage: Stage) -> Mapping[str, MatchResult]:
    """Return the last result of each match. A result that was undone or is void gives nobody anything."""
    counting = stage.matches.filter(COUNTING)
    rows = MatchResult.objects.filter(match__in=counting, superseded_by__isnull=True).select_related("match")
    results = {row.match.ident: row for row in rows.order_by("pk") if row.credits}
    none = Result.NONE.value
    return {ident: row for ident, row in results.items() if any(result != none for result, _ in row.credits.values())}


def _recorded_credits(rows: Mapping[str, MatchResult]) -> tuple[dict[int, Credits], dict[int, int]]:
    """Return each entry's results on record, and the points it won less the points it lost."""
    credits: dict[int, Credits] = defaultdict(dict)
    spreads: dict[int, int] = defaultdict(int)
    for ident, row in rows.items():
        score = {int(number): int(points) for number, points in row.score.items()}
        for number, (result, cause) in row.credits.items():
            credits[int(number)][ident] = (result, cause)
            if len(score) == 2 and int(number) in score and result != Result.NONE.value:
                spreads[int(number)] += 2 * score[int(number)] - sum(score.values())
    return dict(credits), dict(spreads)


def _credits_of(record: WinLossRecord, rows: Mapping[str, MatchResult]) -> Credits:
    """Return an entry's credits in the standings. Those without a result, as by a withdrawal, are left out."""
    return {one.match: (one.credit.result.value, one.credit.cause.value) for one in record.credits if one.match in rows}


# --- Results and final places ----------------------------------------------------------------------------------------


def figure_results(event: Event) -> Iterator[Check]:
    """Yield the winner of each match that has a result, with the cards and decisions behind it."""
    cards: dict[int, list[int]] = defaultdict(list)
    for match, card in Card.objects.filter(match__event=event).order_by("pk").values_list("match", "pk"):
        cards[match].append(card)
    results: dict[int, list[MatchResult]] = defaultdict(list)
    for result in _results_that_count(event):
        results[result.match_id].append(result)
    for match, recorded in results.items():
        last = recorded[-1]
        won = f"{last.winner.name} has won" if last.winner else "nobody has won"
        score = ", ".join(f"entry {number}: {points}" for number, points in last.score.items())
        facts = {"cards": cards[match], "decisions": [one.pk for one in recorded]}
        text = f"{won} ({score})" if score else won
        what = f"result of {last.match.ident}"
        yield Check(what, True, text, kind="results", counts={"results": 1}, facts=facts)


def _results_that_count(event: Event) -> QuerySet[MatchResult]:
    """Return the results of matches that count, in the order of recording."""
    rows = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return rows.select_related("match", "winner").order_by("match__pk", "pk")


def check_places(event: Event) -> Iterator[Check]:
    """Compute every final place again from all results, and compare it with the recorded finish, if there is one."""
    finish = current_finish(event)
    if finish is None:
        return
    placings = load_final_placings(event)
    again = [list(placing.entries) for placing in placings.finish] if placings is not None else []
    facts: Facts = {
        "finish": [finish.pk],
        "results": _results_that_count(event).filter(superseded_by__isnull=True).count(),
    }
    counts = {"places": sum(map(len, again))}
    text = f"{counts['places']} entries in {len(again)} places by all results"
    yield Check("places", again == finish.places, text, kind="places", counts=counts, facts=facts)
    if again != finish.places:
        return
    for placing in placings.finish if placings is not None else ():
        entries = ", ".join(map(str, placing.entries))
        yield Check(f"place {placing}", True, f"entry {entries}", kind="places", facts=facts)
