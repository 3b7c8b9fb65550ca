from __future__ import annotations

import json

import pytest

from pairing.blind_draw.services import close_registration, make_draw, post_draw, take_back_draw
from pairing.models import Draw, Match, MatchResult, Seating
from pairing.results.services.finish import finish_event
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_event_stages, load_final_placings
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_entrant_matches
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE
from scoring.card_state.tables import list_signatures
from scoring.cards.services.hands import BadLine, LineEntry, add_line, correct_line, record_scorekeeper
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper
from scoring.models import Card, CardVersion, SheetLine
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.scorekeeping.services import RoundReport, correct_round, post_round, seat_current_round, sum_reports
from tests.factories import a_director, an_entrant, an_event
from tests.kit import fresh
from tests.scoring.helpers.turning import (
    a_closed_event,
    a_posted_event,
    an_event_in_play,
    an_open_event,
    gin,
    play_all_rounds,
    play_round,
    report,
    sign_both_sides,
    stock,
    the_card,
    the_sheet,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict, DomainError, NotAllowed, NotFound, ReasonRequired
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_payout

pytestmark = pytest.mark.django_db


def couples(event: Event) -> list[tuple[str, str]]:
    return [(one.left.name, one.right.name) for one in the_sheet(event).couples]


def test_the_draw_makes_one_match_and_the_tables_of_round_one() -> None:
    event = a_posted_event(3, 3)
    made = Draw.objects.get()
    assert Match.objects.get().ident == "M1"
    seating = Seating.objects.get()
    left = [number for number in made.order if number <= 3]
    right = [number for number in made.order if number > 3]
    assert (seating.round, seating.tables) == (1, [list(pair) for pair in zip(left, right, strict=True)])
    assert not Card.objects.exists()
    assert the_sheet(event).state is None


def test_play_opens_the_card_of_the_two_sides_by_their_names() -> None:
    event = an_event_in_play(format_options={"sides": ["North", "South"]})
    state = the_card(event)
    assert (state.names, state.card.sides_key) == (("North", "South"), "")
    assert (state.card.sheet.variant, the_sheet(event).round_number) == ("metzker", 1)


def test_an_event_of_couples_is_played_by_its_own_rules() -> None:
    event = a_posted_event()
    save_rule_sheet(event, ChosenRules("gra-singles", {}), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="Metzker"):
        start_play(event, by=SYSTEM_ACTOR)
    other = a_posted_event()
    start_play(other, by=SYSTEM_ACTOR)
    assert the_card(other).card.sheet.variant == "metzker"


@pytest.mark.parametrize(("left", "right", "said"), [(3, 2, "1 of the Guys is too many"), (2, 4, "Move 1 of the")])
def test_uneven_sides_are_not_drawn(left: int, right: int, said: str) -> None:
    event = a_closed_event(left, right)
    with pytest.raises(DomainError, match=said) as refusal:
        make_draw(event, "7H", by=SYSTEM_ACTOR)
    assert refusal.value.code == "uneven-sides"
    assert not Draw.objects.exists()


def test_somebody_without_a_side_is_named() -> None:
    event = an_open_event(2, 1)
    an_entrant(event, "Nora", arrived=True)
    with pytest.raises(DomainError, match="4 Nora"):
        close_registration(event, by=SYSTEM_ACTOR)
    assert fresh(event).state == Event.State.OPEN


def test_pairs_do_not_play_on_two_sides() -> None:
    event = a_closed_event(2, 2, entry_size=2)
    with pytest.raises(DomainError, match="one player an entry"):
        make_draw(event, "7H", by=SYSTEM_ACTOR)


def test_the_sides_are_looked_at_again_when_the_draw_is_posted() -> None:
    event = a_closed_event(2, 2)
    make_draw(event, "7H", by=SYSTEM_ACTOR)
    Entrant.objects.filter(event=event, number=1).update(side="right")
    with pytest.raises(DomainError, match="Guys"):
        post_draw(fresh(event), by=SYSTEM_ACTOR)


def test_a_round_is_one_line_and_the_girls_move_on() -> None:
    event = an_event_in_play(3, 3)
    first = couples(event)
    state = play_round(event, gin("A", 10), gin("B", 4), stock(12, 4))
    line = SheetLine.objects.get()
    assert line.line == {"results": [gin("A", 10), gin("B", 4), stock(12, 4)]}
    assert line.via == SheetLine.Via.DESK
    second = couples(event)
    assert [left for left, _right in second] == [left for left, _right in first]
    assert [right for _left, right in second] == [first[1][1], first[2][1], first[0][1]]
    sheet = the_sheet(event)
    assert (sheet.round_number, sheet.dealing_side) == (2, "Girls")
    assert state.names == ("Guys", "Girls")
    assert not set(first) & set(second)


def test_after_as_many_rounds_as_couples_it_begins_again() -> None:
    event = an_event_in_play(2, 2)
    first = couples(event)
    for count in (1, 2):
        play_round(event, stock(count, 5), stock(3, 4))
    assert couples(event) == first


def test_every_table_has_to_report_or_to_be_said_not_to_play() -> None:
    event = an_event_in_play(2, 2)
    with pytest.raises(DomainError, match="table 2 ") as refusal:
        play_round(event, gin())
    assert (refusal.value.code, refusal.value.data["tables"]) == ("not-reported", [2])
    state = play_round(event, gin(), not_played=frozenset({2}))
    assert state.lines[0].line == {"results": [gin()]}


def test_the_refusals_and_warnings_are_those_of_every_card() -> None:
    event = an_event_in_play(2, 2)
    wrong = {"outcome": "run", "by": "A", "counts": {"A": 10, "B": 12}}
    with pytest.raises(BadLine, match="9 is the most"):
        play_round(event, gin(), wrong)
    with pytest.raises(ReasonRequired, match="laid out at their best"):
        play_round(event, gin("A", 115), gin())
    state = play_round(event, gin("A", 115), gin(), override="seen by the director")
    assert state.lines[0].reason == "seen by the director"
    assert Seating.objects.count() == 2


def test_only_the_desk_posts_a_round() -> None:
    event = an_event_in_play()
    tom = Entrant.objects.get(event=event, number=1)
    with pytest.raises(NotAllowed):
        play_round(event, gin(), gin(), by=make_player_actor(tom))
    card = the_card(event).card
    record_scorekeeper(card, tom, by=SYSTEM_ACTOR)
    with pytest.raises(NotAllowed, match="scorekeeper at the desk"):
        add_line(card, LineEntry({"results": [gin()]}), by=make_player_actor(tom))


def test_the_same_report_twice_is_one_round_and_a_late_one_is_refused() -> None:
    event = an_event_in_play()
    sent = report(event, gin(), gin("B", 3), key="once")
    post_round(event, sent, by=SYSTEM_ACTOR)
    post_round(event, sent, by=SYSTEM_ACTOR)
    assert (SheetLine.objects.count(), Seating.objects.count()) == (1, 2)
    late = RoundReport(number=1, results={1: gin("A", 3), 2: gin("A", 2)}, key="other desk")
    with pytest.raises(Conflict, match="Round 1 is posted already, and round 2 is being played"):
        post_round(event, late, by=SYSTEM_ACTOR)


def test_a_round_that_is_refused_seats_nobody() -> None:
    event = an_event_in_play()
    with pytest.raises(BadLine):
        play_round(event, gin("A", -1), gin())
    assert (SheetLine.objects.count(), Seating.objects.count()) == (0, 1)


def test_nothing_is_posted_before_play_or_before_the_draw() -> None:
    event = a_posted_event()
    with pytest.raises(Conflict, match="Play has not started"):
        post_round(event, RoundReport(number=1, results={1: gin(), 2: gin()}), by=SYSTEM_ACTOR)
    with pytest.raises(Conflict, match="Post the draw first"):
        post_round(a_closed_event(), RoundReport(number=1, results={1: gin()}), by=SYSTEM_ACTOR)


def test_a_correction_is_a_new_fact_with_its_reason() -> None:
    event = an_event_in_play()
    play_round(event, gin("A", 10), gin("B", 4))
    desk = a_director(event.tournament)
    fields = {"number": 1, "results": {1: gin("A", 10), 2: gin("A", 4)}}
    with pytest.raises(DomainError, match="needs a reason"):
        correct_round(event, 1, RoundReport(**fields), by=desk)
    state = correct_round(event, 1, RoundReport(**fields, reason="Tom went out"), by=desk)
    assert [entered.fact.reason for entered in state.entered] == ["Tom went out"]
    assert len(state.entered[0].earlier) == 1
    assert (the_sheet(event).round_number, the_sheet(event).dealing_side) == (2, "Guys")


def test_a_round_that_is_struck_out_is_not_played_again() -> None:
    event = an_event_in_play()
    play_round(event, gin(), gin())
    correct_line(the_card(event).card, 1, None, by=a_director(event.tournament), reason="wrong tables")
    sheet = the_sheet(event)
    assert (sheet.round_number, len(sheet.couples), sheet.dealing_side) == (2, 2, "")
    state = play_round(event, gin("B"), gin("B", 7))
    assert [line.number for line in state.lines] == [2]


def test_the_sums_so_far_are_counted_without_writing_anything() -> None:
    event = an_event_in_play(3, 3)
    sheet = the_sheet(event)
    assert sum_reports(sheet, report(event)) == (None, {}, {})
    counted, worth, _problems = sum_reports(sheet, RoundReport(number=1, results={1: gin("A", 10), 3: gin("B", 4)}))
    assert counted is not None
    assert worth == {1: "10 and 1 gin to Guys", 3: "4 and 1 gin to Girls"}
    assert counted.sums == {"Guys": 10, "Girls": 4}
    wrong = {"outcome": "run", "by": "B", "counts": {"A": 1, "B": 10}}
    counted, _worth, problems = sum_reports(sheet, RoundReport(number=1, results={1: wrong, 2: gin("A", 3)}))
    assert "9 is the most" in problems[1]
    assert counted is not None and counted.sums == {"Guys": 3, "Girls": 0}
    assert not SheetLine.objects.exists()


def test_who_goes_home_leaves_a_partner_who_sits_out_from_the_next_round_on() -> None:
    event = an_event_in_play(3, 3)
    gone = the_sheet(event).couples[0].right
    remove_entrant(gone, "withdrawn", by=SYSTEM_ACTOR, reason="ill")
    play_round(event, gin("A", 3), gin("A", 4), not_played=frozenset({3}))
    sheet = the_sheet(event)
    assert (len(sheet.couples), len(sheet.players_sitting_out)) == (2, 1)
    assert gone.name not in [name for couple in couples(event) for name in couple]
    state = play_round(event, gin("A", 3), gin("A", 5))
    assert len(state.lines) == 2


def test_the_draw_stands_once_a_round_is_posted() -> None:
    event = an_event_in_play()
    take_back_draw(event, by=SYSTEM_ACTOR, reason="somebody came late")
    again = an_event_in_play()
    play_round(again, gin(), gin())
    with pytest.raises(Conflict, match="the draw stands"):
        take_back_draw(fresh(again), by=SYSTEM_ACTOR, reason="somebody came late")


def test_three_games_then_one_of_each_side_signs_and_the_winners_share_the_first_places() -> None:
    event = an_event_in_play(2, 2, target=60, prize_percent="100", prize_scale=["60", "40"], added_cents=10000)
    state = play_all_rounds(event, "B")
    assert state.is_complete and state.score.winner_name == "Girls"
    assert the_sheet(event).couples == ()
    with pytest.raises(Conflict, match="All three games are over"):
        play_round(event, gin(), gin())
    people = {who.number: who for who in event.entrants.all()}
    with pytest.raises(Conflict, match="Some matches are not decided yet"):
        finish_event(fresh(event), by=SYSTEM_ACTOR)
    with pytest.raises(DomainError, match="Choose the team you sign for"):
        sign_by_code(state.card, "123456", SigningContext(state.digest, side="A"), by=make_player_actor(people[3]))
    state = sign_by_code(state.card, "123456", SigningContext(state.digest), by=make_player_actor(people[3]))
    assert [seat.name for seat in state.signatures.missing_seats] == ["Guys"]
    with pytest.raises(Conflict, match="signed this score card already"):
        sign_by_code(state.card, "123456", SigningContext(state.digest), by=make_player_actor(people[4]))
    state = sign_by_code(state.card, "123456", SigningContext(state.digest), by=make_player_actor(people[1]))
    assert (state.state, state.signatures.missing_names) == ("unsigned", ("Scorekeeper",))
    state = sign_on_paper(state.card, SCOREKEEPER_SIDE, "Lily Ann", SigningContext(state.digest), by=SYSTEM_ACTOR)
    assert state.is_posted and not state.signatures.missing_names
    lost, won = state.score.totals
    result = MatchResult.objects.get()
    assert (result.winner, result.score) == (None, {"1": lost, "2": lost, "3": won, "4": won})
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    placings = load_final_placings(fresh(event))
    assert placings is not None
    assert [(placing.place, placing.entries) for placing in placings.finish] == [(1, (3, 4)), (3, (1, 2))]
    payout = load_payout(fresh(event))
    assert payout is not None
    assert {won.entry: won.cents for won in payout.awards} == {3: 5000, 4: 5000}


def test_a_correction_after_signing_takes_new_signatures_and_a_new_result() -> None:
    event = an_event_in_play(2, 2, target=60)
    play_all_rounds(event, "B")
    state = sign_both_sides(event)
    assert state.is_posted and MatchResult.objects.count() == 1
    last = len(state.lines)
    fields = {"number": state.lines[-1].number, "reason": "counted again"}
    results = {1: gin("B", 50), 2: gin("B", 50)}
    desk = a_director(event.tournament)
    state = correct_round(fresh(event), last, RoundReport(**fields, results=results), by=desk)
    assert state.was_posted
    sign_both_sides(event)
    assert MatchResult.objects.count() == 1, "points beyond the target change no award"


def test_a_correction_that_opens_a_game_again_seats_the_next_round() -> None:
    event = an_event_in_play(2, 2, target=60)
    state = play_all_rounds(event, "A")
    rounds = Seating.objects.count()
    assert rounds == len(state.lines)
    few = RoundReport(
        number=state.lines[-1].number, results={1: stock(1, 1), 2: stock(2, 2)}, reason="other cards", override="yes"
    )
    state = correct_round(fresh(event), len(state.lines), few, by=a_director(event.tournament))
    assert not state.is_complete
    assert Seating.objects.count() == rounds + 1
    assert len(the_sheet(event).couples) == 2
    seat_current_round(fresh(event), by=SYSTEM_ACTOR)
    assert Seating.objects.count() == rounds + 1


def test_every_player_of_the_event_has_the_one_match() -> None:
    event = an_event_in_play()
    tom = Entrant.objects.get(event=event, number=1)
    assert [meeting.match.ident for meeting in load_entrant_matches(tom)] == ["M1"]
    rotating = load_event_stages(event).rotating_sides
    assert rotating is not None and rotating.get_side_name(1) == "Guys" and rotating.get_side_name(3) == "Girls"


def test_other_events_have_no_worksheet() -> None:
    with pytest.raises(NotFound):
        the_sheet(an_event())


def test_the_worksheet_takes_as_many_queries_whatever_the_field(django_assert_num_queries: object) -> None:
    for size in (1, 3):
        event = an_event_in_play(size, size)
        play_round.__wrapped__(event, *(stock(n, n + 2) for n in range(size)))  # fills the caches, as a page would
        asked = fresh(event)
        with django_assert_num_queries(9):  # type: ignore[operator]
            sheet = the_sheet(asked)
            assert sheet.state is not None
            assert len(sheet.couples) == size and sheet.state.score.tally


def test_every_round_can_be_seated_again_from_the_draw() -> None:
    event = an_event_in_play(3, 3)
    play_round(event, gin("A", 3), gin("A", 4), gin("A", 5))
    remove_entrant(the_sheet(event).couples[0].right, "withdrawn", by=SYSTEM_ACTOR, reason="ill")
    play_round(event, gin("A", 3), gin("A", 4), not_played=frozenset({1, 3}), override="one has gone")
    checks = {check.subject: check.passed for check in verify_event(fresh(event))}
    assert {name: good for name, good in checks.items() if name.startswith("tables of round")} == {
        f"tables of round {number}": True for number in (1, 2, 3)
    }
    moved = Seating.objects.get(round=2)
    Seating.objects.filter(pk=moved.pk).update(tables=moved.tables[::-1])
    checks = {check.subject: check.passed for check in verify_event(fresh(event))}
    assert checks["tables of round 2"] is False


def test_the_scorekeeper_signs_once_and_what_was_signed_is_whole() -> None:
    event = an_event_in_play(2, 2, target=60)
    play_all_rounds(event, "B")
    state = the_card(event)
    state = sign_on_paper(state.card, SCOREKEEPER_SIDE, "Lily Ann", SigningContext(state.digest), by=SYSTEM_ACTOR)
    assert not state.is_posted
    with pytest.raises(DomainError, match="Only the players on this score card"):
        sign_on_paper(state.card, SCOREKEEPER_SIDE, "Lily Ann", SigningContext(state.digest), by=SYSTEM_ACTOR)
    state = sign_both_sides(event)
    assert state.is_posted
    shown = list_signatures(state)
    assert [(each["side"], each["name"]) for each in shown][-1] == (SCOREKEEPER_SIDE, "Scorekeeper")
    statement = json.loads(CardVersion.objects.get(seal__isnull=False).seal.statement)
    assert [each["side"] for each in statement["signatures"]] == ["A", "B", SCOREKEEPER_SIDE]
    assert all(check.passed for check in verify_event(fresh(event)))


def test_no_other_card_is_signed_by_a_scorekeeper() -> None:
    event = an_event_in_play(format="court-whist")
    card = Card.objects.filter(match__event=event).first()
    assert card is not None
    assert load_card_state_by_pk(card.pk).signatures.missing_roles == ()
