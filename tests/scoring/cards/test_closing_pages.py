from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.draws.stages.plan import StageKind
from pairing.models import Draw, MatchResult
from pairing.results.services.corrections import undo_result
from pairing.results.services.results import MatchDecision, decide_match
from pairing.stages.selectors.course import load_final_placings
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import TOTALS_STAND_CHOICE, load_open_games
from scoring.models import Card
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from tests.kit import client_as, event_url, fresh, page_text, refused
from tests.scoring.helpers.closing import FOUR, called, in_play, result_of, state_of, time_for
from tests.scoring.helpers.playing import gin, play, the_card
from tests.scoring.helpers.turning import an_event_in_play as couples_in_play
from tests.scoring.helpers.turning import gin as couples_gin
from tests.scoring.helpers.turning import report
from tests.scoring.helpers.whist import a_whist_event, enter_all
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def as_shown(response: Any, **changed: str) -> dict[str, str]:
    """Return the form data as shown on the page, with replaced values.

    A name such as `choice_R1M1` or `total_R1M1_A` stands for a field of the latest card in this match.
    """
    form = response.context["form"]
    sent = {name: str(form[name].value() or "") for name in form.fields}
    for name, typed in changed.items():
        field, _, rest = name.partition("_")
        ident, _, side = rest.partition("_")
        if ident:
            pk = Card.objects.order_by("-game").filter(match__ident=ident)[0].pk
            name = f"{field}-{pk}" + (f"-{side}" if side else "")
        sent[name] = typed
    return sent


def time_page(event: Event, role: str = "director", **query: str) -> Any:
    return client_as(role, event).get(event_url("scoring:desk_time", event), query)


def call_time(event: Event, role: str = "director", **typed: str) -> Any:
    """Submit the page that calls time, with these values replaced, and follow the redirect."""
    url = event_url("scoring:desk_time", event)
    return client_as(role, event).post(url, as_shown(time_page(event, role), **typed), follow=True)


def test_one_button_closes_what_the_rule_decides_and_names_the_rest() -> None:
    event = in_play()
    play(the_card(event, "R1M2"), gin("A", 20))
    page = page_text(time_page(event))
    assert "The leader has won" in page and "Grace leads 45–0." in page and "The score card is empty" in page
    after = page_text(call_time(event))
    assert "Closed: Grace – Kurt." in after and "Waiting for the director: Ada – Alan." in after
    assert [game.state.title for game in load_open_games(event)] == ["Ada – Alan"]
    today = client_as("director", event).get(event_url("scoring:desk_today", event))
    assert "the director decides how the game ends" in page_text(today)


def test_totals_are_typed_from_paper_on_the_same_page() -> None:
    event = in_play()
    half = call_time(event, "desk", total_R1M1_A="64")
    assert half.status_code == 422 and "enter both totals, or none" in page_text(half)
    over = call_time(event, "desk", total_R1M1_A="164", total_R1M1_B="20")
    assert over.status_code == 422 and "Ada – Alan: the game was played to its end" in page_text(over)
    assert 'value="164"' in over.content.decode()
    call_time(event, "desk", total_R1M1_A="64", total_R1M1_B="87", choice_R1M2="later")
    assert (state_of(event).score.totals_text, state_of(event).score.winner_name) == ("64–87", "Alan")
    assert state_of(event, "R1M2").closing is None


def test_only_the_director_is_offered_decisions_and_they_need_a_reason() -> None:
    event = in_play("director")
    assert "Decision:" not in page_text(time_page(event, "desk"))
    assert "Decision: Alan wins" in page_text(time_page(event))
    choices = {"choice_R1M1": "B", "choice_R1M2": "later"}
    without_reason = call_time(event, **choices)
    assert without_reason.status_code == 422 and "Write the reason for the director" in page_text(without_reason)
    call_time(event, **choices, reason="A cut of the deck")
    result = result_of(event)
    assert result is not None and result.winner is not None and result.winner.name == "Alan"
    url = event_url("scoring:desk_card_lines", event, token=the_card(event).token)
    card = page_text(client_as("director", event).get(url))
    assert "A cut of the deck" in card and "By the director's decision Alan has won." in card


