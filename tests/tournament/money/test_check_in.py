from __future__ import annotations

import csv
import io
import re
from typing import Any

import openpyxl
import pypdfium2
import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from pypdf import PdfReader

from tests.factories import a_director, a_tournament, a_user, an_entrant, an_event
from tests.kit import client_as, event_url, get_page, page_text, refused
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.core.selectors.log import check_log_chain
from tournament.core.services.record import writing
from tournament.core.tables.lists import escape_formula, export_if_requested
from tournament.errors import NotAllowed
from tournament.models import AuditEntry, Entrant, EntrantFact, Event, Finish, LedgerLine, PaidOut
from tournament.money.selectors.ledger import load_event_accounts
from tournament.money.services.checkin import check_in_entrants, set_check_in_status
from tournament.money.services.fees_and_refunds import charge_fee, discount_or_waive_fee, take_payment
from tournament.money.services.side_pools import DeskSale, complete_sale
from tournament.money.tables import CheckInTable, EntryMoneyRow, PaymentTable

pytestmark = pytest.mark.django_db


@prebuilt
def _asked(event: Event, name: str = "", paid: int = 0, method: str = "cash", **fields: Any) -> Entrant:
    entrant = an_entrant(event, name, **fields)
    with writing(event, verb="test.charged", by=SYSTEM_ACTOR) as write:
        charge_fee(write, entrant)
    if paid:
        take_payment(entrant, paid, method, by=SYSTEM_ACTOR, key="")
    return entrant


# --- Arrived -------------------------------------------------------------------------------------------------------


def test_one_tap_checks_in_and_another_undoes_it() -> None:
    event = an_event()
    entrant, client = an_entrant(event), client_as("desk", event)
    for sent, arrived in (("one", True), ("one", True), ("undo", False)):
        answer = client.post(event_url("tournament:desk_arrived", event), {sent: "1"})
        assert answer["Location"] == event_url("tournament:desk_checkin", event) + "#arrived-1"
        entrant.refresh_from_db()
        assert entrant.arrived is arrived
    assert list(entrant.facts.values_list("kind", flat=True)) == ["arrived", "not-arrived"]


def test_a_tap_returns_to_the_same_search() -> None:
    event = an_event()
    an_entrant(event)
    here = f"http://testserver{event_url('tournament:desk_checkin', event)}?q=ann"
    sent = {"one": "1"}
    assert (
        client_as("desk", event).post(event_url("tournament:desk_arrived", event), sent, HTTP_REFERER=here)["Location"]
        == f"{here}#arrived-1"
    )
    elsewhere = client_as("desk", event).post(
        event_url("tournament:desk_arrived", event), sent, HTTP_REFERER="https://example.org/"
    )
    assert elsewhere["Location"].startswith(event_url("tournament:desk_checkin", event))


ARRIVE = (Entrant.State.IN, Entrant.State.SEEKING)


@pytest.mark.parametrize("state", [state for state in Entrant.State if state not in ARRIVE])
def test_only_entries_in_the_event_are_checked_in(state: str) -> None:
    entrant = an_entrant(an_event(), state=state)
    with refused("not-in"):
        set_check_in_status(entrant, by=SYSTEM_ACTOR)
    assert not entrant.facts.exists()


def test_only_the_desk_checks_in() -> None:
    entrant = an_entrant(an_event())
    for by in (
        make_staff_actor(a_user("hotel", entrant.event.tournament)),
        make_player_actor(entrant),
        a_director(a_tournament()),
    ):
        with pytest.raises(NotAllowed):
            set_check_in_status(entrant, by=by)
        with pytest.raises(NotAllowed):
            check_in_entrants(entrant.event, [entrant.number], by=by)


def _written(event: Event) -> list[tuple[str, Any]]:
    rows = AuditEntry.objects.filter(event=event, verb__startswith="entrant.").order_by("seq")
    return [(row.verb, row.data.get("numbers")) for row in rows]


def test_two_desks_check_in_the_same_players_and_it_is_recorded_once() -> None:
    event = an_event()
    for _turn in range(3):
        an_entrant(event)
    one, other = (make_staff_actor(a_user("desk", event.tournament)) for _desk in "12")
    assert [entrant.number for entrant in check_in_entrants(event, [1, 2], by=one, key="a")] == [1, 2]
    assert check_in_entrants(event, [2], by=other, key="b") == []
    assert [entrant.number for entrant in check_in_entrants(event, [2, 3], by=other, key="c")] == [3]
    assert _written(event) == [("entrant.arrived", [1, 2]), ("entrant.arrived", [3])]
    assert EntrantFact.objects.filter(kind="arrived").count() == 3


