"""Events played whole by chance: what can be played, that a seed plays it to its payouts, and that it repeats."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from scoring.management.random_event import ActDone, RandomEvent, playable
from scoring.selectors.verification import verify_event
from tournament.models import Event, PaidOut, Tournament
from tournament.selectors.ledger import load_payout

pytestmark = pytest.mark.django_db


def test_what_can_be_played_is_listed_one_a_line() -> None:
    out = StringIO()
    call_command("play_demo_event", "--list", stdout=out)
    listed = [json.loads(line) for line in out.getvalue().splitlines()]
    assert listed == [one.as_json() for one in playable()]
    assert {"kind": "knockout", "rules": "gra-singles"} in listed
    assert {"kind": "swiss-pairs", "rules": "gra-partnership"} in listed
    assert {"kind": "tables", "rules": "score-pad:hearts"} in listed
    assert [one["rules"] for one in listed if one["kind"] in ("rotation", "court-whist")] == ["metzker", "court-whist"]
    assert {"kind": "knockout", "rules": "captain"} not in listed


def test_an_event_is_played_to_its_payouts_and_the_last_line_names_it() -> None:
    out = StringIO()
    call_command(
        "play_demo_event", "--random", "--finish", "--acts",
        kind="knockout", rules="gra-singles", seed=50, entrants=3, stdout=out,
    )  # fmt: skip
    *acts, last = [json.loads(line) for line in out.getvalue().splitlines()]
    event = Event.objects.get(tournament__slug=last["tournament"], slug=last["event"])
    assert last == {"tournament": "knockout-gra-singles-50", "event": "event", "acts": len(acts)}
    assert {"act": "start-play", "about": "Random event", "refused": None} in acts
    payout = load_payout(event)
    assert payout is not None and event.state == Event.State.FINISHED
    paid = dict(PaidOut.objects.filter(event=event).values_list("entrant__number", "cents"))
    assert paid == {award.entry: award.cents for award in payout.awards}


def test_who_watches_is_told_of_every_act_with_the_event_as_it_stands_then() -> None:
    seen: list[ActDone] = []
    states: list[bool] = []

    def watch(done: ActDone) -> None:
        seen.append(done)
        states.append(Event.objects.get(pk=done.event.pk).version == done.event.version)

    played = RandomEvent("knockout", "gra-singles", seed=50, entrants=3, after_act=watch).play()
    assert [done.number for done in seen] == list(range(1, played.acts + 1)) and all(states)
    assert sum(done.refused is None for done in seen) == sum(played.done.values())
    assert all(check.good for check in verify_event(played.event))


@pytest.mark.parametrize(("kind", "rules"), [("knockout", "captain"), ("bridge", "gra-singles")])
def test_what_is_not_on_the_list_is_not_played(kind: str, rules: str) -> None:
    with pytest.raises(CommandError, match="--list"):
        call_command("play_demo_event", "--random", "--finish", kind=kind, rules=rules, stdout=StringIO())
    assert not Tournament.objects.exists()


def test_by_chance_an_event_is_played_to_its_end_only() -> None:
    with pytest.raises(CommandError, match="--finish"):
        call_command("play_demo_event", "--random", kind="knockout", rules="gra-singles", stdout=StringIO())
