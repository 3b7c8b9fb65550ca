"""If the effects of a ruling are later undone or corrected, its slip, its pages, and `verify_event` show this."""

from __future__ import annotations

import io
from html import unescape
from pathlib import Path
from re import sub
from typing import Any

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pypdf import PdfReader

from pairing.draws.results import ResultCause
from pairing.models import MatchResult
from pairing.results.selectors.effects import ActionEffects
from pairing.results.services.corrections import EventPreview, bring_back_entrant, undo_result
from pairing.results.services.results import MatchDecision, decide_match
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.disputes.selectors.register import load_ruling_changes
from scoring.disputes.services.appeals import AppealDecision, decide_appeal, record_appeal, set_committee
from scoring.disputes.services.penalties import lift_penalty
from scoring.disputes.services.rulings import make_ruling
from scoring.models import Ruling
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect
from scoring.verification.selectors.checks import VerificationCheck, checks_as_json
from scoring.verification.selectors.proofs import Authenticity, find_ruling_proof
from tests.kit import client_as, event_url
from tests.prebuilt import prebuilt
from tests.scoring.helpers.disputes import ACCEPTED, as_the_rules_say, called, ruled_otherwise
from tests.scoring.helpers.files import slip
from tests.scoring.helpers.playing import an_event_in_play, gin, play, post, sign_both, the_card, the_director
from tests.verifying import verify_event
from tournament.core.cached import clear_cache
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.selectors.log import compute_fact_digest
from tournament.models import Event

pytestmark = pytest.mark.django_db

CHANGED = "The ruling stands, but some of its effects were changed later."


@pytest.fixture
@prebuilt
def event() -> Event:
    return an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))


@pytest.fixture
@prebuilt
def penalty(event: Event) -> Ruling:
    """Return a ruling by which Ada, who won 91–0, loses the match by penalty."""
    post(the_card(event))
    dispute = called(the_card(event), "false-report", by="A")
    return make_ruling(dispute, as_the_rules_say(dispute), by=the_director(event))


@pytest.fixture
@prebuilt
def hand(event: Event) -> Ruling:
    """Return a ruling that gives the second hand and 28 points to Alan."""
    play(the_card(event), gin("A", 10))
    dispute = called(the_card(event), "improper-knock", hand=2, **ACCEPTED)
    return make_ruling(dispute, as_the_rules_say(dispute), by=the_director(event))


def undo(event: Event) -> None:
    undo_result(event.matches.get(ident="R1M1"), by=the_director(event), reason="a wrong name was called")


def strike(event: Event, line: Any = None, reason: str = "never played") -> None:
    entry = LineEntry(line, via="desk", override="it is right") if line else None
    correct_line(the_card(event), 2, entry, by=the_director(event), reason=reason)


def decide(event: Event, number: int | None, cause: ResultCause = ResultCause.PLAYED, **more: Any) -> MatchResult:
    winner = event.entrants.get(number=number) if number else None
    said = MatchDecision(
        match=the_card(event).match, winner=winner, cause=cause, reason="seen on film", override=True, **more
    )
    return decide_match(said, by=the_director(event))


def since(*made: Ruling) -> dict[int, list[tuple[str, str]]]:
    """Return the later changes to each ruling's effects, with their reasons, keyed by the ruling's primary key."""
    found = load_ruling_changes([Ruling.objects.get(pk=one.pk) for one in made])
    return {key: [(change.kind.value, change.reason) for change in changes] for key, changes in found.items()}


def words(address: str, client: Client | None = None, **posted: str) -> str:
    cache.clear()
    asked = client or Client()
    answer = asked.post(address, posted) if posted else asked.get(address)
    text = answer.content.decode()
    main = text[text.index("<main") : text.index("</main>")]
    return " ".join(unescape(sub("<[^>]+>", " ", main)).split())


def proof_page(made: Ruling) -> str:
    return words(reverse("scoring:verify", args=[compute_fact_digest(made)]))


def public_page(made: Ruling) -> str:
    place = {"tournament": made.dispute.event.tournament.slug, "number": made.number}
    return words(reverse("scoring:public_ruling", kwargs=place))


def about_rulings(event: Event) -> list[VerificationCheck]:
    return [check for check in verify_event(event) if check.kind == "rulings"]


def command(*asked: str) -> tuple[int, str]:
    out = io.StringIO()
    with pytest.raises(SystemExit) as left:
        call_command("verify_card", *asked, stdout=out)
    return int(left.value.code or 0), out.getvalue()


