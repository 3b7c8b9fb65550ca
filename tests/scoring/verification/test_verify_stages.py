"""`verify_event` recomputes an event with stages from its stored facts, and finds changed rows."""

from __future__ import annotations

import random

import pytest

from pairing.blind_draw.services import make_partner_draw, post_partner_draw, seal_partner_draw
from pairing.models import PartnerDraw, Stage
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.openings import StageOpeningChoices
from pairing.stages.services.stages import open_next_stage
from tests.factories import an_event
from tests.kit import fresh
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, decide_ready, play_pool, staged
from tests.verifying import failed_checks, verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db

GROUPS = ({"kind": "round-robin", "groups": 2, "best": 2}, {"kind": "double-elimination", "seeded": True})
PLAY_OFF = ({"kind": "swiss", "rounds": 2}, {"kind": "play-off", "places": 2}, {"kind": "single-elimination"})


def play_through(event: Event, dice: random.Random) -> None:
    while not course_of(event).is_complete:
        if course_of(event).current_stage.is_complete:
            open_next_stage(event, by=SYSTEM_ACTOR, choices=StageOpeningChoices(cut="7H QS"))
        elif course_of(event).current_stage.kind in ("record", "swiss"):
            play_pool(event, dice)
        else:
            decide_ready(event, dice)


@pytest.mark.parametrize("plan", [(QUALIFIER, FINALS), GROUPS, PLAY_OFF], ids=["record", "groups", "play-off"])
def test_all_of_an_event_in_stages_follows_from_its_facts(plan: tuple[dict[str, object], ...]) -> None:
    event, dice = staged(8, *plan), random.Random(6)
    play_through(event, dice)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    checks = {check.subject for check in verify_event(fresh(event))}
    assert failed_checks(event) == []
    assert {"places", "draw order"} <= checks and any(what.startswith("who came into") for what in checks)


def test_a_changed_row_is_found() -> None:
    event, dice = staged(8, *PLAY_OFF), random.Random(6)
    play_through(event, dice)
    finals = Stage.objects.get(draw__commitment__event=event, kind="single-elimination")
    finals.record["order"].reverse()
    finals.save()
    event.version += 1
    event.save()
    assert any(said.startswith("draw of Finals") for said in failed_checks(event))
    finals.record["order"].reverse()
    finals.entries = [*finals.entries[:-1], 99]
    finals.save()
    event.version += 1
    event.save()
    assert any(said.startswith("who came into Finals") for said in failed_checks(event))


def test_a_draw_of_partners_is_drawn_again_and_a_changed_pair_is_named() -> None:
    event = an_event(entry_size=2, name="Partnership", fee_cents=0, partners="one")
    for number in range(1, 6):
        add_entry(
            event,
            EntryRequest((Person(f"Player {number}", f"p{number}@example.org"),), asks_for_partner=True),
            by=SYSTEM_ACTOR,
        )
    sealed = seal_partner_draw(event, by=SYSTEM_ACTOR)
    make_partner_draw(event, "7H QS", by=SYSTEM_ACTOR)
    post_partner_draw(event, by=SYSTEM_ACTOR)
    checks = {check.subject for check in verify_event(fresh(event))}
    assert {f"partners {sealed.draw_id}", f"pairs of {sealed.draw_id}"} <= checks
    assert not [said for said in failed_checks(event) if "partners" in said]
    drawn = PartnerDraw.objects.get()
    (one, other), (third, last) = drawn.pairs
    drawn.pairs = [[one, third], [other, last]]
    drawn.save()
    said = [each for each in failed_checks(event) if "partners" in each]
    assert said[0].startswith(f"partners {sealed.draw_id}: pairs: These are not the pairs that were drawn: pair 1")
    assert said[1].startswith(f"pairs of {sealed.draw_id}: not the same: entries")
