"""Staff have a single next step in each state of an event, from an empty database to the last payout."""

from __future__ import annotations

from typing import Final

import pytest
from django.test import Client
from django.urls import reverse

from scoring.today.pages.next_step import choose_next_step, iter_possible_steps
from scoring.today.selectors.attention_items import AttentionItemKind
from scoring.today.selectors.today import NextStepFacts
from tests.factories import a_tournament, a_user
from tournament.core.permissions import ROLES_BY_ACTION
from tournament.models import Event
from tournament.setup.words import REQUIRED_ACTION_BY_PAGE, NextStep, find_first_setup_step

DIRECTOR: Final = frozenset(ROLES_BY_ACTION)
VOLUNTEER: Final = frozenset({"desk", "look"})
GUEST: Final = frozenset({"look"})
PAIRINGS: Final = NextStep("Make pairings in “Pool”", "…", "pairing:desk_pairing")

STATES: Final = {
    "setup unfinished": (NextStepFacts(state="draft", setup_left="money"), "Continue setup", "Continue setup"),
    "a draft": (NextStepFacts(state="draft"), "Open registration", "Open registration"),
    "open, nobody in": (NextStepFacts(state="open"), "Add players", "Add players"),
    "open, all wait for approval": (
        NextStepFacts(state="open", open_case_counts={AttentionItemKind.APPROVAL: 2}),
        "Approve entrants",
        "Add players",
    ),
    "closed, all wait for approval": (
        NextStepFacts(state="closed", entry_count=1, open_case_counts={AttentionItemKind.APPROVAL: 2}),
        "Approve entrants",
        "Approve entrants",
    ),
    "open": (NextStepFacts(state="open", entry_count=8), "Close registration", "Close registration"),
    "open, some wait for approval": (
        NextStepFacts(state="open", entry_count=8, open_case_counts={AttentionItemKind.APPROVAL: 9}),
        "Approve entrants",
        "Approve entrants",
    ),
    "closed, partners drawn and not posted": (
        NextStepFacts(state="closed", entry_count=8, open_case_counts={AttentionItemKind.PARTNERS_DRAWN: 1}),
        "Post the partners",
        "Post the partners",
    ),
    "playing, a late entry in no match": (
        NextStepFacts(state="in-play", open_case_counts={AttentionItemKind.LATE_ENTRY: 1, AttentionItemKind.TABLE: 2}),
        "Add the late entry",
        "Add the late entry",
    ),
    "finished, fees owed": (
        NextStepFacts(state="finished", open_case_counts={AttentionItemKind.UNPAID: 1}),
        "Collect the fees",
        "Collect the fees",
    ),
    "open, not checked in": (
        NextStepFacts(state="open", entry_count=8, open_case_counts={AttentionItemKind.ABSENT: 3}),
        "Close registration",
        "Check in players",
    ),
    "closed with nobody": (NextStepFacts(state="closed"), "Add players", "Add players"),
    "closed, partners to draw": (
        NextStepFacts(
            state="closed", entry_count=8, open_case_counts={AttentionItemKind.SEEKING: 2, AttentionItemKind.ABSENT: 1}
        ),
        "Draw partners",
        "Draw partners",
    ),
    "closed, not checked in": (
        NextStepFacts(
            state="closed", entry_count=8, open_case_counts={AttentionItemKind.ABSENT: 1, AttentionItemKind.UNPAID: 2}
        ),
        "Check in players",
        "Check in players",
    ),
    "closed, owing": (
        NextStepFacts(state="closed", entry_count=8, open_case_counts={AttentionItemKind.UNPAID: 2}),
        "Collect the fees",
        "Collect the fees",
    ),
    "closed, the list changed": (
        NextStepFacts(state="closed", entry_count=8, open_case_counts={AttentionItemKind.ENTRANT_LIST_SEAL: 1}),
        "Seal the list again",
        "Seal the list again",
    ),
    "closed, no seeds": (
        NextStepFacts(state="closed", entry_count=8, open_case_counts={AttentionItemKind.SEEDS: 1}),
        "Name the seeds",
        "Name the seeds",
    ),
    "checked in, not drawn": (NextStepFacts(state="closed", entry_count=8), "Make the draw", "Make the draw"),
    "drawn, not posted": (
        NextStepFacts(
            state="closed", entry_count=8, open_case_counts={AttentionItemKind.DRAWN: 1, AttentionItemKind.UNPAID: 1}
        ),
        "Post the draw",
        "Post the draw",
    ),
    "posted, not started": (
        NextStepFacts(state="drawn", entry_count=8),
        "Start play and assign tables",
        "Start play and assign tables",
    ),
    "playing, tables free": (
        NextStepFacts(state="in-play", open_case_counts={AttentionItemKind.TABLE: 2}),
        "Assign tables",
        "Assign tables",
    ),
    "playing, in a pool": (
        NextStepFacts(state="in-play", stage_step=PAIRINGS, open_case_counts={AttentionItemKind.TABLE: 1}),
        PAIRINGS.label,
        PAIRINGS.label,
    ),
    "playing": (NextStepFacts(state="in-play"), "Follow the score cards", "Follow the score cards"),
    "playing, a call": (
        NextStepFacts(
            state="in-play", open_case_counts={AttentionItemKind.DIRECTOR_CALL: 1, AttentionItemKind.RULING: 1}
        ),
        "Answer the call",
        "Answer the call",
    ),
    "playing, a dispute": (
        NextStepFacts(state="in-play", open_case_counts={AttentionItemKind.RULING: 1, AttentionItemKind.TABLE: 1}),
        "Make the ruling",
        "Assign tables",
    ),
    "playing, entries to confirm": (
        NextStepFacts(state="in-play", open_case_counts={AttentionItemKind.ENTRY_TO_CONFIRM: 2}),
        "Confirm 2 entries",
        "Confirm 2 entries",
    ),
    "playing, cards unsigned": (
        NextStepFacts(state="in-play", open_case_counts={AttentionItemKind.UNSIGNED: 1}),
        "Collect the signatures",
        "Collect the signatures",
    ),
    "decided": (NextStepFacts(state="in-play", is_decided=True), "Finish the event", "Finish the event"),
    "decided, in the correction period": (
        NextStepFacts(state="in-play", is_decided=True, open_case_counts={AttentionItemKind.CORRECTION: 1}),
        "Finish the event",
        "Finish the event",
    ),
    "decided, a dispute": (
        NextStepFacts(
            state="in-play",
            is_decided=True,
            open_case_counts={AttentionItemKind.RULING: 1, AttentionItemKind.ENTRY_TO_CONFIRM: 1},
        ),
        "Make the ruling",
        "Confirm 1 entry",
    ),
    "finished, payouts open": (
        NextStepFacts(state="finished", open_case_counts={AttentionItemKind.PRIZE: 3}),
        "Pay 3 prizes",
        "See the results",
    ),
    "finished, paid wrong": (
        NextStepFacts(
            state="finished", open_case_counts={AttentionItemKind.WRONG_PAYOUT: 1, AttentionItemKind.PRIZE: 1}
        ),
        "Settle the payout",
        "See the results",
    ),
    "finished, money to hand back": (
        NextStepFacts(state="finished", open_case_counts={AttentionItemKind.MONEY_TO_RETURN: 1}),
        "Refund the money",
        "See the results",
    ),
    "payouts done": (NextStepFacts(state="finished"), "See the results", "See the results"),
}


