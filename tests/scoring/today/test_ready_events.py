"""A ready-made event or a copy of an event sets up everything in one action."""

from __future__ import annotations

import datetime as dt

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairing.stages.selectors.plans import load_event_format
from scoring.rulesheets.selectors import explain_unsuitable_rules, load_current_rule_sheet
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.today.pictures import draw_card_picture
from scoring.today.services.ready_events import (
    READY_MADE_EVENTS,
    ReadyMadeEvent,
    apply_template_to_draft,
    create_event_from_template,
    find_ready_made_event,
    load_earlier_events,
    make_template_from_event,
)
from tests.factories import a_director, a_tournament, a_user, an_event
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import DomainError
from tournament.models import AuditEntry, Event, Tournament
from tournament.money.selectors.side_pools import read_side_pool_terms
from tournament.money.services.side_pools import EventExtraTerms, SidePoolTerms, add_event_extra, add_side_pool
from tournament.setup.services.tournaments import open_registration

pytestmark = pytest.mark.django_db


@prebuilt
def begin(tournament: Tournament, name: str, key: str = "once") -> Event:
    ready = find_ready_made_event(name)
    assert ready is not None
    return create_event_from_template(
        tournament, ready.make_template(tournament, timezone.now()), by=a_director(tournament), key=key
    )


def test_every_ready_event_pays_out_what_the_house_does() -> None:
    assert {ready.settings["prize_percent"] for ready in READY_MADE_EVENTS} == {"82"}


@pytest.mark.parametrize("ready", READY_MADE_EVENTS, ids=lambda ready: ready.name)
def test_every_ready_event_can_be_opened_as_it_is(ready: ReadyMadeEvent) -> None:
    event = begin(a_tournament(), ready.name)
    sheet = load_current_rule_sheet(event)
    assert sheet is not None and sheet.variant == ready.rules.variant
    assert load_event_format(event) == ready.format
    assert explain_unsuitable_rules(event, sheet.variant, sheet.options) == ""
    assert "<svg" in (draw_card_picture(ready.name) or "")
    open_registration(event, by=SYSTEM_ACTOR)
    event.refresh_from_db()
    assert event.state == Event.State.OPEN


def test_sent_twice_it_is_one_event() -> None:
    tournament = a_tournament()
    by = a_director(tournament)
    beginning = READY_MADE_EVENTS[0].make_template(tournament, timezone.now())
    one, other = (create_event_from_template(tournament, beginning, by=by, key="k") for _turn in range(2))
    assert one == other and tournament.events.count() == 1
    assert AuditEntry.objects.filter(tournament=tournament).count() == 3, "created, format, rule sheet"


def test_all_or_nothing() -> None:
    tournament = a_tournament()
    beginning = READY_MADE_EVENTS[0].make_template(tournament, timezone.now())
    bad = type(beginning)(settings=beginning.settings, format="no-such", options={}, rules=beginning.rules)
    with pytest.raises(DomainError):
        create_event_from_template(tournament, bad, by=a_director(tournament), key="k")
    assert tournament.events.count() == 0


def test_another_choice_replaces_the_draft_whole() -> None:
    tournament = a_tournament(starts_on=dt.date(2099, 5, 1), ends_on=dt.date(2099, 5, 2))
    event = begin(tournament, "gra-singles")
    assert event.early_fee_cents == 275_00 and event.closes_at is not None
    couples = find_ready_made_event("couples")
    assert couples is not None
    by = a_director(tournament)
    changed = apply_template_to_draft(event, couples.make_template(tournament, timezone.now()), by=by)
    assert (changed.pk, changed.slug) == (event.pk, event.slug)
    assert (changed.early_fee_cents, changed.fee_cents, changed.approvals) == (None, 20_00, [])
    open_registration(changed, by=by)
    changed.refresh_from_db()
    with pytest.raises(DomainError):
        apply_template_to_draft(changed, couples.make_template(tournament, timezone.now()), by=by)


def test_a_copy_has_everything_but_the_entrants() -> None:
    then = a_tournament(starts_on=dt.date(2025, 11, 1), ends_on=dt.date(2025, 11, 2))
    former = begin(then, "gra-partnership")
    by = a_director(then)
    save_rule_sheet(former, ChosenRules("gra-partnership", {}, remarks="No phones."), by=by)
    Event.objects.filter(pk=former.pk).update(early_fee_cents=250_00, early_until=dt.date(2025, 10, 20), capacity=40)
    former.refresh_from_db()
    senior = SidePoolTerms("Senior", 20_00, "90", ("60", "40"), "60 and over")
    add_side_pool(former, senior, by=by)
    add_event_extra(former, EventExtraTerms("Dinner", 35_00), by=by)
    now = a_tournament(starts_on=dt.date(2026, 11, 1), ends_on=dt.date(2026, 11, 2))
    made = create_event_from_template(now, make_template_from_event(former, now), by=a_director(now), key="c")
    assert (made.name, made.entry_size, made.capacity, made.prize_scale) == (
        former.name, 2, 40, former.prize_scale,
    )  # fmt: skip
    assert made.early_until == dt.date(2026, 10, 20), "as long before the first day"
    assert made.plan == former.plan and made.approvals == former.approvals
    sheet = load_current_rule_sheet(made)
    assert sheet is not None and sheet.remarks == "No phones."
    assert made.entrants.count() == 0
    assert [SidePoolTerms(**read_side_pool_terms(pool)) for pool in made.side_pools.all()] == [senior]
    assert [(extra.name, extra.price_cents) for extra in made.extras.all()] == [("Dinner", 35_00)]
    apply_template_to_draft(
        made, find_ready_made_event("couples").make_template(now, timezone.now()), by=a_director(now)
    )  # type: ignore[union-attr]
    assert not made.side_pools.exists() and not made.extras.exists()


def test_only_events_that_the_person_may_see_can_be_copied() -> None:
    mine, others = an_event(), an_event()
    user = a_user("desk", mine.tournament)
    assert load_earlier_events(user) == [mine]
    assert others not in load_earlier_events(user)


def test_the_gallery_leads_to_the_first_step(client: Client) -> None:
    tournament = a_tournament()
    user = a_user("director", tournament)
    client.force_login(user)
    gallery = reverse("scoring:ready_events", kwargs={"tournament": tournament.slug})
    page = client.get(gallery)
    assert page.content.decode().count('<img class="paper"') == len(READY_MADE_EVENTS)
    key = page.context["form"]["key"].initial
    for _turn in range(2):
        said = client.post(gallery, {"key": key, "ready": "captain"})
        assert said["Location"].endswith("/captain/setup/what/")
    assert tournament.events.count() == 1
    assert client.post(gallery, {"key": key, "ready": "bridge"}).status_code == 422


def test_who_may_not_direct_begins_nothing(client: Client) -> None:
    tournament = a_tournament()
    client.force_login(a_user("desk", tournament))
    gallery = reverse("scoring:ready_events", kwargs={"tournament": tournament.slug})
    assert client.post(gallery, {"key": "k", "ready": "captain"}).status_code == 403
    assert tournament.events.count() == 0
