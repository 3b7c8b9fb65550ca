"""Two players keep one score card: each sees what the other enters, and a difference between them blocks signing."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from typing import Any

import pypdfium2
import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from pairing.desk.services.sending import call_match_to_table
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.selectors.checks import CardChecks, load_card_checks
from scoring.cards.services.checks import (
    DisplayedHand,
    TurnedUpCard,
    accept_hand_check_figures,
    confirm_hand,
    dispute_hand,
    record_new_deck,
    record_up_card,
    settle_hand_as_written,
)
from scoring.cards.services.hands import BadLine, LineEntry, add_line, correct_line
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, HandCheck, NewDeck, UpCard
from scoring.prints.pdf.prints import PrintRequest, print_table_signs
from tests.codes import codes_in
from tests.factories import a_user
from tests.kit import event_url, refused
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import (
    DESERT,
    an_event_in_play,
    cut_for,
    gin,
    in_the_desert,
    knock,
    post,
    sign,
    the_card,
    the_director,
)
from tournament.core.permissions import make_player_actor
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.templatetags.gin import local_time

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    cut_for(card)
    return card


def keeper(card: Card) -> Any:
    return make_player_actor(card.entrants[0])


def other(card: Card) -> Any:
    return make_player_actor(card.entrants[1])


def entered(card: Card, line: dict[str, Any]) -> CardChecks:
    return load_card_checks(add_line(card, LineEntry(line), by=keeper(card)))


def seen(keeping: CardChecks, hand: int = 1) -> DisplayedHand:
    return DisplayedHand(hand, keeping.hands[hand - 1].line.pk)


def test_a_hand_waits_for_the_other_keeper_until_they_confirm_it(card: Card) -> None:
    keeping = entered(card, knock())
    alan = card.entrants[1]
    assert keeping.find_unchecked_hands(alan.pk) == keeping.hands
    after = confirm_hand(card, seen(keeping), by=other(card))
    assert after.hands[0].is_confirmed and not after.find_unchecked_hands(alan.pk)


def test_other_figures_stand_beside_the_line_and_nobody_signs(card: Card) -> None:
    keeping = entered(card, gin(count=60))
    after = dispute_hand(card, seen(keeping), gin(count=50), by=other(card))
    assert [hand.hand for hand in after.disputed_hands] == [1]
    state = load_card_state_by_pk(card.pk)
    assert state.is_complete
    for who in card.entrants:
        with pytest.raises(Conflict, match="different scores for hand 1"):
            sign_by_code(card, who.sign_code, SigningContext(state.digest), by=make_player_actor(who))
    assert not card.signatures.exists()


def test_the_same_figures_are_a_confirmation(card: Card) -> None:
    keeping = entered(card, knock())
    after = dispute_hand(card, seen(keeping), knock(), by=other(card))
    assert after.hands[0].is_confirmed and not after.disputed_hands


def test_impossible_figures_are_refused_and_nothing_stands(card: Card) -> None:
    keeping = entered(card, knock())
    with pytest.raises(BadLine):
        dispute_hand(card, seen(keeping), knock(own=9), by=other(card))
    assert not HandCheck.objects.exists()


def test_the_scorekeeper_takes_the_other_figures_of_any_hand(card: Card) -> None:
    keeping = entered(card, knock())
    check = dispute_hand(card, seen(keeping), knock(count=22), by=other(card)).disputed_hands[0].against[0]
    entered(card, knock(count=30, up="9D"))
    after = accept_hand_check_figures(card, check.pk, by=keeper(card))
    assert not after.disputed_hands and after.hands[0].is_confirmed
    assert after.state.score.totals == (17 + 25, 0)
    assert after.state.lines[0].reason == f"As entered by {other(card).name}."


def test_only_the_scorekeeper_takes_them_and_only_while_they_stand(card: Card) -> None:
    keeping = entered(card, knock())
    check = dispute_hand(card, seen(keeping), knock(count=22), by=other(card)).disputed_hands[0].against[0]
    with pytest.raises(NotAllowed):
        accept_hand_check_figures(card, check.pk, by=other(card))
    confirm_hand(card, seen(keeping), by=other(card))
    with pytest.raises(Conflict, match="settled already"):
        accept_hand_check_figures(card, check.pk, by=keeper(card))


def test_a_correction_is_looked_at_again_and_other_figures_stand_until_they_are_met(card: Card) -> None:
    alan = card.entrants[1]
    keeping = entered(card, knock())
    confirm_hand(card, seen(keeping), by=other(card))
    correct_line(card, 1, LineEntry(knock(count=21)), by=keeper(card), reason="miscounted")
    keeping = load_card_checks(load_card_state_by_pk(card.pk))
    assert keeping.find_unchecked_hands(alan.pk) == keeping.hands
    dispute_hand(card, seen(keeping), knock(count=22), by=other(card))
    correct_line(card, 1, LineEntry(knock(count=23)), by=keeper(card), reason="miscounted")
    assert load_card_checks(load_card_state_by_pk(card.pk)).disputed_hands
    correct_line(card, 1, LineEntry(knock(count=22)), by=keeper(card), reason="they are right")
    keeping = load_card_checks(load_card_state_by_pk(card.pk))
    assert not keeping.disputed_hands and keeping.hands[0].is_confirmed


def test_what_changed_under_their_eyes_is_not_confirmed(card: Card) -> None:
    keeping = entered(card, knock())
    correct_line(card, 1, LineEntry(knock(count=21)), by=keeper(card), reason="miscounted")
    with pytest.raises(Conflict, match="changed since you looked"):
        confirm_hand(card, seen(keeping), by=other(card))


def test_nobody_confirms_their_own_hand_or_that_of_another_match(card: Card) -> None:
    keeping = entered(card, knock())
    stranger = the_card(card.match.event, "R1M2").entrants[0]
    for by in (keeper(card), make_player_actor(stranger), the_director(card.match.event)):
        with pytest.raises(NotAllowed):
            confirm_hand(card, seen(keeping), by=by)


def test_the_desk_settles_a_difference_with_a_reason_and_the_card_can_be_signed(card: Card) -> None:
    keeping = entered(card, gin(count=60))
    dispute_hand(card, seen(keeping), gin(count=50), by=other(card))
    director = the_director(card.match.event)
    with pytest.raises(DomainError, match="Write how you know"):
        settle_hand_as_written(card, seen(keeping), by=director, reason=" ")
    after = settle_hand_as_written(card, seen(keeping), by=director, reason="Counted the cards at the table")
    assert not after.disputed_hands
    sign(card, card.entrants[0])
    assert load_card_state_by_pk(card.pk).signatures.signed_entrants


def test_a_posted_card_is_not_checked_any_more(card: Card) -> None:
    keeping = load_card_checks(post(card))
    with pytest.raises(Conflict, match="posted"):
        confirm_hand(card, seen(keeping), by=other(card))


def test_the_up_card_is_recorded_with_its_time_before_the_hand_is(card: Card) -> None:
    turned = timezone.now() - dt.timedelta(minutes=3)
    made = record_up_card(card, TurnedUpCard(1, "8H", turned), by=keeper(card))
    assert (made.turned_at, made.at > turned) == (turned, True)
    line = {key: value for key, value in knock().items() if key != "up"}
    state = add_line(card, LineEntry(line), by=keeper(card))
    assert state.lines[0].line["up"] == "8H"


def test_a_clock_that_cannot_be_right_is_not_believed(card: Card) -> None:
    for wrong in (timezone.now() + dt.timedelta(hours=1), timezone.now() - dt.timedelta(days=3)):
        UpCard.objects.all().delete()
        made = record_up_card(card, TurnedUpCard(1, "8H", wrong), by=keeper(card))
        assert made.turned_at == made.at


def test_another_up_card_than_the_recorded_one_needs_a_reason(card: Card) -> None:
    record_up_card(card, TurnedUpCard(1, "8H"), by=keeper(card))
    with pytest.raises(ReasonRequired, match="8♥ was recorded as the up card of hand 1"):
        add_line(card, LineEntry(knock(up="9D")), by=keeper(card))
    state = add_line(card, LineEntry(knock(up="9D"), override="tapped wrongly"), by=keeper(card))
    assert state.lines[0].line["up"] == "9D" and state.lines[0].warnings


def test_the_scorekeepers_card_is_the_recorded_one_and_the_others_claim_stands_beside_it(card: Card) -> None:
    record_up_card(card, TurnedUpCard(1, "9D"), by=other(card))
    record_up_card(card, TurnedUpCard(1, "8H"), by=keeper(card))
    record_up_card(card, TurnedUpCard(1, "8H"), by=keeper(card))
    keeping = load_card_checks(load_card_state_by_pk(card.pk))
    recorded = keeping.find_recorded_up_card(1)
    assert recorded is not None and recorded.up == "8H"
    assert [up.up for up in keeping.find_differing_up_cards(1)] == ["9D"]
    assert UpCard.objects.count() == 2


@pytest.mark.parametrize(
    ("hand", "up", "code"), [(2, "8H", "hand-over"), (0, "8H", "hand-over"), (1, "1X", "bad-card")]
)
def test_an_up_card_that_cannot_be(card: Card, hand: int, up: str, code: str) -> None:
    with refused(code):
        record_up_card(card, TurnedUpCard(hand, up), by=keeper(card))


def test_the_up_card_of_a_hand_that_is_written_is_the_desks(card: Card) -> None:
    entered(card, knock())
    with pytest.raises(Conflict, match="call the director"):
        record_up_card(card, TurnedUpCard(1, "9D"), by=other(card))
    assert record_up_card(card, TurnedUpCard(1, "9D"), by=the_director(card.match.event)).entrant is None


def test_sent_twice_it_is_recorded_once(card: Card) -> None:
    one = record_up_card(card, TurnedUpCard(1, "8H", key="k"), by=keeper(card))
    assert record_up_card(card, TurnedUpCard(1, "8H", key="k"), by=keeper(card)) == one
    keeping = entered(card, knock())
    for _ in range(2):
        confirm_hand(card, DisplayedHand(1, keeping.hands[0].line.pk, "c"), by=other(card))
    assert HandCheck.objects.count() == 1


def test_a_new_deck_once_each(card: Card) -> None:
    record_new_deck(card, by=keeper(card))
    record_new_deck(card, by=other(card))
    with pytest.raises(Conflict, match="Each player gets one"):
        record_new_deck(card, by=keeper(card))
    assert NewDeck.objects.count() == 2


class TestPages:
    def address(self, card: Card, act: str, who: int) -> str:
        return reverse(f"scoring:my_{act}", kwargs={"token": card.entrants[who].token, "card": card.token})

    def test_the_other_phone_confirms_or_differs_and_the_scorekeeper_takes_it(self, card: Card, client: Client) -> None:
        keeping = entered(card, knock())
        line = keeping.hands[0].line.pk
        page = client.get(self.address(card, "card", 1)).content.decode()
        assert "That is right" in page and "Ada knocked with 5 against" in page
        assert "That is right" not in client.get(self.address(card, "card", 0)).content.decode()
        answer = client.get(self.address(card, "other", 1), {"hand": 1})
        assert "Ada knocked with 5 against" in answer.content.decode()
        own = {"hand": 1, "seen": line, "key": "k", "up_rank": "8", "up_suit": "H", "outcome": "knock", "by": "A"}
        answer = client.post(self.address(card, "other", 1), {**own, "counts_A": 5, "counts_B": 22}, follow=True)
        assert "your figures differ" in answer.content.decode()
        marked = "<strong>Counts of Alan:</strong> <mark>20</mark> on the score card, <mark>22</mark> by"
        for who in (0, 1):
            page = client.get(self.address(card, "card", who)).content.decode()
            assert marked in page and page.count("figure-differs") == 1
        client.force_login(a_user("desk", card.match.event.tournament))
        event = card.match.event
        assert marked in client.get(event_url("scoring:desk_card_lines", event, token=card.token)).content.decode()
        client.logout()
        page = client.get(self.address(card, "card", 0)).content.decode()
        assert "Alan is right" in page
        check = HandCheck.objects.get()
        answer = client.post(self.address(card, "take", 0), {"check": check.pk}, follow=True)
        assert "your figures differ" not in answer.content.decode()
        assert load_card_state_by_pk(card.pk).score.totals == (17, 0)

    def test_a_confirmation_by_a_tap(self, card: Card, client: Client) -> None:
        keeping = entered(card, knock())
        sent = {"hand": 1, "line": keeping.hands[0].line.pk}
        answer = client.post(self.address(card, "confirm", 1), sent, follow=True)
        assert "is confirmed" in answer.content.decode()
        assert load_card_checks(load_card_state_by_pk(card.pk)).hands[0].is_confirmed

    def test_the_up_card_by_two_taps_stands_on_both_phones_and_in_the_next_hand(
        self, card: Card, client: Client
    ) -> None:
        in_the_desert(card)
        now = timezone.now()
        sent = {"key": "k", "hand": 1, "rank": "8", "suit": "H", "turned_at": now.isoformat()}
        page = client.post(self.address(card, "up", 0), sent, follow=True).content.decode()
        assert "Recorded by Ada" in page
        assert f">{local_time(now, DESERT)}</time>" in page
        assert "Recorded by Ada" in client.get(self.address(card, "card", 1)).content.decode()
        form = client.get(self.address(card, "hand", 0)).context["form"]
        assert (form.initial["up_rank"], form.initial["up_suit"]) == ("8", "H")

    def test_half_a_card_is_asked_for_again(self, card: Card, client: Client) -> None:
        answer = client.post(self.address(card, "up", 0), {"key": "k", "hand": 1, "rank": "8"})
        assert answer.status_code == 422 and "Choose the suit" in answer.content.decode()

    def test_the_sign_page_shows_the_difference_instead_of_the_pad(self, card: Card, client: Client) -> None:
        keeping = entered(card, gin(count=60))
        dispute_hand(card, seen(keeping), gin(count=50), by=other(card))
        page = client.get(self.address(card, "sign", 1)).content.decode()
        assert "your figures differ" in page and "signature-pad" not in page

    def test_the_desk_sees_and_settles_it(self, card: Card, client: Client) -> None:
        keeping = entered(card, gin(count=60))
        dispute_hand(card, seen(keeping), gin(count=50), by=other(card))
        event = card.match.event
        client.force_login(a_user("desk", event.tournament))
        page = client.get(event_url("scoring:desk_card_lines", event, token=card.token)).content.decode()
        assert "scorekeepers differ on" in page
        sent = {"hand": 1, "line": keeping.hands[0].line.pk, "reason": "counted again"}
        client.post(event_url("scoring:desk_settle", event, token=card.token), sent)
        assert not load_card_checks(load_card_state_by_pk(card.pk)).disputed_hands


class TestTheTablesOwnCard:
    def address(self, card: Card, table: int) -> str:
        return reverse("scoring:table_now", kwargs={"tournament": card.match.event.tournament.slug, "table": table})

    def test_its_sign_opens_the_match_that_is_played_there_now(self, card: Card, client: Client) -> None:
        event = card.match.event
        table = card.match.calls.get().table
        assert client.get(self.address(card, table)).url.endswith(f"/c/{card.token}/")
        post(card)
        after = client.get(self.address(card, table))
        assert after.status_code == 200 and "No match at this table now" in after.content.decode()
        post(the_card(event, "R1M2"))
        call_match_to_table(event.matches.get(ident="R2M1"), table, by=the_director(event))
        assert client.get(self.address(card, table)).url.endswith(f"/c/{the_card(event, 'R2M1').token}/")

    def test_a_tablet_that_stays_at_the_table_goes_on_to_its_next_match(self, card: Card, client: Client) -> None:
        event, table = card.match.event, card.match.calls.get().table
        now, who = self.address(card, table), card.entrants[0]
        client.post(f"/c/{card.token}/", {"who": who.pk, "code": who.sign_code})
        post(card)
        assert f'href="{now}"' in client.get(f"/c/{card.token}/").content.decode()
        assert f'href="{now}"' in Client().get(f"/c/{card.token}/").content.decode()
        asks = {"HX-Request": "true"}
        assert "No match at this table now" in client.get(now, headers=asks).content.decode()
        post(the_card(event, "R1M2"))
        call_match_to_table(event.matches.get(ident="R2M1"), table, by=the_director(event))
        answer = client.get(now, headers=asks)
        assert (answer.status_code, answer["HX-Redirect"]) == (200, f"/c/{the_card(event, 'R2M1').token}/")

    def test_an_empty_table_says_so(self, card: Card, client: Client) -> None:
        assert "No match at this table now" in client.get(self.address(card, 99)).content.decode()

    def test_a_tablet_left_there_is_led_to_the_card_as_soon_as_there_is_one(self, card: Card, client: Client) -> None:
        asks_again = {"HTTP_HX_REQUEST": "true"}
        assert "HX-Redirect" not in client.get(self.address(card, 99), **asks_again).headers
        sent_on = client.get(self.address(card, card.match.calls.get().table), **asks_again)
        assert sent_on.headers["HX-Redirect"].endswith(f"/c/{card.token}/")

    def test_the_signs_are_printed_with_codes_that_lead_there(self, card: Card) -> None:
        content = print_table_signs(PrintRequest(card.match.event, count=3, site="https://hall.test"), lambda *_: None)
        pages = pypdfium2.PdfDocument(content)
        assert len(pages) == 2
        text = pages[0].get_textpage().get_text_bounded()
        assert "Table" in text and "2" in text
        codes = codes_in(pages[0].render(scale=2).to_pil())
        assert set(codes) == {f"https://hall.test{self.address(card, n)}" for n in (1, 2)}


class TestJson:
    def send(self, card: Card, what: str, who: int, body: dict[str, Any]) -> Any:
        headers = {
            "Authorization": f"Bearer {card.entrants[who].token}",
            "Idempotency-Key": hashlib.sha256(repr(body).encode()).hexdigest(),
        }
        where = f"/api/cards/{card.token}/{what}"
        return Client().post(where, json.dumps(body), content_type="application/json", headers=headers)

    def test_an_up_card_and_a_check(self, card: Card) -> None:
        answer = self.send(card, "up-cards", 0, {"hand": 1, "up": "8H", "turned_at": timezone.now().isoformat()})
        assert answer.status_code == 201 and answer.json()["up_cards"][0]["up"] == "8H"
        keeping = entered(card, knock())
        line = keeping.hands[0].line.pk
        own = self.send(card, "checks", 1, {"hand": 1, "line": line, "own": knock(count=22)}).json()
        assert own["ok"], own
        assert own["hands"][0]["state"] == "different"
        taken = self.send(card, "checks", 0, {"take": own["hands"][0]["against"][0]["check"]}).json()
        assert taken["hands"][0]["state"] == "confirmed" and taken["tally"]["totals"]["A"] == 17

    def test_a_time_that_is_none_is_refused(self, card: Card) -> None:
        answer = self.send(card, "up-cards", 0, {"hand": 1, "up": "8H", "turned_at": "noon"})
        assert answer.status_code == 422 and not UpCard.objects.exists()