def test_marked_rows_are_checked_in_together_once() -> None:
    event = an_event()
    for name in ("Ada", "Alan", "Grace"):
        an_entrant(event, name)
    client, sent = client_as("desk", event), {"number": ["1", "3"], "key": "k"}
    page = client.post(event_url("tournament:desk_arrived", event), sent, follow=True).content.decode()
    assert "2 players are checked in: Ada, Grace." in page
    assert client.post(event_url("tournament:desk_arrived", event), sent).status_code == 302
    set_check_in_status(event.entrants.get(number=1), False, by=SYSTEM_ACTOR)
    client.post(event_url("tournament:desk_arrived", event), sent)
    written = [("entrant.arrived", [1, 3]), ("entrant.not-arrived", [1])]
    assert _written(event) == written, "an answer that was lost is sent again: it undoes no undo"


def test_nobody_is_checked_in_if_one_entry_is_out() -> None:
    event = an_event()
    an_entrant(event, "Ada")
    an_entrant(event, "Kurt", state=Entrant.State.WITHDRAWN)
    answer = client_as("desk", event).post(
        event_url("tournament:desk_arrived", event), {"number": ["1", "2"]}, follow=True
    )
    assert answer.status_code == 409
    assert "Kurt is in the state “Withdrawn”, so nobody was checked in." in answer.content.decode()
    assert not event.entrants.filter(arrived=True).exists()


def test_without_a_marked_row_the_page_says_what_to_do() -> None:
    event = an_event()
    an_entrant(event)
    page = (
        client_as("desk", event)
        .post(event_url("tournament:desk_arrived", event), {"key": "k"}, follow=True)
        .content.decode()
    )
    assert "No player is checked. Check the players first, or tap a row." in page


@pytest.mark.parametrize("number", ["2", "0", "x", "²", "9" * 40])
def test_an_unknown_entry_number_is_not_found(number: str) -> None:
    event = an_event()
    an_entrant(event, number=1)
    for field in ("number", "one"):
        assert (
            client_as("desk", event).post(event_url("tournament:desk_arrived", event), {field: number}).status_code
            == 404
        )


# --- The list ------------------------------------------------------------------------------------------------------


def _cells(page: str, part: str) -> list[str]:
    inside = re.search(f"<{part}>(.*?)</{part}>", page, re.DOTALL)
    assert inside is not None
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", inside.group(1), re.DOTALL)
    return [page_text(cell) for cell in cells]


def test_the_last_line_has_the_totals() -> None:
    event = an_event()
    _asked(event, "Ada", 30000, "cash", arrived=True)
    _asked(event, "Bob", 10000, "check")
    _asked(event, "Růžena ʻŌ", 35000, "card")
    page = get_page(event_url("tournament:desk_payments", event), client_as("desk", event))
    assert _cells(page, "tfoot") == ["", "All", "$900.00", "$750.00", "owe $200.00, are owed $50.00", ""]
    body = _cells(page, "tbody")
    rows = [body[start : start + 6] for start in range(0, 18, 6)]
    assert [row[2:6] for row in rows] == [
        ["$300.00", "$300.00", "settled ✓", "Cash"],
        ["$300.00", "$100.00", "owes $200.00", "Check"],
        ["$300.00", "$350.00", "is owed $50.00", "Card"],
    ]
    total = load_event_accounts(event).total
    assert (total.owed_cents, total.net_paid_cents, total.balance_cents) == (90000, 75000, 15000)
    assert "$750.00" not in _cells(page, "tbody")


