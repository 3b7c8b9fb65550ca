from __future__ import annotations

import io

import pytest
from django.core.cache import cache
from django.test import Client
from pypdf import PdfReader

from tests.factories import a_director, an_entrant, an_event
from tests.kit import client_as, event_url, refused
from tests.prebuilt import prebuilt
from tests.verifying import verify_event
from tournament.core.pdf.lists import ListColumn, PrintedList, write_printed_list
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.models import AuditEntry, Entrant, Event, Finish
from tournament.money.pdf.payouts import write_payout_list
from tournament.money.selectors.ledger import load_prize_pool
from tournament.money.selectors.prizes import load_prizes
from tournament.money.services.fees_and_refunds import cancel_fee, charge_fee, discount_or_waive_fee, take_payment
from tournament.registration.services.entries import reinstate_entrant, withdraw_entrant
from tournament.setup.forms import EventForm
from tournament.setup.services.tournaments import change_event, create_event

pytestmark = pytest.mark.django_db

OUT_OF_EXPENSES = "Discounts and complimentary entries come out of the expenses"
OFF_THE_FEES = "Discounts and complimentary entries come off the fees before they are split"


@prebuilt
def _entered(event: Event, *, off: int | None = 0, paid: int = 0) -> Entrant:
    """Enter a player with a discount of `off` cents (None: the whole fee) and a cash payment of `paid` cents."""
    entrant = an_entrant(event)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, entrant)
    if off is None or off:
        discount_or_waive_fee(entrant, off, by=SYSTEM_ACTOR, reason="helps at the desk", key="")
    if paid:
        take_payment(entrant, paid, "cash", by=SYSTEM_ACTOR, key="")
    return entrant


@prebuilt
def _with_a_discount(**fields: object) -> Event:
    event = an_event(fee_cents=100_00, **fields)
    _entered(event, off=20_00, paid=80_00)
    return event


def _page(event: Event, name: str, client: Client | None = None, **more: object) -> str:
    answer = (client or Client()).get(event_url(f"tournament:{name}", event, **more))
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_discount_leaves_the_pool_as_if_the_whole_fee_had_been_paid() -> None:
    pool = load_prize_pool(_with_a_discount())
    assert (pool.collected_cents, pool.pool_cents, pool.expenses_cents) == (80_00, 82_00, -2_00)


def test_the_setting_takes_discounts_off_the_fee_before_the_split() -> None:
    pool = load_prize_pool(_with_a_discount(discounts_from="fee"))
    assert (pool.pool_cents, pool.expenses_cents, pool.discounts_cents) == (65_60, 14_40, 0)


def test_a_complimentary_entry_counts_like_a_discount() -> None:
    event = an_event(fee_cents=100_00)
    _entered(event, paid=100_00)
    _entered(event, off=None)
    pool = load_prize_pool(event)
    assert (pool.collected_cents, pool.pool_cents, pool.expenses_cents) == (100_00, 164_00, -64_00)


def test_a_discount_counts_once_its_entry_owes_nothing_more() -> None:
    event = an_event(fee_cents=100_00)
    entrant = _entered(event, off=20_00, paid=79_99)
    assert load_prize_pool(event).discounts_cents == 0
    take_payment(entrant, 1, "cash", by=SYSTEM_ACTOR, key="")
    assert load_prize_pool(event).discounts_cents == 20_00


def test_a_canceled_fee_cancels_its_discount() -> None:
    event = an_event(fee_cents=100_00)
    entrant = _entered(event, off=20_00, paid=80_00)
    cancel_fee(entrant, by=SYSTEM_ACTOR, reason="cannot come", key="")
    assert load_prize_pool(event).pool_cents == 0


def test_a_complimentary_entry_that_withdraws_before_the_draw_costs_nobody_anything() -> None:
    event = an_event(fee_cents=100_00)
    entrant = _entered(event, off=None)
    director = a_director(event.tournament)
    withdraw_entrant(entrant, by=director, reason="cannot come")
    assert load_prize_pool(event).pool_cents == 0
    reinstate_entrant(entrant, by=director, reason="can come after all")
    assert load_prize_pool(event).pool_cents == 82_00


def test_halves_of_a_pair_count_once_under_their_pair() -> None:
    event = an_event(fee_cents=100_00, entry_size=2)
    half = _entered(event, off=20_00, paid=80_00)
    pair = an_entrant(event)
    Entrant.objects.filter(pk=half.pk).update(joined_to=pair, state=Entrant.State.JOINED)
    assert load_prize_pool(event).pool_cents == 82_00
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, pair)
    assert load_prize_pool(event).discounts_cents == 0


@pytest.mark.parametrize(("setting", "sentence"), [("expenses", OUT_OF_EXPENSES), ("fee", OFF_THE_FEES)])
def test_the_public_pages_say_what_pays_for_discounts(setting: str, sentence: str) -> None:
    event = _with_a_discount(discounts_from=setting)
    for page in ("prizes", "event"):
        source = _page(event, page)
        assert [words for words in (OUT_OF_EXPENSES, OFF_THE_FEES) if words in source] == [sentence]


