from __future__ import annotations

import io

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from tests.factories import a_director, a_player, an_entrant, an_event
from tests.kit import client_as, entrant_of, event_url, get_page, refused
from tests.prebuilt import prebuilt
from tests.tournament.helpers.side_pools import (
    BEST,
    SENIOR,
    STROKES,
    a_charged_event,
    faults,
    finish,
    ledger_is_zero,
    reopen,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict, DomainError
from tournament.models import AuditEntry, Entrant, Event, Member, Posting, SidePool, SidePoolEntry
from tournament.money.pdf.receipts import write_payout_receipts
from tournament.money.selectors.drawers_and_close import load_daily_close_figures
from tournament.money.selectors.finances import load_expenses
from tournament.money.selectors.ledger import load_entry_account, load_prize_pool
from tournament.money.selectors.prizes import load_entrant_prize, load_prizes, load_tax_rows
from tournament.money.selectors.side_pools import SidePoolOverview, load_side_pools
from tournament.money.services.fees_and_refunds import refund_entry, take_payment
from tournament.money.services.payouts import (
    pay_prize,
    record_returned_excess,
    reissue_payout,
    set_prize_shares,
    set_tax_form_threshold,
    sign_payout,
    undo_payout,
)
from tournament.money.services.side_pools import (
    DeskSale,
    SidePoolTerms,
    add_side_pool,
    change_side_pool,
    complete_sale,
    join_side_pool,
    leave_side_pool,
    record_side_pool_result,
    remove_side_pool,
)
from tournament.registration.services.entries import withdraw_entrant

pytestmark = pytest.mark.django_db


def state_of(event: Event, pool: SidePool) -> SidePoolOverview:
    return next(state for state in load_side_pools(Event.objects.get(pk=event.pk)) if state.pool == pool)


@pytest.fixture
@prebuilt
def event() -> Event:
    return a_charged_event()


@pytest.fixture
@prebuilt
def senior(event: Event) -> SidePool:
    """Return a side pool that entries 2, 3 and 4 have joined and paid for."""
    pool = add_side_pool(event, SENIOR, by=SYSTEM_ACTOR)
    for number in (2, 3, 4):
        join_side_pool(pool, entrant_of(event, number), by=SYSTEM_ACTOR)
        take_payment(entrant_of(event, number), 120_00, "cash", by=SYSTEM_ACTOR, key="")
    return pool


def test_payments_go_to_the_fee_and_then_to_the_pools_in_the_order_of_joining(event: Event) -> None:
    first, second = (add_side_pool(event, terms, by=SYSTEM_ACTOR) for terms in (SENIOR, BEST))
    one = entrant_of(event, 1)
    join_side_pool(second, one, by=SYSTEM_ACTOR)
    join_side_pool(first, one, by=SYSTEM_ACTOR)
    steps = ((99_00, (99_00, 0, 0)), (3_00, (100_00, 2_00, 0)), (20_00, (100_00, 10_00, 12_00)))
    for cents, (fee, best, senior) in steps:
        take_payment(one, cents, "cash", by=SYSTEM_ACTOR, key="")
        assert load_entry_account(one).collected_cents == load_prize_pool(event).collected_cents == fee
        assert state_of(event, second).money.collected_cents == best
        assert state_of(event, first).money.collected_cents == senior
    assert (load_entry_account(one).due_cents, load_entry_account(one).owed_cents) == (8_00, 100_00)
    assert ledger_is_zero(event)


def test_awards_follow_the_finish_among_the_entrants_and_are_paid_like_prizes(event: Event, senior: SidePool) -> None:
    assert [row.cents for row in state_of(event, senior).places] == [32_00, 22_00]
    event = finish(event, [1], [2, 3], [4])
    prizes = load_prizes(event)
    (state,) = prizes.side_pools
    assert [(row.number, row.place, row.cents) for row in state.awards] == [(2, "1–2", 27_00), (3, "1–2", 27_00)]
    assert prizes.to_pay_cents == prizes.pool.pool_cents + 54_00
    assert load_expenses(event).side_pool_surplus_cents == 6_00
    assert load_daily_close_figures(event.tournament, timezone.now().date()).events[0].to_pay == prizes.to_pay_cents
    main = pay_prize(entrant_of(event, 2), "cash", by=SYSTEM_ACTOR)
    paid = pay_prize(entrant_of(event, 2), "check", by=SYSTEM_ACTOR, pool=senior, cents=27_00)
    assert (main.cents, paid.cents) == (prizes.awards[1].cents, 27_00)
    with pytest.raises(Conflict, match="has been paid"):
        pay_prize(entrant_of(event, 2), "cash", by=SYSTEM_ACTOR, pool=senior)
    with pytest.raises(Conflict, match="has not won"):
        pay_prize(entrant_of(event, 4), "cash", by=SYSTEM_ACTOR, pool=senior)
    again = reissue_payout(paid, "cash", by=SYSTEM_ACTOR, reason="the check was lost")
    undo_payout(again, by=SYSTEM_ACTOR, reason="not handed over")
    assert state_of(event, senior).awards[0].to_pay_cents == 27_00
    assert load_prizes(event).awards[1].paid
    accounts = Posting.objects.filter(event=event, account="side-prizes").values_list("cents", flat=True)
    assert sorted(accounts) == [-27_00, -27_00, 27_00, 27_00]
    assert {"side pool Senior", "side pool charges", "prizes handed over"} <= {
        one.subject for one in verify_event(event)
    }
    assert not faults(event)


def test_after_a_corrected_finish_the_overpayment_is_taken_back(event: Event, senior: SidePool) -> None:
    event = finish(event, [2], [3], [4], [1])
    pay_prize(entrant_of(event, 2), "cash", by=SYSTEM_ACTOR, pool=senior)
    reopen(event)
    event = finish(event, [3], [2], [4], [1])
    row = next(row for row in load_prizes(event).wrong_awards if row.pool == senior)
    assert (row.label, row.to_get_back_cents) == ("Player 2 (Senior)", 10_00)
    assert record_returned_excess(entrant_of(event, 2), by=SYSTEM_ACTOR, reason="corrected", pool=senior) == 10_00
    assert not load_prizes(event).wrong_awards
    assert ledger_is_zero(event)


def test_leaving_a_pool_reverses_the_charge_once_with_a_reason(event: Event, senior: SidePool) -> None:
    entry = SidePoolEntry.objects.get(pool=senior, entrant__number=2)
    with pytest.raises(DomainError, match="reason"):
        leave_side_pool(entry, by=SYSTEM_ACTOR, reason=" ")
    leave_side_pool(entry, by=SYSTEM_ACTOR, reason="is 58", key="k")
    leave_side_pool(entry, by=SYSTEM_ACTOR, reason="is 58", key="k")
    assert load_entry_account(entrant_of(event, 2)).refund_due_cents == 20_00
    assert [one.number for one in state_of(event, senior).entrants] == [3, 4]
    with refused("out-already"):
        leave_side_pool(entry, by=SYSTEM_ACTOR, reason="again")
    refund_entry(entrant_of(event, 2), 20_00, "cash", by=SYSTEM_ACTOR, key="", reason="left the side pool")
    assert ledger_is_zero(event)
    join_side_pool(senior, entrant_of(event, 2), by=SYSTEM_ACTOR)
    assert load_entry_account(entrant_of(event, 2)).due_cents == 20_00


def test_an_entry_that_withdraws_before_the_draw_leaves_its_side_pools(event: Event, senior: SidePool) -> None:
    withdraw_entrant(entrant_of(event, 2), by=SYSTEM_ACTOR, reason="ill")
    assert [one.number for one in state_of(event, senior).entrants] == [3, 4]
    assert load_entry_account(entrant_of(event, 2)).refund_due_cents == 20_00
    with refused("not-in-event"):
        join_side_pool(senior, entrant_of(event, 2), by=SYSTEM_ACTOR)


@pytest.mark.parametrize("paid", [True, False])
def test_nobody_joins_or_leaves_once_it_is_finished_or_awards_were_paid(
    event: Event, senior: SidePool, paid: bool
) -> None:
    event = finish(event, [2], [3], [4], [1])
    if paid:
        pay_prize(entrant_of(event, 2), "cash", by=SYSTEM_ACTOR, pool=senior)
        reopen(event)
    code = "paid-from" if paid else "finished"
    entry = SidePoolEntry.objects.get(pool=senior, entrant__number=2)
    for act in (
        lambda: join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR),
        lambda: leave_side_pool(entry, by=SYSTEM_ACTOR, reason="why"),
        lambda: change_side_pool(senior, SENIOR, by=SYSTEM_ACTOR, reason="why"),
    ):
        with refused(code):
            act()