def test_entries_awaiting_approval_are_in_the_list_and_the_totals() -> None:
    event = an_event()
    _asked(event, "Ada", 30000)
    _asked(event, "Bob", 10000, "transfer", state="applied", club="Palm Desert")
    _asked(event, "Cat", state="waiting")
    _asked(event, "Dan", 30000, state="withdrawn")
    an_entrant(event, "Eve", state="refused")
    client = client_as("desk", event)
    page = get_page(event_url("tournament:desk_payments", event), client)
    body = _cells(page, "tbody")
    assert [cell for cell in body if re.match("(Ada|Bob|Cat|Dan|Eve)", cell)] == [
        "Ada", "Bob Palm Desert · Waiting for approval", "Cat On the waiting list", "Dan Withdrawn",
    ]  # fmt: skip
    total = load_event_accounts(event).total
    assert _cells(page, "tfoot")[2:4] == ["$1,200.00", "$700.00"]
    assert (total.charged_cents, total.net_paid_cents) == (120000, 70000)
    payment_links = re.findall(r'href="([^"]*)" data-sale=""', page)
    sale, money = (
        event_url("tournament:desk_sale", event, number=1),
        [event_url("tournament:desk_money", event, number=n) for n in (2, 3, 4)],
    )
    assert payment_links == [sale, *money], "the key takes no fee before the entry is accepted"
    checked_in = get_page(event_url("tournament:desk_checkin", event), client)
    assert "Ada" in checked_in and "Bob" not in checked_in


@pytest.mark.parametrize(("page", "first", "kept"), [("desk_checkin", 9, 8), ("desk_payments", 9, 8)])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_list_takes_the_same_queries_for_any_field(
    page: str, first: int, kept: int, rows: int, django_assert_num_queries: Any
) -> None:
    event = an_event()
    for _turn in range(rows):
        _asked(event, paid=30000)
    client = client_as("desk", event)
    with django_assert_num_queries(first):
        assert client.get(event_url(f"tournament:{page}", event)).status_code == 200
    with django_assert_num_queries(kept):
        assert client.get(event_url(f"tournament:{page}", event)).status_code == 200


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("", ["Ada", "Bob", "Cyd"]),
        ("?q=bo", ["Bob"]),
        ("?q=3", ["Cyd"]),
        ("?q=%C2%B2", []),
        ("?q=nobody", []),
        ("?only=missing", ["Bob", "Cyd"]),
        ("?only=owes", ["Bob", "Cyd"]),
        ("?only=owed", ["Ada"]),
        ("?only=nothing", ["Ada", "Bob", "Cyd"]),
        ("?only=owes&q=cyd", ["Cyd"]),
        ("?sort=-name", ["Cyd", "Bob", "Ada"]),
    ],
)
def test_search_filter_and_order(asked: str, found: list[str]) -> None:
    event = an_event()
    _asked(event, "Ada", 30500, arrived=True)
    _asked(event, "Bob", 100)
    _asked(event, "Cyd")
    an_entrant(event, "Dan", state=Entrant.State.WITHDRAWN)
    page = get_page(event_url("tournament:desk_checkin", event) + asked, client_as("desk", event))
    assert re.findall(r"<strong>(Ada|Bob|Cyd|Dan)</strong>", page) == found


def test_a_filter_shows_as_many_rows_as_its_link_says() -> None:
    event = an_event()
    for name in ("Ada", "Alan", "Bob"):
        an_entrant(event, name)
    found = (
        client_as("desk", event)
        .get(event_url("tournament:desk_checkin", event) + "?q=bob&only=missing")
        .context["found"]
    )
    client = client_as("desk", event)
    for link in found["filters"]:
        assert (
            len(client.get(event_url("tournament:desk_checkin", event) + link["url"]).context["found"]["rows"])
            == link["count"]
        )


@pytest.mark.parametrize(
    ("asked", "offered", "absent"),
    [
        ("?q=Eve+New", 'entrants/new/?walk_in=1&amp;name=Eve+New"', "match among all players"),
        ("?q=kurt", "Kurt: Waiting for approval", "match among all players"),
        ("?q=ada&only=missing", "Show 1 match among all players", "entrants/new/?walk_in=1&amp;name"),
        ("?q=77", 'entrants/new/?walk_in=1&amp;name="', "match among all players"),
    ],
)
def test_a_search_that_finds_nobody_offers_what_to_do_next(asked: str, offered: str, absent: str) -> None:
    event = an_event()
    an_entrant(event, "Ada", arrived=True)
    an_entrant(event, "Kurt", state=Entrant.State.APPLIED)
    page = get_page(event_url("tournament:desk_checkin", event) + asked, client_as("desk", event))
    assert offered in page and absent not in page


def test_after_the_draw_no_walk_in_is_offered_but_the_page_says_why() -> None:
    event = an_event(state=Event.State.DRAWN)
    page = get_page(event_url("tournament:desk_checkin", event) + "?q=eve", client_as("desk", event))
    assert "The draw is made." in page and "walk_in" not in page


