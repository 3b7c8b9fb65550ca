"""Recompute an event's stages, and check its pairings, cards, results, standings, and final places."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from django.db.models import QuerySet

from pairing.blind_draw.selectors import load_partner_draws, make_partner_draw_record
from pairing.draws.cases.pair import run_pair_case
from pairing.draws.knockout.progress import BracketProgress
from pairing.draws.order import run_verify_draw_case
from pairing.draws.partners import run_verify_partners_case
from pairing.draws.results import CardStatusKind, Result, WinLossRecord
from pairing.draws.separation.draw import AvoidList, DrawTerms, place_entries_by_terms
from pairing.draws.stages.pools import Pool
from pairing.models import LateEntry, Match, MatchResult, Pairing, PartnerDraw, Stage
from pairing.results.selectors.late_entries import list_byes_in_lot_order, load_late_entries
from pairing.stages.selectors.brackets import read_drawn_places
from pairing.stages.selectors.course import (
    EventStages,
    list_advancing_entries,
    load_event_stages,
    load_final_placings,
    load_persons_by_entry,
)
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.openings import make_first_stage_opening, verify_drawn_places, verify_seeding
from pairing.stages.selectors.records import VALID_MATCH_FILTER, load_posted_draw
from scoring.models import Card
from scoring.posting.selectors.card_status import CardStatus, load_card_points, load_card_statuses
from scoring.posting.selectors.results import load_valid_results
from scoring.verification.selectors.checks import VerificationCheck, VerificationFacts
from tournament.errors import InvalidInput
from tournament.models import EntrantFact, Event
from tournament.money.selectors.ledger import load_current_finish

# --- Stages with their matches ---------------------------------------------------------------------------------------


def check_stages(event: Event) -> list[VerificationCheck]:
    """Recompute and check the event's stages.

    Return an empty list before the draw is posted, or if matches are not between two entries.
    """
    course = load_event_stages(event)
    if not course.stages or not course.current_stage.kind.traits.two_meet:
        return []
    checks = [check for stage in course.stages for check in _check_stage(event, course, stage)]
    return [*checks, *_check_pairings(course)]


def _check_stage(event: Event, course: EventStages, stage: StageState) -> Iterator[VerificationCheck]:
    record, entries = stage.row.record, list(stage.row.entries)
    if stage.number == 1:
        again = make_first_stage_opening(course.draw, stage.plan)
        same = list(again.entries) == entries and all(record.get(key) == value for key, value in again.record.items())
        text = f"{len(entries)} entries in the order of the draw"
        yield VerificationCheck(
            f"stage 1, {stage.name}", same, text, kind="stages", counts={"stages": 1}, facts=_get_stage_facts(stage)
        )
    else:
        yield _check_advancing(event, course, stage)
    if "seal" in record:
        yield _check_blind_draw(stage)
    elif stage.number == 1 and stage.progress is not None:
        yield _check_drawn_places(stage)
    elif stage.progress is not None and record.get("seeded"):
        good = verify_seeding(entries, record)
        text = f"{len(entries)} seeded by the standings"
        yield VerificationCheck(f"places of {stage.name}", good, text, kind="draws", facts=_get_stage_facts(stage))
    yield _check_matches(stage)
    if stage.progress is not None:
        yield _check_results(stage, stage.progress)


def _check_drawn_places(stage: StageState) -> VerificationCheck:
    """Check the bracket positions by recomputing them from the draw's order, terms, and list of entrants kept apart."""
    draw = stage.row.draw
    placed = place_entries_by_terms(draw.order, DrawTerms.from_json(draw.terms), AvoidList.from_json(draw.avoid))
    good = list(placed.places) == draw.places and [move.as_json() for move in placed.moves] == draw.moves
    text = f"{len(draw.moves)} moves for byes and the avoid list"
    return VerificationCheck(f"places of {stage.name}", good, text, kind="draws", facts={"draws": [draw.pk]})


def _check_results(stage: StageState, progress: BracketProgress) -> VerificationCheck:
    """Check that the bracket has a recorded result for every decided match.

    A match that was decided because a side had left needs no result.
    """
    recorded = stage.row.matches.filter(results__isnull=False, results__superseded_by__isnull=True).count()
    decided = sum(view.outcome is not None and not view.is_decided_without_result for view in progress.views.values())
    text = f"{decided} decided by {recorded} results, {len(progress.superseded_outcomes)} fallen"
    return VerificationCheck(
        f"results of {stage.name}", decided <= recorded, text, kind="results", facts={"results": recorded}
    )


