"""If secrets are lost, staff are warned before new ones are used, and earlier seals can still be trusted."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from scoring.models import EarlierKey
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.signed_cards import print_signed_cards
from scoring.rules.evidence.sealing import derive_seal_key, encode_public_key
from scoring.seals.selectors.keys import encode_signable_key, get_installation_public_key, load_earlier_keys
from scoring.seals.services.sealing import confirm_trusted_keys, load_unknown_keys
from tests.kit import page_text
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tests.verifying import verify_event
from tournament.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _played(rows_of_module: None) -> Event:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    post(the_card(event))
    return event


@pytest.fixture(scope="module")
def printed(_played: Event) -> bytes:
    return print_signed_cards(PrintRequest(_played, card=the_card(_played).token), lambda done, total: None)


@pytest.fixture
def event(_played: Event, settings: Any) -> Event:
    """Return an event with a card that was sealed with another secret than the present one."""
    settings.SEAL_SECRET = "the second secret"
    return _played


def lose_secrets() -> None:
    """Simulate that the installation lost its secrets: confirm that the unknown keys are its earlier keys.

    The command `use_these_secrets` would do the same, but would also close the database connection.
    """
    confirm_trusted_keys(key.public for key in load_unknown_keys())


def problems(event: Event) -> list[str]:
    return [check.finding for check in verify_event(event) if not check.passed and check.subject != "draw order"]


def page_of(event: Event) -> str:
    digest = the_card(event).versions.get().digest
    said = Client().get(reverse("scoring:verify", args=[digest])).content.decode()
    return page_text(said)


def test_a_key_that_nobody_vouches_for_is_another_key(event: Event) -> None:
    assert any("was made by another key" in problem for problem in problems(event))


def test_an_earlier_key_is_genuine_and_named_on_the_page(event: Event) -> None:
    lose_secrets()
    today = timezone.localdate()
    assert "Genuine, by an earlier key. This is exactly what was signed." in page_of(event)
    assert f"This installation sealed with that key until {today:%b}" in page_of(event)


def test_verify_event_counts_what_is_genuine_by_an_earlier_key(event: Event) -> None:
    lose_secrets()
    assert problems(event) == []
    assert "1 seals, 1 of them genuine by an earlier key" in [check.finding for check in verify_event(event)]


def test_a_pdf_of_before_is_genuine_by_an_earlier_key(printed: bytes, event: Event) -> None:
    lose_secrets()
    file = SimpleUploadedFile("card.pdf", printed, "application/pdf")
    said = Client().post(reverse("scoring:verify_any"), {"file": file}).content.decode()
    assert "Genuine, by an earlier key." in said


def test_keys_of_two_losses_are_both_known(event: Event, settings: Any) -> None:
    lose_secrets()
    post(the_card(event, "R1M2"))
    settings.SEAL_SECRET = "the third secret"
    lose_secrets()
    assert problems(event) == []
    assert len(load_earlier_keys()) == 2


def test_a_key_that_was_put_into_the_database_is_not_trusted(event: Event) -> None:
    key = derive_seal_key("the secret of somebody else")
    row = EarlierKey(public=encode_public_key(key), until=timezone.now(), vouched_by=encode_public_key(key))
    row.signature = key.sign(encode_signable_key(row)).hex()
    row.save()
    assert load_earlier_keys() == {}


def test_the_present_key_is_no_earlier_key(event: Event) -> None:
    lose_secrets()
    assert get_installation_public_key() not in load_earlier_keys()