def test_a_desk_that_forges_a_decision_is_refused() -> None:
    event = in_play()
    assert call_time(event, "desk", choice_R1M1="B").status_code == 422
    assert not MatchResult.objects.exists()
    assert time_page(event, "hotel").status_code == 403


def test_one_game_alone_from_its_card() -> None:
    event = in_play()
    play(the_card(event, "R1M2"), gin("A", 20))
    client = client_as("desk", event)
    token = the_card(event, "R1M2").token
    page = client.get(event_url("scoring:desk_card_lines", event, token=token)).content.decode()
    assert f"{event_url('scoring:desk_time', event)}?card={token}" in page
    alone = client.get(event_url("scoring:desk_time", event), {"card": token})
    assert len(alone.context["rows"]) == 1
    client.post(f"{event_url('scoring:desk_time', event)}?card={token}", as_shown(alone))
    assert state_of(event, "R1M2").score.is_closed and state_of(event).closing is None


def test_who_leaves_is_said_on_the_card_and_taken_back_there() -> None:
    event = in_play()
    client, token = client_as("director", event), the_card(event).token
    page = client.get(event_url("scoring:desk_card_lines", event, token=token))
    form = page.context["left_form"]
    sent = {f"left-{name}": str(form[name].value() or "") for name in form.fields}
    without = client.post(event_url("scoring:desk_left", event, token=token), {**sent, "left-side": "A"})
    assert without.status_code == 422 and not state_of(event).score.is_closed
    left = {**sent, "left-side": "A", "left-reason": "Felt ill"}
    assert client.post(event_url("scoring:desk_left", event, token=token), left).status_code == 302
    assert (state_of(event).score.winner_name, state_of(event).lines) == ("Alan", ())
    again = client.get(event_url("scoring:desk_card_lines", event, token=token))
    assert "Ada left before the end." in page_text(again) and "Felt ill" in page_text(again)
    reopen = {"reopen-key": "k", "reopen-reason": "Ada is back"}
    assert client.post(event_url("scoring:desk_reopen", event, token=token), reopen).status_code == 302
    assert state_of(event).state == "ready"


def test_a_winner_who_plays_on_is_named_before_the_closing_is_taken_back() -> None:
    event = in_play()
    client = client_as("director", event)
    for ident in ("R1M1", "R1M2"):
        play(the_card(event, ident), gin("A", 40))
    call_time(event)
    play(the_card(event, "R2M1"), gin("A", 20))
    token, sent = the_card(event).token, {"reopen-key": "k", "reopen-reason": "The clock was wrong"}
    warned = client.post(event_url("scoring:desk_reopen", event, token=token), sent)
    assert warned.status_code == 422 and "is already in the next match" in page_text(warned)
    assert 'name="reopen-override"' in warned.content.decode()
    anyway = client.post(event_url("scoring:desk_reopen", event, token=token), {**sent, "reopen-override": "on"})
    assert anyway.status_code == 302
    assert state_of(event).state == "playing"


@pytest.mark.parametrize(
    ("unfinished", "phone"),
    [
        (
            "leader",
            "Time was called. The rule of this event: the leader has won. Ada leads 45–0. Ada wins. "
            "The score stays as it is.",
        ),
        ("last-hand", "Enter the hand being played. No more hands are dealt."),
        ("director", "Leave the cards on the table. The director is deciding."),
    ],
)
def test_the_phone_says_what_happened_and_why(unfinished: str, phone: str) -> None:
    event = in_play(unfinished)
    play(the_card(event), gin("A", 20))
    call_time(event)
    token = the_card(event).token
    own = reverse("scoring:my_card", kwargs={"token": event.entrants.get(number=1).token, "card": token})
    said = page_text(Client().get(own))
    assert phone in said
    assert ("Enter hand 2" in said) == (unfinished == "last-hand")
    assert page_text(Client().get(event_url("scoring:card", event, token=token))).count("Time was called.") == 1


def test_a_replay_sends_the_phone_to_the_new_card() -> None:
    event = in_play("replay")
    play(the_card(event), gin("A", 20))
    call_time(event)
    page = page_text(Client().get(reverse("scoring:my_match", kwargs={"token": event.entrants.get(number=1).token})))
    assert "Game 2" in page and "Cut for deal" in page


