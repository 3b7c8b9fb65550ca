from __future__ import annotations

import csv
import random
import re

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pairing.blind_draw.services import make_draw
from pairing.desk.services.sending import call_match_to_table
from pairing.draws.knockout.progress import BracketMatchState
from pairing.draws.results import Credit, MatchOutcome, Result, ResultCause
from pairing.models import MatchResult
from pairing.results.services.finish import finish_event
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from pairing.stages.pictures.boxes import explain_unplayed_outcome
from tests.chance import examples
from tests.factories import a_user
from tests.kit import ExamplesTestCase, client_as, fresh
from tests.pairing.helpers.effects import digest_in
from tests.pairing.helpers.events import a_closed_event, an_event_in_play, play_all, the_match, win
from tests.pairing.helpers.stages import course_of, progress_of
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import EntrantFact, Event

pytestmark = pytest.mark.django_db


def address(event: Event, page: str, at: str = "t") -> str:
    return f"/{at}/{event.tournament.slug}/{event.slug}/{page}"


def shown(event: Event, page: str) -> str:
    answer = Client().get(address(fresh(event), page))
    assert answer.status_code == 200
    return answer.content.decode()


def text_at_the_desk(event: Event, page: str) -> str:
    return client_as("director", event).get(address(event, page, "desk")).content.decode()


def the_correction(event: Event, **fields: str) -> dict[str, str]:
    progress = progress_of(event)
    loser = progress["R1M1"].losers[0]
    return {"ending": f"played:{loser}", "reason": "names were changed", "key": "k1", **fields}


def the_champion(event: Event) -> int:
    progress = course_of(event).progress
    assert progress is not None and progress.champion is not None
    return progress.champion


def _final_loser(event: Event) -> tuple[int, ...]:
    progress = progress_of(event)
    return progress["R2M1"].losers


def _one_of(event: Event, ident: str) -> int:
    progress = progress_of(event)
    return progress[ident].entries[0]


class TestResultsList:
    def test_who_recorded_a_result_stands_beside_it_until_it_holds_no_more(self) -> None:
        event = an_event_in_play(4)
        director = client_as("director", event)
        sent = {"ending": f"no-show:{_one_of(event, 'R1M1')}", "reason": "they were ill", "key": "k1"}
        director.post(address(event, "results/R1M1/", "desk"), sent)
        result = MatchResult.objects.get()
        page = director.get(address(event, "results/", "desk")).content.decode()
        assert page.count(f"<span>{result.by_name}, <time") == 1
        assert f'datetime="{result.at.isoformat(timespec="seconds")}"' in page
        assert page.count('<span class="visually-hidden">winner</span>') == 1

    def test_the_file_has_columns_for_the_winner_and_for_who_recorded_it(self) -> None:
        event = an_event_in_play(4)
        result = win(event, "R1M1")
        file = client_as("director", event).get(address(event, "results/", "desk"), {"_export": "csv"}).content.decode()
        rows = list(csv.DictReader(file.removeprefix("\ufeff").splitlines()))
        assert result.winner is not None
        assert rows[0]["Winner"] == result.winner.name
        assert rows[0]["Recorded"].startswith(f"{result.by_name}, {result.at:%Y-%m-%d}")
        assert rows[1]["Recorded"] in ("", "—")


