"""A score card can belong to three players, a whole table, two teams, or a single player."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from pypdf import PdfReader

from pairing.models import MatchResult
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_match_cards
from scoring.card_state.selectors.players import SeatedMatch, load_seated_match
from scoring.card_state.selectors.state import SCOREKEEPER_SIDE
from scoring.card_state.tables import describe_line, list_running_totals, list_signatures, make_sheet_context
from scoring.cards.services.hands import LineEntry, add_line, correct_line, record_scorekeeper
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper
from scoring.models import Card, CardSeat, make_sides_key
from scoring.posting.services.opening import get_or_open_card
from scoring.prints.pdf.prints import PrintRequest, print_signed_cards
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.scoring.helpers.playing import an_event_in_play, gin, play_out, sign, the_card, the_director
from tests.scoring.helpers.tables import a_table, a_table_card, a_table_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.errors import Conflict, NotAllowed
from tournament.models import Entrant

pytestmark = pytest.mark.django_db

THREE = ("Ada", "Alan", "Grace")


def test_a_seat_keeps_the_name_and_the_key_does_not_mind_the_order() -> None:
    card = a_table_card(THREE, "captain")
    assert [(seat.side, seat.name) for seat in card.seats.all()] == [("A", "Ada"), ("B", "Alan"), ("C", "Grace")]
    assert card.sides_key == make_sides_key(sorted((who.pk for who in card.entrants), reverse=True))


def test_the_same_sides_have_one_card_a_game() -> None:
    card = a_table_card(THREE, "captain")
    with pytest.raises(IntegrityError), transaction.atomic():
        Card.objects.create(match=card.match, game=1, sides_key=card.sides_key, sheet=card.sheet, token="twice")
    seat = card.seats.all()[0]
    for wrong in ({"position": 0}, {"position": 4, "entrant": seat.entrant}):
        with pytest.raises(IntegrityError), transaction.atomic():
            CardSeat.objects.create(card=card, **wrong)


def test_three_play_the_captain_game_and_all_three_sign() -> None:
    card = a_table_card(THREE, "captain", target=30)
    ada, alan, grace = card.entrants
    record_scorekeeper(card, ada, by=make_player_actor(alan))
    knock = {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}
    state = add_line(card, LineEntry(knock), by=make_player_actor(ada))
    assert (state.score.totals, describe_line(state, state.lines[0].line)) == (
        (15, 0, 0),
        "Ada knocked with 5 against 20 of Alan",
    )
    state = add_line(
        card, LineEntry({"outcome": "gin", "by": "C", "counts": {"C": 0, "A": 9}}), by=make_player_actor(ada)
    )
    assert (state.is_complete, state.score.winner, state.score.line_with_names) == (
        True,
        grace,
        "Ada 15, Alan 0, Grace 34",
    )
    assert list_running_totals(state) == [[15, 0, 0], [15, 0, 34]]
    sign(card, ada)
    state = sign(card, alan)
    assert (state.is_posted, [seat.name for seat in state.signatures.missing_seats]) == (False, ["Grace"])
    assert sign(card, grace).is_posted
    result = MatchResult.objects.get()
    assert (result.winner, result.score) == (grace, {"1": 15, "2": 0, "3": 34})


def test_a_table_result_is_corrected_with_its_card_and_not_doubled() -> None:
    card = a_table_card(THREE, "captain", target=20)
    line: dict[str, Any] = {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 3}}
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    add_line(card, LineEntry(line), by=SYSTEM_ACTOR)
    for who in card.entrants:
        sign(card, who)
    desk = the_director(card.match.event)
    correct_line(card, 1, LineEntry({**line, "counts": {"A": 0, "B": 8}}), by=desk, reason="eight")
    correct_line(card, 1, LineEntry(line), by=desk, reason="three after all")
    assert MatchResult.objects.count() == 1
    correct_line(card, 1, LineEntry({**line, "counts": {"A": 0, "B": 8}}), by=desk, reason="eight")
    for who in card.entrants:
        sign(card, who)
    assert [result.score["1"] for result in MatchResult.objects.order_by("pk")] == [28, 33]


def test_the_low_total_of_a_fort_worth_table_wins() -> None:
    card = a_table_card((*THREE, "Kurt"), "fort-worth", length="very-short")
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    for _hand in range(6):
        line = {"by": "D", "counts": {"A": 30, "B": 20, "C": 25}}
        state = add_line(card, LineEntry(line, override="as played"), by=SYSTEM_ACTOR)
    assert state.is_complete
    for side in "ABCD":
        state = sign_on_paper(
            card, side, "Lily", SigningContext(load_card_state_by_pk(card.pk).digest), by=the_director(card.match.event)
        )
    assert (state.is_posted, state.score.winner_name) == (True, "Kurt")
    result = MatchResult.objects.get()
    assert result.winner is not None
    assert min(result.score, key=lambda number: result.score[number]) == str(result.winner.number) == "4"


def a_game_of_teams() -> tuple[Card, Entrant]:
    """Return a complete but unsigned card of the teams Guys and Girls, and the couple that keeps score."""
    card = a_table_card(("Couple 1", "Couple 2"), "metzker")
    assert [(seat.name, seat.entrant) for seat in card.seats.all()] == [("Guys", None), ("Girls", None)]
    one, _other = Entrant.objects.filter(event=card.match.event).order_by("number")
    record_scorekeeper(card, one, by=make_player_actor(one))
    results = [
        {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 40}},
        {"outcome": "stock", "counts": {"A": 5, "B": 50}},
    ]
    state = load_card_state_by_pk(card.pk)
    while not state.is_complete:
        state = add_line(card, LineEntry({"results": results}, override="as played"), by=make_player_actor(one))
    return card, one


def test_a_key_stands_for_the_team_that_is_signed_for() -> None:
    card, one = a_game_of_teams()
    digest = load_card_state_by_pk(card.pk).digest
    for side in "BBA":
        shown = SigningContext(digest, key="sent-twice", side=side)
        state = sign_by_code(card, one.sign_code, shown, by=make_player_actor(one))
    assert (len(state.signed), state.signatures.missing_names, state.is_posted) == (2, ("Scorekeeper",), False)
    state = sign_on_paper(card, SCOREKEEPER_SIDE, "Lily", SigningContext(digest), by=the_director(card.match.event))
    assert (len(state.signed), state.is_posted) == (3, True)


def test_teams_sign_by_anybody_who_plays_or_by_the_desk() -> None:
    card, one = a_game_of_teams()
    state = load_card_state_by_pk(card.pk)
    assert state.content.as_json()["sides"][0] == {"side": "A", "number": None, "name": "Guys"}
    state = sign_by_code(card, one.sign_code, SigningContext(state.digest, side="B"), by=make_player_actor(one))
    assert [seat.name for seat in state.signatures.missing_seats] == ["Guys"]
    stranger = the_card(an_event_in_play()).entrants[0]
    with pytest.raises(NotAllowed):
        sign_by_code(card, stranger.sign_code, SigningContext(state.digest, side="A"), by=make_player_actor(stranger))
    for side in ("A", SCOREKEEPER_SIDE):
        assert not state.is_posted
        state = sign_on_paper(card, side, "Lily", SigningContext(state.digest), by=the_director(card.match.event))
    assert (state.is_posted, state.score.winner, state.score.winner_name) == (True, None, "Guys")
    assert [each["method"] for each in list_signatures(state)] == ["paper", "code", "paper"]
    assert [each["name"] for each in list_signatures(state)] == ["Guys", "Girls: Couple 1", "Scorekeeper"]
    content = print_signed_cards(PrintRequest(card.match.event, card=card.token), lambda done, total: None)
    assert "Girls: Couple 1 By signing code" in " ".join(PdfReader(io.BytesIO(content)).pages[0].extract_text().split())
    assert (MatchResult.objects.get().winner, MatchResult.objects.get().score) == (None, {})


def test_who_plays_alone_keeps_their_own_card() -> None:
    event = a_table_event(("Ada", "Alan"), "court-whist")
    meeting = a_table(event)
    ada, alan = meeting.entrants
    own = get_or_open_card(SeatedMatch(meeting.match, (ada,)), 1, by=SYSTEM_ACTOR)
    get_or_open_card(SeatedMatch(meeting.match, (alan,)), 1, by=SYSTEM_ACTOR)
    state = add_line(own, LineEntry({"game": 1, "hand": 1, "tricks": 7}), by=make_player_actor(ada))
    assert (state.score.totals, state.keeper_id) == ((7,), ada.pk)
    with pytest.raises(NotAllowed):
        add_line(own, LineEntry({"game": 1, "hand": 2, "tricks": 7}), by=make_player_actor(alan))
    assert [each.names for each in load_match_cards(meeting.match.pk)] == [("Ada",), ("Alan",)]
    assert {who.pk for who in load_seated_match(meeting.match).entrants} == {ada.pk, alan.pk}


def test_rules_for_other_sides_are_refused() -> None:
    with pytest.raises(Conflict, match="not for 2"):
        a_table_card(("Ada", "Alan"), "captain")
    event = an_event_in_play()
    for other in ("captain", "metzker"):
        with pytest.raises(Conflict, match="Score cards for 2 sides are on the tables"):
            save_rule_sheet(event, ChosenRules(other, {}), by=SYSTEM_ACTOR, reason="a change")
    assert save_rule_sheet(event, ChosenRules("standard", {}), by=SYSTEM_ACTOR, reason="a change").variant == "standard"


@pytest.mark.parametrize(("names", "shown"), [
    (("Ada", "Alan", "Ada"), ("Ada (1)", "Alan (2)", "Ada (3)")),
    (("Ada", "winner", "Kurt"), ("Ada (1)", "winner (2)", "Kurt (3)")),
    (THREE, THREE),
])  # fmt: skip
def test_names_on_a_card_are_always_different(names: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert load_card_state_by_pk(a_table_card(names, "captain").pk).names == shown


@pytest.mark.parametrize(
    ("rules", "names", "line", "words"),
    [
        ("fort-worth", THREE, {"by": "B", "turn": "4S", "counts": {"A": 12, "C": 7}}, "by Alan, Ada 12, Grace 7"),
        ("fort-worth", THREE, {"counts": {"A": 12, "B": 1, "C": 7}}, "Ada 12, Alan 1, Grace 7"),
        ("word-gin", ("Ada", "Alan"), {
            "outcome": "knock", "by": "A", "words": {"A": 31, "B": 12}, "deadwood": {"A": 3, "B": 7},
        }, "Ada knocked, words 31 against 12, deadwood 3 against 7"),
        ("court-whist", ("Ada",), {"game": 4, "hand": 2, "tricks": 7, "lady_tricks": 2}, "game 4, hand 2"),
        ("score-pad", THREE, {"points": {"A": -5, "B": 10, "C": 0}}, "Ada -5, Alan 10, Grace 0"),
        ("gra-partnership", ("Ada", "Alan"), {"up": "8H", "boards": [
            {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}, {"outcome": "stock"}]},
         "Ada went gin with 0 against 20; "),
        ("captain", THREE, {"outcome": "knock", "by": "B", "counts": {"A": 9, "B": 9}},
         "Alan knocked with 9 against 9 of Ada"),
    ],
)  # fmt: skip
def test_a_line_of_any_rule_set_is_said_in_words_and_shown(
    rules: str, names: tuple[str, ...], line: dict[str, Any], words: str
) -> None:
    card = a_table_card(names, rules)
    record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
    state = add_line(card, LineEntry(line, override="as played"), by=SYSTEM_ACTOR)
    assert words in describe_line(state, state.lines[0].line)
    shown = make_sheet_context(state)
    for block in shown["blocks"]:
        widths = {sum(cell["span"] for cell in each["cells"]) for each in (*block["lines"], *block["foot"])}
        assert widths <= {block["width"]}
    assert shown["workings"]


def test_a_card_of_two_says_what_it_always_said() -> None:
    card = the_card(an_event_in_play())
    state = play_out(card)
    assert (state.title, state.score.line_with_names, state.score.totals_text) == (
        "Ada – Alan",
        "Ada 91\u00a0–\u00a00 Alan",
        "91–0",
    )
    assert describe_line(state, gin("A", 20)) == "Ada went gin with 0 against 20, up card 8♥\ufe0e"
    points = {"outcome": "points", "to": "B", "points": 12}
    assert describe_line(state, points) == "points only to Alan, 12"
