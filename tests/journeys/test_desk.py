"""Test that the desk pairs players and enters paper cards by keyboard, and that it can print.

The tables on the desk's pages must fit a laptop's screen.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from pypdf import PdfReader

from pairing.models import Pairing
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from tests.browser import MakePage, look, photograph, press, write
from tests.chance import examples
from tests.factories import a_user
from tests.journeys.every_page import LONG_NAME
from tests.journeys.person import Person
from tests.journeys.steps import card_of, faults_of, look_on_screens, played, sign_in
from tests.kit import desk_url, public_url
from tests.pairing.helpers.stages import FINALS, QUALIFIER, course_of, staged, won
from tests.processes import Process, until
from tests.scoring.helpers.playing import an_event_in_play
from tests.scoring.helpers.tables import a_table_card
from tests.scoring.helpers.turning import an_event_in_play as couples_in_play
from tests.scoring.helpers.turning import gin, play_round
from tests.scoring.helpers.whist import a_whist_event
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, StaffRole, User

pytestmark = pytest.mark.browser


def test_a_desk_by_keyboard(make_page: MakePage) -> None:
    event = staged(8, QUALIFIER, FINALS)
    event.entrants.filter(number=3).update(name=LONG_NAME)
    director = a_user("director", event.tournament)
    page = make_page("desktop")
    desk = desk_url(event, "pairing/")
    public = public_url(event, "pairings/why/")
    sign_in(page, director, to=desk)
    expect(page.get_by_role("button", name="Start these 4 matches")).to_be_focused()
    press(page, "Enter")
    expect(page.get_by_text("Sent to tables: ")).to_be_visible()
    assert Pairing.objects.count() == 4
    first, second = (course_of(event).current_stage.matches[ident].meeting.sides for ident in ("G1", "G2"))
    for ident, (one, other) in (("G1", first), ("G2", second)):
        won(event, ident, one, other)
    expect(page.get_by_role("button", name="Start these 2 matches")).to_be_focused()
    press(page, "F2")
    write(page, str(first[0]))
    press(page, "Tab")
    write(page, str(first[1]))
    press(page, "Enter")
    expect(page.get_by_text("have met before")).to_be_visible()
    expect(page.get_by_label("Reason")).to_be_focused()
    write(page, "they asked for it")
    faults = faults_of(page, "desk-by-hand")
    press(page, "Enter")
    expect(page.get_by_text("Paired by hand: ")).to_be_visible()
    made = Pairing.objects.latest("pk")
    faults += faults_of(page, "desk-sent")
    paths = (desk, f"{desk}by-hand/?one={second[0]}", f"{desk}settings/", f"{desk}{made.pk}/take-back/", public)
    for number, path in enumerate((*paths, f"{public}{made.pk}/", f"{public}{Pairing.objects.earliest('pk').pk}/")):
        page.goto(path)
        faults += faults_of(page, f"desk-{number}")
    assert not faults, "\n\n".join(faults)


def test_news_that_was_on_its_way_leaves_what_was_typed_meanwhile(make_page: MakePage) -> None:
    event = staged(8, QUALIFIER, FINALS)
    page, held = make_page("desktop"), list[Route]()
    sign_in(page, a_user("director", event.tournament), to=desk_url(event, "pairing/"))
    press(page, "Enter")
    expect(page.get_by_text("Sent to tables: ")).to_be_visible()
    page.route("**/pairing/", lambda route: held.append(route) if len(held) < 2 else route.continue_())
    for ident in ("G1", "G2"):
        won(event, ident, *course_of(event).current_stage.matches[ident].meeting.sides)
    until(lambda: page.wait_for_timeout(50) or len(held) == 2)
    press(page, "F2")
    write(page, "1")
    for route in held:
        route.continue_()
    expect(page.get_by_role("button", name="Start these 2 matches")).to_be_visible()
    expect(page.get_by_role("textbox", name="Number")).to_have_value("1")


LAPTOP = {"viewport": {"width": 1366, "height": 768}}
NAMES = (
    "Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Gödel", "Emmy Noether", "Sofia Kovalevskaya",
    "Ludwig van Beethoven", "Katherine Johnson",
)  # fmt: skip
OUTSIDE = """() => [...document.querySelectorAll("main table")].flatMap((table) => {
    const box = table.closest(".scroll-box, .sheet-scroll") ?? table.parentElement;
    const right = Math.min(innerWidth, box.getBoundingClientRect().right + 1);
    return [...table.querySelectorAll("th, td, input, select")]
        .filter((cell) => cell.offsetWidth && cell.getBoundingClientRect().right > right)
        .map((cell) => `${cell.tagName} ${cell.name ?? ""} ${cell.textContent.trim().slice(0, 20)}`);
}).slice(0, 5)"""
"""Returns the cells of tables that are not completely visible."""
SHEETS: list[tuple[str, int, dict[str, Any], dict[str, Any]]] = [
    ("fort-worth", 5, {"spades": True}, {"by": "B", "turn": "4S", "counts": {"A": 120, "C": 40, "D": 107, "E": 33}}),
    ("score-pad", 5, {}, {"points": dict.fromkeys("ABCDE", -1000)}),
    ("captain", 3, {}, {"outcome": "knock", "by": "A", "counts": {"A": 5, "B": 20}}),
    ("hollywood", 2, {}, {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}),
    ("word-gin", 2, {}, {"outcome": "knock", "by": "A", "words": {"A": 310, "B": 120}, "deadwood": {"A": 3, "B": 7}}),
    ("gra-partnership", 2, {}, {"up": "8H", "boards": [
        {"outcome": "gin", "by": "A", "counts": {"A": 0, "B": 98}}, {"outcome": "stock"}]}),
    ("court-whist", 1, {}, {"game": 2, "hand": 1, "sit_out": True}),
]  # fmt: skip


def measured(page: Page, path: str, name: str) -> list[str]:
    page.goto(path)
    photograph(page, f"width-{name}")
    said = [str(cell) for cell in page.evaluate(OUTSIDE)]
    return [f"{name}: {one}" for one in (["wider than the screen"] if page.evaluate(SIDEWAYS) > 0 else []) + said]


def a_director_of(*events: Event) -> User:
    user = a_user()
    for event in events:
        StaffRole.objects.create(tournament=event.tournament, user=user, role="director")
    return user


def at_the_desk(make_page: MakePage, events: list[Event]) -> Page:
    page = make_page("desktop", **LAPTOP)
    sign_in(page, a_director_of(*events), to=f"{desk_url(events[0])}cards/")
    return page


def test_every_column_of_a_sheet_and_of_its_paper_is_seen(make_page: MakePage) -> None:
    cards = []
    for rules, count, options, line in SHEETS:
        card = a_table_card(NAMES[:count], rules, **options)
        record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)
        add_line(card, LineEntry(line, override="as played"), by=SYSTEM_ACTOR)
        cards.append((rules, card))
    page = at_the_desk(make_page, [card.match.event for _rules, card in cards])
    beyond = []
    for rules, card in cards:
        pages = desk_url(card.match.event) + "cards/"
        beyond += measured(page, f"{pages}{card.token}/", f"{rules}-sheet")
        beyond += measured(page, f"{pages}enter/?card={card.token}&by=hands", f"{rules}-paper")
    assert not beyond, "\n".join(beyond)


def test_every_column_of_couples_and_whist_is_seen(make_page: MakePage) -> None:
    couples, whist = couples_in_play(3, 3), a_whist_event(4, 4)
    play_round(couples, gin("A", 98), gin("B", 98), gin("A", 98))
    page = at_the_desk(make_page, [couples, whist])
    beyond = []
    for kind, event, pages in (
        ("couples", couples, ("worksheet/", "rounds/")),
        ("whist", whist, ("whist/1/1/", "whist/7/1/", "rounds/")),
    ):
        for path in pages:
            beyond += measured(page, desk_url(event) + path, f"{kind}-{path.strip('/').replace('/', '-')}")
        beyond += measured(page, public_url(event, "rounds/"), f"{kind}-public")
    assert not beyond, "\n".join(beyond)


def focused(page: Page, name: str) -> None:
    expect(page.locator(f"[name={name}]").first).to_be_focused()


def type_on(page: Page, *words: str) -> None:
    """Type each word into the focused field, and press Tab."""
    for word in words:
        if word:
            write(page, word)
        press(page, "Tab")


def test_a_paper_card_by_keyboard_alone(make_page: MakePage) -> None:
    made = played(4, "semifinals")
    meeting = load_ready_seated_matches(made.event)[-1]
    table = meeting.match.calls.latest("pk").table
    page = make_page("desktop")
    sign_in(page, made.director)
    page.goto(f"{made.desk}cards/enter/")
    focused(page, "table")
    write(page, str(table))
    press(page, "Enter")
    focused(page, "total_A")
    type_on(page, "40")
    write(page, "30")
    press(page, "F2")
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("[name=signed]:checked")).to_have_count(2)
    look(page, "desk-card-totals-refused")
    page.goto(f"{made.desk}cards/enter/?table={table}&by=hands")
    enter_hands(page, second_total="90")
    expect(page.locator(".row-mark")).to_have_count(1)
    look(page, "desk-card-wrong-sum")
    assert not card_of(meeting).postings.exists()
    page.locator("[name=row-1-run_A]").focus()
    press(page, "Control+a")
    write(page, "170")
    press(page, "F2")
    expect(page.get_by_role("region", name="Last")).to_contain_text("170")
    assert card_of(meeting).postings.exists()
    look(page, "desk-card-posted")


def enter_hands(page: Page, *, second_total: str) -> None:
    """Enter two gins by the first player. `second_total` is the running total after the second hand."""
    focused(page, "row-0-by")
    for up, running in (("8h", "85"), ("kd", second_total)):
        choose(page, 1)
        choose(page, 2)
        type_on(page, "0", "60", "", up, running, "0")
    press(page, "F2")


def choose(page: Page, down: int) -> None:
    """Move down this many entries in the focused list, and press Tab."""
    for _step in range(down):
        press(page, "ArrowDown")
    press(page, "Tab")


def test_the_cards_of_the_round_come_out_as_a_file(worker: Process, make_page: MakePage) -> None:
    made = played(9, "round-1")
    page = make_page("desktop")
    sign_in(page, made.director, to=f"{made.desk}prints/")
    page.get_by_label("What").select_option("round-cards")
    page.get_by_role("button", name="Print", exact=True).click()
    link = page.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    look(page, "print-is-done")
    with page.expect_download() as coming:
        link.click()
    content = Path(coming.value.path()).read_bytes()
    pages = PdfReader(BytesIO(content)).pages
    playing = len(load_ready_seated_matches(made.event))
    assert len(pages) == -(-playing // 2)
    text = "".join(one.extract_text() for one in pages)
    assert all(meeting.entrants[0].name.split()[-1] in text for meeting in load_ready_seated_matches(made.event))


def test_a_registration_on_a_phone_is_one_entry_however_often_it_is_sent(make_page: MakePage) -> None:
    made = played(4, "registration")
    phone = make_page("phone")
    phone.goto(made.page)
    phone.get_by_role("main").get_by_role("link", name=re.compile("Enter|Register")).first.click()
    look(phone, "register")
    send = phone.get_by_role("button", name="Enter", exact=True)
    send.click()
    expect(phone.locator(".is-invalid").first).to_be_visible()
    fields = {"name": "Caroline Herschel", "phone": "555-0100", "club": "Tampa"}
    for name, value in fields.items():
        phone.locator(f"[name={name}]").fill(value)
    phone.get_by_label("may be shown in public").check()
    send.dblclick()
    expect(phone.get_by_role("heading", name="Caroline Herschel, you have entered")).to_be_visible()
    look(phone, "registered")
    entrant = made.event.entrants.get(name="Caroline Herschel")
    assert made.event.entrants.count() == 5
    phone.goto(f"/my/{entrant.token}/")
    expect(phone.get_by_alt_text("Your private link as a QR code")).to_be_visible()
    expect(phone.get_by_text(entrant.sign_code)).to_be_visible()
    look(phone, "my-entry")


MOST_KEYSTROKES = 11
"""The maximum number of keystrokes to enter a paper card: its table, both totals, and that both players signed it."""


CARDS = min(60, examples(48))
"""The number of cards to enter in a round of 64 matches: twelve in an ordinary run, and sixty in `make test-long`."""


def test_a_round_of_paper_cards_by_keyboard_alone(make_page: MakePage) -> None:
    made = played(128, "round-1")
    untouched = [meeting for meeting in load_ready_seated_matches(made.event) if not card_of(meeting).lines.exists()]
    meetings = {meeting.match.calls.latest("pk").table: meeting for meeting in untouched}
    page = make_page("desktop")
    sign_in(page, made.director)
    page.goto(f"{made.desk}cards/enter/")
    counts = []
    for turn, table in enumerate(sorted(meetings)[:CARDS]):
        desk, meeting = Person(page), meetings[table]
        focused(page, "table")
        desk.writes(str(table))
        desk.presses("Enter")
        focused(page, "total_A")
        for entrant in meeting.entrants:
            expect(page.locator("form.desk-card h2")).to_contain_text(entrant.name)
        first, second = ("160", str(60 + turn)) if turn % 2 else (str(60 + turn), "160")
        desk.writes(first)
        desk.presses("Tab")
        desk.writes(second)
        desk.presses("F2")
        expect(page.get_by_role("region", name="Last")).to_contain_text(f"T{table}")
        counts.append(desk.keys)
    assert len(counts) == CARDS
    assert max(counts) <= MOST_KEYSTROKES
    decided = made.event.matches.filter(cards__postings__isnull=False, results__winner__isnull=False)
    assert decided.distinct().count() == CARDS


def test_everything_is_one_file_and_each_print_asks_what_it_needs(worker: Process, make_page: MakePage) -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    page = make_page("desktop", viewport={"width": 1366, "height": 768})
    sign_in(page, a_user("desk", event.tournament), to=desk_url(event, "prints/"))
    what = page.get_by_label("What to print")
    for kind, shown in (
        ("round-cards", {"round", "table", "back"}),
        ("blank-cards", {"count", "back"}),
        ("results", set()),
    ):
        what.select_option(kind)
        for name in ("count", "round", "table", "back"):
            field = page.locator(f".print-form [name={name}]")
            (expect(field).to_be_visible if name in shown else expect(field).to_be_hidden)()
    what.select_option("round-cards")
    look_on_screens(page, "print")
    page.get_by_role("button", name="Print everything now").click()
    link = page.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    with page.expect_download() as coming:
        link.click()
    assert re.fullmatch(rf"{event.slug}-everything-round-1-[\d-]+\.pdf", coming.value.suggested_filename)
    first = PdfReader(BytesIO(Path(coming.value.path()).read_bytes())).pages[0].extract_text()
    assert "To go on by hand" in first
