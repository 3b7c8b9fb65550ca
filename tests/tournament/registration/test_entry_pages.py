from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import reverse
from openpyxl import load_workbook

from tests.factories import a_director, a_tournament, an_entrant, an_event
from tests.kit import client_as, event_url, page_text, public_url
from tests.prebuilt import prebuilt
from tournament.messages.selectors import load_undelivered_messages
from tournament.messages.services import MessageDraft, record_phone_call, send_message
from tournament.models import Entrant, Event, MessageCopy
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.services.fees_and_refunds import take_payment
from tournament.registration.selectors.entries import load_staff_messages
from tournament.registration.services.entries import EntryRequest, add_entry
from tournament.registration.services.imported_lists import import_valid_rows, resolve_import_row, store_uploaded_list
from tournament.registration.services.people import Person
from tournament.tasks.mail import send_confirmation, send_links
from tournament.tasks.mail import send_message as mail_message

pytestmark = pytest.mark.django_db

ADA = {
    "name": "Ada Lovelace",
    "email": "ada@example.org",
    "phone": "555 1234",
    "club": "London",
    "public_name": "Countess",
    "notes": "no stairs",
    "consent": "on",
    "key": "a" * 32,
}


def _url(name: str, event: Event, **more: Any) -> str:
    return event_url(f"tournament:{name}", event, **more)


def _export(event: Event, kind: str = "csv", page: str = "desk_entrants") -> bytes:
    return client_as("director", event).get(_url(page, event), {"_export": kind}).content


def _exported_sheet(event: Event) -> Any:
    return load_workbook(io.BytesIO(_export(event, "xlsx"))).active


@prebuilt
def some(event: Event, *names: str) -> list[Entrant]:
    by = a_director(event.tournament)
    return [add_entry(event, EntryRequest((Person(n, f"{n[:3].lower()}@example.org", "555"),)), by=by) for n in names]


class TestNamesThatPaperLacks:
    """Forms ask for confirmation of a name with letters that no font has.

    Printed pages show the codes of such letters instead.
    """

    ASKED = "These letters cannot be printed: 王小. They appear on paper as [U+738B U+5C0F]."

    @pytest.mark.parametrize("changed", [{"public_name": "王小"}, {"public_name": "", "name": "王小"}])
    def test_on_the_public_form(self, client: Client, changed: dict[str, str]) -> None:
        event = an_event()
        answer = client.post(_url("register", event), {**ADA, **changed})
        assert answer.status_code == 422 and self.ASKED in answer.content.decode()
        assert not event.entrants.exists()
        assert client.post(_url("register", event), {**ADA, **changed, "as_typed": "on"}).status_code == 302
        assert event.entrants.get().name == "王小"

    @pytest.mark.parametrize("name", ["Nguyễn Thị Bé", "Лев Толстой", "Σωκράτης", "Lili‘uokalani"])
    def test_printable_names_need_no_confirmation(self, client: Client, name: str) -> None:
        event = an_event()
        assert "as_typed" not in client.get(_url("register", event)).content.decode()
        assert client.post(_url("register", event), {**ADA, "public_name": name}).status_code == 302

    def test_the_desk_enters_one_player_after_another(self) -> None:
        event = an_event()
        desk, page = client_as("desk", event), _url("new_entrant", event)
        answer = desk.post(page, {"name": "Ada Lovelace", "consent": "on", "key": "a", "another": "1"}, follow=True)
        assert "Ada Lovelace has number 1." in page_text(answer) and 'name="another"' in answer.content.decode()

    def test_a_partner_and_a_substitute_at_the_desk(self) -> None:
        event = an_event(entry_size=2)
        desk = client_as("director", event)
        sent = {"name": "Ada Lovelace", "partner": "王小", "key": "a"}
        assert self.ASKED in desk.post(_url("new_entrant", event), sent).content.decode()
        assert desk.post(_url("new_entrant", event), {**sent, "as_typed": "on"}).status_code == 302
        page = _url("desk_substitute", event, number=1)
        come = {"seat": "1", "name": "王小明", "reason": "ill"}
        assert "[U+738B U+5C0F U+660E]" in desk.post(page, come).content.decode()
        assert desk.post(page, {**come, "as_typed": "on"}).status_code == 302

    def test_a_list_says_it_and_is_accepted(self) -> None:
        event = an_event()
        by = a_director(event.tournament)
        content = "Name,Name to show\n王小,\n王小,Xiao Wang\nЛев Толстой,\n".encode()
        batch = store_uploaded_list(event, "list.csv", content, by=by)
        rows = list(batch.rows.order_by("number"))
        assert [row.verdict for row in rows] == ["look", "new", "new"]
        assert rows[0].remarks[0]["text"] == (
            "Some letters of “王小” cannot be printed; they appear as [U+738B U+5C0F]. "
            "Write the name in other letters, or accept it."
        )
        resolve_import_row(rows[0], "accept", by=by)
        rows[0].refresh_from_db()
        assert rows[0].verdict == "new"


