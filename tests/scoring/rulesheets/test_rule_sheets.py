from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.cards.services.hands import LineEntry, add_line
from scoring.models import Card, RuleSheet
from scoring.posting.services.opening import start_play
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import explain_unsuitable_rules
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_user
from tests.kit import client_as, event_url, page_text, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import a_drawn_event, an_event_in_play, gin, play, sign_both, the_card, the_director
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import Event

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


@pytest.fixture
@prebuilt
def event() -> Event:
    return a_drawn_event()


@pytest.fixture
def director(event: Event) -> Client:
    return client_as("director", event)


@pytest.fixture
def desk_rules(event: Event) -> str:
    return event_url("scoring:desk_rules", event)


def chosen(target: int = 100, games_to_win: int = 1, **options: Any) -> ChosenRules:
    return ChosenRules("gra-singles", {"target": target, **options}, games_to_win)


def test_a_rule_sheet_stores_every_option() -> None:
    sheet = save_rule_sheet(a_drawn_event(), chosen(120), by=SYSTEM_ACTOR)
    assert set(sheet.options) == {option.name for option in VARIANTS["gra-singles"].options}
    assert (sheet.version, sheet.options["target"], sheet.options["gin_bonus"]) == (1, 120, 25)


@pytest.mark.parametrize("options", [{"target": 0}, {"target": "150"}, {"tarjet": 150}, {"ace": "three"}])
def test_unknown_or_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with refused("bad-rules"):
        save_rule_sheet(a_drawn_event(), ChosenRules("gra-singles", options), by=SYSTEM_ACTOR)


def test_start_play_freezes_the_default_sheet_and_opens_the_cards() -> None:
    event = start_play(a_drawn_event(FOUR), by=SYSTEM_ACTOR)
    assert event.state == Event.State.IN_PLAY
    assert event.rules_frozen.sheet.options["target"] == 150
    assert Card.objects.count() == 2
    with pytest.raises(Conflict):
        start_play(event, by=SYSTEM_ACTOR)


def test_only_the_director_sets_rules_and_starts_play(event: Event) -> None:
    desk = make_staff_actor(a_user("desk", event.tournament))
    for act in (lambda: save_rule_sheet(event, chosen(), by=desk), lambda: start_play(event, by=desk)):
        with pytest.raises(NotAllowed):
            act()


def test_a_change_after_the_start_needs_a_reason() -> None:
    event = an_event_in_play(FOUR)
    with pytest.raises(DomainError, match="decision"):
        save_rule_sheet(event, chosen(120), by=the_director(event))
    sheet = save_rule_sheet(event, chosen(120), by=the_director(event), reason="The hall closes at ten")
    assert (sheet.version, sheet.reason) == (2, "The hall closes at ten")


def test_only_matches_that_have_not_begun_get_a_new_version() -> None:
    event = an_event_in_play(FOUR, games_to_win=2)
    play(the_card(event, "R1M1"), gin("A", 3))
    save_rule_sheet(event, chosen(120, 2), by=the_director(event), reason="Late")
    assert the_card(event, "R1M1").sheet.version == 1
    assert the_card(event, "R1M2").sheet.version == 2
    add_line(the_card(event), LineEntry(gin("A", 30, "2C")), by=make_player_actor(the_card(event).entrants[0]))
    sign_both(the_card(event))
    assert the_card(event, "R1M1", game=2).sheet.version == 1


def test_saving_the_same_rules_adds_no_version(event: Event) -> None:
    save_rule_sheet(event, chosen(), by=SYSTEM_ACTOR)
    save_rule_sheet(event, chosen(), by=SYSTEM_ACTOR)
    assert RuleSheet.objects.count() == 1


def test_a_director_cannot_overwrite_an_unseen_version(event: Event) -> None:
    save_rule_sheet(event, chosen(100), by=SYSTEM_ACTOR, seen=0)
    with pytest.raises(Conflict, match="rule sheet changed in the meantime"):
        save_rule_sheet(event, chosen(110), by=SYSTEM_ACTOR, seen=0)


