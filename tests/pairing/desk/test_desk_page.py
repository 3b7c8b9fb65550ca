"""The pairing page: suggestions, sending pairs to tables, manual pairs, holds, undoing, and explanations."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from pairing.draws.cases.pair import run_pair_case
from pairing.models import AvoidPair, DeskSettings, Hold, Pairing
from tests.config.pseudo import pseudo, pseudo_language
from tests.kit import client_as, event_url
from tests.pairing.helpers.desk import act, desk_of, end_games, hidden, look, send_all
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged
from tests.prebuilt import prebuilt
from tournament.models import Event

pytestmark = pytest.mark.django_db

SWISS = {"kind": "swiss", "rounds": 3}
TERMS = {
    "act": "terms", "wait_for": "4", "longest_wait": "5", "difference": "1", "grow_every": "5", "first_table": "1",
}  # fmt: skip


@pytest.fixture
@prebuilt
def event() -> Event:
    return staged(4, QUALIFIER, FINALS)


@pytest.fixture
def client(event: Event) -> Client:
    return client_as("desk", event)


@pytest.fixture
def director(event: Event) -> Client:
    return client_as("director", event)


def read(client: Client, page: str, event: Event, **place: int) -> str:
    return client.get(event_url(f"pairing:{page}", event, **place), follow=True).content.decode()


def test_enter_sends_the_pairs_on_the_page_and_opens_cards() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = client_as("desk", event)
    page = look(client, event)
    assert "Start these 4 matches" in page and page.count("Same record: 0 wins each.") == 4
    said = send_all(client, event)
    assert "Sent to tables: Player" in said and "to table 4" in said
    stage = course_of(event).current_stage
    assert sorted(side for match in stage.matches.values() for side in match.meeting.sides) == list(range(1, 9))
    assert [match.cards.count() for match in event.matches.all()] == [1, 1, 1, 1]
    assert "0 wait" in look(client, event)


def test_nothing_is_sent_when_the_desk_has_changed_since_it_was_shown() -> None:
    event = staged(8, QUALIFIER, FINALS)
    first, second = client_as("director", event), client_as("desk", event)
    seen = hidden(look(second, event))
    act(first, event, act="hold", number="3")
    said = act(second, event, **seen, act="send")
    assert "The pairings have changed since you looked" in said and not event.matches.exists()
    send_all(first, event)
    sender = Pairing.objects.earliest("pk").by_name
    said = act(second, event, **seen, act="send")
    assert re.search(rf"Player \d plays Player \d at table \d\. {sender} sent them", said)
    assert event.matches.count() == 3


def test_only_one_pair_is_sent_and_the_others_stay() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = client_as("director", event)
    page = look(client, event)
    pair = re.findall(r'name="pairs" value="(\d+-\d+@\d+)"', page)[-1]
    act(client, event, act="one", at=hidden(page)["at"], pairs=pair, key="k")
    one, other, table = map(int, re.findall(r"\d+", pair))
    desk = desk_of(event)
    assert [(set(busy.sides), busy.table) for busy in desk.busy_tables] == [({one, other}, table)]
    assert len(desk.next_pairs) == 3 and table not in [going.table for going in desk.next_pairs]


def test_a_pair_by_hand_shows_broken_rules_and_needs_a_reason(event: Event, client: Client) -> None:
    send_all(client, event)
    end_games(event, "G1", "G2")
    low, high = course_of(event).current_stage.matches["G1"].meeting.sides
    by_hand = f"{event_url('pairing:desk_by_hand', event)}?one={low}"
    assert f"Player {low} and Player {high} have met before." in client.get(by_hand).content.decode()
    page = client.get(f"{by_hand}&other={high}")
    seen = page.context["form"].initial["seen"]
    assert seen == "rematch"
    sent = {"table": "1", "seen": seen, "key": "k"}
    refused = client.post(f"{by_hand}&other={high}", sent)
    assert "reason" in refused.context["form"].errors and Pairing.objects.count() == 2
    client.post(f"{by_hand}&other={high}", sent | {"reason": "they asked for it"})
    made = Pairing.objects.latest("pk")
    assert made.by_hand and made.reason == "they asked for it"
    assert made.record["breaks"] == [["rematch", f"Player {low} and Player {high} have met before."]]
    assert "they asked for it" in read(client, "proof", event, pairing=made.pk)
    assert made.record["texts"]["breaks"][0][1]["message"] == "%(pair)s have met before."


@pytest.mark.parametrize(
    ("kind", "shown"), [("rematch", "Player 1 and Player 2 have met before."), ("held", "In the words of then.")]
)
def test_an_old_pair_by_hand_shows_its_broken_rule(event: Event, kind: str, shown: str) -> None:
    send_all(client_as("desk", event), event)
    made = Pairing.objects.earliest("pk")
    record = {"by_hand": True, "breaks": [[kind, "In the words of then."]], "entries": []}
    Pairing.objects.filter(pk=made.pk).update(by_hand=True, pairs=[[1, 2]], record=record)
    page = read(client_as("desk", event), "proof", event, pairing=made.pk)
    assert shown in page and ("In the words of then." in page) == (kind == "held")


def test_recorded_reasons_follow_the_reader_s_language(event: Event, client: Client) -> None:
    with pseudo_language():
        send_all(client, event)
    made = Pairing.objects.earliest("pk")
    english = [said for _pair, said in made.record["reasons"]]
    assert english and all(said.startswith("Same record: 0 wins each.") for said in english)
    assert english[0] in read(client, "proof", event, pairing=made.pk)
    with pseudo_language():
        page = read(client, "proof", event, pairing=made.pk)
    assert english[0] not in page and pseudo("Same record: %(high)s each.").split()[0] in page


def test_a_rule_break_that_was_not_shown_is_refused(event: Event, director: Client) -> None:
    by_hand = f"{event_url('pairing:desk_by_hand', event)}?one=1&other=2"
    one, other = event.entrants.filter(number__in=(1, 2))
    AvoidPair.objects.create(event=event, one=one, other=other, kind="never", by_name="test", reason="brothers")
    said = director.post(by_hand, {"table": "1", "seen": "", "key": "k", "reason": "why not"}, follow=True)
    assert "warnings about this pairing have changed" in said.content.decode() and not Pairing.objects.exists()


def test_two_entries_of_one_person_are_never_offered(event: Event) -> None:
    twin = event.entrants.get(number=2).members.get()
    twin.player = event.entrants.get(number=1).members.get().player
    twin.save()
    client = client_as("director", event)
    said = client.get(f"{event_url('pairing:desk_by_hand', event)}?one=1&other=2", follow=True).content.decode()
    assert "entries of the same person" in said
    assert (
        "entries of the same person" in client.get(f"{event_url('pairing:desk_by_hand', event)}?one=1").content.decode()
    )


def test_a_player_on_hold_is_not_paired_until_the_hold_ends(event: Event, client: Client) -> None:
    act(client, event, act="hold", number="2")
    assert Hold.objects.get().entrant.number == 2
    assert "Start this match" in look(client, event)
    act(client, event, act="release", number="2")
    assert "Start these 2 matches" in look(client, event)


def test_an_undone_pair_keeps_its_waiting_time() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = client_as("director", event)
    send_all(client, event)
    end_games(event, "G1")
    second = Pairing.objects.order_by("pk")[1]
    client.post(event_url("pairing:desk_take_back", event, pairing=second.pk), {"reason": "wrong names"})
    desk = desk_of(event)
    assert set(second.pairs[0]) <= set(desk.groups[0].pairing_input.wait_start_times)
    assert len(desk.busy_tables) == 2
    said = read(client, "proof", event, pairing=second.pk)
    assert "Undone: wrong names" in said


def test_the_last_sending_is_undone_as_a_whole_until_somebody_sent_another() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = client_as("director", event)
    send_all(client, event)
    undo = event_url("pairing:desk_take_back", event, pairing=Pairing.objects.latest("pk").pk) + "?all"
    assert undo in look(client, event)
    client.post(undo, {"reason": "wrong event"})
    assert course_of(event).current_stage.matches == {}
    send_all(client, event)
    said = client.post(undo, {"reason": "again"}, follow=True).content.decode()
    assert "The pairings changed in the meantime" in said
    assert len(course_of(event).current_stage.matches) == 4


def test_the_last_player_alone_gets_a_bye() -> None:
    event = staged(3, {"kind": "fixed", "games": 1, "best": 2}, FINALS)
    client = client_as("director", event)
    send_all(client, event)
    assert "nobody is left to play" not in look(client, event).split("desk-tables")[0]
    end_games(event, "G1")
    page = look(client, event)
    assert "Give a bye" in page
    alone = re.search(r'name="number" value="(\d)"', page)
    assert alone is not None
    asked = {"number": alone[1], "reason": "nobody is left", "key": "b"}
    looked = client.post(event_url("pairing:desk_bye", event), asked).content.decode()
    assert "A bye counts as a win" in looked and "0–0" in looked and "1–0" in looked
    assert not course_of(event).current_stage.is_complete
    shown = re.search(r'name="shown" value="(\w+)"', looked)
    assert shown is not None
    client.post(event_url("pairing:desk_bye", event), {**asked, "act": "do", "shown": shown[1]})
    assert course_of(event).current_stage.is_complete


def test_a_round_is_posted_in_one_act_with_its_bye_and_its_tables() -> None:
    event = staged(7, SWISS, FINALS)
    client = client_as("director", event)
    page = look(client, event)
    assert "Post round 1" in page and "has the bye" in page
    send_all(client, event)
    made = Pairing.objects.get()
    assert (made.round, len(made.pairs)) == (1, 3) and made.bye
    page = look(client, event)
    assert "3 tables are still playing." in page and "without them" not in page
    end_games(event, "G1")
    assert "Post this round without them" in look(client, event)
    seen = hidden(look(client, event))
    said = act(client, event, **{key: value for key, value in seen.items() if key != "reason"}, act="send")
    assert "is not over. Write why" in said and Pairing.objects.count() == 1
    end_games(event, "G2", "G3")
    send_all(client, event)
    second = Pairing.objects.latest("pk")
    assert second.round == 2 and second.bye != made.bye
    assert second.record["cost"]["rematches"] == 0


def test_fixed_games_are_called_to_free_tables_once_for_each_player() -> None:
    event = staged(6, {"kind": "round-robin", "groups": 2, "best": 1}, FINALS)
    client = client_as("director", event)
    assert "Call to the tables" in look(client, event)
    send_all(client, event)
    desk = desk_of(event)
    sides = [side for busy in desk.busy_tables for side in busy.sides]
    assert len(desk.busy_tables) == 2 and len(set(sides)) == 4
    end_games(event, *(busy.ident for busy in desk.busy_tables))
    send_all(client, event)
    assert Pairing.objects.count() == 0


def test_settings_say_when_the_desk_pairs_and_which_tables_it_has() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client = client_as("director", event)
    page = event_url("pairing:desk_pairing_settings", event)
    terms = {"wait_for": "6", "longest_wait": "9", "difference": "", "grow_every": "", "first_table": "11"}
    refused = client.post(page, terms | {"act": "terms", "last_table": "4", "apart_in": "one"})
    assert {"last_table", "apart_in"} == set(refused.context["forms"]["terms"].errors)
    client.post(page, terms | {"act": "terms", "last_table": "12", "apart_in": "1, 2", "reset_daily": "on"})
    saved = DeskSettings.objects.get().settings
    assert (saved["apart_in"], saved["reset_daily"]) == ([1, 2], True)
    html = look(client, event)
    assert "Start these 2 matches" in html and "No table is free yet. They are called when one is." in html
    send_all(client, event)
    desk = desk_of(event)
    assert [busy.table for busy in desk.busy_tables] == [11, 12]


def test_pairs_on_the_list_are_kept_apart_during_play(event: Event, director: Client) -> None:
    entrants = {entrant.number: str(entrant.pk) for entrant in event.entrants.all()}
    page = event_url("pairing:desk_pairing_settings", event)
    for other in (2, 3, 4):
        listed = {"act": "apart", "one": entrants[1], "other": entrants[other], "kind": "never", "reason": "feud"}
        director.post(page, listed)
    assert AvoidPair.objects.filter(kind="never").count() == 3
    html = look(director, event)
    assert "Start this match" in html and "Kept apart from every waiting player they have not met." in html
    pair = AvoidPair.objects.get(other__number=2)
    director.post(page, {"act": "together", "pair": str(pair.pk)})
    assert "Start these 2 matches" in look(director, event)
    refused = director.post(page, {"act": "apart", "one": entrants[2], "other": entrants[3], "kind": "not-before"})
    assert "before_round" in refused.context["forms"]["apart"].errors


def test_one_club_is_kept_apart_in_the_games_that_are_named(event: Event, director: Client) -> None:
    event.entrants.filter(number__in=(1, 2)).update(club="Indio")
    director.post(event_url("pairing:desk_pairing_settings", event), TERMS | {"apart_in": "1"})
    desk = desk_of(event)
    assert {1, 2} not in [set(going.suggestion.pair) for going in desk.next_pairs]
    event.entrants.filter(number__in=(3, 4)).update(club="INDIO ")
    Event.objects.filter(pk=event.pk).update(version=99)
    assert "Both are of Indio; they could not be kept apart." in look(director, event)


def test_the_list_of_round_one_holds_for_the_first_game_only(event: Event) -> None:
    one, other = event.entrants.filter(number__in=(1, 2))
    AvoidPair.objects.create(event=event, one=one, other=other, kind="first-round", by_name="test", reason="club")
    desk = desk_of(event)
    assert (1, 2) in desk.groups[0].pairing_input.constraints.not_yet
    assert {1, 2} not in [set(going.suggestion.pair) for going in desk.next_pairs]
    send_all(client_as("director", event), event)
    end_games(event, "G1", "G2")
    desk = desk_of(event)
    assert not desk.groups[0].pairing_input.constraints.not_yet


def test_each_site_is_paired_by_itself() -> None:
    event = staged(8, {"kind": "fixed", "games": 2, "best": 1}, FINALS)
    event.entrants.filter(number__lte=4).update(site="Reno")
    event.entrants.filter(number__gt=4).update(site="Tahoe")
    stage = course_of(event).current_stage.row
    stage.terms["by_site"] = True
    stage.save()
    Event.objects.filter(pk=event.pk).update(sites=["Reno", "Tahoe"])
    client = client_as("director", event)
    desk = desk_of(event)
    assert [(going.suggestion.pair[0] > 4) is (going.suggestion.pair[1] > 4) for going in desk.next_pairs] == [True] * 4
    said = client.get(f"{event_url('pairing:desk_by_hand', event)}?one=1&other=8", follow=True).content.decode()
    assert "They play at different sites. Choose two entrants of one site." in said
    send_all(client, event)
    assert Pairing.objects.count() == 4


def test_the_proof_is_public_once_sent_and_pair_answers_its_case() -> None:
    event = staged(8, QUALIFIER, FINALS)
    client, visitor = client_as("director", event), Client()
    assert "No pairings yet" in read(visitor, "proofs", event)
    send_all(client, event)
    for made in Pairing.objects.all():
        told = json.loads(visitor.get(event_url("pairing:proof_json", event, pairing=made.pk)).content)
        assert told["sent_pairs"] == made.pairs and made.pairs[0] in told["pairs"]
        answer = run_pair_case(told["case"])
        assert [list(pair) for pair in answer["pairs"]] == told["pairs"] and told["answers"]
        assert answer["cost"] == {name: told["cost"][name] for name in ("rematches", "spread")}
    page = read(visitor, "proof", event, pairing=Pairing.objects.latest("pk").pk)
    assert "Same record: 0 wins each." in page and "no other pairing can be better" in page
    assert visitor.get(event_url("pairing:proof", event, pairing=999999)).status_code == 404


def test_only_staff_see_suggestions(event: Event) -> None:
    names = ("desk_pairing", "desk_by_hand", "desk_pairing_settings")
    assert [Client().get(event_url(f"pairing:{name}", event)).status_code for name in names] == [302, 302, 302]
    assert [client_as("hotel", event).get(event_url(f"pairing:{name}", event)).status_code for name in names] == [
        403,
        403,
        403,
    ]


@pytest.mark.parametrize("entrants", [8, 32])
def test_the_page_has_a_constant_number_of_queries(entrants: int, django_assert_num_queries: Any) -> None:
    event = staged(entrants, QUALIFIER, FINALS)
    client = client_as("director", event)
    send_all(client, event)
    end_games(event, "G1", "G2")
    client.get(event_url("pairing:desk_pairing", event))
    Event.objects.filter(pk=event.pk).update(version=1000 + entrants)
    with django_assert_num_queries(28):
        client.get(event_url("pairing:desk_pairing", event))
