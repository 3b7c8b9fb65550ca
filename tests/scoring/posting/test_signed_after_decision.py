"""Signing a card after a staff decision does not change the result or later matches."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone
from pypdf import PdfReader

from pairing.draws.results import CardStatusKind, ResultCause
from pairing.models import MatchResult
from pairing.results.services.corrections import undo_result
from pairing.results.services.results import MatchDecision, decide_match, remove_entrant
from pairing.stages.selectors.course import load_event_stages
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.paper_cards import PaperCard, enter_paper_card
from scoring.models import Card
from scoring.posting.selectors.card_list import load_desk_cards
from scoring.posting.selectors.card_status import load_card_statuses
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect
from scoring.seals.selectors.keys import load_trusted_public_keys
from scoring.verification.pdf.file_checks import check_pdf
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.kit import client_as, desk_url, page_text, public_url
from tests.scoring.helpers.disputes import called, ruled_otherwise
from tests.scoring.helpers.playing import an_event_in_play, gin, play, play_out, post, sign, sign_both, the_card
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.errors import Conflict
from tournament.models import Event

pytestmark = pytest.mark.django_db
FOUR = ("Ada", "Alan", "Grace", "Kurt")


def decide(event: Event, winner: int | None, cause: ResultCause) -> None:
    match = event.matches.select_related("event__tournament").get(ident="R1M1")
    decision = MatchDecision(
        match=match,
        winner=event.entrants.get(number=winner) if winner else None,
        cause=cause,
        reason="Alan left",
        override=True,
    )
    decide_match(decision, by=SYSTEM_ACTOR)


def goes_on(event: Event) -> int | None:
    progress = load_event_stages(event).progress
    assert progress is not None
    return progress["R1M1"].winner


def problems(event: Event, capsys: pytest.CaptureFixture[str]) -> set[tuple[str, str]]:
    with pytest.raises(SystemExit):
        call_command("verify_event", event.tournament.slug, event.slug, "--json")
    return {(one["code"], one["place"]) for one in json.loads(capsys.readouterr().out)["problems"]}


def test_a_decision_of_the_desk_stands_whatever_is_signed_after_it(capsys: pytest.CaptureFixture[str]) -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "B")
    decide(event, 1, ResultCause.FORFEIT)
    sign_both(the_card(event))
    assert goes_on(event) == 1
    assert MatchResult.objects.count() == 1
    card = load_card_state_by_pk(the_card(event).pk)
    assert find_card_proof(card.digest).authenticity is Authenticity.DISAGREES
    client = client_as("director", event)
    today = client.get(desk_url(event, "today/")).content.decode()
    assert "the signed card says Ada 0\u00a0–\u00a091 Alan, the result is Ada won" in today
    assert ("card-against-result", "R1M1, game 1 (Ada – Alan)") in problems(event, capsys)


def test_after_the_decision_is_undone_today_leads_to_the_signed_card(capsys: pytest.CaptureFixture[str]) -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "B")
    decide(event, 1, ResultCause.FORFEIT)
    sign_both(the_card(event))
    undo_result(the_card(event).match, by=SYSTEM_ACTOR, reason="Alan is here")
    assert goes_on(event) is None
    card = load_card_state_by_pk(the_card(event).pk)
    assert find_card_proof(card.digest).authenticity is Authenticity.DISAGREES
    client = client_as("director", event)
    today = client.get(desk_url(event, "today/")).content.decode()
    assert "the signed card says Ada 0\u00a0–\u00a091 Alan, but the match has no result" in today
    assert f"{desk_url(event, 'results/R1M1/')}?ending=played:2" in today
    for address in (public_url(event, f"card/{card.card.token}/"), public_url(event, "match/R1M1/")):
        assert "The match has no result." in words_of_page(client, address)
    assert ("card-against-result", "R1M1, game 1 (Ada – Alan)") in problems(event, capsys)
    decide(event, 2, ResultCause.PLAYED)
    assert find_card_proof(card.digest).authenticity is Authenticity.GENUINE


def test_a_card_that_agrees_with_the_decision_is_posted_as_ever() -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "A")
    decide(event, 1, ResultCause.PLAYED)
    sign_both(the_card(event))
    assert (goes_on(event), MatchResult.objects.count()) == (1, 1)
    assert find_card_proof(load_card_state_by_pk(the_card(event).pk).digest).authenticity is Authenticity.GENUINE


@pytest.mark.parametrize("kind", ["withdrawn", "disqualified", "no-show"])
def test_who_is_out_turns_no_match_round_with_an_old_card(kind: str) -> None:
    """A complete card cannot be signed after one of its players left and the opponent played the next match."""
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "A")
    remove_entrant(event.entrants.get(number=1), kind, by=SYSTEM_ACTOR, reason="They left")
    post(the_card(event, "R1M2"))
    post(the_card(event, "R2M1"))
    with pytest.raises(Conflict, match="director decides this match") as refusal:
        sign_both(the_card(event))
    assert refusal.value.code == "went-on"
    assert goes_on(event) == 2
    assert not load_card_state_by_pk(the_card(event).pk).is_posted


def test_who_is_out_can_sign_the_card_they_lost() -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "B")
    remove_entrant(event.entrants.get(number=1), "withdrawn", by=SYSTEM_ACTOR, reason="They went home")
    sign_both(the_card(event))
    assert goes_on(event) == 2
    assert MatchResult.objects.get().score == {"1": 0, "2": 91}


def test_a_card_that_was_begun_before_the_match_was_made_void_is_over() -> None:
    event = an_event_in_play(FOUR)
    old = the_card(event)
    play_out(old, "B")
    decide(event, None, ResultCause.VOID)
    for act in (lambda: sign_both(old), lambda: play(old, gin("A", 20))):
        with pytest.raises(Conflict, match="this score card no longer counts") as refusal:
            act()
        assert refusal.value.code == "made-void"
    assert [one.state.card.match.ident for one in load_desk_cards(event, "open", timezone.now())] == ["R1M1", "R1M2"]
    assert list(Card.objects.filter(match=old.match).order_by("game").values_list("game", flat=True)) == [1, 2]
    post(the_card(event, game=2), "A")
    assert goes_on(event) == 1
    with pytest.raises(Conflict, match="this score card no longer counts"):
        sign_both(old)


def test_every_page_and_paper_of_a_void_card_says_that_it_is_void(tmp_path: Path) -> None:
    """Only one player had signed when staff voided the match. No page may say that the other signature is missing."""
    event = an_event_in_play(FOUR)
    old = the_card(event)
    play_out(old, "B")
    digest = sign(old, old.entrants[0]).digest
    before = Client().get(public_url(event, f"card/{old.token}/pdf/")).content
    decide(event, None, ResultCause.VOID)
    said = (
        "Void. Not all players signed this score card before its match became void. It no longer "
        "counts and needs no signatures."
    )
    now = "Reason: Alan left. The result now: The match is open and will be played again."
    client = client_as("director", event)
    public = public_url(event, f"card/{old.token}/")
    desk = desk_url(event, f"cards/{old.token}/")
    pages = (
        public,
        f"{public}?d={digest}",
        desk,
        f"/verify/{digest}/",
        f"/my/{old.entrants[0].token}/card/{old.token}/",
    )
    for address in pages:
        page = words_of_page(client, address)
        assert said in page and now in page, address
        assert not [wrong for wrong in NOT_OF_A_VOID_CARD if wrong in page], address
    paper = client.get(f"{public}pdf/").content
    text = re.sub(r"\s+", " ", "\n".join(each.extract_text() for each in PdfReader(io.BytesIO(paper)).pages))
    assert "version 1, without a seal: its match was made void" in text and "signatures are missing" not in text
    assert "VOID: it no longer counts" in text and "SUPERSEDED" not in text
    assert "VOID. Not all players signed this score card" in text and "not posted: signatures are missing" not in text
    for content in (paper, before):
        answer = check_pdf(content, load_trusted_public_keys(), find_card_proof)
        assert answer.authenticity is Authenticity.UNSIGNED
        assert next(one.now for one in answer.unsigned).startswith("Void. Not all players signed this score card")
    assert said in asked("--digest", digest)
    (tmp_path / "before.pdf").write_bytes(before)
    assert f"on record now: {said}" in asked(str(tmp_path / "before.pdf"))
    match_page = words_of_page(client, public_url(event, "match/R1M1/"))
    assert said in match_page


def test_the_desk_sees_before_that_a_card_would_be_void_and_that_nobody_had_signed_it() -> None:
    event = an_event_in_play(FOUR)
    play_out(the_card(event), "B")
    client = client_as("director", event)
    address = desk_url(event, "results/R1M1/")
    sent = {"ending": "void:", "reason": "Alan left", "act": "look", "key": "k"}
    page = page_text(client.post(address, sent))
    assert "Score cards that would be void, because not all players have signed them" in page
    assert "Semifinal 1, game 1: Ada 0 – 91 Alan Not signed by all players Void" in page.replace("→ ", "").replace(
        "→", ""
    )
    assert "a signed score card" not in page and "It counts" not in page


NOT_OF_A_VOID_CARD = (
    "Unsigned",
    "not signed by all yet",
    "It counts when all players have signed",
    "Check and sign",
    "Signed on paper",
    "Waiting for the signature",
    "Correct or add a hand",
)


def words_of_page(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200, address
    return page_text(page)


def asked(*words: str) -> str:
    """Run `verify_card`, require the exit status for a card that does not count, and return the output."""
    out = io.StringIO()
    with pytest.raises(SystemExit) as status:
        call_command("verify_card", *words, stdout=out)
    assert status.value.code == 1
    return out.getvalue()


def test_a_void_match_is_not_won_by_a_correction_of_its_old_card() -> None:
    event = an_event_in_play(FOUR)
    old = the_card(event)
    post(old)
    correct_line(old, 1, LineEntry(gin("B", 20)), by=SYSTEM_ACTOR, reason="typed wrongly")
    decide(event, None, ResultCause.VOID)
    with pytest.raises(Conflict, match="this score card no longer counts"):
        sign_both(old)
    assert goes_on(event) is None


def test_a_card_that_nobody_has_begun_stays_the_one_that_counts() -> None:
    event = an_event_in_play(FOUR)
    decide(event, None, ResultCause.VOID)
    post(the_card(event), "B")
    assert goes_on(event) == 2


def test_what_one_side_has_signed_is_not_called_genuine() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    play_out(card)
    digest = sign(card, card.entrants[0]).digest
    assert find_card_proof(digest).authenticity is Authenticity.UNSIGNED
    page = Client().get(f"/verify/{digest}/").content.decode()
    assert "Not signed by all players." in page and "Genuine." not in page
    sign(card, card.entrants[1])
    assert find_card_proof(digest).authenticity is Authenticity.GENUINE


def test_an_older_version_says_that_the_change_is_not_signed() -> None:
    event = an_event_in_play(FOUR)
    digest = post(the_card(event)).digest
    correct_line(the_card(event), 1, LineEntry(gin("B", 20)), by=SYSTEM_ACTOR, reason="typed wrongly")
    page = Client().get(f"/verify/{digest}/").content.decode()
    assert "Not all players have signed the change. What counts until then is below." in page


OFFERED_IN_VAIN = (
    "Correct or add a hand",
    "Cut or draw, and who keeps score",
    "Correct the last",
    "Record the up card",
    "New deck",
    "Pass this phone",
    "Correct the totals",
    "Final at",
)


@pytest.mark.parametrize("how", ["begun", "one signed", "posted", "corrected"])
def test_nothing_is_offered_on_a_card_whose_match_was_made_void(how: str) -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    play(card, gin("B", 20)) if how == "begun" else post(card) if how != "one signed" else play_out(card, "B")
    if how == "one signed":
        sign(card, card.entrants[0])
    if how == "corrected":
        correct_line(card, 1, LineEntry(gin("B", 20)), by=SYSTEM_ACTOR, reason="typed wrongly")
    decide(event, None, ResultCause.VOID)
    client = client_as("director", event)
    place = f"{event.tournament.slug}/{event.slug}"
    phones = [f"/my/{entrant.token}/card/{card.token}/" for entrant in card.entrants]
    for address in (f"/desk/{place}/cards/{card.token}/", f"/desk/{place}/today/", *phones):
        page = words_of_page(client, address)
        assert not [wrong for wrong in OFFERED_IN_VAIN if wrong in page], address


def test_today_links_no_correction_of_totals_of_a_match_made_void() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    enter_paper_card(card, PaperCard(totals={"A": 60, "B": 10}, signed=("A", "B"), witness="Ida"), by=SYSTEM_ACTOR)
    client = client_as("director", event)
    today = desk_url(event, "today/")
    page = words_of_page(client, today)
    assert "Ada 60 – Alan 10" in page and "Correct the totals" in page
    decide(event, None, ResultCause.VOID)
    page = words_of_page(client, today)
    assert "Ada 60 – Alan 10" not in page and "Correct the totals" not in page


def test_the_phone_does_not_name_a_winner_whom_the_desk_decided_against() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    post(card)
    for hand, line in ((1, gin("B", 20)), (2, gin("B", 25, "9C"))):
        correct_line(card, hand, LineEntry(line), by=SYSTEM_ACTOR, reason="typed wrongly")
    decide(event, 1, ResultCause.FORFEIT)
    page = words_of_page(Client(), f"/my/{card.entrants[0].token}/card/{card.token}/")
    assert "Changed, decided since The ruling counts, not the card." in page
    assert "Alan has won this game" not in page and "Pass this phone" not in page


def test_a_ruling_that_changes_a_hand_and_takes_the_match_from_both_decides_it() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    post(card)
    lost = {"A": RulingDecision.GAME_LOSS, "B": RulingDecision.GAME_LOSS}
    ruled_otherwise(
        called(card, "retake-discard", by="A", hand=1), RulingDecision.GAME_LOSS, sheet=SheetEffect.THROW_IN, **lost
    )
    assert load_card_statuses(event)[card.pk].kind is CardStatusKind.DECIDED