def _check_advancing(event: Event, course: EventStages, stage: StageState) -> VerificationCheck:
    """Check that the entries that advanced to a stage follow from the previous stage's results.

    Corrections and withdrawals after the stage was opened are ignored.
    """
    expected = list_advancing_entries(EventStages(course.plan, course.stages[: stage.number - 1]))
    what, entries, facts = f"who came into {stage.name}", set(stage.row.entries), _get_stage_facts(stage)
    if expected == entries:
        text = f"{len(entries)} by the stage before"
        return VerificationCheck(what, True, text, kind="stages", counts={"stages": 1}, facts=facts)
    corrections = MatchResult.objects.filter(match__draw=course.draw, supersedes__isnull=False, at__gt=stage.row.at)
    has_new_facts = event.entrants.filter(facts__at__gt=stage.row.at).exists()
    differ = ", ".join(map(str, sorted(expected ^ entries)))
    text = f"kept as opened, before a correction or a withdrawal: entries {differ}"
    return VerificationCheck(
        what, corrections.exists() or has_new_facts, text, kind="stages", counts={"stages": 1}, facts=facts
    )


def _get_stage_facts(stage: StageState) -> dict[str, int | Sequence[int]]:
    return {"stages": [stage.row.pk], "entries": len(stage.row.entries)}


def _check_blind_draw(stage: StageState) -> VerificationCheck:
    record = stage.row.record
    numbers = sorted(stage.row.entries)
    try:
        run_verify_draw_case({**record["seal"], "public": record["cut"], "numbers": numbers, "order": record["order"]})
    except InvalidInput as bad:
        good, text = False, bad.problems[0].message
    else:
        good, text = verify_drawn_places(record), f"{len(numbers)} entries follow from the seal and the cut"
    return VerificationCheck(
        f"draw of {stage.name}", good, text, kind="draws", counts={"draws": 1}, facts=_get_stage_facts(stage)
    )


def _check_matches(stage: StageState) -> VerificationCheck:
    """Check that the recorded matches are those that follow from the stage's facts."""
    counting = Match.objects.filter(stage=stage.row, pairing__taken_back__isnull=True)
    rows = set(counting.filter(late_entry__taken_back__isnull=True).values_list("ident", flat=True))
    if stage.kind.traits.all_meet and stage.pool is not None:
        pairs = _list_games_of_groups(stage, stage.pool)
        games = [match.meeting.sides for match in stage.matches.values() if len(match.meeting.sides) == 2]
        good, expected = sorted(tuple(sorted(sides)) for sides in games) == pairs, len(pairs)
    else:
        good, expected = rows == set(stage.match_states), len(stage.match_states)
    text, counts = f"{len(rows)} on record, {expected} by its facts", {"matches": len(rows)}
    return VerificationCheck(
        f"matches of {stage.name}", good, text, kind="matches", counts=counts, facts=_get_stage_facts(stage)
    )


def _list_games_of_groups(stage: StageState, pool: Pool) -> list[tuple[int, ...]]:
    """Return the pairs of entries that have to meet in a stage where every group plays a round robin.

    Entries of the same person do not have to meet.
    """
    left_out = {tuple(pair) for pair in stage.row.record.get("left_out", ())}
    late = set(pool.qualifying.entrants) - set(stage.row.entries)
    persons = load_persons_by_entry(stage.row.draw.commitment.event, late and pool.qualifying.entrants)
    pairs = (pair for part in pool.parts for pair in combinations(sorted(part.entries), 2))
    return sorted(
        pair
        for pair in pairs
        if pair not in left_out
        and not (late & set(pair) and persons.get(pair[0], frozenset()) & persons.get(pair[1], frozenset()))
    )


def _check_pairings(course: EventStages) -> Iterator[VerificationCheck]:
    """Check that each pairing that the program made can be recomputed from its recorded inputs."""
    rows = Pairing.objects.filter(stage__draw=course.draw, taken_back__isnull=True)
    with_case = [pairing for pairing in rows if pairing.record.get("answers") and pairing.record.get("case")]
    wrong = [pairing.pk for pairing in with_case if not _has_same_pairs(pairing)]
    if rows:
        text = f"{len(with_case)} of {len(rows)} keep their case, {len(wrong)} are answered otherwise"
        facts = {"pairings": [pairing.pk for pairing in rows]}
        yield VerificationCheck("pairs of the desk", not wrong, text, kind="stages", facts=facts)


