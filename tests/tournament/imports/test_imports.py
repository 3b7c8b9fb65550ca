from __future__ import annotations

import datetime as dt
import io
from pathlib import Path

import pytest
from django.test import Client
from openpyxl import Workbook

from tests.factories import a_director, a_user, an_event
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tournament.core.permissions import make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry, Entrant, Event, ImportBatch, LedgerLine, Member
from tournament.money.selectors.ledger import load_entry_account, load_event_accounts
from tournament.registration.services.entries import withdraw_entrant
from tournament.registration.services.imported_lists import (
    correct_import_row,
    import_valid_rows,
    record_imported_payments,
    resolve_import_row,
    set_column_mapping,
    store_uploaded_list,
)
from tournament.spreadsheets import UnreadableList, parse_spreadsheet

DATA = Path(__file__).resolve().parents[3] / "tournament" / "data"
LISTS = Path(__file__).resolve().parents[1] / "golden" / "lists"
SINGLES = (DATA / "registrations-singles.csv").read_bytes()
PARTNERSHIP = (DATA / "registrations-partnership.csv").read_bytes()

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event(early_fee_cents=27500, early_until=dt.date(2026, 10, 1))


def taken(event: Event, content: bytes = SINGLES, name: str = "list.csv") -> ImportBatch:
    return store_uploaded_list(event, name, content, by=a_director(event.tournament))


def not_plain(batch: ImportBatch) -> dict[int, tuple[str, list[str]]]:
    """Return the verdict and the codes of the remarks for each imported row that is not simply new, by row number."""
    return {
        row.number: (row.verdict, [r["code"] for r in row.remarks if r["level"] != "note" or r["code"] == "there"])
        for row in batch.rows.all()
        if row.verdict != "new"
    }


def test_the_singles_list_row_by_row(event: Event) -> None:
    batch = taken(event)
    assert (batch.encoding, batch.delimiter, batch.rows.count()) == ("utf-8-sig", ",", 69)
    assert not_plain(batch) == {
        33: ("blank", []),
        65: ("there", ["there"]),
        66: ("there", ["there"]),
        67: ("look", ["bad-email", "same-name"]),
        68: ("look", ["no-name"]),
        69: ("look", ["bad-amount"]),
        70: ("look", ["formula", "markup"]),
    }
    said = {row.number: [r["text"] for r in row.remarks] for row in batch.rows.filter(number__in=[65, 66, 67])}
    assert said[65] == ["The same as row 7 of this list."]
    assert said[66] == ["The same as row 11 of this list."]
    assert said[67][0] == "“not-an-email” is not an email address. Correct it or leave it empty."
    apart = [row.number for row in batch.rows.all() if any(r["code"] == "apart" for r in row.remarks)]
    assert apart == [2, 3, 6, 40]


def test_the_partnership_list_row_by_row() -> None:
    pairs = an_event(entry_size=2, name="Partnership", fee_cents=50000)
    batch = taken(pairs, PARTNERSHIP)
    assert (batch.encoding, batch.delimiter, batch.rows.count()) == ("cp1252", ";", 24)
    assert not_plain(batch) == {
        8: ("look", ["no-partner"]),
        16: ("look", ["lost-letter"]),
        25: ("look", ["in-another-team", "in-another-team"]),
    }
    entered = import_valid_rows(batch, by=a_director(pairs.tournament))
    assert entered == 21
    assert pairs.entrants.get(members__player__name="Béla Bartók").name == "Eleanor Roosevelt / Béla Bartók"
    bartok = pairs.entrants.get(members__player__name="Béla Bartók")
    assert [(m.player.name, m.player.email) for m in bartok.members.all()] == [
        ("Eleanor Roosevelt", "eleanor.roosevelt@example.com"),
        ("Béla Bartók", ""),
    ]
    assert load_event_accounts(pairs).total.paid_cents == 500_00 * 16


def test_importing_enters_everybody_once_and_a_second_time_nobody(event: Event) -> None:
    by = a_director(event.tournament)
    batch = taken(event)
    assert import_valid_rows(batch, by=by, key="once") == 62
    assert import_valid_rows(batch, by=by, key="once") == 62
    assert event.entrants.count() == 62
    assert sorted(event.entrants.values_list("number", flat=True)) == list(range(1, 63))
    with pytest.raises(Conflict, match="No row"):
        import_valid_rows(batch, by=by)

    again = taken(event)
    assert again.rows.filter(verdict="new").count() == 0
    assert again.rows.filter(verdict="there").count() == 64
    with pytest.raises(Conflict):
        import_valid_rows(again, by=by)
    assert event.entrants.count() == 62


