"""Rulings appear in a public register, and on a printed slip for the table."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from scoring.disputes.services.appeals import record_appeal, set_committee
from scoring.models import Card, Dispute
from scoring.rules.irregularities import IRREGULARITIES
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.policies import find_rule_text
from tests.factories import a_user
from tests.kit import page_text
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ACCEPTED, called, ruled, ruled_otherwise
from tests.scoring.helpers.playing import an_event_in_play, card_desk_url, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Event

pytestmark = pytest.mark.django_db

FOUR = ("Ada", "Alan", "Grace", "Kurt")


@pytest.fixture
@prebuilt
def card() -> Card:
    return the_card(an_event_in_play(FOUR))


@pytest.fixture
@prebuilt
def dispute(card: Card) -> Dispute:
    return called(card, "improper-knock", hand=1, **ACCEPTED)


def page_of(client: Client, card: Card, number: int | None = None, **asked: str) -> str:
    slug = card.match.event.tournament.slug
    if number is None:
        url = reverse("scoring:public_rulings", kwargs={"tournament": slug})
    else:
        url = reverse("scoring:public_ruling", kwargs={"tournament": slug, "number": number})
    return page_text(client.get(url, asked))


def test_the_page_of_the_tournament_leads_to_it(client: Client, card: Card) -> None:
    tournament = card.match.event.tournament
    register = reverse("scoring:public_rulings", kwargs={"tournament": tournament.slug})
    home = reverse("tournament:tournament", kwargs={"tournament": tournament.slug})
    assert f'href="{register}"' in client.get(home).content.decode()


def test_the_register_says_what_was_ruled_and_not_on_whom(client: Client, card: Card, dispute: Dispute) -> None:
    made = ruled(dispute)
    for page in (page_of(client, card), page_of(client, card, made.number)):
        assert "ingles 9" in page and "ccepted, and scored as an undercut" in page
        assert "Side A" in page and "Ada" not in page and "Alan" not in page
    assert "Side B has 7, accepts it as proper" in page_of(client, card, made.number)
    assert "the opponent may accept the knock as proper" in page_of(client, card, made.number)


def test_a_reason_could_name_somebody_and_is_said_only_with_names(client: Client, card: Card, dispute: Dispute) -> None:
    made = ruled_otherwise(dispute, RulingDecision.NO_PENALTY)
    page = page_of(client, card, made.number)
    assert "as I saw it" not in page and "The reason is on record" in page and "Different from the rules" in page
    assert "Ada" not in page
    client.force_login(a_user("director", card.match.event.tournament))
    client.post(card_desk_url(card, "desk_register_names"), {"shown": "yes"})
    client.logout()
    page = page_of(client, card, made.number)
    assert "as I saw it" in page and "Ada – Alan" in page
    assert "Ada – Alan" in page_of(client, card)


def test_only_a_director_puts_names_into_it(client: Client, card: Card, dispute: Dispute) -> None:
    ruled(dispute)
    client.force_login(a_user("desk", card.match.event.tournament))
    assert client.post(card_desk_url(card, "desk_register_names"), {"shown": "yes"}).status_code == 403
    client.logout()
    assert "Ada" not in page_of(client, card)


def test_it_is_searched_filtered_and_taken_away_as_a_file(client: Client, card: Card, dispute: Dispute) -> None:
    ruled(dispute)
    ruled(called(card, "touched-pile", by="A"))
    assert "Improper knock" in page_of(client, card) and "A pile was touched" in page_of(client, card)
    only = page_of(client, card, kind="touched-pile")
    assert "singles 5" in only and "singles 9" not in only
    found = page_of(client, card, q="undercut")
    assert "singles 9" in found and "singles 5" not in found
    assert "There are no rulings yet" in page_of(client, card, event="another")
    url = reverse("scoring:public_rulings", kwargs={"tournament": card.match.event.tournament.slug})
    rows = client.get(url, {"_export": "csv", "kind": "improper-knock"}).content.decode("utf-8-sig").splitlines()
    assert len(rows) == 2 and "singles 9" in rows[1] and "Ada" not in rows[1]


def test_a_ruling_shows_those_of_its_kind_before_it(client: Client, card: Card, dispute: Dispute) -> None:
    first = ruled(called(card, "touched-pile", by="A"))
    other = ruled(dispute)
    last = ruled(called(card, "touched-pile", by="B"))
    page = page_of(client, card, last.number)
    assert f"Ruling {first.number}" in page and f"Ruling {other.number}:" not in page
    assert "There is no earlier ruling of this kind" in page_of(client, card, first.number)


def test_a_draft_is_not_in_it(client: Client, card: Card, dispute: Dispute) -> None:
    made = ruled(dispute)
    Event.objects.filter(pk=card.match.event_id).update(state=Event.State.DRAFT)
    assert "singles 9" not in page_of(client, card)
    slug = card.match.event.tournament.slug
    url = reverse("scoring:public_ruling", kwargs={"tournament": slug, "number": made.number})
    assert client.get(url).status_code == 404


def test_an_appeal_is_said(client: Client, card: Card, dispute: Dispute) -> None:
    made = ruled(dispute)
    set_committee(card.match.event, ["Cy"], by=SYSTEM_ACTOR)
    record_appeal(made, by=make_player_actor(card.entrants[0]), reason="No")
    assert "appealed" in page_of(client, card)


@pytest.mark.parametrize("rulings", [1, 3])
def test_it_takes_as_many_queries_for_one_ruling_as_for_three(
    client: Client, card: Card, rulings: int, django_assert_num_queries: Any
) -> None:
    for _ in range(rulings):
        ruled(called(card, "touched-pile", by="A"))
    page_of(client, card)
    with django_assert_num_queries(14):
        page_of(client, card)


def test_every_rule_that_is_cited_has_its_words() -> None:
    assert all(find_rule_text(kind.cite("gra-singles")) for kind in IRREGULARITIES.values())
    assert all(find_rule_text(kind.cite("gra-partnership")) for kind in IRREGULARITIES.values())


@pytest.mark.parametrize("has_committee", [True, False])
def test_the_slip_promises_an_appeal_only_where_a_committee_hears_it(
    client: Client, card: Card, dispute: Dispute, has_committee: bool
) -> None:
    if has_committee:
        set_committee(card.match.event, ["Olga"], by=SYSTEM_ACTOR)
    ruled(dispute)
    client.force_login(a_user("desk", card.match.event.tournament))
    paper = client.get(card_desk_url(card, "desk_ruling_slip", dispute=dispute.pk)).content
    text = " ".join(PdfReader(io.BytesIO(paper)).pages[0].extract_text().split())
    assert ("One appeal is possible" in text) is has_committee
    assert ("This event has no appeals committee." in text) is not has_committee


def test_the_slip_says_everything_the_table_needs(client: Client, card: Card, dispute: Dispute) -> None:
    made = ruled(dispute)
    client.force_login(a_user("desk", card.match.event.tournament))
    answer = client.get(card_desk_url(card, "desk_ruling_slip", dispute=dispute.pk))
    assert answer["Content-Type"] == "application/pdf"
    reader = PdfReader(io.BytesIO(answer.content))
    text = " ".join(reader.pages[0].extract_text().split())
    assert len(reader.pages) == 1
    table = card.match.calls.get().table
    for said in (
        f"Ruling {made.number}", "Desert Classic", "Singles", f"table {table}", "hand 1", "Ada – Alan", "singles 9",
        "8♥", "Accepted, and scored as an undercut", "0 – 0 before, 0 – 28 by this ruling", made.by_name,
        "the opponent may accept the knock as proper",
    ):  # fmt: skip
        assert said in text, said


def test_there_is_no_slip_before_the_ruling(client: Client, card: Card, dispute: Dispute) -> None:
    client.force_login(a_user("desk", card.match.event.tournament))
    assert client.get(card_desk_url(card, "desk_ruling_slip", dispute=dispute.pk)).status_code == 404


def test_long_names_and_reasons_stay_on_one_page(client: Client, card: Card, dispute: Dispute) -> None:
    card.seats.update(name="Maximiliane Featherstonehaugh-Cholmondeley")
    made = ruled_otherwise(dispute, RulingDecision.NO_PENALTY)
    type(made).objects.filter(pk=made.pk).update(reason="Nobody could have known it. " * 30)
    client.force_login(a_user("desk", card.match.event.tournament))
    answer = client.get(card_desk_url(card, "desk_ruling_slip", dispute=dispute.pk))
    assert len(PdfReader(io.BytesIO(answer.content)).pages) == 1