class TestDecide:
    def test_what_it_changes_is_shown_before_anything_is_recorded(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        page = address(event, "results/R1M1/", "desk")
        for act in ("look", "record"):
            answer = client_as("director", event).post(page, the_correction(event, act=act)).content.decode()
            assert "Nothing is recorded yet." in answer
            assert 'name="choice-R2M1"' in answer
            assert 'value="names were changed"' in answer
        assert MatchResult.objects.count() == 3

    def test_what_was_shown_is_recorded_and_nothing_else(self) -> None:
        event = an_event_in_play(4)
        play_all(event)
        client, page = client_as("director", event), address(event, "results/R1M1/", "desk")
        digest = digest_in(client.post(page, the_correction(event, act="look")))
        kept = the_correction(event, act="do", shown=digest, **{"choice-R2M1": "keep"})
        answer = client.post(page, kept)
        assert answer.status_code == 422
        assert "Read the changes again, then confirm." in answer.content.decode()
        assert MatchResult.objects.count() == 3
        again = the_correction(event, act="do", shown=digest_in(answer), **{"choice-R2M1": "keep"})
        champion = the_champion(event)
        assert client.post(page, again).status_code == 302
        assert MatchResult.objects.count() == 4
        assert the_champion(event) == champion
        assert client.post(page, again).status_code == 302
        assert MatchResult.objects.count() == 4

    def test_the_places_and_the_money_of_both_are_shown(self) -> None:
        event = an_event_in_play(4, added_cents=100_00)
        play_all(event)
        winner, loser = (the_champion(event), *_final_loser(event))
        sent = {"ending": f"time:{loser}", "reason": "the clock", "key": "k", "act": "look"}
        answer = client_as("director", event).post(address(event, "results/R2M1/", "desk"), sent).content.decode()
        for number in (winner, loser):
            assert event.entrants.get(number=number).name in answer
        assert {"$50.00", "$30.00", "$100.00"} <= set(re.findall(r"\$[\d.]+", answer))

    def test_a_page_opened_before_another_desk_decided_is_told_so(self) -> None:
        event = an_event_in_play(4)
        client, page = client_as("director", event), address(event, "results/R1M1/", "desk")
        seen = re.search(r'name="seen" value="(\d+)"', client.get(page).content.decode())
        assert seen is not None
        win(event, "R1M1")
        answer = client.post(page, the_correction(event, seen=seen[1])).content.decode()
        assert "has just recorded a result" in answer
        assert MatchResult.objects.count() == 1

    def test_only_staff_of_this_tournament_decide(self) -> None:
        event = an_event_in_play(4)
        stranger = Client()
        stranger.force_login(a_user())
        page = address(event, "results/R1M1/", "desk")
        assert stranger.post(page, {"ending": "void:", "reason": "x", "key": "k"}).status_code == 403
        assert Client().post(page).status_code == 302
        assert not MatchResult.objects.exists()


class TestFinish:
    def test_desk_finishes_nothing_and_a_director_reopens_with_a_reason_only(self) -> None:
        event = an_event_in_play(2)
        play_all(event)
        assert client_as("desk", event).post(address(event, "finish/", "desk")).status_code == 403
        director = client_as("director", event)
        assert director.post(address(event, "finish/", "desk")).status_code == 302
        assert director.post(address(event, "finish/", "desk")).status_code == 409
        assert director.post(address(event, "reopen/", "desk")).status_code == 422
        assert fresh(event).state == Event.State.FINISHED
        director.post(address(event, "reopen/", "desk"), {"reason": "a card was read wrongly"})
        assert fresh(event).state == Event.State.IN_PLAY


class TestWhatEverybodyReads:
    def test_the_match_page_keeps_the_superseded_result_with_cause_and_reason(self) -> None:
        event = an_event_in_play(2)
        win(event, "R1M1")
        loser = event.entrants.exclude(pk=MatchResult.objects.get().winner_id).get()
        match = the_match(event, "R1M1")
        said = MatchDecision(
            match=match, winner=loser, cause=ResultCause.NO_SHOW, reason="a stranger had played", override=True
        )
        decide_match(said, by=SYSTEM_ACTOR)
        page = shown(event, "match/R1M1/")
        assert "superseded" in page
        assert "a stranger had played" in page
        assert "Not played: no-show" in page

    def test_a_match_given_up_in_the_middle_is_not_said_to_be_unplayed(self) -> None:
        event = an_event_in_play(2)
        win(event, "R1M1")
        winner = MatchResult.objects.get().winner
        match = the_match(event, "R1M1")
        said = MatchDecision(
            match=match, winner=winner, cause=ResultCause.FORFEIT, reason="left the hall", override=True
        )
        decide_match(said, by=SYSTEM_ACTOR)
        for page in (shown(event, "match/R1M1/"), text_at_the_desk(event, "results/")):
            assert "The opponent gave up or left" in page
            assert "Not played" not in page and "without play" not in page

    @pytest.mark.parametrize(
        ("causes", "words"),
        [
            ((ResultCause.FORFEIT, ResultCause.FORFEIT), "No winner: both players gave up or left"),
            ((ResultCause.FORFEIT, ResultCause.NO_SHOW), "No winner: one player gave up or left"),
            ((ResultCause.BOTH_ABSENT, ResultCause.BOTH_ABSENT), "No winner: neither player came"),
        ],
    )
    def test_a_match_that_nobody_won_says_why(self, causes: tuple[ResultCause, ResultCause], words: str) -> None:
        lost = {number: Credit(Result.LOSS, cause) for number, cause in enumerate(causes, start=1)}
        assert explain_unplayed_outcome(MatchOutcome("R1M1", None, lost)) == words

    def test_a_match_that_is_not_played_for_another_reason_says_so(self) -> None:
        assert (
            explain_unplayed_outcome(MatchOutcome.won("R1M1", 1, 2, ResultCause.WALK_OVER))
            == "Not played: another reason"
        )

    def test_a_void_match_is_said_to_be_played_again(self) -> None:
        event = an_event_in_play(2)
        win(event, "R1M1")
        match = the_match(event, "R1M1")
        decide_match(
            MatchDecision(match=match, winner=None, cause=ResultCause.VOID, reason="a short deck", override=True),
            by=SYSTEM_ACTOR,
        )
        assert "Void: to be played again" in shown(event, "match/R1M1/")

    def test_the_whole_tree_tells_a_walk_over_from_a_win(self) -> None:
        event = an_event_in_play(4)
        win(event, "R1M1")
        assert ">w.o. ✓<" not in shown(event, "bracket/")
        remove_entrant(event.entrants.get(number=_one_of(event, "R1M2")), "no-show", by=SYSTEM_ACTOR, reason="not seen")
        assert shown(event, "bracket/").count(">w.o. ✓<") == 1

    def test_the_winner_moves_up_on_the_page_at_once(self) -> None:
        event = an_event_in_play(4)
        assert "Winner of Semifinal 1" in shown(event, "bracket/")
        win(event, "R1M1")
        assert "Winner of Semifinal 1" not in shown(event, "bracket/")

    def test_prizes_stand_beside_the_places(self) -> None:
        event = an_event_in_play(4, added_cents=1000_00, prize_scale=["60", "40"])
        win(event, "R1M1")
        playing = shown(event, "standings/")
        assert ">$400.00 to $600.00<" in playing
        assert ">up to $600.00<" in playing
        win(event, "R1M2")
        win(event, "R2M1")
        decided = shown(event, "standings/")
        assert ">$600.00<" in decided
        assert ">$400.00<" in decided
        finish_event(event, by=SYSTEM_ACTOR)
        assert "$600.00" in shown(event, "standings/")

    def test_the_first_to_lose_in_a_semifinal_ties_for_third(self) -> None:
        event = an_event_in_play(4, added_cents=1000_00)
        win(event, "R1M1")
        page = shown(event, "standings/")
        assert '<td data-label="Place" >3–4</td>' in page
        assert ">$100.00<" in page
        assert page.count('<td data-label="Place" >1 to 2</td>') == 1
        assert page.count('<td data-label="Place" >1 to 4</td>') == 2

    @pytest.mark.parametrize("page", ["bracket/", "pairings/", "standings/", "wall/"])
    def test_a_preview_changes_no_public_page(self, page: str) -> None:
        event = a_closed_event(8)
        before = shown(event, page)
        make_draw(event, "7H QS 2D", by=SYSTEM_ACTOR)
        hidden = re.compile(r'data-version="\d+"')
        assert hidden.sub("", shown(event, page)) == hidden.sub("", before)
        assert Client().get(address(event, "match/R1M1/")).status_code == 404
        told = Client().get(f"/version/{event.tournament.slug}/{event.slug}/").content.decode()
        assert re.fullmatch(r"\D*\d+\D*", told)


class TestPageOfAnyField(ExamplesTestCase):
    @settings(max_examples=examples(12), deadline=None, suppress_health_check=list(HealthCheck))
    @given(entrants=st.integers(2, 17), seed=st.integers(0, 10**6))
    def test_the_page_shows_exactly_what_follows_from_the_facts(self, entrants: int, seed: int) -> None:
        dice = random.Random(seed)
        event = an_event_in_play(entrants)
        for _turn in range(dice.randrange(entrants)):
            progress = progress_of(event)
            ready = [view.match.id for view in progress.ready]
            if ready and dice.random() < 0.8:
                win(event, dice.choice(ready), dice.randrange(2))
            elif ready:
                call_match_to_table(the_match(event, ready[0]), 1, by=SYSTEM_ACTOR)
            here = list(event.entrants.filter(state="in"))
            if here and dice.random() < 0.1:
                remove_entrant(dice.choice(here), EntrantFact.Kind.WITHDRAWN, by=SYSTEM_ACTOR, reason="left")
        progress = progress_of(event)
        boxes = re.findall(
            r'<article class="match-box.*?id="match-(R\d+M\d+)".*?</article>', shown(event, "bracket/"), re.S
        )
        assert boxes == list(progress.views)
        for found in re.finditer(
            r'<article class="match-box[^>]*id="match-(R\d+M\d+)".*?</article>', shown(event, "bracket/"), re.S
        ):
            view, text = progress[found[1]], found[0]
            numbers = [int(number) for number in re.findall(r'entry-number figures">(\d+)<', text)]
            winners = re.findall(r'match-side is-winner"><span class="entry-number figures">(\d+)<', text)
            assert tuple(numbers) == view.entries
            assert winners == ([] if view.winner is None else [str(view.winner)])
            assert ("Waiting" in text) == (view.state is BracketMatchState.WAITING)