def _has_same_pairs(pairing: Pairing) -> bool:
    record = pairing.record
    answer = run_pair_case(record["case"])
    pairs = [list(pair) for pair in answer["pairs"]]
    return pairs == [list(pair) for pair in record["pairs"]] and bool(answer["bye"] == record["bye"])


# --- Draws of partners -----------------------------------------------------------------------------------------------


def check_partner_draws(event: Event) -> list[VerificationCheck]:
    """Check every draw of partners, including undone ones: its seal, lots, pairs, and the entries made from them."""
    return [check for draw in reversed(load_partner_draws(event)) for check in _check_partner_draw(event, draw)]


def _check_partner_draw(event: Event, draw: PartnerDraw) -> Iterator[VerificationCheck]:
    what = f"partners {draw.seal.draw_id}"
    try:
        run_verify_partners_case(make_partner_draw_record(draw))
        text, good = f"{len(draw.pairs)} pairs follow from the seal and the cut", True
    except InvalidInput as bad:
        text, good = f"{bad.problems[0].path}: {bad.problems[0].message}", False
    facts: VerificationFacts = {"seals": [draw.seal_id], "draws": [draw.pk], "pairs": len(draw.pairs)}
    yield VerificationCheck(what, good, text, kind="partners", counts={"partners": len(draw.pairs)}, facts=facts)
    if hasattr(draw, "posted"):
        yield _check_drawn_entries(event, draw)


def _check_drawn_entries(event: Event, draw: PartnerDraw) -> VerificationCheck:
    """Check that each drawn pair was entered as one entry."""
    entered = EntrantFact.objects.filter(
        entrant__event=event, kind=EntrantFact.Kind.ENTERED, data__draw=draw.seal.draw_id
    )
    entries = sorted(tuple(sorted(data["halves"])) for data in entered.values_list("data", flat=True))
    drawn = sorted(tuple(sorted(pair)) for pair in draw.pairs)
    differ = sorted(set(entries) ^ set(drawn))
    pairs = "; ".join(f"entries {one} and {other}" for one, other in differ)
    text = f"not the same: {pairs}" if differ else f"{len(drawn)} entries made of them"
    facts: VerificationFacts = {"draws": [draw.pk], "entries": len(entries)}
    return VerificationCheck(f"pairs of {draw.seal.draw_id}", entries == drawn, text, kind="partners", facts=facts)


# --- Late entries ----------------------------------------------------------------------------------------------------


def check_late_entries(event: Event) -> Iterator[VerificationCheck]:
    """Check that late entries to a bracket got the open byes in the order that the draw's secret determines.

    The secret gives each bye a lot, and the byes are sorted by their lots. A late entry gets the first open bye, but
    skips those of entries from which it is kept apart.
    """
    draw = load_posted_draw(event)
    rows = list(load_late_entries(draw).select_related("stage")) if draw is not None else []
    if not rows:
        return
    progress = load_event_stages(event).progress
    views = progress.views if progress is not None else {}
    counting = [late for late in rows if not hasattr(late, "taken_back")]
    entered = {ident: set(view.entries) for ident, view in views.items()}
    good = all(entered.get(late.match.ident) == {late.entrant.number, late.bye.number} for late in counting)
    good = good and all(map(_is_in_order_of_lots, rows))
    text = f"{len(counting)} by the lots of the draw, {len(rows) - len(counting)} taken back"
    facts = {"late_entries": [late.pk for late in rows]}
    yield VerificationCheck(
        "late entries", good, text, kind="late_entries", counts={"late_entries": len(rows)}, facts=facts
    )


def _is_in_order_of_lots(late: LateEntry) -> bool:
    lots = list_byes_in_lot_order(late.draw, read_drawn_places(late.stage))
    in_order = [entry for entry in lots if entry in late.open_byes] == late.open_byes
    first = next((entry for entry in late.open_byes if entry not in late.kept_apart), None)
    return in_order and first == late.bye.number


# --- Cards against results -------------------------------------------------------------------------------------------