def test_a_phone_enters_and_gets_link_qr_code_and_signing_code(client: Client) -> None:
    event = an_event()
    assert client.get(_url("register", event)).status_code == 200
    answer = client.post(_url("register", event), ADA, follow=True)
    entrant = event.entrants.get()
    page = answer.content.decode()
    assert f"http://testserver/my/{entrant.token}/" in page
    assert entrant.sign_code in page
    assert 'src="data:image/svg+xml' in page
    assert (entrant.name, entrant.notes) == ("Countess", "no stairs")
    assert entrant.members.get().player.consent_at is not None
    assert client.post(_url("register", event), ADA, follow=True).status_code == 200
    assert event.entrants.count() == 1


def test_an_invalid_form_keeps_the_input(client: Client) -> None:
    event = an_event()
    answer = client.post(_url("register", event), {**ADA, "email": "ada", "consent": ""})
    assert answer.status_code == 422
    assert "no stairs" in answer.content.decode()
    assert set(answer.context["form"].errors) == {"email"}
    assert event.entrants.count() == 0


@pytest.mark.parametrize("publishes", [True, False])
def test_the_form_proposes_what_the_tournament_publishes_and_obeys_the_answer(client: Client, publishes: bool) -> None:
    event = an_event(a_tournament(publishes_names=publishes))
    assert client.get(_url("register", event)).context["form"]["consent"].value() is publishes
    client.post(_url("register", event), {**ADA, "public_name": "", "consent": ""})
    player = event.entrants.get().members.get().player
    initials = " ".join(f"{word[0]}." for word in ADA["name"].split())
    assert (event.entrants.get().name, str(player), player.consent_at) == (initials, initials, None)


def test_the_second_entry_is_told_how_to_get_the_link_again_and_not_the_link(client: Client) -> None:
    event = an_event()
    client.post(_url("register", event), ADA)
    answer = client.post(_url("register", event), {**ADA, "key": "b" * 32})
    page = answer.content.decode()
    assert "has already entered Singles, with number 1" in page
    assert _url("link_again", event) in page
    assert event.entrants.get().token not in page


@pytest.mark.parametrize(("state", "status", "word"), [("closed", 200, "Registration is closed"), ("draft", 404, "")])
def test_a_closed_registration_is_explained(client: Client, state: str, status: int, word: str) -> None:
    event = an_event(state=state)
    answer = client.get(_url("register", event))
    assert answer.status_code == status
    assert word in answer.content.decode()
    assert client.post(_url("register", event), ADA).status_code in (403, 404)
    assert event.entrants.count() == 0


def test_the_private_page_explains_the_wait_and_withdraws(client: Client) -> None:
    event = an_event(capacity=1)
    first, second = some(event, "Ada One", "Bob Two")
    page = client.get(reverse("tournament:my", kwargs={"token": second.token})).content.decode()
    assert "You are 1st on the waiting list." in page
    assert "All 1 places are taken." in page
    answer = client.post(reverse("tournament:withdraw_mine", kwargs={"token": first.token}), follow=True)
    assert "You have withdrawn" in answer.content.decode()
    second.refresh_from_db()
    assert second.state == "in"
    assert client.get("/my/not-a-token/").status_code == 404


