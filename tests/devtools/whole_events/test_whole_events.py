"""A few random events, compared with their recorded facts after every action. `make play-events` runs more."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.chance import in_part
from tests.devtools.whole_events.facts import name_at, read_sittings
from tests.devtools.whole_events.runner import Order, play, spread
from tests.factories import a_player, an_entrant, an_event
from tournament.models import Member

pytestmark = pytest.mark.django_db

FEW = (
    Order("knockout", "score-pad:hand-and-foot-canasta", 302, often=0.01, entrants=3, changes=0.05),
    Order("sites-pairs", "score-pad:hearts", 304, often=0.01, entrants=3, changes=0.05),
)


@pytest.mark.parametrize("order", [order for number, order in enumerate(FEW) if in_part(number, 2)], ids=str)
@pytest.mark.long
@pytest.mark.sample("whole random events", 2)
def test_an_event_agrees_with_its_facts_after_every_act(order: Order) -> None:
    outcome = play(order)
    assert outcome.fault == ""
    assert outcome.found == (), "\n".join(outcome.found)
    assert outcome.acts > 20


def test_the_list_is_spread_over_its_kinds() -> None:
    choices = [(kind, rules) for kind in "abc" for rules in ("one", "two")]
    chosen = spread(choices, 6, seed=1)
    assert sorted(chosen) == sorted(choices)
    assert {kind for kind, _rules in chosen[:3]} == set("abc")
    assert spread(choices, 6, seed=1) == chosen


pytestmark = pytest.mark.django_db


def test_a_substitute_has_the_entry_from_when_they_came() -> None:
    event = an_event(entry_size=2)
    pair = an_entrant(event, "Ada")
    alan = Member.objects.create(entrant=pair, player=a_player("Alan"), seat=2, by_name="test")
    came = timezone.now()
    more = {"entrant": pair, "seat": 2, "by_name": "test"}
    Member.objects.create(player=a_player("Zoe"), replaces=alan, at=came, **more)
    an_entrant(event, "Bea")
    (sittings,) = read_sittings(event).values()
    assert name_at(sittings, came - timedelta(seconds=1)) == "Ada / Alan"
    assert name_at(sittings, came) is None
