"""Matches in some rounds can be longer. The rule sheet and every score card in such a round show this."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.knockout.bracket import make_bracket, make_double_elimination_bracket
from pairing.draws.stages.plan import StageKind
from pairing.models import Draw, MatchResult
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import Card, RuleSheet
from scoring.posting.services.opening import start_play
from scoring.prints.pdf.prints import PrintRequest, list_printouts
from scoring.rulesheets.selectors import count_rounds_from_end, load_scopes_with_special_match_length
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_user
from tests.kit import event_url, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import a_drawn_event, gin, play, play_out, post, sign_both, the_card, the_director
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")
FINAL: dict[str, Any] = {"from_end": 1, "options": {"target": 90}, "games_to_win": 2}


def chosen(*lengths: dict[str, Any], target: int = 50) -> ChosenRules:
    return ChosenRules("gra-singles", {"target": target}, lengths=lengths)


@prebuilt
def in_play(*lengths: dict[str, Any], names: tuple[str, ...] = FOUR) -> Event:
    event = a_drawn_event(names)
    save_rule_sheet(event, chosen(*lengths), by=SYSTEM_ACTOR)
    return start_play(event, by=SYSTEM_ACTOR)


def test_rounds_count_from_the_end_of_both_brackets() -> None:
    single = count_rounds_from_end(make_bracket((1, 2, 3, 4, 5, 6, 7, 8)))
    assert (single["R1M1"], single["R2M2"], single["R3M1"]) == (3, 2, 1)
    double = count_rounds_from_end(make_double_elimination_bracket((1, 2, 3, 4, 5, 6, 7, 8)))
    places = {match: double[match] for match in ("F1M1", "F2M1", "W3M1", "W1M1", "L4M1", "L1M1")}
    assert places == {"F1M1": 1, "F2M1": 1, "W3M1": 2, "W1M1": 4, "L4M1": 2, "L1M1": 5}


def test_the_final_has_its_own_length() -> None:
    event = in_play(FINAL)
    post(the_card(event, "R1M1"))
    post(the_card(event, "R1M2"))
    final = the_card(event, "R2M1")
    assert final.length == {"options": {"target": 90}, "games_to_win": 2}
    assert not play(final, gin("A", 30)).is_complete
    for game in (1, 2):
        card = the_card(event, "R2M1", game)
        state = play(card, gin("A", 30, "9C")) if game == 1 else play_out(card)
        assert state.content.as_json()["rules"]["options"]["target"] == 90
        assert state.target == 90 and state.is_complete
        assert not MatchResult.objects.filter(match__ident="R2M1").exists()
        sign_both(card)
    assert MatchResult.objects.get(match__ident="R2M1").score == {"1": 2, "3": 0}


def test_a_card_of_a_usual_round_is_unchanged() -> None:
    plain, other = in_play(names=("Ada", "Alan")), in_play(FINAL)
    assert the_card(other).length == {}
    contents = [load_card_state_by_pk(the_card(event).pk).content.as_json() for event in (plain, other)]
    assert contents[0]["rules"] == contents[1]["rules"]
    assert contents[0].keys() == contents[1].keys()


def test_a_later_length_changes_only_cards_without_lines() -> None:
    event = in_play(names=("Ada", "Alan"))
    assert the_card(event).length == {}
    save_rule_sheet(event, chosen(FINAL), by=the_director(event), reason="The final shall be longer")
    assert the_card(event).length["options"] == {"target": 90}
    play(the_card(event), gin("A", 3))
    save_rule_sheet(event, chosen(), by=the_director(event), reason="No")
    assert (the_card(event).sheet.version, load_card_state_by_pk(the_card(event).pk).target) == (2, 90)


@pytest.mark.parametrize(
    "length",
    [
        {"from_end": 1},
        {"options": {"target": 90}},
        {"from_end": 1, "options": {"target": 0}},
        {"from_end": 1, "options": {"gin_bonus": 30}},
        {"from_end": 0, "options": {"target": 90}},
        {"from_end": 1, "games_to_win": 99},
        {"form_end": 1, "games_to_win": 2},
    ],
)
def test_an_invalid_length_is_refused(length: dict[str, Any]) -> None:
    with refused("bad-rules"):
        save_rule_sheet(a_drawn_event(), chosen(length), by=SYSTEM_ACTOR)


def test_the_director_sets_lengths_and_everybody_sees_them(client: Client) -> None:
    event = a_drawn_event(FOUR)
    save_rule_sheet(event, chosen(), by=SYSTEM_ACTOR)
    client.force_login(a_user("director", event.tournament))
    page = client.get(event_url("scoring:desk_rules", event))
    form, lengths = page.context["form"], page.context["lengths"]
    sent = {name: form[name].value() for name in form.fields} | {"variant": "gra-singles", "unfinished": "leader"}
    sent = {name: value for name, value in sent.items() if value is not None and value is not False}
    assert [row["name"] for row in lengths.scope_rows] == ["Final", "Semifinals", "Quarterfinals", "Round of 16"]
    sent |= {"length-0_target": "500", "length-1_games": "2"}
    assert client.post(event_url("scoring:desk_rules", event), sent).status_code == 302
    sheet = RuleSheet.objects.get(version=2)
    assert sheet.lengths == [{"from_end": 1, "options": {"target": 500}}, {"from_end": 2, "games_to_win": 2}]
    assert sheet.unfinished == "leader"
    published = " ".join(client.get(event_url("scoring:rules", event)).content.decode().split())
    for words in ("to 500", "the first to win 2 games, at most 3", "The leader has won"):
        assert f"<strong>{words}</strong>" in published
    again = client.get(event_url("scoring:desk_rules", event)).context["lengths"]
    assert again.is_used and again["0_target"].value() == 500


def test_a_wrong_length_stays_in_the_form_with_an_error(client: Client) -> None:
    event = a_drawn_event(FOUR)
    save_rule_sheet(event, chosen(), by=SYSTEM_ACTOR)
    client.force_login(a_user("director", event.tournament))
    form = client.get(event_url("scoring:desk_rules", event)).context["form"]
    sent = {name: form[name].value() for name in form.fields} | {"variant": "gra-singles", "length-0_target": "0"}
    sent = {name: value for name, value in sent.items() if value is not None and value is not False}
    answer = client.post(event_url("scoring:desk_rules", event), sent)
    assert answer.status_code == 422
    assert RuleSheet.objects.count() == 1
    assert "greater than or equal to 1" in answer.content.decode()
    assert Card.objects.count() == 0


def text_of(kind: str, event: Event, **options: Any) -> str:
    order = PrintRequest(event, site="http://hall.local/", **options)
    content = list_printouts(StageKind)[kind][1](order, lambda done, total: None)
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def test_the_paper_of_a_round_has_its_length() -> None:
    event = in_play({"from_end": 1, "options": {"target": 90}}, {"from_end": 2, "options": {"target": 40}})
    usual = text_of("blank-cards", event, count=1, back=True)
    assert "to 50" in usual and usual.count("Points a game: 50") == 2
    (final, semifinals) = load_scopes_with_special_match_length(event)
    blank = text_of("blank-cards", event, count=1, place=final.code, back=True)
    assert "Final · Game ____ · to 90" in blank and blank.count("Points a game: 90") == 2
    assert "Points a game: 50" not in blank
    assert "Semifinals" in text_of("blank-cards", event, count=1, place=semifinals.code)
    assert text_of("round-cards", event).count("· to 40") == 2
    play(the_card(event, "R1M1"), gin("A", 20))
    sign_both(the_card(event, "R1M1"))
    assert "Game 40 ·" in text_of("signed-cards", event)


def test_verification_checks_the_length_of_every_card() -> None:
    event = in_play(FINAL)
    post(the_card(event, "R1M1"))
    post(the_card(event, "R1M2"))
    Draw.objects.update(avoid={"pairs": [], "same_person": []})
    checks = {check.subject: check for check in verify_event(event)}
    assert checks["lengths of matches"].passed and checks["lengths of matches"].finding == "1 other than usual, 0 wrong"
    Card.objects.filter(match__ident="R2M1").update(length={})
    assert not {check.subject: check for check in verify_event(event)}["lengths of matches"].passed


def test_the_phone_shows_the_length_of_the_match(client: Client) -> None:
    event = in_play(FINAL, names=("Ada", "Alan"))
    page = client.get(reverse("scoring:my_match", kwargs={"token": event.entrants.first().token})).content.decode()
    assert "Game 1 of 3" in page and "to 90" in page