def test_markup_in_a_name_is_text_everywhere(client: Client) -> None:
    event = an_event()
    client.post(_url("register", event), {**ADA, "public_name": "<script>alert(1)</script>"})
    for page in (client.get(_url("entrants", event)), client_as("director", event).get(_url("desk_entrants", event))):
        assert "<script>alert" not in page.content.decode()
        assert "&lt;script&gt;alert" in page.content.decode()


def test_the_public_list_shows_no_address_and_finds_names(client: Client) -> None:
    event = an_event()
    some(event, "Ada One", "Bob Two")
    page = client.get(_url("entrants", event)).content.decode()
    assert "Ada One" in page and "@example.org" not in page and "555" not in page
    found = client.get(_url("entrants", event), {"q": "bob"}).content.decode()
    assert "Bob Two" in found and "Ada One" not in found
    assert "No" in client.get(_url("entrants", event), {"q": "@example.org"}).content.decode()
    assert "Ada One" not in client.get(_url("entrants", event), {"q": "ada@example"}).content.decode()


@pytest.mark.parametrize("number", [1, 3])
@pytest.mark.parametrize(("name", "queries"), [("entrants", 3), ("desk_entrants", 9)])
def test_lists_need_the_same_queries_for_any_field(
    number: int, name: str, queries: int, django_assert_num_queries
) -> None:
    event = an_event()
    some(event, *[f"Player {n} Name" for n in range(number)])
    client = client_as("director", event) if name.startswith("desk") else Client()
    client.get(_url(name, event))
    url = _url(name, event) + "?sort=name"
    with django_assert_num_queries(queries):
        assert client.get(url).status_code == 200


@pytest.mark.parametrize("number", [1, 3])
def test_the_private_page_needs_a_constant_number_of_queries(number: int, django_assert_num_queries) -> None:
    event = an_event(capacity=1)
    entrants = some(event, *[f"Player {n} Name" for n in range(number)])
    for turn in range(number):
        send_message(event, MessageDraft("Hello", "There", "all"), by=a_director(event.tournament), key=f"m{turn}")
    url = reverse("tournament:my", kwargs={"token": entrants[0].token})
    phone = Client()
    phone.get(url)  # the session remembers it from now on
    with django_assert_num_queries(7):
        phone.get(url)


def test_exports_escape_formulas() -> None:
    event = an_event()
    add_entry(event, EntryRequest((Person("=1+1 Smith", "x@example.org", "+1 555"),)), by=a_director(event.tournament))
    text = _export(event).decode("utf-8-sig")
    assert '"\'=1+1 Smith"' in text
    assert ',"+1 555",' in text
    cells = [cell for row in _exported_sheet(event).iter_rows() for cell in row]
    assert "=1+1 Smith" in [cell.value for cell in cells]
    assert all(cell.data_type != "f" for cell in cells)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_no_cell_of_an_export_is_a_formula_where_lines_are_split_elsewhere(separator: str) -> None:
    event = an_event()
    person = Person("Ada Lovelace", "x@example.org", club=f"Tampa{separator} =1+1")
    add_entry(event, EntryRequest((person,), notes="late;@SUM(A1)"), by=a_director(event.tournament))
    text = _export(event).decode("utf-8-sig")
    cells = [cell.strip(' "') for line in text.splitlines() for cell in line.split(separator)]
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def reimported(event: Event, kind: str = "csv", **fields: Any) -> Entrant:
    """Export the only entry of an event to a file, import the file into a new event, and return the new entry."""
    back = an_event(**fields)
    by = a_director(back.tournament)
    assert import_valid_rows(store_uploaded_list(back, f"list.{kind}", _export(event, kind), by=by), by=by) == 1
    return back.entrants.get()


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_our_own_list_comes_back_unchanged(kind: str) -> None:
    event = an_event()
    person = Person("=Zoë O'Hara", "zoe@example.org", "+1 512-555-0100", "-Tampa-")
    entrant = add_entry(event, EntryRequest((person,), notes="- no stairs; -late"), by=a_director(event.tournament))
    take_payment(entrant, 300_00, "cash", by=a_director(event.tournament), key="k")
    again = reimported(event, kind)
    player = again.members.get().player
    assert (player.name, player.email, player.phone) == (person.name, person.email, person.phone)
    assert (again.club, again.notes, load_entry_account(again).net_paid_cents) == (
        "-Tampa-",
        "- no stairs; -late",
        300_00,
    )


