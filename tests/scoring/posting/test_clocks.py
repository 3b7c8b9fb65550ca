"""These tests cover who may change a card after it is signed, posted, or final, and who must confirm the change."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.services.results import MatchDecision, decide_match
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, add_line, correct_line
from scoring.cards.services.paper_cards import (
    PaperCard,
    PaperRow,
    confirm_staff_entry,
    enter_paper_card,
    reject_staff_entry,
)
from scoring.disputes.services.appeals import set_committee
from scoring.models import Card, CardPosted, CardTerms, Dispute, StaffEntry
from scoring.posting.selectors.card_status import load_correction_period, load_correction_terms
from scoring.posting.services.correction_period import StaffEntryMismatch, set_correction_terms
from scoring.posting.tables import describe_staff_entry_mismatch
from scoring.rules.sheet.card_status import CorrectionPeriod, CorrectionTerms, StaffEntryCheck
from tests.factories import a_user
from tests.kit import event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import (
    DESERT,
    an_event_in_play,
    cut_for,
    gin,
    in_the_desert,
    knock,
    post,
    sign_both,
    the_card,
    the_director,
)
from tests.verifying import verify_event
from tournament.core.cached import clear_cache
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor, make_staff_actor
from tournament.errors import Conflict, DomainError, NotAllowed
from tournament.models import AuditEntry
from tournament.setup.services.tournaments import change_event, change_tournament
from tournament.templatetags.gin import local_deadline

pytestmark = pytest.mark.django_db


@pytest.fixture
@prebuilt
def card() -> Card:
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


def desk(card: Card, role: str = "desk") -> Any:
    return make_staff_actor(a_user(role, card.match.event.tournament))


def posted_ago(card: Card, minutes: int) -> None:
    """Move the posting of the card and its result back by this number of minutes.

    The settings of the correction period are dated one minute earlier than that.
    """
    at = load_card_state_by_pk(card.pk).postings[-1].at - dt.timedelta(minutes=minutes)
    CardPosted.objects.filter(card=card).update(at=at)
    MatchResult.objects.filter(match=card.match).update(at=at)
    CardTerms.objects.update(at=at - dt.timedelta(minutes=1))
    clear_cache()


def terms(card: Card, **fields: Any) -> None:
    set_correction_terms(card.match.event, CorrectionTerms(**fields), by=the_director(card.match.event))


@given(st.integers(0, 600), st.integers(0, 600), st.integers(0, 600), st.integers(-5, 700))
def test_a_card_is_final_from_the_moment_the_longest_period_ends(c: int, r: int, a: int, minutes: int) -> None:
    posted = dt.datetime(2026, 11, 27, 14, 3, tzinfo=dt.UTC)
    said = CorrectionTerms(corrections=c, rulings=r, appeals=a)
    now = posted + dt.timedelta(minutes=minutes)
    assert CorrectionPeriod(posted, said).is_final(now) == (minutes >= max(c, r, a))
    assert CorrectionPeriod(posted, said).accepts_corrections(now) == (minutes < c)
    assert not CorrectionPeriod(posted, said, held=True).is_final(now)
    assert CorrectionTerms.from_json(said.as_json()) == said


class TestTheClock:
    def test_it_runs_from_posting_for_thirty_minutes_unless_set(self, card: Card) -> None:
        assert load_correction_period(load_card_state_by_pk(card.pk)) is None
        post(card)
        clock = load_correction_period(load_card_state_by_pk(card.pk))
        assert clock is not None
        assert clock.final_at - clock.posted_at == dt.timedelta(minutes=30)

    def test_a_posted_card_keeps_the_terms_it_was_posted_under(self, card: Card) -> None:
        post(card)
        terms(card, appeals=90)
        clock = load_correction_period(load_card_state_by_pk(card.pk))
        assert clock is not None and clock.terms == CorrectionTerms()
        assert load_correction_terms(card.match.event).appeals == 90

    def test_an_open_dispute_holds_it(self, card: Card) -> None:
        post(card)
        posted_ago(card, 40)
        Dispute.objects.create(event=card.match.event, card=card, kind="up-card", by_name="t")
        clock = load_correction_period(load_card_state_by_pk(card.pk))
        assert clock is not None and clock.held

    @pytest.mark.parametrize("minutes", [-1, 100_000])
    def test_a_period_that_cannot_be(self, card: Card, minutes: int) -> None:
        with pytest.raises(DomainError, match="seven days"):
            terms(card, rulings=minutes)

    def test_only_a_director_sets_it_and_once(self, card: Card) -> None:
        with pytest.raises(NotAllowed):
            set_correction_terms(card.match.event, CorrectionTerms(), by=desk(card))
        terms(card, appeals=60)
        terms(card, appeals=60)
        assert CardTerms.objects.count() == 1


class TestCorrections:
    def test_the_desk_corrects_until_the_time_for_scoring_errors_is_over_then_the_director(self, card: Card) -> None:
        terms(card, corrections=20)
        post(card)
        correct_line(card, 2, LineEntry(gin(count=61, up="9C")), by=desk(card), reason="misread")
        sign_both(card)
        posted_ago(card, 21)
        with pytest.raises(NotAllowed, match="Ask the director"):
            correct_line(card, 2, LineEntry(gin(count=62, up="9C")), by=desk(card), reason="misread")
        state = correct_line(card, 2, LineEntry(gin(count=62, up="9C")), by=desk(card, "director"), reason="misread")
        assert state.lines[1].line["counts"]["B"] == 62

    def test_after_final_nobody_corrects_it_alone(self, card: Card) -> None:
        before = post(card)
        posted_ago(card, 31)
        for role in ("desk", "director"):
            StaffEntry.objects.all().delete()
            state = correct_line(card, 2, LineEntry(gin(count=90, up="9C")), by=desk(card, role), reason="misread")
            assert state.digest == before.digest
            entry = StaffEntry.objects.get()
            assert (entry.kind, entry.needs) == ("after-final", "official")

    def test_a_director_and_a_second_official_change_it_and_it_counts_at_once(self, card: Card) -> None:
        post(card)
        posted_ago(card, 31)
        first, second = desk(card), desk(card, "director")
        correct_line(card, 2, LineEntry(gin("B", 90, up="9C")), by=first, reason="the paper says Alan")
        entry = StaffEntry.objects.get()
        with pytest.raises(NotAllowed, match="yourself"):
            confirm_staff_entry(entry, by=first)
        with pytest.raises(NotAllowed, match="has to be a director"):
            confirm_staff_entry(entry, by=desk(card))
        state = confirm_staff_entry(entry, by=second)
        assert state.is_posted and state.score.winner == card.entrants[1]
        assert card.match.results.filter(superseded_by__isnull=True).get().winner == card.entrants[1]
        last = AuditEntry.objects.order_by("-pk").first()
        assert last is not None and first.name in last.reason and second.name in last.reason
        with pytest.raises(Conflict, match="entry has been decided"):
            confirm_staff_entry(entry, by=second)

    def test_what_two_officials_agreed_to_nobody_signs_and_it_is_said_so(self, card: Card, client: Client) -> None:
        event, proof = card.match.event, ("posted cards", "chain of seals", "signed cards")
        post(card)
        first, second = desk(card), desk(card, "director")
        with time_machine.travel(timezone.now() + dt.timedelta(minutes=31)):
            correct_line(card, 2, LineEntry(gin("B", 90, up="9C")), by=first, reason="the paper says Alan")
            confirm_staff_entry(StaffEntry.objects.get(), by=second)
        checks = {each.subject: each for each in verify_event(event)}
        assert all(checks[what].passed for what in proof)
        assert "1 changed by two officials" in checks["posted cards"].finding
        proven = reverse("scoring:verify", kwargs={"digest": load_card_state_by_pk(card.pk).digest})
        page = client.get(proven).content.decode()
        assert "exactly what two officials posted" in page and "Not signed yet" not in page
        assert "No signature needed: two officials changed the score card" in page
        printed = PdfReader(io.BytesIO(client.get(event_url("scoring:card_pdf", event, token=card.token)).content))
        assert "changed by two officials after it was final" in " ".join(printed.pages[0].extract_text().split())
        StaffEntry.objects.update(by=second.user)
        assert not next(each for each in verify_event(event) if each.subject == "posted cards").passed

    def test_a_player_cannot_change_a_final_card(self, card: Card) -> None:
        post(card)
        posted_ago(card, 31)
        with pytest.raises(DomainError):
            correct_line(
                card, 2, LineEntry(gin(count=90, up="9C")), by=make_player_actor(card.entrants[0]), reason="mine"
            )


def paper(totals: tuple[int, int] = (60, 10), **fields: Any) -> PaperCard:
    return PaperCard(
        totals={"A": totals[0], "B": totals[1]}, signed=("A", "B"), witness="Ida", override="as it is", **fields
    )


class TestASecondPerson:
    def test_where_nobody_asks_for_one_it_counts_at_once(self, card: Card) -> None:
        assert enter_paper_card(card, paper(), by=desk(card)).is_posted
        assert not StaffEntry.objects.exists()

    def test_approval_by_another_person(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.APPROVAL)
        first = desk(card)
        state = enter_paper_card(card, paper(), by=first)
        assert not state.lines and not state.signatures.all_signatures and not state.is_posted
        entry = StaffEntry.objects.get()
        with pytest.raises(NotAllowed, match="yourself"):
            confirm_staff_entry(entry, by=first)
        with pytest.raises(NotAllowed):
            confirm_staff_entry(entry, by=make_player_actor(card.entrants[0]))
        state = confirm_staff_entry(entry, by=desk(card))
        assert state.is_posted and state.score.totals == (60, 10)

    def test_typed_again_by_another_person(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.REKEY)
        first, second = desk(card), desk(card)
        enter_paper_card(card, paper(), by=first)
        with pytest.raises(Conflict, match="enters the figures again"):
            confirm_staff_entry(StaffEntry.objects.get(), by=second)
        with pytest.raises(StaffEntryMismatch, match=r"entered: Ada 60, Alan 10\. You entered: Ada 60, Alan 11"):
            enter_paper_card(card, paper((60, 11)), by=second)
        assert not load_card_state_by_pk(card.pk).lines
        assert enter_paper_card(card, paper(), by=second).is_posted
        assert StaffEntry.objects.get().decided.decision == "agreed"

    def test_the_same_person_types_it_again_and_replaces_what_they_typed(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.REKEY)
        first = desk(card)
        enter_paper_card(card, paper((60, 11)), by=first)
        enter_paper_card(card, paper(), by=first)
        assert not load_card_state_by_pk(card.pk).lines
        assert StaffEntry.objects.filter(decided__isnull=True).get().payload["totals"] == {"A": 60, "B": 10}

    def test_what_cannot_stand_is_refused_before_it_waits(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.APPROVAL)
        with pytest.raises(DomainError):
            enter_paper_card(card, paper((10, 5)), by=desk(card))
        assert not StaffEntry.objects.exists()

    def test_one_hand_and_a_correction_wait_too(self, card: Card) -> None:
        cut_for(card)
        terms(card, second=StaffEntryCheck.APPROVAL)
        add_line(card, LineEntry(knock()), by=desk(card))
        entry = StaffEntry.objects.get()
        assert not load_card_state_by_pk(card.pk).lines
        confirm_staff_entry(entry, by=desk(card))
        correct_line(card, 1, LineEntry(knock(count=21)), by=desk(card), reason="misread")
        assert load_card_state_by_pk(card.pk).score.totals == (15, 0)
        confirm_staff_entry(StaffEntry.objects.get(decided__isnull=True), by=desk(card))
        assert load_card_state_by_pk(card.pk).score.totals == (16, 0)

    def test_the_players_own_hands_do_not_wait(self, card: Card) -> None:
        cut_for(card)
        terms(card, second=StaffEntryCheck.APPROVAL)
        assert add_line(card, LineEntry(knock()), by=make_player_actor(card.entrants[0])).lines

    def test_a_card_that_changed_meanwhile_is_typed_again(self, card: Card) -> None:
        cut_for(card)
        terms(card, second=StaffEntryCheck.APPROVAL)
        enter_paper_card(card, paper(), by=desk(card))
        add_line(card, LineEntry(knock()), by=make_player_actor(card.entrants[0]))
        with pytest.raises(Conflict, match="has changed since this was entered"):
            confirm_staff_entry(StaffEntry.objects.get(), by=desk(card))

    def test_an_entry_can_be_confirmed_after_the_web_address_changed(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.APPROVAL)
        enter_paper_card(card, paper(), by=desk(card))
        event = card.match.event
        change_tournament(event.tournament, {"slug": "other-address"}, by=SYSTEM_ACTOR)
        change_event(event, {"slug": "pairs"}, by=SYSTEM_ACTOR)
        assert confirm_staff_entry(StaffEntry.objects.get(), by=desk(card)).is_posted

    def test_refused_with_a_reason_taken_back_without(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.APPROVAL)
        first, second = desk(card), desk(card)
        enter_paper_card(card, paper(), by=first)
        entry = StaffEntry.objects.get()
        with pytest.raises(DomainError, match="Enter what is wrong"):
            reject_staff_entry(entry, by=second)
        reject_staff_entry(entry, by=first)
        assert StaffEntry.objects.get().decided.decision == "withdrawn"
        enter_paper_card(card, paper((60, 11)), by=first)
        reject_staff_entry(StaffEntry.objects.get(decided__isnull=True), by=second, reason="11 is 10")
        assert not load_card_state_by_pk(card.pk).lines

    def test_the_system_needs_nobody(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.REKEY)
        assert enter_paper_card(card, paper(), by=SYSTEM_ACTOR).is_posted


class TestPages:
    def address(self, card: Card, name: str, **more: Any) -> str:
        event = card.match.event
        return event_url(f"scoring:{name}", event, **more)

    def test_a_director_sets_the_times(self, card: Card, client: Client) -> None:
        client.force_login(a_user("director", card.match.event.tournament))
        sent = {"key": "k", "corrections": 20, "rulings": 30, "appeals": 45, "second": "approve"}
        assert client.post(self.address(card, "desk_card_terms"), sent).status_code == 302
        assert load_correction_terms(card.match.event) == CorrectionTerms(
            corrections=20, appeals=45, second=StaffEntryCheck.APPROVAL
        )

    def test_the_list_of_entries_and_the_second_persons_button(self, card: Card, client: Client) -> None:
        terms(card, second=StaffEntryCheck.APPROVAL)
        enter_paper_card(card, paper(), by=desk(card))
        entry = StaffEntry.objects.get()
        client.force_login(a_user("desk", card.match.event.tournament))
        page = client.get(self.address(card, "desk_entries")).content.decode()
        assert "Ada 60, Alan 10" in page and "Confirm the entry" in page
        answer = client.post(self.address(card, "desk_entry_decide", entry=entry.pk), {"agree": "1"}, follow=True)
        assert "Confirmed and posted" in answer.content.decode()
        assert load_card_state_by_pk(card.pk).is_posted

    def test_who_types_it_again_sees_what_the_first_typed_only_where_the_two_differ(
        self, card: Card, client: Client
    ) -> None:
        cut_for(card)
        add_line(card, LineEntry(knock()), by=SYSTEM_ACTOR)
        terms(card, second=StaffEntryCheck.REKEY)
        correct_line(card, 1, LineEntry(knock(count=21)), by=desk(card), reason="misread")
        client.force_login(a_user("desk", card.match.event.tournament))
        for page in (self.address(card, "desk_entries"), self.address(card, "desk_card_lines", token=card.token)):
            assert "5–21" not in client.get(page).content.decode()
        url = self.address(card, "desk_hand", token=card.token, number=1)
        sent = {"outcome": "knock", "by": "A", "up": "8H", "counts_A": "5", "key": "k", "reason": "misread"}
        answer = client.post(url, {**sent, "counts_B": "22"})
        assert answer.status_code == 422
        said = answer.content.decode()
        assert "5 against 21, up card 8♥" in said and "You entered: Ada knocked with 5 against 22" in said
        assert client.post(url, {**sent, "counts_B": "21", "key": "k2"}).status_code == 302
        assert load_card_state_by_pk(card.pk).lines[0].line["counts"] == {"A": 5, "B": 21}

    def test_the_hand_of_a_paper_card_that_differs_is_named(self, card: Card) -> None:
        terms(card, second=StaffEntryCheck.REKEY)
        rows = tuple(PaperRow(line, {}) for line in (gin(count=20), gin(count=21, up="9C")))
        other = (rows[0], PaperRow(gin(count=22, up="9C"), {}))
        enter_paper_card(card, PaperCard(totals=None, rows=rows, keeper=card.entrants[0]), by=desk(card))
        with pytest.raises(StaffEntryMismatch) as differs:
            enter_paper_card(card, PaperCard(totals=None, rows=other, keeper=card.entrants[0]), by=desk(card))
        said = describe_staff_entry_mismatch(load_card_state_by_pk(card.pk), differs.value)
        assert (
            "entered: 2. Ada went gin with 0 against 21, up card 9♣" in said
            and "You entered: 2. Ada went gin with 0 against 22" in said
        )

    def test_players_and_everybody_see_until_when_an_error_can_be_corrected(self, card: Card, client: Client) -> None:
        in_the_desert(card)
        post(card)
        mine = reverse("scoring:my_card", kwargs={"token": card.entrants[0].token, "card": card.token})
        assert "Until then you can ask for a correction or a ruling." in client.get(mine).content.decode()
        until = CardPosted.objects.get(card=card).at + dt.timedelta(minutes=30)
        for page in (mine, self.address(card, "card", token=card.token)):
            assert f">{local_deadline(until, DESERT)}</time>" in client.get(page).content.decode()
        assert "Final at" in client.get(self.address(card, "card", token=card.token)).content.decode()
        posted_ago(card, 31)
        assert "Final</strong>" in client.get(mine).content.decode()

    def test_an_appeal_is_promised_only_where_a_committee_can_hear_it(self, card: Card, client: Client) -> None:
        terms(card, corrections=10, rulings=10, appeals=60)
        post(card)
        public = self.address(card, "card", token=card.token)
        without = client.get(public).content.decode()
        assert "You can ask for a correction or a ruling until" in without and "appeal until" not in without
        set_committee(card.match.event, ["Kurt", "Emmy", "Alonzo"], by=the_director(card.match.event))
        assert "and appeal until" in client.get(public).content.decode()

    def test_the_desks_page_of_a_final_card_says_what_a_correction_needs(self, card: Card, client: Client) -> None:
        post(card)
        posted_ago(card, 31)
        client.force_login(a_user("director", card.match.event.tournament))
        page = client.get(self.address(card, "desk_card_lines", token=card.token)).content.decode()
        assert "This score card is final" in page


def test_the_desks_word_on_a_match_whose_card_is_final_is_refused_until_then_it_stands(card: Card) -> None:
    post(card)
    said = MatchDecision(
        match=card.match, winner=card.entrants[1], cause=ResultCause.WALK_OVER, reason="came late", override=True
    )
    posted_ago(card, 31)
    with pytest.raises(Conflict, match="This card has been final"):
        decide_match(said, by=the_director(card.match.event))
    posted_ago(card, -30)
    assert decide_match(said, by=the_director(card.match.event)).winner == card.entrants[1]
