"""Random events are played until prizes are paid, and the same seed always gives the same event."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from scoring.rehearsal.selectors.playable import list_playable_combinations
from scoring.rehearsal.services.play import ActionRecord
from scoring.rehearsal.services.random_event import RandomEvent
from tests.chance import in_part
from tests.factories import an_event
from tests.verifying import verify_event
from tournament.models import Event, Tournament, User
from tournament.money.selectors.awards import load_paid_prize_cents
from tournament.money.selectors.ledger import load_payout

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).parents[3]


FEW_OF_THE_LIST = (
    ("double-elimination", "standard", 1),
    ("swiss-pairs", "word-gin", 2),
    ("play-off", "gra-singles", 4),
    ("tables", "captain", 4),
    ("rotation", "metzker", 1),
)
"""The kind, the rule set, and the seed of each random event to play. The long tests play the other kinds."""


@pytest.mark.sample("random events", 3)
@pytest.mark.parametrize(
    ("kind", "rules", "seed"), [one for number, one in enumerate(FEW_OF_THE_LIST) if in_part(number, 2)]
)
def test_a_few_kinds_are_played_to_their_end(kind: str, rules: str, seed: int) -> None:
    played = RandomEvent(kind, rules, seed=seed, entrants=4).play()
    assert played.event.state == Event.State.FINISHED and played.acts > 20
    assert played.done["finish"] + played.done["finish-early"] >= 1 and played.done["post-draw"] >= 1


def test_a_seed_repeats_its_event_act_by_act() -> None:
    def acts() -> list[dict[str, object]]:
        seen: list[dict[str, object]] = []
        with transaction.atomic():
            RandomEvent("knockout", "oklahoma", 3, 3, lambda done: seen.append(done.as_json())).play()
            transaction.set_rollback(True)
        return seen

    assert acts() == acts()


def test_what_can_be_played_is_listed_one_a_line() -> None:
    out = StringIO()
    call_command("play_demo_event", "--list", stdout=out)
    listed = [json.loads(line) for line in out.getvalue().splitlines()]
    assert listed == [one.as_json() for one in list_playable_combinations()]
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
    paid = load_paid_prize_cents(event)
    assert paid == {award.entry: award.cents for award in payout.awards}


def test_who_watches_is_told_of_every_act_with_the_event_as_it_stands_then() -> None:
    seen: list[ActionRecord] = []
    states: list[bool] = []

    def watch(done: ActionRecord) -> None:
        seen.append(done)
        states.append(Event.objects.get(pk=done.event.pk).version == done.event.version)

    played = RandomEvent("knockout", "gra-singles", seed=51, entrants=3, after_act=watch).play()
    assert [done.number for done in seen] == list(range(1, played.acts + 1)) and all(states)
    assert sum(done.refused is None for done in seen) == sum(played.done.values())
    assert all(check.passed for check in verify_event(played.event))


def test_an_event_is_left_where_who_watches_has_seen_enough_and_is_taken_up_again() -> None:
    left = RandomEvent("tables", "captain", 2, 4, lambda done: done.event.state == Event.State.IN_PLAY).play()
    assert left.event.state == Event.State.IN_PLAY
    played = RandomEvent.continue_event(left.event, seed=3)
    assert played.event.pk == left.event.pk and played.event.state == Event.State.FINISHED
    assert "start-play" not in played.done and played.done["hand"] >= 1


def test_an_event_that_did_not_begin_by_chance_is_played_on_by_the_command() -> None:
    out = StringIO()
    call_command("play_demo_event", "--entrants", "4", "--until", "registration", stdout=out)
    tournament, slug = out.getvalue().splitlines()[-1].strip("/").split("/")[1:]
    out = StringIO()
    call_command("play_demo_event", "--go-on", tournament, slug, "--finish", "--acts", seed=2, stdout=out)
    *acts, last = [json.loads(line) for line in out.getvalue().splitlines()]
    event = Event.objects.select_related("tournament").get(tournament__slug=tournament, slug=slug)
    assert last == {"tournament": tournament, "event": slug, "acts": len(acts)}
    assert event.state == Event.State.FINISHED
    assert not any(act["act"] == "enter" for act in acts)


def test_nobodys_real_event_is_played_on_by_chance() -> None:
    real = an_event()
    with pytest.raises(CommandError, match="DEMO"):
        call_command("play_demo_event", "--finish", go_on=[real.tournament.slug, real.slug], stdout=StringIO())
    assert Event.objects.get(pk=real.pk).version == real.version and not User.objects.exists()


def test_to_go_on_is_to_the_end_of_an_event_that_is_there() -> None:
    with pytest.raises(CommandError, match="--finish"):
        call_command("play_demo_event", go_on=["none", "none"], stdout=StringIO())
    with pytest.raises(CommandError, match="no event"):
        call_command("play_demo_event", "--finish", go_on=["none", "none"], stdout=StringIO())


@pytest.mark.parametrize(("kind", "rules"), [("knockout", "captain"), ("bridge", "gra-singles")])
def test_what_is_not_on_the_list_is_not_played(kind: str, rules: str) -> None:
    with pytest.raises(CommandError, match="--list"):
        call_command("play_demo_event", "--random", "--finish", kind=kind, rules=rules, stdout=StringIO())
    assert not Tournament.objects.exists()


def test_by_chance_an_event_is_played_to_its_end_only() -> None:
    with pytest.raises(CommandError, match="--finish"):
        call_command("play_demo_event", "--random", kind="knockout", rules="gra-singles", stdout=StringIO())
