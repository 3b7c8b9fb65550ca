"""Use the recorded facts to recompute everything that an event's pages show, and compare it with the stored values."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from django.db.models import F, Q

from pairing.blind_draw.selectors import load_draws, make_draw_record
from pairing.draws.order import run_verify_draw_case
from pairing.draws.table_rounds import seat_entries_at_tables
from pairing.models import Draw, MatchResult, Seating
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.records import load_posted_draw
from pairing.stages.selectors.tables import load_posted_rounds, recompute_tables
from scoring.card_state.selectors.cards import select_cards_with_facts
from scoring.card_state.selectors.state import CardState, can_end_without_winner, make_card_state
from scoring.disputes.selectors.register import RulingChange, load_event_rulings, load_ruling_changes
from scoring.models import Card, CardPosted, CardSeal, CardSeat, CardVersion
from scoring.posting.selectors.card_status import load_postings_by_officials
from scoring.rules.evidence.sealing import NO_PREVIOUS_DIGEST, VerificationFault
from scoring.rulesheets.selectors import load_special_lengths_by_match
from scoring.seals.selectors.keys import load_earlier_keys
from scoring.seals.selectors.log import LoggedDigests, check_log_seals, check_seals_against_log, load_logged_digests
from scoring.seals.selectors.versions import BAD_LINE_ERRORS, compute_current_digest
from scoring.verification.selectors.checks import VerificationCheck, VerificationFacts, check_every_row
from scoring.verification.selectors.faults import (
    find_card_faults,
    find_evidence_faults,
    find_missing_card_rows,
    find_row_faults,
)
from scoring.verification.selectors.money import check_daily_closes, check_money, check_payments
from scoring.verification.selectors.results import (
    check_cards_against_results,
    check_final_places,
    check_late_entries,
    check_partner_draws,
    check_stages,
    check_standings,
    report_match_results,
)
from tournament.core.selectors.left_out import load_left_out_parts
from tournament.core.selectors.log import check_log_chain
from tournament.core.selectors.rows import load_rows_without_log
from tournament.errors import InvalidInput
from tournament.models import Entrant, Event, LogSeal, Tournament


def verify_event(event: Event) -> list[VerificationCheck]:
    """Return all checks of an event. The check of its tournament's log comes first."""
    parts = {
        "origin": ("log", _report_origin),
        "partners": ("partners", check_partner_draws),
        "draw": ("draws", _check_draws),
        "stages": ("stages", check_stages),
        "late entries": ("late_entries", check_late_entries),
        "cards": ("cards", _check_cards),
        "cards and results": ("statements", check_cards_against_results),
        "rulings": ("rulings", _check_rulings),
        "results": ("results", report_match_results),
        "standings": ("standings", check_standings),
        "places": ("places", check_final_places),
        "money": ("ledger", check_money),
        "closes": ("ledger", check_daily_closes),
        "transfers and cards": ("ledger", check_payments),
        "every row": ("rows", check_every_row),
    }
    checks = [_check_chain(event), *_check_log_seals(event), _check_state(event)]
    for name, (kind, part) in parts.items():
        checks += _run_check(name, kind, partial(part, event))
    return checks


def _run_check(name: str, kind: str, check: Callable[[], Iterable[VerificationCheck]]) -> list[VerificationCheck]:
    """Run a check. If altered rows cause an exception, report it as a problem."""
    try:
        return list(check())
    except BAD_LINE_ERRORS as error:
        return [VerificationCheck(name, False, f"cannot be worked out from what is on record: {error}", kind=kind)]


def _check_chain(event: Event) -> VerificationCheck:
    chain = check_log_chain(event.tournament)
    text = f"{chain.rows} rows" if chain.is_intact else f"broken at row {chain.broken_at}"
    counts, facts = {"log": chain.rows}, {"log_rows": chain.rows}
    return VerificationCheck("log chain", chain.is_intact, text, kind="log", counts=counts, facts=facts)


