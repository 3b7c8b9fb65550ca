"""If staff decide against a fully signed card, every page, print, and command says what the card counts for."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from config.environment import BASE_DIR
from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.corrections import undo_result
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.players import load_seated_match
from scoring.posting.services.opening import get_or_open_card
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.signed_cards import print_signed_cards
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, event_url, refused
from tests.scoring.helpers.playing import an_event_in_play, post, the_card, the_director
from tests.scoring.helpers.superseded import (
    FOUR,
    WHY,
    against,
    bad_lines,
    decide,
    page,
    pdf,
    posted,
    text_of,
    verify_command,
    verify_file,
    verify_page,
    words,
)
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import DomainError

pytestmark = pytest.mark.django_db


def test_the_act_that_is_told_is_the_one_by_which_the_result_stands_now() -> None:
    event, card = posted()
    digest, match = load_card_state_by_pk(card.pk).digest, card.match
    against(event)
    decide(event, 1, points={1: 91, 2: 0})
    for _time in range(3):
        undo_result(match, by=the_director(event), reason="undone now")
    for where in (page(event, "scoring:card", token=card.token), verify_page(digest)):
        assert "Reason: undone now. The result now: Alan won, 91–0." in where
        assert WHY not in where


@pytest.mark.parametrize("undone", [False, True])
def test_the_loser_of_a_decision_reads_on_their_own_page_why(undone: bool) -> None:
    event, card = posted()
    against(event)
    if undone:
        undo_result(card.match, by=the_director(event), reason="undone now")
    ada = event.entrants.get(number=1)
    own = words(Client().get(reverse("scoring:my_match", kwargs={"token": ada.token})).content.decode())
    link = event_url("scoring:card", event, token=card.token)
    assert ("Superseded." in own and f"Reason: {WHY}." in own and link in own) is not undone


def test_a_decision_against_a_card_supersedes_it_wherever_it_is_shown(tmp_path: Path) -> None:
    event, card = posted()
    digest, before = load_card_state_by_pk(card.pk).digest, pdf(event, card)
    (tmp_path / "card.pdf").write_bytes(before)
    assert find_card_proof(digest).authenticity is Authenticity.GENUINE
    assert verify_command(tmp_path / "card.pdf")[0] == 0
    by = against(event).by_name
    shown = {
        "card": page(event, "scoring:card", token=card.token),
        "match": page(event, "pairing:match", ident="R1M1"),
        "digest": verify_page(digest),
        "old file": verify_file(before),
        "new file": verify_file(pdf(event, card)),
        "paper": text_of(pdf(event, card)),
        "print": text_of(print_signed_cards(PrintRequest(event), lambda done, total: None)),
        "command": verify_command(tmp_path / "card.pdf")[1],
    }
    for where, text in shown.items():
        assert "superseded" in text.lower(), where
        assert WHY in text and by in text, where
        assert "Alan won, 91–0" in text, where
        assert "Signed by all and verified" not in text and "Genuine." not in text, where
    assert verify_command(tmp_path / "card.pdf")[0] == 1
    assert find_card_proof(digest).authenticity is Authenticity.SUPERSEDED
    link = event_url("pairing:match", event, ident="R1M1")
    for where in ("card", "digest", "old file"):
        assert f'href="{link}"' in shown[where], where
    assert bad_lines(event) == []


def test_an_undone_decision_makes_the_card_stand_again(tmp_path: Path) -> None:
    event, card = posted()
    digest, before = load_card_state_by_pk(card.pk).digest, pdf(event, card)
    (tmp_path / "card.pdf").write_bytes(before)
    against(event)
    undo_result(card.match, by=the_director(event), reason="They had looked at another card")
    assert find_card_proof(digest).authenticity is Authenticity.GENUINE
    assert verify_command(tmp_path / "card.pdf")[0] == 0
    assert "Genuine." in verify_file(before)
    assert "Signed by all and verified" in page(event, "scoring:card", token=card.token)
    assert "SUPERSEDED" not in text_of(pdf(event, card))
    assert bad_lines(event) == []


def test_the_card_of_a_match_that_is_played_again_says_so_beside_the_new_one() -> None:
    event, card = posted()
    decide(event, None, ResultCause.VOID)
    assert "will be played again" in page(event, "scoring:card", token=card.token)
    again = get_or_open_card(load_seated_match(card.match), 2, by=SYSTEM_ACTOR)
    post(again, "B")
    printed = print_signed_cards(PrintRequest(event), lambda done, total: None)
    first, second = (words(each.extract_text()) for each in PdfReader(io.BytesIO(printed)).pages)
    assert "SUPERSEDED" in first and "Alan won, 91–0" in first
    assert "SUPERSEDED" not in second
    assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.SUPERSEDED
    assert find_card_proof(load_card_state_by_pk(again.pk).digest).authenticity is Authenticity.GENUINE
    assert bad_lines(event) == []


def test_a_decision_that_agrees_with_the_card_keeps_its_points_and_leaves_it_standing() -> None:
    event, card = posted()
    assert decide(event, 1).score == {"1": 91, "2": 0}
    assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.GENUINE
    assert bad_lines(event) == []


def test_a_played_match_that_the_other_player_won_needs_its_points() -> None:
    event, _card = posted()
    with refused("points-needed"):
        decide(event, 2)
    assert MatchResult.objects.count() == 1
    assert decide(event, 2, points={1: 0, 2: 91}).score == {"1": 0, "2": 91}
    assert "91" in page(event, "pairing:bracket")


def test_where_no_points_follow_from_the_signed_cards_the_decision_asks_for_them() -> None:
    event = an_event_in_play(FOUR, games_to_win=2)
    post(the_card(event))
    with pytest.raises(DomainError) as refusal:
        decide(event, 2)
    assert (refusal.value.code, MatchResult.objects.count()) == ("points-needed", 0)
    decide(event, 2, points={1: 1, 2: 2})
    assert bad_lines(event) == []


def test_points_that_say_otherwise_than_the_winner_are_refused() -> None:
    event, _card = posted()
    with refused("bad-points"):
        decide(event, 2, points={1: 91, 2: 0})


def test_other_points_for_the_same_winner_supersede_the_card() -> None:
    event, card = posted()
    decide(event, 1, points={1: 80, 2: 12})
    proof = find_card_proof(load_card_state_by_pk(card.pk).digest)
    assert proof.authenticity is Authenticity.SUPERSEDED
    assert "Ada won, 80–12" in page(event, "scoring:card", token=card.token)


def test_the_desk_is_told_which_cards_are_superseded_before_it_is_done() -> None:
    event, card = posted()
    client = client_as("director", event)
    fields = {"ending": "played:2", "reason": WHY, "key": "k1", "points_1": "0", "points_2": "91", "act": "look"}
    looked = words(client.post(event_url("pairing:desk_decide", event, ident="R1M1"), fields).content.decode())
    assert "Signed score cards that would be superseded" in looked
    assert "Ada 91 – 0 Alan" in looked
    assert MatchResult.objects.count() == 1
    assert find_card_proof(load_card_state_by_pk(card.pk).digest).authenticity is Authenticity.GENUINE


def test_a_superseded_card_can_be_the_first_thing_that_a_process_prints() -> None:
    ask = """if True:
        import django
        django.setup()
        from scoring.prints.pdf.whole_sheet import wrap_stamp_text
        print(len(wrap_stamp_text('SUPERSEDED. ' * 30, 'letter')))"""
    said = subprocess.run([sys.executable, "-c", ask], cwd=BASE_DIR, capture_output=True, text=True, check=False)
    assert (said.returncode, said.stdout.strip()) == (0, "5"), said.stderr
