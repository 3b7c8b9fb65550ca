"""The public page of a card, opened with a printed code, shows “Genuine” only if the whole proof is valid."""

from __future__ import annotations

import datetime as dt
import html
from collections.abc import Callable

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.paper_cards import confirm_staff_entry
from scoring.models import Card, CardSeal, CardVersion, Signature, StaffEntry
from tests.factories import a_user
from tests.kit import event_url, page_text
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, play_out, post, sign_both, the_card
from tournament.core.permissions import make_staff_actor
from tournament.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    card = the_card(an_event_in_play())
    play_out(card)
    sign_both(card)
    return card


def by_its_code(card: Card, digest: str) -> str:
    event = card.match.event
    page = Client().get(event_url("scoring:card", event, token=card.token), {"d": digest}).content.decode()
    return html.unescape(page_text(page))


def change_the_log(card: Card) -> None:
    AuditEntry.objects.filter(verb="card.signed", data__card=card.pk).update(by_name="Nobody")


def change_the_seal(card: Card) -> None:
    seal = CardSeal.objects.get(version__card=card)
    CardSeal.objects.filter(pk=seal.pk).update(statement=seal.statement.replace("1", "2", 1))


def delete_the_seal(card: Card) -> None:
    CardSeal.objects.filter(version__card=card).delete()


def delete_the_versions_and_their_seals(card: Card) -> None:
    CardSeal.objects.filter(version__card=card).delete()
    CardVersion.objects.filter(card=card).delete()


def change_a_signature(card: Card) -> None:
    Signature.objects.filter(card=card).update(device="another phone")


CHANGES = (change_the_log, change_the_seal, delete_the_seal, delete_the_versions_and_their_seals, change_a_signature)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_card_that_was_changed_past_the_program_is_not_called_genuine(
    card: Card, change: Callable[[Card], None]
) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    page = by_its_code(card, digest)
    assert "Genuine." in page and "Signed by all and verified." in page
    change(card)
    page = by_its_code(card, digest)
    assert "Genuine." not in page and "Signed by all and verified." not in page
    assert "Altered. The record is not what was signed and sealed:" in page


def test_the_digest_of_another_card_is_not_known_on_this_one() -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    post(the_card(event))
    other = the_card(event, "R1M2")
    post(other)
    page = by_its_code(the_card(event), load_card_state_by_pk(other.pk).digest)
    assert "Not what is on record." in page and "Genuine." not in page


def test_what_is_on_it_and_was_not_signed_yet_is_said_so() -> None:
    card = the_card(an_event_in_play())
    digest = play_out(card).digest
    page = by_its_code(card, digest)
    assert "This is what is on record now. It is not signed by all yet." in page


def test_a_card_that_two_officials_changed_is_not_called_signed_by_all(card: Card) -> None:
    tournament = card.match.event.tournament
    first, second = (make_staff_actor(a_user(role, tournament)) for role in ("desk", "director"))
    with time_machine.travel(timezone.now() + dt.timedelta(minutes=31)):
        correct_line(card, 2, LineEntry(gin("B", 90, up="9C")), by=first, reason="the paper says Alan")
        confirm_staff_entry(StaffEntry.objects.get(), by=second)
    page = by_its_code(card, load_card_state_by_pk(card.pk).digest)
    assert "signed by all" not in page.lower()
    assert "Two officials changed this card after it was final. It counts, and nobody has to sign it." in page
    assert "exactly what two officials posted after the card was final" in page
