"""Every page of the console by role: the table is written down here, and a page that is not on it fails the test.

A page asks for its role before it looks at anything else, so an address of nothing shows who is let in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.urls.converters import IntConverter

from tests.factories import a_user, an_event
from tournament.models import Event

pytestmark = pytest.mark.django_db

FOR_DIRECTORS: Final = """
    tournament:tournament_settings tournament:new_event tournament:desk_twins tournament:undo_twins
    tournament:desk_staff tournament:remove_demo tournament:desk_settings tournament:open_event
    tournament:fill_places tournament:desk_substitute pairing:desk_draw pairing:desk_apart pairing:desk_partners
    pairing:second_chance pairing:desk_format pairing:desk_penalty pairing:desk_back_in pairing:desk_draw_back
    pairing:desk_stage_back pairing:desk_late_bye_back pairing:desk_seating_back pairing:desk_finish
    pairing:desk_end_early pairing:desk_reopen scoring:desk_certificate scoring:desk_committee
    scoring:desk_refuse_ruling
    scoring:desk_register_names scoring:begin_round scoring:start_play scoring:desk_card_terms
"""
FOR_THE_DESK: Final = """
    tournament:desk_checkin tournament:desk_arrived tournament:desk_money tournament:receipt
    tournament:new_entrant tournament:desk_import tournament:desk_import_preview tournament:desk_import_columns
    tournament:desk_import_take tournament:desk_import_rest tournament:desk_import_row
    tournament:desk_import_settle tournament:desk_messages tournament:desk_message tournament:desk_message_told
    tournament:desk_message_again pairing:desk_stages pairing:desk_seatings pairing:desk_tables
    pairing:desk_pairing pairing:desk_by_hand pairing:desk_pairing_settings pairing:desk_take_back
    pairing:desk_results pairing:desk_decide pairing:desk_undo pairing:desk_out pairing:desk_late
    pairing:desk_late_bye scoring:desk_rulings scoring:desk_open_ruling scoring:desk_call scoring:desk_ruling
    scoring:desk_appeal scoring:desk_drop_dispute scoring:desk_add_evidence scoring:desk_evidence
    scoring:desk_ruling_slip scoring:desk_rounds scoring:desk_whist scoring:whist_table scoring:desk_worksheet
    scoring:worksheet_sums scoring:worksheet_round scoring:desk_card scoring:desk_entry_decide scoring:desk_time
    scoring:desk_answer_call scoring:desk_card_dispute scoring:desk_cut scoring:desk_draw scoring:desk_totals
    scoring:desk_sign scoring:desk_settle scoring:desk_take scoring:desk_left scoring:desk_reopen
    scoring:desk_hand
"""
"""Director, coordinator, desk."""
FOR_ALL_STAFF: Final = """
    tournament:today tournament:desk_log tournament:desk_phones tournament:desk_event tournament:desk_prizes
    tournament:desk_job tournament:job_file tournament:desk_entrants tournament:desk_entrant
    tournament:desk_entrant_act scoring:desk_log_file scoring:desk_today scoring:desk_prints scoring:desk_rules
    scoring:desk_hands scoring:desk_cards scoring:desk_entries scoring:desk_card_lines
"""
"""The hotel's, too. What a page does when it is posted can ask for more."""

ROLES: Final[dict[str, frozenset[str]]] = {
    **dict.fromkeys(FOR_DIRECTORS.split(), frozenset({"director"})),
    **dict.fromkeys(FOR_THE_DESK.split(), frozenset({"director", "coordinator", "desk"})),
    **dict.fromkeys(FOR_ALL_STAFF.split(), frozenset({"director", "coordinator", "desk", "hotel"})),
    "tournament:approve_marked": frozenset({"director", "coordinator", "hotel"}),
}


def console_pages() -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, the converters of its address) of everything below the desk of a tournament."""
    for app in get_resolver().url_patterns:
        if isinstance(app, URLResolver) and app.namespace:
            for pattern in app.url_patterns:
                if isinstance(pattern, URLPattern) and str(pattern.pattern).startswith("desk/<slug:tournament>/"):
                    yield f"{app.namespace}:{pattern.name}", pattern.pattern.converters


def address(name: str, converters: dict[str, Any], event: Event) -> str:
    nothing = {key: 9999 if isinstance(kind, IntConverter) else "none" for key, kind in converters.items()}
    here = {"tournament": event.tournament.slug, "event": event.slug}
    return reverse(name, kwargs={key: here.get(key, value) for key, value in nothing.items()})


def test_every_page_of_the_console_is_on_the_list() -> None:
    assert {name for name, _converters in console_pages()} == set(ROLES)


@pytest.fixture
def event() -> Event:
    return an_event(an_event().tournament, state=Event.State.CLOSED)


@pytest.mark.parametrize("role", ["director", "coordinator", "desk", "hotel"])
def test_a_page_opens_for_these_roles_and_for_no_other(event: Event, role: str) -> None:
    event.tournament.is_demo = True
    event.tournament.save()
    client = Client()
    client.force_login(a_user(role, event.tournament))
    wrong = []
    for name, converters in console_pages():
        url = address(name, converters, event)
        answers = [client.get(url).status_code]
        if name != "tournament:remove_demo":
            answers.append(client.post(url, {"role": role}).status_code)
        if (403 not in answers) != (role in ROLES[name]):
            wrong.append(f"{name}: {answers}")
    assert not wrong, "\n".join(wrong)


def test_staff_of_another_tournament_and_strangers_get_none_of_them(event: Event) -> None:
    elsewhere, stranger = Client(), Client()
    elsewhere.force_login(a_user("director", an_event().tournament))
    wrong = []
    for name, converters in console_pages():
        url = address(name, converters, event)
        told = {elsewhere.get(url).status_code, elsewhere.post(url).status_code}
        asked = {stranger.get(url).status_code, stranger.post(url).status_code}
        if not told <= {403, 405} or 403 not in told or not asked <= {302, 405}:
            wrong.append(f"{name}: {told} {asked}")
    assert not wrong, "\n".join(wrong)