def check_cards_against_results(event: Event) -> Iterator[VerificationCheck]:
    """Check the cards against the results, and report each card that contradicts its result.

    Once the event is finished, a changed card without new signatures is a problem too, because nobody can sign it
    anymore.
    """
    statuses = [
        each
        for each in load_card_statuses(event).values()
        if each.kind is not CardStatusKind.NOTHING and not each.is_blank
    ]
    if statuses:
        yield from _check_statuses(statuses, is_over=event.state == Event.State.FINISHED)
    yield from _check_points(event)


def _check_statuses(statuses: Sequence[CardStatus], *, is_over: bool) -> Iterator[VerificationCheck]:
    waiting = [each for each in statuses if each.kind is CardStatusKind.WAITS]
    decided = [each for each in statuses if each.kind is CardStatusKind.DECIDED]
    void = [each for each in statuses if each.kind is CardStatusKind.VOID]
    signed = [
        each
        for each in statuses
        if each.kind not in (CardStatusKind.WAITS, CardStatusKind.DECIDED, CardStatusKind.VOID)
    ]
    differing = [each for each in signed if each.kind is CardStatusKind.DISAGREES]
    for status in waiting:
        if is_over or not status.agrees:
            text = "" if status.state.is_complete else ", and the game is not over by it"
            text = f"changed since it was posted and not signed again{text}: {_describe_difference(status)}"
            yield VerificationCheck(_name_card(status), False, text, kind="statements")
    for status in differing:
        yield VerificationCheck(_name_card(status), False, _describe_difference(status), kind="statements")
    superseded = sum(each.kind is CardStatusKind.SUPERSEDED for each in signed)
    text = f"{len(signed) - superseded - len(differing)} count as they were signed, {superseded} superseded"
    text += f", {len(waiting)} changed and not signed again" if waiting else ""
    text += f", {len(decided)} changed and decided since" if decided else ""
    text += f", {len(void)} void" if void else ""
    counts, facts = {"statements": len(statuses)}, {"cards": [each.state.card.pk for each in statuses]}
    yield VerificationCheck("cards and results", True, text, kind="statements", counts=counts, facts=facts)


def _check_points(event: Event) -> Iterator[VerificationCheck]:
    """Check that played matches between two entries have points, which the standings need for point spreads."""
    matches = {match.pk: match for match in Match.objects.filter(event=event, seating=None)}
    idents: dict[bool, list[str]] = defaultdict(list)
    with_card = set(Card.objects.filter(match__in=matches, postings__isnull=False).values_list("match_id", flat=True))
    for key, rows in load_valid_results(matches).items():
        if rows and rows[-1].was_played and len(rows[-1].credits) == 2 and not rows[-1].points:
            has_points = key in with_card and load_card_points(matches[key]) is not None
            idents[has_points].append(matches[key].ident)
    for ident in idents[True]:
        text = "it was decided as played, its score card has points, and no points are on record"
        yield VerificationCheck(f"points of {ident}", False, text, kind="results")
    if idents[False]:
        text = f"{len(idents[False])} decided as played without a card and without points"
        yield VerificationCheck("results without points", True, text, kind="results")


def _name_card(status: CardStatus) -> str:
    card = status.state.card
    return f"{card.match.ident}, game {card.game} ({status.state.title})"


def _describe_difference(status: CardStatus) -> str:
    return f"the card says {status.state.score.line_with_names}; the result on record says {status.result_line}"


# --- Standings -------------------------------------------------------------------------------------------------------

_Credits = dict[str, tuple[str, str]]
"""An entry's results, keyed by the match's name. Each value contains the result and the cause of the result."""


def check_standings(event: Event) -> Iterator[VerificationCheck]:
    """Compare each pool's standings with the recorded results, even while the pool is being played."""
    for stage in load_event_stages(event).pools:
        yield _check_pool(stage, stage.pool)


def _check_pool(stage: StageState, pool: Pool) -> VerificationCheck:
    rows = _load_results(stage.row)
    credits, spreads = _collect_recorded_credits(rows)
    ranked = {row.entry: row for _part, listed in pool.standings for row in listed}
    listed = sum(len(rows) for _part, rows in pool.standings)
    wrong = sorted(
        entry
        for entry, row in ranked.items()
        if _collect_ranked_credits(row.record, rows) != credits.get(entry, {})
        or row.record.spread != spreads.get(entry, 0)
    )
    missing = sorted(set(credits) - set(ranked))
    good = not wrong and not missing and listed == len(ranked)
    text = f"{listed} entries by {len(rows)} results"
    text += f"; entries {', '.join(map(str, wrong))} have other results" if wrong else ""
    text += f"; entries {', '.join(map(str, missing))} are missing" if missing else ""
    facts = {"entries": sorted(ranked), "results": sorted(row.pk for row in rows.values())}
    counts = {"standings": listed}
    return VerificationCheck(f"standings of {stage.name}", good, text, kind="standings", counts=counts, facts=facts)


