"""`verify_event --json` prints one JSON object with the checked values, their database rows, and all problems."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from pairing.models import MatchResult
from pairing.results.services.finish import finish_event
from scoring.models import Card, SheetLine, Signature
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.verification.selectors.checks import PROBLEM_CODES
from tests.kit import fresh
from tests.pairing.helpers.events import a_posted_event
from tests.scoring.helpers.playing import gin, post, the_card
from tests.verifying import put_on_record
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event, Finish

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _finished(rows_of_module: None) -> Event:
    """Create a finished event with four entries, three cards, and $100 from a sponsor in the prize pool."""
    event = a_posted_event(4, added_cents=10000)
    save_rule_sheet(event, ChosenRules("gra-singles", {"target": 50}, 1), by=SYSTEM_ACTOR)
    start_play(event, by=SYSTEM_ACTOR)
    for ident in ("R1M1", "R1M2", "R2M1"):
        post(the_card(event, ident))
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    put_on_record(event)
    return event


@pytest.fixture
def event(_finished: Event) -> Event:
    return fresh(_finished)


def ask(event: Event, *options: str) -> tuple[int, str]:
    """Run `verify_event`, and return its exit status and output."""
    out = io.StringIO()
    try:
        call_command("verify_event", event.tournament.slug, event.slug, *options, stdout=out)
    except SystemExit as left:
        return int(left.code or 0), out.getvalue()
    return 0, out.getvalue()


def answer(event: Event) -> dict[str, Any]:
    status, said = ask(event, "--json")
    assert said.count("\n") == 1
    found: dict[str, Any] = json.loads(said)
    assert status == (0 if found["ok"] else 1)
    return found


def test_an_honest_event_is_one_object_that_counts_what_was_checked(event: Event) -> None:
    found = answer(event)
    assert (found["ok"], found["problems"]) == (True, [])
    assert list(found["checked"]) == list(PROBLEM_CODES)
    counted = {kind: found["checked"][kind] for kind in ("cards", "hands", "signatures", "seals", "results", "places")}
    assert counted == {"cards": 3, "hands": 6, "signatures": 6, "seals": 3, "results": 3, "places": 4}
    assert [found["checked"][kind] for kind in ("matches", "draws", "payouts")] == [3, 1, 4]


def test_every_figure_says_from_which_facts_it_was_computed(event: Event) -> None:
    figures = {each["what"]: each for each in answer(event)["figures"]}
    card = Card.objects.get(match__ident="R1M1")
    (said,) = (each for what, each in figures.items() if what.startswith("R1M1, game 1"))
    assert said["facts"]["hands"] == list(SheetLine.objects.filter(card=card).values_list("pk", flat=True))
    assert said["facts"]["signatures"] == list(Signature.objects.filter(card=card).values_list("pk", flat=True))
    result = MatchResult.objects.get(match__ident="R2M1")
    assert figures["result of R2M1"]["facts"]["decisions"] == [result.pk]
    assert result.winner is not None and result.winner.name in figures["result of R2M1"]["found"]
    assert figures["place 1"]["facts"] == {"finish": [Finish.objects.get().pk], "results": 3}
    first = Finish.objects.get().places[0][0]
    assert figures[f"payout of entry {first}"]["found"] == "5000 cents for 1"


def test_the_same_in_words(event: Event) -> None:
    status, said = ask(event)
    assert status == 0 and "BAD" not in said
    line = next(line for line in said.splitlines() if line.startswith("ok   R1M1, game 1"))
    assert line.endswith("from 2 hands, 1 cut, 2 signatures, 1 version and 1 posting")


def test_a_changed_hand_is_a_problem_with_its_place(event: Event) -> None:
    SheetLine.objects.filter(card__match__ident="R1M1", number=2).update(line=gin("A", 31, "9C"))
    found = answer(event)
    assert not found["ok"]
    for problem in found["problems"]:
        assert set(problem) == {"code", "place", "message"}
    assert {each["code"] for each in found["problems"]} == {"card-altered", "card-against-result", "row-differs"}
    assert all(each["place"].startswith(("R1M1, game 1", "sheet line")) for each in found["problems"])
    assert found["checked"]["cards"] == 3


def test_a_changed_finish_is_a_problem(event: Event) -> None:
    finish = Finish.objects.get()
    Finish.objects.filter(pk=finish.pk).update(places=finish.places[::-1])
    found = answer(event)
    assert "places-differ" in {each["code"] for each in found["problems"]}


def test_an_event_that_is_not_there(event: Event) -> None:
    with pytest.raises(CommandError) as refusal:
        call_command("verify_event", event.tournament.slug, "nothing")
    assert refusal.value.returncode == 2
