"""Everything that an event shows, computed again from its facts and held against what is stored for queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from pairing.draws import DrawTerms, answer_verify_draw, place_by_terms, seat
from pairing.draws.avoid import AvoidList
from pairing.models import Draw, Match, MatchResult
from pairing.selectors.brackets import load_posted_draw, load_progress
from pairing.selectors.draws import draw_record
from pairing.selectors.formats import plays_at_tables, plays_bracket, plays_stages, table_terms
from pairing.selectors.seatings import load_seated
from pairing.selectors.turning import load_turning, seated_again
from scoring.models import Card
from scoring.selectors.card_checks import UNCOUNTABLE, digest_now
from scoring.selectors.cards import CardState, cards_with_facts, read_card
from scoring.selectors.checks import Check
from scoring.selectors.clocks import posted_by_officials
from scoring.selectors.lengths import load_card_lengths
from scoring.selectors.verification_cards import check_signed_cards
from scoring.selectors.verification_late import check_late_entries
from scoring.selectors.verification_partners import check_partners
from scoring.selectors.verification_stages import check_stages
from tournament.errors import BadCase
from tournament.models import Event
from tournament.selectors.ledger import load_payout, load_purse
from tournament.selectors.log import check_chain


def verify_event(event: Event) -> list[Check]:
    """All checks of one event, the chain of its tournament first."""
    parts = {
        "partners": check_partners,
        "draw": _draw,
        "late entries": check_late_entries,
        "bracket": _bracket,
        "cards": _cards,
        "money": _money,
    }
    found = [_chain(event), _state(event)]
    for name, part in parts.items():
        found += _worked_out(name, partial(part, event))
    return found


def _worked_out(name: str, part: Callable[[], Iterable[Check]]) -> list[Check]:
    """Rows that somebody changed may fit nothing: that is a finding, and the other checks go on."""
    try:
        return list(part())
    except UNCOUNTABLE as error:
        return [Check(name, False, f"cannot be worked out from what is on record: {error}")]


def _chain(event: Event) -> Check:
    walked = check_chain(event.tournament)
    found = f"{walked.rows} rows" if walked.whole else f"broken at row {walked.broken_at}"
    return Check("log chain", walked.whole, found)


def _state(event: Event) -> Check:
    last = event.steps.order_by("-pk").first()
    by_facts = last.went_to if last else Event.State.DRAFT.value
    return Check("state of the event", event.state == by_facts, f"{event.state}, by its steps {by_facts}")


def _draw(event: Event) -> list[Check]:
    made = load_posted_draw(event)
    if made is None:
        return []
    try:
        answer_verify_draw(draw_record(made))
        order = Check("draw order", True, f"{len(made.order)} entries follow from the seal and the cut")
    except BadCase as bad:
        order = Check("draw order", False, bad.problems[0].message)
    if plays_stages(event):
        return [order, *check_stages(event)]
    if not plays_bracket(event):
        return [order, *_seatings(event, made)]
    placed = place_by_terms(made.order, DrawTerms.from_json(made.terms), AvoidList.from_json(made.avoid))
    good = list(placed.places) == made.places and [move.as_json() for move in placed.moves] == made.moves
    return [order, Check("places of the bracket", good, f"{len(made.moves)} moves for byes and the avoid list")]


def _seatings(event: Event, made: Draw) -> list[Check]:
    """Who sits at the tables is what was seated, and every later round follows from its record."""
    turning = load_turning(event)
    if turning is not None:
        return [
            Check(f"tables of round {one.round}", seated_again(turning, one) == one.tables, f"{len(one.tables)} tables")
            for one in turning.rounds
        ]
    if not plays_at_tables(event):
        return []
    terms = table_terms(event)
    counting = made.seatings.filter(posted__isnull=False, taken_back__isnull=True).order_by("round")
    checks = []
    for seating, round_ in zip(counting, load_seated(made), strict=True):
        sat = [list(table.entries) for table in round_.tables]
        good = sat == seating.tables
        if seating.round > 1:
            playing = [number for table in seating.tables for number in table]
            met = [(one, other) for one, other in seating.record["met"]]
            again = seat(playing, met, size=terms.size, seed=seating.record["seed"])
            good = good and sorted(sorted(table) for table in sat) == [list(table) for table in again.tables]
        checks.append(Check(f"tables of round {seating.round}", good, f"{len(sat)} tables"))
    return checks


def _bracket(event: Event) -> list[Check]:
    progress = load_progress(event)
    if progress is None or plays_stages(event):
        return []
    rows = Match.objects.filter(event=event, draw__taken_back__isnull=True, late_entry__taken_back__isnull=True)
    idents = set(rows.values_list("ident", flat=True))
    same = idents == set(progress.views)
    loose = MatchResult.objects.filter(
        match__event=event, match__draw__taken_back__isnull=True, superseded_by__isnull=True
    ).count()
    decided = sum(view.outcome is not None and not view.by_itself for view in progress.views.values())
    return [
        Check("matches", same, f"{len(idents)} on record, {len(progress.views)} by its facts"),
        Check("results", decided <= loose, f"{decided} decided by {loose} results, {len(progress.fallen)} fallen"),
    ]


def _cards(event: Event) -> list[Check]:
    states = [read_card(card) for card in cards_with_facts().filter(match__event=event)]
    signed = check_signed_cards(event, states)
    states = [state for state in states if digest_now(state) is not None]
    posted = [state for state in states if state.is_posted and not state.is_closed]
    unsigned = {state.card.pk for state in posted if state.missing}
    of_officials = posted_by_officials(event) if unsigned else set()
    agreed = {state.card.pk for state in posted if (state.card.pk, state.digest) in of_officials} & unsigned
    wrong = sum(state.card.pk in unsigned - agreed or not state.is_complete for state in posted)
    found = f"{len(posted) - len(agreed)} complete and signed by all, {wrong} not"
    found += f"; {len(agreed)} changed by two officials after they were final" if agreed else ""
    posted_cards = Check("posted cards", not wrong, found)
    lengths = _worked_out("lengths of matches", partial(_lengths, event))
    return [*signed, posted_cards, *_closed(event, states), *lengths]


def _closed(event: Event, states: list[CardState]) -> list[Check]:
    """A game that was closed before its end has given its match to whom the rule says by what is on the sheet."""
    closed = [state for state in states if state.is_closed]
    of_two = [state for state in closed if state.card.match.seating_id is None]
    results = MatchResult.objects.filter(match__event=event, superseded_by__isnull=True).order_by("pk")
    winners = dict(results.values_list("match_id", "winner_id"))
    wrong = [state for state in of_two if state.winner and winners.get(state.card.match_id) != state.winner.pk]
    found = f"{len(closed)} closed before their end, {len(wrong)} of them against the result"
    return [Check("closed games", not wrong, found)] if closed else []


def _lengths(event: Event) -> list[Check]:
    """Every card has the length that its version of the rule sheet says for where its match stands."""
    checked = wrong = 0
    counting = Card.objects.filter(
        match__event=event, match__draw__taken_back__isnull=True, match__late_entry__taken_back__isnull=True
    ).select_related("match")
    for sheet in event.rule_sheets.all():
        cards = list(counting.filter(sheet=sheet))
        said = load_card_lengths(event, sheet, [card.match for card in cards])
        checked += sum(bool(card.length or said[card.match_id]) for card in cards)
        wrong += sum(card.length != said[card.match_id] for card in cards)
    return [Check("lengths of matches", not wrong, f"{checked} other than usual, {wrong} wrong")] if checked else []


def _money(event: Event) -> list[Check]:
    purse = load_purse(event)
    pool = purse.pool
    whole = pool.collected_cents + pool.added_cents + pool.subsidy_cents == pool.pool_cents + pool.expenses_cents
    checks = [
        Check("pool", whole, f"{pool.collected_cents} collected = {pool.pool_cents} pool + {pool.expenses_cents}"),
        Check("places", sum(purse.places_cents) == pool.pool_cents, f"{sum(purse.places_cents)} in all"),
    ]
    payout = load_payout(event, purse)
    if payout is not None:
        awarded = sum(award.cents for award in payout.awards)
        paid = dict(event.paid_out.values_list("entrant__number", "cents"))
        right = {award.entry: award.cents for award in payout.awards}
        checks.append(Check("payouts", awarded == pool.pool_cents, f"{awarded} awarded"))
        checks.append(Check("prizes handed over", all(right.get(n) == c for n, c in paid.items()), f"{len(paid)}"))
    return checks
