"""After manual changes in the database, `verify_event` and the card's proof say where each change is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from pairing.models import Match, MatchResult
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.checks import DisplayedHand, TurnedUpCard, confirm_hand, record_up_card
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.signing import SigningContext, sign_with_strokes
from scoring.models import Card, CardPosted, CardSeal, CardSeat, CardVersion, HandCheck, SheetLine, Signature, UpCard
from scoring.rules.evidence.sealing import derive_seal_key, encode_canonical_json, encode_public_key, sha256_hex
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.scoring.helpers.playing import (
    an_event_in_play,
    cut_for,
    gin,
    play,
    play_out,
    post,
    sign,
    sign_both,
    the_card,
    the_director,
)
from tests.verifying import verify_event
from tournament.core.permissions import make_player_actor
from tournament.core.selectors.log import check_log_chain
from tournament.core.selectors.log import compute_log_entry_digest as row_digest
from tournament.models import AuditEntry, AuditHead, Event, Tournament

pytestmark = pytest.mark.django_db

STROKES = [[[100, 50, 0], [200, 80, 10], [300, 40, 20]], [[10, 10, 30], [20, 20, 40], [30, 10, 55]]]


@pytest.fixture(scope="module")
def event(rows_of_module: None) -> Event:
    """Return an event with a posted (final) card, signed by drawing and by code, and another card posted after it."""
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"))
    card = the_card(event)
    state = play_out(card)
    sign_with_strokes(
        card, STROKES, SigningContext(state.digest, device="Ada's phone"), by=make_player_actor(card.entrants[0])
    )
    sign(card, card.entrants[1])
    post(the_card(event, "R1M2"))
    return event


@pytest.fixture
def card(event: Event) -> Any:
    return the_card(event)


def bad(card: Any) -> list[str]:
    """Return each failed check as “place: result”, except for the draw, which these tests do not seal."""
    checks = [check for check in verify_event(card.match.event) if check.subject != "draw order"]
    return [f"{check.subject}: {check.finding}" for check in checks if not check.passed]


def places(card: Any, digest: str) -> list[str]:
    proof = find_card_proof(digest)
    assert proof.authenticity is Authenticity.ALTERED
    return [fault.place for fault in proof.faults]


def test_nothing_was_changed(card: Any) -> None:
    assert not bad(card)
    proof = find_card_proof(load_card_state_by_pk(card.pk).digest)
    assert (proof.authenticity, proof.is_sealed, proof.version.number, proof.later_version) == (
        "genuine",
        True,
        1,
        None,
    )


def test_a_hand(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    line = SheetLine.objects.get(card=card, number=2)
    line.line["counts"]["B"] = 31
    SheetLine.objects.filter(pk=line.pk).update(line=line.line)
    found = bad(card)
    assert any(
        "R1M1, game 1 (Ada – Alan): hand 2: Hand 2 is not as it was signed in version 1." in each for each in found
    )
    assert set(places(card, digest)) == {"hand 2"}


def test_a_hand_of_a_card_that_nobody_has_signed_yet(card: Any) -> None:
    other = the_card(card.match.event, "R2M1")
    play(other, gin("A", 5), gin("B", 6, "9C"))
    assert not bad(card)
    row = AuditEntry.objects.filter(verb="card.line").last()
    SheetLine.objects.filter(card=other, number=2).update(line=gin("B", 26, "9C"))
    said = f"It is not what row {row.seq} of the log says: hand 2."
    assert bad(card) == [f"R2M1, game 1 (Ada – Grace): hand 2: {said}"]
    SheetLine.objects.filter(card=other, number=2).delete()
    said = f"Row {row.seq} of the log names a hand of this card, and it is missing."
    assert bad(card) == [f"R2M1, game 1 (Ada – Grace): hands: {said}"]


def test_a_hand_that_cannot_stand_at_all(card: Any) -> None:
    SheetLine.objects.filter(card=card, number=2).update(line={"what": "ever"})
    assert any("R1M1, game 1" in each and "can no longer be counted" in each for each in bad(card))


def test_a_deleted_hand(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    SheetLine.objects.filter(card=card, number=1).delete()
    assert "hand 1" in places(card, digest)
    assert any(": hand 1:" in each for each in bad(card))


def test_a_name(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    CardSeat.objects.filter(card=card, position=1).update(name="Somebody Else")
    assert "names" in places(card, digest)


def test_a_name_is_compared_with_the_entry(card: Any) -> None:
    CardSeat.objects.filter(card=card, position=1).update(name="Somebody Else")
    entry = card.entrants[1]
    said = f"the card names “Somebody Else”, and entry {entry.number} is “{entry.name}”"
    assert any(said in problem for problem in bad(card))


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"strokes": [[[1, 2, 3]] * 9]}, "what was drawn"),
        ({"device": "Another phone"}, "the device"),
        ({"method": "paper"}, "how it was signed"),
        ({"witness": "Nobody"}, "the witness"),
    ],
)
def test_a_signature(card: Any, change: Any, what: str) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    Signature.objects.filter(card=card, seat__position=0).update(**change)
    proof = find_card_proof(digest)
    assert {fault.place for fault in proof.faults} == {"signature A"}
    assert any(fault.message == f"The signature of Ada was changed: {what}." for fault in proof.faults)
    assert any("signature A: It is not what row" in each and "the signature of Ada" in each for each in bad(card))


def test_a_signature_put_under_another_content(card: Any) -> None:
    Signature.objects.filter(card=card, seat__position=1).update(digest="a" * 64)
    assert any("signature B" in each and "never on this card" in each for each in bad(card))


def test_a_signature_moved_to_another_seat(card: Any) -> None:
    Signature.objects.filter(card=card, seat__position=1).delete()
    Signature.objects.filter(card=card).update(seat=CardSeat.objects.get(card=card, position=1))
    found = bad(card)
    assert any("The signature of Ada is missing." in each for each in found)
    assert any("signature B" in each for each in found)


def test_a_deleted_signature_of_a_card_that_was_never_posted(card: Any) -> None:
    other = the_card(card.match.event, "R2M1")
    play_out(other)
    sign(other, other.entrants[0])
    row = AuditEntry.objects.filter(verb="card.signed").last()
    Signature.objects.filter(card=other).delete()
    said = f"Row {row.seq} of the log names a signature of this card, and it is missing."
    assert [each for each in bad(card) if "R2M1" in each] == [f"R2M1, game 1 (Ada – Grace): signature: {said}"]


def test_the_content_of_a_version(card: Any) -> None:
    version = CardVersion.objects.get(card=card)
    changed = version.content.replace('"B":21', '"B":31')
    assert changed != version.content
    CardVersion.objects.filter(pk=version.pk).update(content=changed)
    assert any("The content that was kept of version 1 was changed. Changed: hand 2." in each for each in bad(card))
    CardVersion.objects.filter(pk=version.pk).update(content=changed, digest=sha256_hex(changed))
    said = " ".join(bad(card))
    assert "version 1" in said and "The seal was made on another content of the card." in said


def test_a_deleted_version(card: Any) -> None:
    CardSeal.objects.filter(version__card=card).delete()
    CardVersion.objects.filter(card=card).delete()
    said = " ".join(bad(card))
    assert "names a version of this card, and it is missing" in said
    assert "seal 1 is missing" in said


def test_the_statement_of_a_seal_and_its_signature(card: Any) -> None:
    seal = CardSeal.objects.get(version__card=card)
    changed = seal.statement.replace('"name":"Ada"', '"name":"Eve"')
    CardSeal.objects.filter(pk=seal.pk).update(statement=changed)
    said = " ".join(bad(card))
    assert "The sealed statement was changed" in said
    assert "The signature of Eve was changed: the name." in said
    CardSeal.objects.filter(pk=seal.pk).update(statement=changed, digest=sha256_hex(changed))
    assert "The seal's own signature does not belong to its statement." in " ".join(bad(card))


def test_a_seal_of_somebody_else_s_key_does_not_agree_with_the_log(card: Any) -> None:
    seal = CardSeal.objects.get(version__card=card)
    key = derive_seal_key("a stranger's secret")
    changed = seal.statement.replace('"device":"Ada\'s phone"', '"device":"Eve\'s phone"')
    seal.key.public = encode_public_key(key)
    seal.key.pk = None
    seal.key.save(force_insert=True)
    CardSeal.objects.filter(pk=seal.pk).update(
        statement=changed, digest=sha256_hex(changed), signature=key.sign(changed.encode()).hex(), key=seal.key
    )
    said = " ".join(bad(card))
    assert "It is not what row" in said and "seal 1" in said
    assert "another key than this installation's" in said


def test_that_it_was_posted(card: Any) -> None:
    CardPosted.objects.filter(card=card).delete()
    assert any("its posting is missing" in each for each in bad(card))


def test_a_deleted_seal_breaks_the_chain(card: Any) -> None:
    CardSeal.objects.filter(version__card=card).delete()
    said = " ".join(bad(card))
    assert "names a seal of this card, and it is missing" in said
    assert "chain of seals: seal 1 is missing" in said


def test_a_row_of_the_log(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    row = AuditEntry.objects.filter(verb="card.signed", data__card=card.pk).first()
    AuditEntry.objects.filter(pk=row.pk).update(by_name="Nobody")
    assert f"log row {row.seq}" in places(card, digest)
    assert any(each == f"log chain: broken at row {row.seq}" for each in bad(card))


def log_anew(tournament: Tournament) -> None:
    """Recompute the log's chain of digests, as somebody could who controls the database and knows the program."""
    previous = "0" * 64
    for row in AuditEntry.objects.filter(tournament=tournament).order_by("seq"):
        row.previous = previous
        previous = row_digest(row)
        AuditEntry.objects.filter(pk=row.pk).update(previous=row.previous, digest=previous)
    AuditHead.objects.filter(tournament=tournament).update(digest=previous)


