"""A store of files that is away is a sentence, and is not asked again at once."""

from __future__ import annotations

import io
import pickle
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, storages
from django.test import Client
from django.urls import reverse

from config.storage import away
from config.storage.away import OutageMixin, StoreAway
from scoring.disputes.services.disputes import Finding, RulingWanted, SubmittedEvidence, add_evidence, open_dispute
from scoring.models import Evidence
from scoring.tasks.prints import print_job
from tests.kit import client_as, event_url
from tests.scoring.helpers.disputes import a_picture
from tests.scoring.helpers.playing import an_event_in_play, the_card, the_director
from tournament.core.permissions import SYSTEM
from tournament.core.services.jobs import request_job
from tournament.models import Event, Job

pytestmark = pytest.mark.django_db


class Lost(Exception):
    """As a library has them: of no class that others know."""


class Far(InMemoryStorage):
    """Another machine's."""

    is_there = True
    asked = 0

    def _resolve(self, *arguments: Any, **options: Any) -> Any:
        type(self).asked += 1
        if not self.is_there:
            raise Lost("no route to host")
        return super()._resolve(*arguments, **options)  # type: ignore[misc]


class FarAway(OutageMixin, Far):
    pass


@pytest.fixture(autouse=True)
def far(settings: Any) -> Iterator[type[Far]]:
    """It answers."""
    settings.STORAGES = {**settings.STORAGES, "default": {"BACKEND": f"{__name__}.FarAway"}}
    assert not storages["default"].exists("anything")
    yield Far
    Far.is_there, Far.asked = True, 0


@pytest.fixture
def event() -> Event:
    return an_event_in_play(("Ada", "Alan"))


@pytest.fixture
def client(event: Event) -> Client:
    return client_as("director", event)


def a_print(event: Event) -> Job:
    job = request_job(event, kind="blank-cards", title="B", task="none", parameters={"paper": "letter"}, by=SYSTEM)
    print_job(job.pk)
    job.refresh_from_db()
    return job


def file_of(job: Job) -> str:
    return reverse("tournament:job_file", kwargs={"tournament": job.tournament.slug, "pk": job.pk})


def test_a_file_comes_back_while_it_is_there_and_one_that_is_not_is_missing(far: type[Far]) -> None:
    kept = storages["default"]
    name = kept.save("prints/1.pdf", ContentFile(b"one"))
    assert (kept.exists(name), kept.size(name), kept.open(name).read()) == (True, 3, b"one")
    kept.delete(name)
    assert not kept.exists(name)
    with pytest.raises(FileNotFoundError):
        kept.open(name)


def test_it_is_left_alone_for_a_moment_and_then_asked_again(far: type[Far], monkeypatch: pytest.MonkeyPatch) -> None:
    kept, now = storages["default"], [100.0]
    monkeypatch.setattr(away.time, "monotonic", lambda: now[0])
    name = kept.save("prints/1.pdf", ContentFile(b"one"))
    far.is_there = False
    with pytest.raises(StoreAway):
        kept.open(name)
    asked = far.asked
    far.is_there = True
    with pytest.raises(StoreAway):
        kept.open(name)
    assert far.asked == asked
    now[0] += away.PAUSE_S
    assert kept.open(name).read() == b"one"


def test_a_print_that_cannot_be_kept_says_so_and_one_that_cannot_be_fetched(
    far: type[Far], event: Event, client: Client
) -> None:
    done = a_print(event)
    assert (done.state, client.get(file_of(done)).status_code) == ("done", 200)
    far.is_there = False
    answer = client.get(file_of(done))
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert b"Try again in a minute." in answer.content
    failed = a_print(event)
    assert failed.state == "failed" and "Try again in a minute." in failed.message


def test_a_photo_that_cannot_be_kept_is_no_evidence(far: type[Far], event: Event, client: Client) -> None:
    dispute = open_dispute(
        event,
        RulingWanted(card=the_card(event), found=Finding(kind="conduct", facts={"by": "B"})),
        by=the_director(event),
    )
    far.is_there = False
    photo = io.BytesIO(a_picture())
    photo.name = "photo.jpg"
    answer = client.post(
        event_url("scoring:desk_add_evidence", event, dispute=dispute.pk), {"photo": photo, "key": "1" * 32}
    )
    assert answer.status_code == 422 and b"Try again in a minute." in answer.content
    assert not Evidence.objects.exists()
    far.is_there = True
    storages["default"]._away_until = 0.0
    (piece,) = add_evidence(dispute, SubmittedEvidence(photo=io.BytesIO(a_picture())), by=the_director(event))
    far.is_there = False
    answer = client.get(event_url("scoring:desk_evidence", event, dispute=dispute.pk, evidence=piece.pk))
    assert answer.status_code == 503 and b"Try again in a minute." in answer.content


def test_the_certificate_page_says_it_too(far: type[Far], event: Event, client: Client) -> None:
    far.is_there = False
    answer = client.get(reverse("scoring:desk_certificate", kwargs={"tournament": event.tournament.slug}))
    assert answer.status_code == 503 and b"Try again in a minute." in answer.content


def test_the_api_says_when_to_ask_again_too(event: Event, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_token: str) -> None:
        raise StoreAway

    monkeypatch.setattr("scoring.cards.api.load_card", away)
    answer = client.get(reverse("scoring:api_card", kwargs={"token": the_card(event).token}))
    assert (answer.status_code, answer["Retry-After"]) == (503, "60")
    assert answer.json()["errors"][0]["code"] == "store-away"


def test_the_refusal_can_be_handed_between_processes() -> None:
    assert pickle.loads(pickle.dumps(StoreAway())).message == StoreAway().message