def _check_log_seals(event: Event) -> list[VerificationCheck]:
    faults = check_log_seals(event.tournament)
    if faults:
        return [VerificationCheck(fault.place, False, fault.message, kind="log") for fault in faults]
    count = LogSeal.objects.filter(tournament=event.tournament_id).count()
    return (
        [VerificationCheck("seals of the log", True, f"{count} seals", kind="log", facts={"log_seals": count})]
        if count
        else []
    )


def _report_origin(event: Event) -> Iterator[VerificationCheck]:
    """Report which evidence is missing if the event was imported without personal data or without other events."""
    if load_rows_without_log(event.tournament_id):
        text = "this is a copy without persons: signatures and the log cannot be compared with the original"
        yield VerificationCheck("origin", True, text, kind="log")
    if count := load_left_out_parts(event.tournament_id).log_rows:
        text = (
            f"this came from the file of one event: of {count} log rows about other events, only the digests are here"
        )
        yield VerificationCheck("origin", True, text, kind="log")


def _check_state(event: Event) -> VerificationCheck:
    steps = list(event.steps.order_by("pk").values_list("pk", "went_to"))
    by_facts = steps[-1][1] if steps else Event.State.DRAFT.value
    text = f"{event.state}, by its steps {by_facts}"
    counts, facts = {"steps": len(steps)}, {"steps": [pk for pk, _ in steps]}
    return VerificationCheck(
        "state of the event", event.state == by_facts, text, kind="steps", counts=counts, facts=facts
    )


def _check_draws(event: Event) -> list[VerificationCheck]:
    posted = load_posted_draw(event)
    undone = [draw for draw in load_draws(event) if hasattr(draw, "taken_back")]
    checks = [
        _check_draw_order(draw, f"draw order of {draw.commitment.draw_id}, taken back") for draw in reversed(undone)
    ]
    return (
        checks
        if posted is None
        else [*checks, _check_draw_order(posted, "draw order"), *_check_seatings(event, posted)]
    )


def _check_draw_order(draw: Draw, what: str) -> VerificationCheck:
    try:
        run_verify_draw_case(make_draw_record(draw))
        text, good = f"{len(draw.order)} entries follow from the seal and the cut", True
    except InvalidInput as bad:
        text, good = bad.problems[0].message, False
    facts: VerificationFacts = {"seals": [draw.commitment_id], "draws": [draw.pk], "entries": len(draw.order)}
    return VerificationCheck(what, good, text, kind="draws", counts={"draws": 1}, facts=facts)


def _check_seatings(event: Event, draw: Draw) -> list[VerificationCheck]:
    """Return a check of each round's table assignments.

    The matches must be at the assigned tables. It must be possible to recompute the assignments of later rounds.
    """
    course = load_event_stages(event)
    rotating_sides, rounds = course.rotating_sides, course.rounds
    if rotating_sides is not None:
        return [
            _check_seated_tables(each, len(each.tables), recompute_tables(rotating_sides, each) == each.tables)
            for each in rotating_sides.rounds
        ]
    if rounds is None:
        return []
    terms = rounds.terms
    stage = draw.stages.get(number=1)
    counting = stage.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    checks = []
    for seating, round_ in zip(counting, load_posted_rounds(stage), strict=True):
        tables = [list(table.entries) for table in round_.tables]
        good = tables == seating.tables
        if seating.round > 1:
            playing = [number for table in seating.tables for number in table]
            met = [(one, other) for one, other in seating.record["met"]]
            again = seat_entries_at_tables(playing, met, size=terms.size, seed=seating.record["seed"])
            good = good and sorted(sorted(table) for table in tables) == [list(table) for table in again.tables]
        checks.append(_check_seated_tables(seating, len(tables), good))
    return checks


def _check_seated_tables(seating: Seating, tables: int, good: bool) -> VerificationCheck:
    what, text = f"tables of round {seating.round}", f"{tables} tables"
    return VerificationCheck(
        what, good, text, kind="tables", counts={"tables": tables}, facts={"seatings": [seating.pk]}
    )


