from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pairing.desk.selectors.my_stage import EntrantActivity, EntrantStageStatus
from pairing.draws.knockout.bracket import make_bracket
from pairing.draws.knockout.progress import BracketPath, find_bracket_path, make_bracket_progress
from scoring.cards.tables import (
    WaitingText,
    describe_card_for_player,
    describe_card_for_public,
    describe_wait_for_match,
    describe_wait_for_table,
    describe_wait_in_stage,
)
from tournament.models import Entrant, Event, Tournament

CARDS = "Thank you for playing. Your score cards are below."
PLACES = "Thank you for playing. The final places are on the event's page."


@pytest.mark.parametrize(
    ("known", "head", "terms"),
    [
        ({"game": 2, "most_games": 3, "target": 150}, "You play", "Game 2 of 3 · to 150"),
        ({"game": 1}, "You play", "Game 1"),
        ({"game": 1, "is_game": False}, "You play", "One card for the whole event"),
        ({"game": 1, "alone": True, "hands": 1}, "Your card", "1 hand on it"),
        ({"game": 1, "alone": True, "hands": 4}, "Your card", "4 hands on it"),
    ],
)
def test_the_head_of_a_players_card(known: dict[str, Any], head: str, terms: str) -> None:
    text = describe_card_for_player(**known)
    assert (text["head"], text["terms"]) == (head, terms)


@pytest.mark.parametrize(
    ("known", "result"),
    [
        ({"has_won": True, "winner": "Ada"}, "You have won this game."),
        ({"winner": "Ada"}, "Ada has won this game."),
        ({"winner": "Guys", "for_team": True}, "Won by the Guys."),
        ({}, "This game is over."),
        ({"alone": True}, "Your card is complete."),
    ],
)
def test_how_a_game_ended(known: dict[str, Any], result: str) -> None:
    assert describe_card_for_player(game=1, **known)["result"] == result


@pytest.mark.parametrize(
    ("known", "own", "theirs"),
    [
        ({"low_cut": True}, "You keep score (low cut).", "Ada keeps score (low cut)."),
        ({}, "You keep score.", "Ada keeps score."),
        ({"alone": True}, "You keep your own card.", "Ada keeps score."),
    ],
)
def test_who_keeps_score(known: dict[str, Any], own: str, theirs: str) -> None:
    text = describe_card_for_player(game=1, keeper="Ada", **known)
    assert (text["own_keeping"], text["their_keeping"]) == (own, theirs)


def test_where_to_go_on() -> None:
    onward = [describe_card_for_player(game=1, next_step=each)["onward"] for each in ("game", "match", "")]
    assert onward == ["Go to the next game", "Go to my next match", "Go to my matches"]


@pytest.mark.parametrize(
    ("known", "title", "text"),
    [
        ({"verdict": "genuine"}, "Genuine.", "is on record and signed by all."),
        ({"verdict": "genuine", "by_officials": True}, "Genuine.", "two officials posted after the card was final."),
        ({"verdict": "on-record"}, "This is what is on record now.", "It is not signed by all yet."),
        ({"verdict": "on-record", "counts": "void"}, "This is what is on record now.", "It was never signed by all."),
        ({"verdict": "superseded", "counts": "decided"}, "Superseded.", "The desk decided the match after that."),
        ({"verdict": "superseded", "was_posted": True}, "Superseded.", "Not everybody has signed the change."),
        ({"verdict": "superseded"}, "Superseded.", "What counts stands below."),
        ({"verdict": "unknown"}, "Not what is on record.", "Show your paper to the desk."),
    ],
)
def test_the_verdict_on_a_paper(known: dict[str, Any], title: str, text: str) -> None:
    _sentence, notice = describe_card_for_public(**known)
    assert notice is not None and notice["title"] == title and notice["text"].endswith(text)


def test_a_closed_card_on_record_waits_for_nobody() -> None:
    _sentence, notice = describe_card_for_public(verdict="on-record", is_closed=True)
    assert notice == {"tone": "info", "sign": "i", "title": "This is what is on record now.", "text": ""}


@pytest.mark.parametrize("known", [{}, {"verdict": "altered"}, {"verdict": "superseded", "counts": "superseded"}])
def test_no_notice(known: dict[str, Any]) -> None:
    assert describe_card_for_public(**known)[1] is None


@pytest.mark.parametrize(
    ("known", "sentence"),
    [
        ({"counts": "void"}, "It is kept as it was."),
        ({"counts": "superseded", "is_posted": True}, "Everybody signed what is below. It is kept as it was signed."),
        (
            {"counts": "superseded", "is_posted": True, "is_closed": True},
            "Closed by the desk before its end. It is kept as it was.",
        ),
        ({"is_closed": True, "is_posted": True}, "Closed by the desk before its end; nobody has to sign it."),
        (
            {"by_officials": True, "is_posted": True},
            "Two officials changed this card after it was final. It counts, and nobody has to sign it.",
        ),
        ({"verdict": "altered", "is_posted": True}, "Posted, and changed in the database since."),
        ({"is_posted": True}, "Signed by all and verified."),
        ({"counts": "decided"}, "Corrected after it was posted. The earlier signatures no longer count."),
        (
            {"was_posted": True},
            "Corrected after it was posted. The earlier signatures no longer count, and everybody signs again.",
        ),
        ({"is_complete": True}, "Complete, not signed by all yet."),
        ({}, ""),
    ],
)
def test_the_sentence_beside_the_badge(known: dict[str, Any], sentence: str) -> None:
    assert describe_card_for_public(**known)[0] == sentence


