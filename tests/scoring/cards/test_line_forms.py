"""Forms for a line are generated from a variant's fields: groups, switches, negative numbers, and tables."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.console.paper import PaperRowForm, can_enter_card_by_rows, can_enter_card_by_totals
from scoring.cards.forms import DeskLineForm, LineForm, PhoneLineForm
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.rules.variants import VARIANTS
from tests.factories import a_user
from tests.kit import event_url
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = pytest.mark.django_db

TWO, THREE = ("Ada", "Alan"), ("Ada", "Alan", "Grace")
BOARDS: dict[str, Any] = {
    "up": "8H",
    "boards": [
        {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}, "extra": {"B": ["9C"]}},
        {"outcome": "gin", "by": "B", "counts": {"A": 12, "B": 0}},
    ],
}
RESULTS: dict[str, Any] = {
    "results": [
        {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 12}},
        {"outcome": "run", "by": "B", "counts": {"A": 30, "B": 4}},
    ]
}
LINES: list[tuple[str, tuple[str, ...], dict[str, Any]]] = [
    ("gra-singles", TWO, {"up": "8H", "outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}, "missing": {"B": 1}}),
    ("captain", THREE, {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}),
    ("fort-worth", THREE, {"by": "B", "turn": "4S", "counts": {"A": 12, "C": 0}}),
    ("fort-worth", THREE, {"counts": {"A": 12, "B": 3, "C": 0}}),
    ("word-gin", TWO, {"outcome": "gin", "by": "B", "words": {"A": 0, "B": 12}, "long_words": {"B": 1},
                       "deadwood": {"A": 30, "B": 0}}),
    ("court-whist", ("Ada",), {"game": 4, "hand": 2, "tricks": 7, "lady_tricks": 2}),
    ("court-whist", ("Ada",), {"game": 2, "hand": 1, "sit_out": True}),
    ("score-pad", THREE, {"points": {"A": -15, "B": 0, "C": 30}}),
    ("gra-partnership", TWO, BOARDS),
    ("metzker", TWO, RESULTS),
]  # fmt: skip


def posted(form: LineForm) -> dict[str, str]:
    """Return the fields that a browser sends for this form, with the values it shows."""
    sent = {}
    for field in form:
        value = field.value()
        if value is True:
            sent[field.html_name] = "on"
        elif value is not False and value not in (None, ""):
            sent[field.html_name] = str(value)
    return sent


@pytest.mark.parametrize("made", [PhoneLineForm, DeskLineForm])
@pytest.mark.parametrize(("rules", "names", "line"), LINES)
def test_a_line_goes_into_its_form_and_comes_out_the_same(
    made: type[LineForm], rules: str, names: tuple[str, ...], line: dict[str, Any]
) -> None:
    state = load_card_state_by_pk(a_table_card(names, rules).pk)
    shown = made(state=state, initial=made.make_initial(state, line))
    sent = {**posted(shown), "key": "k"}
    form = made(sent, state=state)
    assert form.is_valid(), form.errors
    assert form.make_line() == line
    assert {asked.kind for section in form.sections for asked in (*section.asked, *section.aside)}


PLAIN_BOARDS = {**BOARDS, "boards": [{**BOARDS["boards"][0]}, BOARDS["boards"][1]]}
PLAIN_BOARDS["boards"][0].pop("extra")
ROWS = [
    *((rules, names, {}, line) for rules, names, line in LINES if line not in (BOARDS, RESULTS)),
    ("gra-partnership", TWO, {}, PLAIN_BOARDS),
    ("score-pad", THREE, {"game": "oh-hell"}, {"bids": {"A": 0, "B": 4, "C": 5}, "points": {"A": 10, "B": 0, "C": 15}}),
    (
        "score-pad",
        TWO,
        {"game": "500-rummy"},
        {"bid_by": "B", "bid": 70, "no_trump": True, "points": {"A": 55, "B": 120}},
    ),
]


@pytest.mark.parametrize(("rules", "names", "options", "line"), ROWS)
def test_a_row_of_paper_has_the_same_line(
    rules: str, names: tuple[str, ...], options: dict[str, Any], line: dict[str, Any]
) -> None:
    state = load_card_state_by_pk(a_table_card(names, rules, **options).pk)
    plain = {name: value for name, value in line.items() if name != "missing"}
    form = PaperRowForm(posted(PaperRowForm(state=state, initial=LineForm.make_initial(state, plain))), state=state)
    assert form.is_valid(), form.errors
    assert form.make_paper_row().line == plain
    assert can_enter_card_by_rows(state)


def test_the_side_named_on_a_row_is_the_one_its_board_has_points_for() -> None:
    state = load_card_state_by_pk(a_table_card(TWO, "gra-partnership").pk)
    sent = {"up": "AS", "boards_0_by": "B", "boards_0_outcome": "points", "boards_0_points": "30"}
    form = PaperRowForm(
        {**sent, "boards_1_by": "A", "boards_1_outcome": "points", "boards_1_points": "25"}, state=state
    )
    assert form.is_valid(), form.errors
    assert [board["to"] for board in form.make_line()["boards"]] == ["B", "A"]


def test_as_many_results_as_couples_are_no_row_of_paper() -> None:
    assert not can_enter_card_by_rows(load_card_state_by_pk(a_table_card(TWO, "metzker").pk))


def test_only_the_two_sided_games_to_a_target_can_be_entered_by_totals() -> None:
    fitting = set()
    for rules in VARIANTS:
        variant = VARIANTS[rules]
        names = tuple(f"P{n}" for n in range(max(variant.fewest_sides, 1)))
        state = load_card_state_by_pk(a_table_card(names, rules).pk)
        if can_enter_card_by_totals(state):
            fitting.add(rules)
    assert {"gra-singles", "standard", "oklahoma", "gra-partnership"} <= fitting
    assert not fitting & {"captain", "fort-worth", "court-whist", "metzker", "word-gin", "score-pad"}


def test_who_goes_gin_need_not_type_a_nought_on_any_board() -> None:
    state = load_card_state_by_pk(a_table_card(TWO, "gra-partnership").pk)
    sent = {"up_rank": "8", "up_suit": "H", "key": "k", "boards_0_outcome": "gin", "boards_0_by": "B"}
    sent |= {"boards_0_counts_A": "12", "boards_1_outcome": "stock", "boards_1_counts_A": "3"}
    form = PhoneLineForm(sent, state=state)
    assert form.is_valid()
    assert form.make_line()["boards"] == [
        {"outcome": "gin", "by": "B", "counts": {"A": 12, "B": 0}},
        {"outcome": "stock"},
    ]


def test_a_board_that_nobody_filled_in_is_missed_by_its_name() -> None:
    card = a_table_card(TWO, "gra-partnership")
    url = reverse("scoring:my_hand", kwargs={"token": card.entrants[0].token, "card": card.token})
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    sent = {"up_rank": "8", "up_suit": "H", "boards_0_outcome": "knock", "boards_0_by": "A", "boards_0_counts_A": "9"}
    answer = Client().post(url, {**sent, "boards_0_counts_B": "20", "boards_1_outcome": "stock", "key": "k"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "8 is the most" in page
    assert 'name="boards_0_counts_A" value="9"' in page


def test_partnership_is_recorded_by_phone_and_corrected_at_the_desk() -> None:
    card = a_table_card(TWO, "gra-partnership")
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    phone = reverse("scoring:my_hand", kwargs={"token": card.entrants[0].token, "card": card.token})
    sent = {"up_rank": "8", "up_suit": "H", "boards_0_outcome": "knock", "boards_0_by": "A", "boards_0_counts_A": "5"}
    sent |= {"boards_0_counts_B": "20", "boards_1_outcome": "gin", "boards_1_by": "B", "boards_1_counts_A": "3"}
    assert 'name="boards_1_outcome"' in Client().get(phone).content.decode()
    assert Client().post(phone, {**sent, "key": "k", "hand": "1"}).status_code == 302
    assert load_card_state_by_pk(card.pk).score.totals == (0, 13)
    event, desk = card.match.event, Client()
    desk.force_login(a_user("director", event.tournament))
    url = event_url("scoring:desk_hand", event, token=card.token, number=1)
    assert 'name="boards_1_counts_A" value="3"' in desk.get(url).content.decode()
    typed = {"up": "8H", "boards_0_outcome": "knock", "boards_0_by": "A", "boards_0_counts_A": "5"}
    typed |= {"boards_0_counts_B": "20", "boards_1_outcome": "stock", "key": "d", "reason": "the second was dead"}
    assert desk.post(url, typed).status_code == 302
    assert load_card_state_by_pk(card.pk).score.totals == (15, 0)


def test_one_more_result_is_asked_for_without_recording_anything() -> None:
    card = a_table_card(TWO, "metzker")
    who = card.match.event.entrants.get(number=1)
    record_scorekeeper(card, who, by=SYSTEM_ACTOR)
    url = reverse("scoring:my_hand", kwargs={"token": who.token, "card": card.token})
    sent = {"results_0_outcome": "gin", "results_0_by": "A", "results_0_counts_B": "12", "key": "k"}
    page = Client().post(url, {**sent, "more": "results"})
    assert page.status_code == 200
    assert 'name="results_1_counts_B"' in page.content.decode()
    assert 'name="results_0_counts_B" value="12"' in page.content.decode()
    assert not load_card_state_by_pk(card.pk).lines
    sent |= {"results_1_counts_A": "", "results_1_counts_B": ""}
    assert Client().post(url, {**sent, "hand": "1"}).status_code == 302
    (fact,) = load_card_state_by_pk(card.pk).lines
    assert fact.line == {"results": [{"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 12}}]}


@pytest.mark.parametrize(("rules", "names", "line"), LINES)
def test_every_page_of_any_rule_set_opens(rules: str, names: tuple[str, ...], line: dict[str, Any]) -> None:
    card = a_table_card(names, rules)
    who = card.match.event.entrants.get(number=1)
    record_scorekeeper(card, who, by=SYSTEM_ACTOR)
    add_line(card, LineEntry(line, override="as played"), by=SYSTEM_ACTOR)
    event = card.match.event
    mine = {"token": who.token, "card": card.token}
    client = Client()
    for act in ("card", "hand", "last", "sign"):
        assert client.get(reverse(f"scoring:my_{act}", kwargs=mine)).status_code == 200, act
    assert client.post(reverse("scoring:my_preview", kwargs=mine), {"hand": "2"}).status_code == 200
    assert client.get(reverse("scoring:table_card", kwargs={"card": card.token})).status_code == 200
    assert client.get(event_url("scoring:card", event, token=card.token)).status_code == 200
    assert client.get(reverse("scoring:api_card", kwargs={"token": card.token})).json()["ok"]
    client.force_login(a_user("director", event.tournament))
    own = {"token": card.token}
    for name, more in (("desk_cards", {}), ("desk_card_lines", own), ("desk_hand", {**own, "number": 1})):
        assert client.get(event_url(f"scoring:{name}", event, **more)).status_code == 200, name
    entry = client.get(event_url("scoring:desk_card", event), {"card": card.token})
    assert entry.status_code == (302 if rules == "metzker" else 200)


def test_a_field_of_the_rules_does_not_get_in_the_way_of_the_forms_own() -> None:
    card = a_table_card(("Ada",), "court-whist")
    url = reverse("scoring:my_hand", kwargs={"token": card.entrants[0].token, "card": card.token})
    sent = {"game": "1", "line_hand": "3", "tricks": "7", "hand": "1", "key": "k", "override": "begun late"}
    assert Client().post(url, sent).status_code == 302
    assert load_card_state_by_pk(card.pk).lines[0].line == {"game": 1, "hand": 3, "tricks": 7}
    assert Client().post(url, {**sent, "key": "another"}).status_code == 422  # hand 1 is taken: it is the first line


def test_the_next_hand_of_a_card_is_filled_in_beforehand() -> None:
    card = a_table_card(("Ada",), "court-whist")
    url = reverse("scoring:my_hand", kwargs={"token": card.entrants[0].token, "card": card.token})
    for hand, due in (("1", "2"), ("2", "3"), ("3", "4"), ("4", "1")):
        sent = {"game": "1", "line_hand": hand, "tricks": "7", "hand": hand, "key": hand}
        assert Client().post(url, sent).status_code == 302
        form = Client().get(url).context["form"]
        assert (str(form["game"].value()), str(form["line_hand"].value())) == ("2" if due == "1" else "1", due)