def test_an_entry_joins_a_pool_once(event: Event, senior: SidePool) -> None:
    first = join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR, key="k")
    assert join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR, key="k") == first
    with refused("in-already"):
        join_side_pool(senior, entrant_of(event, 1), by=SYSTEM_ACTOR, key="other")


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (SidePoolTerms("", 20_00), "name"),
        (SidePoolTerms("A", 0), "fee_cents"),
        (SidePoolTerms("A", 1, "120"), "prize_percent"),
        (SidePoolTerms("A", 1, "100", ("60", "30")), "prize_scale"),
        (SidePoolTerms("SENIOR", 1), "name"),
    ],
)
def test_invalid_terms_are_refused_at_their_field(
    event: Event, senior: SidePool, terms: SidePoolTerms, field: str
) -> None:
    with pytest.raises(DomainError) as refusal:
        add_side_pool(event, terms, by=SYSTEM_ACTOR)
    assert refusal.value.data["field"] == field


def test_after_a_charge_name_and_fee_are_fixed_and_changes_need_a_reason(event: Event, senior: SidePool) -> None:
    for terms in (SidePoolTerms("Other", 20_00), SidePoolTerms("Senior", 25_00)):
        with pytest.raises(Conflict, match="name and fee stay"):
            change_side_pool(senior, terms, by=SYSTEM_ACTOR, reason="why")
    with pytest.raises(Conflict, match="stays on record"):
        remove_side_pool(senior, by=SYSTEM_ACTOR)
    with refused("reason-needed"):
        change_side_pool(senior, SidePoolTerms("Senior", 20_00), by=SYSTEM_ACTOR)
    change_side_pool(senior, SidePoolTerms("Senior", 20_00), by=SYSTEM_ACTOR, reason="winner takes all")
    assert [row.cents for row in state_of(event, senior).places] == [60_00]
    other = add_side_pool(event, BEST, by=SYSTEM_ACTOR)
    remove_side_pool(other, by=SYSTEM_ACTOR)
    assert list(event.side_pools.all()) == [senior]


