"""Test that URLs that show or change a card never fail, whatever state the card is in.

The test uses each page as a browser would: it follows the page's links to itself, and sends each form once for each
button. The run's seed determines each state's rule set, and which URLs are also requested by other roles.
"""

from __future__ import annotations

import io
import random
import traceback
from collections.abc import Callable, Iterator
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import reverse
from PIL import Image

from pairing.draws.results import CardStatusKind, ResultCause
from pairing.results.services.finish import end_event_early
from pairing.results.services.results import MatchDecision, decide_match
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.disputes.services.disputes import SubmittedEvidence, add_evidence, call_director
from scoring.models import Card, StaffEntry
from scoring.posting.selectors.card_status import load_card_status
from scoring.rules.irregularities.case import RulingDecision
from tests.chance import SEED, in_part
from tests.config.hall import routes
from tests.config.helpers import rolled_back
from tests.factories import a_user
from tests.page_forms import fields_of, read_html
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import called, ruled_otherwise
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, load_card_state_by_pk, play, post, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor

CARD_ARGUMENTS: Final = {"card", "token", "ident", "dispute", "evidence", "call", "entry", "table", "line", "digest"}
"""Arguments that name something on a card or its match."""
ELSEWHERE: Final = ("tournament:", "scoring:my_web_app", "scoring:worksheet", "library:")
"""URLs that have nothing to do with a single card."""
OF_THE_EVENT: Final = (
    *("tournament:event", "pairing:bracket", "pairing:pairings", "pairing:wall", "pairing:standings"),
    *("pairing:desk_results", "pairing:desk_tables", "pairing:desk_finish", "pairing:desk_out", "scoring:settlement"),
    *("scoring:hands", "scoring:desk_hands", "scoring:desk_rulings", "scoring:desk_open_ruling", "scoring:desk_call"),
    *("scoring:desk_cards", "scoring:desk_card", "scoring:desk_entries", "scoring:desk_time", "scoring:desk_today"),
    *("scoring:desk_prints", "scoring:desk_settlement", "scoring:desk_settlement_print", "scoring:public_rulings"),
)
"""Pages about the whole event that show the event's cards or ask for the number of a table."""

SAME_AGAIN: Final = {"sort", "page", "only", "_export"}
"""Query parameters that sort, page, filter, or export a list. Links with such parameters are not followed."""


@prebuilt
def by_totals(rules: str) -> Card:
    card = the_card(an_event_in_play(FOUR, rules=rules))
    enter_paper_card(card, PaperCard(totals={"A": 91, "B": 48}, signed=("A", "B"), witness="Lily"), by=SYSTEM_ACTOR)
    return card


def empty(rules: str) -> Card:
    return the_card(an_event_in_play(FOUR, rules=rules))


def void(rules: str) -> Card:
    """Return the unfinished card of a final that became void because a correction replaced one of its players."""
    card = a_final(rules)
    play(card, gin("A", 20))
    send_the_other_on(card)
    return card


def superseded(rules: str) -> Card:
    card = a_final(rules)
    post(card)
    send_the_other_on(card)
    return card


def finished(rules: str) -> Card:
    card = the_card(an_event_in_play(FOUR, rules=rules))
    play(card, knock("A", 5, 20))
    return card


def a_final(rules: str) -> Card:
    event = an_event_in_play(FOUR, rules=rules)
    post(the_card(event, "R1M1"))
    post(the_card(event, "R1M2"))
    return the_card(event, "R2M1")


def send_the_other_on(final: Card) -> None:
    event = final.match.event
    match, won = the_card(event, "R1M1").match, event.entrants.get(number=2)
    said = MatchDecision(match=match, winner=won, cause=ResultCause.WALK_OVER, reason="the wrong player", override=True)
    decide_match(said, by=SYSTEM_ACTOR)


