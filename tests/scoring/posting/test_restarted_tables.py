"""Tables that the desk decides or restarts while one of their cards is still being played or signed."""

from __future__ import annotations

import pytest

from pairing.draws.results import CardStatusKind, ResultCause
from pairing.models import MatchResult
from pairing.results.services.corrections import undo_result
from pairing.results.services.results import record_table_result
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import TOTALS_STAND_CHOICE, TimeCall, call_time, make_card_snapshot, reopen_game
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.models import Card
from scoring.posting.selectors.card_status import load_card_status
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import fresh_card
from tests.scoring.helpers.superseded import bad_lines, page
from tests.scoring.helpers.table_events import a_table_event_in_play, open_cards, play_fort_worth, sign_all
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Event

pytestmark = pytest.mark.django_db

FIRST, SECOND = {"B": 10, "C": 20, "D": 30}, {"B": 15, "C": 5, "D": 1}


@prebuilt
def in_play() -> tuple[Event, Card]:
    event = a_table_event_in_play(4, "fort-worth", {"size": 4, "rounds": 2}, length="very-short")
    return event, open_cards(event)[0]


def next_card(card: Card) -> Card:
    return fresh_card(Card.objects.get(match=card.match_id, game=2))


def play_and_sign(card: Card, points: dict[str, int]) -> None:
    play_fort_worth(card, points)
    sign_all(card)


def totals(card: Card) -> dict[int, int]:
    state = load_card_state_by_pk(card.pk)
    return {side.number: side.total for side in state.sides if side.number is not None}


def decide(card: Card, points: dict[int, int], cause: ResultCause | None = None) -> None:
    record_table_result(card.match, points, cause, by=SYSTEM_ACTOR, reason="Seen by the director", override=True)


def restart(card: Card) -> None:
    decide(card, {}, ResultCause.VOID)


def let_totals_stand(event: Event, card: Card) -> None:
    seen = make_card_snapshot(load_card_state_by_pk(card.pk))
    call_time(event, [TimeCall(card, seen, choice=TOTALS_STAND_CHOICE)], by=SYSTEM_ACTOR, reason="Time")


def undo(card: Card) -> None:
    undo_result(card.match, by=SYSTEM_ACTOR, reason="Seen by the director")


def correct(card: Card) -> None:
    line = {"by": "A", "counts": {**FIRST, "B": 11}}
    correct_line(card, 1, LineEntry(line, override="as played"), by=SYSTEM_ACTOR, reason="misread")


def result_of(card: Card) -> MatchResult:
    return MatchResult.objects.get(match=card.match_id, superseded_by__isnull=True)


def status_of(card: Card) -> CardStatusKind:
    return load_card_status(load_card_state_by_pk(card.pk)).kind


def assert_decided_by(card: Card) -> None:
    result = result_of(card)
    assert {int(number): points for number, points in result.score.items()} == totals(card)
    assert result.winner is not None and totals(card)[result.winner.number] == min(totals(card).values())
    assert status_of(card) is CardStatusKind.STANDS


def today(event: Event) -> str:
    return client_as("director", event).get(event_url("scoring:desk_today", event)).content.decode()


def assert_today_leads_to_decision(event: Event, card: Card) -> None:
    assert event_url("pairing:desk_decide", event, ident=card.match.ident) in today(event)
    assert "disagree" in page(event, "scoring:card", token=card.token)
    assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.DISAGREES
    assert len(bad_lines(event)) == 1


def played_again_after_correction() -> tuple[Event, Card, Card]:
    """Return a table whose first card was signed, undone, and corrected, and whose second card was then signed."""
    event, card = in_play()
    play_and_sign(card, FIRST)
    undo(card)
    correct(card)
    again = next_card(card)
    play_and_sign(again, SECOND)
    return event, card, again