def test_the_desk_records_a_result_with_ties_and_replaces_it_with_a_reason(event: Event) -> None:
    pool = add_side_pool(event, BEST, by=SYSTEM_ACTOR)
    for number in (1, 2, 3):
        join_side_pool(pool, entrant_of(event, number), by=SYSTEM_ACTOR)
        take_payment(entrant_of(event, number), 110_00, "cash", by=SYSTEM_ACTOR, key="")
    for places, code in (([], "no-places"), ([[4]], "not-in-pool"), ([[1], [1]], "bad-value")):
        with refused(code):
            record_side_pool_result(pool, places, by=SYSTEM_ACTOR)
    event = finish(event, [1], [2], [3], [4])
    assert load_prizes(event).needs_results
    today = get_page(event_url("scoring:desk_today", event), client_as("director", event))
    assert "Best game has no winner yet. Record its result:" in today
    record_side_pool_result(pool, [[2, 3]], by=SYSTEM_ACTOR)
    assert [(row.number, row.cents) for row in state_of(event, pool).awards] == [(2, 15_00), (3, 15_00)]
    with refused("reason-needed"):
        record_side_pool_result(pool, [[1]], by=SYSTEM_ACTOR)
    record_side_pool_result(pool, [[1]], by=SYSTEM_ACTOR, reason="the card was read wrongly")
    assert [(row.number, row.cents) for row in state_of(event, pool).awards] == [(1, 30_00)]
    assert not faults(event)


