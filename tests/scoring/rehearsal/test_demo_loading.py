"""Pages say that the demo is loading, and an interrupted demo is loaded again."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from scoring.rehearsal.services.demo import (
    SinglesDemo,
    begin_demo_if_no_tournaments,
    create_empty_demo,
    finish_loading_demo,
    mark_demo_complete,
)
from scoring.rehearsal.services.engine import get_demo_director
from tests.factories import a_tournament, an_event
from tournament.core.selectors.events import find_demo_being_loaded, is_demo_loading
from tournament.models import Event, Tournament

pytestmark = pytest.mark.django_db
SAYS = "The demo is loading"


def said(*options: str) -> str:
    out = StringIO()
    call_command("load_demo", *options, stdout=out)
    return out.getvalue()


def pages(tournament: Tournament) -> list[str]:
    client = Client()
    client.force_login(get_demo_director().user)
    event = tournament.events.first()
    within = [f"/t/{tournament.slug}/{event.slug}/"] if event is not None else []
    paths = ["/", "/desk/", f"/t/{tournament.slug}/", f"/desk/{tournament.slug}/", *within]
    return [path for path in paths if SAYS in client.get(path).content.decode()]


def test_pages_say_that_it_is_loading_until_it_is_whole() -> None:
    out = said("--begin")
    demo = Tournament.objects.get()
    assert is_demo_loading(demo) and demo.is_demo and "/sign-in/" in out and "more of it comes" in out
    event = SinglesDemo(4, 1).set_up_singles(demo, get_demo_director())
    assert len(pages(demo)) == 5
    seen = Client().get(f"/t/{demo.slug}/{event.slug}/")
    mark_demo_complete(demo)
    assert not is_demo_loading(demo) and pages(demo) == []
    after = Client().get(f"/t/{demo.slug}/{event.slug}/", headers={"If-None-Match": seen["ETag"]})
    assert after.status_code == 200, "what phones keep is not that page any more"
    assert SAYS in seen.content.decode() and SAYS not in after.content.decode()
    assert [row.verb for row in demo.log.filter(verb__startswith="demo.")] == ["demo.begun", "demo.loaded"]


def test_it_is_begun_on_an_empty_database_alone() -> None:
    real = a_tournament()
    begin_demo_if_no_tournaments()
    assert list(Tournament.objects.all()) == [real] and find_demo_being_loaded() is None
    assert not finish_loading_demo()


def test_what_was_played_without_a_beginning_is_left_alone() -> None:
    """Demo events from commands and from earlier releases may be incomplete on purpose, so they stay as they are."""
    made_up = an_event(a_tournament(is_demo=True))
    begin_demo_if_no_tournaments()
    assert not finish_loading_demo()
    assert list(Event.objects.all()) == [made_up]


def test_one_that_was_cut_off_is_loaded_from_its_start_once() -> None:
    begin_demo_if_no_tournaments()
    cut_off = Tournament.objects.get()
    demo = SinglesDemo(32, 7, report_progress=lambda _line: None)
    event = demo.set_up_singles(cut_off, get_demo_director())
    demo.register(event, get_demo_director())
    out = said("--go-on", "--site", "https://hall.example/")
    whole = Tournament.objects.get()
    assert whole.pk != cut_off.pk and whole.slug == cut_off.slug and not is_demo_loading(whole)
    assert "The demo is loaded." in out and f"https://hall.example/t/{whole.slug}/partnership/" in out
    entrants = {event.slug: event.entrants.count() for event in whole.events.all()}
    assert entrants == {"singles": 32, "second-chance": 18, "partnership": 10}
    assert said("--go-on") == "" and Tournament.objects.get() == whole


def test_who_removes_it_meanwhile_has_no_other_one() -> None:
    from tournament.core.permissions import SYSTEM_ACTOR
    from tournament.setup.services.tournaments import remove_tournament

    create_empty_demo(
        by=get_demo_director(), slug="demo-1", name="D", venue="V", starts_on="2026-01-01", ends_on="2026-01-02"
    )
    remove_tournament(Tournament.objects.get(), by=SYSTEM_ACTOR)
    assert not finish_loading_demo() and not Tournament.objects.exists()
