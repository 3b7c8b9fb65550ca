from __future__ import annotations

import pytest

from pairing.stages.console.formats import FORMAT_PRESETS
from pairing.stages.selectors.plans import load_event_plan
from tests.factories import a_tournament, an_event
from tests.kit import fresh
from tests.pairing.helpers.plan_form import at_the_page, shown
from tournament.models.tournament import DEFAULT_STAGE_PLAN

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("key", [key for key, _label, _stages in FORMAT_PRESETS])
def test_a_preset_fills_in_and_nothing_is_saved_until_it_is(key: str) -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    answer = client.post(page, {"format": "stages", "preset": key})
    assert fresh(event).plan == DEFAULT_STAGE_PLAN
    assert client.post(page, shown(answer.context)).status_code == 302
    saved = load_event_plan(fresh(event))
    stages = next(stages for name, _label, stages in FORMAT_PRESETS if name == key)
    assert [stage.kind.value for stage in saved.stages] == [stage["kind"] for stage in stages]
    assert shown(client.get(page).context) == {**shown(client.get(page).context)}
    again = client.get(page)
    assert client.post(page, {**shown(again.context), "key": "k2"}).status_code == 302
    assert load_event_plan(fresh(event)) == saved


def test_stages_are_added_ordered_and_removed() -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = shown(client.post(page, {"format": "stages", "preset": "swiss"}).context)
    more = shown(client.post(page, {**sent, "stages-0-name": "Fri\u202eday", "more": "1"}).context)
    assert more["stages-TOTAL_FORMS"] == 2
    two = {**more, "stages-0-turn": 2, "stages-1-turn": 1, "stages-1-kind": "fixed", "stages-1-games": 3}
    client.post(page, two)
    assert [stage.name for stage in load_event_plan(fresh(event)).stages] == ["Qualifying", "Friday"]
    client.post(page, {**two, "stages-1-DELETE": "on", "key": "k2"})
    assert [stage.name for stage in load_event_plan(fresh(event)).stages] == ["Friday"]


def test_what_cannot_be_stands_with_its_stage_and_nothing_typed_is_lost() -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = shown(client.post(page, {"format": "stages", "preset": "gra-partnership"}).context)
    sent |= {"stages-0-games": 3, "stages-0-wins": 4, "stages-1-byes_to": "five", "stages-0-name": "Saturday"}
    refused = client.post(page, sent)
    assert refused.status_code == 422
    assert "Enter numbers of wins" in refused.content.decode()
    refused = client.post(page, {**sent, "stages-1-byes_to": "5"})
    assert refused.status_code == 422 and "Saturday" in refused.content.decode()
    assert refused.context["plan"].rows[0].errors["wins"]
    assert fresh(event).plan == DEFAULT_STAGE_PLAN
    turned = client.post(page, {**sent, "stages-0-games": 5, "stages-1-byes_to": "5", "stages-0-turn": 3})
    assert "Pools of games come first" in turned.content.decode()


def test_the_tie_breaks_are_kept_in_their_order() -> None:
    event = an_event(a_tournament())
    client, page = at_the_page(event)
    sent = shown(client.post(page, {"format": "stages", "preset": "swiss"}).context)
    sent |= {f"ties-turn_{turn}": "" for turn in range(7)}
    client.post(page, {**sent, "ties-turn_0": "wins", "ties-turn_1": "point-spread", "ties-turn_4": "wins"})
    assert [one.value for one in load_event_plan(fresh(event)).tie_breaks] == ["wins", "point-spread"]