def test_places_of_a_pool_that_follows_the_event_are_not_recorded(event: Event, senior: SidePool) -> None:
    with refused("by-finish"):
        record_side_pool_result(senior, [[2]], by=SYSTEM_ACTOR)


def test_a_director_names_the_winners_if_no_entry_of_the_pool_has_a_place(event: Event, senior: SidePool) -> None:
    finished = finish(event, [1])
    state = state_of(event, senior)
    assert state.has_no_placed_entry and state.needs_result and not state.awards
    desk, director, address = (
        client_as("desk", event),
        client_as("director", event),
        event_url("tournament:desk_side_pools", event),
    )
    prefix = f"result-pool-{senior.pk}"
    places = {f"{prefix}-place_{number}": "1" for number in (2, 3, 4)}
    sent = {"act": "result", "pool": senior.pk, f"{prefix}-key": "r", **places}
    desk.post(address, {**sent, f"{prefix}-reason": "all withdrew"})
    assert "Enter why you name the winners" in director.post(address, sent).content.decode()
    assert not state_of(event, senior).awards
    assert director.post(address, {**sent, f"{prefix}-reason": "all withdrew"}).status_code == 302
    assert [(row.number, row.cents) for row in state_of(event, senior).awards] == [(2, 18_00), (3, 18_00), (4, 18_00)]
    assert not load_prizes(finished).needs_results and not faults(event)
    reopen(event)
    finish(event, [1], [3])
    assert [row.number for row in state_of(event, senior).awards] == [3], "the places of the event come first"
    with refused("by-finish"):
        record_side_pool_result(senior, [[2]], by=SYSTEM_ACTOR, reason="why")


def test_a_sale_records_pools_and_payment_or_nothing(event: Event) -> None:
    pools = tuple(add_side_pool(event, terms, by=SYSTEM_ACTOR).pk for terms in (SENIOR, BEST))
    one = entrant_of(event, 1)
    with pytest.raises(DomainError):
        complete_sale(one, DeskSale(0, "cash", pools=pools), by=SYSTEM_ACTOR)
    assert not SidePoolEntry.objects.exists()
    for _again in range(2):
        complete_sale(one, DeskSale(130_00, "cash", given_cents=140_00, pools=pools), by=SYSTEM_ACTOR, key="k")
    assert load_entry_account(one).is_settled
    assert SidePoolEntry.objects.count() == 2
    desk, address = client_as("desk", event), event_url("tournament:desk_sale", event, number=2)
    assert "<kbd>F2</kbd> Senior $20.00" in get_page(address, desk)
    sent = {"key": "s", "cents": "110", "method": "cash", "given": "", "reference": "", "pools": [pools[1]]}
    desk.post(address, sent)
    assert [(state.pool.name, len(state.entrants)) for state in load_side_pools(event)] == [
        ("Senior", 1),
        ("Best game", 2),
    ]


