"""Create a site with data for every URL, and a test client for each role."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from django.core.files.base import ContentFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from PIL import Image

from pairing.desk.services.pairings import PairsToSend
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.services.disputes import SubmittedEvidence, add_evidence, call_director
from scoring.models import Card, StaffEntry
from tests.factories import a_player, a_user, an_entrant, an_event
from tests.pairing.helpers.events import an_event_in_play as a_pool_in_play
from tests.pairing.helpers.events import send_pairs
from tests.scoring.helpers.disputes import ACCEPTED, called, ruled
from tests.scoring.helpers.playing import an_event_in_play, knock, play, post, the_card
from tests.scoring.helpers.turning import an_event_in_play as couples_in_play
from tests.scoring.helpers.turning import gin, play_round
from tests.scoring.helpers.whist import a_whist_event
from tournament.core.permissions import make_player_actor, make_staff_actor
from tournament.core.services.record import writing
from tournament.messages.services import MessageDraft, send_message
from tournament.models import Event, Job, PaidOut, StaffRole
from tournament.money.services.ledger import EventMoneyDetails, record_event_money
from tournament.money.services.ledger import post_money_fact as post_money
from tournament.money.services.transfers_and_cards import store_bank_statement
from tournament.registration.services.imported_lists import store_uploaded_list
from tournament.registration.services.people import merge_players
from tournament.setup.services.sign_in import make_sign_in_link

ROLES: Final = (
    *("anybody", "player", "opponent", "other", "account", "elsewhere"),
    *("hotel", "desk", "coordinator", "director", "admin"),
)
"""The roles, from a stranger (“anybody”) to the administrator of the installation (“admin”).

