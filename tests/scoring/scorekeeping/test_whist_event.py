from __future__ import annotations

from typing import Any

import pytest

from pairing.blind_draw.services import make_draw
from pairing.models import MatchResult, Seating
from pairing.results.services.finish import finish_event
from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_final_placings
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import BadLine, LineEntry, add_line
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, SheetLine, Signature
from scoring.scorekeeping.services import (
    WhistTableReport,
    enter_whist_table_game,
    post_cards_signed_on_paper,
    start_next_whist_game,
)
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.factories import a_director
from tests.kit import fresh
from tests.scoring.helpers.turning import a_closed_event
from tests.scoring.helpers.whist import a_whist_event, cuts, enter, enter_all, hands, move, play_whist, the_hall
from tests.verifying import failed_checks, verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.core.selectors.log import compute_log_entry_digest
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.models import AuditEntry, AuditHead, Entrant, Event

pytestmark = pytest.mark.django_db


def totals(event: Event) -> dict[int, int]:
    return {number: guest.total for number, guest in the_hall(event).guests.items()}


def partners(event: Event) -> set[tuple[int, int]]:
    return {(man.number, lady.number) for table in the_hall(event).tables for man, lady in table.couples}


def test_everybody_has_a_card_of_their_own_and_a_table() -> None:
    event = a_whist_event(4, 4)
    assert Card.objects.count() == 8
    assert {card.sides_key for card in Card.objects.all()} == {str(who.pk) for who in event.entrants.all()}
    hall = the_hall(event)
    assert (hall.current_game.name, len(hall.tables), hall.players_sitting_out) == ("Coronation", 2, ())
    for table in hall.tables:
        assert [guest.entrant.side for guest in table.players] == ["left", "right", "left", "right"]


@pytest.mark.parametrize(("left", "right"), [(6, 2), (3, 1)])
def test_sides_that_make_no_tables_are_not_drawn(left: int, right: int) -> None:
    event = a_closed_event(left, right, format="court-whist")
    with pytest.raises(DomainError, match="Gentlemen and") as refusal:
        make_draw(event, "7H", by=SYSTEM_ACTOR)
    assert refusal.value.code == "uneven-sides"


def test_a_table_is_entered_once_and_stands_on_four_cards() -> None:
    event = a_whist_event()
    before = AuditEntry.objects.count()
    hall = enter(event, 1, (7, 8, 5, 13))
    assert SheetLine.objects.count() == 16
    assert AuditEntry.objects.count() == before + 1
    (first, second) = hall.tables[0].couples
    assert [guest.total for guest in (*first, *second)] == [33, 33, 19, 19]
    assert hall.is_game_entered
    assert {line.via for line in SheetLine.objects.all()} == {SheetLine.Via.DESK}


def test_the_same_report_twice_adds_nothing_and_another_needs_a_reason() -> None:
    event = a_whist_event()
    enter(event, 1)
    enter(event, 1)
    assert SheetLine.objects.count() == 16
    with pytest.raises(DomainError, match="say something else") as refusal:
        enter(event, 1, (7, 7, 7, 9))
    assert refusal.value.code == "reason-needed"
    hall = enter(event, 1, (7, 7, 7, 9), reason="hand 4 was read wrong", by=a_director(event.tournament))
    assert [guest.total for guest in hall.tables[0].players] == [30, 30, 22, 22]
    assert SheetLine.objects.filter(supersedes__isnull=False).count() == 4
    assert {line.reason for line in SheetLine.objects.filter(supersedes__isnull=False)} == {"hand 4 was read wrong"}


def test_what_a_player_entered_on_their_phone_stays() -> None:
    event = a_whist_event()
    guest = the_hall(event).tables[0].players[0]
    line = {"game": 1, "hand": 1, "tricks": 7}
    add_line(guest.state.card, LineEntry(line), by=make_player_actor(guest.entrant))
    enter(event, 1)
    assert SheetLine.objects.count() == 16
    assert SheetLine.objects.filter(via=SheetLine.Via.PHONE).count() == 1


def test_all_tricks_and_all_face_cards_of_a_hand_are_taken() -> None:
    event = a_whist_event()
    table = the_hall(event).tables[0]
    wrong = hands(table)
    wrong[table.players[2].number][1]["tricks"] = 5
    with pytest.raises(DomainError, match="Hand 2: 7 and 5 tricks add up to 12") as refusal:
        enter(event, 1, hands=wrong)
    assert refusal.value.code == "sums"
    assert not SheetLine.objects.exists()
    for _game in range(6):
        enter_all(event)
        move(event)
    table = the_hall(event).tables[0]
    wrong = hands(table)
    wrong[table.players[0].number][3]["faces"] = 11
    with pytest.raises(DomainError, match="Hand 4: 11 and 0 face cards add up to 11"):
        enter(event, 1, hands=wrong)


