"""Fort Worth Gin names each line of a score sheet after its wild rank. Other rule sets number the lines."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import BadPaperRows, PaperRow, check_paper_rows
from scoring.models import Card
from scoring.rules.evidence.content import VersionChange
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect
from scoring.rules.sheet.sheets import make_variant_rules
from scoring.rules.variants import VARIANTS
from scoring.verification.selectors.faults import describe_changed_part
from tests.factories import a_user
from tests.kit import client_as
from tests.scoring.helpers.disputes import called, ruled_otherwise
from tests.scoring.helpers.playing import card_desk_url
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.errors import Conflict

NAMES = ("Ada", "Alan", "Grace")


@pytest.mark.parametrize(
    ("length", "names"),
    [
        ("full", ["aces", "2s", "3s", "4s", "5s", "6s", "7s", "8s", "9s", "10s", "jacks", "queens", "kings"]),
        ("short", ["aces", "3s", "5s", "7s", "9s", "jacks", "kings"]),
        ("very-short", ["2s", "4s", "6s", "8s", "10s", "queens"]),
    ],
)
def test_each_line_by_the_rank_that_is_wild_in_it(length: str, names: list[str]) -> None:
    rules = make_variant_rules("fort-worth", {"length": length})
    assert [rules.name_line(n) for n in range(1, len(names) + 1)] == [f"hand with {name} wild" for name in names]
    assert [rules.label_line(n) for n in range(1, len(names) + 1)] == [f"{name} wild" for name in names]
    beyond = len(names) + 1
    assert (rules.name_line(beyond), rules.label_line(beyond)) == (f"hand {beyond}", str(beyond))
    assert rules.name_line(0) == "hand 0"


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "fort-worth"])
def test_every_other_rule_set_counts_its_lines(name: str) -> None:
    rules = make_variant_rules(name)
    assert (rules.name_line(3), rules.label_line(3)) == (f"{VARIANTS[name].line_name} 3", "3")


@pytest.fixture
def card(db: Any) -> Card:
    card = a_table_card(NAMES, "fort-worth")
    for by in ("A", "B"):
        others = {side: 10 for side in "ABC" if side != by}
        add_line(card, LineEntry({"by": by, "counts": others}), by=SYSTEM_ACTOR)
    return card


def words_of(content: bytes) -> str:
    return " ".join(" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(content)).pages)


def test_pages_of_the_desk_and_the_phone_say_the_rank(card: Card) -> None:
    client, token = client_as("director", card.match.event), card.token
    lines = client.get(card_desk_url(card, "desk_card_lines", token=token)).content.decode()
    assert "Correct hand with 2s wild" in lines and "Hand with 2s wild: " in lines and "Add hand with 3s wild" in lines
    assert "Correct hand 2" not in lines and "Add hand 3" not in lines
    corrected = client.get(card_desk_url(card, "desk_hand", token=token, number=1)).content.decode()
    assert "Correct hand with aces wild" in corrected
    rows = client.get(card_desk_url(card, "desk_card") + f"?card={token}&by=hands").content.decode()
    assert '<th scope="row">aces wild</th>' in rows and '<th scope="row">kings wild</th>' in rows
    mine = reverse("scoring:my_card", kwargs={"token": card.entrants[0].token, "card": token})
    phone = Client().get(mine).content.decode()
    assert "Hand with aces wild|Hand with 2s wild" in phone and "hand 3" not in phone.lower()
    head = phone[phone.index('<h1 class="match-opponent"') : phone.index("</h1>")]
    assert head.count('<span class="match-opponent-one">') == len(NAMES) - 1 and "–" not in head


def test_refusals_say_the_rank(card: Card) -> None:
    state = load_card_state_by_pk(card.pk)
    rows = tuple(PaperRow({"by": "A", "counts": {"A": 1, "B": 2, "C": 3}}, {}) for _ in range(2))
    with pytest.raises(BadPaperRows, match=r"Hand with aces wild: .* Hand with 2s wild: "):
        check_paper_rows(state, rows)
    rows = (PaperRow({"by": "A", "counts": {"B": 2, "C": 3}}, {"B": 5}),)
    said = "Hand with aces wild: Alan has 5 written, it comes to 2."
    assert check_paper_rows(state, rows).wrong_sums == {0: said}
    with pytest.raises(Conflict, match="Hand with 2s wild is on the score card already; the next is hand with 3s wild"):
        add_line(card, LineEntry({"by": "A", "counts": {"B": 1, "C": 1}}, hand=2), by=SYSTEM_ACTOR)
    assert describe_changed_part(VersionChange("lines", 2, None, None), state) == "hand with 2s wild"


def test_corrections_rulings_and_prints_say_the_rank(card: Card) -> None:
    desk = make_staff_actor(a_user("desk", card.match.event.tournament))
    entry = LineEntry({"by": "C", "counts": {"A": 11, "B": 12}})
    correct_line(card, 2, entry, by=desk, reason="misread")
    client = client_as("director", card.match.event)
    printed = words_of(client.get(card_desk_url(card, "card_pdf", token=card.token)).content)
    assert "Hand with 2s wild corrected by" in printed
    dispute = called(card, "conduct", hand=1, by="A")
    page = client.get(card_desk_url(card, "desk_ruling", dispute=dispute.pk)).content.decode()
    assert "Hand with aces wild" in page and "Hand 1" not in page
    ruled_otherwise(dispute, RulingDecision.THROW_IN, sheet=SheetEffect.STRIKE)
    slip = words_of(client.get(card_desk_url(card, "desk_ruling_slip", dispute=dispute.pk)).content)
    assert "with aces wild" in slip and "Hand 1:" not in slip


def test_the_ruling_desk_names_the_rule_of_what_it_recommends(card: Card) -> None:
    dispute = called(card, "discard-before-draw", by="A")
    page = (
        client_as("director", card.match.event)
        .get(card_desk_url(card, "desk_ruling", dispute=dispute.pk))
        .content.decode()
    )
    assert "the turn is over without any other play" in page and "Rule: Fort Worth A 10" in page
