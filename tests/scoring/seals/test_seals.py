"""Seals form a chain, even if games end at the same time. Cards that nobody signs have no seal."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from config.environment import BASE_DIR
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.cards.services.closing import TimeCall, call_time, make_card_snapshot
from scoring.cards.services.hands import LineEntry, correct_line
from scoring.cards.services.signing import SigningContext, sign_by_code
from scoring.models import Card, CardSeal, CardVersion, SealKey, Signature
from scoring.rules.evidence.sealing import NO_PREVIOUS_DIGEST
from scoring.seals.selectors.keys import get_installation_public_key
from scoring.seals.selectors.log import check_log_seals
from scoring.verification.selectors.proofs import Authenticity, find_card_proof
from tests.factories import an_event
from tests.races import codes_of
from tests.scoring.helpers.files import download
from tests.scoring.helpers.playing import (
    an_event_in_play,
    gin,
    play,
    play_out,
    post,
    post_before_seals,
    sign,
    sign_both,
    the_card,
    the_director,
)
from tests.verifying import verify_event
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.core.services.record import writing
from tournament.models import AuditEntry, Event, LogSeal

FOUR = ("Ada", "Alan", "Grace", "Kurt")


def is_whole(event: Event) -> bool:
    return all(check.passed for check in verify_event(event) if check.subject != "draw order")


def text_of(card: Card) -> str:
    return " ".join(PdfReader(io.BytesIO(download(card))).pages[0].extract_text().split())


@pytest.mark.django_db
def test_each_seal_names_the_one_before_and_stands_in_the_log_of_the_very_write() -> None:
    event = an_event_in_play(FOUR)
    for ident in ("R1M1", "R1M2"):
        post(the_card(event, ident))
    first, second = CardSeal.objects.order_by("number")
    assert (first.previous, second.previous) == (NO_PREVIOUS_DIGEST, first.digest)
    assert SealKey.objects.get().public == get_installation_public_key()
    row = AuditEntry.objects.get(data__seals__0__number=2)
    assert (row.verb, row.data["seals"][0]["digest"]) == ("card.signed", second.digest)
    assert row.data["posted"] == second.version.digest
    assert is_whole(event)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_matches_that_end_in_the_same_moment_stand_one_after_the_other() -> None:
    event = an_event_in_play(FOUR)
    last = []
    for ident in ("R1M1", "R1M2"):
        card = the_card(event, ident)
        shown = SigningContext(play_out(card).digest)
        sign(card, card.entrants[0])
        last.append((card, shown))
    outcomes = codes_of(*[
        lambda card=card, shown=shown: sign_by_code(card, "123456", shown, by=make_player_actor(card.entrants[1]))
        for card, shown in last
    ])  # fmt: skip
    assert outcomes == ["done", "done"]
    assert sorted(CardSeal.objects.values_list("number", flat=True)) == [1, 2]
    assert SealKey.objects.count() == 1
    assert is_whole(event)


@pytest.mark.race
@pytest.mark.django_db(transaction=True)
def test_two_payouts_in_the_same_moment_seal_the_log_one_after_the_other() -> None:
    tournament = an_event().tournament
    events = [tournament.events.get(), an_event(tournament)]

    def pay(event: Event) -> None:
        with writing(event, verb="prize.paid", by=SYSTEM_ACTOR) as write:
            write.about(event)

    assert codes_of(*[lambda event=event: pay(event) for event in events]) == ["done", "done"]
    assert list(LogSeal.objects.order_by("number").values_list("number", "log_row")) == [(1, 1), (2, 2)]
    assert check_log_seals(tournament) == []


@pytest.mark.django_db
def test_a_new_web_address_leaves_every_signature_alone() -> None:
    event = an_event_in_play(FOUR)
    digest = post(the_card(event)).digest
    event.tournament.slug, event.slug = "another", "address"
    event.tournament.save()
    event.save()
    state = load_card_state_by_pk(the_card(event).pk)
    assert (state.digest, state.is_posted, find_card_proof(digest).authenticity) == (digest, True, Authenticity.GENUINE)
    assert is_whole(event)


@pytest.mark.django_db
def test_a_card_posted_before_seals_were_kept_counts_and_says_so() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    digest = post_before_seals(card).digest
    state = load_card_state_by_pk(card.pk)
    assert (state.is_posted, state.revision, CardVersion.objects.count()) == (True, 0, 0)
    proof = find_card_proof(digest)
    assert (proof.authenticity, proof.is_sealed, proof.version) == (Authenticity.GENUINE, False, None)
    assert "what was signed before seals were kept" in text_of(card)
    correct_line(card, 2, LineEntry(gin("A", 22, "9C")), by=the_director(event), reason="was 22")
    assert find_card_proof(digest).authenticity is Authenticity.SUPERSEDED
    sign_both(card)
    assert CardVersion.objects.get().number == 1


@pytest.mark.django_db
def test_a_card_that_time_closed_has_no_seal_and_does_not_pretend_to_be_signed() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    state = play(card, gin("A", 3))
    call_time(event, [TimeCall(card, make_card_snapshot(state), None, "stands")], by=SYSTEM_ACTOR, reason="so it is")
    text = text_of(card)
    assert "SHA-256 of what stands on this card; it was closed, nobody signed it (RFC 8785)" in text
    assert "what was signed" not in text and "Signature" not in text
    assert (CardSeal.objects.count(), Signature.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_what_one_has_signed_is_on_record_but_not_sealed() -> None:
    event = an_event_in_play(FOUR)
    card = the_card(event)
    play_out(card)
    digest = sign(card, card.entrants[0]).digest
    proof = find_card_proof(digest[:12])
    assert (proof.authenticity, proof.is_sealed, proof.later_version) == (Authenticity.UNSIGNED, False, None)
    assert "version 1, without a seal while signatures are missing" in text_of(card)


def test_processes_that_start_at_once_have_one_key_that_nobody_else_reads(tmp_path: Path) -> None:
    load = "import django; django.setup(); from scoring.seals.selectors.keys import get_installation_public_key"
    ask = f"{load}; print(get_installation_public_key())"
    clean: dict[str, Any] = {
        "PATH": os.environ["PATH"],
        "VAR_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    asking = [
        subprocess.Popen([sys.executable, "-c", ask], env=clean, cwd=BASE_DIR, stdout=subprocess.PIPE) for _ in range(3)
    ]
    answers = {process.communicate()[0].strip() for process in asking}
    assert len(answers) == 1 and len(answers.pop()) == 64
    assert (tmp_path / "secrets.env").stat().st_mode & 0o777 == 0o600
