"""Staff can rule on every kind of dispute, about a recorded hand and about totals."""

from __future__ import annotations

from typing import Any, Final

import pytest
from django.test import Client
from django.urls import reverse

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.models import Card, Ruling
from scoring.rules.rulings.recommend import find_reportable_irregularities
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.chance import in_part
from tests.kit import client_as
from tests.page_forms import fields_of, read_html
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ANSWERS, KINDS, called
from tests.scoring.helpers.playing import a_drawn_event, an_event_in_play, gin, knock, play, start_play, the_card
from tournament.core.permissions import SYSTEM_ACTOR

pytestmark = pytest.mark.django_db

TWO: Final = ("Ada", "Alan")


@prebuilt
def a_card_of_hands() -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    play(card, knock("A", 5, 20))
    return card


@prebuilt
def a_card_of_totals() -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    enter_paper_card(card, PaperCard(totals={"A": 63, "B": 48}, signed=("A", "B"), witness="Lily"), by=SYSTEM_ACTOR)
    return card


class Desk:
    """A director's browser without scripts, which submits each form as the page filled it in."""

    def __init__(self, card: Card) -> None:
        self.client = client_as("director", card.match.event)
        event = card.match.event
        self.place = {"tournament": event.tournament.slug, "event": event.slug}
        self.open(reverse("scoring:desk_card_dispute", kwargs={**self.place, "token": card.token}))

    def open(self, address: str) -> None:
        self._read(self.client.get(address))

    def send(self, **typed: str) -> None:
        form = self.page.forms[self._form()]
        asked = {name: value for name, value in typed.items() if name in form.fields or name in ("act", "chosen")}
        self._read(self.client.post(self.address, {**fields_of(form), **asked}, follow=True))

    def _form(self) -> int:
        return next(n for n, form in enumerate(self.page.forms) if {"kind", "key"} <= set(form.fields.keys()))

    def _read(self, answer: Any) -> None:
        assert answer.status_code in (200, 422), answer
        self.address = answer.request["PATH_INFO"]
        self.page = read_html(answer.content.decode())
        self.text = " ".join(self.page.text_content().split())

    @property
    def choices(self) -> list[str]:
        return [str(value) for value in self.page.xpath('//input[@name="chosen"][@type="radio"]/@value')]

    @property
    def own_rulings(self) -> list[str]:
        return [str(value) for value in self.page.xpath('//select[@name="own"]/option/@value') if value]


def rule(desk: Desk, kind: str, **answers: str) -> None:
    """Open a dispute of this kind, answer its questions, select the first choice, and make the ruling on the page."""
    opened = desk.address
    desk.open(f"{opened}?kind={kind}")
    desk.send(about="" if kind else "A lamp fell on the table.", hand="1")
    if not kind:
        kind = "touched-pile"
        desk.open(f"{desk.address}?kind={kind}")
    answers = {**ANSWERS.get(kind, {}), **answers}
    desk.send(act="look", **answers)
    if desk.choices:
        answers["chosen"] = desk.choices[0]
        desk.send(act="look", **answers)
    desk.send(act="do", **answers)


KIND_AND_CARD: Final = [
    (kind, made)
    for place, kind in enumerate(KINDS)
    for other, made in enumerate((a_card_of_hands, a_card_of_totals))
    if in_part(place + other, 2)
]
"""Pairs of a kind of dispute and a function that creates a card. A quick run uses one of two cards for each kind."""


@pytest.mark.parametrize(("kind", "made"), KIND_AND_CARD)
def test_every_kind_is_ruled_at_the_desk(kind: str, made: Any) -> None:
    desk = Desk(made())
    rule(desk, kind)
    assert Ruling.objects.filter(kind=kind or "touched-pile").exists(), desk.text