def test_pages_and_files_show_side_pools(event: Event, senior: SidePool) -> None:
    public = event_url("tournament:prizes", event)
    assert "Side pool: Senior" in get_page(public, Client())
    assert "60 and over" in get_page(public, Client())
    event = finish(event, [2], [3], [4], [1])
    paid = pay_prize(entrant_of(event, 2), "cash", by=SYSTEM_ACTOR, pool=senior)
    assert "$32.00" in get_page(public, Client())
    own = load_entrant_prize(entrant_of(event, 2))
    assert own is not None
    assert [(one.label, one.place, one.cents, one.paid_cents) for one in own.side] == [
        (f"{entrant_of(event, 2).name} (Senior)", "1", 32_00, 32_00)
    ]
    assert "Side pool: Senior" in get_page(reverse("tournament:my", args=[entrant_of(event, 2).token]), Client())
    set_tax_form_threshold(event.tournament, 32_00, by=a_director(event.tournament))
    rows = {str(row.player): row.paid_cents for row in load_tax_rows(type(event.tournament).objects.get())}
    assert rows["Player 2"] == 32_00
    client = client_as("director", event)
    kinds = {"listed": "payouts", "kind": "csv"}
    assert '"32.00","Cash","","system","Senior"' in get_page(
        event_url("tournament:desk_money_list", event, **kinds), client
    )
    kinds["listed"] = "side-pools"
    assert '"Senior","2","Player 2","20.00","20.00"' in get_page(
        event_url("tournament:desk_money_list", event, **kinds), client
    )
    journal = event_url("tournament:desk_journal", event, scope="event", program="hledger")
    text = b"".join(client.get(journal).streaming_content).decode()  # type: ignore[attr-defined]
    assert "Income:Side-Pools:Senior  -20.00 USD" in text
    assert "Expenses:Side-Pools:Senior  32.00 USD" in text
    assert "Side pool: Senior" in get_page(event_url("tournament:desk_ledger", event), client)
    assert f"prizes/signature/{paid.pk}/" in get_page(event_url("tournament:desk_prizes", event), client)


def test_the_desk_page_sets_up_joins_leaves_and_records(event: Event) -> None:
    director, address = client_as("director", event), event_url("tournament:desk_side_pools", event)
    terms = {"name": "Best game", "fee_cents": "10", "places_by": "desk"}
    terms |= {"prize_percent": "100 %", "prize_scale": "100%"}
    sent = {"act": "add", **{f"add-{name}": value for name, value in terms.items()}, "add-key": "k"}
    assert "exactly 100" in director.post(address, {**sent, "add-prize_scale": "60, 30"}).content.decode()
    assert director.post(address, sent).status_code == 302
    pool, desk = SidePool.objects.get(), client_as("desk", event)
    desk.post(address, {**sent, "add-key": "l", "add-name": "B"})
    assert SidePool.objects.count() == 1
    for number in (1, 2):
        join = {f"join-pool-{pool.pk}-entrant": entrant_of(event, number).pk, f"join-pool-{pool.pk}-key": f"j{number}"}
        assert desk.post(address, {"act": "join", "pool": pool.pk, **join}).status_code == 302
    entry = SidePoolEntry.objects.get(entrant__number=1)
    desk.post(address, {"act": "leave", "entry": entry.pk, "reason": "by mistake"})
    prefix = f"result-pool-{pool.pk}"
    places = {f"{prefix}-place_2": "1", f"{prefix}-key": "r"}
    assert desk.post(address, {"act": "result", "pool": pool.pk, **places}).status_code == 302
    (state,) = load_side_pools(event)
    assert ([one.number for one in state.entrants], state.result) == ([2], ((2,),))
    verbs = set(AuditEntry.objects.filter(verb__startswith="side-pool").values_list("verb", flat=True))
    assert verbs == {"side-pool.added", "side-pool.joined", "side-pool.left", "side-pool.result"}


