"""If a mistake is found after prizes were paid, staff correct the result, and see what each player owes or is owed."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.results.services.corrections import preview_decision_after_reopening
from pairing.results.services.finish import finish_event, reopen_event
from pairing.results.services.results import MatchDecision, decide_match
from pairing.stages.selectors.course import load_event_stages
from tests.factories import a_director, a_user
from tests.kit import client_as, event_url, fresh, get_page, refused
from tests.pairing.helpers.events import an_event_in_play, play_all, the_match
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_staff_actor
from tournament.core.selectors.log import check_log_chain, compute_fact_digest
from tournament.core.services.record import writing
from tournament.core.topics import add_topics_to_write
from tournament.errors import NotAllowed
from tournament.models import AuditEntry, Entrant, Event, PaidOut
from tournament.models.topic import EVERYBODY_TOPIC
from tournament.money.pdf.payouts import write_payout_list
from tournament.money.selectors.prizes import load_entrant_prize, load_prizes
from tournament.money.services.payouts import pay_prize, record_returned_excess, undo_payout
from tournament.purse.prizes import CentsRange

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return a finished event with four entries and prizes of $500, $300, and $100 for both losers in round 1."""
    event = an_event_in_play(4, added_cents=1_000_00)
    play_all(event)
    finish_event(event, by=SYSTEM_ACTOR)
    return fresh(event)


def placed(event: Event, place: int) -> Entrant:
    """Return the entrant in first or second place of the bracket."""
    progress = load_event_stages(fresh(event)).progress
    assert progress is not None
    final = progress["R2M1"]
    number = final.winner if place == 1 else final.losers[0]
    return event.entrants.select_related("event__tournament").get(number=number)


def other_winner(event: Event, **fields: Any) -> MatchDecision:
    return MatchDecision(
        match=the_match(event, "R2M1"),
        winner=placed(event, 2),
        cause=ResultCause.PLAYED,
        reason="the totals were swapped",
        override=True,
        **fields,
    )


@prebuilt
def corrected(event: Event) -> Event:
    """Reopen the event, let the other finalist win the final, finish the event again, and return it."""
    reopen_event(event, by=SYSTEM_ACTOR, reason="the totals of the final were swapped")
    decide_match(other_winner(event), by=SYSTEM_ACTOR)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    return fresh(event)


@prebuilt
def again(event: Event, entrant: Entrant) -> Entrant:
    return fresh(event).entrants.select_related("event__tournament").get(pk=entrant.pk)


def verified(event: Event) -> bool:
    return all(check.passed for check in verify_event(fresh(event)))