“player”, “opponent”, and “other” are players with private links, and the first two share a score card. “account” is a
user without a role, and “elsewhere” is a director of another tournament.
"""
PLAYERS: Final = ("player", "opponent", "other")

ELSEWHERE: Final = {
    "couples": ("scoring:desk_rounds", "scoring:desk_worksheet", "scoring:worksheet_", "scoring:rounds"),
    "whist": ("scoring:desk_whist", "scoring:whist_table"),
    "pool": ("pairing:proof", "pairing:desk_take_back", "pairing:stage_proof"),
    "open": ("tournament:register", "tournament:link_again", "tournament:desk_import", "tournament:approve_marked"),
}
"""Beginnings of URL names, keyed by the only event that has these pages. “singles” has all other pages."""


class Hall:
    """Creates database rows for every URL.

    `places` contains the arguments for the URLs, and `clients` a test client for each role.
    """

    def __init__(self) -> None:
        singles = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
        self.events = {
            "singles": singles,
            "couples": couples_in_play(),
            "whist": a_whist_event(),
            "pool": a_pool_in_play(4, format="swiss", format_options={"rounds": 3}),
            "open": an_event(fee_cents=0),
            "draft": an_event(singles.tournament, state=Event.State.DRAFT),
        }
        self.card = the_card(singles)
        self.users = {role: self._user(role) for role in ROLES if role not in ("anybody", *PLAYERS)}
        self.places = dict(self._at_cards())
        self.places |= {"merge": self._merge().pk, "newcomer": self._newcomer(), **dict(self._at_desk())}
        for event, token in (("open", "ida"), ("draft", "ida-draft")):
            self.events[event].entrants.create(number=9, name="Ida", token=token, sign_code="1")
        self.clients = {role: self._client(role) for role in ROLES}

    def _user(self, role: str) -> Any:
        user = a_user(is_superuser=role == "admin")
        tournaments = {event.tournament for event in self.events.values()}
        if role == "elsewhere":
            StaffRole.objects.create(user=user, tournament=an_event().tournament, role="director")
        elif role in StaffRole.Role.values:
            StaffRole.objects.bulk_create(StaffRole(user=user, tournament=one, role=role) for one in tournaments)
        return user

    def _at_cards(self) -> Iterator[tuple[str, Any]]:
        card, event = self.card, self.card.match.event
        play(card, knock("A", 5, 20))
        dispute = called(card, "conduct", by="B")
        picture = io.BytesIO()
        Image.new("RGB", (40, 30)).save(picture, "JPEG")
        picture.seek(0)
        by = make_player_actor(card.entrants[0])
        yield "evidence", add_evidence(dispute, SubmittedEvidence(photo=picture), by=by)[0].pk
        yield "dispute", dispute.pk
        yield "call", call_director(card.match, by=by).pk
        ruled(called(card, "improper-knock", hand=1, **ACCEPTED))
        posted = the_card(event, "R1M2")
        yield "digest", post(posted).digest
        yield "posted", posted.token
        payload = {"line": knock("B", 5, 20), "hand": 2, "override": "", "via": "desk"}
        kind, needs = StaffEntry.Kind.LINE, StaffEntry.Needs.APPROVAL
        shown = load_card_state_by_pk(card.pk).digest
        yield (
            "entry",
            StaffEntry.objects.create(
                card=card, kind=kind, needs=needs, payload=payload, digest=shown, by=self.users["desk"], by_name="desk"
            ).pk,
        )
        play_round(self.events["couples"], gin(), gin())
        yield (
            "pairing",
            send_pairs(self.events["pool"], PairsToSend(pairs=((1, 2),)), by=make_staff_actor(self.users["desk"])).pk,
        )

    def _at_desk(self) -> Iterator[tuple[str, Any]]:
        by, event = make_staff_actor(self.users["desk"]), self.card.match.event
        yield "import", store_uploaded_list(self.events["open"], "list.csv", b"name,email\nIda,\n", by=by).pk
        listed = b"Date,Amount,Name\n2026-11-20,5.00,Ida\n"
        yield "bank_list", store_bank_statement(event.tournament, "bank.csv", listed, by=by).pk
        yield "message", send_message(event, MessageDraft("Tables", "Look at the wall.", "in"), by=by, key="").pk
        record_event_money(event, "added", EventMoneyDetails(100_00, "check", "A sponsor"), by=by, key="")
        winner = {"event": event, "entrant": event.entrants.get(number=1)}
        with writing(event, verb="prize.paid", by=by) as write:
            paid = PaidOut.objects.create(cents=100_00, method="cash", **winner, **write.fact_fields())
            post_money(write, paid)
        yield "paid", paid.pk
        job = Job.objects.create(tournament=event.tournament, event=event, kind="cards", title="Cards", state="done")
        job.file.save("cards.pdf", ContentFile(b"%PDF-1.4"))
        yield "job", job.pk

    def _newcomer(self) -> int:
        """Create a staff member without a password, for whom a director can make a sign-in link."""
        user = a_user(password=None)
        StaffRole.objects.create(user=user, tournament=self.card.match.event.tournament, role="desk")
        return user.pk

    def _merge(self) -> Any:
        event = self.events["draft"]
        one, other = (an_entrant(event, player=a_player("Emmy")).members.get().player for _twin in "12")
        by = make_staff_actor(self.users["director"])
        return merge_players(event.tournament, one, other, by=by, reason="one person")

    def _client(self, role: str) -> Client:
        client = Client(headers={"Idempotency-Key": "k"}, raise_request_exception=False)
        if role in self.users:
            client.force_login(self.users[role])
        elif role in PLAYERS:
            client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {self.link(role)}"
            client.get(f"/my/{self.link(role)}/")
            client.get(f"/my/{self.link(role)}/match/")
            client.get(f"/my/{self.link(role)}/card/{self._own_card(role).token}/")
        return client

    def _own_card(self, role: str) -> Card:
        return self.card if role != "other" else the_card(self.card.match.event, "R1M2")

    def link(self, role: str) -> str:
        """Return the role's private link, or an invalid link if the role has none."""
        other = the_card(self.card.match.event, "R1M2").entrants[0]
        seats = dict(zip(PLAYERS, (*self.card.entrants, other), strict=True))
        return seats[role].token if role in seats else "nobody"

    def place(self, name: str, wanted: Iterable[str], role: str) -> dict[str, Any]:
        """Return a value for each argument of a URL, keyed by the argument's name. Some values depend on the role."""
        named, _, draft = name.partition("@")
        event = self.events["draft" if draft else self._event_for(named)]
        card = self.places["posted"] if named in OF_A_POSTED_CARD else self.card.token
        pages = named.rsplit(":", 1)[-1]
        found = {
            **self.places,
            "tournament": event.tournament.slug,
            "event": event.slug,
            "ident": "R1M1",
            "table": 11,
            "stage": 1,
            "number": 1,
            "game": 1,
            "line": 1,
            "rules": "gra-singles",
            "name": "gra-singles",
            "step": "who",
            "listed": "prizes",
            "kind": "csv",
            "scope": "event",
            "program": "hledger",
            "card": card,
        }
        if "token" in wanted:
            found["token"] = self._token(named, role, card, event)
        if "pk" in wanted:
            found["pk"] = self._pk(pages, event)
        if pages.startswith("desk_import_") and "number" in wanted:
            found["number"] = 2
        return {key: found[key] for key in wanted}

    def address(self, role: str, name: str, wanted: tuple[str, ...], at: str) -> str:
        """Return the URL of a route from `routes`, with arguments that fit this role."""
        place = self.place(name, wanted, role)
        if name != at:
            return reverse(name.partition("@")[0], kwargs=place)
        return "/" + re.sub(r"<\w+:(\w+)>", lambda found: str(place[found[1]]), at)

    def _event_for(self, name: str) -> str:
        return next((key for key, starts in ELSEWHERE.items() if name.startswith(starts)), "singles")

    def _token(self, name: str, role: str, card: str, event: Event) -> str:
        if name == "tournament:sign_in":
            return make_sign_in_link(self.users["account"])
        if name == "tournament:registered":
            return "ida-draft" if event == self.events["draft"] else "ida"
        return self.link(role) if name.split(":")[1].startswith(("my", "withdraw_mine")) else card

    def _pk(self, page: str, event: Event) -> int:
        kinds = {"desk_bank_list": "bank_list", "desk_job": "job", "job_file": "job", "undo_twins": "merge"}
        kinds |= {"staff_link": "newcomer"}
        kind = kinds.get(page) or ("import" if page.startswith("desk_import") else "message")
        if page == "player":
            entrant = event.entrants.first()
            assert entrant is not None
            return entrant.members.get().player_id
        return self.places[kind]


OF_A_POSTED_CARD: Final = ("scoring:card_pdf", "scoring:card_version", "scoring:desk_reopen")


OWN: Final = ("config", "tournament", "pairing", "scoring")


def routes() -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the name, the argument names, and the pattern of every URL.

    A third-party library has only one entry for all its URLs.
    """
    yield from _routes_of(get_resolver().url_patterns, "", "")


def _routes_of(patterns: Iterable[Any], before: str, space: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
    for pattern in patterns:
        at = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if str(pattern.urlconf_module.__name__).partition(".")[0] in OWN:
                yield from _routes_of(pattern.url_patterns, at, pattern.namespace or space)
            else:
                yield f"library:{at}", (), at
        elif isinstance(pattern, URLPattern):
            yield (f"{space}:{pattern.name}" if pattern.name else at), tuple(pattern.pattern.converters), at