class TestAResultThatWasUndone:
    def test_while_it_stands_it_is_genuine(self, event: Event, penalty: Ruling) -> None:
        assert "and it stands" in proof_page(penalty) and CHANGED not in public_page(penalty)
        assert [check.passed for check in about_rulings(event)] == [True]

    def test_the_page_of_its_digest_says_when_by_whom_and_why(self, event: Event, penalty: Ruling) -> None:
        undo(event)
        page = proof_page(penalty)
        by = MatchResult.objects.latest("pk").by_name
        assert "Genuine." not in page and "the ruling stands" not in page and CHANGED in page
        assert "Semifinal 1: the result it set was undone on" in page
        assert f"by {by}. Reason: a wrong name was called." in page
        found = find_ruling_proof(compute_fact_digest(penalty))
        assert (found.authenticity, found.later) == (Authenticity.SUPERSEDED, None)

    def test_file_and_command_say_so(self, event: Event, penalty: Ruling, tmp_path: Path) -> None:
        path = tmp_path / "slip.pdf"
        path.write_bytes(slip(penalty))
        undo(event)
        for asked in ((str(path),), ("--digest", compute_fact_digest(penalty))):
            status, said = command(*asked)
            assert status == 1 and "not all that it did stands any more" in said and "a wrong name was called" in said

    def test_the_register_and_the_desk_say_so(self, event: Event, penalty: Ruling) -> None:
        undo(event)
        page, register = public_page(penalty), reverse("scoring:public_rulings", args=[event.tournament.slug])
        assert CHANGED in page and "A result it set was undone on" in page
        assert "Semifinal 1:" not in page and "a wrong name was called" not in page, "nobody is named there"
        assert "undone or corrected since" in words(register)
        assert "undone or corrected since" in Client().get(f"{register}?_export=csv").content.decode()
        of_desk = words(
            event_url("scoring:desk_ruling", event, dispute=penalty.dispute_id), client_as("director", event)
        )
        assert CHANGED in of_desk and "a wrong name was called" in of_desk

    def test_the_desks_list_and_today_say_so(self, event: Event, penalty: Ruling) -> None:
        client, today = client_as("director", event), event_url("scoring:desk_today", event)
        assert "corrected since" not in words(event_url("scoring:desk_rulings", event), client) + words(today, client)
        undo(event)
        listed = words(event_url("scoring:desk_rulings", event), client)
        assert "Undone or corrected since. Semifinal 1: the result it set was undone on" in listed
        assert "Reason: a wrong name was called." in listed
        shown = words(today, client)
        assert "Rulings undone or corrected since Ruling 1, singles 13 : Semifinal 1: the result it set" in shown
        assert "and nobody gave a reason" not in shown
        MatchResult.objects.filter(undoes__isnull=False).update(reason="")
        clear_cache()  # the program writes nothing without a word to those who look
        assert "Ruling 1: part of it was changed later, and nobody gave a reason." in words(today, client)

    def test_a_new_print_of_the_slip_says_so(self, event: Event, penalty: Ruling) -> None:
        undo(event)
        text = " ".join(PdfReader(io.BytesIO(slip(penalty))).pages[0].extract_text().split())
        assert "CHANGED SINCE THIS RULING Semifinal 1: the result it set was undone on" in text

    def test_the_check_of_the_event_names_it_and_finds_no_fault(self, event: Event, penalty: Ruling) -> None:
        undo(event)
        first = about_rulings(event)[0]
        assert (first.subject, first.passed) == ("ruling 1", True) and "a wrong name was called" in first.finding

    def test_that_nobody_gave_a_reason_for_is_a_fault(self, event: Event, penalty: Ruling) -> None:
        undo(event)
        MatchResult.objects.filter(undoes__isnull=False).update(reason="")
        (problem,) = checks_as_json(about_rulings(event))["problems"]
        assert (problem["code"], problem["place"]) == ("ruling-not-carried-out", "ruling 1")

    def test_the_form_and_the_effects_name_the_ruling_before(self, event: Event, penalty: Ruling) -> None:
        client, address = client_as("director", event), event_url("pairing:desk_undo", event, ident="R1M1")
        assert "Ruling 1, singles 13, set this result." in words(address, client)
        seen = str(MatchResult.objects.latest("pk").pk)
        page = words(address, client, reason="a wrong name", act="look", seen=seen, key="k")
        assert "This goes against a ruling." in page
        assert "Ruling 1, singles 13 : Semifinal 1: the result it set was undone" in page

    def test_the_same_result_once_more_is_the_ruling_again(self, event: Event, penalty: Ruling) -> None:
        wrote = MatchResult.objects.latest("pk")
        undo(event)
        MatchResult.objects.create(
            match=wrote.match, winner=wrote.winner, credits=wrote.credits,
            supersedes=MatchResult.objects.latest("pk"), by_name="t", reason="it stays",
        )  # fmt: skip
        assert CHANGED not in proof_page(penalty)

    def test_undone_again_the_last_undoing_is_told(self, event: Event, penalty: Ruling) -> None:
        for reason in ("first", "second", "third"):
            assert since(penalty).get(penalty.pk, []) == ([] if reason != "second" else [("undone", "first")])
            undo_result(event.matches.get(ident="R1M1"), by=the_director(event), reason=reason)
        (change,) = load_ruling_changes([penalty])[penalty.pk]
        last = MatchResult.objects.latest("pk")
        assert (change.kind, change.reason, change.at, change.by) == ("undone", "third", last.at, last.by_name)
        assert (change.match, change.card, change.has_reason) == ("R1M1", None, True)

    def test_decided_otherwise_by_whom_and_why(self, event: Event, penalty: Ruling) -> None:
        made = decide(event, 1)
        (change,) = load_ruling_changes([penalty])[penalty.pk]
        said = (change.kind, change.match, change.at, change.by, change.reason)
        assert said == ("decided-otherwise", "R1M1", made.at, made.by_name, "seen on film")
        assert "Semifinal 1: the result it set was changed by a decision on" in proof_page(penalty)
        assert "A result it set was changed by a decision on" in public_page(penalty)
        undo(event)
        assert since(penalty) == {}
        decide(event, None, ResultCause.VOID)
        assert since(penalty) == {penalty.pk: [("decided-otherwise", "seen on film")]}

    def test_each_of_several_by_itself(self, event: Event, penalty: Ruling) -> None:
        post(the_card(event, "R1M2"))
        dispute = called(the_card(event, "R1M2"), "false-report", by="A")
        other = make_ruling(dispute, as_the_rules_say(dispute), by=the_director(event))
        elsewhere = an_event_in_play(("Emmy", "Max"))
        post(the_card(elsewhere))
        dispute = called(the_card(elsewhere), "false-report", by="A")
        third = make_ruling(dispute, as_the_rules_say(dispute), by=the_director(elsewhere))
        assert since(penalty, other, third) == {}
        undo(event)
        assert since(penalty, other, third) == {penalty.pk: [("undone", "a wrong name was called")]}
        undo_result(elsewhere.matches.get(ident="R1M1"), by=the_director(elsewhere), reason="here, too")
        assert since(penalty, other, third) == {
            penalty.pk: [("undone", "a wrong name was called")],
            third.pk: [("undone", "here, too")],
        }


