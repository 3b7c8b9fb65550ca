"""Disputes in few words, for tests of rulings."""

from __future__ import annotations

from typing import Any

from scoring.disputes.services.disputes import Finding, RulingWanted, open_dispute
from scoring.disputes.services.rulings import Deciding, OwnWord, rule
from scoring.models import Card, Dispute, Ruling
from scoring.rules.irregularities.matter import Decision
from scoring.rules.rulings.recommend import OnSheet
from tournament.core.permissions import SYSTEM
from tournament.models import Event

Line = dict[str, Any]
ACCEPTED = {"by": "A", "up": "8H", "count": 10, "opponent_count": 7, "chosen": "accept"}
"""The example of the rule sheet: knock card 8, knock with 10, the opponent has 7 and accepts."""


def called(card: Card, kind: str, *, hand: int | None = None, board: int | None = None, **facts: Any) -> Dispute:
    found = Finding(kind=kind, hand=hand, board=board, facts=facts)
    return open_dispute(card.match.event, RulingWanted(card=card, found=found), by=SYSTEM)


def called_at_desk(event: Event, kind: str, *entries: int, **facts: Any) -> Dispute:
    return open_dispute(event, RulingWanted(entries=entries, found=Finding(kind=kind, facts=facts)), by=SYSTEM)


def found_of(dispute: Dispute) -> Finding:
    return Finding(
        kind=dispute.kind, hand=dispute.hand, board=dispute.board, facts=dispute.facts, claims=dispute.claims
    )


def as_the_rules_say(dispute: Dispute, **facts: Any) -> Deciding:
    found = found_of(dispute)
    return Deciding(found=Finding(**{**found.columns(), "facts": {**found.facts, **facts}}))


def ruled(dispute: Dispute, **facts: Any) -> Ruling:
    return rule(dispute, as_the_rules_say(dispute, **facts), by=SYSTEM)


def ruled_otherwise(
    dispute: Dispute, code: Decision, *, sheet: OnSheet | None = None, line: Line | None = None, **penalties: Decision
) -> Ruling:
    own = OwnWord(ruling=code, sheet=sheet, line=line, penalties=penalties)
    return rule(dispute, Deciding(found=found_of(dispute), own=own, reason="as I saw it"), by=SYSTEM)
