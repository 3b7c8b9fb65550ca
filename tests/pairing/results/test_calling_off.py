"""An event is called off. Everybody is notified, all money is due back, and the event can be reinstated."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairing.results.services.finish import call_off_event, finish_event, preview_call_off, reinstate_event
from pairing.stages.services.plans import choose_format
from scoring.today.pages.next_step import choose_next_step
from scoring.today.selectors.today import load_today_content
from tests.factories import a_director, an_event
from tests.kit import event_url, fresh, refused
from tests.pairing.helpers.events import an_event_in_play, win
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.tournament.helpers.money import DINNER, charged, paid
from tests.tournament.helpers.side_pools import SENIOR
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Message, MessageCopy
from tournament.money.selectors.ledger import (
    load_entry_account,
    load_event_accounts,
    load_prize_breakdown,
    load_prize_pool,
)
from tournament.money.services import fees_and_refunds
from tournament.money.services.fees_and_refunds import refund_all_entries
from tournament.money.services.side_pools import add_event_extra, add_side_pool, join_side_pool, sell_event_extra
from tournament.registration.services.entries import withdraw_entrant

WHY = "The air conditioning failed"


@prebuilt
def a_paid_event() -> Event:
    """Return an event in which one entry paid $300, and another $400 including a side pool and a dinner.

    A third entry is complimentary, and a fourth has not paid.
    """
    event = an_event(guarantee_cents=900_00)
    paid(event)
    full, guest, _late = paid(event), charged(event), charged(event)
    join_side_pool(add_side_pool(event, SENIOR, by=SYSTEM_ACTOR), full, by=SYSTEM_ACTOR)
    sell_event_extra(add_event_extra(event, DINNER, by=SYSTEM_ACTOR), full, by=SYSTEM_ACTOR, key="")
    fees_and_refunds.take_payment(full, load_entry_account(full).due_cents, "card", by=SYSTEM_ACTOR, key="")
    fees_and_refunds.discount_or_waive_fee(guest, None, by=SYSTEM_ACTOR, reason="past champion", key="")
    return fresh(event)


def all_good(event: Event) -> bool:
    return all(check.passed for check in verify_event(fresh(event)))


@pytest.mark.django_db
class TestCalledOff:
    @pytest.mark.parametrize("page", ["tournament:prizes", "tournament:desk_prizes", "tournament:desk_whole_money"])
    def test_fixed_prizes_are_no_longer_owed(self, page: str, admin_client: Client) -> None:
        event = an_event(prizes_by=Event.PrizesBy.FLAT, flat_cents=[500_00, 300_00])
        paid(event)
        call_off_event(event, by=SYSTEM_ACTOR, reason=WHY, key="k")
        assert admin_client.get(event_url(page, event)).status_code == 200
        assert load_prize_breakdown(fresh(event)).places_cents == (load_prize_pool(fresh(event)).pool_cents,)

    def test_everybody_is_told_and_all_money_is_due_back(self) -> None:
        event = a_paid_event()
        kept = load_event_accounts(event).total.net_paid_cents
        assert preview_call_off(event)[1] == kept > 600_00
        off = call_off_event(event, by=a_director(event.tournament), reason=WHY, key="k")
        assert (
            call_off_event(event, by=a_director(event.tournament), reason=WHY, key="k").state
            == off.state
            == "called-off"
        )
        books = load_event_accounts(fresh(event))
        assert (books.total.refund_due_cents, books.total.due_cents, books.total.charged_cents) == (kept, 0, 0)
        pool = load_prize_pool(fresh(event))
        assert (pool.pool_cents, pool.expenses_cents, pool.subsidy_cents) == (0, 0, 0)
        assert Message.objects.get().copies.count() == 4
        assert WHY in Message.objects.get().body
        assert all_good(event)
        assert refund_all_entries(fresh(event), kept, by=SYSTEM_ACTOR, reason=WHY) == 2
        assert load_event_accounts(fresh(event)).total.net_paid_cents == 0
        assert all_good(event)

    def test_brought_back_it_stands_as_before(self) -> None:
        event = a_paid_event()
        before = load_event_accounts(event).accounts
        with refused("not-called-off"):
            reinstate_event(event, by=SYSTEM_ACTOR, reason="it works again")
        call_off_event(event, by=SYSTEM_ACTOR, reason=WHY)
        with refused("reason-needed"):
            reinstate_event(fresh(event), by=SYSTEM_ACTOR, reason=" ")
        assert reinstate_event(fresh(event), by=SYSTEM_ACTOR, reason="it works again").state == Event.State.OPEN
        assert load_event_accounts(fresh(event)).accounts == before
        assert Message.objects.count() == 2
        assert all_good(event)
        call_off_event(fresh(event), by=SYSTEM_ACTOR, reason="it failed again")
        assert load_event_accounts(fresh(event)).total.charged_cents == 0

    def test_nothing_else_is_recorded_meanwhile(self) -> None:
        event = an_event_in_play(4)
        call_off_event(event, by=SYSTEM_ACTOR, reason=WHY)
        entrant = event.entrants.select_related("event__tournament").first()
        assert entrant is not None
        for act in (
            lambda: win(fresh(event), "R1M1"),
            lambda: fees_and_refunds.take_payment(entrant, 1_00, "cash", by=SYSTEM_ACTOR, key=""),
            lambda: withdraw_entrant(entrant, by=SYSTEM_ACTOR),
            lambda: finish_event(fresh(event), by=SYSTEM_ACTOR),
        ):
            with refused("called-off"):
                act()
        back = reinstate_event(fresh(event), by=SYSTEM_ACTOR, reason="it works again")
        assert back.state == Event.State.IN_PLAY
        win(fresh(event), "R1M1")

    @pytest.mark.parametrize("format_", ["single-elimination", "tables"])
    def test_public_pages_promise_no_draw_any_more(self, format_: str) -> None:
        event = a_paid_event()
        choose_format(event, format_, {}, by=SYSTEM_ACTOR)
        call_off_event(event, by=SYSTEM_ACTOR, reason=WHY)
        for name in ("pairing:bracket", "pairing:pairings", "pairing:standings", "pairing:draw", "pairing:wall"):
            address = event_url(name, event)
            page = Client().get(address, follow=True).content.decode()
            assert WHY in page, name
            for promise in ("still to come", "is still open", "will be here", "will appear here", "Not drawn yet"):
                assert promise not in page, (name, promise)

    @pytest.mark.parametrize("state", ["draft", "finished"])
    def test_a_draft_and_a_finished_event_are_not_called_off(self, state: str) -> None:
        event = an_event(state=state)
        with refused("no-such-door"):
            call_off_event(event, by=SYSTEM_ACTOR, reason=WHY)

    def test_what_was_shown_has_to_hold(self) -> None:
        event = a_paid_event()
        shown = preview_call_off(event)[2]
        paid(event)
        with refused("look-again"):
            call_off_event(event, by=SYSTEM_ACTOR, reason=WHY, previewed=shown)

    def test_a_fetched_panel_says_whether_the_event_is_called_off(self) -> None:
        event = a_paid_event()
        pages = reverse("tournament:event", args=[event.tournament.slug, event.slug])

        def said() -> str:
            return Client().get(pages, headers={"HX-Request": "true"}).headers["X-Called-Off"]

        assert said() == "0"
        call_off_event(event, by=SYSTEM_ACTOR, reason=WHY, previewed=preview_call_off(event)[2])
        assert said() == "1"

    def test_pages_and_today_say_it(self) -> None:
        event = a_paid_event()
        director, slugs = a_director(event.tournament), [event.tournament.slug, event.slug]
        client, url = Client(), reverse("pairing:desk_call_off", args=slugs)
        client.force_login(director.user)  # type: ignore[arg-type]
        shown = client.get(url).context
        assert (shown["told"], shown["by_phone"]) == (4, 4)
        sent = {"act": "off", "shown": shown["shown"], "key": "k"}
        assert "Enter why the event is called off." in client.post(url, sent).content.decode()
        assert client.post(url, sent | {"reason": WHY}).status_code == 302
        for name in ("tournament:event", "tournament:prizes", "tournament:desk_payments", "scoring:desk_today"):
            said = client.get(reverse(name, args=slugs)).content.decode()
            assert "Singles is called off." in said and WHY in said, name
        token = event.entrants.first().token  # type: ignore[union-attr]
        assert WHY in Client().get(reverse("tournament:my", args=[token])).content.decode()
        day = load_today_content(fresh(event), timezone.now())
        step = choose_next_step(day.facts, frozenset({"look", "desk", "direct"}))
        assert (step.label, [item.text for item in day.items]) == (
            "Refund the fees",
            [
                "4 players have no email. Call them and say that the event is called off.",
                "2 entries get their fees back:",
            ],
        )
        MessageCopy.objects.update(state=MessageCopy.State.TOLD)
        assert [item.text for item in load_today_content(fresh(event), timezone.now()).items] == [
            "2 entries get their fees back:"
        ]
        assert client.post(url, {"act": "back", "key": "b", "reason": "it works again"}).status_code == 302
        assert fresh(event).state == Event.State.OPEN


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def test_two_directors_call_it_off(self) -> None:
        event = a_paid_event()
        directors = [a_director(event.tournament) for _ in range(2)]
        codes = codes_of(*(lambda by=by: call_off_event(event, by=by, reason=WHY) for by in directors))
        assert codes == ["called-off", "done"]
        assert (MessageCopy.objects.count(), load_event_accounts(fresh(event)).total.charged_cents) == (4, 0)

    def test_a_payment_at_the_same_moment_is_due_back_or_refused(self) -> None:
        event = a_paid_event()
        entrant = event.entrants.select_related("event__tournament").get(number=4)
        codes = codes_of(
            lambda: call_off_event(event, by=SYSTEM_ACTOR, reason=WHY),
            lambda: fees_and_refunds.take_payment(entrant, 300_00, "cash", by=SYSTEM_ACTOR, key=""),
        )
        assert codes in (["called-off", "done"], ["done", "done"])
        total = load_event_accounts(fresh(event)).total
        assert total.refund_due_cents == total.net_paid_cents