# --- A walk-in, paid and checked in in one act -----------------------------------------------------------------------


def _walk_in(client: Client, event: Event, name: str = "Eve New") -> HttpResponse:
    url = event_url("tournament:new_entrant", event) + f"?walk_in=1&name={name}"
    form = client.get(url).context["form"]
    sent = {name: form[name].value() or "" for name in form.fields if form[name].value() is not False}
    return client.post(url, sent)


def test_a_walk_in_pays_and_is_checked_in_by_one_payment() -> None:
    event = an_event()
    client = client_as("desk", event)
    sale = _walk_in(client, event)["Location"]
    assert sale == event_url("tournament:desk_sale", event, number=1) + "?walk_in=1"
    form = client.get(sale).context["form"]
    sent = {name: form[name].value() or "" for name in form.fields}
    sent |= {"cents": "300", "method": "cash", "given": "320", "check_in": "1"}
    for _turn in range(2):
        answer = client.post(sale, sent)
        assert answer["Location"] == event_url("tournament:desk_checkin", event) + "#arrived-1"
    entrant = event.entrants.get()
    assert (entrant.name, entrant.arrived) == ("Eve New", True)
    assert [fact.kind for fact in entrant.facts.filter(kind="arrived")] == ["arrived"]
    assert entrant.ledger.filter(kind="payment").count() == 1
    assert AuditEntry.objects.filter(event=event, verb="ledger.payment").count() == 1
    assert "<strong>Give back $20.00</strong> Eve New paid $300.00 and is checked in." in get_page(
        answer["Location"], client
    )


def test_a_walk_in_who_owes_nothing_is_checked_in_at_once() -> None:
    event = an_event(fee_cents=0)
    answer = _walk_in(client_as("desk", event), event)
    assert answer["Location"] == event_url("tournament:desk_checkin", event)
    assert event.entrants.get().arrived


def test_a_walk_in_whose_entry_waits_for_approval_pays_nothing_yet() -> None:
    event = an_event(approvals=["hotel"])
    answer = _walk_in(client_as("desk", event), event)
    assert answer["Location"] == event_url("tournament:desk_entrant", event, number=1)


def test_a_withdrawn_entry_cannot_pay_and_check_in() -> None:
    event = an_event()
    entrant = _asked(event, "Kurt", state=Entrant.State.WITHDRAWN)
    with refused("not-in"):
        complete_sale(entrant, DeskSale(300_00, "cash", check_in=True), by=SYSTEM_ACTOR, key="k")
    assert not entrant.ledger.filter(kind="payment").exists()


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_desks_check_in_and_sell_at_the_same_moment() -> None:
    event = an_event()
    entrant = _asked(event, "Ada")
    numbers = [entrant.number]
    outcomes = codes_of(
        lambda: check_in_entrants(event, numbers, by=SYSTEM_ACTOR, key="a"),
        lambda: check_in_entrants(event, numbers, by=SYSTEM_ACTOR, key="b"),
        lambda: complete_sale(entrant, DeskSale(300_00, "cash", check_in=True), by=SYSTEM_ACTOR, key="c"),
    )
    assert outcomes == ["done"] * 3
    assert entrant.facts.filter(kind="arrived").count() == 1
    assert check_log_chain(event.tournament).is_intact


# --- Money pages ---------------------------------------------------------------------------------------------------


def _pay(client: Client, event: Event, **changes: str) -> HttpResponse:
    sent = {"act": "payment", "payment-cents": "300", "payment-method": "cash", "payment-key": "k", **changes}
    return client.post(event_url("tournament:desk_money", event, number=1), sent)


def test_a_payment_sent_twice_is_recorded_once() -> None:
    event = an_event()
    entrant, client = _asked(event), client_as("desk", event)
    for _turn in range(2):
        assert _pay(client, event).status_code == 302
    assert entrant.ledger.filter(kind="payment").count() == 1


