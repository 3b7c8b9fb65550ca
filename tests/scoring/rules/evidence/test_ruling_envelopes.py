"""A signed ruling is exported as JSON, and every change or omission in this JSON is found."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from scoring.rules.evidence.sealing import (
    check_ruling_envelope,
    derive_seal_key,
    encode_canonical_json,
    encode_public_key,
    encode_signable_ruling,
    is_ruling_envelope,
    sha256_hex,
)

CONTENT = {"number": 3, "ruling": "no-penalty", "facts": {"who": "A"}}
DIGEST = sha256_hex(encode_canonical_json(CONTENT))
OURS, THEIRS = derive_seal_key("ours"), derive_seal_key("theirs")
TRUSTED = frozenset({encode_public_key(OURS)})


def sealed(digest: str = DIGEST, key: Any = OURS) -> dict[str, str]:
    return {"key": encode_public_key(key), "signature": key.sign(f"gin-signed-ruling/1 {digest}".encode()).hex()}


ENVELOPE = {"format": "gin-signed-ruling/1", "number": 3, "content": CONTENT, "digest": DIGEST, "seal": sealed()}


def test_an_envelope_as_it_was_sealed_has_no_fault() -> None:
    assert is_ruling_envelope(ENVELOPE) and check_ruling_envelope(ENVELOPE, TRUSTED) == []
    assert encode_signable_ruling("ab") == b"gin-signed-ruling/1 ab"
    assert not is_ruling_envelope([]) and not is_ruling_envelope({"format": "gin-signed-card/1"})


@pytest.mark.parametrize(
    ("change", "places"),
    [
        (lambda it: it["content"].update(ruling="warning"), ["content"]),
        (lambda it: it.update(number=4), ["content"]),
        (lambda it: it["content"].update(number=4), ["content", "content"]),
        (lambda it: it.update(digest="0" * 64), ["content", "seal"]),
        (lambda it: it["seal"].update(signature="00" * 64), ["seal"]),
        (lambda it: it["seal"].update(key=encode_public_key(THEIRS)), ["seal"]),
        (lambda it: it.update(seal=sealed(key=THEIRS)), ["key"]),
        *[(lambda it, part=part: it.pop(part), ["attachment"]) for part in ("number", "content", "digest", "seal")],
        (lambda it: it["content"].pop("number"), ["attachment"]),
        (lambda it: it.update(content=[1]), ["attachment"]),
        (lambda it: it.update(seal="none"), ["attachment"]),
    ],
)
def test_each_change_is_found_at_its_place(change: Callable[[dict[str, Any]], Any], places: list[str]) -> None:
    envelope = copy.deepcopy(ENVELOPE)
    change(envelope)
    assert [fault.place for fault in check_ruling_envelope(envelope, TRUSTED)] == places