def test_the_published_sheet_cites_the_director_or_the_rule(client: Client) -> None:
    event = an_event_in_play()
    page = page_text(client.get(event_url("scoring:rules", event)))
    assert "Fixed and published" in page
    assert re.search(r"Points a game The first side at or over it wins the game\. 50 .{0,4}set by the director", page)
    assert re.search(r"Games per match one game .{0,4}set by the director", page)
    assert "play for gin GRA singles rule 4" in page


def test_before_play_the_sheet_is_called_provisional(event: Event, client: Client) -> None:
    assert "No rule sheet yet" in page_text(client.get(event_url("scoring:rules", event)))
    save_rule_sheet(event, chosen(), by=SYSTEM_ACTOR)
    client.cookies.clear()
    event.refresh_from_db()
    assert "Provisional" in page_text(client.get(event_url("scoring:rules", event)))


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_the_form_of_every_variant_saves_its_defaults(director: Client, desk_rules: str, variant: str) -> None:
    page = director.get(desk_rules, {"variant": variant}).content.decode()
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
    answer = director.post(desk_rules, sent)
    assert answer.status_code == 302, page_text(answer)
    sheet = RuleSheet.objects.get()
    games = 1 if variant in ("captain", "metzker", "court-whist") else 2
    assert (sheet.variant, sheet.options, sheet.games_to_win) == (variant, VARIANTS[variant].defaults(), games)
    assert ('name="games_to_win"' in page) == (games == 2)


def test_a_list_of_texts_has_one_text_per_row(director: Client, desk_rules: str) -> None:
    sent = {"variant": "score-pad", "key": "k", "seen": "0", "games_to_win": "1", "remarks": "", "game": "0",
            "rounds": "Red cards\r\n  Even cards \r\n\r\n", "wins": "2", "target": "0", "losing_total": "0",
            "back_to_zero": "0"}  # fmt: skip
    assert director.post(desk_rules, sent).status_code == 302
    assert RuleSheet.objects.get().options["rounds"] == ["Red cards", "Even cards"]
    assert RuleSheet.objects.get().options["wins"] == "low"
    page = director.get(desk_rules, {"variant": "score-pad"}).content.decode()
    assert "Red cards\nEven cards</textarea>" in page
    again = director.post(desk_rules, sent | {"key": "l", "seen": "1"})
    assert (again.status_code, RuleSheet.objects.count()) == (302, 1)
    too_long = director.post(desk_rules, sent | {"key": "m", "seen": "1", "rounds": "x" * 61})
    assert too_long.context["form"].errors == {"rounds": ["This is too long: 60 characters at most."]}


def test_the_console_starts_play(event: Event, director: Client, desk_rules: str) -> None:
    assert "Start play" in page_text(director.get(desk_rules))
    director.post(event_url("scoring:start_play", event))
    event.refresh_from_db()
    assert event.state == Event.State.IN_PLAY


def typed(client: Client, event: Event, variant: str = "gra-singles", **values: str) -> dict[str, str]:
    """Return the form data that a browser submits, with some values replaced."""
    page = client.get(event_url("scoring:desk_rules", event), {"variant": variant})
    form = page.context["form"]
    sent = {"variant": variant}
    for field in form:
        value = field.value()
        if value is not None and value is not False and value != "":
            sent[field.html_name] = "on" if value is True else str(value)
    return sent | values


def test_every_rule_set_is_offered_with_its_description(event: Event) -> None:
    words = page_text(client_as("director", event).get(event_url("scoring:desk_rules", event)))
    for variant in VARIANTS.values():
        assert variant.title in words
        assert variant.about in words
    assert "Captain, three-handed gin is for 3 on a score card, but matches here are one on one." in words
    assert "Court Whist needs a format in which the sides change" in words
    assert "Standard gin is for" not in words