FOUR: Final = ("Ada", "Alan", "Grace", "Kurt")
STATES: Final[dict[str, Callable[[str], Card]]] = {
    made.__name__: made for made in (by_totals, empty, void, superseded, finished)
}
RULES: Final = ("gra-singles", "standard", "oklahoma")
"""Rule sets whose score cards have lines with the same fields."""
OTHERS: Final = ("desk", "hotel", "coordinator", "opponent", "anybody")
"""Roles other than the director and the card's player."""
A_FEW: Final = 5
"""One in this many URLs is also requested by another role."""
COUNTS: Final = {
    "by_totals": CardStatusKind.STANDS,
    "void": CardStatusKind.VOID,
    "superseded": CardStatusKind.SUPERSEDED,
}


class Asked:
    """Creates a card with a dispute, a ruling, a call to the director, and an entry to confirm.

    Its test clients request the card's pages, one for each role.
    """

    def __init__(self, state: str) -> None:
        self.dice = random.Random(f"{SEED}|{state}")
        self.card = card = STATES[state](RULES[(SEED + list(STATES).index(state)) % len(RULES)])
        self.event = event = card.match.event
        by, desk = make_player_actor(card.entrants[0]), a_user("desk", event.tournament)
        waiting, done = called(card, ""), called(card, "conduct", by="A")
        ruled_otherwise(done, RulingDecision.WARNING, A=RulingDecision.WARNING)
        shown = load_card_state_by_pk(card.pk)
        payload = {"line": knock("B", 5, 20), "hand": 2, "override": "", "via": "desk"}
        photo = io.BytesIO()
        Image.new("RGB", (40, 30)).save(photo, "JPEG")
        photo.seek(0)
        kinds = {"kind": StaffEntry.Kind.LINE, "needs": StaffEntry.Needs.APPROVAL, "by": desk, "by_name": "desk"}
        entry = StaffEntry.objects.create(card=card, payload=payload, digest=shown.digest, **kinds)
        self.places = {
            "tournament": event.tournament.slug,
            "event": event.slug,
            "card": card.token,
            "ident": card.match.ident,
            "table": shown.table or 11,
            "number": 1,
            "line": 1,
            "digest": shown.digest,
            "dispute": waiting.pk,
            "evidence": add_evidence(waiting, SubmittedEvidence(photo=photo), by=by)[0].pk,
            "call": call_director(card.match, by=by).pk,
            "entry": entry.pk,
        }
        self.ruled = done
        if state == "finished":
            end_event_early(event, by=SYSTEM_ACTOR, reason="the hall closes")
        self.clients = {
            role: Client(headers={"Idempotency-Key": "k"}, raise_request_exception=False)
            for role in ("director", "player", *OTHERS)
        }
        for role in ("director", "desk", "hotel", "coordinator"):
            self.clients[role].force_login(a_user(role, event.tournament))
        for role, entrant in zip(("player", "opponent"), card.entrants, strict=True):
            self.clients[role].defaults["HTTP_AUTHORIZATION"] = f"Bearer {entrant.token}"

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of a role and a URL that this role requests."""
        for name, wanted, _at in routes():
            if name.startswith(ELSEWHERE) and name not in OF_THE_EVENT:
                continue
            if name not in OF_THE_EVENT and not CARD_ARGUMENTS & set(wanted):
                continue
            role = "director" if ":desk_" in name else "player"
            own = name.startswith(("scoring:my_", "pairing:my_"))
            token = self.card.entrants[0].token if own else self.card.token
            place = {**self.places, "token": token}
            address = reverse(name, kwargs={key: place[key] for key in wanted})
            yield role, address
            if self.dice.randrange(A_FEW) == 0:
                yield self.dice.choice(OTHERS), address
            if name.endswith("hands"):
                yield role, f"{address}?card={self.card.token}&line=1"
            if "dispute" in wanted:
                place["dispute"] = self.ruled.pk
                yield role, reverse(name, kwargs={key: place[key] for key in wanted})

    def sent_by_programs(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the URLs and the bodies of API requests about the first two hands."""
        shown = load_card_state_by_pk(self.card.pk)
        line = shown.lines[0].pk if shown.lines else 1
        for name, body in (
            ("lines", {"line": knock("B", 5, 20, "9D"), "hand": 2}),
            ("lines", {"line": knock("A", 3, 9), "replaces": 1, "reason": "written down wrong", "hand": 1}),
            ("lines", {"line": None, "replaces": 1, "reason": "was not played"}),
            ("draws", {"keeper": 1}),
            ("signatures", {"digest": shown.digest, "code": self.card.entrants[0].sign_code}),
            ("up_cards", {"hand": 2, "up": "8H", "turned_at": "2026-11-27T14:03:00Z"}),
            ("checks", {"hand": 1, "line": line}),
        ):
            yield reverse(f"scoring:api_{name}", kwargs={"token": self.card.token}), body

    def send(self, address: str, body: dict[str, Any]) -> str:
        with rolled_back(self.clients["player"]):
            answer = self.clients["player"].post(address, body, content_type="application/json")
        return broken(answer, address, body)


