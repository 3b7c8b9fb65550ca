"""When a tournament is imported, every primary key in every column is changed.

These tests play events whose primary keys are large numbers that occur nowhere else. They change the keys of each row
as an import does, and then search all columns for the old keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import AutoField, Field, ForeignKey, Model

from pairing.models import Pairing, Stage
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.models import Ruling, StaffEntry
from scoring.rehearsal.services.random_event import RandomEvent
from scoring.rules.irregularities.case import RulingDecision
from tests.scoring.helpers.archive import DIRECTOR, RANDOM_EVENTS, a_tournament_in_play, staff
from tests.scoring.helpers.disputes import called, ruled, ruled_otherwise
from tests.scoring.helpers.playing import knock, play, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import RECORDED_APPS
from tournament.core.selectors.rows import (
    KEYS_IN_JSON,
    KEYS_IN_TEXT,
    KEYS_WITHOUT_CONSTRAINT,
    PRINTED_KEYS,
    PrimaryKeyChange,
    change_keys,
    list_archived_models,
    select_tournament_rows,
)
from tournament.models import EntrantFact, Movement, Tournament
from tournament.money.services.drawers_and_close import EndOfDayCount, close_day, close_drawer, record_day_count
from tournament.money.services.side_pools import SidePoolTerms, add_side_pool, join_side_pool, record_side_pool_result
from tournament.registration.services.entries import substitute_player
from tournament.registration.services.people import Person

pytestmark = pytest.mark.django_db

FIRST: Final = 4_000_000_000
STEP: Final = 1_000_000
"""The keys of each table begin at a multiple of this number, and a test adds fewer rows."""
OFFSET: Final = 10**12
NOT_CHANGED: Final = {
    "tournament.IdempotencyKey": "An import with other keys leaves them out.",
    "tournament.TournamentImport": "It records the keys of the installation from which a file came.",
}
DECLARED: Final = {
    *((label, column) for label, columns in KEYS_IN_JSON.items() for column in columns),
    *((label, column) for each in (KEYS_IN_TEXT, KEYS_WITHOUT_CONSTRAINT) for label in each for column in each[label]),
}


@pytest.fixture(autouse=True)
def _far_apart() -> None:
    """Give the primary keys of each table their own large starting number, so that keys are easy to find."""
    models = [model for app in RECORDED_APPS for model in apps.get_app_config(app).get_models()]
    with connection.cursor() as cursor:
        for number, model in enumerate(models):
            table, last = model._meta.db_table, FIRST + number * STEP
            if not isinstance(model._meta.pk, AutoField):
                continue
            if connection.vendor == "sqlite":
                cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
                cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])
            else:
                cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, last])


def find_undeclared_keys(tournament: Tournament) -> tuple[list[str], set[tuple[str, str]]]:
    """Change the primary keys in the tournament's rows as an import does, and search all columns for old keys.

    Return a list of the columns in which an old key remains. Also return the columns of `DECLARED` that contained a key
    before the change, so that a test can check which of them were tried.
    """
    undeclared: list[str] = []
    seen: set[tuple[str, str]] = set()
    for model in list_archived_models():
        label = model._meta.label
        if label in NOT_CHANGED:
            continue
        for row in select_tournament_rows(model, tournament).distinct():
            changed = change_keys(row, PrimaryKeyChange(OFFSET))
            for column in model._meta.concrete_fields:
                if not isinstance(column, ForeignKey) and column.name not in PRINTED_KEYS.get(label, ()):
                    undeclared += [f"{label}.{column.name}: {key}" for key in keys_in(changed, column)]
                    seen |= {(label, column.name)} & DECLARED if any(keys_in(row, column)) else set()
    return undeclared, seen


def keys_in(row: Model, column: Field[Any, Any]) -> Iterator[int]:
    value = getattr(row, column.attname)
    if isinstance(value, bytes | memoryview):
        return
    text = json.dumps(value, default=str) if not isinstance(value, str) else value
    text = re.sub(r"[0-9a-f]{32,}", "", text)  # a digest can contain any number
    for number in re.findall(r"(?<!\d)\d{10}(?!\d)", text):
        if FIRST <= int(number) < FIRST + 1000 * STEP:
            yield int(number)


def test_an_event_with_everything_at_the_desk() -> None:
    event = a_tournament_in_play()
    tournament, director = event.tournament, staff(DIRECTOR, "Dora Director")
    substitute_player(event.entrants.get(number=7), 1, Person("Mary Somerville"), by=director, reason="ill")
    pool = add_side_pool(event, SidePoolTerms("Best game", 5_00, places_by="desk"), by=director)
    for entrant in event.entrants.filter(number__lte=2):
        join_side_pool(pool, entrant, by=director)
    record_side_pool_result(pool, [[1], [2]], by=director)
    card = the_card(event, "R1M4")
    play(card, knock("A", 5, 20))
    line = load_card_state_by_pk(card.pk).lines[0].line
    ruled(called(card, "up-card", hand=1, recorded="4H", claims={"A": "8H"}), hand=line)
    loss = RulingDecision.GAME_LOSS
    ruled_otherwise(called(the_card(event, "R1M2"), "unmatched-play"), loss, A=loss)
    [drawer] = tournament.drawers.all()
    close_drawer(drawer, {100_00: 5, 20_00: 4}, by=director, key="")
    day = Movement.objects.filter(tournament=tournament).latest("pk").day
    assert day is not None
    count = record_day_count(tournament, day, EndOfDayCount({100_00: 5, 20_00: 4}, {}), by=director, key="")
    close_day(count, by=SYSTEM_ACTOR)
    undeclared, seen = find_undeclared_keys(tournament)
    assert undeclared == []
    effects = Ruling.objects.values_list("effects", flat=True)
    assert any(each["opened"] for each in effects) and any(each["sheet"] for each in effects)
    assert any("result" in penalty for each in effects for penalty in each["penalties"])
    assert seen >= {
        *(("scoring.StaffEntry", "payload"), ("scoring.Card", "sides_key")),
        *(("tournament.Merge", "moved"), ("tournament.Posting", "drawer"), ("tournament.EntrantFact", "data")),
    }


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        (
            Ruling(effects={"penalties": [{"entry": 3, "game_of": 5}]}),
            "effects",
            {"penalties": [{"entry": 3, "game_of": 15}]},
        ),
        (Stage(record={"persons": {"3": [5, 6]}}), "record", {"persons": {"3": [15, 16]}}),
        (Stage(record={"persons": {"3": ["5"]}}), "record", {"persons": {"3": ["15"]}}),
        (Pairing(record={"with": 5, "seed": 7}), "record", {"with": 15, "seed": 7}),
        (EntrantFact(data={"left": 5, "came": 6, "was": 4}), "data", {"left": 15, "came": 16, "was": 4}),
        (StaffEntry(payload={"keeper": None, "hand": 2}), "payload", {"keeper": None, "hand": 2}),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Model) else "",
)
def test_keys_in_json_are_changed_and_numbers_beside_them_are_not(row: Model, column: str, expected: object) -> None:
    row.pk = 1
    before = json.dumps(getattr(row, column))
    assert getattr(change_keys(row, PrimaryKeyChange(10)), column) == expected
    assert json.dumps(getattr(row, column)) == before


@pytest.mark.sample("declared keys", 5)
@pytest.mark.parametrize(("kind", "rules", "seed"), RANDOM_EVENTS)
def test_events_played_at_random(kind: str, rules: str, seed: int) -> None:
    played = RandomEvent(kind, rules, seed=seed, entrants=4).play()
    undeclared, seen = find_undeclared_keys(played.tournament)
    assert undeclared == [], sorted(seen)