@pytest.mark.parametrize(
    ("format_options", "rules", "said"),
    [
        ({"size": 4}, "gra-singles", "is for 2 at a table, and this event has tables of 4."),
        ({"size": 3}, "captain", "is for exactly"),
        ({"size": 3, "full": True}, "captain", ""),
        ({"size": 4}, "fort-worth", ""),
    ],
)
def test_rules_that_do_not_fit_the_tables_give_a_warning(format_options: dict[str, Any], rules: str, said: str) -> None:
    event = a_drawn_event(format="tables", format_options=format_options)
    why = explain_unsuitable_rules(event, rules, VARIANTS[rules].defaults())
    assert said in why
    assert bool(said) == bool(why)


def test_a_couples_event_has_its_own_rules() -> None:
    event = a_drawn_event(format="rotation")
    assert explain_unsuitable_rules(event, "metzker", VARIANTS["metzker"].defaults()) == ""
    assert "format is for Metzker couples gin" in explain_unsuitable_rules(
        event, "standard", VARIANTS["standard"].defaults()
    )


def test_a_game_of_the_book_fills_the_form(director: Client, desk_rules: str) -> None:
    page = director.get(desk_rules, {"variant": "score-pad", "preset": "arizona-rummy"})
    html, words = page.content.decode(), page_text(page)
    assert "3s\n4s\n5s" in html
    assert "deal 4, 4s are wild" in words
    assert "The lowest total wins; 11 rounds." in words
    assert '<option value="arizona-rummy" selected>' in html
    canasta = page_text(director.get(desk_rules, {"variant": "score-pad", "preset": "canadian-salad"}))
    assert "Score pad is for 4 on a score card, but matches here are one on one." in canasta
    assert not RuleSheet.objects.exists()


def test_a_preset_replaces_the_saved_values_in_the_form(event: Event) -> None:
    save_rule_sheet(event, chosen(77), by=SYSTEM_ACTOR)
    client = client_as("director", event)
    assert client.get(event_url("scoring:desk_rules", event)).context["form"]["target"].value() == 77
    filled = client.get(event_url("scoring:desk_rules", event), {"variant": "gra-singles", "preset": "usual"})
    assert filled.context["form"]["target"].value() == 150
    assert "usual value: 150" in page_text(filled)


def test_a_refused_form_keeps_everything_typed(event: Event, director: Client, desk_rules: str) -> None:
    sent = typed(director, event, "oklahoma", target="0", remarks="New decks every round")
    refused = director.post(desk_rules, sent)
    assert refused.status_code == 422
    form = refused.context["form"]
    assert (form["target"].value(), form["remarks"].value()) == ("0", "New decks every round")
    assert "Oklahoma gin" in page_text(refused)
    assert not RuleSheet.objects.exists()


def test_the_second_of_two_directors_is_told_and_may_save_again(
    event: Event, director: Client, desk_rules: str
) -> None:
    sent = typed(director, event, target="120")
    save_rule_sheet(event, chosen(90), by=the_director(event))
    answer = director.post(desk_rules, sent)
    assert answer.status_code == 422
    assert "Your entries are still here" in page_text(answer)
    assert answer.context["form"]["target"].value() == "120"
    again = director.post(desk_rules, sent | {"seen": answer.context["form"]["seen"].value()})
    assert again.status_code == 302
    assert RuleSheet.objects.get(version=2).options["target"] == 120


def test_another_rule_set_after_the_start_needs_a_reason() -> None:
    event = an_event_in_play()
    client = client_as("director", event)
    page = client.get(event_url("scoring:desk_rules", event), {"variant": "standard"})
    assert "The saved rule set is Gin Rummy Association, singles." in page_text(page)
    sent = typed(client, event, "standard")
    assert client.post(event_url("scoring:desk_rules", event), sent).status_code == 422
    decided = client.post(event_url("scoring:desk_rules", event), sent | {"reason": "The players asked for it"})
    assert decided.status_code == 302
    assert RuleSheet.objects.get(version=2).variant == "standard"
    three = client.post(event_url("scoring:desk_rules", event), typed(client, event, "captain", reason="x"))
    assert "Score cards for 2 sides are on the tables already" in page_text(three)