class TestUndo:
    def test_a_payout_is_undone_by_a_row_that_reverses_it_with_a_reason(self, event: Event) -> None:
        winner = placed(event, 1)
        paid = pay_prize(winner, "check", by=SYSTEM_ACTOR, key="k")
        undone = undo_payout(paid, by=SYSTEM_ACTOR, reason="handed to the wrong person", key="u")
        said = (undone.reverses, undone.cents, undone.method, undone.entrant, undone.reason)
        assert said == (paid, 500_00, "check", winner, "handed to the wrong person")
        assert PaidOut.objects.count() == 2
        assert load_prizes(event).paid_out_cents == 0
        row = AuditEntry.objects.latest("seq")
        assert (row.verb, row.reason) == ("prize.undone", "handed to the wrong person")
        assert verified(event)

    def test_it_is_paid_anew_afterwards(self, event: Event) -> None:
        winner = placed(event, 1)
        first = pay_prize(winner, "check", by=SYSTEM_ACTOR, key="k")
        undo_payout(first, by=SYSTEM_ACTOR, reason="the check was torn")
        again = pay_prize(winner, "cash", by=SYSTEM_ACTOR, key="other")
        assert (again.cents, again.method) == (500_00, "cash")
        assert load_prizes(event).paid_out_cents == 500_00
        assert verified(event)

    def test_sent_again_it_adds_nothing(self, event: Event) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR, key="k")
        undone = undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key="u")
        assert undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key="u") == undone
        with refused("undone-already"):
            undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key="v")
        with refused("undone-already"):
            undo_payout(undone, by=SYSTEM_ACTOR, reason="of that, too")
        assert PaidOut.objects.count() == 2

    def test_without_a_key_it_is_no_repeat(self, event: Event) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake")
        with refused("undone-already"):
            undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake")

    def test_one_key_beside_two_payouts_undoes_each(self, event: Event) -> None:
        for paid in [pay_prize(placed(event, place), "cash", by=SYSTEM_ACTOR) for place in (1, 2)]:
            assert undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key="one form").reverses == paid
        assert load_prizes(event).paid_out_cents == 0

    def test_the_log_has_the_digest_of_each_row(self, event: Event) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        for row in (paid, undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake")):
            data = AuditEntry.objects.get(verb=f"prize.{'undone' if row.reverses_id else 'paid'}").data
            assert data["paid_out"] == [{"pk": row.pk, "digest": compute_fact_digest(row)}]
            assert (data["rows"], data["cents"]) == ({str(row.pk): 500_00}, 500_00)

    def test_the_old_form_sent_again_is_not_taken_for_paid(self, event: Event) -> None:
        winner = placed(event, 1)
        undo_payout(pay_prize(winner, "cash", by=SYSTEM_ACTOR, key="k"), by=SYSTEM_ACTOR, reason="a mistake")
        with refused("undone-already"):
            pay_prize(winner, "cash", by=SYSTEM_ACTOR, key="k")

    @pytest.mark.parametrize("reason", ["", "  "])
    def test_it_needs_a_reason_and_a_director(self, event: Event, reason: str) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        with refused("reason-needed"):
            undo_payout(paid, by=SYSTEM_ACTOR, reason=reason)
        with pytest.raises(NotAllowed):
            undo_payout(paid, by=make_staff_actor(a_user("desk", event.tournament)), reason="x")

    def test_it_can_be_undone_while_the_event_is_open_again(self, event: Event) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="swapped")
        undo_payout(paid, by=SYSTEM_ACTOR, reason="they gave it back at once")
        assert load_prizes(fresh(event)).rows == ()


class TestReopened:
    @pytest.mark.parametrize("reason", ["", " \n"])
    def test_never_without_a_reason(self, event: Event, reason: str) -> None:
        pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        with refused("reason-needed"):
            reopen_event(event, by=SYSTEM_ACTOR, reason=reason)
        assert fresh(event).state == Event.State.FINISHED

    def test_with_a_reason_it_keeps_what_was_paid_and_writes_it_down(self, event: Event) -> None:
        winner = placed(event, 1)
        pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="the totals were swapped")
        row = AuditEntry.objects.latest("seq")
        assert (row.verb, row.reason) == ("event.reopened", "the totals were swapped")
        assert row.data["handed_over"] == {str(winner.number): 500_00}
        assert fresh(event).state == Event.State.IN_PLAY
        assert [(one.number, one.paid_cents) for one in load_prizes(fresh(event)).others] == [(winner.number, 500_00)]
        with refused("not-finished"):
            pay_prize(placed(event, 2), "cash", by=SYSTEM_ACTOR)

    def test_the_page_shows_what_was_handed_over_before_it_opens(self, event: Event) -> None:
        winner = placed(event, 1)
        pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        director, address = client_as("director", event), event_url("pairing:desk_reopen", event)
        asked = director.post(address, {"reason": "swapped"})
        said = asked.content.decode()
        assert (asked.status_code, fresh(event).state) == (422, Event.State.FINISHED)
        assert f"{winner.name}: $500.00" in said
        assert "swapped</textarea>" in said
        shown = f"{winner.number}:50000"
        assert f'name="shown" value="{shown}"' in said
        assert director.post(address, {"reason": " ", "shown": shown}).status_code == 422
        assert fresh(event).state == Event.State.FINISHED
        assert director.post(address, {"reason": "swapped", "shown": shown}).status_code == 302
        assert fresh(event).state == Event.State.IN_PLAY

    def test_only_a_director_opens_it(self, event: Event) -> None:
        pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        with pytest.raises(NotAllowed):
            reopen_event(event, by=make_staff_actor(a_user("desk", event.tournament)), reason="for fun")


