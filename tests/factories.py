"""Factories for database rows in tests."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Mapping
from typing import Any

from pairing.draws.stages.plan import StageKind, read_event_plan, read_single_stage_plan
from tests.prebuilt import prebuilt
from tournament.core.permissions import Actor, make_staff_actor
from tournament.models import Entrant, Event, Member, Player, StaffRole, Tournament, User

_numbers = itertools.count(1)


@prebuilt
def a_tournament(**fields: Any) -> Tournament:
    n = next(_numbers)
    defaults = {
        "slug": f"desert-{n}",
        "name": "Desert Classic",
        "venue": "Palm Desert",
        "starts_on": dt.date(2026, 11, 27),
        "ends_on": dt.date(2026, 11, 29),
    }
    return Tournament.objects.create(**{**defaults, **fields})


PASSWORD = "secret-sauce-1"


@prebuilt
def a_user(
    role: str = "director", tournament: Tournament | None = None, *, password: str | None = PASSWORD, **fields: Any
) -> User:
    n = next(_numbers)
    user = User.objects.create_user(f"staff{n}@example.org", password, **{"name": f"Staff {n}", **fields})
    if tournament is not None:
        StaffRole.objects.create(tournament=tournament, user=user, role=role)
    return user


@prebuilt
def a_director(tournament: Tournament) -> Actor:
    return make_staff_actor(a_user("director", tournament))


@prebuilt
def an_event(tournament: Tournament | None = None, **fields: Any) -> Event:
    tournament = tournament or a_tournament()
    n = next(_numbers)
    defaults = {"slug": f"singles-{n}", "name": "Singles", "fee_cents": 30000, "state": Event.State.OPEN}
    return Event.objects.create(tournament=tournament, **{**defaults, **with_plan(fields)})


def with_plan(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with a `plan` in place of `format` and `format_options`, as the setup page would save them."""
    others = {name: value for name, value in fields.items() if name not in ("format", "format_options")}
    if len(others) == len(fields):
        return others
    return {**others, "plan": plan_of(fields["format"], fields.get("format_options", {}))}


def plan_of(format: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return (
        read_event_plan(options) if format == "stages" else read_single_stage_plan(StageKind(format), options)
    ).as_json()


@prebuilt
def a_player(name: str = "", **fields: Any) -> Player:
    name = name or f"Player {next(_numbers)}"
    return Player.objects.create(name=name, public_name=name, name_key=name.casefold(), **fields)


@prebuilt
def an_entrant(event: Event, name: str = "", **fields: Any) -> Entrant:
    n = next(_numbers)
    number = fields.pop("number", None) or event.entrants.count() + 1
    person = fields.pop("player", None) or a_player(name)
    defaults = {"state": Entrant.State.IN, "token": f"token-{n}", "sign_code": "123456"}
    entrant = Entrant.objects.create(event=event, number=number, name=str(person), **{**defaults, **fields})
    Member.objects.create(entrant=entrant, player=person, by_name="test")
    return entrant