def test_a_log_that_was_written_anew_chain_and_all(card: Any) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    tournament = card.match.event.tournament
    AuditEntry.objects.filter(tournament=tournament, verb="card.cut").update(by_name="Nobody")
    log_anew(tournament)
    assert check_log_chain(tournament).is_intact
    row = json.loads(CardSeal.objects.get(number=1).statement)["log_row"]
    assert f"log row {row}" in places(card, digest)
    assert any(each.startswith(f"log row {row}: The log was rewritten") for each in bad(card))


@pytest.mark.parametrize(
    "change",
    [{"at": datetime(2026, 1, 1, tzinfo=UTC)}, {"by_name": "Nobody"}, {"via": "desk"}, {"reason": "so it was"}],
)
def test_who_wrote_a_hand_when_how_or_why(card: Any, change: dict[str, Any]) -> None:
    digest = load_card_state_by_pk(card.pk).digest
    SheetLine.objects.filter(card=card, number=2).update(**change)
    assert "hand 2" in places(card, digest)
    assert any("says otherwise about hand 2: who wrote it, when, how or why" in each for each in bad(card))


@pytest.fixture
def looked_at() -> Any:
    """Return a posted (final) card whose first up card was recorded and whose first hand was confirmed."""
    card = the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))
    cut_for(card)
    other = make_player_actor(card.entrants[1])
    record_up_card(card, TurnedUpCard(1, "8H"), by=other)
    line = play_out(card).entered[0].fact.pk
    confirm_hand(card, DisplayedHand(1, line), by=other)
    sign_both(card)
    assert not bad(card)
    return card


