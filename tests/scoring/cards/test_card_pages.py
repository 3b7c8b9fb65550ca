from __future__ import annotations

import datetime as dt
import json
import re
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairing.draws.results import ResultCause
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk, prefetch_seats
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_scorekeeper
from scoring.models import Card, DirectorCall
from tests.factories import a_user
from tests.kit import client_as, page_text
from tests.scoring.helpers.playing import (
    an_event_in_play,
    card_desk_url,
    cut_for,
    gin,
    play,
    play_out,
    post,
    sign,
    sign_both,
    the_card,
    the_director,
)
from tests.scoring.helpers.tables import a_table_card
from tournament.core.cached import clear_cache
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor

pytestmark = pytest.mark.django_db

STROKES = json.dumps([[[i * 10, 50, i] for i in range(20)]])
FOUR = ("Ada", "Alan", "Grace", "Kurt")


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play(FOUR))


@pytest.fixture
def desk(card: Any) -> Client:
    return client_as("director", card.match.event)


def mine(card: Card, act: str, who: Any = None) -> str:
    return reverse(f"scoring:my_{act}", kwargs={"token": (who or card.entrants[0]).token, "card": card.token})


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return found[1]


HAND = {"up_rank": "8", "up_suit": "H", "outcome": "knock", "by": "A", "counts_A": "5", "counts_B": "20"}


def test_a_player_scores_a_game_and_both_sign_without_any_script(card: Any, client: Client) -> None:
    page = client.get(reverse("scoring:my_match", kwargs={"token": card.entrants[0].token}))
    assert "Who cut the low card?" in page_text(page)
    client.post(mine(card, "cut"), {"keeper": card.entrants[0].pk})
    assert "Enter hand 1" in page_text(client.get(mine(card, "card")))
    client.post(mine(card, "hand"), {**HAND, "hand": 1, "key": "k1"})
    gin_hand = {"up_rank": "9", "up_suit": "S", "outcome": "gin", "by": "A", "counts_B": "30"}
    answer = client.post(mine(card, "hand"), {**gin_hand, "hand": 2, "key": "k2"}, follow=True)
    assert "You have won this game." in page_text(answer)
    for who in card.entrants:
        page = client.get(mine(card, "sign", who)).content.decode()
        signed = {"digest": hidden(page, "digest"), "key": hidden(page, "key"), "strokes": STROKES}
        answer = client.post(mine(card, "sign", who), signed, follow=True)
    assert "The card is posted." in page_text(answer)
    assert load_card_state_by_pk(card.pk).score.totals == (70, 0)


def test_a_page_without_a_form_sets_the_token_for_forms_that_are_loaded_at_the_same_time(client: Client) -> None:
    card = a_table_card(("Ada",), "court-whist")
    ada = card.match.event.entrants.get()
    record_scorekeeper(card, ada, by=SYSTEM_ACTOR)
    add_line(card, LineEntry({"game": 2, "hand": 1, "sit_out": True}, override="as played"), by=make_player_actor(ada))
    first, second = (client.get(f"/my/{ada.token}/card/{card.token}/") for _time in range(2))
    assert "csrfmiddlewaretoken" not in first.content.decode()
    assert ("csrftoken" in first.cookies, "csrftoken" in second.cookies) == (True, False)


def test_what_was_tapped_stays_when_a_hand_is_refused(card: Any, client: Client) -> None:
    cut_for(card)
    answer = client.post(mine(card, "hand"), {**HAND, "counts_A": "9", "hand": 1, "key": "k"})
    assert answer.status_code == 422
    assert "8 is the most. See GRA singles rule 4" in page_text(answer)
    page = answer.content.decode()
    assert 'name="counts_A" value="9"' in page
    assert re.search(r'name="up_rank" value="8"[^>]* checked', page)


def test_a_hand_reads_its_card_once(card: Any, client: Client, django_assert_num_queries: Any) -> None:
    play(card, gin("A", 3))
    sent = {**HAND, "hand": 2, "key": "k"}
    client.get(mine(card, "hand"))
    with django_assert_num_queries(25):
        answer = client.post(mine(card, "hand"), {**sent, "override": "New deck"})
    assert answer.status_code == 302
    assert "Hand 2 is recorded" in page_text(client.get(mine(card, "card")))


