"""Test public pages: the event, the bracket, players' own pages, and events with two sides."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from pairing.desk.services.sending import call_match_to_table, call_ready_matches
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_event_stages
from tests.browser import SIZES, MakePage, look, write
from tests.factories import a_director, a_user, an_entrant, an_event
from tests.journeys.steps import open_live, sign_in
from tests.kit import desk_url, fresh, public_url
from tests.pairing.helpers.events import an_event_in_play, an_open_event, play_all, the_match, win
from tests.scoring.helpers.playing import an_event_in_play as singles_in_play
from tests.scoring.helpers.playing import play_out, sign, the_card
from tests.scoring.helpers.turning import an_event_in_play as couples_in_play
from tests.scoring.helpers.turning import gin, play_round, stock, the_sheet
from tests.scoring.helpers.whist import a_whist_event, enter, the_hall
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.record import writing
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Event
from tournament.money.services.fees_and_refunds import charge_fee, take_payment

pytestmark = pytest.mark.browser


def test_two_taps_to_table_and_opponent(make_page: MakePage) -> None:
    event = an_event_in_play(16)
    event.entrants.filter(number=3).update(name="Zoë Łukasz")
    progress = load_event_stages(event).progress
    assert progress is not None
    first = progress.list_matches_of_entry(3)[0]
    opponent = event.entrants.get(number=next(number for number in first.entries if number != 3)).name
    call_match_to_table(the_match(event, first.match.id), 30, by=SYSTEM_ACTOR)
    phone = make_page("phone")
    phone.goto(public_url(event))
    look(phone, "event-now")
    assert phone.evaluate(SIDEWAYS) == 0
    expect(phone.get_by_text("Next: Quarterfinals.")).to_be_visible()
    expect(phone.get_by_role("link", name="Open your own page")).to_be_visible()
    phone.get_by_label("Find a player").tap()
    write(phone, "zoe")
    row = phone.locator("#found .found-row")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Zoë Łukasz")
    expect(row).to_contain_text(f"Plays {opponent}")
    expect(row.locator(".table-ring")).to_have_text("Table 30")
    look(phone, "event-found")
    other = next(view.match.id for view in progress.ready if view.match.id != first.match.id)
    win(event, other)
    expect(phone.locator("#latest")).to_be_visible()
    expect(phone.get_by_label("Find a player")).to_have_value("zoe")
    expect(row).to_have_count(1)
    row.tap()
    main = phone.get_by_role("main")
    for said in ("Zoë Łukasz", opponent, "Table 30", "Next match", "Quarterfinal"):
        expect(main).to_contain_text(said)
    look(phone, "event-found-match")
    for size, name in (((768, 1024), "event-768"), ((1366, 768), "event-1366")):
        phone.set_viewport_size({"width": size[0], "height": size[1]})
        phone.goto(public_url(event))
        assert phone.evaluate(SIDEWAYS) == 0
        look(phone, name)


def test_before_and_after_play(make_page: MakePage) -> None:
    before, over = an_open_event(4), an_event_in_play(8)
    play_all(over)
    finish_event(fresh(over), by=SYSTEM_ACTOR)
    for event, name in ((before, "event-before"), (over, "event-over")):
        phone = make_page("phone")
        phone.goto(public_url(event))
        assert phone.evaluate(SIDEWAYS) == 0
        look(phone, name)


def test_the_wall_explains_boxes_only_beside_boxes(make_page: MakePage) -> None:
    event = an_event_in_play(4)
    play_all(event)
    wall = make_page("wall")
    wall.goto(public_url(event, "wall/"))
    legend = wall.get_by_role("list", name="What the boxes mean", include_hidden=True)
    expect(legend).to_be_visible()
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    expect(wall.get_by_role("heading", name="Winners")).to_be_visible()
    expect(legend).to_be_hidden()


def test_the_live_round_and_my_match_are_in_view(make_page: MakePage) -> None:
    event = an_event_in_play(64)
    progress = load_event_stages(event).progress
    assert progress is not None
    for match in progress.bracket.matches:
        if match.round <= 4:
            win(event, match.id)
    call_ready_matches(event, 1, 2, by=SYSTEM_ACTOR)
    early = progress["R1M32"].entries[1]
    base = f"/t/{event.tournament.slug}/{fresh(event).slug}/bracket/"
    page = make_page("desktop", color_scheme="dark")
    page.goto(base)
    left = "document.querySelector('.bracket-tree').scrollLeft"
    expect(page.locator(".bracket-picture text", has_text="Semifinals")).to_be_visible()
    assert page.evaluate(left) > 100
    look(page, "bracket-desktop-dark", full_page=False)
    page.goto(f"{base}?me={early}")
    expect(page.locator(".bracket-tree .bracket-box.is-mine")).to_have_count(1)
    assert page.evaluate(left) == 0


def half_played(entrants: int = 64) -> Event:
    event = an_event_in_play(entrants)
    event.entrants.filter(number=1).update(name="Ludovica Schönfeld-Ottoboni")
    progress = load_event_stages(event).progress
    assert progress is not None
    for match in progress.bracket.matches:
        if match.round == 1 or (match.round == 2 and match.position % 2):
            win(event, match.id, match.position % 2)
    call_ready_matches(event, 1, 20, by=SYSTEM_ACTOR)
    return fresh(event)


def test_a_bracket_of_64_on_phone_desktop_and_wall(make_page: MakePage) -> None:
    event = half_played()
    base = public_url(event)
    phone = make_page("phone")
    phone.goto(base + "bracket/")
    expect(phone.locator(".round-keys [aria-current]")).to_have_text("Round 2")
    expect(phone.locator("#round-2 .match-box").first).to_be_in_viewport()
    assert phone.evaluate("document.documentElement.scrollWidth") == 360
    look(phone, "bracket-phone", full_page=False)
    phone.get_by_role("link", name="Quarterfinals").click()
    expect(phone.locator("#round-4 .match-box").first).to_be_in_viewport()
    phone.goto(base + "bracket/?me=1")
    expect(phone.get_by_role("heading", name="The path of Schönfeld-Ottoboni")).to_be_visible()
    look(phone, "bracket-my-path", full_page=False)
    for name in ("pairings", "standings", "draw", "match/R2M1"):
        phone.goto(f"{base}{name}/")
        look(phone, f"{name.replace('/', '-')}-phone")
    desktop = make_page("desktop")
    desktop.goto(base + "bracket/")
    expect(desktop.locator(".bracket-picture")).to_be_visible()
    look(desktop, "bracket-desktop")
    wall = make_page("wall")
    wall.goto(base + "wall/")
    expect(wall.locator(".wall-bracket .bracket-picture").first).to_be_in_viewport(ratio=1)
    look(wall, "wall", full_page=False)


def test_a_result_reaches_the_page_by_itself(make_page: MakePage) -> None:
    event = an_event_in_play(4)
    phone = make_page("phone")
    phone.goto(public_url(event, "bracket/"))
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(0)
    win(event, "R1M1")
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(1)


def test_a_panel_waits_until_the_finger_is_off(make_page: MakePage) -> None:
    event = an_event_in_play(4)
    desktop = make_page("desktop")
    open_live(desktop, public_url(event, "pairings/"))
    row = desktop.locator("#row-R1M1, tbody tr").first
    row.evaluate("row => row.setAttribute('data-under', '')")
    row.hover()
    desktop.mouse.down()
    win(event, "R1M1")
    desktop.wait_for_timeout(1500)
    expect(desktop.locator("[data-under]")).to_have_count(1)
    desktop.mouse.up()
    expect(desktop.locator("[data-under]")).to_have_count(0)


def test_a_panel_that_could_not_be_fetched_is_asked_for_again(make_page: MakePage) -> None:
    event = an_event_in_play(4)
    phone = make_page("phone", forgives="503")
    open_live(phone, public_url(event, "bracket/"))
    refused: list[str] = []

    def refuse_twice(route: Route) -> None:
        if len(refused) < 2 and route.request.headers.get("hx-request"):
            refused.append(route.request.url)
            route.fulfill(status=503, body="Too much to do.")
        else:
            route.continue_()

    phone.route("**/*", refuse_twice)
    win(event, "R1M1")
    expect(phone.locator("#match-R1M1 .is-winner")).to_have_count(1)
    assert len(refused) == 2


def test_a_part_that_asks_by_itself_does_not_blame_the_reader(make_page: MakePage) -> None:
    page = make_page("phone", forgives="ERR_FAILED|^htmx:sendError")
    page.clock.install()
    page.goto(f"/t/{an_event().tournament.slug}/table/5/")
    page.route("**/table/5/", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.clock.run_for(21_000)
    expect(page.locator("#table-now")).to_be_visible()
    assert page.get_by_text("That did not work.").count() == 0


def test_today_follows_without_standing_in_itself(make_page: MakePage) -> None:
    event = an_event_in_play(4)
    today = desk_url(event, "today/")
    desk = make_page("desktop")
    sign_in(desk, a_user("director", event.tournament), to=today)
    open_live(desk, today)
    desk.locator("#waiting").evaluate("part => part.setAttribute('data-before', '')")
    win(event, "R1M1")
    expect(desk.locator("[data-before]")).to_have_count(0)
    expect(desk.get_by_role("heading", level=1)).to_have_count(1)


def test_the_own_page_and_the_wall_show_nothing_old(make_page: MakePage) -> None:
    event = an_event(state=Event.State.OPEN, fee_cents=60_00)
    ada = an_entrant(event, "Ada Lovelace", state="applied")
    director = a_director(event.tournament)
    with writing(event, verb="entry", by=SYSTEM_ACTOR) as write:
        charge_fee(write, ada)
    phone, wall = make_page("phone"), make_page("wall")
    phone.goto(f"/my/{ada.token}/")
    wall.goto(public_url(event, "wall/"))
    expect(phone.locator("[data-live-word]")).to_have_text("Live")
    expect(phone.locator("main")).to_contain_text("To pay")
    look(phone, "own-page")
    send_message(event, MessageDraft("Lunch", "Back at half past one", "all"), by=director, key="lunch")
    for page in (phone, wall):
        expect(page.get_by_text("Back at half past one")).to_be_visible()
    look(wall, "wall-message")
    take_payment(ada, 60_00, "cash", by=director, key="paid")
    expect(phone.locator("main").get_by_text("To pay")).to_have_count(0)
    expect(phone.locator("main").get_by_text("You owe")).to_have_count(0)


def test_a_message_goes_when_the_page_says_something_newer(make_page: MakePage) -> None:
    card = the_card(singles_in_play(("Ada", "Alan")))
    play_out(card)
    ada, alan = card.entrants
    phone = make_page("phone")
    phone.goto(f"/my/{ada.token}/card/{card.token}/sign/")
    phone.locator("[name=code]").fill(ada.sign_code)
    phone.get_by_role("button", name="Sign", exact=True).last.click()
    expect(phone.get_by_text("Signed. Your opponent signs next.")).to_be_visible()
    sign(card, alan)
    expect(phone.locator("#card-panel .match-act")).to_contain_text("Posted")
    expect(phone.get_by_text("Signed. Your opponent signs next.")).to_have_count(0)


def test_a_lost_link_comes_back_to_the_phone_that_asked(make_page: MakePage) -> None:
    event = an_event(state=Event.State.OPEN)
    ada = an_entrant(event, "Ada Lovelace")
    phone, desk = make_page("phone"), make_page("desktop")
    phone.goto(public_url(event, "mine/"))
    look(phone, "lost-link")
    phone.get_by_label("Your name").fill("Ada Lovelace")
    phone.get_by_label("Last four digits of your phone number").fill("4477")
    phone.get_by_role("button", name="Ask the desk for my link").click()
    expect(phone.get_by_text("The desk has your request, Ada Lovelace.")).to_be_visible()
    look(phone, "lost-link-waits")
    to = desk_url(event, "today/")
    sign_in(desk, a_user("desk", event.tournament), to=to)
    desk.get_by_text("Ada Lovelace has lost their private link.").click()
    look(desk, "lost-links")
    desk.get_by_role("button", name="Approve: show the link on their phone").click()
    expect(desk.get_by_text("Nobody is waiting for a link")).to_be_visible()
    phone.get_by_role("link", name="Open my page").click()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Ada Lovelace")
    ada.refresh_from_db()
    assert phone.url.endswith(f"/my/{ada.token}/")


def at_the_desk(make_page: MakePage, event: Event, page: str, size: str = "desktop") -> Page:
    desk = make_page(size)
    address = desk_url(event, page)
    sign_in(desk, a_user("director", event.tournament), to=address)
    desk.goto(address)
    return desk


def report(page: Page, table: int, how: str, **counts: int) -> None:
    page.locator(f"label:has(input[name='t{table}-how'][value='{how}'])").click()
    for side, count in counts.items():
        page.locator(f"[name='t{table}-{side}']").fill(str(count))


def test_a_round_of_couples_from_the_report_to_the_wall(make_page: MakePage) -> None:
    event = couples_in_play(3, 3)
    desk = at_the_desk(make_page, event, "worksheet/")
    wall = make_page("wall")
    wall.goto(public_url(event, "rounds/wall/"))
    expect(wall.get_by_role("heading", name="Round 1")).to_be_visible()
    report(desk, 1, "gin-A", B=12)
    sums = desk.locator("#round-sums")
    expect(sums).to_contain_text("12 and 1 gin to Guys")
    report(desk, 2, "run-B", A=25, B=12)
    expect(sums).to_contain_text("9 is the most")
    desk.locator("[name='t2-B']").fill("5")
    expect(sums).to_contain_text("20 to Girls")
    report(desk, 3, "stock", A=8, B=2)
    expect(sums).to_contain_text("14 points to Girls, who deal next")
    look(desk, "worksheet-desk")
    desk.get_by_role("button", name="Post round 1").click()
    expect(desk.get_by_role("heading", name="Round 2", level=2)).to_be_visible()
    expect(desk.locator(".deals").first).to_contain_text("Girls deal")
    expect(wall.get_by_role("heading", name="Round 2")).to_be_visible()
    expect(wall.get_by_role("heading", name="Worksheet of round 1")).to_be_visible()
    look(wall, "couples-wall", full_page=False)
    assert the_sheet(fresh(event)).round_number == 2


def test_the_worksheet_and_the_rounds_on_a_phone(make_page: MakePage) -> None:
    event = couples_in_play(3, 3)
    play_round(event, gin("A", 10), gin("B", 4), stock(12, 4))
    phone = at_the_desk(make_page, event, "worksheet/", "phone")
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "worksheet-phone")
    phone.goto(public_url(event, "rounds/"))
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "couples-phone")


def test_a_table_of_court_whist_and_the_move(make_page: MakePage) -> None:
    event = a_whist_event(4, 4)
    enter(event, 2, (7, 6, 7, 6))
    desk = at_the_desk(make_page, event, "whist/")
    desk.get_by_role("link", name="Enter table 1").click()
    for hand in range(1, 5):
        desk.locator(f"[name='c0_{hand}']").fill("8")
    look(desk, "whist-table")
    desk.set_viewport_size(SIZES["phone"]["viewport"])
    assert desk.locator(".scroll-box").evaluate("box => box.scrollWidth - box.clientWidth") == 0  # every box is seen
    desk.set_viewport_size(SIZES["desktop"]["viewport"])
    desk.get_by_role("button", name="Record table 1").click()
    expect(desk.get_by_text("the winners move", exact=False).first).to_be_visible()
    table = the_hall(event).tables[1]
    for guest in table.couples[0]:
        desk.get_by_label(guest.name, exact=True).check()
    look(desk, "whist-move")
    desk.get_by_role("button", name="Move").click()
    expect(desk.get_by_role("heading", name="Game 2: Prosperity")).to_be_visible()
    look(desk, "whist-desk")
    wall = make_page("wall")
    wall.goto(public_url(event, "rounds/wall/"))
    look(wall, "whist-wall", full_page=False)
    phone = make_page("phone")
    phone.goto(f"/my/{table.players[0].entrant.token}/match/")
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "whist-my-seat")
    phone.goto(public_url(event, "rounds/"))
    assert phone.evaluate(SIDEWAYS) == 0
    look(phone, "whist-phone")