@pytest.mark.parametrize(
    ("stage", "told"),
    [
        (
            EntrantStageStatus(EntrantActivity.WAITS, "Pool", "2–1"),
            WaitingText("You are 2–1. You are waiting for a game"),
        ),
        (EntrantStageStatus(EntrantActivity.QUALIFIED, "Pool", "4–1"), WaitingText("You are 4–1")),
        (EntrantStageStatus(EntrantActivity.PLAYS, "Pool", "4–1"), WaitingText("Your game is being set up")),
        (EntrantStageStatus(EntrantActivity.OUT, "Pool"), WaitingText("You are eliminated", CARDS)),
        (EntrantStageStatus(EntrantActivity.NOT_IN, "Finals"), WaitingText("You do not play in “Finals”", CARDS)),
        (EntrantStageStatus(EntrantActivity.OVER, "Finals", place="3"), WaitingText("You finished in place 3", PLACES)),
        (EntrantStageStatus(EntrantActivity.OVER, "Finals"), WaitingText("Everything is decided", PLACES)),
    ],
)
def test_where_a_player_stands_in_stages(stage: EntrantStageStatus, told: WaitingText) -> None:
    assert describe_wait_in_stage(stage, "UTC") == told


@pytest.mark.parametrize(
    ("stands", "title", "text"),
    [
        (EntrantActivity.HELD, "You are 1–1. You are on hold", "You are not paired until"),
        (EntrantActivity.NEXT, "You are 1–1. You play Bob next", "One of you is still playing."),
        (EntrantActivity.THROUGH, "You have advanced", "The play-off decides"),
        (EntrantActivity.RESTS, "You play off for a place", "Your match is not ready yet."),
    ],
)
def test_what_comes_next_in_stages(stands: EntrantActivity, title: str, text: str) -> None:
    told = describe_wait_in_stage(EntrantStageStatus(stands, "Pool", "1–1", opponent="Bob"), "UTC")
    assert told.title == title and told.text.startswith(text)


def test_who_waits_reads_since_when_by_the_clock_of_the_hall() -> None:
    since = datetime(2026, 11, 22, 22, 5, tzinfo=UTC)
    one, two = (
        describe_wait_in_stage(
            EntrantStageStatus(EntrantActivity.WAITS, "Pool", "0–0", since=since, other_waiting_entrants=others),
            "America/Los_Angeles",
        ).text
        for others in (1, 2)
    )
    assert one.startswith("Since 2:05 PM. 1 other player is waiting.") and two.startswith(
        "Since 2:05 PM. 2 other players are waiting."
    )


def event(state: str) -> Event:
    return Event(state=state, tournament=Tournament(time_zone="UTC"))


OVER = BracketPath(1, (), None)
WON = BracketPath(1, (), None, is_champion=True)
TO_COME = find_bracket_path(make_bracket_progress(make_bracket((1, 2))), 1)


@pytest.mark.parametrize(
    ("state", "of_entrant", "path", "title"),
    [
        ("finished", "in", OVER, "The event is over"),
        ("drawn", "in", TO_COME, "Play has not started"),
        ("in-play", "in", OVER, "You are eliminated"),
        ("in-play", "in", TO_COME, "Waiting for your opponent"),
        ("in-play", "in", WON, "You have won the event"),
        ("in-play", "removed", WON, "You have won the event"),
        ("in-play", "removed", None, "You are eliminated"),
        ("in-play", "withdrawn", None, "You are not in the draw"),
    ],
)
@pytest.mark.parametrize("stage", [None, EntrantStageStatus(EntrantActivity.IN_BRACKET, "Finals")])
def test_who_has_no_match(
    state: str, of_entrant: str, path: BracketPath | None, title: str, stage: EntrantStageStatus | None
) -> None:
    assert describe_wait_for_match(Entrant(event=event(state), state=of_entrant), stage, path).title == title


def test_who_has_no_match_of_stages() -> None:
    stage = EntrantStageStatus(EntrantActivity.THROUGH, "Pool")
    assert (
        describe_wait_for_match(Entrant(event=event("in-play"), state="in"), stage, None).title == "You have advanced"
    )


@pytest.mark.parametrize(
    ("state", "of_entrant", "known", "title"),
    [
        ("finished", "in", {}, "Every round is played"),
        ("in-play", "in", {"is_complete": True}, "Every round is played"),
        ("in-play", "withdrawn", {"sits_out": True}, "You are eliminated"),
        ("in-play", "in", {"sits_out": True}, "You sit this round out"),
        ("in-play", "in", {}, "Your table is finished"),
        ("drawn", "in", {}, "Not drawn yet"),
    ],
)
def test_who_has_no_table(state: str, of_entrant: str, known: dict[str, bool], title: str) -> None:
    facts = {"is_complete": False, "sits_out": False, **known}
    assert describe_wait_for_table(Entrant(event=event(state), state=of_entrant), **facts).title == title
