"""Test the exact bytes of the statement in a seal, and that every change to a seal or a signature is found."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.rules.evidence.content import compare_card_versions
from scoring.rules.evidence.sealing import (
    CardSignature,
    SealStatement,
    StoredSeal,
    check_seal,
    check_signatures,
    compute_signature_digest,
    compute_strokes_digest,
    derive_seal_key,
    encode_canonical_json,
    encode_public_key,
    is_signed_by,
    parse_seal_statement,
    sha256_hex,
)
from tests.chance import examples

ANN = CardSignature(side="A", name="Ann", number=7, method="drawn", at="2026-11-27T10:00:00.000000+00:00", strokes="ab")
BOB = CardSignature(
    side="B", name="Bob", number=None, method="paper", at="2026-11-27T10:01:00.000000+00:00", witness="L"
)
SAID = SealStatement(
    card="token",
    event="desert/singles",
    match="R1M1",
    game=1,
    version=1,
    digest="d" * 64,
    signatures=(ANN, BOB),
    posted_at="2026-11-27T10:01:00.000000+00:00",
    number=3,
    previous="e" * 64,
    log_row=12,
    log_digest="f" * 64,
)


def sealed(text: str) -> StoredSeal:
    key = derive_seal_key("secret")
    return StoredSeal(text, sha256_hex(text), key.sign(text.encode()).hex(), encode_public_key(key))


def test_the_statement_is_pinned_to_the_byte_and_the_key_to_its_secret() -> None:
    """A change in the statement would invalidate every seal, so it needs a new version in `CARD_SEAL_FORMAT`."""
    zeros = "0" * 6
    expected = (
        f'{{"card":"token","digest":"{"d" * 64}","event":"desert/singles","format":"gin-card-seal/1","game":1,'
        f'"log_digest":"{"f" * 64}","log_row":12,'
        f'"match":"R1M1","number":3,"posted_at":"2026-11-27T10:01:00.{zeros}+00:00","previous":"{"e" * 64}",'
        f'"signatures":[{{"at":"2026-11-27T10:00:00.{zeros}+00:00","device":"","method":"drawn","name":"Ann",'
        '"number":7,"side":"A","strokes":"ab","witness":""},'
        f'{{"at":"2026-11-27T10:01:00.{zeros}+00:00","device":"","method":"paper","name":"Bob","number":null,'
        '"side":"B","strokes":"","witness":"L"}],"version":1}'
    )
    assert encode_canonical_json(SAID.as_json()).decode() == expected
    assert sha256_hex(expected) == hashlib.sha256(expected.encode()).hexdigest()
    assert encode_public_key(derive_seal_key("secret")) == PUBLIC


PUBLIC = "fccfdbc3d0c9c06fae8a4219230ec0153b5dd0efb489fc0063cd685c56498cb5"


def test_whatever_is_changed_in_a_seal_is_found() -> None:
    text = encode_canonical_json(SAID.as_json()).decode()
    good = sealed(text)
    assert check_seal(good, digest="d" * 64, version=1) == []
    assert not is_signed_by(good.public, b"other", good.signature)
    assert not is_signed_by("no key", text.encode(), good.signature)
    changed = text.replace("Ann", "Eve")
    bad = [
        StoredSeal(changed, good.digest, good.signature, good.public),
        StoredSeal(changed, sha256_hex(changed), good.signature, good.public),
        StoredSeal(text, good.digest, "0" * 128, good.public),
        StoredSeal(text, good.digest, good.signature, encode_public_key(derive_seal_key("another"))),
        StoredSeal(text, "0" * 64, good.signature, good.public),
        StoredSeal("nonsense", sha256_hex("nonsense"), good.signature, good.public),
    ]
    assert all({fault.place for fault in check_seal(each, digest="d" * 64, version=1)} == {"seal"} for each in bad)
    assert len(check_seal(good, digest="c" * 64, version=2)) == 2


@pytest.mark.parametrize("part", ["name", "number", "method", "at", "device", "witness", "strokes"])
def test_every_part_of_a_signature_counts(part: str) -> None:
    values = {name: getattr(ANN, name) for name in CardSignature.__slots__}
    other = CardSignature(**{**values, part: 8 if part == "number" else "other"})
    faults = check_signatures(SAID.as_json(), (other, BOB))
    assert [fault.place for fault in faults] == ["signature A"]
    assert (
        compute_signature_digest(other, "d") != compute_signature_digest(ANN, "d") != compute_signature_digest(ANN, "e")
    )


def test_signatures_that_are_missing_or_were_added() -> None:
    assert check_signatures(SAID.as_json(), (ANN, BOB)) == []
    assert [fault.message for fault in check_signatures(SAID.as_json(), (ANN,))] == ["The signature of Bob is missing."]
    added = CardSignature(side="C", name="Cid", number=9, method="code", at="now")
    assert "was added later" in check_signatures(SAID.as_json(), (ANN, BOB, added))[0].message


def test_every_point_of_a_stroke_counts() -> None:
    strokes = [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]
    assert compute_strokes_digest([]) == ""
    assert compute_strokes_digest(strokes) == compute_strokes_digest([[[1, 2, 3], [4, 5, 6]]])
    assert compute_strokes_digest([[[1, 2, 3], [4, 5, 7]]]) != compute_strokes_digest(strokes)


lines = st.lists(st.fixed_dictionaries({"by": st.sampled_from("AB"), "counts": st.integers(0, 3)}), max_size=6)


@settings(max_examples=examples(200), deadline=None)
@given(lines, lines)
def test_only_changed_places_are_reported(was: list[Any], now: list[Any]) -> None:
    one: dict[str, Any] = {"lines": was, "result": {"totals": {"A": 1}}, "keeper": "A", "revision": 1}
    other = {**copy.deepcopy(one), "lines": now, "revision": 2}
    found = compare_card_versions(one, other)
    assert bool(found) == (was != now)
    assert all(each.place == "lines" and each.old_value != each.new_value for each in found)
    assert len(was) - len(now) == sum(each.new_value is None for each in found) - sum(
        each.old_value is None for each in found
    )


def test_the_digest_of_a_signature_in_the_log_covers_all_its_fields() -> None:
    """A change in this digest would invalidate every log that contains one."""
    expected = (
        f'{{"at":"2026-11-27T10:00:00.000000+00:00","device":"","digest":"{"d" * 64}","method":"drawn","name":"Ann",'
        '"number":7,"side":"A","strokes":"ab","witness":""}'
    )
    assert compute_signature_digest(ANN, "d" * 64) == hashlib.sha256(expected.encode()).hexdigest()


@pytest.mark.parametrize("text", ['{"format": "gin-signed-file/1"}', "[]", "7", "not JSON", "[" * 100_000])
def test_a_text_that_is_not_a_statement_is_read_as_none(text: str) -> None:
    assert parse_seal_statement(text) is None


def test_each_changed_signature_is_named_with_its_changed_fields() -> None:
    statement = SAID.as_json()
    eve, mia = replace(ANN, side="C", name="Eve"), replace(ANN, side="D", name="Mia")
    changed = replace(ANN, at="2026-11-27T11:00:00.000000+00:00", device="phone", name="Anne")
    assert [(fault.place, fault.message) for fault in check_signatures(statement, [eve, mia, changed])] == [
        ("signature C", "The signature of Eve is not in the seal: it was added later."),
        ("signature D", "The signature of Mia is not in the seal: it was added later."),
        ("signature A", "The signature of Ann was changed: the name, the time, the device."),
        ("signature B", "The signature of Bob is missing."),
    ]
