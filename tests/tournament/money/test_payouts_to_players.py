from __future__ import annotations

import io

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from tests.factories import a_director, a_player, an_entrant, an_event
from tests.kit import client_as, event_url, get_page, refused
from tests.prebuilt import prebuilt
from tests.tournament.helpers.closes import EVENING, FRIDAY, SATURDAY
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Entrant, Event, Finish, Member, PaidOut, Player, Tournament
from tournament.money.pdf.receipts import write_payout_receipts
from tournament.money.selectors.drawers_and_close import load_day_report
from tournament.money.selectors.prizes import load_prizes, load_tax_rows
from tournament.money.services.drawers_and_close import EndOfDayCount, choose_business_day, close_day, record_day_count
from tournament.money.services.fees_and_refunds import charge_fee
from tournament.money.services.ledger import EventMoneyDetails, record_event_money
from tournament.money.services.payouts import (
    pay_prize,
    reissue_payout,
    set_prize_shares,
    set_tax_form_threshold,
    undo_payout,
)

pytestmark = pytest.mark.django_db

PAIRS = (("Ada", "Alan"), ("Grace", "Kurt"), ("Emmy", "Niels"))


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return a finished event with three pairs and prizes of $500.01, $300 and $200."""
    event = an_event(fee_cents=0, added_cents=1_000_01, entry_size=2, name="Partnership")
    for first, second in PAIRS:
        entrant = an_entrant(event, first)
        Member.objects.create(entrant=entrant, player=a_player(second), seat=2, by_name="test")
        type(entrant).objects.filter(pk=entrant.pk).update(name=f"{first} / {second}")
    Finish.objects.create(event=event, places=[[1], [2], [3]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    return Event.objects.select_related("tournament").get(pk=event.pk)


def shares_of_the_winners(event: Event) -> list[tuple[str, int]]:
    return [(share.name, share.cents) for share in load_prizes(event).awards[0].shares]


def test_a_prize_shows_the_winner_s_debt(event: Event) -> None:
    client, address = client_as("director", event), event_url("tournament:desk_prizes", event)
    assert "still owes" not in get_page(address, client)
    Event.objects.filter(pk=event.pk).update(fee_cents=60_00, state=Event.State.OPEN)
    winners = Entrant.objects.get(event=event, number=1)
    with writing(winners.event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, winners)
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    assert "This entry still owes $" in get_page(address, client)


def test_partners_split_equally_or_as_agreed(event: Event) -> None:
    assert shares_of_the_winners(event) == [("Ada", 250_01), ("Alan", 250_00)]
    client, address, winners = (
        client_as("director", event),
        event_url("tournament:desk_prizes", event),
        event.entrants.get(number=1),
    )
    sent = {"act": "shares", "entrant": winners.pk, "shares": "60%, 40"}
    assert client.post(address, {**sent, "shares": "60, 50"}).status_code == 422
    assert client.post(address, {**sent, "shares": "100"}).status_code == 422
    assert client.post(address, sent).status_code == 302
    assert shares_of_the_winners(event) == [("Ada", 300_01), ("Alan", 200_00)]
    text = get_page(address, client)
    assert "<span>Ada: $300.01</span> · <span>Alan: $200.00</span>" in text
    own = get_page(reverse("tournament:my", args=[winners.token]), Client())
    assert "<dt>Ada</dt><dd>$300.01</dd><dt>Alan</dt><dd>$200.00</dd>" in own
    assert AuditEntry.objects.get(verb="prize.shares").data["shares"] == ["60", "40"]
    desk = client_as("desk", event)
    assert desk.post(address, sent).status_code == 403


def test_a_single_player_s_prize_is_not_split() -> None:
    with refused("plays-alone"):
        set_prize_shares(an_entrant(an_event()), ["50", "50"], by=SYSTEM_ACTOR)


@pytest.mark.parametrize("paper", ["letter", "a4"])
def test_each_player_has_a_receipt_two_to_a_page(event: Event, paper: str) -> None:
    pay_prize(event.entrants.get(number=1), "check", by=SYSTEM_ACTOR)
    target = io.BytesIO()
    assert write_payout_receipts(target, event, load_prizes(event), paper=paper) == 3
    pages = [" ".join(each.extract_text().split()) for each in PdfReader(target).pages]
    receipt = PaidOut.objects.get().movement.receipt
    for words in ("Ada", "Alan", "$250.01", "$250.00", "$500.01", "1st", f"Check, receipt {receipt}", "Signature"):
        assert words in pages[0]
    assert "Check" not in pages[1]
    assert all(each.count("Payout receipt") == 2 for each in pages)


def test_void_and_pay_again_adds_two_rows_of_today(event: Event) -> None:
    client, address = client_as("director", event), event_url("tournament:desk_prizes", event)
    winners = event.entrants.get(number=1)
    first = pay_prize(winners, "check", by=SYSTEM_ACTOR)
    sent = {"act": "reissue", "paid": first.pk, "method": "cash", "reason": "", "key": "k"}
    assert client.post(address, sent).status_code == 422
    assert client.post(address, {**sent, "reason": "the check was lost"}).status_code == 302
    assert client.post(address, {**sent, "reason": "the check was lost"}).status_code == 302
    rows = [(row.cents, row.method, row.reverses_id is not None) for row in PaidOut.objects.order_by("pk")]
    assert rows == [(500_01, "check", False), (500_01, "check", True), (500_01, "cash", False)]
    assert load_prizes(event).awards[0].paid
    assert "the check was lost" in get_page(address, client)
    found = {check.subject: check.passed for check in verify_event(event)}
    assert found["prizes handed over"]
    assert found["postings"]


def test_a_payout_is_voided_once_and_not_reissued_if_overpaid(event: Event) -> None:
    winners = event.entrants.select_related("event__tournament").get(number=1)
    first = pay_prize(winners, "check", by=SYSTEM_ACTOR)
    Event.objects.filter(pk=event.pk).update(added_cents=100_00)
    with refused("paid-too-much"):
        reissue_payout(first, "cash", by=SYSTEM_ACTOR, reason="lost")
    undo_payout(first, by=SYSTEM_ACTOR, reason="never given")
    with refused("undone-already"):
        reissue_payout(first, "cash", by=SYSTEM_ACTOR, reason="lost")


def test_after_the_close_a_void_payout_counts_to_the_next_day(event: Event) -> None:
    tournament, first = event.tournament, a_director(event.tournament)
    with time_machine.travel(EVENING, tick=False):
        paid = paid_on_a_closed_day(event, first)
        friday = load_day_report(tournament, FRIDAY)
        with refused("day-closed"):
            undo_payout(paid, by=first, reason="lost")
        again = reissue_payout(paid, "check", by=first, reason="the check was lost")
        assert [row.movement.day for row in PaidOut.objects.order_by("pk")] == [FRIDAY, SATURDAY, SATURDAY]
        undo_payout(again, by=first, reason="found again")
        assert load_day_report(tournament, FRIDAY) == friday
        assert all(check.passed for check in verify_event(event) if check.kind in ("ledger", "payouts"))


def test_after_the_close_the_page_offers_to_void_and_not_to_undo(event: Event) -> None:
    first, address = a_director(event.tournament), event_url("tournament:desk_prizes", event)
    with time_machine.travel(EVENING, tick=False):
        paid = paid_on_a_closed_day(event, first)
        choose_business_day(event.tournament, SATURDAY, by=first)
        client = client_as("director", event)
        text = get_page(address, client)
        assert "Void this payout" in text and "Void and pay again" in text and "Undo this payout" not in text
        sent = {"act": "undo", "paid": paid.pk, "reason": "the check was lost", "key": "k"}
        assert "void the payout" in client.post(address, sent).content.decode()
        assert client.post(address, {**sent, "act": "void"}).status_code == 302
        text = get_page(address, client)
        assert "is void. Its closed day stays as it is." in text and "Void: $500.01" in text
        assert [row.movement.day for row in PaidOut.objects.order_by("pk")] == [FRIDAY, SATURDAY]
        assert AuditEntry.objects.filter(verb="prize.voided", reason="the check was lost").count() == 1
        assert all(check.passed for check in verify_event(event) if check.kind in ("ledger", "payouts"))
        pay_prize(event.entrants.select_related("event__tournament").get(number=1), "check", by=first)
        assert "Undo this payout" in get_page(address, client)


def paid_on_a_closed_day(event: Event, by: Actor) -> PaidOut:
    bank = EventMoneyDetails(1_000_01, "check", "The club")
    Event.objects.filter(pk=event.pk).update(state=Event.State.IN_PLAY)
    record_event_money(Event.objects.get(pk=event.pk), "added", bank, by=by, key="")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    paid = pay_prize(event.entrants.select_related("event__tournament").get(number=1), "check", by=by)
    count = record_day_count(event.tournament, FRIDAY, EndOfDayCount({}, {"check": 500_00}), by=by, key="")
    close_day(count, by=a_director(event.tournament))
    return paid


def listed(event: Event) -> list[tuple[str, int, int]]:
    tournament = Tournament.objects.get(pk=event.tournament_id)
    return [(row.player.name, row.won_cents, row.paid_cents) for row in load_tax_rows(tournament)]


def test_players_are_listed_for_the_tax_form_by_what_they_won_in_all_events(event: Event) -> None:
    other = an_event(event.tournament, fee_cents=0, added_cents=100_00, name="Singles")
    grace = Player.objects.get(name="Grace")
    an_entrant(other, player=grace)
    Finish.objects.create(event=other, places=[[1]], by_name="test")
    Event.objects.filter(pk=other.pk).update(state=Event.State.FINISHED)
    assert listed(event) == []
    set_tax_form_threshold(event.tournament, 250_00, by=SYSTEM_ACTOR)
    pay_prize(event.entrants.get(number=1), "cash", by=SYSTEM_ACTOR)
    assert listed(event) == [("Ada", 250_01, 250_01), ("Alan", 250_00, 250_00), ("Grace", 250_00, 0)]
    set_tax_form_threshold(event.tournament, 250_01, by=SYSTEM_ACTOR)
    assert listed(event) == [("Ada", 250_01, 250_01)]
    with pytest.raises(DomainError):
        set_tax_form_threshold(event.tournament, 0, by=SYSTEM_ACTOR)


def test_the_director_sets_the_amount_types_addresses_and_prints_the_list(event: Event) -> None:
    client, address = client_as("director", event), event_url("tournament:desk_tax_form", event)
    assert client.post(address, {"act": "amount", "cents": "250.01"}).status_code == 302
    ada = Player.objects.get(name="Ada")
    sent = {"act": "address", "player": ada.pk, "address": " 12 Palm  Drive \n\nPalm Desert, CA "}
    assert client.post(address, sent).status_code == 302
    ada.refresh_from_db()
    assert ada.address == "12 Palm Drive\nPalm Desert, CA"
    assert client.post(address, {**sent, "address": "x" * 501}).status_code == 422
    assert client.post(address, {**sent, "player": a_player("Elsewhere").pk}).status_code == 404
    assert "12 Palm Drive" in get_page(address, client)
    assert "Palm" not in str(AuditEntry.objects.get(verb="player.address").data)
    printed = client.get(event_url("tournament:desk_tax_form_print", event))
    text = " ".join(PdfReader(io.BytesIO(printed.content)).pages[0].extract_text().split())
    for words in ("Ada", "12 Palm Drive, Palm Desert, CA", "$250.01", "$250.01 or more"):
        assert words in text


def test_a_split_is_not_changed_under_a_receipt_that_was_signed(event: Event) -> None:
    """A player who signed for half of a prize must not find their name on a receipt for another amount."""
    winners, staff = event.entrants.select_related("event__tournament").get(number=1), a_director(event.tournament)
    paid = pay_prize(winners, "cash", by=staff)
    with pytest.raises(Conflict) as refusal:
        set_prize_shares(winners, ["60", "40"], by=staff)
    assert (refusal.value.code, shares_of_the_winners(event)) == ("paid-already", [("Ada", 250_01), ("Alan", 250_00)])
    undo_payout(paid, by=staff, reason="they agreed on another split")
    set_prize_shares(winners, ["60", "40"], by=staff)
    assert shares_of_the_winners(event) == [("Ada", 300_01), ("Alan", 200_00)]