def _check_cards(event: Event) -> list[VerificationCheck]:
    states = [make_card_state(card) for card in select_cards_with_facts().filter(match__event=event)]
    signed = _check_signed_cards(event, states)
    states = [state for state in states if compute_current_digest(state) is not None]
    posted = [state for state in states if state.is_posted and not state.score.is_closed]
    unsigned = {state.card.pk for state in posted if state.signatures.missing_seats}
    by_officials = load_postings_by_officials(event) if unsigned else set()
    agreed = {state.card.pk for state in posted if (state.card.pk, state.digest) in by_officials} & unsigned
    wrong = sum(state.card.pk in unsigned - agreed or not state.is_complete for state in posted)
    text = f"{len(posted) - len(agreed)} complete and signed by all, {wrong} not"
    text += f"; {len(agreed)} changed by two officials after they were final" if agreed else ""
    facts = {"postings": len(posted), "signatures": sum(len(state.signatures.signed_seats) for state in posted)}
    posted_cards = VerificationCheck("posted cards", not wrong, text, kind="cards", facts=facts)
    lengths = _run_check("lengths of matches", "lengths", partial(_check_lengths, event))
    return [*signed, posted_cards, *_check_closed_games(event, states), *lengths]


def _check_closed_games(event: Event, states: list[CardState]) -> list[VerificationCheck]:
    """Check that the winner of each game that was closed early also won the match."""
    closed = [state for state in states if state.score.is_closed]
    of_two = [state for state in closed if not can_end_without_winner(state.card)]
    recorded = MatchResult.objects.filter(match__event=event).order_by("pk").values_list("match_id", "winner_id", "at")
    results: dict[int, list[tuple[int | None, datetime]]] = {}
    for match, winner, at in recorded:
        results.setdefault(match, []).append((winner, at))
    won = [state for state in of_two if state.score.winner]
    wrong = [state for state in won if not _has_won_match(state, results.get(state.card.match_id, []))]
    text = f"{len(closed)} closed before their end, {len(wrong)} of them against the result"
    facts = {"cards": [state.card.pk for state in closed]}
    return [VerificationCheck("closed games", not wrong, text, kind="cards", facts=facts)] if closed else []


def _has_won_match(state: CardState, results: list[tuple[int | None, datetime]]) -> bool:
    """Return whether the card's winner won the match.

    Also return True if the winner had won the match when the game was closed, and staff changed the result later.
    """
    won, since = state.score.winner, state.posted_or_closed_at
    if won is None or since is None or not results:
        return False
    return results[-1][0] == won.pk or any(winner == won.pk and since <= at for winner, at in results[:-1])


def _check_lengths(event: Event) -> list[VerificationCheck]:
    """Check that every card has the length that its rule sheet sets for its match."""
    checked = wrong = card_count = 0
    counting = Card.objects.filter(match__draw__taken_back__isnull=True, match__late_entry__taken_back__isnull=True)
    sheets = list(event.rule_sheets.all())
    for sheet in sheets:
        cards = list(counting.filter(match__event=event, sheet=sheet).select_related("match"))
        card_count += len(cards)
        lengths = load_special_lengths_by_match(event, sheet, [card.match for card in cards])
        checked += sum(bool(card.length or lengths[card.match_id]) for card in cards)
        wrong += sum(card.length != lengths[card.match_id] for card in cards)
    if not card_count:
        return []
    text, facts = f"{checked} other than usual, {wrong} wrong", {"rule_sheets": len(sheets), "cards": card_count}
    return [
        VerificationCheck(
            "lengths of matches", not wrong, text, kind="lengths", counts={"lengths": card_count}, facts=facts
        )
    ]


# --- Signed cards and rulings ----------------------------------------------------------------------------------------