def test_a_card_of_totals_asks_for_no_hand_and_keeps_its_totals() -> None:
    card = a_card_of_totals()
    desk = Desk(card)
    desk.open(f"{desk.address}?kind=improper-knock")
    assert "Which hand?" not in desk.text
    rule(Desk(card), "improper-knock")
    made = Ruling.objects.get()
    assert (made.ruling, made.effects["sheet"]) == ("accepted-as-undercut", {})
    assert load_card_state_by_pk(card.pk).score.totals == (63, 48)


def test_the_phone_takes_a_call_about_a_card_of_totals() -> None:
    card = a_card_of_totals()
    address = reverse("scoring:my_what", kwargs={"token": card.entrants[0].token, "card": card.token})
    for kind in KINDS:
        assert Client().get(f"{address}?kind={kind}").status_code == 200, kind
    sent = Client().post(address, {"kind": "improper-knock", "by": "B", "key": "k"})
    assert sent.status_code == 302
    dispute = card.disputes.get()
    assert (dispute.kind, dispute.hand) == ("improper-knock", None)


LINES: Final = {
    "knock": knock("A", 5, 20),
    "gin": gin("B", 20),
    "stock": {"up": "8H", "outcome": "stock"},
    "void": {"up": "8H", "outcome": "void"},
    "points": {"up": "9C", "outcome": "points", "to": "A", "points": 9},
    "short": {**knock("A", 5, 20), "missing": {"B": 1}},
}


@pytest.mark.sample("rulings of a rule set", 2)
@pytest.mark.parametrize("rules", ["gra-singles", "standard", "oklahoma", "hollywood"])
def test_what_is_on_record_is_never_refused(rules: str) -> None:
    event = a_drawn_event(TWO)
    save_rule_sheet(event, ChosenRules(rules, {}, 1), by=SYSTEM_ACTOR)
    card = the_card(start_play(event, by=SYSTEM_ACTOR))
    ups = ("8H", "9C", "2D", "JS", "4H", "8D")
    play(card, *({**line, "up": up} for line, up in zip(LINES.values(), ups, strict=True)))
    desk = Desk(card)
    hands, kinds = range(1, len(LINES) + 1), find_reportable_irregularities(rules)
    asked = [(hand, kind) for place, kind in enumerate(kinds) for hand in hands if in_part(place + hand, 3)]
    for hand, kind in asked:
        dispute = called(card, "", hand=hand)
        desk.open(reverse("scoring:desk_ruling", kwargs={**desk.place, "dispute": dispute.pk}) + f"?kind={kind}")
        assert "This is not possible" not in desk.text, (hand, kind)
        dispute.delete()


def test_a_count_that_was_recorded_and_agreed_to_stands() -> None:
    card = a_card_of_hands()
    dispute = called(card, "up-card", hand=1, recorded="8H")
    desk = Desk(card)
    desk.open(
        reverse("scoring:desk_ruling", kwargs={**desk.place, "dispute": dispute.pk}) + "?kind=count-after-agreement"
    )
    desk.send(act="look", agreed="true")
    assert "What the rules say: the count stands" in desk.text


OFFERED: Final = {
    "count-after-agreement": {"stands", "recount", "correct", "new-deal", "continue", "no-penalty"},
    "gave-game-away": {"no-penalty"},
    "conduct": {"no-penalty"},
    "retake-discard": {"allowed", "refused", "correct", "new-deal", "continue", "no-penalty"},
}


@pytest.mark.parametrize("kind", OFFERED)
def test_a_different_ruling_offers_what_fits_the_kind(kind: str) -> None:
    card = a_card_of_hands()
    dispute = called(card, kind, hand=1)
    desk = Desk(card)
    desk.open(reverse("scoring:desk_ruling", kwargs={**desk.place, "dispute": dispute.pk}))
    assert set(desk.own_rulings) == OFFERED[kind] | {"warning", "game-loss", "elimination", "disqualification"}
    assert (
        bool(desk.page.xpath('//select[@name="sheet"]'))
        is find_reportable_irregularities("gra-singles")[kind].is_about_hand
    )
