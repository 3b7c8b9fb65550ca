"""An entrant leaves after the opponent has left. Staff choose whether the walkover remains or both entries forfeit."""

from __future__ import annotations

import re

import pytest

from pairing.results.services.results import remove_entrant
from pairing.stages.selectors.course import load_event_stages
from tests.kit import client_as, event_url, fresh
from tests.pairing.helpers.events import an_event_in_play, win
from tests.pairing.helpers.stages import FINALS, course_of, staged
from tests.prebuilt import prebuilt
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event

pytestmark = pytest.mark.django_db
OFFER = "Both forfeited: nobody wins it"


class Leaving:
    """The page on which staff remove an entrant from the event."""

    def __init__(self, event: Event, number: int) -> None:
        self.client = client_as("desk", event)
        self.address = event_url("pairing:desk_out", event)
        entrant = event.entrants.get(number=number)
        self.said = {"entrant": str(entrant.pk), "kind": "withdrawn", "reason": "ill", "key": "k"}

    def look(self, **more: str) -> str:
        text = self.client.post(self.address, {**self.said, **more}).content.decode()
        self.shown = re.findall(r'name="shown" value="(\w+)"', text)
        return text

    def leave(self, **more: str) -> int:
        self.look(**more)
        said = {**self.said, **more, "act": "do", "shown": self.shown[0]}
        return self.client.post(self.address, said).status_code


@pytest.fixture
@prebuilt
def event() -> Event:
    """Return a bracket of four in which one entry of the first match has left."""
    event = an_event_in_play(4)
    _one, other = pair(event, "R1M1")
    remove_entrant(event.entrants.get(number=other), "withdrawn", by=SYSTEM_ACTOR, reason="ill")
    return fresh(event)


def pair(event: Event, ident: str) -> tuple[int, ...]:
    return load_event_stages(event).stages[0].match_states[ident].entries


@pytest.mark.parametrize("choice", ["walk-over", "forfeit"])
def test_the_desk_chooses_whether_the_walkover_stays(event: Event, choice: str) -> None:
    one, _other = pair(event, "R1M1")
    leaving = Leaving(event, one)
    assert OFFER in leaving.look()
    assert leaving.leave(**{"choice-R1M1": choice}) == 302
    outcome = course_of(event).stages[0].match_states["R1M1"].outcome
    assert outcome is not None
    assert outcome.winner == (one if choice == "walk-over" else None)
    assert event.entrants.get(number=one).state == "removed"


def test_a_choice_that_was_not_looked_at_changes_nothing(event: Event) -> None:
    one, _other = pair(event, "R1M1")
    leaving = Leaving(event, one)
    leaving.look()
    said = {**leaving.said, "choice-R1M1": "forfeit", "act": "do", "shown": leaving.shown[0]}
    assert leaving.client.post(leaving.address, said).status_code == 422
    assert event.entrants.get(number=one).state == "in"


def test_nothing_is_offered_to_somebody_who_played_on(event: Event) -> None:
    one, _other = pair(event, "R1M1")
    win(event, "R1M2")
    win(event, "R2M1")
    assert OFFER not in Leaving(event, one).look()


def test_nothing_is_offered_where_the_opponent_is_there(event: Event) -> None:
    assert OFFER not in Leaving(event, pair(event, "R1M2")[0]).look()


def test_in_a_pool_the_forfeited_game_is_lost_by_both() -> None:
    event = staged(4, {"kind": "round-robin", "groups": 1, "best": 2}, FINALS)
    stage = load_event_stages(event).stages[0]
    ident, now = next(iter(stage.match_states.items()))
    one, other = now.entries
    remove_entrant(event.entrants.get(number=other), "withdrawn", by=SYSTEM_ACTOR, reason="ill")
    leaving = Leaving(fresh(event), one)
    assert leaving.leave(**{f"choice-{ident}": "forfeit"}) == 302
    outcome = course_of(event).stages[0].match_states[ident].outcome
    assert outcome is not None and outcome.winner is None
