"""Compute the draws of an event again: its stages with their matches, the draws of partners, and late entries."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from pairing.blind_draw.selectors import load_partner_draws, partners_record
from pairing.draws.cases.pair import answer_pair
from pairing.draws.knockout.progress import Progress
from pairing.draws.order import answer_verify_draw
from pairing.draws.partners import answer_verify_partners
from pairing.draws.separation.draw import AvoidList, DrawTerms, place_by_terms
from pairing.draws.stages.pools import Pool
from pairing.models import LateEntry, Match, MatchResult, Pairing, PartnerDraw
from pairing.results.selectors.late_entries import load_late_entries, lots_of
from pairing.stages.selectors.brackets import places_of
from pairing.stages.selectors.course import Course, advancing, load_course, load_persons
from pairing.stages.selectors.kinds import StageState
from pairing.stages.selectors.openings import first_opening, placed_again, seeded_again
from pairing.stages.selectors.records import load_posted_draw
from scoring.verification.selectors.checks import Check, Facts
from tournament.errors import BadCase
from tournament.models import EntrantFact, Event


def check_stages(event: Event) -> list[Check]:
    """Check the stages. The list is empty before the draw is posted, and for stages without matches between two."""
    course = load_course(event)
    if not course.stages or not course.current.kind.traits.two_meet:
        return []
    checks = [check for stage in course.stages for check in _check_stage(event, course, stage)]
    return [*checks, *_check_pairings(course)]


def _check_stage(event: Event, course: Course, stage: StageState) -> Iterator[Check]:
    record, entries = stage.row.record, list(stage.row.entries)
    if stage.number == 1:
        again = first_opening(course.draw, stage.plan)
        same = list(again.entries) == entries and all(record.get(key) == value for key, value in again.record.items())
        text = f"{len(entries)} entries in the order of the draw"
        yield Check(f"stage 1, {stage.name}", same, text, kind="stages", counts={"stages": 1}, facts=_facts(stage))
    else:
        yield _check_advancing(event, course, stage)
    if "seal" in record:
        yield _check_blind_draw(stage)
    elif stage.number == 1 and stage.progress is not None:
        yield _check_drawn_places(stage)
    elif stage.progress is not None and record.get("seeded"):
        good = seeded_again(entries, record)
        text = f"{len(entries)} seeded by the standings"
        yield Check(f"places of {stage.name}", good, text, kind="draws", facts=_facts(stage))
    yield _check_matches(stage)
    if stage.progress is not None:
        yield _check_results(stage, stage.progress)


def _check_drawn_places(stage: StageState) -> Check:
    """Check that the places follow from the drawn order, the terms of the draw and the pairs kept apart."""
    draw = stage.row.draw
    placed = place_by_terms(draw.order, DrawTerms.from_json(draw.terms), AvoidList.from_json(draw.avoid))
    good = list(placed.places) == draw.places and [move.as_json() for move in placed.moves] == draw.moves
    text = f"{len(draw.moves)} moves for byes and the avoid list"
    return Check(f"places of {stage.name}", good, text, kind="draws", facts={"draws": [draw.pk]})


def _check_results(stage: StageState, progress: Progress) -> Check:
    """Check that no match of the bracket is decided without a result, except those that end by themselves."""
    recorded = stage.row.matches.filter(results__isnull=False, results__superseded_by__isnull=True).count()
    decided = sum(view.outcome is not None and not view.by_itself for view in progress.views.values())
    text = f"{decided} decided by {recorded} results, {len(progress.fallen)} fallen"
    return Check(f"results of {stage.name}", decided <= recorded, text, kind="results", facts={"results": recorded})


def _check_advancing(event: Event, course: Course, stage: StageState) -> Check:
    """Check who goes on by the current results. A later correction leaves a stage as it was opened."""
    now = advancing(Course(course.plan, course.stages[: stage.number - 1]))
    what, entries, facts = f"who came into {stage.name}", set(stage.row.entries), _facts(stage)
    if now == entries:
        text = f"{len(entries)} by the stage before"
        return Check(what, True, text, kind="stages", counts={"stages": 1}, facts=facts)
    since = MatchResult.objects.filter(match__draw=course.draw, supersedes__isnull=False, at__gt=stage.row.at)
    gone = event.entrants.filter(facts__at__gt=stage.row.at).exists()
    differ = ", ".join(map(str, sorted(now ^ entries)))
    text = f"kept as opened, before a correction or a withdrawal: entries {differ}"
    return Check(what, since.exists() or gone, text, kind="stages", counts={"stages": 1}, facts=facts)


def _facts(stage: StageState) -> dict[str, int | Sequence[int]]:
    return {"stages": [stage.row.pk], "entries": len(stage.row.entries)}


def _check_blind_draw(stage: StageState) -> Check:
    record = stage.row.record
    numbers = sorted(stage.row.entries)
    try:
        answer_verify_draw({**record["seal"], "public": record["cut"], "numbers": numbers, "order": record["order"]})
    except BadCase as bad:
        good, text = False, bad.problems[0].message
    else:
        good, text = placed_again(record), f"{len(numbers)} entries follow from the seal and the cut"
    return Check(f"draw of {stage.name}", good, text, kind="draws", counts={"draws": 1}, facts=_facts(stage))


def _check_matches(stage: StageState) -> Check:
    """Check that every match on record belongs to the stage."""
    counting = Match.objects.filter(stage=stage.row, pairing__taken_back__isnull=True)
    rows = set(counting.filter(late_entry__taken_back__isnull=True).values_list("ident", flat=True))
    if stage.kind.traits.all_meet and stage.pool is not None:
        pairs = _games_of_groups(stage, stage.pool)
        games = [match.meeting.sides for match in stage.matches.values() if len(match.meeting.sides) == 2]
        good, expected = sorted(tuple(sorted(sides)) for sides in games) == pairs, len(pairs)
    else:
        good, expected = rows == set(stage.standing), len(stage.standing)
    text, counts = f"{len(rows)} on record, {expected} by its facts", {"matches": len(rows)}
    return Check(f"matches of {stage.name}", good, text, kind="matches", counts=counts, facts=_facts(stage))


def _games_of_groups(stage: StageState, pool: Pool) -> list[tuple[int, ...]]:
    """Return the pairs in which everybody in a group meets everybody else.

    Recorded exceptions are left out, and so is a late entry against another entry of the same person.
    """
    left_out = {tuple(pair) for pair in stage.row.record.get("left_out", ())}
    late = set(pool.qualifying.entrants) - set(stage.row.entries)
    persons = load_persons(stage.row.draw.commitment.event, late and pool.qualifying.entrants)
    pairs = (pair for part in pool.parts for pair in combinations(sorted(part.entries), 2))
    return sorted(
        pair
        for pair in pairs
        if pair not in left_out
        and not (late & set(pair) and persons.get(pair[0], frozenset()) & persons.get(pair[1], frozenset()))
    )


def _check_pairings(course: Course) -> Iterator[Check]:
    """Check that the recorded case of each pairing of the desk still gives the same pairs."""
    rows = Pairing.objects.filter(stage__draw=course.draw, taken_back__isnull=True)
    kept = [pairing for pairing in rows if pairing.record.get("answers") and pairing.record.get("case")]
    wrong = [pairing.pk for pairing in kept if not _gives_same_pairs(pairing)]
    if rows:
        text = f"{len(kept)} of {len(rows)} keep their case, {len(wrong)} are answered otherwise"
        facts = {"pairings": [pairing.pk for pairing in rows]}
        yield Check("pairs of the desk", not wrong, text, kind="stages", facts=facts)


def _gives_same_pairs(pairing: Pairing) -> bool:
    record = pairing.record
    answer = answer_pair(record["case"])
    pairs = [list(pair) for pair in answer["pairs"]]
    return pairs == [list(pair) for pair in record["pairs"]] and bool(answer["bye"] == record["bye"])


# --- Draws of partners -----------------------------------------------------------------------------------------------


def check_partners(event: Event) -> list[Check]:
    """Check every posted draw of partners, including undone ones. The list is empty if partners are not drawn.

    Each check covers the seal, the order of the lots, the pairs, and the entries made of them.
    """
    return [check for made in reversed(load_partner_draws(event)) for check in _check_partner_draw(event, made)]


def _check_partner_draw(event: Event, made: PartnerDraw) -> Iterator[Check]:
    what = f"partners {made.seal.draw_id}"
    try:
        answer_verify_partners(partners_record(made))
        text, good = f"{len(made.pairs)} pairs follow from the seal and the cut", True
    except BadCase as bad:
        text, good = f"{bad.problems[0].path}: {bad.problems[0].message}", False
    facts: Facts = {"seals": [made.seal_id], "draws": [made.pk], "pairs": len(made.pairs)}
    yield Check(what, good, text, kind="partners", counts={"partners": len(made.pairs)}, facts=facts)
    if hasattr(made, "posted"):
        yield _check_entries(event, made)


def _check_entries(event: Event, made: PartnerDraw) -> Check:
    """Check that each drawn pair became an entry of those two, whatever happened to it later."""
    facts_of_entries = EntrantFact.objects.filter(entrant__event=event, kind=EntrantFact.Kind.ENTERED)
    entered = facts_of_entries.filter(data__draw=made.seal.draw_id)
    halves = sorted(tuple(sorted(data["halves"])) for data in entered.values_list("data", flat=True))
    drawn = sorted(tuple(sorted(pair)) for pair in made.pairs)
    differ = sorted(set(halves) ^ set(drawn))
    pairs = "; ".join(f"entries {one} and {other}" for one, other in differ)
    text = f"not the same: {pairs}" if differ else f"{len(drawn)} entries made of them"
    facts: Facts = {"draws": [made.pk], "entries": len(halves)}
    return Check(f"pairs of {made.seal.draw_id}", halves == drawn, text, kind="partners", facts=facts)


# --- Late entries ----------------------------------------------------------------------------------------------------


def check_late_entries(event: Event) -> Iterator[Check]:
    """Check that each late entry of a bracket got the first bye that was open then, by the order of the lots.

    Nothing is yielded if there are none.
    """
    draw = load_posted_draw(event)
    came = list(load_late_entries(draw).select_related("stage")) if draw is not None else []
    if not came:
        return
    progress = load_course(event).progress
    views = progress.views if progress is not None else {}
    counting = [late for late in came if not hasattr(late, "taken_back")]
    entered = {ident: set(view.entries) for ident, view in views.items()}
    good = all(entered.get(late.match.ident) == {late.entrant.number, late.bye.number} for late in counting)
    good = good and all(map(_follows_lots, came))
    text = f"{len(counting)} by the lots of the draw, {len(came) - len(counting)} taken back"
    facts = {"late_entries": [late.pk for late in came]}
    yield Check("late entries", good, text, kind="late_entries", counts={"late_entries": len(came)}, facts=facts)


def _follows_lots(late: LateEntry) -> bool:
    lots = lots_of(late.draw, places_of(late.stage))
    in_order = [entry for entry in lots if entry in late.open_byes] == late.open_byes
    given = next((entry for entry in late.open_byes if entry not in late.kept_apart), None)
    return in_order and given == late.bye.number