def _check_signed_cards(event: Event, states: Sequence[CardState]) -> list[VerificationCheck]:
    """Return the checks of all cards, and a check of the chain of seals."""
    versions: dict[int, list[CardVersion]] = defaultdict(list)
    signed = CardVersion.objects.filter(card__match__event=event).select_related("seal__key").order_by("number")
    for version in signed:
        versions[version.card_id].append(version)
    log = load_logged_digests(event)
    evidence: dict[int | None, list[VerificationFault]] = defaultdict(list)
    for card, fault in find_evidence_faults(event, log):
        evidence[card].append(fault)
    faulty: list[VerificationCheck] = []
    signed_cards: list[VerificationCheck] = []
    sealed = 0
    for state in states:
        own = versions[state.card.pk]
        sealed += sum(hasattr(version, "seal") for version in own)
        faults = find_card_faults(state, own, log)
        if compute_current_digest(state) is None and not faults:
            faults = [VerificationFault("hands", "The card cannot be counted: a line on it cannot stand.")]
        faults += evidence[state.card.pk]
        (faulty if faults else signed_cards).extend(_iter_card_checks(_make_totals_check(state, own), faults))
    faulty += [
        VerificationCheck(fault.place, False, fault.message, kind="cards")
        for fault in _find_missing_rows(log, states, versions)
    ]
    counts = {"versions": sum(map(len, versions.values())), "seals": sealed}
    if not faulty and versions:
        older = CardPosted.objects.filter(card__match__event=event, card__versions__isnull=True).count()
        text = f"{counts['versions']} versions, {sealed} sealed"
        text += f", {older} posted before seals" if older else ""
        faulty = [VerificationCheck("signed cards", True, text, kind="versions", counts=counts, facts=counts)]
    rows = [
        VerificationCheck(fault.place, False, fault.message, kind=kind) for kind, fault in find_row_faults(event, log)
    ]
    return [*rows, *_check_names(event), *signed_cards, *faulty, *_check_seal_chain(event.tournament)]


def _check_names(event: Event) -> Iterator[VerificationCheck]:
    """Compare the names on cards with the names of their entries.

    Entries with substituted, corrected, or merged players are skipped, because their cards keep the earlier names.
    """
    changed = Q(members__replaces__isnull=False) | Q(members__player__corrections__isnull=False)
    merged = Q(members__player__merges__isnull=False)
    with_history = Entrant.objects.filter(changed | merged, event=event).values("pk")
    seats = CardSeat.objects.filter(card__match__event=event, entrant__isnull=False).exclude(entrant__in=with_history)
    columns = ("card__match__ident", "card__game", "name", "entrant__number", "entrant__name")
    wrong = list(seats.exclude(name=F("entrant__name")).values_list(*columns))
    for match, game, name, entry, entry_name in wrong:
        text = f"the card names “{name}”, and entry {entry} is “{entry_name}”"
        yield VerificationCheck(f"names on {match}, game {game}", False, text, kind="cards")
    if not wrong and (compared := seats.count()):
        facts = {"card_seats": compared}
        yield VerificationCheck(
            "names on cards", True, f"{compared} compared with the entries", kind="cards", facts=facts
        )


def _find_missing_rows(
    log: LoggedDigests, states: Sequence[CardState], versions: Mapping[int, Sequence[CardVersion]]
) -> Iterator[VerificationFault]:
    signed = [version for own in versions.values() for version in own]
    existing = {
        "lines": {line.pk for state in states for line in state.facts.lines},
        "cuts": {cut.pk for state in states for cut in state.facts.cuts},
        "signatures": {signature.pk for state in states for signature in state.signatures.all_signatures},
        "versions": {version.pk for version in signed},
        "seals": {version.seal.pk for version in signed if hasattr(version, "seal")},
    }
    yield from find_missing_card_rows(log, existing, {state.card.pk for state in states})


