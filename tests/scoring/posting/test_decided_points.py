"""When staff decide a match, they keep or replace the points of its score card, whether or not it is signed."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from pairing.draws.results import MatchOutcome, ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import choose_points_to_record
from scoring.cards.services.hands import LineEntry, correct_line
from tests.kit import client_as, event_url, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, the_card, the_director
from tests.scoring.helpers.superseded import FOUR, bad_lines, decide, posted, words
from tests.verifying import verify_event
from tournament.models import Event

pytestmark = pytest.mark.django_db


@prebuilt
def corrected() -> Event:
    """Return an event whose posted card was corrected, but was not signed again.

    Ada had won by 91 to 0. The corrected card shows a win of Alan by 95 to 0.
    """
    event, card = posted()
    for hand, line in enumerate((gin("B", 20), gin("B", 25, "9C")), start=1):
        entry = LineEntry(line, via="desk")
        correct_line(card, hand, entry, by=the_director(event), reason="They stood in the wrong column")
    return event


def desk(event: Event) -> tuple[Client, str]:
    client = client_as("director", event)
    return client, event_url("pairing:desk_decide", event, ident="R1M1")


def offered(event: Event) -> tuple[str, list[str]]:
    """Return the text of the page on which staff decide a match, and the values in its two fields for points."""
    client, address = desk(event)
    text = client.get(f"{address}?ending=played:2").content.decode()
    fields = re.findall(r'<input[^>]*name="points_\d"[^>]*>', text)
    values = [found[1] if (found := re.search(r'value="([^"]*)"', field)) else "" for field in fields]
    return words(re.sub(r"<[^>]+>", " ", text)), values


def test_the_form_offers_the_points_of_the_card_and_says_whether_it_is_signed() -> None:
    said, values = offered(posted()[0])
    assert "From the signed score card: Ada 91, Alan 0." in said
    assert values == ["91", "0"]
    said, values = offered(corrected())
    assert "From the score card, not signed by all yet: Ada 0, Alan 95." in said
    assert values == ["0", "95"]
    said, values = offered(an_event_in_play(FOUR))
    assert "There is no score card with points." in said
    assert values == ["", ""]


def test_a_decision_after_a_correction_keeps_its_points_through_the_page() -> None:
    event = corrected()
    client, address = desk(event)
    fields = {"ending": "played:2", "reason": "The card is right", "key": "k", "points_1": "", "points_2": ""}
    looked = client.post(address, {**fields, "act": "look"}).content.decode()
    assert "Points: Ada 0, Alan 95." in words(looked)
    sent = {
        name: found[1] for name in ("shown", "seen") if (found := re.search(f'name="{name}" value="([^"]*)"', looked))
    }
    assert client.post(address, {**fields, **sent, "act": "do"}).status_code == 302
    assert MatchResult.objects.latest("pk").score == {"1": 0, "2": 95}
    assert bad_lines(event) == []


def test_against_a_card_that_is_not_signed_the_points_are_asked_for() -> None:
    event = corrected()
    with refused("points-needed") as refusal:
        decide(event, 1)
    assert refusal.value.message == ("By the score card the other player has won. Enter both scores as they count now.")
    decide(event, 1, points={1: 91, 2: 0})
    assert bad_lines(event) == []


def test_what_is_wrong_with_the_points_stands_at_their_fields() -> None:
    event, _card = posted()
    client, address = desk(event)
    fields = {"ending": "played:2", "reason": "mixed up", "key": "k", "act": "look"}
    for points, said in (
        (("", ""), "Enter both scores as they count now."),
        (("", "95"), "Points are given for one player only. Enter the points of both, or of neither."),
    ):
        sent = {**fields, "points_1": points[0], "points_2": points[1]}
        page = client.post(address, sent).content.decode()
        errors = re.findall(r'<p class="invalid-feedback" role="alert">([^<]*)</p>', page)
        assert len(errors) == 1 and errors[0].endswith(said) and "errorlist" not in page
        wrong = re.findall(r'<input[^>]*name="(points_\d)"[^>]*aria-invalid="true"', page)
        assert wrong == ["points_1", "points_2"]


def test_a_game_that_was_broken_off_keeps_the_points_so_far() -> None:
    event = an_event_in_play(FOUR)
    play(the_card(event), gin("A", 20))
    assert decide(event, 1).score == {"1": 45, "2": 0}
    assert bad_lines(event) == []


def test_without_a_card_a_reason_is_enough() -> None:
    event = an_event_in_play(FOUR)
    assert decide(event, 2).score == {}
    assert bad_lines(event) == []


def test_points_that_are_missing_are_told_also_where_no_other_card_is_signed() -> None:
    """A score card lacks a signature but has points, and the recorded decision about its match has no points.

    Earlier versions recorded such decisions. `verify_event` must report them.
    """
    event = corrected()
    decided = decide(event, 2)
    MatchResult.objects.filter(pk=decided.pk).update(score={})
    said = {check.subject: check.finding for check in verify_event(event) if not check.passed}
    assert said["points of R1M1"].startswith("it was decided as played, its score card has points")


def test_what_is_accepted_of_a_card_without_hands_is_not_called_bad() -> None:
    event = an_event_in_play(FOUR)
    post(the_card(event))
    for hand in (2, 1):
        correct_line(the_card(event), hand, None, by=the_director(event), reason="It is another match's card")
    assert decide(event, 2).score == {}
    assert bad_lines(event) == []


@pytest.mark.parametrize(
    ("cause", "named", "code"),
    [
        (ResultCause.PLAYED, {1: 99_999, 2: -99_999}, None),
        (ResultCause.TIME, {1: 1, 2: 0}, None),
        (ResultCause.PLAYED, {1: 100_000, 2: 0}, "bad-points"),
        (ResultCause.PLAYED, {1: 5, 2: -100_000}, "bad-points"),
        (ResultCause.PLAYED, {1: 5, 2: 5}, "bad-points"),
        (ResultCause.PLAYED, {1: 5, 2: 6}, "bad-points"),
        (ResultCause.PLAYED, {1: 5}, "bad-points"),
        (ResultCause.PLAYED, {1: 5, 2: 0, 3: 0}, "bad-points"),
        (ResultCause.NO_SHOW, {1: 5, 2: 0}, "bad-points"),
        (ResultCause.NO_SHOW, {}, None),
    ],
)
def test_the_points_that_are_typed(cause: ResultCause, named: dict[int, int], code: str | None) -> None:
    match = the_card(an_event_in_play(FOUR)).match
    outcome = MatchOutcome.won(match.ident, 1, 2, cause)
    if code is None:
        assert choose_points_to_record(match, outcome, named) == named
        return
    with refused(code):
        choose_points_to_record(match, outcome, named)


def test_points_typed_before_stay_with_their_winner_only() -> None:
    event = an_event_in_play(FOUR)
    match = the_card(event).match
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 1, 2), None) == {}
    decide(event, 1, points={1: 80, 2: 12})
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 1, 2), None) == {1: 80, 2: 12}
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 2, 1), None) == {}
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 1, 2, ResultCause.NO_SHOW), None) == {}
    decide(event, 2, points={1: 7, 2: 90})
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 2, 1), None) == {1: 7, 2: 90}
    assert choose_points_to_record(match, MatchOutcome.won(match.ident, 1, 2), None) == {}
