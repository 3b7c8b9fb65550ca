from __future__ import annotations

from typing import Any

import pytest

from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.signing import SigningContext, sign_by_code, sign_on_paper, sign_with_strokes
from scoring.models import CardPosted
from tests.factories import a_user
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, sign, sign_both, the_card, the_director
from tournament.core.permissions import make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed

pytestmark = pytest.mark.django_db

STROKES = [[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]


@pytest.fixture
def card() -> Any:
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


def shown(card: Any) -> SigningContext:
    return SigningContext(load_card_state_by_pk(card.pk).digest)


def test_a_drawn_signature_keeps_strokes_and_digest(card: Any) -> None:
    state = play_out(card)
    after = sign_with_strokes(card, STROKES, shown(card), by=make_player_actor(card.entrants[0]))
    signature = after.signatures.all_signatures[0]
    assert (signature.digest, signature.method, signature.strokes) == (state.digest, "drawn", STROKES)
    assert [who.name for who in after.signatures.missing_seats] == ["Alan"]


@pytest.mark.parametrize(
    "strokes", [None, [], [[]], "x", [[[1, 2, 3]]], [[[1, 2]]] * 9, [[["a", 2, 3]] * 9], [[1] * 9]]
)
def test_nothing_drawn_is_no_signature(card: Any, strokes: Any) -> None:
    play_out(card)
    with pytest.raises(DomainError, match="There is no signature yet"):
        sign_with_strokes(card, strokes, shown(card), by=make_player_actor(card.entrants[0]))


def test_a_card_that_changed_meanwhile_is_not_signed(card: Any) -> None:
    play_out(card)
    seen = shown(card)
    correct_line(card, 2, LineEntry(gin("A", 30, "9C")), by=make_player_actor(card.entrants[0]), reason="was 30")
    with pytest.raises(Conflict, match="has changed"):
        sign_by_code(card, "123456", seen, by=make_player_actor(card.entrants[1]))


def test_a_changed_card_loses_its_signatures_and_says_so(card: Any) -> None:
    play_out(card)
    sign(card, card.entrants[0])
    state = correct_line(
        card, 2, LineEntry(gin("A", 30, "9C")), by=make_player_actor(card.entrants[0]), reason="was 30"
    )
    assert state.signatures.signed_entrants == frozenset()
    assert [signature.entrant_id for signature in state.signatures.outdated] == [card.entrants[0].pk]
    sign_both(card)
    assert load_card_state_by_pk(card.pk).is_posted


def test_both_signed_is_posted_once(card: Any) -> None:
    play_out(card)
    assert not sign(card, card.entrants[0]).is_posted
    state = sign(card, card.entrants[1])
    assert state.is_posted
    assert CardPosted.objects.get().digest == state.digest
    with pytest.raises(Conflict, match="signed this score card already"):
        sign(card, card.entrants[0])


def test_an_open_game_is_not_signed(card: Any) -> None:
    play(card, gin("A", 2))
    with pytest.raises(Conflict, match="not over"):
        sign(card, card.entrants[0])


def test_a_wrong_code_does_not_sign_and_after_five_none_does(card: Any) -> None:
    play_out(card)
    for _ in range(5):
        with pytest.raises(DomainError, match="not your signing code"):
            sign_by_code(card, "000000", shown(card), by=make_player_actor(card.entrants[0]))
    with pytest.raises(DomainError, match="Too many"):
        sign_by_code(card, "123456", shown(card), by=make_player_actor(card.entrants[0]))


def test_nobody_signs_for_another(card: Any) -> None:
    play_out(card)
    stranger = the_card(card.match.event, "R1M2").entrants[0]
    with pytest.raises(NotAllowed):
        sign_by_code(card, stranger.sign_code, shown(card), by=make_player_actor(stranger))
    with pytest.raises(NotAllowed):
        sign_with_strokes(card, STROKES, shown(card), by=the_director(card.match.event))
    with pytest.raises(NotAllowed):
        sign_on_paper(card, "B", "me", shown(card), by=make_player_actor(card.entrants[0]))


def test_paper_signatures_need_the_desk_and_a_witness(card: Any) -> None:
    play_out(card)
    desk = make_staff_actor(a_user("desk", card.match.event.tournament))
    for blank in (" ", "\u202e"):
        with pytest.raises(DomainError, match="who saw"):
            sign_on_paper(card, "A", blank, shown(card), by=desk)
    # A mark that turns the text beside it around is left out.
    state = sign_on_paper(card, "A", "Lily\u202e  Ann", shown(card), by=desk)
    assert (state.signatures.all_signatures[0].witness, state.signatures.all_signatures[0].by_name) == (
        "Lily Ann",
        desk.name,
    )
    hotel = make_staff_actor(a_user("hotel", card.match.event.tournament))
    with pytest.raises(NotAllowed):
        sign_on_paper(card, "B", "Lily Ann", shown(card), by=hotel)


def test_a_name_changed_later_leaves_the_signed_card_alone(card: Any) -> None:
    play_out(card)
    state = sign_both(card)
    card.entrants[0].name = "Somebody Else"
    card.entrants[0].save()
    card.match.calls.create(table=99, by_name="t")
    again = load_card_state_by_pk(card.pk)
    assert (again.digest, again.is_posted, again.names[0]) == (state.digest, True, "Ada")


def test_a_hand_after_signing_is_refused(card: Any) -> None:
    play_out(card)
    sign(card, card.entrants[0])
    with pytest.raises(Conflict, match="over and signed"):
        add_line(card, LineEntry(gin("A", 3, "2C")), by=make_player_actor(card.entrants[0]))
