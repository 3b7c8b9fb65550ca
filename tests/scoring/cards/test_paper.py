from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import BadLine
from scoring.cards.services.paper_cards import BadPaperRows, PaperCard, PaperRow, enter_paper_card
from scoring.models import SheetLine
from tests.factories import a_user
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, gin, knock, play, play_out, the_card
from tests.scoring.helpers.tables import a_table_card
from tournament.core.permissions import Actor, make_player_actor, make_staff_actor
from tournament.errors import Conflict, NotAllowed, ReasonRequired

pytestmark = pytest.mark.django_db


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play())


@pytest.fixture
@prebuilt
def desk(card: Any) -> Actor:
    return make_staff_actor(a_user("desk", card.match.event.tournament))


def totals(card: Any, a: int, b: int, **more: Any) -> PaperCard:
    more.setdefault("signed", ("A", "B"))
    return PaperCard(totals={"A": a, "B": b}, witness="Lily Ann", **more)


def rows(*written: tuple[dict[str, Any], tuple[int, int]]) -> tuple[PaperRow, ...]:
    return tuple(PaperRow(line, {"A": a, "B": b}) for line, (a, b) in written)


def test_totals_with_both_signatures_post_the_card(card: Any, desk: Actor) -> None:
    state = enter_paper_card(card, totals(card, 63, 48), by=desk)
    assert (state.score.totals, state.is_posted, state.score.winner) == ((63, 48), True, card.entrants[0])


def test_one_missing_signature_leaves_it_unsigned(card: Any, desk: Actor) -> None:
    state = enter_paper_card(card, totals(card, 63, 48, signed=("A",)), by=desk)
    assert (state.state, [seat.entrant for seat in state.signatures.missing_seats]) == ("unsigned", [card.entrants[1]])


@pytest.mark.parametrize(("a", "b", "said"), [(30, 20, "still open"), (60, 60, "equal"), (60, 55, "Both sides")])
def test_totals_no_game_ends_with_are_refused(card: Any, desk: Actor, a: int, b: int, said: str) -> None:
    with pytest.raises(BadLine, match=said):
        enter_paper_card(card, totals(card, a, b), by=desk)
    assert not SheetLine.objects.exists()


def test_improbable_totals_need_a_reason(card: Any, desk: Actor) -> None:
    with pytest.raises(ReasonRequired, match="Ada can hardly have 500"):
        enter_paper_card(card, totals(card, 500, 0), by=desk)
    assert enter_paper_card(card, totals(card, 500, 0, override="I saw it"), by=desk).is_posted


def test_the_same_card_posted_again_is_a_conflict(card: Any, desk: Actor) -> None:
    enter_paper_card(card, totals(card, 63, 48, key="k"), by=desk)
    with pytest.raises(Conflict, match="posted already: Ada 63, Alan 48"):
        enter_paper_card(card, totals(card, 63, 48), by=desk)
    assert enter_paper_card(card, totals(card, 63, 48, key="k"), by=desk).is_posted


def test_paper_that_agrees_with_the_phones_only_adds_signatures(card: Any, desk: Actor) -> None:
    play_out(card)
    state = enter_paper_card(card, totals(card, 91, 0), by=desk)
    assert (len(state.lines), state.is_posted) == (2, True)


def test_paper_that_disagrees_with_the_phones_needs_a_reason_and_strikes_them(card: Any, desk: Actor) -> None:
    play(card, gin("A", 1), gin("B", 2, "9C"))
    with pytest.raises(ReasonRequired, match="2 hands already, 26–27"):
        enter_paper_card(card, totals(card, 63, 48), by=desk)
    state = enter_paper_card(card, totals(card, 63, 48, override="Phone died; the paper is right"), by=desk)
    assert (state.score.totals, sum(entered.is_struck for entered in state.entered)) == ((63, 48), 2)


def test_hand_by_hand_with_right_sums_posts(card: Any, desk: Actor) -> None:
    lines = rows((knock("A", 5, 20), (15, 0)), (gin("B", 7, "9C"), (15, 32)), (gin("A", 20, "2C"), (60, 32)))
    paper = PaperCard(rows=lines, keeper=card.entrants[1], signed=("A", "B"), witness="L")
    state = enter_paper_card(card, paper, by=desk)
    assert (state.score.totals, state.is_posted, state.keeper_id) == ((60, 32), True, card.entrants[1].pk)


def test_a_wrong_sum_is_marked_at_its_line_only(card: Any, desk: Actor) -> None:
    lines = rows((knock("A", 5, 20), (15, 0)), (gin("B", 7, "9C"), (15, 42)), (gin("B", 20, "2C"), (15, 87)))
    with pytest.raises(ReasonRequired) as refusal:
        enter_paper_card(card, PaperCard(rows=lines), by=desk)
    assert refusal.value.data["slips"] == {1: "Line 2: Alan has 42 written, it comes to 32."}


def test_every_impossible_line_is_named(card: Any, desk: Actor) -> None:
    lines = rows((knock("A", 9, 20, "8H"), (0, 0)), (gin("B", 7, "9C"), (0, 0)), (knock("A", 2, 20, "AS"), (0, 0)))
    with pytest.raises(BadPaperRows) as refusal:
        enter_paper_card(card, PaperCard(rows=lines), by=desk)
    assert sorted(refusal.value.data["rows"]) == [0, 2]
    assert "rule 4" in refusal.value.data["rows"][0]


def test_players_enter_no_paper_cards(card: Any) -> None:
    with pytest.raises(NotAllowed):
        enter_paper_card(card, totals(card, 63, 48), by=make_player_actor(card.entrants[0]))
    assert load_card_state_by_pk(card.pk).state == "ready"


def a_board(number: int, by: str, outcome: str, a: int, b: int) -> dict[str, str]:
    name = f"row-0-boards_{number}"
    return {f"{name}_by": by, f"{name}_outcome": outcome, f"{name}_counts_A": str(a), f"{name}_counts_B": str(b)}


def test_a_partnership_card_is_entered_hand_by_hand() -> None:
    card = a_table_card(("Ada", "Alan"), "gra-partnership", target=60)
    client, event = Client(), card.match.event
    client.force_login(a_user("desk", event.tournament))
    url = event_url("scoring:desk_card", event) + f"?card={card.token}&by=hands"
    page = client.get(url).content.decode()
    assert all(f'name="row-0-boards_{n}_{name}"' in page for n in (0, 1) for name in ("by", "outcome", "counts_A"))
    sent = {"row-TOTAL_FORMS": "14", "row-INITIAL_FORMS": "0", "key": "k", "signed": ["A", "B"], "witness": "Lily"}
    sent |= {"row-0-up": "8h", **a_board(0, "A", "gin", 0, 60), **a_board(1, "B", "knock", 20, 5)}
    refused = client.post(url, {**sent, "row-0-run_A": "85", "row-0-run_B": "0"}).content.decode()
    assert "Ada has 85 written, it comes to 70." in refused
    assert client.post(url, {**sent, "row-0-run_A": "70", "row-0-run_B": "0"}).status_code == 302
    state = load_card_state_by_pk(card.pk)
    assert (state.score.totals, state.is_posted) == ((70, 0), True)
