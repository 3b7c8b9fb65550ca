"""Create the event for the load test: a double elimination in play, with score cards for the first round.

    python -m tests.devtools.hall.event 256 [herd]      prints the links, matches, and tables as JSON

With `herd`, the draw is posted but play has not begun, so that all players wait for their first match.
"""

from __future__ import annotations

import json
import os
import random
import sys
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

# ruff: noqa: E402 (rows need Django to be set up first)

from django.utils import timezone

from laptop.update import create_tables
from pairing.blind_draw.services import close_registration, make_draw, post_draw
from pairing.desk.services.sending import call_ready_matches
from pairing.stages.services.plans import choose_format
from scoring.card_state.selectors.players import load_ready_seated_matches
from scoring.cards.services.hands import LineEntry, add_line, record_scorekeeper
from scoring.posting.services.opening import start_play
from scoring.rehearsal.services.demo import SinglesDemo, make_random_hand
from scoring.rehearsal.services.engine import make_demo_names
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor
from tournament.core.selectors.events import reload_event
from tournament.models import Event, StaffRole, User
from tournament.money.services.checkin import set_check_in_status
from tournament.registration.services.entries import EntryRequest, add_entry, keep_entrants_in_draw
from tournament.registration.services.people import Person
from tournament.setup.services.sign_in import make_sign_in_link
from tournament.setup.services.tournaments import grant_role

DESKS = 9
"""The number of staff accounts: four decide matches, four take payments, and one is used while things are broken."""


def main(entrants: int, *, herd: bool) -> None:
    create_tables()
    demo = SinglesDemo(entrants=entrants, seed=12, report_progress=lambda _line: None)
    event, by = demo.set_up()
    choose_format(event, "stages", {"stages": [{"kind": "double-elimination"}]}, by=by)
    _enter(demo, event, by)
    event = reload_event(event)
    close_registration(event, by=by)
    keep_entrants_in_draw(reload_event(event), list(range(1, entrants + 1)), by=by)
    make_draw(event, "7H QS 2D", by=by)
    post_draw(event, by=by)
    if not herd:
        _begin(demo.dice, event, by, entrants)
    print(json.dumps(_known(reload_event(event))))


def _enter(demo: SinglesDemo, event: Event, by: Actor) -> None:
    """Check in all entrants without a payment, so that the simulated staff have payments to take."""
    for name in make_demo_names(demo.entrants, demo.dice):
        person = Person(name=name, club="Tampa", consents=True)
        entrant = add_entry(event, EntryRequest((person,), source="desk", at=timezone.now()), by=by)
        set_check_in_status(entrant, by=by)


def _begin(dice: random.Random, event: Event, by: Actor, entrants: int) -> None:
    start_play(event, by=by)
    call_ready_matches(event, 1, entrants // 2, by=by)
    for turn, meeting in enumerate(load_ready_seated_matches(event)):
        if not is_kept(turn):
            continue
        card = meeting.match.cards.get()
        keeper = card.entrants[0]
        record_scorekeeper(card, keeper, by=make_player_actor(keeper))
        for _hand in range(dice.randint(0, 2)):
            add_line(card, LineEntry(make_random_hand(dice), override="as played"), by=make_player_actor(keeper))


def is_kept(turn: int) -> bool:
    """Return whether a scorekeeper enters the hands at this table. If not, staff enter the match's result."""
    return turn % 2 > 0


def _known(event: Event) -> dict[str, Any]:
    names = [f"desk-{one}@example.org" for one in range(DESKS)]
    users = [User.objects.get_or_create(email=name, defaults={"name": name})[0] for name in names]
    for user in users:
        grant_role(event.tournament, user, StaffRole.Role.DIRECTOR, by=SYSTEM_ACTOR)
    tables = [
        {
            "ident": one.match.ident,
            "card": card.token,
            "numbers": [who.number for who in card.entrants],
            "kept": is_kept(turn),
        }
        for turn, one in enumerate(load_ready_seated_matches(event))
        for card in one.match.cards.all()
    ]
    return {
        "tournament": event.tournament.slug,
        "event": event.slug,
        "entrants": list(event.entrants.order_by("number").values("number", "token", "sign_code")),
        "matches": list(event.matches.order_by("pk").values_list("ident", flat=True)),
        "tables": tables,
        "sign_in": [make_sign_in_link(user) for user in users],
    }


if __name__ == "__main__":
    main(int(sys.argv[1]), herd="herd" in sys.argv[2:])