@pytest.mark.sample("card states", 3)
@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.parametrize(("turn", "state"), enumerate(STATES))
def test_no_page_of_a_card_breaks(turn: int, state: str) -> None:
    asked = Asked(state)
    counts = load_card_status(load_card_state_by_pk(asked.card.pk)).kind
    assert counts is COUNTS.get(state, CardStatusKind.NOTHING)
    sent: set[Any] = set()
    found = [said for address, body in asked.sent_by_programs() if (said := asked.send(address, body))]
    links = 40 if state == "by_totals" else 4
    for number, (role, address) in enumerate(asked.addresses()):
        if in_part(number + turn, 2):
            found += filter(None, use(asked.clients[role], address, sent, links))
    assert not found, "\n".join(found)


def use(client: Client, address: str, sent: set[Any], links: int) -> Iterator[str]:
    """Request a page, follow some of its links to itself, and send its forms. Yield the errors."""
    pages = [address]
    yield broken(ask(client, "POST", address, {}), address)
    for page in pages:
        answer = ask(client, "GET", page)
        yield broken(answer, page)
        if answer.status_code in (200, 422) and answer.headers["Content-Type"].startswith("text/html"):
            for at, fields in offered(page, answer.content.decode()):
                new = (at, tuple(field for field in fields or () if not field[0].endswith(("key", "token"))))
                if new in sent:
                    continue
                sent.add(new)
                if fields is None and len(pages) <= links:
                    pages.append(at)
                elif fields is not None:
                    yield broken(ask(client, "POST", at, dict(fields)), at, new[1])


def broken(answer: Any, address: str, fields: Any = ()) -> str:
    """Describe a response with a server error, or return an empty string."""
    if answer.status_code < 500:
        return ""
    why = traceback.format_exception_only(answer.exc_info[1]) if answer.exc_info else []
    return f"{answer.request['REQUEST_METHOD']} {address} {dict(fields)}: {answer.status_code} {''.join(why)}"


def ask(client: Client, method: str, address: str, fields: dict[str, str] | None = None) -> Any:
    with rolled_back(client):
        return client.get(address) if method == "GET" else client.post(address, fields)


def offered(address: str, text: str) -> Iterator[tuple[str, tuple[tuple[str, str], ...] | None]]:
    """Yield the page's links to itself with a different query string, and its POST forms once for each button."""
    page = read_html(text)
    page.make_links_absolute(f"http://testserver{address}")
    path = urlsplit(address).path
    for link in page.xpath("//main//a/@href"):
        parts = urlsplit(link)
        if parts.path == path and parts.query and not SAME_AGAIN & set(parse_qs(parts.query)):
            yield f"{path}?{parts.query}", None
    for form in page.xpath("//main//form"):
        if form.method == "POST":
            fields = tuple(fields_of(form).items())
            pressed = [(each.get("name"), each.get("value", "")) for each in form.xpath(".//button[@name]")]
            for button in pressed or [("", "")]:
                yield urlsplit(form.action or address).path, (*fields, button)
