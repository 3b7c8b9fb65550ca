"""A signed score card is exported as JSON, and every change to this JSON is found and located."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from scoring.rules.evidence.sealing import (
    CardSignature,
    SealStatement,
    check_card_envelope,
    compute_strokes_digest,
    derive_seal_key,
    encode_canonical_json,
    encode_public_key,
    is_card_envelope,
    sha256_hex,
)

CONTENT = {"rules": "standard", "totals": {"A": 150, "B": 98}}
DIGEST = sha256_hex(encode_canonical_json(CONTENT))
DRAWN = [[[1, 2], [3, 4]]]
AT = "2026-11-27T10:00:00.000000+00:00"
ANN = {"side": "A", "name": "Ann", "number": 7, "method": "drawn", "at": AT, "device": "", "witness": "", "strokes": ""}
BOB = ANN | {"side": "B", "name": "Bob", "number": 8, "method": "paper", "witness": "Lou"}
KEY, OTHER = derive_seal_key("ours"), derive_seal_key("theirs")
TRUSTED = frozenset({encode_public_key(KEY)})


def envelope(key: Any = KEY) -> dict[str, Any]:
    sides = (CardSignature(**(ANN | {"strokes": compute_strokes_digest(DRAWN)})), CardSignature(**BOB))
    said = SealStatement(
        card="token", event="desert/singles", match="R1M1", game=1, version=2, digest=DIGEST, signatures=sides,
        posted_at=AT, number=3,
    ).as_json()  # fmt: skip
    text = encode_canonical_json(said)
    seal = {
        "statement": said,
        "digest": sha256_hex(text),
        "signature": key.sign(text).hex(),
        "key": encode_public_key(key),
    }
    signatures = [ANN | {"drawn": DRAWN}, BOB | {"drawn": []}]
    whole = {"content": CONTENT, "digest": DIGEST, "version": 2, "seal": seal, "signatures": signatures}
    return copy.deepcopy({"format": "gin-signed-card/1", **whole})


def test_a_card_as_it_was_sealed_has_no_fault() -> None:
    assert is_card_envelope(envelope()) and check_card_envelope(envelope(), TRUSTED) == []
    assert not is_card_envelope({"format": "gin-signed-ruling/1"}) and not is_card_envelope([])


@pytest.mark.parametrize(
    ("change", "places"),
    [
        (lambda it: it["content"]["totals"].update(A=98, B=150), ["content"]),
        (lambda it: it.update(digest="0" * 64), ["content", "seal"]),
        (lambda it: it.update(version=1), ["seal"]),
        (lambda it: it["seal"].update(digest="0" * 64), ["seal"]),
        (lambda it: it["seal"].update(signature="00" * 64), ["seal"]),
        (lambda it: it["seal"]["statement"].update(number=4), ["seal", "seal"]),
        (lambda it: it["seal"].update(key=encode_public_key(OTHER)), ["seal", "key"]),
        (lambda it: it.update(envelope(OTHER)), ["key"]),
        (lambda it: it["signatures"][0].update(name="Eve"), ["signature A"]),
        (lambda it: it["signatures"][0].update(drawn=[[[1, 2], [3, 5]]]), ["signature A"]),
        (lambda it: it["signatures"][0].update(drawn=[]), ["signature A"]),
        (lambda it: it["signatures"].pop(), ["signature B"]),
        (lambda it: it["signatures"].append(it["signatures"][1] | {"side": "C"}), ["signature C"]),
        *[(lambda it, part=part: it.pop(part), ["attachment"]) for part in ("content", "digest", "version", "seal")],
        (lambda it: it["signatures"][0].pop("drawn"), ["attachment"]),
        (lambda it: it.update(content=7), ["attachment"]),
    ],
)
def test_each_change_is_found_at_its_place(change: Callable[[dict[str, Any]], Any], places: list[str]) -> None:
    sent = envelope()
    change(sent)
    assert [fault.place for fault in check_card_envelope(sent, TRUSTED)] == places
