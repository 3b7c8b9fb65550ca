"""Actions that are previewed before they are applied, such as removing an entrant or undoing a stage."""

from __future__ import annotations

import random
import re

import pytest

from pairing.desk.services.pairings import PairsToSend
from pairing.draws.knockout.progress import BracketMatchState
from pairing.models import MatchResult
from pairing.results.services.finish import finish_event
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.services.stages import open_next_stage
from tests.factories import an_entrant
from tests.kit import client_as, entrant_of, event_url, fresh
from tests.pairing.helpers.effects import look_and_do
from tests.pairing.helpers.events import a_posted_event, an_event_in_play, play_all, send_pairs, the_match, win
from tests.pairing.helpers.stages import FINALS, QUALIFIER, play_pool, progress_of, staged, won
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Entrant, Event

pytestmark = pytest.mark.django_db


def test_who_gets_a_walk_over_is_shown_before_somebody_goes_out_and_what_comes_back_after() -> None:
    event = an_event_in_play(4)
    gone, other = progress_of(event)["R1M1"].entries
    client, name = client_as("director", event), entrant_of(event, other).name
    fields = {"entrant": str(entrant_of(event, gone).pk), "kind": "withdrawn", "reason": "taken ill", "key": "k"}
    said, done = look_and_do(client, event_url("pairing:desk_out", event), fields)
    assert f"{name} has a walkover" in said
    assert done.status_code == 302
    assert progress_of(event)["R1M1"].winner == other
    back = {"entrant": str(entrant_of(event, gone).pk), "reason": "well again", "key": "b"}
    said, done = look_and_do(client, event_url("pairing:desk_back_in", event), back)
    assert re.search(r"has a walkover.*to be played", said, re.DOTALL)
    assert done.status_code == 302
    assert progress_of(event)["R1M1"].state is BracketMatchState.READY
    assert entrant_of(event, gone).state == Entrant.State.IN


def test_looking_leaves_everything_as_it_was() -> None:
    event = an_event_in_play(4)
    fields = {
        "entrant": str(entrant_of(event, 1).pk),
        "kind": "no-show",
        "reason": "not seen",
        "key": "k",
        "act": "look",
    }
    version = fresh(event).version
    client_as("desk", event).post(event_url("pairing:desk_out", event), fields)
    assert fresh(event).version == version
    assert entrant_of(event, 1).state == Entrant.State.IN


def test_the_last_result_is_taken_back() -> None:
    event = an_event_in_play(4)
    win(event, "R1M1")
    result = MatchResult.objects.get()
    fields = {"reason": "the wrong match", "key": "k", "seen": str(result.pk)}
    said, done = look_and_do(client_as("director", event), event_url("pairing:desk_undo", event, ident="R1M1"), fields)
    assert "to be played" in said
    assert done.status_code == 302
    assert progress_of(event)["R1M1"].state is BracketMatchState.READY
    assert client_as("director", event).get(event_url("pairing:desk_undo", event, ident="R1M2")).status_code == 404


def test_a_kept_match_says_so_where_it_is_shown() -> None:
    event = an_event_in_play(4)
    play_all(event)
    loser = progress_of(event)["R1M1"].losers[0]
    fields = {"ending": f"played:{loser}", "reason": "names", "key": "k", "choice-R2M1": "keep"}
    said, done = look_and_do(
        client_as("director", event), event_url("pairing:desk_decide", event, ident="R1M1"), fields
    )
    assert "It stays as played." in said
    assert done.status_code == 302
    for shown in (event_url("pairing:desk_results", event), event_url("pairing:desk_decide", event, ident="R2M1")):
        assert "Kept as played" in client_as("director", event).get(shown).content.decode()


def test_the_draw_is_taken_back_by_a_director_who_has_seen_what_falls() -> None:
    event = a_posted_event(4)
    assert client_as("desk", event).get(event_url("pairing:desk_draw_back", event)).status_code == 403
    said, done = look_and_do(
        client_as("director", event), event_url("pairing:desk_draw_back", event), {"reason": "the list was wrong"}
    )
    assert said.count("not in it") == 3
    assert done.status_code == 302
    assert fresh(event).state == Event.State.CLOSED


def test_without_a_reason_nothing_is_looked_at() -> None:
    event = a_posted_event(4)
    for name in ("draw_back", "out", "back_in"):
        assert (
            client_as("director", event).post(event_url(f"pairing:desk_{name}", event), {"reason": " "}).status_code
            == 422
        )


