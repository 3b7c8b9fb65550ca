"""The seal of a file records the status of each printed card, which is compared with the present status."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from pypdf import PdfReader, PdfWriter

from pairing.draws.results import CardStatusKind
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.posting.selectors.card_status import load_card_status
from scoring.prints.pdf.signed_cards import (
    OutdatedStamp,
    PrintedCardRecord,
    PrintedStatus,
    find_outdated_stamp,
    make_stamp_facts,
    read_printed_card_records,
)
from scoring.seals.pdf.signed_files import SignedFile
from scoring.verification.pdf.file_checks import (
    FileVerdict,
    RulingInFile,
    SealedCardInFile,
    UnsealedCardInFile,
    apply_outdated_stamp,
    check_unsealed_card,
    find_authenticity_when_printed,
    has_no_attachment,
)
from scoring.verification.selectors.proofs import Authenticity
from scoring.verification.tables import describe_authenticity_counts, describe_stamp, format_page_numbers
from tests.scoring.helpers.superseded import WHY, against, posted

STAMPED = PrintedCardRecord(
    kind=PrintedStatus.SEALED, pages=(1,), stamp="SUPERSEDED.", line="Ada 91", about={"counts": "waits"}
)
PLAIN = PrintedCardRecord(kind=PrintedStatus.SEALED, pages=(1,), line="Ada 91")
CORRECTED = PrintedCardRecord(kind=PrintedStatus.SEALED, pages=(1,), line="Ada 91 · version 1", corrected=True)
OLD = OutdatedStamp("SUPERSEDED.", "It counts.")


def a_file(seal: Any = None, *, cards: Any = None, rulings: Any = None, pages: int = 3) -> SignedFile:
    """Return a signed file with this number of empty pages, and with this seal and these score cards and rulings."""
    writer, target = PdfWriter(), io.BytesIO()
    for _page in range(pages):
        writer.add_blank_page(10, 10)
    writer.write(target)
    return SignedFile(target.getvalue(), PdfReader(target), cards or {}, seal, rulings or {})


# --- What a stamp is about -----------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_facts_of_a_stamp() -> None:
    event, card = posted()
    row = against(event)
    statement = load_card_status(load_card_state_by_pk(card.pk))
    whole = {
        "counts": "superseded",
        "by": {"at": row.at.isoformat(), "by": row.by_name, "reason": WHY},
        "stands": {
            "at": row.at.isoformat(),
            "winner": 2,
            "credits": {"1": ["loss", "played"], "2": ["win", "played"]},
            "points": {"1": 0, "2": 91},
        },
        "now": None,
        "gone": "",
    }
    assert make_stamp_facts(statement) == whole
    assert make_stamp_facts(replace(statement, superseding_action=None)) == {**whole, "by": None}
    parted = {**whole, "stands": None, "now": ["Grace", "Kurt"]}
    assert make_stamp_facts(replace(statement, players=("Grace", "Kurt"))) == parted
    assert make_stamp_facts(replace(statement, players=())) == {**whole, "stands": None, "now": []}
    assert make_stamp_facts(replace(statement, undone_text="The draw")) == {**whole, "stands": None, "gone": "The draw"}
    assert make_stamp_facts(None) == make_stamp_facts(replace(statement, kind=CardStatusKind.STANDS)) == {}


@pytest.mark.parametrize(
    ("printed", "about", "corrected", "old"),
    [
        (PLAIN, {}, False, None),
        (PLAIN, {"counts": "superseded"}, True, None),
        (STAMPED, {"counts": "waits"}, False, None),
        (STAMPED, {"counts": "waits"}, True, None),
        (STAMPED, {}, False, "SUPERSEDED."),
        (STAMPED, {"counts": "superseded"}, False, "SUPERSEDED."),
        (CORRECTED, {}, True, None),
        (CORRECTED, {}, False, "Ada 91 · version 1"),
        (CORRECTED, {"counts": "superseded"}, True, "Ada 91 · version 1"),
    ],
)
def test_a_stamp_is_old_where_the_record_says_otherwise(
    printed: PrintedCardRecord, about: dict[str, Any], corrected: bool, old: str | None
) -> None:
    found = find_outdated_stamp(printed, about, "It counts.", corrected=corrected)
    assert found == (OutdatedStamp(old, "It counts.") if old else None)


@pytest.mark.parametrize(
    ("printed", "standing"),
    [
        (None, "genuine"),
        (PLAIN, "genuine"),
        (CORRECTED, "superseded"),
        (replace(STAMPED, about={"counts": "superseded"}), "superseded"),
        (replace(STAMPED, about={"counts": "disagrees"}), "disagrees"),
        (replace(STAMPED, about={"counts": "disagrees"}, corrected=True), "superseded"),
        (STAMPED, "superseded"),
    ],
)
def test_without_the_record_a_card_is_what_its_stamp_says(printed: PrintedCardRecord | None, standing: str) -> None:
    assert find_authenticity_when_printed(printed) == standing


@pytest.mark.parametrize("standing", Authenticity)
def test_an_old_stamp_spoils_only_what_counts_or_is_not_signed(standing: Authenticity) -> None:
    spoilt = standing in ("genuine", "unsigned")
    assert apply_outdated_stamp(standing, None) is standing
    assert apply_outdated_stamp(standing, OLD) == ("outdated" if spoilt else standing)


# --- Cards that are not sealed -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "about", "standing"),
    [
        ("unsigned", {}, "unsigned"),
        ("closed", {}, "unsigned"),
        ("unknown", {}, "unsigned"),
        ("no-seal", {}, "genuine"),
        ("no-seal", {"counts": "superseded"}, "superseded"),
        ("unsigned", {"counts": "disagrees"}, "disagrees"),
        ("closed", {"counts": "superseded"}, "superseded"),
    ],
)
@pytest.mark.parametrize(("token", "on_record"), [("abc", False), ("", True)])
def test_a_card_that_is_not_sealed_without_the_record(
    kind: str, about: dict[str, Any], standing: str, token: str, on_record: bool
) -> None:
    printed = PrintedCardRecord(kind=kind, pages=(2,), token=token, digest="d", about=about)
    found = check_unsealed_card(printed, on_record=on_record)
    assert (found.authenticity, found.faults, found.state, found.now, found.stamp) == (standing, (), None, "", None)
    assert (found.printed, found.digest, has_no_attachment(printed)) == (printed, "d", True)
    assert found.needs_no_signatures is (kind == "closed" and standing == "unsigned")


def test_what_is_sealed_is_not_listed_once_more() -> None:
    printed = [PrintedCardRecord(kind=kind, pages=(1,)) for kind in PrintedStatus]
    assert list(map(has_no_attachment, printed)) == [False, True, True, True, True]


# --- Reading the seal ----------------------------------------------------------------------------------------------


def test_what_is_sealed_of_a_card_is_read_as_it_was_written() -> None:
    printed = PrintedCardRecord(
        kind=PrintedStatus.NO_SEAL, pages=(2, 3), name="n", token="t", digest="d", match="R1M1", game=2, title="Ada 91",
        line="l", stamp="s", about={"counts": "waits"}, corrected=True,
    )  # fmt: skip
    said = printed.as_json()
    assert said == {
        "kind": "no-seal", "pages": [2, 3], "name": "n", "token": "t", "digest": "d", "match": "R1M1", "game": 2,
        "title": "Ada 91", "line": "l", "stamp": "s", "about": {"counts": "waits"}, "corrected": True,
    }  # fmt: skip
    newer = {**said, "pages": ["2", 3], "of_a_later_program": 1}
    assert read_printed_card_records(a_file({"printed": [newer, said]}, cards={"a": {"pages": [1]}})) == (
        printed,
        printed,
    )


@pytest.mark.parametrize("seal", [None, {"format": "gin-signed-file/1"}])
def test_of_an_older_file_the_pages_without_an_attached_card_are_named(seal: Any) -> None:
    cards = {"a": {"pages": ["1"]}, "b": {"pages": [3, 4]}}
    assert read_printed_card_records(a_file(seal, cards=cards, pages=5)) == (
        PrintedCardRecord(kind=PrintedStatus.UNKNOWN, pages=(2,)),
        PrintedCardRecord(kind=PrintedStatus.UNKNOWN, pages=(5,)),
    )
    assert read_printed_card_records(a_file(seal, cards=cards, rulings={"c": {}}, pages=5)) == ()
    assert read_printed_card_records(a_file(seal)) == ()


@pytest.mark.parametrize("printed", [[7], [{}], [{"kind": "sealed"}], [{"kind": "sealed", "pages": ["x"]}], 7])
def test_what_cannot_be_read_names_nothing(printed: Any) -> None:
    assert read_printed_card_records(a_file({"printed": printed}, cards={"a": {"pages": [1]}})) == ()
    assert read_printed_card_records(a_file(cards={"a": {}})) == ()


# --- Counting ------------------------------------------------------------------------------------------------------


def cards(*standings: str) -> tuple[SealedCardInFile, ...]:
    return tuple(SealedCardInFile({}, Authenticity(standing)) for standing in standings)


def verdict(*standings: str, **more: Any) -> FileVerdict:
    return FileVerdict(Authenticity.GENUINE, cards(*standings), **more)


UNSIGNED = UnsealedCardInFile(PrintedCardRecord(kind=PrintedStatus.UNSIGNED, pages=(2, 3)))
RULINGS = tuple(RulingInFile({}, Authenticity(standing)) for standing in ("superseded", "genuine"))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (verdict(), ""),
        (verdict("altered"), ""),
        (verdict("genuine", "genuine"), ""),
        (verdict("altered", "altered"), "2 score cards in this file: 2 altered."),
        (
            verdict("superseded", "genuine", "altered", "genuine", "outdated", "disagrees", "unknown"),
            "7 score cards in this file: 2 genuine, 1 with an outdated stamp, 1 different from the result, 1 "
            "superseded, 1 unknown here, 1 altered.",
        ),
        (verdict("genuine", unsigned=(UNSIGNED,)), "2 score cards in this file: 1 genuine, 1 not signed."),
        (verdict(unsigned=(UNSIGNED, UNSIGNED)), "2 score cards in this file: 2 not signed."),
        (verdict(rulings=RULINGS), "2 rulings in this file: 1 genuine, 1 superseded."),
    ],
)
def test_how_many_of_each_are_in_a_file(found: FileVerdict, said: str) -> None:
    assert describe_authenticity_counts(found) == said


def test_a_card_without_a_title_is_named_by_its_pages() -> None:
    assert (UNSIGNED.title, format_page_numbers(UNSIGNED)) == ("Page 2, 3", "pages 2, 3")
    named = UnsealedCardInFile(replace(UNSIGNED.printed, title="Ada 91 – 0 Alan", pages=(2,)))
    assert (named.title, format_page_numbers(named)) == ("Ada 91 – 0 Alan", "page 2")
    assert describe_stamp(OLD) == ("It said: “SUPERSEDED.”", "On record now: It counts.")