def test_a_refused_form_shows_the_error_and_keeps_the_input() -> None:
    event = an_event()
    entrant, client = _asked(event), client_as("desk", event)
    answer = _pay(client, event, **{"payment-cents": "0", "payment-reference": "No. 1041"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "more than zero" in page
    assert "No. 1041" in page
    assert not entrant.ledger.filter(kind="payment").exists()


def test_the_desk_cannot_refund_but_a_director_can() -> None:
    event = an_event()
    entrant = _asked(event, paid=30000)
    sent = {
        "act": "refund",
        "refund-cents": "100",
        "refund-paid_by": "cash",
        "refund-reason": "left",
        "refund-key": "k",
    }
    url = event_url("tournament:desk_money", event, number=1)
    refused = client_as("desk", event).post(url, sent).content.decode()
    assert "Only a director" in refused
    assert not entrant.ledger.filter(kind="refund").exists()
    assert client_as("director", event).post(url, sent).status_code == 302
    assert entrant.ledger.get(kind="refund").cents == 10000


def test_the_refund_form_proposes_the_overpayment() -> None:
    event = an_event()
    _asked(event, paid=35000)
    page = get_page(event_url("tournament:desk_money", event, number=1), client_as("director", event))
    assert re.search(r'name="refund-cents" value="50\.00"', page)
    assert 'name="refund-cents"' not in get_page(
        event_url("tournament:desk_money", event, number=1), client_as("desk", event)
    )


def test_names_are_sorted_by_family_name_and_found_without_accents() -> None:
    event = an_event()
    for name in ("Zoë Adams", "Ludwig van Beethoven", "Åsa Östlund", "Al Olson"):
        an_entrant(event, name)
    names = r"<strong>([^<]+)</strong> <span"
    page = get_page(event_url("tournament:desk_checkin", event), client_as("desk", event))
    assert re.findall(names, page) == ["Zoë Adams", "Al Olson", "Åsa Östlund", "Ludwig van Beethoven"]
    page = get_page(event_url("tournament:desk_checkin", event) + "?q=ostlund", client_as("desk", event))
    assert re.findall(names, page) == ["Åsa Östlund"]


def test_a_line_of_another_entrant_is_not_corrected() -> None:
    event = an_event()
    _asked(event)
    other = _asked(event, paid=30000)
    sent = {"act": "correct", "correct-reason": "oops", "correct-key": "k"}
    for line in (str(other.ledger.get(kind="payment").pk), "x", ""):
        assert (
            client_as("desk", event)
            .post(event_url("tournament:desk_money", event, number=1), {**sent, "line": line})
            .status_code
            == 404
        )
    assert not LedgerLine.objects.filter(kind="correction").exists()


def test_prizes_are_paid_out_from_the_page_once() -> None:
    event = an_event()
    for _turn in range(2):
        _asked(event, paid=30000)
    Finish.objects.create(event=event, places=[[1], [2]], by_name="test")
    Event.objects.filter(pk=event.pk).update(state=Event.State.FINISHED)
    winner = event.entrants.get(number=1)
    url = event_url("tournament:desk_prizes", event)
    sent = {"entrant": str(winner.pk), "method": "cash", "cents": "34400", "key": "k"}
    assert client_as("desk", event).post(url, sent).status_code == 403
    director = client_as("director", event)
    for _turn in range(2):
        assert director.post(url, sent).status_code == 302
    assert director.post(url, {**sent, "key": "other"}).status_code == 409
    assert director.post(url, {**sent, "entrant": "x"}).status_code == 404
    assert PaidOut.objects.get().cents == 34400


# --- Exports -------------------------------------------------------------------------------------------------------

NASTY = ['=HYPERLINK("http://example.org")', "+1+1", "-2", "@SUM(A1)", "=1", "<b>Bob</b> & sons", "Růžena ʻŌ"]


def _export(event: Event, kind: str) -> bytes:
    return (
        client_as("desk", event)
        .get(event_url("tournament:desk_checkin", event) + f"?sort=number&_export={kind}")
        .content
    )


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_nothing_in_an_exported_cell_can_run_and_markup_stays_text(kind: str) -> None:
    event = an_event()
    for name in NASTY:
        _asked(event, name)
    content = _export(event, kind)
    if kind == "csv":
        assert content.startswith(b"\xef\xbb\xbf"), "a spreadsheet needs the mark to read accents"
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    else:
        sheet = openpyxl.load_workbook(io.BytesIO(content)).active
        assert sheet is not None
        assert not [cell for row in sheet for cell in row if cell.data_type == "f"]
        rows = [[str(cell.value) for cell in row] for row in sheet]
    names = [row[1] for row in rows[1:]]
    kept = "'" if kind == "csv" else ""
    assert names == [f"{kept}{name}" for name in NASTY[:5]] + NASTY[5:]
    assert rows[0] == ["No.", "Name", "Money", "Checked in", "Name in public"]
    assert rows[1][2:] == ["300.00" if kind == "csv" else "300", "no", rows[1][1]]


def test_an_export_is_the_whole_list_not_a_page_of_it() -> None:
    event = an_event()
    Entrant.objects.bulk_create(
        Entrant(event=event, number=turn, name=f"N{turn}", token=f"t{turn}", sign_code="1", state="in")
        for turn in range(1, 131)
    )
    rows = list(csv.reader(io.StringIO(_export(event, "csv").decode("utf-8-sig"))))
    assert len(rows) == 131


def test_numbers_are_not_escaped_and_unknown_formats_are_not_exported() -> None:
    assert [escape_formula(value) for value in (-5, 5.5, None, "-5", "5")] == [-5, 5.5, None, "'-5", "5"]
    event = an_event()
    request = RequestFactory().get("/?_export=exe")
    assert export_if_requested(request, CheckInTable([], event=event), "x") is None


def test_a_footer_is_the_sum_of_its_column_for_any_rows() -> None:
    event = an_event()
    for paid in (0, 1, 29999, 30001):
        _asked(event, paid=paid)
    books = load_event_accounts(event)
    rows = [EntryMoneyRow(e.number, e.name, "", "", False, "in", books.get_account(e.pk)) for e in event.entrants.all()]
    table = PaymentTable(rows, event=event)
    footers = {column.name: str(column.footer) for column in table.columns}
    assert footers["owed"] == "$1,200.00"
    assert footers["paid"] == "$600.01"
    assert footers["due"] == "owe $600.00, are owed $0.01"


# --- Receipts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["letter", "a4", "papyrus"])
def test_a_receipt_has_names_lines_and_the_total(paper: str) -> None:
    event = an_event(a_tournament(name="Desert Classic"))
    entrant = _asked(event, "Růžena Kealoha ʻŌ", 20000)
    discount_or_waive_fee(entrant, 5000, by=SYSTEM_ACTOR, reason="club member", key="")
    take_payment(entrant, 1250, "check", by=SYSTEM_ACTOR, key="", reference="No. 1041")
    content = client_as("desk", event).get(event_url("tournament:receipt", event, number=1) + f"?paper={paper}").content
    read = PdfReader(io.BytesIO(content))
    assert len(read.pages) == 1
    assert round(float(read.pages[0].mediabox.height)) == (842 if paper == "a4" else 792)
    text = read.pages[0].extract_text()
    for words in (
        "Receipt: Růžena Kealoha ʻŌ",
        "Desert Classic",
        "$300.00",
        "−$50.00",
        "club member",
        "No. 1041",
        "$212.50",
        "Still to pay: $37.50",
    ):
        assert words in text


def test_a_receipt_of_a_long_ledger_keeps_inside_its_paper() -> None:
    event = an_event()
    entrant = _asked(event, "W" * 150)
    for turn in range(60):
        take_payment(entrant, 100, "cash", by=SYSTEM_ACTOR, key="", reference=f"remark {turn} " + "x" * 80)
    content = client_as("desk", event).get(event_url("tournament:receipt", event, number=1)).content
    document = pypdfium2.PdfDocument(content)
    assert len(document) == 2
    for page in document:
        words = page.get_textpage()
        boxes = [words.get_rect(turn) for turn in range(words.count_rects())]
        assert all(box[0] >= 41 and box[2] <= 612 - 41 for box in boxes)


def test_when_everybody_is_checked_in_the_page_offers_the_next_step() -> None:
    event = an_event()
    owing, client = _asked(event, "Ada"), client_as("director", event)
    _asked(event, "Alan", paid=300_00, arrived=True)
    page = event_url("tournament:desk_checkin", event)
    assert "Everybody is checked in." not in get_page(page, client)
    check_in_entrants(event, [owing.number], by=SYSTEM_ACTOR)
    source = get_page(page, client)
    assert "Everybody is checked in." in source and "Next: Close registration" in source
    Event.objects.filter(pk=event.pk).update(state=Event.State.CLOSED)
    source = get_page(page, client)
    assert "Next: Collect the fees" in source and f"{page}?only=owes" in source
    assert [row.number for row in client.get(f"{page}?only=owes").context["found"]["rows"]] == [owing.number]
