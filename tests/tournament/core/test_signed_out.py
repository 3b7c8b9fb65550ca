"""If a session ends while somebody fills in a form, a page tells them that nothing was recorded."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import a_user, an_entrant, an_event
from tests.kit import client_as, event_url
from tournament.models import Event

pytestmark = pytest.mark.django_db

SAID = "You were signed out, so nothing was recorded. Sign in, then fill in the form again."


def _send(event: Event, **headers: str) -> HttpResponse:
    return Client().post(event_url("tournament:desk_arrived", event), {"one": "1"}, headers=headers)


def test_a_form_leads_to_the_sign_in_page_and_back_to_its_own_page() -> None:
    event = an_event()
    entrant, page = an_entrant(event), event_url("tournament:desk_checkin", event) + "?q=ada"
    client = Client()
    answer = client.post(
        event_url("tournament:desk_arrived", event),
        {"one": "1"},
        headers={"referer": f"http://testserver{page}"},
        follow=True,
    )
    assert SAID in answer.content.decode()
    assert answer.context["redirect_field_value"] == page
    entrant.refresh_from_db()
    assert not entrant.arrived


def test_nobody_is_led_back_to_another_site() -> None:
    event = an_event()
    answer = _send(event, referer="https://example.org/desk/")
    assert answer["Location"] == f"/accounts/login/?next={event_url('tournament:desk_arrived', event)}"


@pytest.mark.parametrize("headers", [{"hx-request": "true"}, {"accept": "application/json"}])
def test_a_script_gets_json(headers: dict[str, str]) -> None:
    answer = _send(an_event(), **headers)
    assert answer.status_code == 403
    assert SAID in answer.content.decode()


def test_a_panel_that_fetches_itself_reloads_the_page() -> None:
    answer = Client().get(event_url("tournament:desk_checkin", an_event()), headers={"hx-request": "true"})
    assert (answer.status_code, answer["HX-Refresh"]) == (200, "true")


@pytest.mark.parametrize(
    ("name", "above"),
    [("desk_arrived", "desk_event"), ("desk_entrant_act", "desk_event"), ("fill_places", "desk_event")],
)
def test_a_url_for_forms_shows_a_page_with_a_link_back(name: str, above: str) -> None:
    event = an_event()
    number = {"number": an_entrant(event).number} if name == "desk_entrant_act" else {}
    client = client_as("director", event)
    answer = client.get(event_url(f"tournament:{name}", event, **number))
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert f'href="{event_url(f"tournament:{above}", event)}"' in answer.content.decode()
    assert "nothing was recorded" in answer.content.decode()


def test_a_form_whose_token_is_too_old_leads_back_to_it() -> None:
    event = an_event()
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_user("desk", event.tournament))
    page = event_url("tournament:desk_checkin", event)
    answer = client.post(
        event_url("tournament:desk_arrived", event), {"one": "1"}, headers={"referer": f"http://testserver{page}"}
    )
    assert answer.status_code == 403
    assert f'href="{page}"' in answer.content.decode()


def test_a_part_of_a_page_whose_token_is_too_old_gets_a_notice_and_no_page() -> None:
    event = an_event()
    client = Client(enforce_csrf_checks=True)
    client.force_login(a_user("desk", event.tournament))
    answer = client.post(event_url("tournament:desk_arrived", event), {"one": "1"}, headers={"hx-request": "true"})
    assert answer.status_code == 403
    assert "data-refusal" in answer.content.decode()
    assert "<main" not in answer.content.decode()