def test_done_without_having_looked_is_shown_first() -> None:
    event = an_event_in_play(4)
    fields = {"entrant": str(entrant_of(event, 1).pk), "kind": "no-show", "reason": "not seen", "key": "k", "act": "do"}
    answer = client_as("director", event).post(event_url("pairing:desk_out", event), fields)
    assert answer.status_code == 422
    assert "Read the changes again" in answer.content.decode()
    assert entrant_of(event, 1).state == Entrant.State.IN


def test_a_finished_event_is_only_looked_at() -> None:
    event = an_event_in_play(4, added_cents=100_00)
    play_all(event)
    loser = progress_of(event)["R2M1"].losers[0]
    finish_event(event, by=SYSTEM_ACTOR)
    address, fields = (
        event_url("pairing:desk_decide", event, ident="R2M1"),
        {"ending": f"played:{loser}", "reason": "x", "key": "k"},
    )
    client = client_as("director", event)
    said = client.post(address, {**fields, "act": "look"}).content.decode()
    assert "The event is finished." in said
    assert 'value="do"' not in said
    for act in ("record", "do"):
        client.post(address, {**fields, "act": act, "shown": "x"})
    assert MatchResult.objects.count() == 3


class TestPools:
    def played(self) -> Event:
        event = staged(4, QUALIFIER, FINALS)
        send_pairs(event, PairsToSend(pairs=((1, 2), (3, 4))), by=SYSTEM_ACTOR)
        won(event, "G1", 1, 2)
        won(event, "G2", 3, 4)
        send_pairs(event, PairsToSend(pairs=((1, 3), (2, 4))), by=SYSTEM_ACTOR)
        return event

    def test_the_games_stand_among_the_results_and_can_be_found(self) -> None:
        event = self.played()
        client = client_as("director", event)
        listed = client.get(event_url("pairing:desk_results", event)).content.decode()
        assert all(f"results/G{number}/" in listed for number in (1, 2, 3, 4))
        found = client.get(event_url("pairing:desk_results", event), {"q": "Player 4"}).content.decode()
        assert ("results/G1/" in found, "results/G2/" in found) == (False, True)

    def test_what_each_way_means_is_said_of_both(self) -> None:
        event = self.played()
        said = client_as("director", event).get(event_url("pairing:desk_decide", event, ident="G3")).content.decode()
        assert "Player 1: no win, plays another game. Player 3: loss by penalty." in said
        assert "Player 1: loss by penalty. Player 3: loss by penalty." in said
        assert "Player 3: win by walkover. Player 1: loss, no-show." in said

    def test_a_corrected_game_says_by_whose_record_later_ones_were_paired(self) -> None:
        event = self.played()
        fields = {"ending": "played:2", "reason": "misread", "key": "k"}
        said, done = look_and_do(
            client_as("director", event), event_url("pairing:desk_decide", event, ident="G1"), fields
        )
        assert "Game 3: Player 1 – Player 3 are playing." in said
        assert "Player 1 was paired with 1–0, and would have had 0–1." in said
        assert done.status_code == 302
        assert the_match(event, "G1").results.count() == 2

    def test_a_late_entry_and_a_stage_taken_back_are_looked_at_first(self) -> None:
        event = staged(8, {"kind": "swiss", "rounds": 1, "best": 4}, {"kind": "single-elimination", "seeded": True})
        late = an_entrant(event, "Came Late", number=9)
        fields = {"late-entrant": str(late.pk), "late-reason": "the train", "late-key": "k"}
        fields |= {"late-games": "0", "late-counts_as": "loss"}
        said, done = look_and_do(client_as("desk", event), event_url("pairing:desk_late", event), fields)
        assert re.search(r"Came Late.*Swiss rounds, .*0–0: 1 game left", said, re.DOTALL)
        assert done.status_code == 302
        play_pool(event, random.Random(1))
        open_next_stage(event, by=SYSTEM_ACTOR)
        said, done = look_and_do(
            client_as("director", event), event_url("pairing:desk_stage_back", event), {"reason": "a result was wrong"}
        )
        assert said.count("not in it") == 3
        assert done.status_code == 302
        course = load_event_stages(fresh(event))
        assert len(course.stages) == 1
