"""A few whole events played by chance, compared after every act with what their facts say; many more by the command."""

from __future__ import annotations

import pytest

from tests.chance import in_part
from tests.devtools.whole_events.runner import Order, play, spread

pytestmark = pytest.mark.django_db

FEW = (
    Order("knockout", "score-pad:hand-and-foot-canasta", 302, often=0.01, entrants=3, changes=0.2),
    Order("sites-pairs", "score-pad:hearts", 304, often=0.01, entrants=3, changes=0.2),
)


@pytest.mark.parametrize("order", [order for number, order in enumerate(FEW) if in_part(number, 2)], ids=str)
@pytest.mark.long
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