def test_paper_json_and_the_check_of_the_record_say_it_too() -> None:
    event = in_play()
    play(the_card(event), gin("A", 20))
    call_time(event)
    content = list_printouts(StageKind)["signed-cards"][1](PrintRequest(event), lambda done, total: None)
    paper = "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
    assert "Time was called." in paper and "Ada leads 45–0." in paper
    assert "nobody signed it" in paper and "what was signed" not in paper
    sent = Client().get(reverse("scoring:api_card", kwargs={"token": the_card(event).token})).json()
    assert (sent["state"], sent["posted"]) == ("closed", True)
    assert sent["card"]["closed"] == {"cause": "time", "rule": "leader", "winner": "A"}
    Draw.objects.update(avoid={"pairs": [], "same_person": []})
    checks = {check.subject: check for check in verify_event(event)}
    assert checks["closed games"].passed and checks["posted cards"].passed
    turned = {"1": ["loss", "time"], "2": ["win", "time"]}
    MatchResult.objects.update(winner=event.entrants.get(number=2), credits=turned)
    assert not {check.subject: check for check in verify_event(event)}["closed games"].passed


@pytest.mark.parametrize("decided", [True, False])
def test_what_the_desk_decides_after_a_closing_is_no_fault_of_the_record(decided: bool) -> None:
    event = in_play()
    play(the_card(event), gin("A", 20))
    time_for(event, called(state_of(event)))
    match, other = the_card(event).match, event.entrants.get(number=2)
    if decided:
        points = {1: 45, 2: 51}
        word = MatchDecision(
            match=match, winner=other, cause=ResultCause.PLAYED, reason="they played on", override=True, points=points
        )
        decide_match(word, by=SYSTEM_ACTOR)
    else:
        undo_result(match, by=SYSTEM_ACTOR, reason="time was called too early")
    check = {check.subject: check for check in verify_event(event)}["closed games"]
    assert check.passed, check.finding
    MatchResult.objects.filter(match=match, supersedes=None).update(winner=other)
    assert not {check.subject: check for check in verify_event(event)}["closed games"].passed


def test_where_one_card_is_kept_for_all_rounds_the_director_lets_the_totals_stand() -> None:
    event = couples_in_play()
    report(event, couples_gin("A", 12), couples_gin("A", 9))
    client = client_as("director", event)
    assert "one score card for all rounds" in page_text(time_page(event))
    assert load_final_placings(event) is None
    assert "Closed:" in page_text(call_time(event, reason="The bus leaves"))
    assert load_final_placings(fresh(event)) is not None
    card = Card.objects.get(match__event=event)
    client.post(
        event_url("scoring:desk_reopen", event, token=card.token), {"reopen-key": "k", "reopen-reason": "It waits"}
    )
    assert load_final_placings(fresh(event)) is None


def test_every_card_of_a_whist_event_stands_as_it_is() -> None:
    event = a_whist_event()
    enter_all(event)
    call_time(event, reason="The bus leaves")
    assert {load_card_state_by_pk(pk).state for pk in Card.objects.values_list("pk", flat=True)} == {"closed"}
    placings = load_final_placings(fresh(event))
    assert placings is not None
    assert sum(len(placing.entries) for placing in placings.finish) == Card.objects.count()


def test_a_card_of_one_player_has_no_winner_by_a_decision() -> None:
    event = a_whist_event()
    enter_all(event)
    state = load_card_state_by_pk(Card.objects.filter(match__event=event).order_by("pk")[0].pk)
    with refused("bad-choice"):
        time_for(event, called(state, "A"), reason="The bus leaves")
    time_for(event, called(state, TOTALS_STAND_CHOICE), reason="The bus leaves")
    assert {check.subject: check for check in verify_event(event)}["closed games"].passed


@pytest.mark.parametrize("names", [("Ada", "Alan"), FOUR])
def test_the_page_takes_as_many_queries_for_one_game_as_for_two(
    names: tuple[str, ...], django_assert_num_queries: Any
) -> None:
    event = in_play(names=names)
    client = client_as("director", event)
    client.get(event_url("scoring:desk_time", event))
    with django_assert_num_queries(15):
        client.get(event_url("scoring:desk_time", event))