def test_what_cannot_be_is_refused_and_what_is_improbable_asked_about() -> None:
    event = a_whist_event()
    table = the_hall(event).tables[0]
    wrong = hands(table)
    for guest in table.players[:2]:
        wrong[guest.number][0]["tricks"] = 14
    for guest in table.players[2:]:
        wrong[guest.number][0]["tricks"] = -1
    with pytest.raises(BadLine, match=f"{table.players[0].name}, hand 1: 14 does not fit"):
        enter(event, 1, hands=wrong)
    for _game in range(5):
        enter_all(event)
        move(event)
    often = hands(the_hall(event).tables[0])
    often[next(iter(often))][0]["spoken"] = 6
    with pytest.raises(ReasonRequired, match="really speak"):
        enter(event, 1, hands=often)
    enter(event, 1, hands=often, override="they did")


def test_only_the_desk_enters_tables_and_only_those_that_are_there() -> None:
    event = a_whist_event()
    tom = Entrant.objects.get(event=event, number=1)
    with pytest.raises(NotAllowed):
        enter(event, 1, by=make_player_actor(tom))
    with pytest.raises(DomainError, match="no such table"):
        enter_whist_table_game(event, WhistTableReport(game=2, table=1, hands={}), by=SYSTEM_ACTOR)
    with pytest.raises(DomainError, match="no such table"):
        enter_whist_table_game(event, WhistTableReport(game=1, table=2, hands={}), by=SYSTEM_ACTOR)


def test_the_winners_move_and_everybody_has_a_new_partner() -> None:
    event = a_whist_event(4, 4)
    first = partners(event)
    hall = the_hall(event)
    winners = [table.couples[0] for table in hall.tables]
    enter_all(event, (8, 8, 8, 8))
    after = start_next_whist_game(fresh(event), {}, by=SYSTEM_ACTOR)
    assert after.current_game.number == 2
    assert not first & partners(event)
    for place, (man, lady) in enumerate(winners):
        back = {guest.number for guest in after.tables[(place - 1) % 2].players}
        on = {guest.number for guest in after.tables[(place + 1) % 2].players}
        assert man.number in back and lady.number in on


def test_equal_points_are_cut_for() -> None:
    event = a_whist_event()
    enter(event, 1, (7, 6, 7, 6))
    table = the_hall(event).tables[0]
    assert [len(table.find_best_players(side)) for side in (0, 1)] == [2, 2]
    with pytest.raises(DomainError, match="They cut") as refusal:
        start_next_whist_game(event, {}, by=SYSTEM_ACTOR)
    assert refusal.value.code == "cut-needed"
    with pytest.raises(DomainError, match="They cut"):
        start_next_whist_game(event, {1: [guest.number for guest in table.players]}, by=SYSTEM_ACTOR)
    assert move(event).current_game.number == 2


def test_nobody_moves_before_every_table_is_entered_and_twice_moves_once() -> None:
    event = a_whist_event(4, 4)
    enter(event, 1)
    with pytest.raises(Conflict, match="Table 2"):
        move(event)
    enter(event, 2)
    sent = cuts(the_hall(event))
    start_next_whist_game(fresh(event), sent, by=SYSTEM_ACTOR, key="once")
    assert start_next_whist_game(fresh(event), sent, by=SYSTEM_ACTOR, key="once").current_game.number == 2
    with pytest.raises(Conflict, match="Table 1, 2"):
        start_next_whist_game(fresh(event), sent, by=SYSTEM_ACTOR, key="again")
    assert Seating.objects.count() == 2


def test_who_sits_out_has_eight_at_each_hand_and_plays_the_next_game() -> None:
    event = a_whist_event(3, 2)
    out = the_hall(event).players_sitting_out
    assert len(out) == 1
    enter_all(event)
    assert totals(event)[out[0].number] == 32
    hall = move(event)
    assert out[0] not in hall.players_sitting_out and len(hall.players_sitting_out) == 1
    play_on = {guest.number for table in hall.tables for guest in table.players}
    assert out[0].number in play_on


def test_seven_games_then_everybody_signs_and_the_totals_decide() -> None:
    event = a_whist_event(3, 3, prize_percent="100", prize_scale=["100"], added_cents=6000)
    play_whist(event, (8, 7, 6, 9))
    hall = the_hall(event)
    assert hall.is_over and all(guest.state.is_complete for guest in hall.guests.values())
    with pytest.raises(Conflict, match="All 7 games"):
        move(event)
    with pytest.raises(DomainError, match="who saw"):
        post_cards_signed_on_paper(fresh(event), " ", by=SYSTEM_ACTOR)
    tom = hall.guests[1]
    sign_by_code(tom.state.card, "123456", SigningContext(tom.state.digest), by=make_player_actor(tom.entrant))
    assert not MatchResult.objects.exists()
    assert post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR) == 5
    result = MatchResult.objects.get()
    assert result.score == {str(number): total for number, total in totals(event).items()}
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    placings = load_final_placings(fresh(event))
    assert placings is not None
    places = {place.guest.number: place.place for place in hall.standings}
    assert {number: placing.place for placing in placings.finish for number in placing.entries} == places
    best = max(totals(event).values())
    assert {number for number, total in totals(event).items() if total == best} == set(placings.finish[0].entries)


