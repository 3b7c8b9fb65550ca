from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from pairing.models import MatchResult, Seating
from pairing.results.services.corrections import undo_result
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, SheetLine
from scoring.scorekeeping.services import post_cards_signed_on_paper
from tests.factories import a_user, an_event
from tests.kit import desk_url, fresh, public_url
from tests.pairing.helpers.ending import finish_over
from tests.scoring.helpers.turning import a_closed_event, a_posted_event, an_event_in_play, the_sheet
from tests.scoring.helpers.whist import a_whist_event, enter, enter_all, move, play_whist, the_hall
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict
from tournament.models import Event

pytestmark = pytest.mark.django_db


def desk(client: Client, event: Event, role: str = "director") -> str:
    client.force_login(a_user(role, event.tournament))
    return desk_url(event)


def typed(**fields: Any) -> dict[str, Any]:
    return {"key": "k", **fields}


def one_couple(*tricks: int) -> dict[str, Any]:
    return {f"c0_{hand}": number for hand, number in enumerate(tricks, start=1)}


def test_the_tricks_of_one_couple_are_enough(client: Client) -> None:
    event = a_whist_event()
    address = desk(client, event, "desk") + "whist/"
    assert "Enter table 1" in client.get(address).content.decode()
    page = client.get(address + "1/1/").content.decode()
    assert "King-Spades" in page and "The other couple gets the rest" in page
    assert client.post(address + "1/1/", typed(**one_couple(7, 0, 13, 6))).status_code == 302
    assert [guest.total for guest in the_hall(event).tables[0].players] == [26, 26, 26, 26]
    assert "Correct table 1" in client.get(address).content.decode()


def test_what_is_missing_or_too_many_is_said_and_nothing_is_lost(client: Client) -> None:
    event = a_whist_event()
    address = desk(client, event) + "whist/1/1/"
    missing = client.post(address, typed(c0_1=7))
    assert (
        missing.status_code == 422 and "Missing" in missing.content.decode() and 'value="7"' in missing.content.decode()
    )
    wrong = client.post(address, typed(**one_couple(7, 7, 7, 7), c1_1=5)).content.decode()
    assert "Hand 1: 7 and 5 tricks add up to 12" in wrong
    assert not SheetLine.objects.exists()


def test_a_table_is_corrected_with_a_reason(client: Client) -> None:
    event = a_whist_event()
    enter(event)
    address = desk(client, event) + "whist/1/1/"
    assert 'value="7"' in client.get(address).content.decode()
    sent = typed(**one_couple(7, 7, 7, 8))
    refused = client.post(address, sent)
    assert refused.status_code == 422 and "say something else" in refused.content.decode()
    assert client.post(address, {**sent, "reason": "read wrong"}).status_code == 302
    assert SheetLine.objects.filter(reason="read wrong").count() == 4


@pytest.mark.parametrize(
    ("game", "fields", "of_first"),
    [
        (3, {"p00": 4, "p01": 3, "p10": 5}, {"tricks": 4}),
        (4, {"c0": 9, "e0": 4, "e1": 2}, {"tricks": 9, "lady_tricks": 4}),
        (6, {"c0": 9, "s00": 1}, {"tricks": 9, "spoken": 1}),
        (7, {"c0": 9, "e0": 8}, {"tricks": 9, "faces": 8}),
    ],
)
def test_every_game_asks_for_what_it_counts(
    client: Client, game: int, fields: dict[str, int], of_first: dict[str, int]
) -> None:
    event = a_whist_event()
    for _before in range(game - 1):
        enter_all(event)
        move(event)
    table = the_hall(event).tables[0]
    address = desk(client, event) + f"whist/{game}/1/"
    sent = {f"{name}_{hand}": number for name, number in fields.items() for hand in range(1, 5)}
    answer = client.post(address, typed(**sent))
    assert answer.status_code == 302, answer.content.decode()
    guests = {guest.number: guest for guest in the_hall(event).tables[0].players}
    assert guests[table.players[0].number].hands[game, 4] == {"game": game, "hand": 4, **of_first}
    rest = guests[table.players[3].number].hands[game, 1]
    assert rest["tricks"] == (1 if game == 3 else 4)
    if game == 7:
        assert rest["faces"] == 4


