"""Staff can enter only the totals of a score card. Totals are corrected together, and no hands are invented."""

from __future__ import annotations

import datetime as dt
import io
import json
from typing import Any

import pytest
import time_machine
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.closing import correct_totals
from scoring.cards.services.hands import LineEntry, add_line, correct_line, write_line
from scoring.cards.services.paper_cards import PaperCard, PaperRow, confirm_staff_entry, enter_paper_card
from scoring.cards.services.signing import SigningContext, sign_on_paper
from scoring.models import Card, SheetLine, StaffEntry
from scoring.posting.services.correction_period import StaffEntryMismatch, set_correction_terms
from scoring.posting.services.opening import start_play
from scoring.rules.sheet.card_status import CorrectionTerms, StaffEntryCheck
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from scoring.seals.selectors.versions import load_card_versions
from tests.factories import a_user
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.races import codes_of
from tests.scoring.helpers.disputes import called
from tests.scoring.helpers.playing import (
    a_drawn_event,
    an_event_in_play,
    card_desk_url,
    cut_for,
    gin,
    knock,
    play_out,
    the_card,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, Actor, make_player_actor, make_staff_actor
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError, NotAllowed, ReasonRequired
from tournament.models import AuditEntry

pytestmark = pytest.mark.django_db

TAKE_TOTALS = ("gra-singles", "standard", "oklahoma", "gra-partnership")


@prebuilt
def of_rules(rules: str = "gra-singles", names: tuple[str, ...] = ("Ada", "Alan")) -> Card:
    cache.clear()
    event = a_drawn_event(names)
    save_rule_sheet(event, ChosenRules(rules, {"target": 150}, 1), by=SYSTEM_ACTOR)
    return the_card(start_play(event, by=SYSTEM_ACTOR))


@pytest.fixture
@prebuilt
def card() -> Card:
    return of_rules()


@prebuilt
def desk(card: Card, role: str = "desk") -> Actor:
    return make_staff_actor(a_user(role, card.match.event.tournament))


def enter(card: Card, one: int = 183, other: int = 7, **more: Any) -> CardState:
    paper = PaperCard(totals={"A": one, "B": other}, signed=("A", "B"), witness="Ida", **more)
    return enter_paper_card(card, paper, by=SYSTEM_ACTOR)


def swap(card: Card, by: Actor | None = None, **more: Any) -> CardState:
    state = load_card_state_by_pk(card.pk)
    now = state.score.entered_totals
    swapped = {"A": now["B"], "B": now["A"]}
    return correct_totals(
        card, swapped, seen=state.digest, by=by or desk(card), reason=more.pop("reason", "swapped"), **more
    )


@prebuilt
def sign_both_on_paper(card: Card) -> CardState:
    for side in ("A", "B"):
        state = load_card_state_by_pk(card.pk)
        sign_on_paper(card, side, "Ida", SigningContext(state.digest), by=desk(card))
    return load_card_state_by_pk(card.pk)


def decided(card: Card, winner: int | None, cause: ResultCause) -> None:
    won = card.match.event.entrants.get(number=winner) if winner else None
    said = MatchDecision(match=card.match, winner=won, cause=cause, reason="false report", override=True)
    decide_match(said, by=desk(card, "director"))


def proven(card: Card) -> bool:
    checks = {each.subject: each.passed for each in verify_event(card.match.event)}
    return all(checks[what] for what in ("posted cards", "chain of seals", "signed cards"))


@pytest.mark.parametrize("rules", TAKE_TOTALS)
def test_the_text_that_is_signed_has_totals_and_no_hand(rules: str) -> None:
    card = of_rules(rules)
    state = enter(card)
    content = json.loads(state.content.as_bytes())
    assert (content["lines"], content["totals"]) == ([], {"A": 183, "B": 7})
    assert content["result"] == {"complete": True, "winner": "A", "totals": {"A": 183, "B": 7}}
    assert [fact.line for fact in state.lines] == [{"totals": {"A": 183, "B": 7}}] and state.hands == ()
    assert state.is_posted and state.score.winner == card.entrants[0]


@pytest.mark.parametrize("rules", TAKE_TOTALS)
def test_no_hand_is_shown_on_screen_nor_in_the_sealed_print(rules: str, client: Client) -> None:
    card = of_rules(rules)
    enter(card)
    swap(card)
    assert sign_both_on_paper(card).is_posted
    where = {"token": card.token}
    public = event_url('scoring:card', card.match.event, **where)  # fmt: skip
    page = client.get(public).content.decode()
    printed = PdfReader(io.BytesIO(client.get(card_desk_url(card, "card_pdf", **where)).content))
    paper = " ".join(" ".join(page.extract_text().split()) for page in printed.pages)
    proof = client.get(
        reverse("scoring:verify", kwargs={"digest": load_card_state_by_pk(card.pk).digest})
    ).content.decode()
    for shown in (page, paper, proof):
        assert "oints only" not in shown and "settlement" not in shown.lower()
    assert "Totals from the paper card" in page and "Totals from the paper card" in paper
    assert "7 – 183" in paper and "Totals corrected by" in paper and "Before: Ada 183, Alan 7." in paper
    assert "keeps score: not recorded" in paper


def test_swapped_totals_are_put_right_in_one_act_and_signed_again(card: Card) -> None:
    enter(card)
    state = swap(card)
    assert state.score.totals == (7, 183) and len(state.lines) == 1
    assert (state.is_posted, len(state.signatures.missing_seats), state.was_posted) == (False, 2, True)
    assert MatchResult.objects.get(superseded_by__isnull=True).winner == card.entrants[0]
    assert sign_both_on_paper(card).is_posted
    result = MatchResult.objects.get(superseded_by__isnull=True)
    assert (result.winner, result.score) == (card.entrants[1], {"1": 7, "2": 183})
    assert len(load_card_versions(card)) == 2 and proven(card)


def test_the_act_is_logged_with_what_was_there_and_why(card: Card) -> None:
    enter(card)
    swap(card, reason="the desk typed them under the wrong names")
    entry = AuditEntry.objects.order_by("-pk").first()
    assert entry is not None and entry.verb == "card.corrected"
    assert entry.reason == "the desk typed them under the wrong names"
    assert entry.data["was"] == [{"totals": {"A": 183, "B": 7}}]


def test_the_same_act_undoes_it_and_the_old_signatures_stay_fallen(card: Card) -> None:
    first = enter(card)
    swap(card)
    state = swap(card)
    assert state.score.totals == first.score.totals and state.digest != first.digest
    assert (state.is_posted, len(state.signatures.missing_seats)) == (False, 2)


def test_totals_are_replaced_before_anybody_has_signed(card: Card) -> None:
    enter_paper_card(card, PaperCard(totals={"A": 183, "B": 7}, witness="Ida"), by=SYSTEM_ACTOR)
    state = load_card_state_by_pk(card.pk)
    after = correct_totals(card, {"A": 93, "B": 151}, seen=state.digest, by=desk(card), reason="misread")
    assert after.score.totals == (93, 151) and json.loads(after.content.as_bytes())["lines"] == []
    assert sign_both_on_paper(card).score.winner == card.entrants[1]


@pytest.mark.parametrize(
    ("totals", "code"),
    [({"A": 149, "B": 7}, "bad-value"), ({"A": 150, "B": 151}, "bad-value"), ({"A": 183, "B": 7}, "same-totals"),
     ({"A": -1, "B": 160}, "bad-value"), ({"A": 160}, "missing-field")],
)  # fmt: skip
def test_totals_that_cannot_stand_are_refused(card: Card, totals: dict[str, int], code: str) -> None:
    state = enter(card)
    with pytest.raises(DomainError) as caught:
        correct_totals(card, totals, seen=state.digest, by=desk(card), reason="misread")
    assert caught.value.code == code and SheetLine.objects.count() == 1


def test_it_takes_a_reason_the_desk_and_a_card_without_hands(card: Card) -> None:
    state = enter(card)
    with pytest.raises(DomainError, match="needs a reason"):
        swap(card, reason=" ")
    with pytest.raises(NotAllowed):
        swap(card, by=make_player_actor(card.entrants[0]))
    with pytest.raises(ReasonRequired, match="can hardly have 400"):
        correct_totals(card, {"A": 400, "B": 7}, seen=state.digest, by=desk(card), reason="misread")
    with pytest.raises(Conflict, match="entered by its totals"):
        correct_line(card, 1, LineEntry(gin()), by=desk(card), reason="a hand")


def test_a_card_with_hands_is_corrected_hand_by_hand() -> None:
    card = the_card(an_event_in_play())
    state = play_out(card)
    with pytest.raises(Conflict, match="This score card has hands"):
        correct_totals(card, {"A": 7, "B": 60}, seen=state.digest, by=desk(card), reason="misread")


def test_a_player_cannot_enter_totals_as_a_hand_nor_strike_out_those_of_the_desk(card: Card) -> None:
    cut_for(card)
    keeper = make_player_actor(card.entrants[0])
    with pytest.raises(DomainError, match="not known here"):
        add_line(card, LineEntry({"totals": {"A": 183, "B": 7}}), by=keeper)
    enter_paper_card(card, PaperCard(totals={"A": 183, "B": 7}, witness="Ida"), by=SYSTEM_ACTOR)
    with pytest.raises(NotAllowed, match="Ask the desk"):
        correct_line(card, 1, None, by=keeper, reason="mine")


def test_a_second_person_confirms_it_where_the_event_asks_for_one(card: Card) -> None:
    enter(card)
    set_correction_terms(card.match.event, CorrectionTerms(second=StaffEntryCheck.APPROVAL), by=desk(card, "director"))
    assert swap(card).score.totals == (183, 7)
    state = confirm_staff_entry(StaffEntry.objects.get(), by=desk(card))
    assert state.score.totals == (7, 183) and not state.is_posted


def test_a_second_person_types_them_again_and_what_differs_is_told(card: Card) -> None:
    first = enter(card)
    set_correction_terms(card.match.event, CorrectionTerms(second=StaffEntryCheck.REKEY), by=desk(card, "director"))
    swap(card)
    with pytest.raises(StaffEntryMismatch, match=r"entered: Ada 7, Alan 183\. You entered: Ada 8, Alan 183"):
        correct_totals(card, {"A": 8, "B": 183}, seen=first.digest, by=desk(card), reason="misread")
    assert swap(card).score.totals == (7, 183)


def test_after_the_correction_period_the_director_alone_and_a_final_card_two_officials(card: Card) -> None:
    set_correction_terms(card.match.event, CorrectionTerms(corrections=20), by=desk(card, "director"))
    enter(card)
    with (
        time_machine.travel(timezone.now() + dt.timedelta(minutes=21)),
        pytest.raises(NotAllowed, match="Ask the director"),
    ):
        swap(card)
    with time_machine.travel(timezone.now() + dt.timedelta(hours=3)):
        assert swap(card, by=desk(card, "director")).score.totals == (183, 7)
        state = confirm_staff_entry(StaffEntry.objects.get(), by=desk(card))
        assert state.is_posted and state.score.winner == card.entrants[1]
        result = MatchResult.objects.get(match=card.match, superseded_by=None)
        assert result.winner == card.entrants[1] and list(result.score.values()) == [7, 183]
        assert proven(card)


def test_whoever_has_won_and_plays_on_is_looked_at_first() -> None:
    card = of_rules(names=("Ada", "Alan", "Grace", "Kurt"))
    enter(card)
    other = the_card(card.match.event, "R1M2")
    enter(other)
    final = the_card(card.match.event, "R2M1")
    cut_for(final)
    add_line(final, LineEntry(gin()), by=SYSTEM_ACTOR)
    state = load_card_state_by_pk(card.pk)
    with pytest.raises(ReasonRequired, match="is already in the next match") as caught:
        correct_totals(card, {"A": 7, "B": 183}, seen=state.digest, by=desk(card), reason="swapped")
    assert caught.value.data["ending"] == "played:2"


def test_totals_of_a_card_from_before_are_put_right_by_the_same_act(card: Card) -> None:
    """Earlier versions stored totals as two lines of points. Swapping the totals of such a card removes these lines."""
    with writing(card.match.event, verb="card.entered", by=SYSTEM_ACTOR) as write:
        for side, points in (("B", 7), ("A", 183)):
            entry = LineEntry({"outcome": "points", "to": side, "points": points}, via=SheetLine.Via.DESK)
            write_line(write, load_card_state_by_pk(card.pk), entry, [])
    assert load_card_state_by_pk(card.pk).has_only_totals
    state = swap(card)
    assert state.score.totals == (7, 183) and json.loads(state.content.as_bytes())["lines"] == []


def test_a_sheet_of_hands_is_not_taken_for_totals() -> None:
    card = the_card(an_event_in_play())
    rows = tuple(PaperRow(line, {}) for line in (knock(), gin(count=30)))
    enter_paper_card(card, PaperCard(rows=rows, override="as it is"), by=SYSTEM_ACTOR)
    assert not load_card_state_by_pk(card.pk).has_only_totals


class TestPages:
    @pytest.fixture
    def client(self, card: Card) -> Client:
        return client_as("director", card.match.event)

    def test_it_is_reached_wherever_the_desk_meets_the_card(self, card: Card, client: Client) -> None:
        enter(card)
        link = card_desk_url(card, "desk_totals", token=card.token)
        dispute = called(card, "conduct", hand=1, by="A").pk
        pages = [
            card_desk_url(card, "desk_card_lines", token=card.token),
            card_desk_url(card, "desk_today"),
            card_desk_url(card, "desk_card"),
            card_desk_url(card, "desk_cards") + "?only=all",
            card_desk_url(card, "desk_ruling", dispute=dispute),
        ]
        for page in pages:
            assert link in client.get(page).content.decode(), page
        lines = client.get(card_desk_url(card, "desk_card_lines", token=card.token)).content.decode()
        assert "Correct hand 1" not in lines and "The hands are only on the paper" in lines
        assert client.get(card_desk_url(card, "desk_hand", token=card.token, number=1))["Location"] == link

    def test_of_a_match_that_was_made_void_nothing_is_asked_for(self, card: Card, client: Client) -> None:
        enter(card)
        decided(card, None, ResultCause.VOID)
        page = client.get(card_desk_url(card, "desk_totals", token=card.token)).content.decode()
        assert "The match is played again, so this score card no longer counts." in page
        assert "Swap the two totals" not in page and "Both sides sign again" not in page

    def test_of_a_decided_match_the_result_is_said_to_stay(self, card: Card, client: Client) -> None:
        enter(card)
        decided(card, 2, ResultCause.PENALTY)
        url = card_desk_url(card, "desk_totals", token=card.token)
        page = client.get(url).content.decode()
        assert "Superseded." in page and "the result stays until the desk decides again" in page
        assert "the result stands until they do" not in page
        sent = {"key": "k1", "seen": load_card_state_by_pk(card.pk).digest, "swap": "1", "reason": "swapped"}
        assert client.post(url, sent).status_code == 302
        event = card.match.event
        public = client.get(event_url("scoring:card", event, token=card.token)).content.decode()
        assert (
            "The desk decided the result before the change. The result stays until the desk decides again."
        ) in public
        assert "until all players have signed the change" not in public
        today = client.get(card_desk_url(card, "desk_today")).content.decode()
        assert "The desk decided the result before that, and it stays: Alan won." in today

    def test_swap_replace_and_strike_out(self, card: Card, client: Client) -> None:
        enter(card)
        url = card_desk_url(card, "desk_totals", token=card.token)
        page = client.get(url).content.decode()
        assert "Ada&nbsp;<strong>7</strong> – Alan&nbsp;<strong>183</strong>" in page
        sent = {"key": "k1", "seen": load_card_state_by_pk(card.pk).digest, "swap": "1"}
        assert client.post(url, sent).status_code == 422
        assert client.post(url, {**sent, "reason": "swapped"}).status_code == 302
        assert load_card_state_by_pk(card.pk).score.totals == (7, 183)
        again = client.post(url, {**sent, "key": "k2", "reason": "swapped"})
        assert again.status_code == 422 and "This score card changed in the meantime" in again.content.decode()
        seen = {"key": "k3", "seen": load_card_state_by_pk(card.pk).digest, "reason": "misread"}
        bad = client.post(url, {**seen, "totals_A": "1", "totals_B": "2"}).content.decode()
        assert "Nobody has reached 150" in bad
        assert client.post(url, {**seen, "totals_A": "20", "totals_B": "160"}).status_code == 302
        assert load_card_state_by_pk(card.pk).score.totals == (20, 160)
        assert client.post(url, {**seen, "key": "k4", "strike": "1"}).status_code == 302
        assert load_card_state_by_pk(card.pk).lines == ()


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_desks_swap_at_once_and_it_is_swapped_once() -> None:
    card = of_rules()
    seen = enter(card).digest
    desks = [desk(card), desk(card)]
    outcomes = codes_of(*[
        lambda by=by: correct_totals(card, {"A": 7, "B": 183}, seen=seen, by=by, reason="swapped") for by in desks
    ])  # fmt: skip
    assert outcomes == ["card-changed", "done"]
    after = load_card_state_by_pk(card.pk)
    assert after.score.totals == (7, 183) and SheetLine.objects.filter(card=card).count() == 2
