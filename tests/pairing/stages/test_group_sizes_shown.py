"""Pages that explain the ranking of groups of different sizes, and rounds in which rematches are unavoidable."""

from __future__ import annotations

import csv
import io
import random
import re
from typing import Any

import pytest
from django.test import Client

from pairing.desk.selectors.desk import load_rematch_warnings
from pairing.draws.results import ResultCause
from pairing.results.services.results import MatchDecision, decide_match
from tests.kit import client_as, desk_url, fresh, page_text, public_url
from tests.pairing.helpers.events import an_open_event, the_match
from tests.pairing.helpers.stages import course_of, decide_ready, pool_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db


def text_of(client: Client, path: str) -> str:
    return page_text(client.get(path))


def desk(event: Event, page: str) -> tuple[Client, str]:
    client = client_as("director", event)
    return client, desk_url(event, f"{page}/")


def played_out(entrants: int) -> Event:
    event = staged(
        entrants,
        {"kind": "round-robin", "groups": 2},
        {"kind": "play-off", "places": 2},
        {"kind": "single-elimination"},
    )
    while not course_of(event).pool.is_complete:  # type: ignore[union-attr]
        decide_ready(event, random.Random(14))
    return fresh(event)


def test_groups_of_different_size_say_that_they_are_compared_by_the_match() -> None:
    event = played_out(7)
    pool = course_of(event).pool
    assert pool is not None and sorted(len(part.entries) for part in pool.parts) == [3, 4]
    text = text_of(Client(), public_url(event, "stages/"))
    assert "compared by their share of matches won" in text
    assert re.search(r"Group \d, \d–\d\. Before .* by (share of wins, \d of \d \(\d+%\)|opponents’ wins a match)", text)


def test_groups_of_one_size_are_compared_by_plain_wins() -> None:
    event = played_out(6)
    text = text_of(Client(), public_url(event, "stages/"))
    assert "share of" not in text
    assert re.search(
        r"Group \d, \d–\d\. Before .* by (wins|fewest losses|head to head|opponents’ wins|point spread)", text
    )


def level_by_raw_figures() -> tuple[Event, int, int]:
    """Return an event with two entries that both have 1–2 and −70 points, but over different numbers of matches.

    Also return the numbers of these entries.
    """
    event = staged(7, {"kind": "round-robin", "groups": 2}, {"kind": "single-elimination", "seeded": True, "places": 4})
    pool = pool_of(event)
    small, large = sorted((part.entries for part in pool.parts), key=len)
    (a, b, c, d), (e, f, g) = sorted(large), sorted(small)
    idents = {frozenset(met.meeting.sides): ident for ident, met in course_of(event).current_stage.matches.items()}
    for winner, loser in ((e, f), (e, g), (f, g), (a, b), (a, c)):
        won(event, idents[frozenset((winner, loser))], winner, loser)
    decide(event, idents[frozenset((a, d))], a, points={a: 250, d: 150})
    decide(event, idents[frozenset((b, d))], d, points={d: 250, b: 220})
    decide(event, idents[frozenset((b, c))], c, ResultCause.NO_SHOW)
    decide(event, idents[frozenset((c, d))], None, ResultCause.BOTH_ABSENT)
    return fresh(event), c, d


def decide(event: Event, ident: str, winner: int | None, cause: ResultCause = ResultCause.PLAYED, **more: Any) -> None:
    found = event.entrants.get(number=winner) if winner is not None else None
    said = MatchDecision(
        match=the_match(event, ident), winner=found, cause=cause, reason="Seen by the desk", override=True, **more
    )
    decide_match(said, by=SYSTEM_ACTOR)


def test_the_standings_of_a_group_say_what_decides_who_goes_on() -> None:
    event, out, on = level_by_raw_figures()
    said = f"Before Player {out} by point spread a match, −70 in 2 to −70 in 1."
    path = public_url(event, "standings/")
    text = text_of(Client(), path)
    assert said in text and said in text_of(Client(), path.replace("standings", "stages"))
    assert "in everything that counts" not in text
    assert (
        "Players of different groups are compared by their share of matches won, then by point spread per match" in text
    )
    export = Client().get(f"{path}?_export=csv").content.decode("utf-8-sig")
    rows = {int(row["No."]): row for row in csv.DictReader(io.StringIO(export))}
    assert (rows[on]["Place"], rows[on]["Status"]) == ("2", "Advances")
    assert (rows[out]["Place"], rows[out]["Status"]) == ("3", "Eliminated")
    assert {row["Status"] for row in rows.values()} == {"Advances", "Eliminated"}


def an_event_of(entrants: int, rounds: int, **more: object) -> Event:
    stages = [{"kind": "swiss", "rounds": rounds, **more}]
    return an_open_event(entrants, format="stages", format_options={"stages": stages})


def test_the_form_of_the_plan_warns_of_more_rounds_than_go_without_a_rematch() -> None:
    event = an_event_of(4, 5)
    said = "5 rounds are planned, but 4 entrants can play only 3 without a rematch."
    assert said in text_of(*desk(event, "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(4, 3), "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(5, 5), "format"))
    assert "without a rematch" not in text_of(*desk(an_event_of(0, 5), "format"))


def test_the_desk_warns_of_it_and_counts_who_is_still_in() -> None:
    event = staged(4, {"kind": "swiss", "rounds": 5})
    assert "5 rounds are planned, but 4 entrants can play only 3 without a rematch." in text_of(*desk(event, "pairing"))
    assert "without a rematch" not in text_of(*desk(staged(4, {"kind": "swiss", "rounds": 3}), "pairing"))


def test_a_stage_to_come_is_warned_of_by_how_many_go_on_to_it() -> None:
    event = an_open_event(
        12,
        format="stages",
        format_options={"stages": [{"kind": "fixed", "games": 3, "best": 4}, {"kind": "swiss", "rounds": 6}]},
    )
    (warning,) = load_rematch_warnings(event)
    assert [warning[name] for name in ("stage", "rounds", "field", "most")] == ["Swiss rounds", 6, 4, 3]