@pytest.mark.parametrize("versions", [1, 3])
def test_the_number_of_queries_does_not_grow_with_versions(
    event: Event, versions: int, django_assert_num_queries: Any
) -> None:
    for n in range(versions):
        save_rule_sheet(event, chosen(100 + n), by=SYSTEM_ACTOR)
    client = client_as("director", event)
    with django_assert_num_queries(7):
        client.get(event_url("scoring:desk_rules", event))
    with django_assert_num_queries(4):
        Client().get(event_url("scoring:rules", event))


@pytest.mark.parametrize("rules", list(VARIANTS))
def test_the_published_sheet_describes_the_rule_set(event: Event, rules: str) -> None:
    variant = VARIANTS[rules]
    save_rule_sheet(event, ChosenRules(rules, {}), by=SYSTEM_ACTOR)
    words = page_text(Client().get(event_url("scoring:rules", event)))
    assert all(said in words for said in (variant.title, variant.rulebook.title, variant.signers))
    assert all(" ".join(sentence.split()) in words for sentence in variant.rulebook.summary)
    assert all(option.label in words for option in variant.options)
    assert ("Games per match" in words) == (rules not in ("captain", "metzker", "court-whist"))


def test_a_pad_publishes_its_rounds_and_fort_worth_its_wild_ranks(event: Event) -> None:
    save_rule_sheet(event, ChosenRules("score-pad", {"game": "push"}), by=SYSTEM_ACTOR)
    words = page_text(Client().get(event_url("scoring:rules", event)))
    assert "1st 6 cards dealt: 2 sets of three" in words
    assert "Jokers and twos are wild." in words
    save_rule_sheet(event, ChosenRules("fort-worth", {"length": "short"}), by=SYSTEM_ACTOR)
    event.refresh_from_db()
    assert re.search(r"Hand 2 3 ?wild|Hand 2 3s? wild", page_text(Client().get(event_url("scoring:rules", event))))


@pytest.mark.parametrize("rules", list(VARIANTS))
def test_every_rule_set_has_a_public_page(rules: str, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(2):  # the club at the top of each page
        page = Client().get(reverse("scoring:rule_set", kwargs={"rules": rules}))
        listed = Client().get(reverse("scoring:rule_sets"))
    words = page_text(page)
    assert VARIANTS[rules].title in words
    assert VARIANTS[rules].signers in words
    assert reverse("scoring:rule_set", kwargs={"rules": rules}) in listed.content.decode()
    for preset in VARIANTS[rules].presets:
        assert preset.title in words


def test_an_unknown_rule_set_is_not_found() -> None:
    assert Client().get("/rules/whist-drive/").status_code == 404
    assert reverse("scoring:rule_sets") in Client().get("/").content.decode()


@pytest.mark.parametrize(("rules", "count"), [("gra-singles", 17), ("gra-partnership", 14)])
def test_the_associations_rules_are_published_with_numbers(rules: str, count: int) -> None:
    page = Client().get(reverse("scoring:rule_set", kwargs={"rules": rules})).content.decode()
    numbered = page.split('<ol class="rule-summary">')[1].split("</ol>")[0]
    assert numbered.count("<li>") == count
    assert VARIANTS[rules].rulebook.card_sentences[count - 1].startswith(f"{count}. ")


def test_the_partnership_rules_link_to_the_singles_rules() -> None:
    page = Client().get(reverse("scoring:rule_set", kwargs={"rules": "gra-partnership"})).content.decode()
    assert f'href="{reverse("scoring:rule_set", kwargs={"rules": "gra-singles"})}"' in page