def test_something_improbable_asks_for_a_reason(card: Any, client: Client) -> None:
    play(card, gin("A", 3))
    sent = {**HAND, "hand": 2, "key": "k"}
    answer = client.post(mine(card, "hand"), sent)
    assert "recorded twice" in page_text(answer)
    client.post(mine(card, "hand"), {**sent, "override": "New deck"})
    assert len(load_card_state_by_pk(card.pk).lines) == 2


def test_a_hand_whose_number_is_none_is_the_next_one(card: Any, client: Client) -> None:
    cut_for(card)
    for number in ("9" * 5000, "²", ""):
        assert client.post(mine(card, "preview"), {**HAND, "hand": number}).status_code == 200
    assert client.post(mine(card, "hand"), {**HAND, "hand": "9" * 5000, "key": "k"}).status_code in (302, 422)


def test_the_preview_is_worked_out_on_the_server_and_writes_nothing(card: Any, client: Client) -> None:
    cut_for(card)
    shown = page_text(client.post(mine(card, "preview"), HAND))
    assert "Ada +15" in shown
    assert "(15–0)" in shown
    assert "8 is the most" in page_text(client.post(mine(card, "preview"), {**HAND, "counts_A": "9"}))
    assert not load_card_state_by_pk(card.pk).lines


def test_the_last_hand_is_corrected_and_struck_on_the_phone(card: Any, client: Client) -> None:
    play(card, gin("A", 3))
    assert 'name="counts_B" value="3"' in client.get(mine(card, "last")).content.decode()
    sent = {**HAND, "hand": 1, "reason": "It was a knock", "key": "k"}
    client.post(mine(card, "last"), sent)
    assert load_card_state_by_pk(card.pk).score.totals == (15, 0)
    client.post(mine(card, "last"), {**sent, "strike": "1", "key": "k2"})
    assert load_card_state_by_pk(card.pk).lines == ()


def test_a_posted_card_leads_to_a_next_match_only_where_there_is_one(card: Any, client: Client) -> None:
    won, lost = card.entrants
    play_out(card)
    sign_both(card)
    posted = load_card_state_by_pk(card.pk)
    winner, loser = (won, lost) if posted.score.winner == won else (lost, won)
    for who in (winner, loser):
        page = client.get(mine(card, "card", who)).content.decode()
        assert "Go to my matches" in page
        assert "Go to my next match" not in page
    other = next(one for one in Card.objects.filter(match__event=card.match.event).exclude(pk=card.pk))
    play_out(other)
    sign_both(other)
    assert "Go to my next match" in client.get(mine(card, "card", winner)).content.decode()
    assert "Go to my matches" in client.get(mine(card, "card", loser)).content.decode()


def test_the_opponent_sees_hands_but_has_no_key_to_enter_them(card: Any, client: Client) -> None:
    play(card, gin("A", 3))
    page = page_text(client.get(mine(card, "card", card.entrants[1])))
    assert "Ada keeps score" in page
    assert "Enter hand" not in page
    answer = client.post(mine(card, "hand", card.entrants[1]), {**HAND, "hand": 2, "key": "k"})
    assert answer.status_code == 422
    assert len(load_card_state_by_pk(card.pk).lines) == 1


def test_another_matchs_player_is_not_let_in(card: Any, client: Client) -> None:
    stranger = the_card(card.match.event, "R1M2").entrants[0]
    for act in ("card", "hand", "sign", "last"):
        assert client.get(mine(card, act, stranger)).status_code == 404


def test_a_sign_page_that_is_out_of_date_does_not_sign(card: Any, client: Client) -> None:
    play_out(card)
    page = client.get(mine(card, "sign")).content.decode()
    correct_line(card, 2, LineEntry(gin("A", 30, "9C")), by=the_director(card.match.event), reason="was 30")
    sent = {"digest": hidden(page, "digest"), "key": "k", "strokes": STROKES}
    answer = client.post(mine(card, "sign"), sent)
    assert answer.status_code == 422
    assert "has changed since you looked" in page_text(answer)


