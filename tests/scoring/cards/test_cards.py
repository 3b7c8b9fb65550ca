from __future__ import annotations

from typing import Any

import pytest

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import BadLine, LineEntry, add_line, correct_line, record_scorekeeper
from scoring.models import SheetLine
from scoring.posting.services.opening import start_play
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tests.factories import a_user
from tests.scoring.helpers.playing import (
    a_drawn_event,
    an_event_in_play,
    cut_for,
    gin,
    knock,
    play,
    play_out,
    sign_both,
    the_card,
    the_director,
)
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


def enter(card: Any, line: dict[str, Any], **how: Any) -> CardState:
    return add_line(card, LineEntry(line, **how), by=make_player_actor(card.entrants[0]))


def correct(card: Any, hand: int, line: dict[str, Any] | None, reason: str = "oops") -> CardState:
    """Correct a hand as the player in the first seat, or strike the hand out if `line` is None."""
    return correct_line(
        card, hand, LineEntry(line) if line else None, by=make_player_actor(card.entrants[0]), reason=reason
    )


def test_a_hand_counts_at_once_for_both(card: Any) -> None:
    state = play(card, knock("A", 5, 20), gin("B", 7, "9C"))
    assert state.score.totals == (15, 32)
    assert [row.line_tally.event for row in state.score.rows] == ["knock", "gin"]
    assert state.score.rows[1].line_tally.explanation.startswith("gin: 7 unmatched, bonus 25: 32 to Alan")


@pytest.mark.parametrize(
    ("line", "code", "path"),
    [(knock("A", 9, 20, "8H"), "knock-too-high", "counts.A"), (knock("A", 1, 20, "AS"), "ace-requires-gin", "outcome")],
)
def test_an_impossible_hand_is_refused_naming_the_rule(card: Any, line: dict[str, Any], code: str, path: str) -> None:
    cut_for(card)
    with pytest.raises(BadLine, match="GRA singles rule 4") as refusal:
        enter(card, line)
    assert (refusal.value.code, refusal.value.data["problems"][0].path) == (code, path)
    assert not SheetLine.objects.exists()


def test_something_improbable_needs_a_reason_and_keeps_it(card: Any) -> None:
    play(card, gin("A", 5))
    with pytest.raises(ReasonRequired, match="recorded twice"):
        enter(card, gin("B", 6))
    state = enter(card, gin("B", 6), override="New deck, same card again")
    assert state.score.totals == (30, 31)
    assert state.lines[1].reason == "New deck, same card again"
    assert len(state.lines[1].warnings) == 1


def test_only_the_scorekeeper_and_the_desk_enter_hands(card: Any) -> None:
    cut_for(card, card.entrants[1])
    with pytest.raises(NotAllowed, match="keeps score"):
        enter(card, gin())
    desk = make_staff_actor(a_user("desk", card.match.event.tournament))
    assert add_line(card, LineEntry(gin(), via="desk"), by=desk).score.totals == (45, 0)


def test_nobody_enters_a_hand_before_the_cut(card: Any) -> None:
    with pytest.raises(NotAllowed, match="Cut for deal"):
        enter(card, gin())


def test_players_of_another_match_write_nothing(card: Any) -> None:
    cut_for(card)
    stranger = make_player_actor(the_card(card.match.event, "R1M2").entrants[0])
    for write in (
        lambda: add_line(card, LineEntry(gin()), by=stranger),
        lambda: record_scorekeeper(card, card.entrants[0], by=stranger),
        lambda: correct_line(card, 1, None, by=stranger, reason="mine"),
    ):
        with pytest.raises(NotAllowed, match="another match"):
            write()


def test_staff_without_the_role_writes_nothing(card: Any) -> None:
    cut_for(card)
    for somebody in (make_staff_actor(a_user("hotel", card.match.event.tournament)), make_staff_actor(a_user())):
        with pytest.raises(NotAllowed):
            add_line(card, LineEntry(gin()), by=somebody)


def test_the_same_request_again_adds_nothing(card: Any) -> None:
    cut_for(card)
    first, again = (enter(card, gin(), key="k1", hand=1) for _ in range(2))
    assert first.digest == again.digest
    assert SheetLine.objects.count() == 1


def test_a_hand_somebody_else_recorded_is_not_recorded_twice(card: Any) -> None:
    cut_for(card)
    enter(card, gin(), hand=1)
    with pytest.raises(Conflict, match="Hand 1 is on the score card already"):
        enter(card, gin("B", 9, "2C"), hand=1)