def test_a_long_list_is_imported_to_its_last_row(event: Event) -> None:
    endings = [f"{chr(65 + number // 26)}{chr(97 + number % 26)}berg" for number in range(437)]
    lines = "\n".join(f"Ada {ending},{ending.lower()}@example.org" for ending in endings)
    batch = taken(event, f"Name,E-mail\n{lines}\n".encode())
    assert import_valid_rows(batch, by=a_director(event.tournament)) == 437
    assert event.entrants.order_by("number").last().name == f"Ada {endings[-1]}"


def test_numbers_follow_the_time_of_entering_on_the_list(event: Event) -> None:
    import_valid_rows(taken(event), by=a_director(event.tournament))
    first = event.entrants.get(number=1)
    assert first.name == "Herman Melville"
    assert first.entered_at == dt.datetime(2026, 6, 1, 16, 25, tzinfo=dt.UTC), "09:25 in Los Angeles"
    assert event.entrants.get(number=62).name == "Dorothy Hodgkin"


def ledger(event: Event, name: str) -> list[tuple[str, int, str, str]]:
    rows = LedgerLine.objects.filter(entrant__event=event, entrant__name=name).order_by("pk")
    return list(rows.values_list("kind", "cents", "method", "reference"))


def test_amounts_become_lines_of_the_ledger(event: Event) -> None:
    import_valid_rows(taken(event), by=a_director(event.tournament))
    lines = AuditEntry.objects.get(verb="list.imported").data["ledger"]
    assert {line["pk"] for line in lines} == set(event.ledger.values_list("pk", flat=True))
    assert ledger(event, "Ludwig van Beethoven") == [("charge", 30000, "", ""), ("payment", 30000, "cash", "")]
    assert ledger(event, "Ralph Waldo Emerson") == [("charge", 27500, "", ""), ("payment", 27500, "cash", "")]
    assert ledger(event, "W. E. B. Du Bois") == [("charge", 27500, "", ""), ("complimentary", 27500, "", "")]
    assert ledger(event, "George Washington Carver") == [("charge", 27500, "", ""), ("payment", 30000, "check", "1042")]
    assert ledger(event, "Gustave Eiffel") == [
        ("charge", 30000, "", ""),
        ("discount", 2500, "", ""),
        ("payment", 27500, "card", ""),
    ], "entered on 26 October, and the list says early"
    assert ledger(event, "Frederick Douglass") == [("charge", 27500, "", "")]


def test_a_list_does_not_bring_back_withdrawn_entries(event: Event) -> None:
    by = a_director(event.tournament)
    import_valid_rows(taken(event), by=by)
    withdraw_entrant(event.entrants.get(name="Ada Lovelace"), by=by)
    again = taken(event)
    row = again.rows.get(number=3)
    assert row.verdict == "there"
    assert row.remarks[0]["text"].endswith("(withdrawn).")


def test_a_corrected_row_is_judged_again_and_imported(event: Event) -> None:
    by = a_director(event.tournament)
    batch = taken(event)
    import_valid_rows(batch, by=by)
    row = batch.rows.get(number=69)
    cells = list(row.cells)
    cells[8] = ""
    assert correct_import_row(row, cells, by=by).verdict == "new"
    assert import_valid_rows(batch, by=by) == 1
    assert event.entrants.get(name="Wilbur Wright").number == 63
    row.refresh_from_db()
    assert row.verdict == "imported"
    with pytest.raises(Conflict, match="This row has been entered"):
        correct_import_row(row, cells, by=by)


def test_a_doubtful_row_must_be_accepted(event: Event) -> None:
    by = a_director(event.tournament)
    lines = b"Name,Email\nAda Lovelace,ada@x.org\nADA LOVELACE,other@x.org\nCharles Babbage,ada@x.org\n"
    batch = taken(event, lines)
    assert not_plain(batch) == {3: ("look", ["same-name"]), 4: ("look", ["same-email"])}
    resolve_import_row(batch.rows.get(number=4), "accept", by=by)
    resolve_import_row(batch.rows.get(number=3), "drop", by=by)
    assert import_valid_rows(batch, by=by) == 2
    assert sorted(event.entrants.values_list("name", flat=True)) == ["Ada Lovelace", "Charles Babbage"]


def test_an_invalid_row_cannot_be_accepted(event: Event) -> None:
    batch = taken(event)
    row = batch.rows.get(number=70)
    resolve_import_row(row, "accept", by=a_director(event.tournament))
    row.refresh_from_db()
    assert row.verdict == "look"


