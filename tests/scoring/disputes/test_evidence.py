from __future__ import annotations

import hashlib
import io
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image, PngImagePlugin

from scoring.disputes.services import photos
from scoring.disputes.services.disputes import SubmittedEvidence, add_evidence, drop_dispute
from scoring.disputes.services.photos import reencode_photo
from scoring.models import Card, Dispute, Evidence
from tests.factories import a_user
from tests.kit import event_url, page_text
from tests.scoring.helpers.disputes import a_picture, send, url_of
from tests.scoring.helpers.disputes import card as card
from tests.scoring.helpers.disputes import dispute as dispute
from tests.scoring.helpers.playing import the_card
from tournament.core.permissions import make_player_actor, make_staff_actor
from tournament.errors import DomainError, NotAllowed

pytestmark = pytest.mark.django_db

MAKER, ORIENTATION, GPS, COMMENT = 0x010F, 0x0112, 0x8825, 0x9286
SECRET = "Paid to lose, call 555 0199"


def from_a_phone() -> bytes:
    """Return a sideways photo with metadata about the camera and the location."""
    exif = Image.Exif()
    exif[MAKER], exif[ORIENTATION] = "Spy Camera", 6
    exif.get_ifd(GPS)[1] = "N"
    return a_picture(exif=exif)


def test_a_photo_is_turned_upright_and_says_nothing_but_the_picture() -> None:
    kept = reencode_photo(io.BytesIO(from_a_phone()))
    with Image.open(io.BytesIO(kept)) as picture:
        assert (picture.format, picture.size, dict(picture.getexif())) == ("JPEG", (40, 60), {})
    assert b"Spy Camera" not in kept


def a_comment_in(kind: str) -> bytes:
    """Return a picture of this file type with the text `SECRET` in its metadata."""
    exif, texts = Image.Exif(), PngImagePlugin.PngInfo()
    exif[MAKER] = exif[COMMENT] = SECRET
    for name in ("comment", "Comment", "XML:com.adobe.xmp"):
        texts.add_text(name, SECRET)
        texts.add_itxt(f"{name} in English", SECRET)
    xmp = f"<x:xmpmeta>{SECRET}</x:xmpmeta>".encode()
    options: dict[str, dict[str, Any]] = {
        "JPEG": {"comment": SECRET, "exif": exif, "xmp": xmp, "icc_profile": SECRET.encode()},
        "PNG": {"pnginfo": texts, "exif": exif},
        "WEBP": {"exif": exif, "xmp": xmp, "icc_profile": SECRET.encode()},
    }
    return a_picture(kind=kind, **options[kind]) + SECRET.encode()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_comment_does_not_stay_in_a_photo(kind: str) -> None:
    sent = a_comment_in(kind)
    assert sent.count(SECRET.encode()) > 2
    assert SECRET.encode() not in reencode_photo(io.BytesIO(sent))


def test_a_large_photo_is_made_smaller() -> None:
    with Image.open(io.BytesIO(reencode_photo(io.BytesIO(a_picture((3000, 1500)))))) as picture:
        assert picture.size == (2000, 1000)


def test_a_drawing_without_ground_stands_on_white() -> None:
    png = a_picture(kind="PNG", mode="RGBA", colour=(0, 0, 0, 0))
    with Image.open(io.BytesIO(reencode_photo(io.BytesIO(png)))) as picture:
        assert picture.getpixel((5, 5)) == (255, 255, 255)


@pytest.mark.parametrize(
    "lie",
    [
        b"",
        b"no picture at all",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"\xff\xd8\xff\xe0" + b"JFIF" * 100,
        a_picture()[:200],
        a_picture(kind="GIF"),
        a_picture(kind="TIFF"),
        b"%PDF-1.7 a paper",
    ],
)
def test_what_is_no_photo_is_refused(client: Client, dispute: Dispute, lie: bytes) -> None:
    answer = send(client, dispute, lie)
    assert answer.status_code == 422
    assert not Evidence.objects.exists()


def test_a_picture_with_a_lying_name_is_kept_as_what_it_is(client: Client, dispute: Dispute) -> None:
    send(client, dispute, a_picture(kind="PNG"), name="../../evil.html")
    kept = Evidence.objects.get()
    assert kept.photo.name == f"evidence/{kept.digest}.jpg"
    with kept.photo.open("rb") as file:
        content = file.read()
    assert hashlib.sha256(content).hexdigest() == kept.digest
    assert content.startswith(b"\xff\xd8")