def test_the_tables_card_asks_who_and_remembers(card: Any, client: Client) -> None:
    url = reverse("scoring:table_card", kwargs={"card": card.token})
    assert "Are you playing here?" in page_text(client.get(url))
    wrong = client.post(url, {"who": card.entrants[1].pk, "code": "999999"})
    assert "not your signing code" in page_text(wrong)
    client.post(url, {"who": card.entrants[1].pk, "code": "123456"})
    page = client.get(url)
    assert "You play" in page_text(page)
    assert card.entrants[1].token not in page.content.decode()
    client.post(reverse("scoring:table_cut", kwargs={"card": card.token}), {"keeper": card.entrants[1].pk})
    assert load_card_state_by_pk(card.pk).keeper_id == card.entrants[1].pk
    client.post(url, {"leave": "1"})
    assert "Are you playing here?" in page_text(client.get(url))


def test_one_phone_is_passed_over_and_the_other_signs_on_it_by_their_own_code(card: Any, client: Client) -> None:
    play(card, gin("A", 20), gin("A", 21, "9C"))
    sign(card, card.entrants[0])
    assert "Pass this phone to Alan" in page_text(client.get(mine(card, "card")))
    table = reverse("scoring:table_card", kwargs={"card": card.token})
    assert "Are you playing here?" in page_text(client.post(table, {"leave": "1"}, follow=True))
    sign_url = reverse("scoring:table_sign", kwargs={"card": card.token})
    assert client.get(sign_url).status_code == 302
    alan = card.entrants[1]
    client.post(table, {"who": alan.pk, "code": alan.sign_code})
    page = client.get(sign_url).content.decode()
    client.post(sign_url, {"digest": hidden(page, "digest"), "key": "k", "code": alan.sign_code})
    state = load_card_state_by_pk(card.pk)
    assert state.is_posted and state.signatures.all_signatures[-1].entrant == alan


def test_who_said_their_code_on_another_s_phone_is_nobody_there_at_their_next_match(card: Any, client: Client) -> None:
    event, winner = card.match.event, card.entrants[1]
    table = reverse("scoring:table_card", kwargs={"card": card.token})
    client.post(table, {"who": winner.pk, "code": winner.sign_code})
    assert "You play" in page_text(client.get(table))
    post(card, "B")
    post(the_card(event, "R1M2"))
    final = the_card(event, "R2M1")
    assert winner in final.entrants
    assert "Are you playing here?" in page_text(client.get(reverse("scoring:table_card", kwargs={"card": final.token})))
    sign_url = reverse("scoring:table_sign", kwargs={"card": final.token})
    assert client.get(sign_url).status_code == 302
    client.get(mine(final, "card", winner))
    assert "You play" in page_text(client.get(reverse("scoring:table_card", kwargs={"card": final.token})))


def test_the_public_writes_nothing_at_the_table(card: Any, client: Client) -> None:
    answer = client.post(reverse("scoring:table_hand", kwargs={"card": card.token}), HAND)
    assert answer.status_code == 302
    assert not load_card_state_by_pk(card.pk).lines


def test_the_director_is_called_once_and_answered(card: Any, client: Client, desk: Client) -> None:
    for key in ("a", "b"):
        client.post(mine(card, "call"), {"about": "Up card in dispute", "key": key})
    call = DirectorCall.objects.get()
    assert "Up card in dispute" in page_text(desk.get(card_desk_url(card, "desk_cards")))
    desk.post(card_desk_url(card, "desk_answer_call", call=call.pk))
    assert "Up card in dispute" not in page_text(desk.get(card_desk_url(card, "desk_cards")))


def test_the_public_card_says_genuine_superseded_or_unknown(card: Any, client: Client) -> None:
    play_out(card)
    old = sign_both(card).digest
    url = card_desk_url(card, "card", token=card.token)
    assert "Genuine." in page_text(client.get(url, {"d": old}))
    correct_line(card, 2, LineEntry(gin("A", 30, "9C")), by=the_director(card.match.event), reason="was 30")
    page = page_text(client.get(url, {"d": old}))
    assert "Superseded." in page
    assert "No longer valid: the score card was changed" in page
    assert "Not what is on record." in page_text(client.get(url, {"d": "0" * 64}))


def test_the_desk_posts_totals_by_table_and_goes_on(card: Any, desk: Client) -> None:
    url = card_desk_url(card, "desk_card")
    page = desk.get(url, {"table": "11"}).content.decode()
    assert "Ada – Alan" in page
    both = ["A", "B"]
    sent = {"total_A": "63", "total_B": "48", "signed": both, "witness": "L", "key": "k", "keeper": ""}
    answer = desk.post(f"{url}?table=11", sent, follow=True)
    assert "Posted: Ada 63 – 48 Alan." in page_text(answer)
    assert load_card_state_by_pk(card.pk).is_posted
    assert "Nobody is playing at table 11 now" in page_text(desk.get(url, {"table": "11"}))