def _load_results(stage: Stage) -> Mapping[str, MatchResult]:
    """Return each match's latest result, keyed by the match's name. Undone and void results are left out."""
    counting = stage.matches.filter(VALID_MATCH_FILTER)
    rows = MatchResult.objects.filter(match__in=counting, superseded_by__isnull=True).select_related("match")
    results = {row.match.ident: row for row in rows.order_by("pk") if row.credits}
    none = Result.NONE.value
    return {ident: row for ident, row in results.items() if any(result != none for result, _ in row.credits.values())}


def _collect_recorded_credits(rows: Mapping[str, MatchResult]) -> tuple[dict[int, _Credits], dict[int, int]]:
    """Return each entry's recorded results, and its point spread (points won minus points lost)."""
    credits: dict[int, _Credits] = defaultdict(dict)
    spreads: dict[int, int] = defaultdict(int)
    for ident, row in rows.items():
        score = {int(number): int(points) for number, points in row.score.items()}
        for number, (result, cause) in row.credits.items():
            credits[int(number)][ident] = (result, cause)
            if len(score) == 2 and int(number) in score and result != Result.NONE.value:
                spreads[int(number)] += 2 * score[int(number)] - sum(score.values())
    return dict(credits), dict(spreads)


def _collect_ranked_credits(record: WinLossRecord, rows: Mapping[str, MatchResult]) -> _Credits:
    """Return an entry's results as counted in the standings.

    Results that do not come from a match, such as those after a withdrawal, are left out.
    """
    credits = [each for each in record.credits if each.match in rows]
    return {each.match: (each.credit.result.value, each.credit.cause.value) for each in credits}


# --- Results and final places ----------------------------------------------------------------------------------------


def report_match_results(event: Event) -> Iterator[VerificationCheck]:
    """Yield each decided match's winner, with the cards and decisions that led to the result."""
    cards: dict[int, list[int]] = defaultdict(list)
    for match, card in Card.objects.filter(match__event=event).order_by("pk").values_list("match", "pk"):
        cards[match].append(card)
    results: dict[int, list[MatchResult]] = defaultdict(list)
    for result in _query_counting_results(event):
        results[result.match_id].append(result)
    for match, recorded in results.items():
        last = recorded[-1]
        won = f"{last.winner.name} has won" if last.winner else "nobody has won"
        score = ", ".join(f"entry {number}: {points}" for number, points in last.score.items())
        facts = {"cards": cards[match], "decisions": [result.pk for result in recorded]}
        text = f"{won} ({score})" if score else won
        what = f"result of {last.match.ident}"
        yield VerificationCheck(what, True, text, kind="results", counts={"results": 1}, facts=facts)


def _query_counting_results(event: Event) -> QuerySet[MatchResult]:
    rows = MatchResult.objects.filter(match__event=event, match__draw__taken_back__isnull=True)
    return rows.select_related("match", "winner").order_by("match__pk", "pk")


def check_final_places(event: Event) -> Iterator[VerificationCheck]:
    """Recompute the final places from all results, and compare them with the recorded finish if there is one."""
    finish = load_current_finish(event)
    if finish is None:
        return
    placings = load_final_placings(event)
    again = [list(placing.entries) for placing in placings.finish] if placings is not None else []
    facts: VerificationFacts = {
        "finish": [finish.pk],
        "results": _query_counting_results(event).filter(superseded_by__isnull=True).count(),
    }
    counts = {"places": sum(map(len, again))}
    text = f"{counts['places']} entries in {len(again)} places by all results"
    yield VerificationCheck("places", again == finish.places, text, kind="places", counts=counts, facts=facts)
    if again != finish.places:
        return
    for placing in placings.finish if placings is not None else ():
        entries = ", ".join(map(str, placing.entries))
        yield VerificationCheck(f"place {placing}", True, f"entry {entries}", kind="places", facts=facts)