def _iter_card_checks(figure: VerificationCheck, faults: Sequence[VerificationFault]) -> Iterator[VerificationCheck]:
    """Yield a failed check for each of a card's faults, or the check `figure` if the card has no faults.

    `figure` is the check that lists the card's totals and the facts from which they were computed. If there are faults,
    the failed check for the first one contains the same facts.
    """
    if not faults:
        yield figure
    for fault in faults[:1]:
        yield replace(figure, subject=f"{figure.subject}: {fault.place}", passed=False, finding=fault.message)
    for fault in faults[1:]:
        yield VerificationCheck(f"{figure.subject}: {fault.place}", False, fault.message, kind="cards")


def _make_totals_check(state: CardState, versions: Sequence[CardVersion]) -> VerificationCheck:
    """Return the check that lists a card's totals and the facts from which they were computed."""
    facts = {
        "hands": [line.pk for line in state.hands],
        "totals": [line.pk for line in state.lines if line not in state.hands],
        "corrected_lines": [line.pk for line in state.facts.lines if line not in state.lines],
        "cuts": [cut.pk for cut in state.facts.cuts],
        "closings": [closing.pk for closing in state.facts.closings],
        "signatures": [signature.pk for signature in state.signatures.all_signatures],
        "versions": [version.pk for version in versions],
        "postings": [posting.pk for posting in state.postings],
    }
    counts = {"cards": 1, "hands": len(facts["hands"]), "signatures": len(facts["signatures"])}
    text = "" if compute_current_digest(state) is None else state.score.line_with_names
    place = f"{state.card.match.ident}, game {state.card.game}" if state.is_single_game else "card"
    return VerificationCheck(f"{place} ({state.title})", True, text, kind="cards", counts=counts, facts=facts)


def _check_seal_chain(tournament: Tournament) -> list[VerificationCheck]:
    """Check that each seal refers to the previous seal, which reveals missing or inserted seals."""
    rows = CardSeal.objects.filter(version__card__match__event__tournament=tournament)
    seals = list(rows.select_related("key").order_by("number", "pk"))
    anchors = check_seals_against_log(tournament, seals)
    if anchors:
        return [VerificationCheck(fault.place, False, fault.message, kind="log") for fault in anchors]
    expected, previous, left_out = 0, NO_PREVIOUS_DIGEST, load_left_out_parts(tournament.pk).seals
    for seal in seals:
        expected += 1
        while seal.number > expected and expected in left_out:  # other events' seals, known only by digest
            previous = left_out[expected]
            expected += 1
        if seal.number != expected:
            return [VerificationCheck("chain of seals", False, f"seal {expected} is missing", kind="seals")]
        if seal.previous != previous:
            text = f"seal {seal.number} does not follow the one before"
            return [VerificationCheck("chain of seals", False, text, kind="seals")]
        previous = seal.digest
    earlier_keys = load_earlier_keys()
    older = sum(seal.key.public in earlier_keys for seal in seals)
    found = f"{len(seals)} seals" + (f", {older} of them genuine by an earlier key" if older else "")
    return (
        [VerificationCheck("chain of seals", True, found, kind="seals", facts={"seals": len(seals)})] if seals else []
    )


def _check_rulings(event: Event) -> Iterator[VerificationCheck]:
    """Yield a check for each later change to a ruling's effects. A change without a reason is a problem."""
    rulings = load_event_rulings(event)
    if not rulings:
        return
    changed = load_ruling_changes(rulings)
    for ruling in rulings:
        for change in changed.get(ruling.pk, ()):
            yield VerificationCheck(
                f"ruling {ruling.number}", change.has_reason, _describe_change(change), kind="rulings"
            )
    text = f"{len(rulings) - len(changed)} as they were made, {len(changed)} undone or corrected since"
    facts = {"rulings": [ruling.pk for ruling in rulings]}
    yield VerificationCheck("rulings", True, text, kind="rulings", counts={"rulings": len(rulings)}, facts=facts)


def _describe_change(change: RulingChange) -> str:
    where = change.match or change.name or (f"hand {change.hand}" if change.hand else "its card")
    what = f"what it did ({where}) does not stand any more: {change.kind.value}"
    if not change.has_reason:
        return f"{what}, and no act with a reason says so"
    return f"{what}, by {change.by}: {change.reason}"
