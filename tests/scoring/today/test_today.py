"""*Today* shows staff the next step and what blocks it, and is never “all caught up” while something is open."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from pairing.blind_draw.services import make_draw
from pairing.results.services.finish import finish_event
from tests.factories import a_tournament, a_user
from tests.kit import event_url, fresh
from tests.page_forms import read_html
from tests.pairing.helpers.events import a_closed_event, a_posted_event, an_open_event, win
from tests.scoring.helpers.corrected_sheets import turned
from tests.scoring.helpers.disputes import called
from tests.scoring.helpers.playing import an_event_in_play, post, the_card
from tests.scoring.helpers.today import CAUGHT_UP, signed_in, today
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.services.jobs import fail_job, finish_job, request_job
from tournament.messages.services import MessageDraft, record_delivery, record_phone_call, send_message
from tournament.models import Event, Job, Tournament, User
from tournament.money.services.payouts import pay_prize
from tournament.setup.services.tournaments import create_event

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("waiting", [1, 2])
def test_the_next_step_leads_straight_to_a_dispute_that_waits_alone(waiting: int) -> None:
    event = an_event_in_play()
    disputes = [called(the_card(event), "conduct", by=side) for side in "AB"[:waiting]]
    client = signed_in(a_user("director", event.tournament))
    page = read_html(today(event, client=client))
    links = page.xpath('//a[contains(@href, "/rulings/?")]/@href')
    alone = event_url("scoring:desk_ruling", event, dispute=disputes[0].pk)
    assert len(links) == 2  # the step, and what needs attention
    for link in links:
        last = client.get(link, follow=True).request["PATH_INFO"]
        assert last == (alone if waiting == 1 else event_url("scoring:desk_rulings", event))


def a_failed_job(event: Event, user: User) -> Job:
    job = request_job(event, kind="cards", title="Score cards", task="none", parameters={}, by=make_staff_actor(user))
    fail_job(job, "The disk is full.")
    return job


def test_a_failed_job_is_shown_to_whom_it_concerns_and_tried_again() -> None:
    event = an_open_event()
    asked, other = a_user("desk", event.tournament), a_user("desk", event.tournament)
    job = a_failed_job(event, asked)
    again = reverse("tournament:desk_job_again", kwargs={"tournament": event.tournament.slug, "pk": job.pk})
    for said in (today(event), today(event, client=signed_in(asked))):
        assert "“Score cards” failed. The disk is full." in said and again in said and CAUGHT_UP not in said
    assert again not in today(event, client=signed_in(other))
    answer = signed_in(asked).post(again)
    job.refresh_from_db()
    assert (answer.status_code, job.state, job.message) == (302, Job.State.QUEUED, "")
    assert again not in today(event)


def test_a_job_that_was_done_anew_is_no_longer_said_to_have_failed() -> None:
    event = an_open_event()
    user = a_user("director", event.tournament)
    a_failed_job(event, user)
    assert "The disk is full." in today(event, client=signed_in(user))
    finish_job(
        request_job(event, kind="cards", title="Score cards", task="none", parameters={}, by=make_staff_actor(user)),
        "c.pdf",
        b"%PDF",
    )
    assert "The disk is full." not in today(event, client=signed_in(user))


def test_emails_that_could_not_be_sent_are_to_be_called() -> None:
    event = an_open_event(2)
    director = a_user("director", event.tournament)
    letter = MessageDraft("Start at nine", "We start at nine.", "in")
    message = send_message(event, letter, by=make_staff_actor(director), key="k")
    ada, alan = message.copies.order_by("pk")
    client = signed_in(director)
    assert "could not be sent" not in today(event, client=client)
    record_delivery(ada, error="mailbox is full")
    record_delivery(alan)
    said = today(event, client=client)
    assert (
        "“Start at nine”: 1 email could not be sent. Try again, or call the player." in said and CAUGHT_UP not in said
    )
    assert f'href="{event_url("tournament:desk_message", event, pk=message.pk)}"' in said
    record_phone_call(ada, by=make_staff_actor(director))
    assert "could not be sent" not in today(event, client=client)


def test_a_draw_that_is_not_posted_is_the_next_step_and_needs_attention() -> None:
    event = a_closed_event()
    assert CAUGHT_UP in today(event)
    make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
    said = today(event)
    assert "Next: Post the draw" in said and "The draw is made, but not posted." in said and CAUGHT_UP not in said


def test_the_correction_period_blocks_the_finish_until_it_is_over() -> None:
    event = an_event_in_play()
    post(the_card(event))
    said = today(event)
    assert "Next: Finish the event" in said and "What is blocking this step" in said
    assert "The correction period of 1 score card still runs" in said and CAUGHT_UP not in said


def test_a_card_that_disagrees_with_the_result_blocks_the_finish() -> None:
    event = an_event_in_play()
    post(the_card(event))
    turned(event, ident="R1M1")
    said = today(event)
    assert "Next: Finish the event" in said and "What is blocking this step" in said
    assert "the card was corrected to Ada 0 – 95 Alan and waits for signatures" in said and CAUGHT_UP not in said


def test_a_setup_that_was_left_is_gone_on_with() -> None:
    tournament = a_tournament()
    director = signed_in(a_user("director", tournament))
    made = create_event(tournament, by=SYSTEM_ACTOR, in_steps=True, slug="e", name="Spring Open")
    assert "Next: Continue setup" in today(made, client=director)
    facts = {"name": "Spring Open", "slug": "e", "later": "1"}
    director.post(event_url("tournament:event_setup", made, step="what"), facts)
    said = today(fresh(made), client=director)
    assert "Next: Continue setup" in said and event_url("tournament:event_setup", made, step="who") in said


def test_the_last_payout_ends_it() -> None:
    event = an_event_in_play()
    Event.objects.filter(pk=event.pk).update(added_cents=100_00, prize_scale=["100"])
    win(event, "R1M1")
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    said = today(fresh(event))
    assert "Next: Pay the prize" in said and "1 prize is still to be paid: $100.00" in said and CAUGHT_UP not in said
    pay_prize(fresh(event).entrants.select_related("event__tournament").get(number=1), "cash", by=SYSTEM_ACTOR)
    said = today(fresh(event))
    assert "Every prize is paid. This event is done." in said and CAUGHT_UP in said


def test_a_volunteer_is_not_sent_where_they_would_be_refused() -> None:
    event = a_closed_event()
    said = today(event, "desk")
    assert "Next: Make the draw" in said and "A director does this next." in said
    assert f'href="{event_url("pairing:desk_draw", event)}"' not in said


def test_an_empty_database_offers_the_first_step() -> None:
    user = a_user()
    said = signed_in(user).get(reverse("tournament:desk")).content.decode()
    assert said.count(reverse("tournament:new_tournament")) == 1 and "Set up a tournament" in said
    tournament = Tournament.objects.create(
        slug="t", name="T", venue="V", starts_on=timezone.now(), ends_on=timezone.now()
    )
    director = signed_in(a_user("director", tournament))
    page = reverse("tournament:today", kwargs={"tournament": tournament.slug})
    assert "Add the first event" in director.get(page).content.decode()
    assert (
        "A director of this tournament adds the first one."
        in signed_in(a_user("desk", tournament)).get(page).content.decode()
    )


def test_pages_that_end_a_step_offer_the_next() -> None:
    event = a_posted_event()
    user = a_user("director", event.tournament)
    job = a_failed_job(event, user)
    place = {"tournament": event.tournament.slug, "pk": job.pk}
    for page in (event_url("pairing:desk_draw", event), reverse("tournament:desk_job", kwargs=place)):
        assert "Next: Start play and assign tables" in signed_in(user).get(page).content.decode(), page


@pytest.mark.parametrize(("entrants", "rows"), [(8, 4), (16, 1)])
def test_half_a_hall_that_runs_late_is_one_row(entrants: int, rows: int) -> None:
    event = an_event_in_play([f"Player {number:02}" for number in range(1, entrants + 1)])
    director = signed_in(a_user("director", event.tournament))
    with time_machine.travel(timezone.now() + timedelta(hours=3), tick=False):
        said = today(event, client=director)
    assert said.count(": in play for 180 minutes") == (rows if rows > 1 else 0)
    together = "8 matches have been in play for 180 minutes or more"
    assert (together in said, f"{event_url('scoring:desk_cards', event)}?only=overdue" in said) == (
        rows == 1,
        rows == 1,
    )


@pytest.mark.parametrize("page", ["scoring:desk_cards", "scoring:desk_card"])
def test_where_no_card_is_open_any_more_the_next_step_is_offered(page: str) -> None:
    event = an_event_in_play()
    client = signed_in(a_user("director", event.tournament))
    assert "No score card is open." not in client.get(event_url(page, event)).content.decode()
    post(the_card(event))
    said = client.get(event_url(page, event)).content.decode()
    assert "No score card is open." in said and "Next: Finish the event" in said


def test_the_last_payout_offers_the_results() -> None:
    event = an_event_in_play()
    Event.objects.filter(pk=event.pk).update(added_cents=100_00, prize_scale=["100"])
    win(event, "R1M1")
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    client = signed_in(a_user("director", event.tournament))
    assert "Next: " not in client.get(event_url("tournament:desk_prizes", event)).content.decode()
    pay_prize(fresh(event).entrants.select_related("event__tournament").get(number=1), "cash", by=SYSTEM_ACTOR)
    said = client.get(event_url("tournament:desk_prizes", event)).content.decode()
    assert "Next: See the results" in said and "Every prize is paid. This event is done." in said
