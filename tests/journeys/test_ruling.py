"""Test disputes from the call at the table to the corrected bracket, and hands that are judged at the desk."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.models import Card, Ruling
from tests.browser import MakePage, look, press, settle
from tests.chance import in_part
from tests.factories import a_user
from tests.journeys.steps import sign_in
from tests.kit import desk_url, public_url
from tests.scoring.helpers.disputes import ANSWERS, KINDS
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, sign_both, the_card
from tests.scoring.helpers.tables import a_table_event
from tests.screens import SIDEWAYS
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_dispute_from_the_table_to_the_corrected_bracket(make_page: MakePage) -> None:
    card = a_posted_card()
    ada, alan = card.entrants
    phone, desk, room = make_page("phone"), make_page("desktop"), make_page("desktop")
    event = card.match.event
    public = public_url(event)
    call(phone, alan, card)
    rule_on_it(desk, card)
    expect(phone.get_by_text("singles 9").first).to_be_visible()
    look(phone, "dispute-ruled-phone")
    for who in (ada, alan):
        sign_again(phone, who, card)
    state = load_card_state_by_pk(card.pk)
    assert state.is_posted and state.score.winner == alan
    room.goto(f"{public}bracket/")
    expect(room.locator("#match-R1M1")).to_contain_text("Corrected")
    expect(room.locator("#match-R2M1")).to_contain_text("Alan")
    expect(room.locator("#match-R2M1")).not_to_contain_text("Ada")
    look(room, "bracket-after-a-ruling")
    room.goto(f"/t/{event.tournament.slug}/rulings/")
    room.get_by_role("main").get_by_role("link", name="Improper knock").click()
    expect(room.get_by_role("main")).to_contain_text("Singles rule 9")
    expect(room.get_by_role("main")).to_contain_text("8")
    for name in ("Ada", "Alan"):
        expect(room.get_by_role("main")).not_to_contain_text(name)
    look(room, "ruling-as-everybody-sees-it")


def test_a_recorded_count_stands_and_a_card_of_totals_keeps_its_totals(make_page: MakePage) -> None:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    play(card, gin("A", 20, "9C"))
    totals = the_card(card.match.event, "R1M2")
    enter_paper_card(totals, PaperCard(totals={"A": 63, "B": 48}, signed=("A", "B"), witness="Lily"), by=SYSTEM_ACTOR)
    event = card.match.event
    desk, phone = make_page("desktop"), make_page("phone")
    sign_in(desk, a_user("director", event.tournament))
    cards = desk_url(event, "cards/")
    answer = desk.locator("#ruling-answer")

    desk.goto(f"{cards}{card.token}/ruling/?kind=count-after-agreement")
    desk.get_by_label("Which hand?").select_option("1")
    desk.get_by_role("button", name="Go to the ruling").click()
    desk.get_by_role("group", name="Had the players agreed").get_by_role("radio", name="yes").check()
    expect(answer).to_contain_text("What the rules say: the count stands")
    desk.get_by_text("Make a different ruling").click()
    offered = desk.get_by_label("The ruling").locator("option").all_inner_texts()
    assert "the hand is counted again" in offered and "accepted, and scored as an undercut" not in offered
    look(desk, "ruling-of-a-recorded-count")
    answer.get_by_role("button", name="Make this ruling").click()
    expect(desk.get_by_role("heading", name="The count stands")).to_be_visible()

    phone.goto(f"/my/{totals.entrants[0].token}/card/{totals.token}/call/what/?kind=improper-knock")
    expect(phone.get_by_label("Which hand?")).to_have_count(0)
    phone.get_by_role("button", name="Call the director").click()
    expect(phone.get_by_text("The director is called.").first).to_be_visible()
    look(phone, "dispute-of-a-card-of-totals")
    desk.goto(desk_url(event, "rulings/"))
    desk.get_by_role("link", name="Improper knock").click()
    desk.get_by_role("radio", name="Grace").first.check()
    desk.get_by_label("What is the up card?").fill("8H")
    desk.get_by_label("What is the knocker's count?").fill("10")
    desk.get_by_label("What is the opponent's count, after lay-offs?").fill("7")
    desk.get_by_role("radio", name="may accept the knock").check()
    expect(answer).to_contain_text("because it was entered by its totals")
    look(desk, "ruling-of-a-card-of-totals")
    answer.get_by_role("button", name="Make this ruling").click()
    expect(desk.get_by_role("heading", name="Accepted, and scored as an undercut")).to_be_visible()
    expect(desk.get_by_role("link", name="Correct the totals")).to_be_visible()
    assert load_card_state_by_pk(totals.pk).score.totals == (63, 48)


def test_every_kind_of_dispute_is_ruled_in_the_browser(make_page: MakePage) -> None:
    asked = [(kind, by_totals) for kind in KINDS for by_totals in (False, True)]
    event = an_event_in_play([f"Player {number}" for number in range(1, 65)])
    desk = make_page("desktop")
    sign_in(desk, a_user("director", event.tournament))
    for number, (kind, by_totals) in enumerate(asked, start=1):
        if in_part(number, 6):
            card = the_card(event, f"R1M{number}")
            if by_totals:
                enter_paper_card(
                    card, PaperCard(totals={"A": 63, "B": 48}, signed=("A", "B"), witness="Lily"), by=SYSTEM_ACTOR
                )
            else:
                play(card, knock("A", 5, 20))
            rule(desk, card, kind)
            made = Ruling.objects.get(dispute__card=card)
            assert made.kind == (kind or "touched-pile")


def rule(desk: Page, card: Card, kind: str) -> None:
    """Open a dispute at the desk, answer the questions, select the first choice, and make the ruling."""
    event = card.match.event
    desk.goto(desk_url(event, f"cards/{card.token}/ruling/?kind={kind}"))
    hand = desk.get_by_label("Which hand?")
    if hand.count():
        hand.select_option("1")
    if not kind:
        desk.locator("[name=about]").fill("A lamp fell on the table.")
    desk.get_by_role("button", name="Go to the ruling").click()
    settle(desk)
    if not kind:
        desk.goto(f"{desk.url}?kind=touched-pile")
    for name, value in ANSWERS.get(kind or "touched-pile", {}).items():
        answer(desk.locator(f"[name={name}]"), value)
    look_at_rules(desk)
    choices = desk.locator("[name=chosen][type=radio]")
    if choices.count():
        choices.first.check()
        look_at_rules(desk)
    desk.get_by_role("button", name="Make this ruling").click()
    expect(desk.get_by_role("heading", level=1)).to_contain_text("Ruling")


def look_at_rules(desk: Page) -> None:
    desk.get_by_role("button", name="What the rules say").click()
    settle(desk)


def answer(fields: Locator, value: str) -> None:
    if fields.count() == 0:
        return  # this card has the fact already
    if fields.first.get_attribute("type") == "radio":
        fields.and_(fields.page.locator(f"[value='{value}']")).check()
    elif fields.first.evaluate("field => field.localName") == "select":
        fields.select_option(value)
    else:
        fields.fill(value)


def a_posted_card() -> Card:
    """Return the posted card of a match that Ada won. A test later disputes its last hand."""
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    points = {"up": "8H", "outcome": "points", "to": "A", "points": 5}
    play(card, gin("A", 20, "9C"), gin("B", 5, "KD"), points)
    assert sign_both(card).score.winner == card.entrants[0]
    return card


def call(phone: Page, who: Entrant, card: Card) -> None:
    phone.goto(f"/my/{who.token}/card/{card.token}/")
    phone.get_by_role("link", name="Call the director").click()
    expect(phone.locator("a[href*='kind=improper-knock']")).to_be_visible()
    look(phone, "dispute-kinds-phone")
    phone.locator("a[href*='kind=improper-knock']").click()
    phone.get_by_role("radio", name="Ada").check()
    phone.get_by_label("What is the up card?").fill("8H")
    phone.get_by_label("What is the knocker's count?").fill("10")
    phone.get_by_label("What is the opponent's count, after lay-offs?").fill("7")
    phone.get_by_label("In your words").fill("I took it as an undercut.")
    look(phone, "dispute-facts-phone")
    phone.get_by_role("button", name="Call the director").click()
    expect(phone.get_by_text("The director is called.").first).to_be_visible()


def rule_on_it(desk: Page, card: Card) -> None:
    event = card.match.event
    sign_in(desk, a_user("director", event.tournament))
    desk.goto(desk_url(event, "rulings/"))
    look(desk, "rulings-queue")
    desk.get_by_role("link", name="Improper knock").first.click()
    desk.get_by_role("radio", name="may accept the knock").check()
    answer = desk.locator("#ruling-answer")
    expect(answer).to_contain_text("gets credit for the undercut")
    expect(answer).to_contain_text("45–58")
    row = answer.get_by_role("row", name="Final")
    expect(row.get_by_role("cell")).to_contain_text(["Ada – ?", "Alan – ?"])
    look(desk, "ruling-effects")
    answer.get_by_role("button", name="Make this ruling").click()
    expect(desk.get_by_role("heading", name="Ruling 1: Improper knock")).to_be_visible()
    look(desk, "ruling-ruled")


def sign_again(phone: Page, who: Entrant, card: Card) -> None:
    phone.goto(f"/my/{who.token}/card/{card.token}/sign/")
    phone.get_by_label("Your signing code").fill(who.sign_code)
    phone.get_by_role("button", name="Sign", exact=True).click()
    expect(phone.get_by_text("Signed.").first).to_be_visible()


FIVE = "as 2s 3s 7h 7d 7c 9d 9h 9s 5c"
OTHER = "4s 5s kd kc kh qh qs 8c 2d 2h"


@pytest.fixture
def at_a_card(live_site: object) -> Event:
    event = an_event_in_play(("Ada Lovelace", "Alan Turing"), target=150)
    play(the_card(event), gin("A", 20, "8H"))
    return event


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_hand_is_typed_judged_and_shown_around(at_a_card: Event, make_page: MakePage, size: str) -> None:
    page = make_page(size)
    sign_in(page, a_user("desk", at_a_card.tournament))
    page.goto(desk_url(at_a_card, f"cards/{the_card(at_a_card).token}/"))
    page.get_by_role("link", name="Check the cards of hand 1").click()
    expect(page.get_by_label("Up card", exact=True)).to_have_value("8H")
    look(page, f"hands-empty-{size}")
    page.get_by_label("Announced").select_option("")
    page.get_by_label("Cards laid down").fill(FIVE)
    page.get_by_label("Opponent's cards").fill(OTHER.replace("2h", "5c"))
    page.get_by_role("button", name="Check the hands").click()
    expect(page.get_by_text("The five of clubs is in the other hand too: a deck has one.", exact=True)).to_be_visible()
    expect(page.get_by_label("Opponent's cards")).to_have_value(OTHER.replace("2h", "5c"))
    look(page, f"hands-refused-{size}")
    page.get_by_label("Opponent's cards").fill(OTHER)
    page.get_by_role("button", name="Check the hands").click()
    expect(page.get_by_role("heading", name="27 to Ada Lovelace")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"hands-judged-{size}")
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_role("heading", name="27 to Ada Lovelace")).to_be_visible()
    assert page.evaluate(SIDEWAYS) == 0
    look(page, f"hands-shown-around-{size}")


def test_cards_are_tapped_into_the_fields(make_page: MakePage) -> None:
    event = a_table_event(("Ada", "Alan"), "standard")
    page = make_page("phone")
    sign_in(page, a_user("desk", event.tournament))
    page.goto(desk_url(event, "hand/"))
    pack = page.locator("[data-tap-cards]")
    for name in ("ace", "two", "three", "four"):
        pack.get_by_label(f"{name} of spades").check()
    expect(page.get_by_label("Cards laid down")).to_have_value("AS 2S 3S 4S")
    pack.get_by_role("button", name="Opponent").click()
    expect(pack.get_by_label("ace of spades")).to_be_disabled()
    pack.get_by_label("ten of hearts").check()
    expect(page.get_by_label("Opponent's cards")).to_have_value("10H")
    pack.get_by_label("ten of hearts").uncheck()
    expect(page.get_by_label("Opponent's cards")).to_have_value("")
    pack.get_by_role("button", name="Up card").click()
    pack.get_by_label("ace of spades").check()
    pack.get_by_label("king of clubs").check()
    expect(page.get_by_label("Up card", exact=True)).to_have_value("KC")
    look(page, "hands-tapped-phone")


def test_typing_does_without_scripts(make_page: MakePage) -> None:
    event = a_table_event(("Ada", "Alan"), "gra-singles")
    address = desk_url(event, "hand/")
    page = make_page("phone", java_script_enabled=False)
    sign_in(page, a_user("desk", event.tournament), to=address)
    page.goto(address)
    expect(page.locator("[data-tap-cards]")).to_be_hidden()
    page.get_by_label("Up card", exact=True).fill("8h")
    page.get_by_label("Cards laid down").fill(FIVE)
    page.get_by_label("Opponent's cards").fill(OTHER)
    press(page, "Enter")
    expect(page.get_by_role("heading", name="27 to Knocker")).to_be_visible()