def test_columns_can_be_chosen(event: Event) -> None:
    by = a_director(event.tournament)
    batch = taken(event, b"Who,Where\nAda Lovelace,London\n")
    assert batch.rows.get().verdict == "look"
    set_column_mapping(batch, {"name": 0, "club": 1}, by=by)
    assert batch.rows.get().verdict == "new"
    import_valid_rows(batch, by=by)
    assert event.entrants.get().club == "London"
    with pytest.raises(DomainError, match="a meaning of its own"):
        set_column_mapping(batch, {"name": 0, "club": 0}, by=by)


def test_rows_of_another_event_are_not_imported(event: Event) -> None:
    batch = taken(event, b"Name,Event(s)\nAda Lovelace,Senior\nAlan Turing,Singles; Senior\n")
    assert not_plain(batch) == {2: ("look", ["other-event"])}


def test_a_workbook_reads_like_a_csv_file(event: Event) -> None:
    book = Workbook()
    for row in [("Name", "E-mail", "Amount paid", "Timestamp"), ("Émile Zola", None, 300, dt.date(2026, 9, 1))]:
        book.active.append(row)
    book.active.append(("=1+1", "x@example.org", 5, None))
    content = io.BytesIO()
    book.save(content)
    batch = taken(event, content.getvalue(), "list.xlsx")
    assert batch.encoding == "xlsx"
    assert not_plain(batch) == {3: ("look", ["formula"])}
    import_valid_rows(batch, by=a_director(event.tournament))
    entrant = event.entrants.get()
    assert (entrant.name, load_entry_account(entrant).paid_cents) == ("Émile Zola", 30000)
    assert entrant.source == Entrant.Source.IMPORT


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty-list"),
        (b"Name,Email\n", "empty-list"),
        (b"PK\x03\x04 and nothing more", "not-a-list"),
        (b"\x00\x01\x02" * 50, "not-a-list"),
        (b"Name\n" + b"Ada\n" * 1000 + b"B\x00b\n", "not-a-list"),
        (b"x" * 5_000_001, "too-big"),
        (b"Name\n" + b"Ada\n" * 3001, "too-many-rows"),
    ],
)
def test_a_file_without_a_list_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(UnreadableList) as refusal:
        parse_spreadsheet(content)
    assert refusal.value.code == code


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "mac_roman"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_names_survive_every_usual_encoding(encoding: str, delimiter: str) -> None:
    rows = [["Name", "City"], ["Émilie du Châtelet", "Besançon"], ["José Peña", "Córdoba"], ["Jürgen Groß", "Köln"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    read = parse_spreadsheet(text.encode(encoding))
    assert [list(read.headers), *map(list, read.rows)] == rows
    assert read.delimiter == delimiter


def test_the_hotel_cannot_import(event: Event) -> None:
    with pytest.raises(NotAllowed):
        store_uploaded_list(event, "x.csv", SINGLES, by=make_staff_actor(a_user("hotel", event.tournament)))


def test_an_import_is_one_row_of_the_log_with_its_numbers(event: Event) -> None:
    import_valid_rows(taken(event), by=a_director(event.tournament))
    entry = AuditEntry.objects.get(verb="list.imported")
    assert entry.data["entered"] == 62
    assert entry.data["numbers"] == list(range(1, 63))
    assert Member.objects.filter(entrant__event=event).count() == 62


def test_a_list_that_is_entered_offers_the_next_step_even_with_rows_to_fix(event: Event) -> None:
    batch, client = taken(event), Client()
    client.force_login(a_user("director", event.tournament))
    page = event_url("tournament:desk_import_preview", event, pk=batch.pk)
    assert "Next: " not in client.get(page).content.decode()
    import_valid_rows(batch, by=a_director(event.tournament))
    said = client.get(page).content.decode()
    assert "Rows to fix, as CSV" in said and "Next: Close registration" in said


def test_a_newer_list_offers_the_payment_of_an_existing_entrant(event: Event) -> None:
    by = a_director(event.tournament)
    import_valid_rows(taken(event, (LISTS / "first-week.csv").read_bytes()), by=by)
    batch = taken(event, (LISTS / "second-week.csv").read_bytes())
    assert [row.verdict for row in batch.rows.all()] == ["pays", "there", "new"]
    assert record_imported_payments(batch, by=by, key="once") == 1
    assert record_imported_payments(batch, by=by, key="once") == 1
    assert ledger(event, "Ann Roe") == [("charge", 30000, "", ""), ("payment", 30000, "check", "1042")]
    assert [row.verdict for row in batch.rows.all()] == ["there", "there", "new"]
    with pytest.raises(Conflict, match="not recorded"):
        record_imported_payments(batch, by=by)


def test_two_people_of_one_name_must_be_accepted_once(event: Event) -> None:
    by = a_director(event.tournament)
    content = (LISTS / "homonyms.csv").read_bytes()
    batch = taken(event, content)
    assert not_plain(batch) == {3: ("look", ["same-name"]), 5: ("look", ["same-name"])}
    for number in (3, 5):
        resolve_import_row(batch.rows.get(number=number), "accept", by=by)
    assert import_valid_rows(batch, by=by) == 4
    assert {row.verdict for row in taken(event, content).rows.all()} == {"there"}


def test_a_row_can_be_linked_to_an_existing_player(event: Event) -> None:
    by = a_director(event.tournament)
    import_valid_rows(taken(event, b"Name,Email\nAnn Roe,ann@x.org\n"), by=by)
    batch = taken(event, b"Name,Paid\nAnn Roe,300\n")
    assert not_plain(batch) == {2: ("look", ["same-name"])}
    resolve_import_row(batch.rows.get(), "same", by=by)
    assert record_imported_payments(batch, by=by) == 1
    assert load_entry_account(event.entrants.get()).net_paid_cents == 300_00


def test_twins_in_a_list_are_not_one_entry(event: Event) -> None:
    import_valid_rows(taken(event, b"Name\nMaria Ivanova\n"), by=a_director(event.tournament))
    batch = taken(event, b"Name\nMaria Ivanova\nMaria Ivanova\n")
    assert [row.verdict for row in batch.rows.all()] == ["there", "look"]


def client_and_page(event: Event, batch: ImportBatch) -> tuple[Client, str]:
    client = client_as("director", event)
    return client, event_url("tournament:desk_import_preview", event, pk=batch.pk)


def test_a_doubtful_encoding_must_be_chosen_first(event: Event) -> None:
    batch = taken(event, "Name\nŐri Ada\nBob Stone\n".encode("cp1250"))
    client, page = client_and_page(event, batch)
    shown = client.get(page).content.decode()
    assert "Which names are right?" in shown and "Őri Ada" in shown and "Õri Ada" in shown
    with pytest.raises(Conflict, match="two ways"):
        import_valid_rows(batch, by=a_director(event.tournament))
    client.post(f"{page}read/", {"encoding": "cp1250"})
    batch.refresh_from_db()
    import_valid_rows(batch, by=a_director(event.tournament))
    assert sorted(event.entrants.values_list("name", flat=True)) == ["Bob Stone", "Őri Ada"]


def test_an_ambiguous_order_of_day_and_month_is_asked_for_once(event: Event) -> None:
    batch = taken(event, b"Name,Date\nAda Lovelace,05/11/2026\nAlan Turing,06/11/2026\n")
    client, page = client_and_page(event, batch)
    shown = client.get(page).content.decode()
    assert shown.count("Which day is it?") == 1 and "November 5, 2026" in shown and "May 11, 2026" in shown
    client.post(f"{page}read/", {"order": "day-month"})
    assert "entered Nov. 5, 2026" in client.get(page).content.decode()
    batch.refresh_from_db()
    import_valid_rows(batch, by=a_director(event.tournament))
    assert str(event.entrants.get(number=1).entered_at.date()) == "2026-11-05"


def test_a_list_is_pasted(event: Event) -> None:
    client, _page = client_and_page(event, taken(event))
    lists = event_url("tournament:desk_import", event)
    client.post(lists, {"pasted": "Name\tEmail\nAda Lovelace\tada@x.org\n"})
    assert event.imports.first().rows.get().verdict == "new"
    assert "Choose a file, or paste the list." in client.post(lists, {"pasted": " "}).content.decode()


def test_an_amount_of_thousands_is_doubted_in_an_event_of_hundreds(event: Event) -> None:
    batch = taken(event, b"Name,Paid\nAda Lovelace,300.000\nAlan Turing,3000\nGrace Hopper,300\n")
    assert not_plain(batch) == {2: ("look", ["unclear-amount"]), 3: ("look", ["large-amount"])}


@pytest.mark.parametrize(
    "content", [b"Name;Paid\nAda Lovelace;300,00 EUR\n", b"Name,Paid,Currency\nAda Lovelace,300,EUR\n"]
)
def test_a_fee_in_another_currency_is_doubted(event: Event, content: bytes) -> None:
    batch = taken(event, content)
    assert not_plain(batch) == {2: ("look", ["foreign-currency"])}


def test_a_payment_in_another_currency_is_not_offered(event: Event) -> None:
    import_valid_rows(taken(event, b"Name,Email\nAnn Roe,ann@x.org\n"), by=a_director(event.tournament))
    batch = taken(event, "Name,Email,Paid\nAnn Roe,ann@x.org,300 €\n".encode())
    assert [row.verdict for row in batch.rows.all()] == ["look"]