def test_the_prizes_page_adds_up_with_negative_expenses() -> None:
    source = _page(_with_a_discount(), "prizes")
    for words in ("$80.00", "$20.00", "$82.00", "−$2.00", "82% of the fees and discounts goes into the prize pool."):
        assert words in source
    assert 'width="-' not in source


def test_the_console_warns_of_negative_expenses() -> None:
    event, other = _with_a_discount(), _with_a_discount(discounts_from="fee")
    for name, more in (("desk_prizes", {}), ("desk_payments", {}), ("desk_money", {"number": 1})):
        assert "The expenses are below zero: −$2.00." in _page(event, name, client_as("director", event), **more)
        assert "below zero" not in _page(other, name, client_as("director", other), **more)


def test_with_one_entry_the_page_explains_the_money_of_empty_places() -> None:
    event = _with_a_discount()
    for state, grows in ((Event.State.OPEN, True), (Event.State.IN_PLAY, False)):
        Event.objects.filter(pk=event.pk).update(state=state)
        cache.clear()
        source = " ".join(_page(event, "prizes").split())
        assert "The money for the other places goes to first place." in source
        assert "Share</th>" not in source and ("The amounts grow as entries come in." in source) is grows


def test_the_payout_list_shows_discounts() -> None:
    event = _with_a_discount()
    Finish.objects.create(event=event, places=[[1]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    event.refresh_from_db()
    target = io.BytesIO()
    write_payout_list(target, event, load_prizes(event))
    source = " ".join(PdfReader(target).pages[0].extract_text().split())
    for words in ("Entry fees $80.00", "Discounts $20.00", "Prize pool (82%) $82.00", "Expenses −$2.00"):
        assert words in source


def test_names_on_a_list_have_one_size_and_long_ones_two_lines() -> None:
    names = ("Ada Lovelace", "Ludwig van Beethoven", "George Washington Carver")
    column = ListColumn("Name", 1.4, bold=True, has_uniform_font_size=True)
    target = io.BytesIO()
    rows = [(name, "") for name in names]
    write_printed_list(target, PrintedList("Payouts", "", (column, ListColumn("", 4)), rows, row_height=30))
    sizes: dict[str, float] = {}
    PdfReader(target).pages[0].extract_text(
        visitor_text=lambda text, _cm, _tm, _font, size: sizes.update({text.strip(): size})
    )
    source = " ".join(sizes)
    assert all(word in source for name in names for word in name.split())
    assert {size for text, size in sizes.items() if text and text in " ".join(names)} == {10}


def test_the_form_offers_the_setting_with_expenses_as_default() -> None:
    event = an_event(fee_cents=100_00)
    assert event.discounts_from == "expenses"
    assert EventForm(instance=event)["discounts_from"].value() == "expenses"
    client = client_as("director", event)
    fields = {name: value for name, value in EventForm(instance=event).initial.items() if value is not None}
    sent = {**fields, "fee_cents": "100.00", "unit_cents": "1.00", "prize_scale": "50, 30, 20"}
    sent |= {"sites": "", "partners": "one", "added_cents": "", "second_chance_of": "", "discounts_from": "fee"}
    sent |= {"prize_table": "", "flat_cents": ""}
    answer = client.post(event_url("tournament:desk_settings", event), sent)
    assert answer.status_code == 302
    event.refresh_from_db()
    assert event.discounts_from == "fee"


@pytest.mark.parametrize("change", [{"discounts_from": "fee"}, {"early_fee_cents": 80_00, "early_until": "2026-10-01"}])
@pytest.mark.parametrize("state", [Event.State.DRAWN, Event.State.IN_PLAY])
def test_after_the_draw_the_change_needs_a_reason(state: str, change: dict[str, object]) -> None:
    event = an_event(fee_cents=100_00, state=state)
    director = a_director(event.tournament)
    if "early_until" in change:
        change = {**change, "early_until": event.tournament.starts_on}
    with refused("reason-needed"):
        change_event(event, change, by=director)
    change_event(event, change, by=director, reason="said so on the flyer")
    assert AuditEntry.objects.latest("seq").reason == "said so on the flyer"


def test_nothing_else_pays_for_discounts() -> None:
    event = an_event()
    with refused("bad-value", "discounts_from"):
        create_event(event.tournament, by=a_director(event.tournament), name="X", slug="x", discounts_from="sponsor")


@pytest.mark.parametrize("setting", ["expenses", "fee"])
def test_the_check_of_an_event_recomputes_the_pool(setting: str) -> None:
    event = _with_a_discount(discounts_from=setting)
    money = {check.subject: check for check in verify_event(event)}
    assert money["pool"].passed, money["pool"]
    assert ("2000 let off" in money["pool"].finding) == (setting == "expenses")
