"""The digests in older logs and prints must never change, so each one covers fixed columns in a fixed format."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from pairing.models import MatchResult, Seating, Stage
from pairing.stages.selectors.records import compute_result_digest
from scoring.models import (
    CardClosed,
    CardTerms,
    ConductPenalty,
    Cut,
    Dispute,
    DisputeFacts,
    HandCheck,
    Ruling,
    SheetLine,
    UpCard,
)
from scoring.seals.selectors.versions import (
    compute_hand_check_digest,
    compute_line_author_digest,
    compute_line_digest,
    compute_up_card_digest,
)
from tournament.core.selectors.log import compute_fact_digest, format_time, make_fact_content
from tournament.models import EndedEarly, EventMoney, Finish, LedgerLine, PaidOut, Withholding
from tournament.models.base import Fact

AT = datetime(2026, 11, 22, 9, 30, 5, 70, tzinfo=timezone(timedelta(hours=-8)))
WHEN = "2026-11-22T17:30:05.000070+00:00"
SIGNED: dict[str, Any] = {"at": AT, "by_name": "Lily Ann", "reason": "typed twice"}
SAID = {"at": WHEN, "by": "Lily Ann", "reason": "typed twice"}


def sha(content: dict[str, Any]) -> str:
    """Return the SHA-256 of the content as canonical JSON (RFC 8785), if it contains only strings and integers."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


COLUMNS: dict[type[Fact], str] = {
    LedgerLine: "cents corrects_id entrant_id event_id kind method reference",
    PaidOut: "cents entrant_id event_id method reverses_id",
    EventMoney: "category cents event_id kind method party reference reverses_id",
    Withholding: "cents paid_out_id",
    Finish: "event_id places",
    EndedEarly: "finish_id",
    Seating: "record round sits_out stage_id tables",
    Stage: "draw_id entries kind name number record terms",
    Cut: "card_id keeper_id order",
    CardClosed: "card_id cause games hands left_id rule winner_id",
    CardTerms: "event_id terms",
    Dispute: "about board card_id claims entrant_id entries event_id facts hand kind match_id",
    DisputeFacts: "board claims dispute_id facts hand kind",
    Ruling: "decided decider dispute_id effects facts kind number overrules recommended rule ruling supersedes_id",
    ConductPenalty: "effect entrant_id offence ruling_id",
}


@pytest.mark.parametrize("model", COLUMNS)
def test_a_row_s_digest_is_over_these_columns(model: type[Fact]) -> None:
    """An additional column would change the digest of every row that is already in a log."""
    found = make_fact_content(model(**SIGNED))
    assert sorted(found.keys() - {"id", "at", "by_id", "by_name", "reason"}) == COLUMNS[model].split()
    assert (found["at"], found["by_id"], found["by_name"], found["reason"]) == (WHEN, None, "Lily Ann", "typed twice")


def test_the_digest_of_a_row_as_it_stands_in_a_log() -> None:
    paid = PaidOut(**SIGNED, pk=7, by_id=2, event_id=3, entrant_id=4, cents=492_00, method="cash", reverses_id=6)
    content = {
        "id": 7, "at": WHEN, "by_id": 2, "by_name": "Lily Ann", "reason": "typed twice", "event_id": 3,
        "entrant_id": 4, "cents": 49200, "method": "cash", "reverses_id": 6,
    }  # fmt: skip
    assert make_fact_content(paid) == content
    assert compute_fact_digest(paid) == sha(content)
    assert format_time(AT.astimezone(UTC).replace(microsecond=0)) == "2026-11-22T17:30:05.000000+00:00"


def test_the_digest_of_a_result() -> None:
    credits = {"1": ["loss", "played"], "2": ["win", "played"]}
    more: dict[str, Any] = {"match_id": 5, "winner_id": 8, "credits": credits, "score": {"1": 0, "2": 91}}
    content = {**SAID, "match": 5, "winner": 8, "credits": credits, "score": {"1": 0, "2": 91}, "supersedes": None}
    assert compute_result_digest(MatchResult(**SIGNED, **more)) == sha(content)
    undone = MatchResult(**SIGNED, **more, supersedes_id=11, undoes_id=12)
    assert compute_result_digest(undone) == sha({**content, "supersedes": 11, "undoes": 12})


def test_the_digests_of_a_line_of_an_up_card_and_of_what_another_said() -> None:
    hand = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    line = SheetLine(**SIGNED, card_id=1, number=2, line=hand, via="phone", warnings=["improbable"], supersedes_id=9)
    assert compute_line_digest(line) == sha({"number": 2, "line": hand, "supersedes": 9})
    assert compute_line_author_digest(line) == sha({**SAID, "via": "phone", "warnings": ["improbable"]})
    up = UpCard(**SIGNED, hand=3, up="8H", entrant_id=4, turned_at=AT + timedelta(seconds=1))
    turned = {"hand": 3, "up": "8H", "entrant": 4, "turned_at": "2026-11-22T17:30:06.000070+00:00"}
    assert compute_up_card_digest(up) == sha({**SAID, **turned})
    check = HandCheck(**SIGNED, line_id=6, entrant_id=4, own=hand)
    assert compute_hand_check_digest(check) == sha({**SAID, "line": 6, "entrant": 4, "own": hand})