class TestPlayedAgain:
    def test_the_new_card_decides_and_the_old_one_stays_superseded(self) -> None:
        event, card = in_play()
        play_and_sign(card, FIRST)
        restart(card)
        again = next_card(card)
        play_and_sign(again, SECOND)
        assert_decided_by(again)
        assert status_of(card) is CardStatusKind.SUPERSEDED
        assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.SUPERSEDED
        assert bad_lines(event) == []

    def test_it_waits_for_no_card_that_was_begun_before(self) -> None:
        event, card = in_play()
        play_fort_worth(card, FIRST, hands=3)
        restart(card)
        again = next_card(card)
        play_and_sign(again, SECOND)
        assert_decided_by(again)
        assert bad_lines(event) == []

    def test_a_corrected_old_card_does_not_hold_up_the_new_one(self) -> None:
        event, card, again = played_again_after_correction()
        assert_decided_by(again)
        assert status_of(card) is CardStatusKind.SUPERSEDED
        assert bad_lines(event) == []

    @pytest.mark.parametrize("how", ["corrected", "continued"])
    def test_the_old_card_decides_if_it_is_signed_first(self, how: str) -> None:
        event, card = in_play()
        if how == "corrected":
            play_and_sign(card, FIRST)
            undo(card)
            correct(card)
        else:
            play_fort_worth(card, FIRST, hands=3)
            decide(card, {}, ResultCause.BOTH_ABSENT)
            restart(card)
            for _hand in range(3):
                line = LineEntry({"by": "A", "counts": FIRST}, override="as played")
                add_line(card, line, by=make_player_actor(card.entrants[0]))
        sign_all(card)
        assert_decided_by(card)
        assert bad_lines(event) == []

    def test_the_old_card_changes_nothing_if_it_is_signed_later(self) -> None:
        event, card, again = played_again_after_correction()
        sign_all(card)
        assert_decided_by(again)
        assert_today_leads_to_decision(event, card)

    def test_a_game_that_was_closed_is_reopened_after_its_result_was_undone(self) -> None:
        """The result of the closing was already undone, so the reopening undoes nothing."""
        event, card = in_play()
        play_fort_worth(card, FIRST, hands=3)
        let_totals_stand(event, card)
        assert result_of(card).score != {}
        undo(card)
        reopen_game(card, by=SYSTEM_ACTOR, reason="A slip of the pen")
        assert MatchResult.objects.count() == 2
        again = next_card(card)
        play_and_sign(again, SECOND)
        assert_decided_by(again)
        assert bad_lines(event) == []

    @pytest.mark.parametrize("decided", [False, True])
    def test_reopening_an_old_game_leaves_a_later_result_as_it_is(self, decided: bool) -> None:
        event, card = in_play()
        play_fort_worth(card, FIRST, hands=3)
        let_totals_stand(event, card)
        if decided:
            decide(card, dict.fromkeys(totals(card), 7))
        else:
            undo(card)
            play_and_sign(next_card(card), SECOND)
        score = result_of(card).score
        reopen_game(card, by=SYSTEM_ACTOR, reason="A slip of the pen")
        assert result_of(card).score == score != {}


def signed_without_a_result() -> tuple[Event, Card]:
    """Return an event and a card that everybody signed after the desk's decision, which was undone afterward."""
    event, card = in_play()
    play_fort_worth(card, FIRST)
    decide(card, dict.fromkeys(totals(card), 7))
    sign_all(card)
    undo(card)
    return event, card


class TestDecidedByTheDesk:
    @pytest.mark.parametrize("how", ["totals", "closed"])
    def test_a_card_that_is_signed_later_does_not_change_the_decision(self, how: str) -> None:
        event, card = in_play()
        play_fort_worth(card, FIRST)
        if how == "closed":
            decide(card, {}, ResultCause.BOTH_ABSENT)
        else:
            decide(card, dict.fromkeys(totals(card), 7))
        made = result_of(card)
        sign_all(card)
        assert result_of(card) == made
        assert_today_leads_to_decision(event, card)

    def test_a_corrected_card_does_not_change_the_decision_either(self) -> None:
        event, card = in_play()
        play_and_sign(card, FIRST)
        decide(card, dict.fromkeys(totals(card), 7))
        made = result_of(card)
        correct(card)
        sign_all(card)
        assert result_of(card) == made
        assert_today_leads_to_decision(event, card)

    def test_a_card_that_agrees_with_the_decision_counts(self) -> None:
        event, card = in_play()
        play_fort_worth(card, FIRST)
        decide(card, totals(card))
        sign_all(card)
        assert status_of(card) is CardStatusKind.STANDS and MatchResult.objects.count() == 1
        assert bad_lines(event) == []

    def test_after_the_decision_is_undone_today_leads_to_the_signed_card(self) -> None:
        event, card = signed_without_a_result()
        assert_today_leads_to_decision(event, card)
        assert "The match has no result." in page(event, "scoring:card", token=card.token)
        assert "but the match has no result" in today(event)
        decide(card, totals(card))
        assert status_of(card) is CardStatusKind.STANDS and bad_lines(event) == []

    def test_the_form_begins_with_the_totals_on_the_signed_card(self) -> None:
        event, card = signed_without_a_result()
        shown = client_as("director", event).get(event_url("pairing:desk_decide", event, ident=card.match.ident))
        form = shown.context["form"]
        assert {number: form[f"total_{number}"].value() for number in form.numbers} == totals(card)
        assert "The totals below are those on the signed score card." in shown.content.decode()
        assert "if there is no card" not in shown.content.decode()

    def test_a_negative_total_has_a_typographic_minus_sign(self) -> None:
        event, card = in_play()
        play_and_sign(card, FIRST)
        assert "−60" in page(event, "pairing:match", ident=card.match.ident)
        assert ">-60<" not in page(event, "pairing:match", ident=card.match.ident)

    def test_after_a_later_decision_is_undone_today_still_leads_there(self) -> None:
        event, card = in_play()
        play_fort_worth(card, FIRST)
        decide(card, dict.fromkeys(totals(card), 7))
        sign_all(card)
        decide(card, dict.fromkeys(totals(card), 9))
        undo(card)
        assert_today_leads_to_decision(event, card)