class TestSigning:
    def test_each_partner_signs_for_their_share_and_the_receipt_has_it(self) -> None:
        event = a_pair_event()
        paid = pay_prize(entrant_of(event, 1), "cash", by=SYSTEM_ACTOR)
        desk, address = client_as("desk", event), event_url("tournament:desk_payout_signature", event, paid=paid.pk)
        assert "<h1>Ada</h1>" in get_page(address, desk)
        first = entrant_of(event, 1).members.get(seat=1).player_id
        sent = {"player": first, "key": "k", "strokes": ""}
        assert "Sign on the line." in desk.post(address, sent).content.decode()
        assert desk.post(address, {**sent, "strokes": "[["}).status_code == 200
        assert desk.post(address, {**sent, "strokes": str(STROKES)}).status_code == 302
        assert "<h1>Alan</h1>" in get_page(address, desk)
        (row,) = load_prizes(event).awards
        assert row.unsigned_payouts == (paid,)
        with refused("signed-already"):
            sign_payout(paid, first, STROKES, by=SYSTEM_ACTOR)
        with refused("not-a-player"):
            sign_payout(paid, 0, STROKES, by=SYSTEM_ACTOR)
        sign_payout(paid, entrant_of(event, 1).members.get(seat=2).player_id, STROKES, by=SYSTEM_ACTOR)
        assert load_prizes(event).awards[0].is_signed
        assert desk.get(address).status_code == 302
        target = io.BytesIO()
        write_payout_receipts(target, event, load_prizes(event))
        assert "system" in PdfReader(target).pages[0].extract_text()
        assert "Signature of Ada" in get_page(event_url("tournament:desk_prizes", event), client_as("director", event))

    def test_an_undone_payout_keeps_its_signature_and_is_not_signed_again(self) -> None:
        event = a_pair_event()
        paid, player = (
            pay_prize(entrant_of(event, 1), "cash", by=SYSTEM_ACTOR),
            entrant_of(event, 1).members.get(seat=1).player_id,
        )
        sign_payout(paid, player, STROKES, by=SYSTEM_ACTOR)
        undo_payout(paid, by=SYSTEM_ACTOR, reason="the wrong pair")
        assert paid.signatures.count() == 1
        with refused("undone-already"):
            sign_payout(paid, entrant_of(event, 1).members.get(seat=2).player_id, STROKES, by=SYSTEM_ACTOR)
        assert not faults(event)
        paid.signatures.update(cents=1)
        assert faults(event)


class TestSplit:
    def test_a_payout_asks_first_if_the_agreed_split_no_longer_fits(self) -> None:
        event = a_pair_event()
        set_prize_shares(entrant_of(event, 1), ["60", "40"], by=SYSTEM_ACTOR)
        member = entrant_of(event, 1).members.get(seat=2)
        Member.objects.create(entrant=member.entrant, player=a_player("Third"), seat=3, by_name="test")
        (row,) = load_prizes(event).awards
        assert row.is_split_stale
        assert len({share.cents for share in row.shares}) <= 2
        director = client_as("director", event)
        today = get_page(event_url("scoring:desk_today", event), director)
        assert "does not fit who plays now. Ask them for a new one." in today
        address = event_url("tournament:desk_prizes", event)
        assert "a split of 60, 40 percent" in get_page(address, director)
        sent = {"act": "pay", "entrant": entrant_of(event, 1).pk, "method": "cash", "key": "k", "cents": row.cents}
        assert "Save a new split" in director.post(address, sent).content.decode()
        assert director.post(address, {**sent, "equally": "1"}).status_code == 302
        assert load_prizes(event).awards[0].paid

    def test_partners_share_an_award_as_they_share_a_prize(self) -> None:
        event = a_pair_event(finished=False)
        pool = add_side_pool(event, SENIOR, by=SYSTEM_ACTOR)
        join_side_pool(pool, entrant_of(event, 1), by=SYSTEM_ACTOR)
        take_payment(entrant_of(event, 1), 20_00, "cash", by=SYSTEM_ACTOR, key="")
        set_prize_shares(entrant_of(event, 1), ["75", "25"], by=SYSTEM_ACTOR)
        event = finish(event, [1])
        (row,) = state_of(event, pool).awards
        assert [(share.name, share.cents) for share in row.shares] == [("Ada", 13_50), ("Alan", 4_50)]


@prebuilt
def a_pair_event(*, finished: bool = True) -> Event:
    """Return an event, finished by default, with one pair and a prize pool of $100."""
    event = an_event(fee_cents=0, added_cents=100_00, entry_size=2)
    pair = an_entrant(event, "Ada")
    Member.objects.create(entrant=pair, player=a_player("Alan"), seat=2, by_name="test")
    Entrant.objects.filter(pk=pair.pk).update(name="Ada / Alan")
    return finish(event, [1]) if finished else Event.objects.select_related("tournament").get(pk=event.pk)