@pytest.mark.parametrize("state", STATES)
def test_every_state_has_its_one_next_step(state: str) -> None:
    facts, director, volunteer = STATES[state]
    assert (choose_next_step(facts, DIRECTOR).label, choose_next_step(facts, VOLUNTEER).label) == (director, volunteer)


def test_the_first_steps_begin_with_an_empty_database() -> None:
    found = [find_first_setup_step(0, 0), find_first_setup_step(1, 0), find_first_setup_step(1, 1)]
    assert [step and step.label for step in found] == ["Set up a tournament", "Add the first event", None]


@pytest.mark.parametrize("state", STATES)
def test_whoever_may_look_is_told_something(state: str) -> None:
    assert choose_next_step(STATES[state][0], GUEST).text


def test_the_finish_is_blocked_by_all_that_is_open() -> None:
    step = choose_next_step(STATES["decided, in the correction period"][0], DIRECTOR)
    expected = {
        AttentionItemKind.CORRECTION,
        AttentionItemKind.AGAINST_RESULT,
        AttentionItemKind.RULING,
        AttentionItemKind.MONEY_TO_RETURN,
        AttentionItemKind.NOT_POSTED,
        AttentionItemKind.ENTRY_TO_CONFIRM,
        AttentionItemKind.DIRECTOR_CALL,
    }
    assert expected <= step.blocked_by


@pytest.mark.parametrize("code", AttentionItemKind)
def test_a_finished_event_is_not_done_while_anything_is_open(code: AttentionItemKind) -> None:
    said = [step.text for step in iter_possible_steps(NextStepFacts(state="finished", open_case_counts={code: 1}))]
    assert "Every prize is paid. This event is done." not in said
    assert (
        choose_next_step(NextStepFacts(state="finished"), DIRECTOR).text == "Every prize is paid. This event is done."
    )


def test_who_owes_can_be_drawn_all_the_same() -> None:
    step = choose_next_step(STATES["closed, owing"][0], DIRECTOR)
    assert step.instead is not None and step.instead.label == "Make the draw"


@pytest.mark.django_db
def test_what_a_page_needs_is_what_it_asks_for() -> None:
    """A user without the listed permission gets an error. Pages that are not listed are open to all staff."""
    tournament = a_tournament()
    event = Event.objects.create(tournament=tournament, slug="e", name="E")
    clients = {"direct": Client(), "desk": Client(), "look": Client()}
    for act, role in (("direct", "coordinator"), ("desk", "hotel")):
        clients[act].force_login(a_user(role, tournament))
    more = {
        "tournament:event_setup": {"step": "what"},
        "pairing:desk_decide": {"ident": "R1M1"},
        "tournament:desk_message": {"pk": "1"},
    }
    for page, act in REQUIRED_ACTION_BY_PAGE.items():
        kwargs = {"tournament": tournament.slug, "event": event.slug, **more.get(page, {})}
        if page in ("scoring:ready_events", "tournament:desk_job_again", "tournament:desk_backups"):
            kwargs = {"tournament": tournament.slug} | ({"pk": "1"} if "job" in page else {})
        answer = clients[act].post(reverse(page, kwargs=kwargs))
        assert answer.status_code == 403, (page, act)