def test_nothing_typed_at_the_desk_is_lost_on_refusal(card: Any, desk: Client) -> None:
    sent = {"total_A": "63", "total_B": "58", "signed": ["A"], "witness": "Lily", "key": "k", "keeper": ""}
    answer = desk.post(card_desk_url(card, "desk_card") + "?table=11", sent)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Both sides are at 50" in page_text(answer)
    assert 'name="total_B" autocomplete="off" value="58"' in page
    assert 'value="Lily"' in page
    assert re.search(r'name="signed" value="A"[^>]* checked', page)


def rows_of(*rows: dict[str, str]) -> dict[str, str]:
    sent = {"row-TOTAL_FORMS": "14", "row-INITIAL_FORMS": "0", "row-MIN_NUM_FORMS": "0", "row-MAX_NUM_FORMS": "60"}
    for i, row in enumerate(rows):
        sent |= {f"row-{i}-{name}": value for name, value in row.items()}
    return sent


def test_the_desk_enters_hand_by_hand_and_a_wrong_sum_is_marked(card: Any, desk: Client) -> None:
    url = card_desk_url(card, "desk_card") + "?table=11&by=hands"
    sent = rows_of(
        {"by": "A", "outcome": "knock", "counts_A": "5", "counts_B": "20", "up": "8h", "run_A": "15", "run_B": "0"},
        {"by": "B", "outcome": "gin", "counts_A": "7", "up": "10s", "run_A": "15", "run_B": "42"},
        {"by": "A", "outcome": "points", "points": "40", "up": "2c", "run_A": "55", "run_B": "42"},
    )
    sent |= {"witness": "L", "key": "k", "keeper": "", "signed": ["A", "B"]}  # type: ignore[dict-item]
    answer = desk.post(url, sent)
    assert "Line 2: Alan has 42 written, it comes to 32." in page_text(answer)
    fields = re.findall(r'<(?:input|select)[^>]*name="(row-\d-\w+)"[^>]*aria-invalid="true"', answer.content.decode())
    assert fields == ["row-1-run_B"] and "is-wrong" not in answer.content.decode()
    desk.post(url, {**sent, "override": "Agreed and signed so"})
    state = load_card_state_by_pk(card.pk)
    assert (state.score.totals, state.is_posted, state.lines[1].line["up"]) == ((55, 32), True, "TS")


def test_every_page_of_the_desk_opens(card: Any, desk: Client) -> None:
    play_out(card)
    sign(card, card.entrants[0])
    for name, more in (
        ("desk_cards", {}), ("desk_rules", {}), ("desk_card", {}), ("desk_card_lines", {"token": card.token}),
        ("desk_hand", {"token": card.token, "number": 1}),
    ):  # fmt: skip
        assert desk.get(card_desk_url(card, name, **more)).status_code == 200, name


def test_the_desk_corrects_and_signs_on_paper(card: Any, desk: Client) -> None:
    play_out(card)
    url = card_desk_url(card, "desk_hand", token=card.token, number=1)
    sent = {"up": "8H", "outcome": "gin", "by": "A", "counts_A": "0", "counts_B": "22", "key": "k", "reason": "was 22"}
    desk.post(url, sent)
    assert load_card_state_by_pk(card.pk).score.totals == (93, 0)
    page = desk.get(card_desk_url(card, "desk_card_lines", token=card.token)).content.decode()
    for side in "AB":
        sent = {"digest": hidden(page, "digest"), "key": f"key {side}", "entrant": side, "witness": "L"}
        desk.post(card_desk_url(card, "desk_sign", token=card.token), sent)
    assert load_card_state_by_pk(card.pk).is_posted


def test_the_desk_alone_reads_on_what_device_a_side_signed(card: Any, desk: Client) -> None:
    state = play_out(card)
    phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15"
    Client(headers={"user-agent": phone}).post(
        mine(card, "sign"), {"digest": state.digest, "key": "k", "strokes": STROKES, "side": "A"}
    )
    assert "on: iPhone; CPU iPhone OS 17_5" in page_text(
        desk.get(card_desk_url(card, "desk_card_lines", token=card.token))
    )
    public = page_text(Client().get(card_desk_url(card, "card", token=card.token)))
    assert "by hand" in public and "iPhone" not in public