def test_who_goes_home_is_not_waited_for() -> None:
    event = a_whist_event(4, 4)
    enter_all(event)
    gone = the_hall(event).tables[0].players[0].entrant
    remove_entrant(gone, "withdrawn", by=SYSTEM_ACTOR, reason="had to leave")
    hall = move(event)
    assert gone.number not in {guest.number for table in hall.tables for guest in table.players}
    assert len(hall.tables) == 1 and len(hall.players_sitting_out) == 3
    for game in range(2, 8):
        enter_all(event)
        if game < 7:
            move(event)
    assert post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR) == 7
    assert str(gone.number) not in MatchResult.objects.get().score


def test_the_hall_asks_as_often_whatever_the_field(django_assert_num_queries: Any) -> None:
    for size in (2, 4):
        event = a_whist_event(size, size)
        enter_all.__wrapped__(event)  # fills the caches, as a page would
        with django_assert_num_queries(9):
            hall = the_hall(event)
            assert len(hall.standings) == 2 * size and all(table.is_entered for table in hall.tables)


def test_every_game_can_be_seated_again_from_the_one_before() -> None:
    event = a_whist_event(5, 5)
    for _game in range(3):
        enter_all(event, (8, 6, 9, 7))
        move(event)
    checks = {check.subject: check.passed for check in verify_event(fresh(event))}
    assert all(checks[f"tables of round {game}"] for game in (1, 2, 3, 4))
    last = Seating.objects.get(round=4)
    first, second = last.tables
    Seating.objects.filter(pk=last.pk).update(tables=[second, first])
    checks = {check.subject: check.passed for check in verify_event(fresh(event))}
    assert checks["tables of round 4"] is False


def test_cards_that_nobody_touched_are_genuine_after_all_were_signed_in_one_act() -> None:
    event = a_whist_event(3, 2)
    play_whist(event, (8, 7, 6, 9))
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    assert failed_checks(event) == []
    cards = [load_card_state_by_pk(card.pk) for card in Card.objects.all()]
    assert [find_card_proof(state.digest).authenticity for state in cards] == [Authenticity.GENUINE] * 5


def test_what_is_gone_from_one_of_many_cards_of_a_row_is_missed_on_that_card() -> None:
    event = a_whist_event()
    play_whist(event)
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    first, last = Card.objects.order_by("pk")[0], Card.objects.order_by("pk")[3]
    digest = load_card_state_by_pk(first.pk).digest
    Signature.objects.filter(card=first).delete()
    Signature.objects.filter(card=last).delete()
    found = [each for each in failed_checks(event) if "names a signature of this card, and it is missing" in each]
    assert sorted(each.split(" (")[1].split(")")[0] for each in found) == sorted(
        load_card_state_by_pk(card.pk).title for card in (first, last)
    )
    proof = find_card_proof(digest)
    assert proof.authenticity is Authenticity.ALTERED and "signature" in {fault.place for fault in proof.faults}


def test_a_hand_of_the_desks_table_that_is_gone_is_missed_on_its_card() -> None:
    event = a_whist_event()
    enter(event, 1)
    line = SheetLine.objects.order_by("pk")[5]
    title = load_card_state_by_pk(line.card_id).title
    line.delete()
    assert any(f"({title}): hands: Row" in each for each in failed_checks(event))


def test_a_row_that_was_written_before_each_entry_named_its_card_is_read_as_it_was_meant() -> None:
    """Earlier versions of `post_cards_signed_on_paper` named only the last card in the log, not every card."""
    event = a_whist_event()
    play_whist(event)
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    row = AuditEntry.objects.get(verb="whist.signed")
    for kind in ("lines", "signatures", "versions", "seals"):
        for entry in row.data.get(kind, []):
            entry.pop("card")
    row.data.pop("on_cards")
    row.digest = compute_log_entry_digest(row)
    AuditEntry.objects.filter(pk=row.pk).update(data=row.data, digest=row.digest)
    AuditHead.objects.filter(tournament=event.tournament).update(digest=row.digest)
    assert failed_checks(event) == []
    state = load_card_state_by_pk(Card.objects.order_by("pk")[0].pk)
    assert find_card_proof(state.digest).authenticity is Authenticity.GENUINE
    Signature.objects.filter(card=state.card).delete()
    assert any("names a signature, and it is missing" in each for each in failed_checks(event))
