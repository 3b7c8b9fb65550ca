from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.models import Card, RuleSheet
from scoring.rules.variants import VARIANTS
from scoring.services.cards import LineEntry, add_line
from scoring.services.rule_sheets import RulesChosen, save_rules, start_play
from tests.factories import a_user
from tests.scoring.playing import a_drawn_event, an_event_in_play, gin, play, sign_both, the_card, the_director
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event
from tournament.permissions import SYSTEM, player, staff

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


def chosen(target: int = 100, games_to_win: int = 1, **options: Any) -> RulesChosen:
    return RulesChosen("gra-singles", {"target": target, **options}, games_to_win)


def url(event: Event, name: str) -> str:
    return reverse(f"scoring:{name}", kwargs={"tournament": event.tournament.slug, "event": event.slug})


def text_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def test_the_whole_set_of_options_is_kept() -> None:
    sheet = save_rules(a_drawn_event(), chosen(120), by=SYSTEM)
    assert set(sheet.options) == {option.name for option in VARIANTS["gra-singles"].options}
    assert (sheet.version, sheet.options["target"], sheet.options["gin_bonus"]) == (1, 120, 25)


@pytest.mark.parametrize("options", [{"target": 0}, {"target": "150"}, {"tarjet": 150}, {"ace": "three"}])
def test_options_that_do_not_exist_or_do_not_fit_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(DomainError) as refused:
        save_rules(a_drawn_event(), RulesChosen("gra-singles", options), by=SYSTEM)
    assert refused.value.code == "bad-rules"


def test_start_play_freezes_the_usual_sheet_and_opens_the_cards() -> None:
    event = start_play(a_drawn_event(FOUR), by=SYSTEM)
    assert event.state == Event.State.IN_PLAY
    assert event.rules_frozen.sheet.options["target"] == 150
    assert Card.objects.count() == 2
    with pytest.raises(Conflict):
        start_play(event, by=SYSTEM)


def test_only_the_director_sets_rules_and_starts_play() -> None:
    event = a_drawn_event()
    desk = staff(a_user("desk", event.tournament))
    for act in (lambda: save_rules(event, chosen(), by=desk), lambda: start_play(event, by=desk)):
        with pytest.raises(NotAllowed):
            act()


def test_after_the_start_a_change_is_a_decision_with_a_reason() -> None:
    event = an_event_in_play(FOUR)
    with pytest.raises(DomainError, match="decision"):
        save_rules(event, chosen(120), by=the_director(event))
    sheet = save_rules(event, chosen(120), by=the_director(event), reason="The hall closes at ten")
    assert (sheet.version, sheet.reason) == (2, "The hall closes at ten")


def test_a_match_that_has_begun_keeps_its_version_the_others_take_the_new_one() -> None:
    event = an_event_in_play(FOUR, games_to_win=2)
    play(the_card(event, "R1M1"), gin("A", 3))
    save_rules(event, chosen(120, 2), by=the_director(event), reason="Late")
    assert the_card(event, "R1M1").sheet.version == 1
    assert the_card(event, "R1M2").sheet.version == 2
    add_line(the_card(event), LineEntry(gin("A", 30, "2C")), by=player(the_card(event).entrants[0]))
    sign_both(the_card(event))
    assert the_card(event, "R1M1", game=2).sheet.version == 1


def test_the_same_again_adds_no_version() -> None:
    event = a_drawn_event()
    save_rules(event, chosen(), by=SYSTEM)
    save_rules(event, chosen(), by=SYSTEM)
    assert RuleSheet.objects.count() == 1


def test_two_directors_do_not_overwrite_each_other_unseen() -> None:
    event = a_drawn_event()
    save_rules(event, chosen(100), by=SYSTEM, seen=0)
    with pytest.raises(Conflict, match="Somebody else"):
        save_rules(event, chosen(110), by=SYSTEM, seen=0)


def test_the_published_sheet_says_what_the_director_set_and_which_rule_the_rest_is(client: Client) -> None:
    event = an_event_in_play()
    page = text_of(client.get(url(event, "rules")))
    assert "Frozen and published" in page
    assert re.search(r"Points a game The first side at or over it wins the game\. 50 .{0,4}set by the director", page)
    assert re.search(r"Games a match one game .{0,4}set by the director", page)
    assert "play for gin GRA singles rule 4" in page


def test_before_play_the_sheet_is_called_provisional(client: Client) -> None:
    event = a_drawn_event()
    assert "No rule sheet yet" in text_of(client.get(url(event, "rules")))
    save_rules(event, chosen(), by=SYSTEM)
    client.cookies.clear()
    event.refresh_from_db()
    assert "Provisional" in text_of(client.get(url(event, "rules")))


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_every_variant_makes_a_form_that_saves_its_own_defaults(variant: str) -> None:
    event = a_drawn_event()
    client = Client()
    client.force_login(a_user("director", event.tournament))
    page = client.get(url(event, "desk_rules"), {"variant": variant}).content.decode()
    sent = {"variant": variant, "key": "k", "seen": "0", "games_to_win": "2", "remarks": ""}
    for option in VARIANTS[variant].options:
        assert f'name="{option.name}"' in page
        if option.kind == "switch":
            sent |= {option.name: "on"} if option.default else {}
        elif option.kind == "number":
            sent[option.name] = str(option.default)
        elif option.kind == "texts":
            sent[option.name] = "\n".join(option.default or [])
        else:
            places = {named.value: str(i) for i, named in enumerate(option.named)}
            sent[option.name] = places.get(option.default, "number")
            if sent[option.name] == "number":
                sent[f"{option.name}_number"] = str(option.default)
    answer = client.post(url(event, "desk_rules"), sent)
    assert answer.status_code == 302, text_of(answer)
    sheet = RuleSheet.objects.get()
    assert (sheet.variant, sheet.options, sheet.games_to_win) == (variant, VARIANTS[variant].defaults(), 2)


def test_a_list_of_texts_is_typed_one_a_row_and_shown_so_again() -> None:
    event = a_drawn_event()
    client = Client()
    client.force_login(a_user("director", event.tournament))
    sent = {"variant": "score-pad", "key": "k", "seen": "0", "games_to_win": "1", "remarks": "", "game": "0",
            "rounds": "Red cards\r\n  Even cards \r\n\r\n", "wins": "2", "target": "0", "losing_total": "0",
            "back_to_zero": "0"}  # fmt: skip
    assert client.post(url(event, "desk_rules"), sent).status_code == 302
    assert RuleSheet.objects.get().options["rounds"] == ["Red cards", "Even cards"]
    assert RuleSheet.objects.get().options["wins"] == "low"
    page = client.get(url(event, "desk_rules"), {"variant": "score-pad"}).content.decode()
    assert "Red cards\nEven cards</textarea>" in page
    again = client.post(url(event, "desk_rules"), sent | {"key": "l", "seen": "1"})
    assert (again.status_code, RuleSheet.objects.count()) == (302, 1)
    too_long = client.post(url(event, "desk_rules"), sent | {"key": "m", "seen": "1", "rounds": "x" * 61})
    assert "This is too long: 60 characters at most." in text_of(too_long)


def test_the_console_starts_play() -> None:
    event = a_drawn_event()
    client = Client()
    client.force_login(a_user("director", event.tournament))
    assert "Start play" in text_of(client.get(url(event, "desk_rules")))
    client.post(url(event, "start_play"))
    event.refresh_from_db()
    assert event.state == Event.State.IN_PLAY
