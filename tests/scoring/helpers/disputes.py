from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from scoring.disputes.services.disputes import DisputeFindings, NewDispute, open_dispute
from scoring.disputes.services.rulings import DirectorDecision, ProposedRuling, make_ruling
from scoring.models import Card, Dispute, Ruling
from scoring.rules.irregularities.case import RulingDecision
from scoring.rules.rulings.recommend import SheetEffect, find_reportable_irregularities
from tests.prebuilt import prebuilt
from tests.scoring.helpers.playing import an_event_in_play, the_card
from tournament.core.permissions import SYSTEM_ACTOR, make_player_actor
from tournament.models import Event

Line = dict[str, Any]
ACCEPTED = {"by": "A", "up": "8H", "count": 10, "opponent_count": 7, "chosen": "accept"}
"""The example from the rule sheet: an illegal knock with 10 under an 8, which the opponent with 7 accepts."""


@prebuilt
def called(card: Card, kind: str, *, hand: int | None = None, board: int | None = None, **facts: Any) -> Dispute:
    found = DisputeFindings(kind=kind, hand=hand, board=board, facts=facts)
    return open_dispute(card.match.event, NewDispute(card=card, findings=found), by=SYSTEM_ACTOR)


@prebuilt
def called_at_desk(event: Event, kind: str, *entries: int, **facts: Any) -> Dispute:
    return open_dispute(
        event, NewDispute(entries=entries, findings=DisputeFindings(kind=kind, facts=facts)), by=SYSTEM_ACTOR
    )


def found_of(dispute: Dispute) -> DisputeFindings:
    return DisputeFindings(
        kind=dispute.kind, hand=dispute.hand, board=dispute.board, facts=dispute.facts, claims=dispute.claims
    )


def as_the_rules_say(dispute: Dispute, **facts: Any) -> ProposedRuling:
    found = found_of(dispute)
    return ProposedRuling(findings=DisputeFindings(**{**found.make_column_values(), "facts": {**found.facts, **facts}}))


@prebuilt
def ruled(dispute: Dispute, **facts: Any) -> Ruling:
    return make_ruling(dispute, as_the_rules_say(dispute, **facts), by=SYSTEM_ACTOR)


@prebuilt
def ruled_otherwise(
    dispute: Dispute,
    code: RulingDecision,
    *,
    sheet: SheetEffect | None = None,
    line: Line | None = None,
    **penalties: RulingDecision,
) -> Ruling:
    own = DirectorDecision(ruling=code, sheet=sheet, line=line, penalties=penalties)
    return make_ruling(
        dispute,
        ProposedRuling(findings=found_of(dispute), director_decision=own, reason="as I saw it"),
        by=SYSTEM_ACTOR,
    )


@pytest.fixture
def card(settings: Any, tmp_path: Path) -> Card:
    settings.MEDIA_ROOT = tmp_path
    return the_card(an_event_in_play(("Ada", "Alan", "Grace", "Kurt")))


@pytest.fixture
def dispute(card: Card) -> Dispute:
    opening = NewDispute(card=card, findings=DisputeFindings(kind="conduct", facts={"by": "B"}))
    return open_dispute(card.match.event, opening, by=make_player_actor(card.entrants[0]))


def a_picture(size: tuple[int, int] = (60, 40), kind: str = "JPEG", **options: Any) -> bytes:
    target = io.BytesIO()
    Image.new(options.pop("mode", "RGB"), size, options.pop("colour", (200, 30, 30))).save(target, kind, **options)
    return target.getvalue()


def url_of(card: Card, name: str, who: int = 0, **more: int) -> str:
    return reverse(f"scoring:my_{name}", kwargs={"token": card.entrants[who].token, "card": card.token, **more})


def send(client: Client, dispute: Dispute, content: bytes, name: str = "paper.jpg", who: int = 0) -> Any:
    assert dispute.card is not None
    photo = SimpleUploadedFile(name, content, content_type="image/jpeg")
    url = url_of(dispute.card, "dispute", who, dispute=dispute.pk)
    return client.post(url, {"act": "evidence", "key": "k", "photo": photo})


SOMETHING_ELSE: Final = ""


KINDS: Final = (*find_reportable_irregularities("gra-singles"), SOMETHING_ELSE)


ANSWERS: Final[dict[str, dict[str, str]]] = {
    "up-card": {"claims_A": "8H", "claims_B": "9H"},
    "improper-knock": {"by": "A", "up": "4H", "count": "5", "opponent_count": "4"},
    "wrong-count": {"plays": "3", "cards_A": "11", "cards_B": "10", "ended": "", "by": ""},
    "false-gin": {"by": "A", "count": "7"},
    "drew-two": {"by": "B", "nine_spread_or_gin": "true"},
    "retake-discard": {"by": "B", "to_knock": "true"},
    "count-after-agreement": {"agreed": "true", "recorded": "true"},
    "conduct": {"by": "A"},
    "up-card-out-of-turn": {"by": "B"},
    "false-report": {"by": "A"},
    "touched-pile": {"by": "A"},
    "wrong-card-down": {"by": "A"},
}
"""The facts that a director finds out for each kind of dispute. Other kinds need none."""