class TestAHandThatWasCorrected:
    def test_struck_out(self, event: Event, hand: Ruling) -> None:
        strike(event)
        page = proof_page(hand)
        assert "Hand 2, as ruled, was struck out on" in page and "Reason: never played." in page
        assert "Hand 2, as ruled, was struck out on" in public_page(hand)
        text = " ".join(PdfReader(io.BytesIO(slip(hand))).pages[0].extract_text().split())
        assert "35 – 28 by this ruling" in text and "28 now" not in text and "CHANGED SINCE THIS RULING Hand 2" in text

    def test_another_hand_in_its_place(self, event: Event, hand: Ruling) -> None:
        strike(event, gin("A", 5, "9C"))
        assert "Hand 2, as ruled, was corrected on" in proof_page(hand)
        assert [check.passed for check in about_rulings(event)] == [True, True]

    def test_put_back_as_it_was_ruled(self, event: Event, hand: Ruling) -> None:
        wrote = hand.effects["sheet"]["line"]
        strike(event, gin("A", 5, "9C"))
        strike(event, wrote)
        assert CHANGED not in proof_page(hand)

    def test_corrected_and_then_struck_out_it_is_the_correction_that_took_it_away(
        self, event: Event, hand: Ruling
    ) -> None:
        strike(event, gin("A", 5, "9C"), "counted again")
        strike(event)
        (change,) = load_ruling_changes([hand])[hand.pk]
        first = the_card(event).lines.get(reason="counted again")
        assert (change.kind, change.reason, change.at) == ("corrected", "counted again", first.at)
        assert (change.card, change.hand, change.match) == (the_card(event), 2, "")
        page = proof_page(hand)
        assert "Hand 2, as ruled, was corrected on" in page and "was struck out" not in page

    def test_put_back_and_taken_away_again_the_last_act_is_told(self, event: Event, hand: Ruling) -> None:
        strike(event, gin("A", 5, "9C"), "counted again")
        strike(event, hand.effects["sheet"]["line"], "the ruling stands")
        strike(event, None, "never played")
        assert since(hand) == {hand.pk: [("struck", "never played")]}

    def test_the_card_that_it_changed_was_superseded(self, event: Event, hand: Ruling) -> None:
        play(the_card(event), gin("A", 21, "9C"))
        sign_both(the_card(event))
        assert since(hand) == {}
        made = decide(event, 2, points={1: 0, 2: 91})
        (change,) = load_ruling_changes([hand])[hand.pk]
        said = (change.kind, change.at, change.by, change.reason, change.card)
        assert said == ("card-superseded", made.at, made.by_name, "seen on film", the_card(event))
        assert "The score card it changed was superseded on" in proof_page(hand)
        undo(event)
        assert since(hand) == {}

    def test_the_form_of_the_hand_names_the_ruling_before(self, event: Event, hand: Ruling) -> None:
        client, token = client_as("director", event), the_card(event).token
        assert "A ruling set this hand: Ruling 1, singles 9" in words(
            event_url("scoring:desk_hand", event, token=token, number=2), client
        )
        assert "A ruling set" not in words(event_url("scoring:desk_hand", event, token=token, number=1), client)


