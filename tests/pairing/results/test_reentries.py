"""Players who are out enter again for a separate fee, if the event's format allows late entries."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairing.results.services.late_entries import take_over_bye
from pairing.stages.selectors.course import load_event_stages
from scoring.today.pages.next_step import choose_next_step
from scoring.today.selectors.attention_items import AttentionItemKind
from scoring.today.selectors.today import load_next_step_facts, load_today_content
from tests.factories import an_entrant
from tests.kit import client_as, fresh, fresh_entrant
from tests.pairing.helpers.events import an_event_in_play, win
from tests.pairing.helpers.stages import course_of, progress_of
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_entry_account, load_prize_pool
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.player import make_entry_steps
from tournament.registration.services.entries import EntryRequest, add_entry, withdraw_entrant
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db


@prebuilt
def again(event: Event, number: int) -> Entrant:
    player = event.entrants.get(number=number).members.get().player
    return add_entry(fresh(event), EntryRequest((Person(player.name, player.email),), is_reentry=True), by=SYSTEM_ACTOR)


def refusal(event: Event, number: int) -> str:
    with pytest.raises(DomainError) as refusal:
        again(event, number)
    return refusal.value.code


@prebuilt
def an_event_with_re_entries(**fields: int) -> Event:
    """Return a bracket of five entries, which has byes. The fee is $300."""
    event = an_event_in_play(5, reentry=True, **fields)
    Event.objects.filter(pk=event.pk).update(fee_cents=300_00)
    return fresh(event)


def first_result(event: Event) -> tuple[int, int]:
    """Play the first match, and return its winner and its loser."""
    progress = progress_of(event)
    ident = progress.ready[0].match.id
    win(event, ident)
    view = course_of(event).progress
    assert view is not None and view[ident].winner is not None
    return view[ident].winner, view[ident].losers[0]


def test_who_lost_enters_again_for_the_fee_of_a_re_entry_and_takes_an_open_bye() -> None:
    event = an_event_with_re_entries(reentry_fee_cents=100_00)
    playing = load_event_stages(event).entries[0]
    assert refusal(event, playing) == "still-in"
    winner, loser = first_result(event)
    assert refusal(event, winner) == "still-in"
    entrant = again(event, loser)
    assert entrant.reentry_of is not None
    assert (entrant.reentry_of.number, load_entry_account(entrant).owed_cents) == (loser, 100_00)
    before = load_prize_pool(fresh(event)).pool_cents
    take_payment(entrant, 100_00, "cash", by=SYSTEM_ACTOR, key="")
    assert load_prize_pool(fresh(event)).pool_cents == before + 82_00
    assert refusal(event, loser) == "still-in", "the second entry plays now"
    take_over_bye(entrant, by=SYSTEM_ACTOR, reason="entered again")
    progress = progress_of(event)
    assert entrant.number in progress.bracket.entries


def test_without_a_fee_of_its_own_a_re_entry_costs_what_an_entry_does() -> None:
    event = an_event_with_re_entries()
    _winner, loser = first_result(event)
    assert load_entry_account(again(event, loser)).owed_cents == 300_00


def test_a_pool_takes_who_withdrew_and_a_bracket_without_byes_nobody() -> None:
    pool = an_event_in_play(4, format="swiss", format_options={"rounds": 3}, reentry=True)
    assert refusal(pool, 1) == "still-in"
    withdraw_entrant(
        pool.entrants.select_related("event__tournament").get(number=1), by=SYSTEM_ACTOR, reason="called away"
    )
    assert again(pool, 1).number == 5
    full = an_event_in_play(4, reentry=True)
    _winner, loser = first_result(full)
    assert refusal(full, loser) == "drawn"


def test_the_desk_reads_the_fee_and_players_are_not_asked_before_the_draw() -> None:
    event = an_event_in_play(5, reentry=True, reentry_fee_cents=100_00)
    desk = client_as("desk", event)
    slugs = [event.tournament.slug, event.slug]
    assert (
        "The fee of a re-entry is $100.00." in desk.get(reverse("tournament:new_entrant", args=slugs)).content.decode()
    )
    Event.objects.filter(pk=event.pk).update(state=Event.State.OPEN)
    assert "re-entry" not in Client().get(reverse("tournament:register", args=slugs)).content.decode()


def test_a_re_entry_that_is_checked_in_and_in_no_match_is_the_next_step() -> None:
    # If staff assigned tables first, the last bye that the reentry could take over would be gone.
    event = an_event_with_re_entries(reentry_fee_cents=100_00)
    _winner, loser = first_result(event)
    entrant = again(event, loser)
    take_payment(entrant, 100_00, "cash", by=SYSTEM_ACTOR, key="")
    set_check_in_status(entrant, by=SYSTEM_ACTOR)
    assert [step["label"] for step in make_entry_steps(fresh_entrant(entrant))][-2:] == [
        "Checked in",
        "Waiting for a place",
    ]
    facts = load_next_step_facts(fresh(event), timezone.now())
    step = choose_next_step(facts, frozenset({"look", "desk", "direct"}))
    assert (step.label, step.page) == ("Add the late entry", "pairing:desk_late_bye")
    said = [item.text for item in load_today_content(fresh(event), timezone.now()).items if item.kind == "late"]
    assert said == [f"{entrant.name} is checked in and in no match yet."]
    take_over_bye(fresh_entrant(entrant), by=SYSTEM_ACTOR, reason="entered again")
    assert make_entry_steps(fresh_entrant(entrant))[-1] == {"label": "Drawn", "state": "done", "note": ""}
    assert load_next_step_facts(fresh(event), timezone.now()).count_open_cases(AttentionItemKind.LATE_ENTRY) == 0


def test_where_no_bye_is_left_today_says_what_to_do() -> None:
    event = an_event_in_play(4, reentry=True)
    late = an_entrant(event, "Late Larry", number=99, arrived=True)
    items = load_today_content(fresh(event), timezone.now()).items
    assert [(item.kind, item.query) for item in items if late.name in item.text] == [
        (AttentionItemKind.UNPLACED, "?q=99")
    ]
