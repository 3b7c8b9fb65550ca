"""Collect the users, URLs, and valid request bodies of the site in `tests/config/hall.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.core.cache import cache
from django.db import transaction
from django.template.base import Template
from django.test import override_settings

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.offline import OfflineHand, compute_offline_hand_hmac
from tests.config.hall import Hall, routes
from tests.devtools.spoiled.known import Known
from tests.devtools.spoiled.senders import ByClient
from tests.devtools.spoiled.spoil import PAYMENT
from tests.scoring.helpers.playing import knock
from tournament.models import CardPayment

WHO: Final = ("anybody", "player", "desk", "director")
LIBRARY: Final = (
    *(
        "login",
        "logout",
        "signup",
        "password/reset",
        "password/change",
        "email",
        "reauthenticate",
        "2fa",
        "2fa/totp/activate",
    ),
    *("2fa/webauthn", "2fa/recovery-codes", "confirm-email/x", "login/code", "inactive", "password/reset/key/x-y"),
)
KEPT: Final = "up_suit=H&outcome=gin&by=A&counts_A=0&up_rank=5&counts_B=3"


def known_of(hall: Hall) -> dict[str, Any]:
    return {
        "who": {role: _visitor(hall, role) for role in WHO},
        "addresses": [list(each) for each in _addresses(hall)],
        "bodies": dict(_bodies(hall)),
        "events": [f"/{event.tournament.slug}/{event.slug}/" for event in hall.events.values()],
    }


def _visitor(hall: Hall, role: str) -> dict[str, str]:
    client = hall.clients[role]
    cookies = {**{name: each.value for name, each in client.cookies.items()}, "csrftoken": "a" * 32}
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in sorted(cookies.items()))}
    if "HTTP_AUTHORIZATION" in client.defaults:
        headers["Authorization"] = client.defaults["HTTP_AUTHORIZATION"]
    return headers


def _addresses(hall: Hall) -> Iterator[tuple[str, str]]:
    for role in WHO:
        for name, wanted, at in routes():
            if name.startswith("library:"):
                yield from ((role, f"/{at}{page}/") for page in LIBRARY)
            else:
                yield role, hall.address(role, name, wanted, at)
        for event in hall.events.values():
            yield role, f"/live/{event.tournament.slug}/{event.slug}/"
        yield from (
            (role, address) for address in ("/static/css/site.css", "/static/none.css", "/favicon.ico", "/nothing/")
        )


def _bodies(hall: Hall) -> Iterator[tuple[str, list[Any]]]:
    """Yield valid request bodies, keyed by the end of the URL that accepts them."""
    card = load_card_state_by_pk(hall.card.pk)
    line, ada = card.lines[0].pk, card.card.entrants[0]
    yield (
        "/lines",
        [
            {"line": knock("B", 5, 20, "9D"), "hand": 2, "override": ""},
            {"line": knock("A", 3, 9), "replaces": 1, "reason": "written down wrong", "hand": 1},
            {"line": None, "replaces": 1, "reason": "was not played"},
            {"line": knock("B", 5, 20), "hand": 2, "drawn": ["B", "A"]},
        ],
    )
    yield "/draws", [{"order": ["B", "A"], "reason": "drawn again"}, {"keeper": 1}]
    yield (
        "/signatures",
        [
            {"digest": card.digest, "code": ada.sign_code},
            {"digest": card.digest, "strokes": [[[0.1, 0.2], [0.5, 0.6], [0.7, 0.1]], [[0.1, 0.9], [0.9, 0.9]]]},
            {"digest": card.digest, "entrant": 1, "witness": "Emmy", "side": "A"},
        ],
    )
    yield "/up-cards", [{"hand": 2, "up": "8H", "turned_at": "2026-11-27T14:03:00Z"}]
    yield "/checks", [{"hand": 1, "line": line}, {"hand": 1, "line": line, "own": knock("A", 4, 20)}, {"take": 1}]
    typed = OfflineHand("key-2", 2, 1_790_000_000, KEPT, "")
    sent = {
        "key": typed.key,
        "hand": typed.hand,
        "typed_at": typed.typed_at,
        "fields": typed.fields,
        "entrant": ada.number,
    }
    kept = {**sent, "proof": compute_offline_hand_hmac(hall.card, ada, typed), "carried_by": "Kurt"}
    yield "/kept", [kept]
    yield "/kept/read", [kept]


SECRET: Final = "whsec"


def known_here(hall: Hall, *roles: str) -> tuple[Known, ByClient]:
    """Read the pages as each of the roles, and return the forms and links on these pages.

    Without `roles`, read the pages as every role. Also return the `ByClient` that requested the pages in this process.
    """
    known, sender = Known({**known_of(hall), "card_secret": SECRET}), ByClient()
    about = {"event": hall.events["open"], "entrant": hall.events["open"].entrants.get(number=9)}
    CardPayment.objects.create(ident=PAYMENT, cents=300_00, by_name="the hall", **about)
    known.read_all(sender, roles)
    return known, sender


def take_back(case: Callable[[], None]) -> None:
    cache.clear()  # a limited client gets nowhere
    with transaction.atomic():
        case()
        transaction.set_rollback(True)


@contextmanager
def as_in_production() -> Iterator[None]:
    """Enable card payments, and disable the copies of template contexts that Django's test mode makes."""
    kept = Template._render
    Template._render = lambda template, context: template.nodelist.render(context)  # type: ignore[method-assign]
    try:
        with override_settings(CARD_PROVIDER="console", CARD_WEBHOOK_SECRET=SECRET):
            yield
    finally:
        Template._render = kept  # type: ignore[method-assign]