def test_a_player_who_speaks_too_often_is_asked_about(client: Client) -> None:
    event = a_whist_event()
    for _before in range(5):
        enter_all(event)
        move(event)
    address = desk(client, event) + "whist/6/1/"
    sent = typed(**one_couple(7, 7, 7, 7), s00_1=9)
    page = client.post(address, sent)
    assert page.status_code == 422 and "really speak 9 times" in page.content.decode()
    assert client.post(address, {**sent, "override": "all evening"}).status_code == 302


def test_the_move_asks_who_won_the_cut(client: Client) -> None:
    event = a_whist_event()
    enter(event, 1, (7, 6, 7, 6))
    address = desk(client, event) + "whist/"
    page = client.get(address).content.decode()
    assert page.count("who cut the high card") == 2
    assert client.post(address, typed(act="move")).status_code == 422
    table = the_hall(event).tables[0]
    man, lady = table.couples[0][0].number, table.couples[1][1].number
    assert client.post(address, typed(act="move", cut_1_0="99", cut_1_1=lady)).status_code == 422
    assert client.post(address, typed(act="move", cut_1_0=man, cut_1_1=lady)).status_code == 302
    assert "Game 2: Prosperity" in client.get(address).content.decode()
    assert client.post(address, typed(act="nothing")).status_code == 302
    assert Seating.objects.count() == 2


def test_moving_twice_or_too_early_says_so(client: Client) -> None:
    event = a_whist_event(4, 4)
    address = desk(client, event) + "whist/"
    enter(event, 1, (8, 8, 8, 8))
    page = client.post(address, typed(act="move"))
    assert page.status_code == 422 and "Table 2 is missing" in page.content.decode()
    assert Seating.objects.count() == 1


def test_after_seven_games_everybody_signs_and_the_event_finishes(client: Client) -> None:
    event = a_whist_event(3, 2)
    play_whist(event)
    address = desk(client, event)
    page = client.get(address + "whist/").content.decode()
    assert "All seven games are over" in page and "5 score cards are waiting" in page
    assert client.post(address + "whist/", typed(act="sign", witness="")).status_code == 422
    assert client.post(address + "whist/", typed(act="sign", witness="the desk")).status_code == 302
    assert "Finish the event" in client.get(address + "whist/").content.decode()
    assert finish_over(client, address + "finish/").status_code == 302
    assert fresh(event).state == "finished"
    assert client.get(address + "whist/").status_code == 200