class TestDifferences:
    def test_who_got_too_much_and_too_little_is_open_after_the_correction(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        for one in (first, second):
            pay_prize(one, "cash", by=SYSTEM_ACTOR)
        found = load_prizes(corrected(event))
        open_ones = {row.number: (row.to_pay_cents, row.to_get_back_cents) for row in found.wrong_awards}
        assert open_ones == {first.number: (0, 200_00), second.number: (200_00, 0)}
        assert (found.to_get_back_cents, found.awarded_cents) == (200_00, found.pool.pool_cents)
        assert verified(event)

    def test_the_rest_is_paid_and_the_excess_given_back_until_nothing_is_open(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        for one in (first, second):
            pay_prize(one, "check", by=SYSTEM_ACTOR)
        event = corrected(event)
        with refused("paid-too-much"):
            pay_prize(first, "cash", by=SYSTEM_ACTOR)
        assert pay_prize(second, "cash", by=SYSTEM_ACTOR, cents=200_00).cents == 200_00
        assert (
            record_returned_excess(first, by=SYSTEM_ACTOR, reason="gave it back in cash", key="b", cents=200_00)
            == 200_00
        )
        assert (
            record_returned_excess(first, by=SYSTEM_ACTOR, reason="gave it back in cash", key="b", cents=200_00)
            == 200_00
        )
        with refused("nothing-to-return"):
            record_returned_excess(first, by=SYSTEM_ACTOR, reason="once more")
        found = load_prizes(event)
        assert found.wrong_awards == ()
        assert {row.number: row.paid_cents for row in found.rows if row.paid_cents} == {
            first.number: 300_00,
            second.number: 500_00,
        }
        assert verified(event)

    def test_the_last_payouts_are_reversed_first_and_no_more_than_needed(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        pay_prize(second, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        pay_prize(second, "check", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="it was right after all")
        decide_match(other_winner(event), by=SYSTEM_ACTOR)
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert record_returned_excess(second, by=SYSTEM_ACTOR, reason="given back") == 200_00
        rows = [(row.cents, row.method, row.reverses_id is not None) for row in second.paid_out.order_by("pk")]
        assert rows == [(300_00, "cash", False), (200_00, "check", False), (200_00, "check", True)]
        assert placed(fresh(event), 1) == first
        assert verified(event)

    def test_what_is_missing_once_the_last_payout_is_reversed_is_paid_anew(self, event: Event) -> None:
        """The entrant got $300 and then $200, but the final prize is $400. So $200 is returned, and $100 is paid."""
        second = placed(event, 2)
        pay_prize(second, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        pay_prize(second, "check", by=SYSTEM_ACTOR)
        Event.objects.filter(pk=event.pk).update(added_cents=800_00)
        with refused("amount-changed"):
            record_returned_excess(second, by=SYSTEM_ACTOR, reason="x", cents=99_99)
        assert record_returned_excess(second, by=SYSTEM_ACTOR, reason="less was given", cents=100_00) == 100_00
        rows = [(row.cents, row.method, row.reverses_id is not None) for row in second.paid_out.order_by("pk")]
        assert rows[2:] == [(200_00, "check", True), (100_00, "check", False)]
        logged = AuditEntry.objects.get(verb="prize.returned").data
        assert (logged["cents"], list(logged["rows"].values())) == (100_00, [200_00, 100_00])
        with refused("nothing-to-return"):
            record_returned_excess(second, by=SYSTEM_ACTOR, reason="once more")
        assert verified(event)

    def test_an_amount_that_has_changed_is_not_paid(self, event: Event) -> None:
        winner = placed(event, 1)
        with refused("amount-changed"):
            pay_prize(winner, "cash", by=SYSTEM_ACTOR, cents=499_99)
        assert not PaidOut.objects.exists()

    def test_what_a_correction_would_change_shows_the_differences_first(self, event: Event) -> None:
        first = placed(event, 1)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        effects = preview_decision_after_reopening(other_winner(event))
        after = CentsRange(300_00, 300_00)
        assert [(one.entry, paid, one.after) for one, paid in effects.changed_paid_prizes] == [
            (first.number, 500_00, after)
        ]

    def test_what_was_undone_is_not_taken_for_handed_over(self, event: Event) -> None:
        undo_payout(pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR), by=SYSTEM_ACTOR, reason="a mistake")
        assert preview_decision_after_reopening(other_winner(event)).changed_paid_prizes == ()

    def test_somebody_without_a_prize_gives_back_all_of_it(self, event: Event) -> None:
        first = placed(event, 1)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        Event.objects.filter(pk=event.pk).update(added_cents=0)
        event = fresh(event)
        assert [(row.number, row.place, row.to_get_back_cents) for row in load_prizes(event).others] == [
            (first.number, "", 500_00)
        ]
        assert record_returned_excess(first, by=SYSTEM_ACTOR, reason="no sponsor after all") == 500_00
        assert load_prizes(event).rows == ()


class TestPages:
    def test_the_prizes_page_asks_once_by_name_and_amount(self, event: Event) -> None:
        winner = placed(event, 1)
        said = get_page(event_url("tournament:desk_prizes", event), client_as("director", event))
        assert f"Pay {winner.name} $500.00?" in said
        assert "Record $500.00 paid out" in said
        assert (
            "Pay "
            not in get_page(event_url("tournament:desk_prizes", event), client_as("desk", event)).split("<main")[1]
        )

    def test_paid_undone_and_given_back_from_the_page(self, event: Event) -> None:
        director, address = client_as("director", event), event_url("tournament:desk_prizes", event)
        winner = placed(event, 1)
        pay = {"act": "pay", "entrant": winner.pk, "cents": 500_00, "method": "cash", "key": "k"}
        assert director.post(address, {**pay, "cents": 1}).status_code == 409
        assert director.post(address, {**pay, "cents": ""}).status_code == 422
        assert director.post(address, pay).status_code == 302
        paid = PaidOut.objects.get()
        said = get_page(address, director)
        assert f"Undo the payout of $500.00 to {winner.name}?" in said
        undo = {"act": "undo", "paid": paid.pk, "reason": "", "key": "u"}
        assert director.post(address, undo).status_code == 422
        assert client_as("desk", event).post(address, {**undo, "reason": "x"}).status_code == 403
        assert director.post(address, {**undo, "paid": "x", "reason": "y"}).status_code == 404
        assert director.post(address, {**undo, "reason": "to the wrong one"}).status_code == 302
        said = get_page(address, director)
        assert "Undone: $500.00" in said
        assert "to the wrong one" in said
        assert "Mark $500.00 paid out" in said

    def test_what_is_open_stands_on_prizes_and_today(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        for one in (first, second):
            pay_prize(one, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        director = client_as("director", event)
        today = get_page(event_url("scoring:desk_today", event), director)
        assert f"{first.name} was paid too much. To get back: $200.00" in today
        assert f"{second.name} was paid too little. Still to pay: $200.00" in today
        address = event_url("tournament:desk_prizes", event)
        said = get_page(address, director)
        assert f"{first.name} was paid $500.00 and won $300.00: $200.00 to collect" in said
        assert f"{second.name} was paid $300.00 and won $500.00: $200.00 still to pay" in said
        back = {"act": "return", "entrant": first.pk, "cents": 200_00, "reason": "in cash", "key": "b"}
        assert director.post(address, back).status_code == 302
        pay = {"act": "pay", "entrant": second.pk, "cents": 200_00, "method": "cash", "key": "p"}
        assert director.post(address, pay).status_code == 302
        assert "was paid" not in get_page(address, director).split("<main")[1].split("<dl")[0]
        assert "was paid too" not in get_page(event_url("scoring:desk_today", event), director)

    def test_today_says_that_prizes_are_out_while_the_event_is_open_again(self, event: Event) -> None:
        pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="swapped")
        said = get_page(event_url("scoring:desk_today", event), client_as("director", event))
        assert "1 prize was paid, and the event is open again" in said

    def test_the_finish_says_who_will_have_too_much_and_too_little(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        pay_prize(second, "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="swapped")
        decide_match(other_winner(event), by=SYSTEM_ACTOR)
        director, address = client_as("director", event), event_url("pairing:desk_finish", event)
        asked = director.post(address)
        said = asked.content.decode()
        assert asked.status_code == 422
        assert f"Paid more than their new prize: {first.name} $200.00." in said
        assert f"Paid less than their new prize: {second.name} $200.00." in said
        assert 'name="reason"' not in said
        shown = said.split('name="shown" value="')[1].split('"')[0]
        assert director.post(address, {"shown": shown}).status_code == 302
        assert fresh(event).state == Event.State.FINISHED

    def test_the_page_of_a_correction_says_what_is_then_to_get_back(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        address = event_url("pairing:desk_decide", event, ident="R2M1")
        sent = {"ending": f"played:{second.number}", "reason": "x", "key": "k", "act": "look"}
        said = " ".join(client_as("director", event).post(address, sent).content.decode().split())
        assert "$500.00, and then would have won $300.00: $200.00 to collect" in said
        assert "it stays as it is" not in said

    def test_the_payout_list_says_what_is_open(self, event: Event) -> None:
        first = placed(event, 1)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        target = io.BytesIO()
        write_payout_list(target, event, load_prizes(event))
        said = " ".join(PdfReader(target).pages[0].extract_text().split())
        for words in ("Paid out", "Balance", "$200.00 to return", "$500.00 to pay", first.name):
            assert words in said


class TestOwnPage:
    def read(self, entrant: Entrant, name: str = "tournament:my") -> str:
        return get_page(reverse(name, kwargs={"token": entrant.token}), Client())

    @pytest.mark.parametrize("name", ["tournament:my", "scoring:my_match"])
    def test_the_winner_reads_place_prize_and_whether_it_is_paid(self, event: Event, name: str) -> None:
        winner = placed(event, 1)
        said = self.read(winner, name)
        for words in ("Place and prize", '<strong class="big-figure">1st</strong>', "$500.00", "Not paid yet"):
            assert words in said
        pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        said = self.read(winner, name)
        assert "Not paid yet" not in said
        assert "<dt>Paid out</dt><dd>$500.00</dd>" in said

    def test_a_semifinalist_reads_the_shared_place_and_somebody_without_a_prize_their_place(self, event: Event) -> None:
        other = event.entrants.exclude(pk__in=[placed(event, 1).pk, placed(event, 2).pk]).first()
        assert other is not None
        said = self.read(other)
        assert '<strong class="big-figure">Tie for 3rd–4th</strong>' in said
        assert "$100.00" in said
        with writing(event, verb="event.settings", by=SYSTEM_ACTOR) as write:
            write.the_event.added_cents = 0
            write.the_event.save(update_fields=["added_cents"])
            add_topics_to_write(EVERYBODY_TOPIC)
        assert "No prize" in self.read(other)

    def test_after_a_correction_each_reads_what_is_open(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        for one in (first, second):
            pay_prize(one, "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="swapped")
        assert "You were paid $500.00. The director has opened the event again" in self.read(first)
        decide_match(other_winner(event), by=SYSTEM_ACTOR)
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        assert "Please return $200.00 to the director." in self.read(first)
        assert "$200.00 of it has not been paid yet" in self.read(second)

    def test_where_only_the_pool_is_another_no_result_is_called_corrected(self, event: Event) -> None:
        first = placed(event, 1)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        reopen_event(event, by=SYSTEM_ACTOR, reason="the sponsor gave less")
        Event.objects.filter(pk=event.pk).update(added_cents=800_00)
        finish_event(fresh(event), by=SYSTEM_ACTOR)
        said = self.read(first)
        assert "Please return $100.00 to the director." in said
        assert "corrected" not in said

    def test_the_figures_of_who_has_all_a_part_and_too_much(self, event: Event) -> None:
        first, second = placed(event, 1), placed(event, 2)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        own = load_entrant_prize(first)
        assert own is not None and own.finished
        assert (own.place, own.cents, own.paid_cents, own.to_pay_cents, own.to_get_back_cents) == (
            "1",
            500_00,
            500_00,
            0,
            0,
        )
        pay_prize(second, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        own, other = (load_entrant_prize(again(event, one)) for one in (first, second))
        assert own is not None and other is not None
        assert (own.place, own.to_pay_cents, own.to_get_back_cents) == ("2", 0, 200_00)
        assert (other.place, other.to_pay_cents, other.to_get_back_cents) == ("1", 200_00, 0)

    def test_before_the_end_there_is_nothing_to_read(self) -> None:
        event = an_event_in_play(4, added_cents=1_000_00)
        entrant = event.entrants.select_related("event__tournament").get(number=1)
        assert load_entrant_prize(entrant) is None
        assert "Place and prize" not in self.read(entrant)


class TestCheck:
    """`verify_event` finds payouts that somebody changed directly in the database."""

    def found(self, event: Event) -> bool:
        return next(check.passed for check in verify_event(fresh(event)) if check.subject == "prizes handed over")

    def test_an_amount_changed_by_hand(self, event: Event) -> None:
        pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        assert self.found(event)
        PaidOut.objects.update(cents=400_00)
        assert not self.found(event)

    def test_a_row_added_or_removed_by_hand(self, event: Event) -> None:
        winner = placed(event, 1)
        paid = pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        added = PaidOut.objects.create(event=event, entrant=winner, cents=1, method="cash", by_name="x")
        assert not self.found(event)
        added.delete()
        assert self.found(event)
        undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake")
        PaidOut.objects.filter(reverses__isnull=False).delete()
        assert not self.found(event)

    def test_a_reversal_turned_to_somebody_else(self, event: Event) -> None:
        undone = undo_payout(pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR), by=SYSTEM_ACTOR, reason="a mistake")
        PaidOut.objects.filter(pk=undone.pk).update(entrant=placed(event, 2))
        assert not self.found(event)

    def test_the_chain_is_whole_through_all_of_it(self, event: Event) -> None:
        first = placed(event, 1)
        undo_payout(pay_prize(first, "cash", by=SYSTEM_ACTOR), by=a_director(event.tournament), reason="a mistake")
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        record_returned_excess(first, by=SYSTEM_ACTOR, reason="given back")
        assert check_log_chain(event.tournament).is_intact


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
class TestTwoDesksAtOnce:
    def test_one_payout_is_undone_once(self, event: Event) -> None:
        paid = pay_prize(placed(event, 1), "cash", by=SYSTEM_ACTOR)
        outcomes = codes_of(*[
            lambda turn=turn: undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key=f"desk {turn}") for turn in
            range(3)
        ])  # fmt: skip
        assert outcomes == ["done", "undone-already", "undone-already"]
        assert PaidOut.objects.filter(reverses=paid).count() == 1
        assert load_prizes(event).paid_out_cents == 0
        assert check_log_chain(event.tournament).is_intact and verified(event)

    def test_undone_here_while_it_is_paid_again_there(self, event: Event) -> None:
        """Whichever request comes first, the payout is undone once, and the winner is paid at most once."""
        winner = placed(event, 1)
        paid = pay_prize(winner, "cash", by=SYSTEM_ACTOR)
        outcomes = codes_of(
            lambda: undo_payout(paid, by=SYSTEM_ACTOR, reason="a mistake", key="one desk"),
            lambda: pay_prize(winner, "check", by=SYSTEM_ACTOR, key="the other desk"),
        )
        had = {("done", "done"): 500_00, ("done", "paid-already"): 0}[tuple(outcomes)]
        assert load_prizes(event).paid_out_cents == had
        assert check_log_chain(event.tournament).is_intact and verified(event)

    def test_the_excess_is_given_back_once(self, event: Event) -> None:
        first = placed(event, 1)
        pay_prize(first, "cash", by=SYSTEM_ACTOR)
        event = corrected(event)
        outcomes = codes_of(*[
            lambda turn=turn: record_returned_excess(first, by=SYSTEM_ACTOR, reason="given back", key=f"desk {turn}")
            for turn in range(2)
        ])  # fmt: skip
        assert outcomes == ["done", "nothing-to-return"]
        assert load_prizes(event).paid_out_cents == 300_00
        assert check_log_chain(event.tournament).is_intact and verified(event)