@pytest.mark.parametrize(("hides", "public_name"), [(True, ""), (False, "Zed"), (False, "")])
def test_a_hidden_name_comes_back_whole_and_hidden(hides: bool, public_name: str) -> None:
    event = an_event()
    person = Person("Zoë O'Hara", public_name=public_name, club="Tampa", hides_name=hides)
    add_entry(event, EntryRequest((person,)), by=a_director(event.tournament))
    again = reimported(event)
    player = again.members.get().player
    assert (player.name, player.public_name, player.hides_name) == ("Zoë O'Hara", public_name, hides)
    assert (again.name, again.club) == (person.displayed_name, "Tampa")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_a_pair_comes_back_unchanged(kind: str) -> None:
    event = an_event(entry_size=2)
    people = (
        Person("Ada Lovelace", "ada@example.org", "555-0100", "London", hides_name=True),
        Person("Alan Turing", "alan@example.org", "555-0101", public_name="Prof"),
    )
    entrant = add_entry(event, EntryRequest(people), by=a_director(event.tournament))
    again = reimported(event, kind, entry_size=2)
    fields = ("name", "email", "phone", "public_name", "hides_name")
    both = [
        [tuple(getattr(one.player, name) for name in fields) for one in each.members.all()] for each in (entrant, again)
    ]
    assert both[0] == both[1]
    assert again.name == "A. L. / Prof"


def test_an_answer_that_is_neither_yes_nor_no_is_corrected_first() -> None:
    event = an_event()
    content = b"Name,Show the name in public\nAda Lovelace,maybe\n"
    row = store_uploaded_list(event, "list.csv", content, by=a_director(event.tournament)).rows.get()
    assert (row.verdict, [remark["code"] for remark in row.remarks]) == ("look", ["bad-answer"])


@pytest.mark.parametrize("name", ["desk_checkin", "desk_payments"])
def test_files_of_the_desk_have_the_full_name_and_what_the_public_sees(name: str) -> None:
    event = an_event()
    add_entry(event, EntryRequest((Person("Ada Lovelace", hides_name=True),)), by=a_director(event.tournament))
    text = _export(event, page=name).decode("utf-8-sig")
    row = next(csv.DictReader(io.StringIO(text)))
    assert (row["Name"], row["Name in public"]) == ("Ada Lovelace", "A. L.")


def test_the_public_file_never_has_a_hidden_name() -> None:
    event = an_event()
    add_entry(event, EntryRequest((Person("Ada Lovelace", hides_name=True),)), by=a_director(event.tournament))
    text = Client().get(_url("entrants", event), {"_export": "csv"}).content.decode()
    assert "A. L." in text and "Lovelace" not in text


def test_amounts_in_a_workbook_are_numbers() -> None:
    event = an_event()
    add_entry(event, EntryRequest((Person("Ada Lovelace"),)), by=a_director(event.tournament))
    head, row = ([cell.value for cell in line] for line in _exported_sheet(event).iter_rows())
    assert (row[head.index("No.")], row[head.index("Owed")]) == (1, 300)