def test_outsiders_do_not_reach_the_desk(card: Any, client: Client) -> None:
    client.force_login(a_user())
    assert client.get(card_desk_url(card, "desk_cards")).status_code == 403
    assert client.post(card_desk_url(card, "desk_card") + "?table=11", {}).status_code == 403


def test_the_list_of_cards_filters_searches_and_exports(card: Any, desk: Client) -> None:
    post(the_card(card.match.event, "R1M2"))
    url = card_desk_url(card, "desk_cards")
    assert "Grace" not in page_text(desk.get(url))
    assert "Grace" in page_text(desk.get(url, {"only": "posted"}))
    assert "Ada" not in page_text(desk.get(url, {"only": "all", "q": "grace"}))
    assert b"Grace" in desk.get(url, {"only": "all", "_export": "csv"}).content


def test_the_list_of_cards_names_matches_by_their_round(card: Any, desk: Client) -> None:
    url = card_desk_url(card, "desk_cards")
    assert "Semifinal 1" in page_text(desk.get(url)) and ">R1M1<" not in page_text(desk.get(url))
    assert b"Semifinal 1" in desk.get(url, {"_export": "csv"}).content


@pytest.mark.parametrize("names", [("Ada", "Alan"), ("A", "B", "C", "D", "E", "F", "G", "H")])
def test_the_list_takes_as_many_queries_for_one_card_as_for_four(
    names: tuple[str, ...], django_assert_num_queries: Any
) -> None:
    event = an_event_in_play(names)
    cards = Card.objects.filter(match__event=event).select_related("match__event__tournament")
    for card in cards.prefetch_related(prefetch_seats()):
        play(card, gin("A", 3))
    client = client_as("director", event)
    with django_assert_num_queries(24):
        client.get(card_desk_url(the_card(event), "desk_cards"))


@pytest.mark.parametrize("hands", [1, 3])
def test_a_card_takes_as_many_queries_for_one_hand_as_for_three(hands: int, django_assert_num_queries: Any) -> None:
    card = the_card(an_event_in_play(target=200))
    play(card, *[gin("A", 3, up) for up in ("8H", "9H", "2H")[:hands]])
    client = Client()
    client.get(mine(card, "card"))
    clear_cache()
    with django_assert_num_queries(12):
        client.get(mine(card, "card"))
    with django_assert_num_queries(16):
        client.get(card_desk_url(card, "card", token=card.token))


def test_only_somebody_who_still_plays_is_offered_to_withdraw(card: Any, client: Client) -> None:
    winner, loser = card.entrants
    post(card)
    offers = [
        "Withdraw my entry" in page_text(client.get(reverse("tournament:my", kwargs={"token": entrant.token})))
        for entrant in (winner, loser)
    ]
    assert offers == [True, False]


def test_a_card_of_a_match_that_was_decided_without_play_is_not_overdue(card: Any, desk: Client) -> None:
    decide_match(
        MatchDecision(match=card.match, winner=card.entrants[1], cause=ResultCause.NO_SHOW, reason="away"),
        by=SYSTEM_ACTOR,
    )
    with time_machine.travel(timezone.now() + dt.timedelta(hours=3)):
        page = page_text(desk.get(card_desk_url(card, "desk_cards"), {"only": "all", "q": "Ada"}))
    assert "Not played" in page and "overdue" not in page.partition("Minutes")[2]


def test_a_card_that_was_begun_is_not_overdue_when_its_match_was_decided_by_the_desk(card: Any, desk: Client) -> None:
    play(card, gin("A", 3, "8H"))
    left = MatchDecision(
        match=card.match, winner=card.entrants[1], cause=ResultCause.FORFEIT, reason="left", override=True
    )
    decide_match(left, by=SYSTEM_ACTOR)
    with time_machine.travel(timezone.now() + dt.timedelta(hours=3)):
        page = page_text(desk.get(card_desk_url(card, "desk_cards"), {"only": "all", "q": "Ada"}))
    assert "Not finished" in page and "overdue" not in page.partition("Minutes")[2]
