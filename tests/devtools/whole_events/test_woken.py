"""Each kind of write notifies exactly those open pages that show what it changed."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Final

import pytest
from django.test import Client

from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.results import ResultCause
from pairing.results.services.corrections import undo_result
from pairing.results.services.finish import finish_event
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from scoring.cards.services.checks import DisplayedHand, confirm_hand
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.disputes.services.disputes import call_director
from scoring.models import Card, Dispute
from scoring.posting.services.opening import start_play
from tests.factories import a_director, a_user, an_entrant, an_event
from tests.scoring.helpers.disputes import called, ruled
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, knock, play, sign, the_card
from tournament.core.permissions import Actor, make_player_actor
from tournament.core.selectors.events import reload_event
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Event, EventMoney
from tournament.money.services.checkin import set_check_in_status
from tournament.money.services.fees_and_refunds import take_payment
from tournament.money.services.ledger import EventMoneyDetails, record_event_money, reverse_event_money
from tournament.registration.services.entries import (
    EntryRequest,
    Person,
    add_entry,
    keep_entrants_in_draw,
    substitute_player,
)

pytestmark = pytest.mark.django_db

PLAYERS: Final = ("Ada", "Alan", "Bea", "Bob", "Cleo", "Carl", "Dora", "Dan")
SHARED: Final = {
    "event": "",
    "bracket": "bracket/",
    "pairings": "pairings/",
    "standings": "standings/",
    "wall": "wall/",
    "prizes": "prizes/",
    "entrants": "entrants/",
}
ALL: Final = "all"
LISTS: Final = "event, bracket, pairings, standings, wall"
TABLE: Final = "Ada, Alan"
SPENT: Final = "event, standings, wall, prizes, desk"
TRAYS: Final = EventMoneyDetails(40_00, "cash", "A shop", "Trays")
OWN: Final = "Ada's own, Alan's own"
FOLLOWED: Final = re.compile(r'data-version-url="([^"]*)"')


class Hall:
    def __init__(self, event: Event) -> None:
        self.event, self.phone, self.desk = event, Client(), Client()
        self.desk.force_login(a_user("desk", event.tournament))
        slugs = f"{event.tournament.slug}/{event.slug}/"
        self.pages = {name: (self.phone, f"/t/{slugs}{part}") for name, part in SHARED.items()}
        for who in event.entrants.all():
            self.pages[who.name] = (self.phone, f"/my/{who.token}/match/")
            self.pages[f"{who.name}'s own"] = (self.phone, f"/my/{who.token}/")
        self.pages["desk"] = (self.desk, f"/desk/{slugs}")
        self.asked: dict[str, str] = {}
        self.woken = list(self.pages)

    def woken_by(self, act: Callable[[], object]) -> list[str]:
        """Return the names of the pages whose version the action changes.

        These pages are loaded again before the next action.
        """
        self.asked |= {name: self._follows(name) for name in self.woken}
        before = {name: self._version(address) for name, address in self.asked.items()}
        act()
        self.woken = [name for name, address in self.asked.items() if self._version(address) != before[name]]
        return self.woken

    def _follows(self, name: str) -> str:
        client, path = self.pages[name]
        said = FOLLOWED.search(client.get(path, follow=True).content.decode())
        assert said is not None, path
        return html.unescape(said[1])

    def _version(self, address: str) -> str:
        return self.phone.get(address).content.decode()


Act = tuple[str, str, Callable[[], object]]
"""The kind of write, the pages it notifies, and the function that writes."""


def surprises(hall: Hall, acts: list[Act]) -> list[str]:
    """Return the writes that did not notify exactly the expected pages, with the pages that they notified."""
    found = []
    for kind, pages, act in acts:
        woken = hall.woken_by(act)
        expected = list(hall.pages) if pages == ALL else [name for name in hall.pages if name in pages.split(", ")]
        if woken != expected:
            found.append(f"{kind}: {', '.join(woken)}")
    return found


@pytest.fixture
def open_event() -> Event:
    event = an_event(state=Event.State.OPEN)
    for name in ("Ada", "Alan"):
        an_entrant(event, name)
    return event


def test_what_is_written_in_play_wakes_these_pages_and_no_others() -> None:
    event = an_event_in_play(PLAYERS)
    assert surprises(Hall(event), acts_in_play(event)) == []


def test_what_is_written_before_the_draw_wakes_these_pages_and_no_others(open_event: Event) -> None:
    assert surprises(Hall(open_event), acts_before(open_event)) == []


def test_what_is_posted_or_finished_wakes_everybody(open_event: Event) -> None:
    assert surprises(Hall(open_event), acts_around_play(open_event, a_director(open_event.tournament))) == []


def acts_in_play(event: Event) -> list[Act]:
    """Return writes during play, with the pages that each of them should notify.

    Ada and Alan play at one table, and Bea and Bob at the next. The winners meet each other.
    """
    director, who = a_director(event.tournament), {one.name: one for one in event.entrants.all()}
    match = {one.ident: one for one in event.matches.select_related("event__tournament")}
    card = the_card(event)
    decision = MatchDecision(match=match["R1M2"], winner=who["Bea"], cause=ResultCause.NO_SHOW, reason="not seen")

    def seen() -> DisplayedHand:
        return DisplayedHand(1, card.lines.get(number=1).pk)

    return [
        ("cut", f"{TABLE}, desk", lambda: cut_for(card)),
        ("first hand", f"{TABLE}, event, bracket, pairings, wall, desk", lambda: play(card, gin("A", 5, "8H"))),
        ("hand confirmed", TABLE, lambda: confirm_hand(card, seen(), by=make_player_actor(who["Alan"]))),
        ("director called", f"{TABLE}, desk", lambda: call_director(card.match, by=make_player_actor(who["Ada"]))),
        ("hand", TABLE, lambda: play(card, knock("A", 5, 10, "9C"))),
        ("hand corrected", f"{TABLE}, desk", lambda: corrected(card)),
        ("hand that ends the game", f"{TABLE}, desk", lambda: play(card, gin("A", 21, "9D"))),
        ("signature", f"{TABLE}, desk", lambda: sign(card, who["Ada"])),
        ("last signature: a result", f"{TABLE}, {OWN}, {LISTS}, prizes, desk", lambda: sign(card, who["Alan"])),
        (
            "result by the desk",
            f"Ada, Ada's own, Bea, Bea's own, Bob, Bob's own, {LISTS}, prizes, desk",
            lambda: decide_match(decision, by=director),
        ),
        (
            "call to a table",
            "Ada, Ada's own, Bea, Bea's own, event, bracket, pairings, wall, desk",
            lambda: call_match_to_table(match["R2M1"], 30, by=director),
        ),
        (
            "payment",
            "Dan, Dan's own, event, standings, wall, prizes, desk",
            lambda: take_payment(who["Dan"], 500, "cash", by=director, key="one"),
        ),
        ("dispute", ALL, lambda: called(the_card(event, "R1M3"), "touched-pile", by="A")),
        ("ruling", ALL, lambda: ruled(Dispute.objects.get())),
        ("expense", SPENT, lambda: record_event_money(event, "expense", TRAYS, by=director, key="spent")),
        (
            "expense reversed",
            SPENT,
            lambda: reverse_event_money(EventMoney.objects.get(), by=director, reason="typed twice"),
        ),
        ("message", ALL, lambda: send_message(event, MessageDraft("Lunch", "Now", "all"), by=director, key="two")),
        ("result undone", ALL, lambda: undo_result(match["R1M2"], by=director, reason="seen after all")),
        ("withdrawal", ALL, lambda: remove_entrant(who["Dora"], "withdrawn", by=director, reason="ill")),
    ]


def corrected(card: Card) -> None:
    entry = LineEntry(knock("A", 6, 10, "9C"), override="as played", key="three")
    correct_line(card, 2, entry, by=make_player_actor(card.entrants[0]), reason="misread")


def acts_around_play(event: Event, director: Actor) -> list[Act]:
    return [
        ("entries closed", ALL, lambda: close_registration(event, by=director)),
        ("kept in the draw", ALL, lambda: keep_entrants_in_draw(reload_event(event), [1, 2], by=director)),
        ("draw", ALL, lambda: make_draw(reload_event(event), "7H QS 2D", by=director)),
        ("draw posted", ALL, lambda: post_draw(reload_event(event), by=director)),
        ("play started", ALL, lambda: start_play(reload_event(event), by=director)),
        ("result of the final", ALL, lambda: won_by_first(event, director)),
        ("event finished", ALL, lambda: finish_event(reload_event(event), by=director)),
    ]


def won_by_first(event: Event, director: Actor) -> None:
    match = event.matches.select_related("event__tournament").get(ident="R1M1")
    first = event.entrants.get(number=1)
    decide_match(MatchDecision(match=match, winner=first, cause=ResultCause.NO_SHOW, reason="not seen"), by=director)


def acts_before(event: Event) -> list[Act]:
    director, ada = a_director(event.tournament), event.entrants.get(name="Ada")
    eve = EntryRequest((Person("Eve Late", "eve@example.org"),))
    return [
        (
            "registration",
            "event, standings, wall, prizes, entrants, Ada's own, Alan's own, desk",
            lambda: add_entry(event, eve, by=director),
        ),
        (
            "check-in",
            "event, prizes, entrants, Ada, Ada's own, Alan's own, desk",
            lambda: set_check_in_status(ada, by=director),
        ),
        (
            "payment",
            "Ada, Ada's own, event, standings, wall, prizes, desk",
            lambda: take_payment(ada, 500, "cash", by=director, key="one"),
        ),
        ("message", ALL, lambda: send_message(event, MessageDraft("Lunch", "Now", "all"), by=director, key="two")),
        ("name changed", ALL, lambda: substitute_player(ada, 1, Person("Zoe New"), by=director, reason="ill")),
    ]