def test_the_desk_imports_a_list_mends_a_row_and_imports_again() -> None:
    event = an_event()
    client = client_as("director", event)
    content = b"Name,Email\nAda Lovelace,ada@example.org\nAlan Turing,alan\n"
    answer = client.post(_url("desk_import", event), {"file": SimpleUploadedFile("list.csv", content)})
    preview = answer["Location"]
    page = client.get(f"{preview}?only=all").content.decode()
    assert "Enter the one new row" in page
    assert "“alan” is not an email address." in page
    batch = event.imports.get()
    client.post(_url("desk_import_take", event, pk=batch.pk), {"key": "k"})
    assert event.entrants.count() == 1
    rest = client.get(_url("desk_import_rest", event, pk=batch.pk)).content.decode("utf-8-sig")
    assert rest.splitlines()[1].startswith('"Alan Turing","alan","“alan” is not an email address.')
    row = _url("desk_import_row", event, pk=batch.pk, number=3)
    assert client.post(row, {"cell-0": "Alan Turing", "cell-1": "alan@example.org"}).status_code == 302
    client.post(_url("desk_import_take", event, pk=batch.pk), {"key": "l"})
    assert sorted(event.entrants.values_list("name", flat=True)) == ["Ada Lovelace", "Alan Turing"]


def test_a_file_without_a_list_is_an_error_on_the_form() -> None:
    event = an_event()
    file = SimpleUploadedFile("x.xlsx", b"PK\x03\x04")
    answer = client_as("director", event).post(_url("desk_import", event), {"file": file})
    assert "Save it again as XLSX, or as CSV." in answer.content.decode()


def test_columns_are_chosen_by_select_boxes() -> None:
    event = an_event()
    client = client_as("director", event)
    file = SimpleUploadedFile("l.csv", b"Who,Where\nAda,London\n")
    client.post(_url("desk_import", event), {"file": file})
    batch = event.imports.get()
    client.post(_url("desk_import_columns", event, pk=batch.pk), {"column-0": "name", "column-1": "club"})
    batch.refresh_from_db()
    assert batch.mapping == {"name": 0, "club": 1}
    assert batch.rows.get().verdict == "new"


@pytest.mark.parametrize("number", [1, 3])
def test_the_preview_needs_a_constant_number_of_queries(number: int, django_assert_num_queries) -> None:
    event = an_event()
    lines = "Name,Email\n" + "".join(f"Player {n},p{n}@example.org\n" for n in range(number))
    batch = store_uploaded_list(event, "l.csv", lines.encode(), by=a_director(event.tournament))
    client = client_as("director", event)
    with django_assert_num_queries(8):
        client.get(_url("desk_import_preview", event, pk=batch.pk))


@pytest.mark.parametrize(
    ("name", "role", "status"),
    [
        ("desk_entrants", "hotel", 200),
        ("desk_import", "hotel", 403),
        ("desk_messages", "hotel", 403),
        ("desk_import", "desk", 200),
        ("new_entrant", "desk", 200),
    ],
)
def test_who_sees_what_at_the_desk(name: str, role: str, status: int) -> None:
    event = an_event()
    assert client_as(role, event).get(_url(name, event)).status_code == status
    assert client_as("director", an_event()).get(_url(name, event)).status_code == 403
    assert Client().get(_url(name, event)).status_code == 302


def test_the_desk_approves_refuses_and_takes_back() -> None:
    event = an_event(approvals=["director", "coordinator", "hotel"])
    some(event, "Ada One", "Bob Two")
    client = client_as("director", event)
    assert "Approve as director" in client.get(_url("desk_entrant", event, number=1)).content.decode()
    client.post(_url("approve_marked", event), {"number": ["1", "2"], "role": "director"})
    act = _url("desk_entrant_act", event, number=2)
    assert client.post(act, {"act": "refuse", "role": "director"}).status_code == 422
    client.post(act, {"act": "refuse", "role": "director", "reason": "no room"})
    assert event.entrants.get(number=2).state == "refused"
    client.post(act, {"act": "reinstate", "reason": "room found"})
    assert event.entrants.get(number=2).state == "applied"