def test_nothing_follows_the_end_of_the_game(card: Any) -> None:
    play_out(card)
    with pytest.raises(BadLine, match="complete"):
        enter(card, gin("A", 4, "2C"))


def test_the_last_hand_is_corrected_with_a_reason_and_the_old_one_stays(card: Any) -> None:
    state = play(card, gin("A", 20))
    with pytest.raises(DomainError, match="needs a reason"):
        correct(card, 1, gin("A", 10), " ")
    state = correct(card, 1, gin("A", 10), "Miscounted")
    assert state.score.totals == (35, 0)
    assert state.entered[0].earlier[0].line["counts"]["B"] == 20
    assert AuditEntry.objects.get(verb="card.corrected").reason == "Miscounted"


def test_a_correction_is_kept_as_a_hand_is() -> None:
    event = a_drawn_event(("Ada", "Alan"))
    save_rule_sheet(event, ChosenRules("word-gin", {}, 1), by=SYSTEM_ACTOR)
    words = the_card(start_play(event, by=SYSTEM_ACTOR))
    cut_for(words)
    hand = {"outcome": "gin", "by": "B", "words": {"A": 32, "B": 0}, "deadwood": {"A": 11, "B": 0}}
    typed = hand | {"long_words": {"A": 4, "B": 0}}
    add_line(words, LineEntry(typed, override="as played"), by=SYSTEM_ACTOR)
    correct_line(words, 1, LineEntry(typed, override="as played"), by=SYSTEM_ACTOR, reason="Typed again")
    kept = SheetLine.objects.filter(card=words).values_list("line", flat=True)
    assert list(kept) == [hand | {"long_words": {"A": 4}}] * 2


def test_a_struck_hand_counts_no_more_and_the_next_takes_its_number(card: Any) -> None:
    play(card, gin("A", 20), gin("B", 3, "2C"))
    state = correct(card, 2, None, "Was thrown in")
    assert state.score.totals == (45, 0)
    state = enter(card, knock("B", 2, 4, "3C"), hand=2)
    assert state.score.totals == (45, 2)
    assert [entered.is_struck for entered in state.entered] == [False, True, False]


def test_a_player_corrects_the_last_hand_only_the_desk_any(card: Any) -> None:
    play(card, gin("A", 1), gin("B", 3, "2C"))
    with pytest.raises(DomainError, match="Only the last hand"):
        correct(card, 1, None, "oops")
    state = correct_line(card, 1, LineEntry(gin("A", 2)), by=the_director(card.match.event), reason="oops")
    assert state.score.totals == (27, 28)


def test_a_correction_may_not_leave_hands_after_the_end(card: Any) -> None:
    play(card, gin("A", 10), gin("A", 20, "2C"))
    with pytest.raises(BadLine, match=r"complete|after"):
        correct_line(card, 1, LineEntry(gin("A", 40)), by=the_director(card.match.event), reason="really 40")
    assert load_card_state_by_pk(card.pk).score.totals == (80, 0)


def test_after_posting_only_the_desk_corrects(card: Any) -> None:
    play_out(card)
    sign_both(card)
    with pytest.raises(DomainError, match="only the desk"):
        correct(card, 2, None, "oops")
    state = correct_line(card, 2, LineEntry(gin("A", 22, "9C")), by=the_director(card.match.event), reason="was 22")
    assert (state.state, state.was_posted) == ("unsigned", True)
    assert (len(state.signatures.missing_seats), len(state.signatures.outdated)) == (2, 2)


def test_nothing_is_written_when_the_event_is_not_in_play(card: Any) -> None:
    event = card.match.event
    event.state = "finished"
    event.save()
    with pytest.raises(Conflict, match="not in play"):
        record_scorekeeper(card, card.entrants[0], by=SYSTEM_ACTOR)


def test_the_keeper_stays_once_hands_are_recorded_unless_the_desk_says_so(card: Any) -> None:
    play(card, gin("A", 1))
    with pytest.raises(Conflict, match="Play has started"):
        record_scorekeeper(card, card.entrants[1], by=make_player_actor(card.entrants[1]))
    assert (
        record_scorekeeper(card, card.entrants[1], by=the_director(card.match.event)).keeper_id == card.entrants[1].pk
    )