@pytest.mark.parametrize(
    "change", [{"up": "2C"}, {"turned_at": datetime(2026, 1, 1, tzinfo=UTC)}, {"by_name": "Nobody"}, {"entrant": None}]
)
def test_an_up_card_or_its_time(looked_at: Any, change: dict[str, Any]) -> None:
    UpCard.objects.filter(card=looked_at).update(**change)
    assert "the up card of hand 1" in places(looked_at, load_card_state_by_pk(looked_at.pk).digest)
    assert any("the up card of hand 1" in each for each in bad(looked_at))


def test_a_deleted_up_card_and_what_the_other_keeper_said(looked_at: Any) -> None:
    digest = load_card_state_by_pk(looked_at.pk).digest
    UpCard.objects.filter(card=looked_at).delete()
    HandCheck.objects.filter(line__card=looked_at).update(own=gin("A", 12))
    assert {"up cards", "what Alan (entry 2) said of hand 1"} <= set(places(looked_at, digest))
    HandCheck.objects.filter(line__card=looked_at).delete()
    assert "names a keeper's check of a hand, and it is missing" in " ".join(bad(looked_at))


def test_the_total_or_the_winner_of_a_result(card: Any) -> None:
    results = MatchResult.objects.filter(match=card.match)
    results.update(score={"1": 999, "2": 0})
    assert any(each.startswith("the result of R1M1: It is not what row") for each in bad(card))
    results.update(winner=card.entrants[1])
    said = bad(card)
    assert any(each.startswith("the result of R1M1") for each in said)
    assert any(each.startswith("stages: cannot be worked out") for each in said)
    results.delete()
    assert any(each.startswith("results: Row") and "names a result, and it is missing" in each for each in bad(card))


def test_a_result_that_was_put_in(card: Any) -> None:
    final = Match.objects.get(event=card.match.event, ident="R2M1")
    MatchResult.objects.create(
        match=final,
        winner=card.entrants[0],
        credits={"1": ["win", "played"], "3": ["loss", "played"]},
        by_name="Nobody",
    )
    assert "log: The log has no row for the result of R2M1." in bad(card)


def test_a_later_version_does_not_hide_what_was_changed_in_an_earlier_one(card: Any) -> None:
    director = the_director(card.match.event)
    correct_line(card, 1, LineEntry(gin("A", 24), override="so it was"), by=director, reason="was 24")
    sign_both(card)
    assert not bad(card)
    SheetLine.objects.filter(card=card, number=2, supersedes__isnull=True).update(line=gin("A", 22, "9C"))
    said = " ".join(bad(card))
    assert "Hand 2 is not as it was signed in version 1." in said
    assert "Hand 2 is not as it was signed in version 2." in said


def test_a_deleted_correction(card: Any) -> None:
    director = the_director(card.match.event)
    correct_line(card, 1, LineEntry(gin("A", 24), override="so it was"), by=director, reason="was 24")
    digest = sign_both(card).digest
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM scoring_sheetline WHERE supersedes_id IS NOT NULL")
    assert "hand 1" in places(card, digest)
    assert Card.objects.filter(pk=card.pk).exists()


def test_a_statement_is_canonical_json(card: Any) -> None:
    for seal in CardSeal.objects.all():
        assert encode_canonical_json(json.loads(seal.statement)).decode() == seal.statement