def test_the_desk_approves_all_at_once_and_only_directors_see_a_private_link() -> None:
    event = an_event(approvals=["director", "coordinator", "hotel"])
    first, *_others = some(event, "Ada One", "Bob Two", "Cyd Three")
    client = client_as("hotel", event)
    client.post(_url("approve_marked", event), {"all_as": "hotel", "sure": "1"})
    assert [list(e.facts.values_list("kind", "role")) for e in event.entrants.all()] == [
        [("entered", ""), ("approved", "hotel")]
    ] * 3
    assert first.token not in client.get(_url("desk_entrant", event, number=1)).content.decode()
    for role in ("desk", "coordinator", "director"):
        page = client_as(role, event).get(_url("desk_entrant", event, number=1)).content.decode()
        assert (first.token in page, first.sign_code in page) == (role == "director",) * 2


def test_a_message_reaches_pages_and_the_list_of_calls(client: Client) -> None:
    event = an_event(capacity=1)
    first, second = some(event, "Ada One", "Bob Two")
    by = a_director(event.tournament)
    message = send_message(event, MessageDraft("Doors", "Open at nine", "waiting"), by=by, key="k")
    assert send_message(event, MessageDraft("Doors", "Open at nine", "waiting"), by=by, key="k").pk == message.pk
    copy = message.copies.get()
    assert (copy.entrant, copy.channel) == (second, "phone")
    assert "Open at nine" in client.get(reverse("tournament:my", kwargs={"token": second.token})).content.decode()
    assert "Open at nine" not in client.get(reverse("tournament:my", kwargs={"token": first.token})).content.decode()
    desk = client_as("director", event)
    assert "555" in desk.get(_url("desk_message", event, pk=message.pk)).content.decode()
    desk.post(_url("desk_message_told", event, pk=copy.pk), {"told": "1"})
    copy.refresh_from_db()
    assert copy.state == "told"
    record_phone_call(copy, False, by=by)
    copy.refresh_from_db()
    assert copy.state == "waiting"


@pytest.fixture
def with_mail(settings) -> None:
    settings.MAIL_IS_SET = True


@pytest.mark.usefixtures("with_mail")
def test_messages_are_emailed_exactly_once() -> None:
    event = an_event()
    some(event, "Ada One", "Bob Two")
    add_entry(event, EntryRequest((Person("Cyd Three", "", "555 3"),)), by=a_director(event.tournament))
    letter = MessageDraft("Doors", "Open at nine & <early>", "all")
    message = send_message(event, letter, by=a_director(event.tournament), key="k")
    mail_message(message.pk, "http://hall.test")
    mail_message(message.pk, "http://hall.test")
    assert sorted(one.to[0] for one in mail.outbox) == ["ada@example.org", "bob@example.org"]
    assert "Open at nine & <early>" in mail.outbox[0].body
    assert sorted(MessageCopy.objects.values_list("channel", "state")) == [
        ("email", "sent"),
        ("email", "sent"),
        ("phone", "waiting"),
    ]


@pytest.mark.usefixtures("with_mail")
def test_a_failed_confirmation_is_listed_and_sent_again() -> None:
    event = an_event()
    for entrant in some(event, "Ada One", "Bob Two"):
        with override_settings(EMAIL_BACKEND="django.core.mail.backends.smtp.EmailBackend", EMAIL_PORT=9):
            send_confirmation.apply(args=(entrant.pk, "http://hall.test"), retries=send_confirmation.max_retries)
    message = event.messages.get()
    assert sorted(message.copies.values_list("channel", "state")) == [("phone", "failed")] * 2
    assert load_undelivered_messages(event) == [(message, 2)]
    assert list(load_staff_messages(entrant)) == []
    desk = client_as("director", event)
    assert "Try the emails again" in desk.get(_url("desk_message", event, pk=message.pk)).content.decode()
    assert desk.post(_url("desk_message_again", event, pk=message.pk)).status_code == 302
    mail_message(message.pk, "http://hall.test")
    assert sorted(message.copies.values_list("channel", "state")) == [("email", "sent")] * 2
    assert entrant.sign_code in mail.outbox[-1].body
    assert load_undelivered_messages(event) == []


