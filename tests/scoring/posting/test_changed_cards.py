"""Posted (final) score cards that were corrected, struck, or changed by a ruling need all signatures again."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from pairing.draws.results import ResultCause
from pairing.results.services.finish import finish_event
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.for_pairing import load_card_and_ruling_issues
from scoring.posting.selectors.card_list import load_latest_posted_cards
from scoring.posting.services.correction_period import set_correction_terms
from scoring.prints.pdf.signed_cards import PrintedCardRecord, PrintedStatus, find_outdated_stamp
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, event_url, fresh
from tests.prebuilt import prebuilt
from tests.scoring.helpers.corrected_sheets import correct, turned
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, sign_both, the_card, the_director
from tests.scoring.helpers.superseded import FOUR, bad_lines, page, today
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.models import Event
from tournament.money.tags import describe_finish_issue

pytestmark = pytest.mark.django_db


@prebuilt
def played_to_the_end() -> Event:
    """Return an event of four players whose three cards are posted. Ada beat Grace by 91 to 0 in the final."""
    event = an_event_in_play(FOUR)
    for ident in ("R1M1", "R1M2", "R2M1"):
        post(the_card(event, ident))
    return event


def both_pages(event: Event, ident: str = "R2M1", game: int = 1) -> tuple[str, str]:
    card = the_card(event, ident, game)
    return page(event, "scoring:card", token=card.token), page(event, "pairing:match", ident=ident)


def points_of(event: Event) -> list[str]:
    return [describe_finish_issue(point, event.tournament) for point in load_card_and_ruling_issues(fresh(event))]


def test_both_pages_of_a_corrected_card_say_what_stays_until_all_have_signed() -> None:
    event = played_to_the_end()
    turned(event)
    card, match = both_pages(event)
    for where in (card, match):
        assert "Corrected; waiting for signatures." in where
        assert "Ada 0 – 95 Grace" in where
        assert "Ada won, 91–0. The result stays until all players have signed the change." in where
    assert event_url("pairing:match", event, ident="R2M1") in card
    assert event_url("scoring:card", event, token=the_card(event, "R2M1").token) in match


def test_the_phone_names_no_winner_while_the_result_stays() -> None:
    event = played_to_the_end()
    turned(event)
    card = the_card(event, "R2M1")
    address = reverse("scoring:my_card", kwargs={"token": card.entrants[0].token, "card": card.token})
    said = Client().get(address).content.decode()
    assert "Corrected; waiting for signatures." in said
    assert "has won this game" not in said and "You have won" not in said


def test_today_lists_it_with_one_button_that_leads_to_the_signatures() -> None:
    event = played_to_the_end()
    turned(event)
    listed = today(event)
    place = {"tournament": event.tournament.slug, "event": event.slug, "token": the_card(event, "R2M1").token}
    assert listed.count("Collect the signatures") == 1
    assert f'href="{reverse("scoring:desk_card_lines", kwargs=place)}"' in listed
    assert "the card was corrected to Ada 0 – 95 Grace and waits for signatures" in listed
    assert "Until then the result stays: Ada won 91–0." in listed
    assert "a signature is missing" not in listed


def test_the_finish_page_names_what_differs() -> None:
    event = played_to_the_end()
    turned(event)
    shown = client_as("director", event).get(event_url("pairing:desk_finish", event)).content.decode()
    assert "R2M1, game 1 (card: Ada 0\u00a0–\u00a095 Grace; result: Ada won 91–0)" in shown
    assert "started but not posted" not in shown


def test_finished_all_the_same_it_is_still_listed_and_named() -> None:
    event = played_to_the_end()
    turned(event)
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert "Decide the match" in today(fresh(event))
    (bad,) = bad_lines(fresh(event))
    assert "not signed again: the card says Ada 0\u00a0–\u00a095 Grace; the result on record says Ada won 91–0" in bad
    for where in both_pages(fresh(event)):
        assert "Corrected; not signed again." in where
        assert "The event is finished, so nobody can sign. The result counts until the desk decides." in where


def test_a_struck_hand_leaves_a_card_that_is_not_complete() -> None:
    event = played_to_the_end()
    correct(event, 2, None)
    for where in both_pages(event):
        assert "Changed; not complete." in where
        assert "Ada 45 – 0 Grace" in where and "Ada won, 91–0." in where
    assert "Complete the card" in today(event)
    assert "and the game is not over by it" in bad_lines(event)[0]


def test_a_correction_that_leaves_winner_and_points_is_a_note_and_no_problem() -> None:
    event = played_to_the_end()
    correct(event, 2, gin("A", 21, "9D"))
    assert bad_lines(event) == []
    for where in both_pages(event):
        assert "Corrected; waiting for signatures." in where
    assert "Collect the signatures" in today(event)
    assert any("started but not posted" in said for said in points_of(event))
    finish_event(fresh(event), by=SYSTEM_ACTOR)
    assert len(bad_lines(fresh(event))) == 1, "nobody can sign it any more"


def test_signed_again_nothing_is_left_to_be_said() -> None:
    event = played_to_the_end()
    turned(event)
    sign_both(the_card(event, "R2M1"))
    assert bad_lines(event) == []
    assert not any("something else" in said for said in points_of(event))
    for where in both_pages(event):
        assert "waits for signatures" not in where


def test_a_decision_made_since_is_told_on_the_card_and_waits_for_nobody() -> None:
    event = played_to_the_end()
    turned(event)
    match, ada = the_card(event, "R2M1").match, event.entrants.get(number=1)
    said = MatchDecision(
        match=match, winner=ada, cause=ResultCause.PLAYED, reason="the paper", override=True, points={1: 91, 3: 0}
    )
    decide_match(said, by=the_director(event))
    card, match_page = both_pages(event)
    for where in (card, match_page):
        assert "Changed; decided since." in where and "Reason: the paper. The result now: Ada won, 91–0." in where
    assert "Collect the signatures" not in today(event)
    assert bad_lines(event) == []


@pytest.mark.parametrize("winner", [1, 3])
def test_who_was_decided_for_since_or_against_nobody_is_asked_to_sign(winner: int) -> None:
    """The corrected card shows 95 to 0 for Grace (entry 3), and staff decide for her or for Ada (entry 1)."""
    event = played_to_the_end()
    turned(event)
    card, number = the_card(event, "R2M1"), event.entrants.get(number=winner)
    points = {1: 0, 3: 95} if winner == 3 else {1: 91, 3: 0}
    said = MatchDecision(
        match=card.match, winner=number, cause=ResultCause.PLAYED, reason="the paper", override=True, points=points
    )
    decide_match(said, by=the_director(event))
    for where in both_pages(event):
        assert "Changed; decided since." in where and "The decision counts. No signatures are needed." in where
        assert "all sign again" not in where and "Unsigned" not in where
    phone = client_as("director", event).get(
        reverse("scoring:my_card", kwargs={"token": number.token, "card": card.token})
    )
    assert "Changed; decided since." in phone.content.decode() and "Check and sign" not in phone.content.decode()
    assert "a signature is missing" not in today(event)
    assert not any("started but not posted" in said or "something else" in said for said in points_of(event))
    cards = event_url("scoring:desk_cards", event)
    assert card.token not in client_as("director", event).get(cards).content.decode()
    listed = client_as("director", event).get(cards + "?only=all").content.decode()
    assert "Changed, decided since" in listed and "missing:" not in listed
    assert bad_lines(event) == []


def test_a_card_that_was_begun_waits_for_nobody_once_its_match_was_decided() -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event))
    play(the_card(event, "R1M2"), gin("A", 5))
    waiting = "Ada – Alan: a signature is missing"
    assert waiting in today(event) and len(points_of(event)) == 1
    for ident, number in (("R1M1", 2), ("R1M2", 3)):
        winner = event.entrants.get(number=number)
        match = the_card(event, ident).match
        said = MatchDecision(
            match=match, winner=winner, cause=ResultCause.FORFEIT, reason="left the hall", override=True
        )
        decide_match(said, by=the_director(event))
    assert waiting not in today(event)
    assert ["2 score cards have been started but not posted" in said for said in points_of(event)] == [True]


def test_a_match_that_its_cards_leave_open_is_not_called_void() -> None:
    """A correction leaves each player with one win, so the match continues with a third game, and none is replayed."""
    event = an_event_in_play(FOUR, games_to_win=2)
    for game in (1, 2):
        post(the_card(event, "R1M1", game))
    turned(event, ident="R1M1")
    sign_both(the_card(event, "R1M1", 1))
    shown = page(event, "pairing:match", ident="R1M1")
    assert "The match is open again, because its score cards give no winner" in shown
    assert "to be played again" not in shown
    match = the_card(event, "R1M1").match
    void = MatchDecision(match=match, winner=None, cause=ResultCause.VOID, reason="the wrong pair", override=True)
    decide_match(void, by=the_director(event))
    assert "Void: to be played again" in page(event, "pairing:match", ident="R1M1")


def test_a_paper_of_before_keeps_its_stamp_where_the_match_was_decided_since() -> None:
    before = {"counts": "waits", "by": {"by": "Ida"}, "stands": None, "now": None, "gone": ""}
    printed = PrintedCardRecord(
        kind=PrintedStatus.UNSIGNED, pages=(1,), stamp="CHANGED, AND DECIDED SINCE.", about=before
    )
    assert find_outdated_stamp(printed, {**before, "counts": "decided"}, "now", corrected=True) is None
    waits = PrintedCardRecord(kind=PrintedStatus.UNSIGNED, pages=(1,), stamp="CORRECTED.", about={**before, "by": None})
    assert find_outdated_stamp(waits, {**before, "counts": "decided"}, "now", corrected=True) is not None


def test_of_two_games_the_one_signed_first_disagrees_and_the_other_waits() -> None:
    event = an_event_in_play(FOUR, games_to_win=2)
    for ident in ("R1M1", "R1M2", "R2M1"):
        post(the_card(event, ident))
        if ident != "R2M1":
            post(the_card(event, ident, 2))
    for game in (1, 2):
        for hand, line in ((1, gin("B", 20)), (2, gin("B", 25, "9C"))):
            override = LineEntry(line, via="desk", override="Seen on paper")
            card = the_card(event, "R1M1", game)
            correct_line(card, hand, override, by=the_director(event), reason="the wrong column")
    sign_both(the_card(event, "R1M1", 1))
    first = load_card_state_by_pk(the_card(event, "R1M1", 1).pk)
    assert find_card_proof(first.digest).authenticity is Authenticity.DISAGREES
    card, match = both_pages(event, "R1M1")
    assert "The score card and the result disagree." in card and "The score card and the result disagree." in match
    assert "Corrected; waiting for signatures." in match
    assert today(event).count("Collect the signatures") == 1 and "Decide the match" not in today(event)
    assert len(bad_lines(event)) == 2


def test_posted_last_lists_no_card_that_is_not_signed_again() -> None:
    event = played_to_the_end()
    correct(event, 2, None)
    correct(event, 2, gin("A", 22, "9C"), ident="R1M2")
    assert [one.state.card.match.ident for one in load_latest_posted_cards(event)] == ["R1M1"]
    sign = the_card(event, "R2M1")
    assert load_card_state_by_pk(sign.pk).score.line_with_names not in today(event).partition("Latest results")[2]


def test_the_loser_of_a_correction_reads_on_their_own_page_what_was_corrected() -> None:
    event = an_event_in_play(FOUR)
    post(the_card(event))
    turned(event, ident="R1M1")
    ada = event.entrants.get(number=1)
    address = reverse("scoring:my_match", kwargs={"token": ada.token})
    sign_both(the_card(event))
    own = " ".join(Client().get(address).content.decode().split())
    place = {"tournament": event.tournament.slug, "event": event.slug, "token": the_card(event).token}
    assert f'href="{reverse("scoring:card", kwargs=place)}"' in own
    assert "Semifinal 1, game 1: Ada 0 – 95 Alan" in own
    assert "<strong>Corrected.</strong>" in own and "Reason: the wrong column" in own


def test_an_entry_that_waits_for_a_second_official_is_listed_today() -> None:
    event = played_to_the_end()
    set_correction_terms(event, CorrectionTerms(second=StaffEntryCheck.APPROVAL), by=the_director(event))
    correct(event, 2, gin("B", 25, "9C"))
    listed = today(event)
    assert "1 entry needs a second official" in listed
    place = {"tournament": event.tournament.slug, "event": event.slug}
    assert f'href="{reverse("scoring:desk_entries", kwargs=place)}"' in listed
