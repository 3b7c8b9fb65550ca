"""An undone draw stays public: its seal, its cut, its order, and who undid it, when, and why."""

from __future__ import annotations

import json
import random

import pytest
from django.test import Client
from django.utils.html import escape

from pairing.blind_draw.services import (
    make_draw,
    make_partner_draw,
    post_draw,
    post_partner_draw,
    seal_partner_draw,
    take_back_draw,
    take_back_partner_draw,
)
from pairing.models import Draw, PartnerDraw, Stage
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage, take_back_stage
from tests.factories import a_director, an_event
from tests.kit import event_url, fresh
from tests.pairing.helpers.commands import run_json_line
from tests.pairing.helpers.events import a_closed_event, a_posted_event
from tests.pairing.helpers.stages import play_pool, staged
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db

WHY = "a card was missing from the deck"


def page_of(event: Event, name: str, **query: str) -> str:
    return Client().get(event_url(f"pairing:{name}", event), query).content.decode()


def spaced(digest: str) -> str:
    return " ".join(digest[at : at + 4] for at in range(0, len(digest), 4))


def test_a_posted_draw_that_was_taken_back_stays_whole_on_the_page_of_the_draw() -> None:
    event = a_posted_event(6)
    old = Draw.objects.get()
    director = a_director(event.tournament)
    take_back_draw(event, by=director, reason=WHY)
    page = page_of(event, "draw")
    assert spaced(old.commitment.commitment) in page and spaced(old.commitment.secret) in page
    assert "7H QS 2D" in page and escape(WHY) in page and director.name in page
    order = [page.index(f">{number}</span> Player {number}<") for number in old.order]
    assert order == sorted(order)
    make_draw(event, "3C 4C 5C", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    page = page_of(event, "draw")
    assert "7H QS 2D" in page and "3C 4C 5C" in page and spaced(old.commitment.secret) in page


def test_one_that_only_staff_had_seen_is_told_too() -> None:
    event = a_closed_event(4)
    make_draw(event, "7H", by=SYSTEM_ACTOR)
    take_back_draw(event, by=SYSTEM_ACTOR, reason=WHY)
    page, seal = page_of(event, "draw"), Draw.objects.get().commitment
    assert "It was never posted: only staff had seen it." in page
    assert seal.draw_id in page and spaced(seal.secret) in page


def test_it_is_checked_like_any_other_and_the_check_page_says_that_it_does_not_count() -> None:
    event = a_posted_event(6)
    old = Draw.objects.get()
    take_back_draw(event, by=SYSTEM_ACTOR, reason=WHY)
    page = page_of(event, "check_draw", draw=old.commitment.draw_id)
    assert "This draw was undone and does not count." in page and escape(WHY) in page
    assert " ".join(map(str, old.order)) in page
    record = json.loads(page_of(event, "draw_json", draw=old.commitment.draw_id))
    assert record["order"] == old.order and run_json_line("verify_draw", record)["ok"] is True
    assert run_json_line("verify_draw", {**record, "order": record["order"][::-1]})["ok"] is False
    make_draw(event, "3C", by=SYSTEM_ACTOR)
    post_draw(event, by=SYSTEM_ACTOR)
    assert "does not count" not in page_of(fresh(event), "check_draw")


def test_a_changed_order_of_a_draw_that_was_taken_back_is_found() -> None:
    event = a_posted_event(6)
    old = Draw.objects.get()
    take_back_draw(event, by=SYSTEM_ACTOR, reason=WHY)
    assert [check.subject for check in verify_event(fresh(event)) if not check.passed] == []
    Draw.objects.filter(pk=old.pk).update(order=old.order[::-1])
    wrong = [check.subject for check in verify_event(fresh(event)) if not check.passed]
    assert wrong == [f"draw order of {old.commitment.draw_id}, taken back"]


def test_the_draw_of_a_stage_that_was_taken_back() -> None:
    event = staged(6, {"kind": "record", "games": 2, "losses": 2, "wins": 1}, {"kind": "single-elimination"})
    play_pool(event, random.Random(4))
    open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS"))
    take_back_stage(event, by=SYSTEM_ACTOR, reason=WHY)
    page = page_of(event, "stages")
    record = Stage.objects.get(taken_back__isnull=False).record
    assert spaced(record["seal"]["secret"]) in page and escape(WHY) in page and "7H QS" in page
    line = page.split('<code class="stage-line">')[1].split("</code>")[0].replace("&quot;", '"')
    assert json.loads(line)["order"] == record["order"] and run_json_line("verify_draw", json.loads(line))["ok"] is True


def test_a_draw_of_partners_that_was_taken_back() -> None:
    event = an_event(entry_size=2, name="Partnership", fee_cents=0, partners="one")
    for number in range(1, 5):
        add_entry(
            event,
            EntryRequest((Person(f"Player {number}", f"p{number}@example.org"),), asks_for_partner=True),
            by=SYSTEM_ACTOR,
        )
    seal_partner_draw(event, by=SYSTEM_ACTOR)
    make_partner_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    post_partner_draw(event, by=SYSTEM_ACTOR)
    made = PartnerDraw.objects.get()
    take_back_partner_draw(made, by=SYSTEM_ACTOR, reason=WHY)
    page = page_of(event, "partners")
    assert spaced(made.seal.secret) in page and "7H QS 2D" in page and escape(WHY) in page
    assert "This draw was undone" in page_of(event, "check_partners", draw=made.seal.draw_id)
    record = json.loads(page_of(event, "partners_json", draw=made.seal.draw_id))
    assert run_json_line("verify_partners", record)["ok"] is True