def test_everybody_sees_the_tables_and_the_standings(client: Client) -> None:
    event = a_whist_event(5, 4)
    public = public_url(event)
    enter_all(event, (8, 8, 8, 9))
    for page in ("rounds/", "rounds/wall/"):
        shown = client.get(public + page).content.decode()
        assert "Game 1: Coronation" in shown and "Sit out" in shown and ">33<" in shown
        assert all(who.name in shown for who in event.entrants.all())
    panel = client.get(public + "rounds/wall/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in panel
    waiting = a_closed_event(2, 2, format="court-whist")
    assert "not been posted yet" in client.get(public_url(waiting, "rounds/")).content.decode()


def test_before_play_the_page_says_what_comes_first(client: Client) -> None:
    waiting = a_closed_event(2, 2, format="court-whist")
    assert "Go to the draw" in client.get(desk(client, waiting) + "whist/").content.decode()
    drawn = a_posted_event(2, 2, format="court-whist")
    assert "Play has not started" in client.get(desk(client, drawn) + "whist/").content.decode()
    assert client.get(desk(client, an_event()) + "whist/").status_code == 404
    playing = a_whist_event()
    assert client.get(desk(client, playing) + "whist/1/2/").status_code == 404
    assert client.get(desk(client, playing) + "whist/2/1/").status_code == 404
    assert client.get(desk(client, playing) + "rounds/").headers["Location"].endswith("/whist/")


def test_a_player_sees_their_seat_and_their_own_card(client: Client) -> None:
    event = a_whist_event(3, 2)
    hall = the_hall(event)
    man, lady = hall.tables[0].couples[0]
    page = client.get(f"/my/{man.entrant.token}/match/").content.decode()
    assert f"with {lady.name}" in page and hall.tables[0].couples[1][0].name in page
    assert "Enter hand 1" in page
    out = client.get(f"/my/{hall.players_sitting_out[0].token}/match/").content.decode()
    assert "You sit round 1 out" in out


def test_a_player_of_couples_sees_their_opponents(client: Client) -> None:
    event = an_event_in_play()
    turning = the_seat(event)
    page = client.get(f"/my/{turning[0]}/match/").content.decode()
    assert f"against {turning[1]}" in page


def the_seat(event: Event) -> tuple[str, str]:
    couple = the_sheet(event).couples[0]
    return couple.left.token, couple.right.name


def test_a_player_whose_card_is_posted_finds_it_again(client: Client) -> None:
    event = a_whist_event()
    play_whist(event)
    guest = the_hall(event).guests[1]
    assert client.get(f"/my/{guest.entrant.token}/match/").status_code == 200
    sign_by_code(guest.state.card, "123456", SigningContext(guest.state.digest), by=make_player_actor(guest.entrant))
    page = client.get(f"/my/{guest.entrant.token}/match/")
    assert page.status_code == 200 and "Posted" in page.content.decode()
    assert guest.state.card.match.cards.count() == 4


def test_the_page_asks_as_often_whatever_the_field(client: Client, django_assert_num_queries: Any) -> None:
    for size in (2, 4):
        event = a_whist_event(size, size)
        enter_all(event)
        address = desk(client, event) + "whist/"
        client.get(address)
        with django_assert_num_queries(WHIST_QUERIES):
            assert client.get(address).status_code == 200


WHIST_QUERIES = 12


def test_the_result_of_all_cards_is_decided_and_undone_on_no_page(client: Client) -> None:
    """The result follows from all score cards, so staff cannot change it directly. Its pages redirect to *Today*."""
    event = a_whist_event()
    play_whist(event)
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    result = MatchResult.objects.get(match__event=event)
    for page in ("results/M1/", "results/M1/undo/"):
        address = desk(client, event, "desk") + page
        assert client.get(address)["Location"].endswith("/today/")
        assert client.post(address, {"reason": "wrong"}).status_code == 302
    with pytest.raises(Conflict, match="sum of all score cards") as refusal:
        undo_result(result.match, by=SYSTEM_ACTOR, reason="wrong")
    assert refusal.value.code == "by-cards"
    assert MatchResult.objects.count() == 1


def test_a_card_corrected_after_the_result_is_named_on_the_rounds_and_on_today(client: Client) -> None:
    event = a_whist_event()
    play_whist(event)
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    card = Card.objects.filter(match__event=event).order_by("pk")[0]
    line = {**load_card_state_by_pk(card.pk).lines[0].line, "tricks": 0}
    correct_line(card, 1, LineEntry(line, override="the paper"), by=SYSTEM_ACTOR, reason="typed wrongly")
    today = client.get(desk(client, event, "desk") + "today/").content.decode()
    assert "The result follows when all have signed." in today
    assert desk_url(event, "rounds/") in today
    rounds = client.get(public_url(event, "rounds/")).content.decode()
    assert "Corrected; waiting for signatures." in rounds
    post_cards_signed_on_paper(fresh(event), "the desk", by=SYSTEM_ACTOR)
    assert "Corrected; waiting" not in client.get(public_url(event, "rounds/")).content.decode()