class TestAnAppeal:
    @pytest.fixture(autouse=True)
    def _appealed(self, event: Event, hand: Ruling) -> None:
        set_committee(event, ["Ida"], by=SYSTEM_ACTOR)
        record_appeal(hand, by=SYSTEM_ACTOR, reason="no", entrant=event.entrants.get(number=1))

    def test_until_it_is_decided_the_pages_say_so(self, hand: Ruling) -> None:
        for page in (proof_page(hand), public_page(hand)):
            assert "The ruling was appealed. It stands until the committee decides." in page
        assert "and it stands." not in proof_page(hand)
        assert "the committee has not decided yet" in command("--digest", compute_fact_digest(hand))[1]

    def test_upheld_it_stands(self, hand: Ruling) -> None:
        decide_appeal(hand.appeal, AppealDecision(members=("Ida",), reason="it stands"), by=SYSTEM_ACTOR)
        assert "and it stands." in proof_page(hand) and "was appealed" not in proof_page(hand)

    def test_what_the_committee_changed_is_superseded_and_nothing_else_is_said(
        self, event: Event, hand: Ruling
    ) -> None:
        again = as_the_rules_say(hand.dispute, chosen="decline")
        decide_appeal(hand.appeal, AppealDecision(members=("Ida",), reason="other", new_ruling=again), by=SYSTEM_ACTOR)
        assert CHANGED not in proof_page(hand) and "made on appeal" in proof_page(hand)
        assert all(check.passed for check in about_rulings(event))


def test_a_penalty_that_was_lifted(event: Event, penalty: Ruling) -> None:
    lift_penalty(penalty.penalties.get(), by=the_director(event), reason="it was somebody else")
    assert "Ada: the penalty was lifted on" in proof_page(penalty)
    assert "Side A: the penalty was lifted on" in public_page(penalty)


def test_somebody_put_out_who_is_brought_back(event: Event) -> None:
    dispute = called(the_card(event), "conduct", by="A")
    made = ruled_otherwise(dispute, RulingDecision.ELIMINATION, sheet=SheetEffect.NOTHING, A=RulingDecision.ELIMINATION)
    ada = event.entrants.get(number=1)

    def back() -> object:
        return bring_back_entrant(ada, by=the_director(event), reason="on second thought")

    looked: ActionEffects = EventPreview(event).preview(back)
    assert [(one.number, one.said) for one in looked.rulings] == [(1, ("Ada: brought back into the event",))]
    back()
    assert "Ada: brought back into the event on" in proof_page(made)


class TestTheCardThatItSuperseded:
    def test_card_and_match_say_the_same_of_who_has_it(self, event: Event, penalty: Ruling) -> None:
        said = "Alan wins the match, by a penalty against Ada."
        card = words(event_url("scoring:card", event, token=the_card(event).token))
        match = words(event_url("pairing:match", event, ident="R1M1"))
        assert f"The result now: {said}" in card and said in match
        assert "✓ has the match" in match and "Alan 2 ✓ winner" not in match and "Alan goes on" not in match

    def test_by_whom_and_why_with_a_link_to_the_ruling(self, event: Event, penalty: Ruling) -> None:
        at_card, at_match = (
            event_url("scoring:card", event, token=the_card(event).token),
            event_url("pairing:match", event, ident="R1M1"),
        )
        for address in (at_card, at_match):
            assert f"by {penalty.by_name}. Reason: Ruling 1, singles 13." in words(address)
            assert f"/rulings/{penalty.number}/" in Client().get(address).content.decode()

    def test_the_reason_of_an_own_word_stands_beside_the_number(self, event: Event) -> None:
        post(the_card(event))
        dispute = called(the_card(event), "conduct", by="A")
        ruled_otherwise(dispute, RulingDecision.GAME_LOSS, sheet=SheetEffect.NOTHING, A=RulingDecision.GAME_LOSS)
        reason = MatchResult.objects.latest("pk").reason
        assert reason.startswith("Ruling 1") and reason.endswith("as I saw it")
