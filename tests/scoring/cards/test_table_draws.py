"""Before play, players cut or draw. Each rule set has its own way, and the score card records the outcome."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.tables import make_sheet_context
from scoring.cards.services.hands import BadLine, LineEntry, add_line, record_scorekeeper, record_table_draw
from scoring.cards.services.offline import OfflineHand, compute_offline_hand_hmac
from scoring.cards.services.paper_cards import PaperCard, PaperRow, confirm_staff_entry, enter_paper_card
from scoring.models import Card, CardVersion, Cut, SheetLine, StaffEntry
from scoring.posting.services.correction_period import set_correction_terms
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.rules.sheet.sheets import make_empty_sheet, make_variant_rules
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import TableDraw, list_sides_by_drawn_position
from scoring.rulesheets.selectors import describe_rule_sheet
from scoring.seals.selectors.log import load_logged_digests
from scoring.seals.selectors.versions import load_card_versions
from scoring.verification.selectors.faults import find_card_faults
from tests.factories import a_user
from tests.kit import client_as, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import sign, the_director
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.models import Event

THREE = ("Ada", "Alan", "Grace")
GIN_BY_C = {"outcome": "gin", "by": "C", "counts": {"C": 0, "A": 20}}
"""A hand that Grace, the player in the box, wins with gin against Ada, the captain. Alan sits out."""


@prebuilt
def drawn_card(**options: Any) -> Card:
    return a_table_card(THREE, "captain", seats="table", **options)


# --- What each rule set declares -------------------------------------------------------------------------------------

ASKED = {
    "gra-singles": ("Who cut the low card?", 1, True),
    "gra-partnership": ("Which team cut the low card?", 1, True),
    "standard": ("Who cut the low card?", 1, True),
    "oklahoma": ("Who cut the low card?", 1, True),
    "hollywood": ("Who cut the low card?", 1, True),
    "word-gin": ("Who drew the lowest card?", 1, False),
    "metzker": ("Which team cut the high card?", 1, False),
    "captain": ("", 3, False),
    "fort-worth": ("", 4, False),
    "court-whist": ("", 0, False),
    "score-pad": ("", 0, False),
}


def draw_of(rules: str, sides: int, **options: Any) -> TableDraw:
    return make_empty_sheet(make_variant_rules(rules, options), tuple("ABCDE"[:sides])).variant.table_draw()


@pytest.mark.parametrize("rules", VARIANTS)
def test_every_rule_set_says_what_its_draw_decides(rules: str) -> None:
    question, places, keeps = ASKED[rules]
    sides = {"court-whist": 1, "captain": 3, "fort-worth": 4}.get(rules, 2)
    draw = draw_of(rules, sides)
    assert (draw.question, len(draw.places), draw.keeps_score) == (question, places, keeps)
    assert draw.instruction and draw.words


def test_the_rules_of_the_seed_documents() -> None:
    assert "Low card deals first and keeps score" in draw_of("gra-singles", 2).words
    assert "team with the low card deals" in draw_of("gra-partnership", 2).words
    assert "highest card goes into the box, the middle one is captain" in draw_of("captain", 3).words
    assert [place.card for place in draw_of("fort-worth", 3).places] == [
        "Lowest card",
        "Second lowest card",
        "Highest card",
    ]
    assert "high card deals" in draw_of("metzker", 2).words.lower()
    assert "High card deals, aces are high" in draw_of("court-whist", 1).words
    assert "random" in draw_of("score-pad", 2, game="hearts").words
    assert "Low card plays first" in draw_of("score-pad", 2, game="honeymoon-whist").words
    assert "has the double" not in draw_of("score-pad", 2, game="hearts").words
    assert "double begins" in draw_of("score-pad", 2, game="mexican-train").words


@pytest.mark.parametrize("said", [["A"], ["A", "A"], ["A", "D"], ["A", "B", "B"], ["A", "B", "C", "A"], [1, 2], []])
def test_a_draw_names_each_side_once(said: list[Any]) -> None:
    with refused("bad-draw"):
        list_sides_by_drawn_position(draw_of("captain", 3), ("A", "B", "C"), said)


# --- Roles on the card -----------------------------------------------------------------------------------------------


@pytest.mark.django_db
class TestRoles:
    def test_the_roles_that_were_drawn_take_the_real_hand(self) -> None:
        card = drawn_card(target=30)
        ada, alan, grace = card.entrants
        state = record_table_draw(card, ["C", "A"], by=make_player_actor(alan))
        assert state.drawn == ("C", "A", "B")
        assert state.draw.named_roles == (("Grace", "in the box"), ("Ada", "captain"), ("Alan", "sits out"))
        record_scorekeeper(card, ada, by=make_player_actor(alan))
        state = add_line(card, LineEntry(GIN_BY_C), by=make_player_actor(ada))
        assert (state.score.winner, dict(state.score.tally.totals)) == (grace, {"A": 0, "B": 0, "C": 45})
        assert state.score.line_with_names == "Grace 45, Ada 0, Alan 0"
        assert state.score.tally.as_json()["lines"][0]["roles"] == {"box": "C", "captain": "A", "out": "B"}

    def test_before_the_draw_nobody_is_in_a_role_and_no_hand_is_taken(self) -> None:
        card = drawn_card()
        ada = card.entrants[0]
        record_scorekeeper(card, ada, by=make_player_actor(ada))
        with refused("no-draw"):
            add_line(card, LineEntry({**GIN_BY_C, "by": "A", "counts": {"A": 0, "B": 20}}), by=make_player_actor(ada))
        assert not SheetLine.objects.exists()
        assert load_card_state_by_pk(card.pk).draw.named_roles == ()

    def test_where_the_director_says_so_the_seats_of_the_draw_count(self) -> None:
        card = a_table_card(THREE, "captain", seats="event")
        state = load_card_state_by_pk(card.pk)
        assert (state.draw.is_draw_missing, state.draw.named_roles[0]) == (False, ("Ada", "in the box"))
        with refused("seats-by-event"):
            record_table_draw(card, ["C", "A", "B"], by=make_player_actor(card.entrants[0]))
        assert "Nobody draws" in describe_rule_sheet(card.sheet)["draw"]

    def test_the_content_says_it_and_the_sheet_stands_in_that_order(self) -> None:
        card = drawn_card()
        state = record_table_draw(card, ["B", "C", "A"], by=SYSTEM_ACTOR)
        said = json.loads(state.content.as_bytes())
        assert [side["name"] for side in said["sides"]] == ["Alan", "Grace", "Ada"]
        assert said["drawn"] == ["B", "C", "A"]
        assert [group["label"] for group in make_sheet_context(state)["blocks"][0]["groups"][1:]] == [
            "Alan",
            "Grace",
            "Ada",
        ]

    def test_it_is_put_right_freely_before_a_hand_and_sent_twice_counts_once(self) -> None:
        card = drawn_card()
        alan = make_player_actor(card.entrants[1])
        record_table_draw(card, ["A", "B", "C"], by=alan, key="k")
        record_table_draw(card, ["A", "B", "C"], by=alan, key="k")
        record_table_draw(card, ["A", "B", "C"], by=alan)
        assert Cut.objects.count() == 1
        assert record_table_draw(card, ["C", "A", "B"], by=make_player_actor(card.entrants[2])).drawn == ("C", "A", "B")


@pytest.mark.django_db
class TestCorrections:
    def played(self) -> Card:
        card = drawn_card(target=30)
        record_table_draw(card, ["C", "A", "B"], by=SYSTEM_ACTOR)
        record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
        add_line(card, LineEntry(GIN_BY_C), by=make_player_actor(card.entrants[0]))
        return card

    def test_after_a_hand_it_is_the_desk_with_a_reason_and_signatures_fall(self) -> None:
        card = self.played()
        for who in card.entrants:
            sign(card, who)
        assert load_card_state_by_pk(card.pk).is_posted
        with refused("draw-done"):
            record_table_draw(card, ["A", "C", "B"], by=make_player_actor(card.entrants[0]))
        director = the_director(card.match.event)
        with refused("reason-needed"):
            record_table_draw(card, ["A", "C", "B"], by=director)
        state = record_table_draw(card, ["A", "C", "B"], by=director, reason="Ada was in the box")
        assert (state.drawn, state.is_posted, state.was_posted) == (("A", "C", "B"), False, True)
        assert len(state.signatures.missing_seats) == 3
        assert state.score.winner == card.entrants[2]

    def test_hands_that_cannot_have_been_played_so_refuse_it(self) -> None:
        card = self.played()
        with pytest.raises(BadLine, match="Grace sits out"):
            record_table_draw(card, ["A", "B", "C"], by=the_director(card.match.event), reason="typed wrongly")
        assert load_card_state_by_pk(card.pk).drawn == ("C", "A", "B")

    def test_a_second_person_agrees_where_the_event_asks_for_it(self) -> None:
        card = self.played()
        event = card.match.event
        set_correction_terms(event, CorrectionTerms(second=StaffEntryCheck.APPROVAL), by=the_director(event))
        state = record_table_draw(card, ["A", "C", "B"], by=the_director(event), reason="Ada was in the box")
        assert state.drawn == ("C", "A", "B")
        entry = StaffEntry.objects.get()
        assert entry.payload["said"] == "highest card Ada, middle card Grace, lowest card Alan"
        page = client_as("desk", event).get(reverse("scoring:desk_entries", kwargs=place_of(event)))
        assert "middle card Grace" in page.content.decode()
        assert confirm_staff_entry(entry, by=make_staff_actor(a_user("desk", event.tournament))).drawn == (
            "A",
            "C",
            "B",
        )

    def test_a_version_is_worked_out_by_the_draw_of_its_time_and_tampering_shows(self) -> None:
        card = self.played()
        for who in card.entrants:
            sign(card, who)
        record_table_draw(card, ["A", "C", "B"], by=the_director(card.match.event), reason="Ada was in the box")
        for who in card.entrants:
            sign(card, who)
        log = load_logged_digests(card.match.event, card)
        state = load_card_state_by_pk(card.pk)
        assert [json.loads(v.content)["drawn"] for v in load_card_versions(card)] == [["C", "A", "B"], ["A", "C", "B"]]
        assert find_card_faults(state, load_card_versions(card), log) == []
        Cut.objects.filter(order=["A", "C", "B"]).update(order=["A", "B", "C"])
        found = find_card_faults(load_card_state_by_pk(card.pk), load_card_versions(card), log)
        assert any("draw" in fault.message for fault in found)
        assert CardVersion.objects.count() == 2


# --- Other rule sets -------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_fort_worth_names_its_dealers_by_the_seats_that_were_drawn() -> None:
    card = a_table_card(THREE, "fort-worth", seats="table")
    state = load_card_state_by_pk(card.pk)
    dealers = [line["cells"][0]["text"] for line in make_sheet_context(state)["blocks"][1]["lines"][:4]]
    assert dealers == ["", "", "", ""]
    state = record_table_draw(card, ["C", "A", "B"], by=SYSTEM_ACTOR)
    dealers = [line["cells"][0]["text"] for line in make_sheet_context(state)["blocks"][1]["lines"][:4]]
    assert dealers == ["Grace", "Ada", "Alan", "Grace"]


@pytest.mark.django_db
def test_the_draw_of_the_association_names_the_keeper() -> None:
    card = a_table_card(("Ada", "Alan"), "gra-singles")
    state = record_table_draw(card, ["B"], by=make_player_actor(card.entrants[0]))
    assert (state.keeper, state.drawn, state.draw.is_draw_missing) == (card.entrants[1], (), False)
    assert "drawn" not in json.loads(state.content.as_bytes())


# --- Doors -----------------------------------------------------------------------------------------------------------


def place_of(event: Event) -> dict[str, str]:
    return {"tournament": event.tournament.slug, "event": event.slug}


def mine(card: Card, act: str, place: int = 0) -> str:
    return reverse(f"scoring:my_{act}", kwargs={"token": card.entrants[place].token, "card": card.token})


@pytest.mark.django_db
class TestDoors:
    def test_a_phone_asks_in_the_words_of_the_game(self) -> None:
        card, client = drawn_card(), Client()
        page = client.get(mine(card, "card")).content.decode()
        assert "The highest card goes into the box, the middle one is captain" in page
        assert "low card" not in page.lower().replace("lowest card", "")
        assert client.post(mine(card, "draw"), {"place_0": "C", "place_1": "A"}).status_code == 302
        page = client.get(mine(card, "card")).content.decode()
        assert "Drawn at the table:" in page and "Who keeps score?" in page and "Correct the draw" in page
        client.post(mine(card, "cut"), {"keeper": card.entrants[0].pk})
        assert "Enter hand 1" in client.get(mine(card, "card")).content.decode()

    def test_one_player_drawn_twice_is_said_on_the_card(self) -> None:
        card, client = drawn_card(), Client()
        answer = client.post(mine(card, "draw"), {"place_0": "C", "place_1": "C"}, follow=True)
        assert answer.redirect_chain and answer.status_code == 200
        page = answer.content.decode()
        assert "The draw is recorded." not in page
        assert "for each place" in page or "twice" in page
        assert load_card_state_by_pk(card.pk).drawn == ()

    def test_a_phone_without_a_network_says_it_with_the_first_hand(self) -> None:
        card = drawn_card()
        ada = card.entrants[0]
        form = Client().get(mine(card, "hand")).content.decode()
        assert 'name="place_0"' in form and "The player who enters this hand keeps score" in form
        fields = "place_0=C&place_1=A&outcome=gin&by=C&counts_C=0&counts_A=20"
        kept = OfflineHand("key-1", 1, 1_790_000_000, fields, "")
        sent = {"entrant": ada.number, "key": "key-1", "hand": 1, "typed_at": kept.typed_at, "fields": fields}
        sent["proof"] = compute_offline_hand_hmac(card, ada, kept)
        url = reverse("scoring:api_kept", kwargs={"token": card.token})
        answer = Client().post(url, json.dumps(sent), content_type="application/json")
        assert answer.status_code == 201, answer.content
        state = load_card_state_by_pk(card.pk)
        assert (state.drawn, state.keeper, dict(state.score.tally.totals)["C"]) == (("C", "A", "B"), ada, 45)

    def test_the_first_hand_sent_twice_with_its_draw_counts_once(self) -> None:
        card, phone = drawn_card(), Client()
        fields = {"place_0": "C", "place_1": "A", "outcome": "gin", "by": "C", "counts_C": "0", "counts_A": "20"}
        sent = fields | {"hand": "1", "key": "key-1"}
        first, again = (phone.post(mine(card, "hand"), sent) for _time in range(2))
        assert (first.status_code, again.status_code, again["Location"]) == (302, 302, first["Location"])
        state = load_card_state_by_pk(card.pk)
        assert (state.drawn, len(state.lines)) == (("C", "A", "B"), 1)

    def test_another_draw_that_comes_late_is_refused(self) -> None:
        card = drawn_card()
        ada = make_player_actor(card.entrants[0])
        record_table_draw(card, ["A", "B", "C"], by=ada)
        record_scorekeeper(card, card.entrants[0], by=ada)
        with refused("draw-differs"):
            add_line(card, LineEntry(GIN_BY_C, drawn=("C", "A", "B")), by=ada)

    def test_the_desk_records_it_and_corrects_it(self) -> None:
        card = drawn_card()
        event = card.match.event
        client = client_as("desk", event)
        url = reverse("scoring:desk_draw", kwargs={**place_of(event), "token": card.token})
        assert client.post(url, {"place_0": "B", "place_1": "C"}).status_code == 302
        record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
        hand = {"outcome": "gin", "by": "B", "counts": {"B": 0, "C": 9}}
        add_line(card, LineEntry(hand), by=make_player_actor(card.entrants[0]))
        refused = client.post(url, {"place_0": "C", "place_1": "B"})
        assert refused.status_code == 422 and "Write what was wrong" in refused.content.decode()
        assert client.post(url, {"place_0": "C", "place_1": "B", "reason": "misread"}).status_code == 302
        assert load_card_state_by_pk(card.pk).drawn == ("C", "B", "A")

    def test_a_paper_card_brings_its_draw(self) -> None:
        card = drawn_card(target=30)
        event = card.match.event
        page = client_as("desk", event).get(reverse("scoring:desk_card", kwargs=place_of(event)), {"card": card.token})
        assert "Highest card: goes into the box" in page.content.decode()
        rows = (PaperRow(GIN_BY_C, {}),)
        with refused("no-draw"):
            enter_paper_card(card, PaperCard(rows=rows), by=SYSTEM_ACTOR)
        state = enter_paper_card(card, PaperCard(rows=rows, drawn=("C", "A")), by=SYSTEM_ACTOR)
        assert (state.drawn, dict(state.score.tally.totals)["C"]) == (("C", "A", "B"), 45)

    def test_the_api_asks_and_takes_it(self) -> None:
        card = drawn_card()
        client = client_as("desk", card.match.event)
        url = reverse("scoring:api_draws", kwargs={"token": card.token})
        asked = client.get(reverse("scoring:api_card", kwargs={"token": card.token})).json()["draw"]
        assert (asked["open"], asked["order"], asked["places"][0]["role"]) == (True, [], "in the box")
        answer = self.send(client, url, order=["C", "A"])
        assert (answer.status_code, answer.json()["card"]["drawn"]) == (201, ["C", "A", "B"])
        assert self.send(client, url, keeper=card.entrants[1].number).json()["card"]["keeper"] == "B"
        for wrong in ({"order": ["C", "C", "A"]}, {}, {"order": ["C", "A"], "keeper": 1}, {"order": [1, 2, 3]}):
            assert self.send(client, url, **wrong).status_code >= 400, wrong

    def send(self, client: Client, url: str, **sent: Any) -> Any:
        key = {"Idempotency-Key": str(sent)}
        return client.post(url, json.dumps(sent), content_type="application/json", headers=key)

    @pytest.mark.parametrize(
        ("rules", "names", "asked"),
        [
            ("word-gin", ("Ada", "Alan"), "Who drew the lowest card?"),
            ("fort-worth", THREE, "Lowest card: deals first"),
            ("score-pad", THREE, "The scorekeeper is elected or volunteers"),
            ("gra-singles", ("Ada", "Alan"), "Who cut the low card?"),
            ("gra-partnership", ("Ada", "Alan"), "Which team cut the low card?"),
        ],
    )
    def test_every_game_asks_its_own_question(self, rules: str, names: tuple[str, ...], asked: str) -> None:
        options = {"game": "hearts"} if rules == "score-pad" else {}
        card = a_table_card(names, rules, seats="table", **options)
        page = Client().get(mine(card, "card")).content.decode()
        assert asked in page
        others = {"Who cut the low card?", "Who drew the lowest card?", "goes into the box"} - {asked}
        assert not [words for words in others if words in page]