def test_too_many_bytes_or_pixels_are_refused(
    client: Client, dispute: Dispute, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert send(client, dispute, b"\xff\xd8" + b"x" * photos.MAX_PHOTO_BYTES).status_code == 422
    bomb = a_picture((9000, 9000), "PNG", mode="1", colour=0)
    assert len(bomb) < 100_000
    answer = send(client, dispute, bomb)
    assert answer.status_code == 422 and "9000" in answer.content.decode()
    huge = send(client, dispute, a_picture((12_000, 9_000), "PNG", mode="1", colour=0))
    assert huge.status_code == 422 and "too many pixels" in huge.content.decode()
    assert not Evidence.objects.exists()


def test_only_the_players_of_the_card_and_staff_see_it(client: Client, dispute: Dispute) -> None:
    send(client, dispute, a_picture())
    card, kept = dispute.card, Evidence.objects.get()
    assert card is not None
    for who in (0, 1):
        answer = client.get(url_of(card, "photo", who, dispute=dispute.pk, evidence=kept.pk))
        assert answer.status_code == 200 and answer["Content-Type"] == "image/jpeg"
        assert "private" in answer["Cache-Control"] and answer["X-Content-Type-Options"] == "nosniff"
    other = the_card(card.match.event, "R1M2")
    assert client.get(url_of(other, "photo", dispute=dispute.pk, evidence=kept.pk)).status_code == 404
    foreign = reverse(
        "scoring:my_photo",
        kwargs={"token": other.entrants[0].token, "card": card.token, "dispute": dispute.pk, "evidence": kept.pk},
    )
    assert client.get(foreign).status_code == 404
    at_desk = event_url("scoring:desk_evidence", card.match.event, dispute=dispute.pk, evidence=kept.pk)
    assert client.get(at_desk).status_code == 302
    client.force_login(a_user("desk", card.match.event.tournament))
    assert client.get(at_desk).status_code == 200
    client.force_login(a_user("hotel", card.match.event.tournament))
    assert client.get(at_desk).status_code == 403
    client.force_login(a_user("director"))
    assert client.get(at_desk).status_code in (403, 404)


def test_the_other_player_adds_hands_and_words(client: Client, dispute: Dispute) -> None:
    assert dispute.card is not None
    url = url_of(dispute.card, "dispute", 1, dispute=dispute.pk)
    said = {"act": "evidence", "key": "k", "held_A": "7h 7d 7c 2s 3s 4s 9d 9c 9h Kd", "words": "As it lay"}
    client.post(url, said)
    client.post(url, said)
    hands, words = Evidence.objects.order_by("pk")
    assert hands.hands == {"A": ["7H", "7D", "7C", "2S", "3S", "4S", "9D", "9C", "9H", "KD"]}
    assert (words.words, words.entrant) == ("As it lay", dispute.card.entrants[1])
    page = client.get(url).content.decode()
    assert '<p class="evidence-holder">Ada</p>' in page and '<p class="evidence-holder">Alan</p>' not in page
    link = re.search(r'href="([^"]*/hand/\?card=[^"]*)"', page)
    assert link
    judged = page_text(client.get(link[1].replace("&amp;", "&")))
    assert "10 unmatched" in judged and "Ada – Alan, hand 1" in judged


@pytest.mark.parametrize(
    "hands", [{"held_A": "7h 7h"}, {"held_A": "7h", "held_B": "7h"}, {"held_A": "11h"}, {"held_A": "2h 3h 4h 5h " * 5}]
)
def test_hands_that_cannot_be_are_refused(client: Client, dispute: Dispute, hands: dict[str, str]) -> None:
    assert dispute.card is not None
    url = url_of(dispute.card, "dispute", dispute=dispute.pk)
    assert client.post(url, {"act": "evidence", "key": "k", **hands}).status_code == 422
    assert not Evidence.objects.exists()


def test_nothing_is_no_evidence(client: Client, dispute: Dispute) -> None:
    assert dispute.card is not None
    url = url_of(dispute.card, "dispute", dispute=dispute.pk)
    assert client.post(url, {"act": "evidence", "key": "k"}).status_code == 422


def test_nothing_is_added_once_it_was_taken_back(dispute: Dispute) -> None:
    assert dispute.card is not None
    by = make_player_actor(dispute.card.entrants[0])
    drop_dispute(dispute, by=by, reason="")
    with pytest.raises(DomainError, match="withdrawn"):
        add_evidence(dispute, SubmittedEvidence(words="But look"), by=by)


def test_a_stranger_adds_nothing(dispute: Dispute) -> None:
    assert dispute.card is not None
    other = the_card(dispute.event, "R1M2").entrants[0]
    with pytest.raises(NotAllowed):
        add_evidence(dispute, SubmittedEvidence(words="I saw it"), by=make_player_actor(other))
    add_evidence(
        dispute, SubmittedEvidence(words="I saw it"), by=make_staff_actor(a_user("desk", dispute.event.tournament))
    )
    assert Evidence.objects.get().entrant is None


def test_a_call_counts_even_where_its_photo_cannot_be_kept(client: Client, card: Card) -> None:
    photo = SimpleUploadedFile("x.jpg", b"junk")
    said = {"key": "k", "kind": "conduct", "by": "B", "photo": photo}
    answer = client.post(url_of(card, "what"), said, follow=True)
    assert Dispute.objects.count() == 1 and not Evidence.objects.exists()
    assert "The director is called," in answer.content.decode()


def test_a_call_brings_its_photo(client: Client, card: Card) -> None:
    photo = SimpleUploadedFile("x.jpg", from_a_phone())
    client.post(url_of(card, "what"), {"key": "k", "kind": "conduct", "by": "B", "photo": photo})
    assert Evidence.objects.get().dispute == Dispute.objects.get()