@pytest.mark.usefixtures("with_mail")
def test_the_confirmation_and_the_link_asked_for_again_carry_the_link() -> None:
    event = an_event()
    (entrant,) = some(event, "Ada One")
    send_confirmation(entrant.pk, "http://hall.test")
    send_links(event.pk, "ADA@example.org", "http://hall.test")
    send_links(event.pk, "nobody@example.org", "http://hall.test")
    assert len(mail.outbox) == 2
    for letter in mail.outbox:
        assert f"http://hall.test/my/{entrant.token}/" in letter.body
        assert entrant.sign_code in letter.body


def test_two_records_are_merged_and_separated_on_the_page(client: Client) -> None:
    event = an_event()
    some(event, "Ada One")
    add_entry(event, EntryRequest((Person("Ada One", "other@example.org"),)), by=a_director(event.tournament))
    desk = client_as("director", event)
    url = reverse("tournament:desk_twins", kwargs={"tournament": event.tournament.slug})
    pair = re.search(r'name="pair" value="(\d+) (\d+)"', desk.get(url).content.decode())
    assert pair is not None
    data = {"pair": f"{pair[1]} {pair[2]}", "kept": pair[1], "reason": "same voice"}
    answer = desk.post(url, data, follow=True).content.decode()
    assert "entered twice in Singles" in answer
    public = reverse("tournament:player", kwargs={"tournament": event.tournament.slug, "pk": int(pair[2])})
    assert client.get(public)["Location"].endswith(f"/player/{pair[1]}/")
    undo = re.search(r'action="([^"]+/undo/)"', answer)
    assert undo is not None
    desk.post(undo[1], {"reason": "two sisters"})
    assert client.get(public).status_code == 200


@pytest.mark.usefixtures("with_mail")
def test_waiting_messages_are_sent_to_the_worker_again() -> None:
    event = an_event()
    some(event, "Ada One")
    message = send_message(event, MessageDraft("Doors", "Nine", "all"), by=a_director(event.tournament), key="k")
    desk = client_as("director", event)
    assert "Try the emails again" in desk.get(_url("desk_message", event, pk=message.pk)).content.decode()
    assert desk.post(_url("desk_message_again", event, pk=message.pk)).status_code == 302
    mail_message(message.pk, "http://hall.test")
    assert desk.post(_url("desk_message_again", event, pk=message.pk)).status_code == 409
    assert len(mail.outbox) == 1


def test_the_worker_knows_the_tasks_by_name() -> None:
    from config.celery import app

    app.loader.import_default_modules()
    assert {"tournament.send_message", "tournament.send_confirmation", "tournament.send_links"} <= set(app.tasks)


@pytest.mark.usefixtures("with_mail")
def test_the_form_sends_its_letter_after_the_commit(client: Client, django_capture_on_commit_callbacks) -> None:
    event = an_event()
    with django_capture_on_commit_callbacks() as callbacks:
        client.post(_url("register", event), ADA)
    names = [callback.args[0] for callback in callbacks if getattr(callback, "args", ())]
    assert "tournament.send_confirmation" in names


def test_the_page_of_an_entry_is_that_of_its_own_event() -> None:
    own, other = an_event(), an_event()
    entrant = an_entrant(own)
    for event, status in ((own, 200), (other, 404)):
        path = public_url(event, f"registered/{entrant.token}/")
        assert Client().get(path).status_code == status


def test_a_list_says_whose_name_is_not_shown_in_public() -> None:
    event = an_event()
    by = a_director(event.tournament)
    content = b"Name,Show the name in public\nAda Lovelace,yes\nBarbara Liskov,no\nClaude Shannon,\n"
    import_valid_rows(store_uploaded_list(event, "list.csv", content, by=by), by=by)
    names = list(event.entrants.order_by("number").values_list("name", flat=True))
    assert names == ["Ada Lovelace", "B. L.", "Claude Shannon"]
