"""If two people act on a score card at the same time, one action wins and the other gets a clear answer.

These tests use a real database, and check that nothing is stored twice.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.core.cache import cache

from pairing.models import MatchResult
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_seated_match
from scoring.cards.services import signing
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, CardPosted, SheetLine, Signature
from scoring.posting.services.opening import get_or_open_card
from tests.factories import a_user
from tests.races import codes_of
from tests.scoring.helpers.playing import an_event_in_play, cut_for, gin, play_out, sign, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor

pytestmark = [pytest.mark.race, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play())


def test_two_phones_record_the_same_hand(card: Any) -> None:
    cut_for(card)
    by = make_player_actor(card.entrants[0])
    outcomes = codes_of(*[
        lambda up=up: add_line(card, LineEntry(gin("A", 3, up), hand=1), by=by) for up in ("8H", "9C", "2D")
    ])  # fmt: skip
    assert outcomes == ["done", "hand-taken", "hand-taken"]
    assert SheetLine.objects.count() == 1


def test_one_phone_sends_the_same_hand_twice(card: Any) -> None:
    cut_for(card)
    by = make_player_actor(card.entrants[0])
    entry = LineEntry(gin(), key="k1", hand=1)
    assert codes_of(*[lambda: add_line(card, entry, by=by)] * 3) == ["done"] * 3
    assert SheetLine.objects.count() == 1


def test_a_signature_while_a_hand_is_corrected(card: Any) -> None:
    state = play_out(card)
    sign(card, card.entrants[0])
    shown = SigningContext(state.digest)
    entry = LineEntry(gin("A", 30, "9C"))
    outcomes = codes_of(
        lambda: sign_by_code(card, "123456", shown, by=make_player_actor(card.entrants[1])),
        lambda: correct_line(card, 2, entry, by=make_player_actor(card.entrants[0]), reason="was 30"),
    )
    after = load_card_state_by_pk(card.pk)
    if outcomes == ["done", "posted"]:
        assert after.is_posted
    else:
        assert outcomes == ["card-changed", "done"]
        assert (after.is_posted, len(after.signatures.missing_seats), MatchResult.objects.count()) == (False, 2, 0)


def test_two_desks_post_the_same_card(card: Any) -> None:
    desks = [make_staff_actor(a_user("desk", card.match.event.tournament)) for _ in range(2)]
    papers = [PaperCard(totals={"A": total, "B": 40}, signed=("A", "B"), witness="L") for total in (63, 64)]
    outcomes = codes_of(*[
        lambda desk=desk, paper=paper: enter_paper_card(card, paper, by=desk)
        for desk, paper in zip(desks, papers, strict=True)
    ])  # fmt: skip
    assert outcomes == ["done", "posted-already"]
    assert (CardPosted.objects.count(), MatchResult.objects.count(), SheetLine.objects.count()) == (1, 1, 1)


def test_both_sign_in_the_same_moment(card: Any) -> None:
    shown = SigningContext(play_out(card).digest)
    outcomes = codes_of(*[
        lambda who=who: sign_by_code(card, "123456", shown, by=make_player_actor(who)) for who in card.entrants
    ])  # fmt: skip
    assert outcomes == ["done", "done"]
    assert (CardPosted.objects.count(), MatchResult.objects.count()) == (1, 1)


class CountClearedBetween:
    """A cache for a race of two requests: the first clears the counter of attempts before the second increments it."""

    def __init__(self) -> None:
        self.both_asked, self.is_cleared = threading.Barrier(2), threading.Event()
        self.asked = threading.local()

    def add(self, *said: Any) -> bool:
        is_first = cache.add(*said)
        if not hasattr(self.asked, "once"):
            self.asked.once = True
            self.both_asked.wait(20)
        return is_first

    def incr(self, tries: str) -> int:
        assert self.is_cleared.wait(20), "nobody cleared the count"
        return cache.incr(tries)

    def delete(self, tries: str) -> None:
        cache.delete(tries)
        self.is_cleared.set()


def test_one_signature_by_code_sent_twice(card: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player's signature with a code is sent twice at the same moment.

    Earlier versions answered the second request with a server error.
    """
    shown, who = SigningContext(play_out(card).digest, key="one"), card.entrants[0]
    monkeypatch.setattr(signing, "cache", CountClearedBetween())
    assert codes_of(*[lambda: sign_by_code(card, "123456", shown, by=make_player_actor(who))] * 2) == ["done", "done"]
    assert Signature.objects.count() == 1


def test_two_who_come_first_get_the_same_card(card: Any) -> None:
    meeting = load_seated_match(card.match)
    assert codes_of(*[lambda: get_or_open_card(meeting, 2, by=SYSTEM_ACTOR)] * 4) == ["done"] * 4
    assert Card.objects.filter(game=2).count() == 1
