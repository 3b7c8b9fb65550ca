"""A signature covers the digest of a score card's content, and only equal cards have equal digests."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings

from scoring.rules.evidence.content import CardContent, SeatContent
from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, sheet_from_json
from scoring.rules.sheet.sheets import make_variant_rules as make_rule_sheet
from tests.chance import examples
from tests.scoring.rules.sheet.recount import recount
from tests.scoring.rules.sheet.sheet_strategies import endless_cases

GIN = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"B": 20, "A": 0}, "missing": {"B": 1}}


def card(**more: Any) -> CardContent:
    sheet = judge_line(make_empty_sheet(make_rule_sheet("gra-singles"), ["A", "B"]), GIN).sheet
    whole: dict[str, Any] = {
        "event": "Singles",
        "match": "R1-M3",
        "game": 1,
        "table": "12",
        "sheet": sheet,
        "rule_sheet_version": 2,
        "seats": (SeatContent("A", 7, "Åsa Öberg"), SeatContent("B", 11, "Bob")),
        "keeper": "A",
    }
    return CardContent(**(whole | more))


def test_the_content_in_canonical_form_is_pinned_to_the_byte() -> None:
    """The content is canonical JSON (RFC 8785): names are sorted, there are no spaces, and the encoding is UTF-8.

    A change would invalidate every signature, so it needs a new version in `CARD_CONTENT_FORMAT`.
    """
    expected = (
        '{"event":"Singles","format":"gin-score-card/1","game":1,"keeper":"A",'
        '"lines":[{"by":"A","counts":{"A":0,"B":20},"missing":{"B":1},"outcome":"gin","up":"8H"}],"match":"R1-M3",'
        '"result":{"complete":false,"totals":{"A":55,"B":0},"winner":null},'
        '"rules":{"edition":1,"name":"gra-singles","options":{"ace":"gin","big_gin_bonus":null,"box_bonus":0,'
        '"game_bonus":0,"gin_bonus":25,"knock":"up-card","shutout":"none","spades_double":false,"target":150,'
        '"undercut_bonus":25},"version":2},'
        '"sides":[{"name":"Åsa Öberg","number":7,"side":"A"},{"name":"Bob","number":11,"side":"B"}],"table":"12"}'
    )
    assert card().as_bytes().decode() == expected
    assert card().digest() == hashlib.sha256(expected.encode()).hexdigest()


def test_optional_parts_of_the_content_are_pinned_too() -> None:
    """The signed content can also include roles drawn at the table, an early end, and a revision number."""
    plain = card().as_bytes().decode()
    closed = {"cause": "time", "winner": "A"}
    expected = plain.replace('{"event"', '{"closed":{"cause":"time","winner":"A"},"drawn":["B","A"],"event"', 1)
    expected = expected.replace('"rules":{', '"revision":2,"rules":{', 1)
    assert card(closed=closed, drawn=("B", "A"), revision=2).as_bytes().decode() == expected
    with pytest.raises(ValueError, match="the sides of the card drew"):
        card(drawn=("B", "C"))


def test_the_published_content_gives_the_digest_again() -> None:
    published = json.loads(json.dumps(card().as_json()))
    again = json.dumps(published, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert hashlib.sha256(again.encode()).hexdigest() == card().digest()


def test_any_change_on_the_card_changes_the_digest() -> None:
    more = judge_line(card().sheet, {"up": "9H", "outcome": "stock"}).sheet
    other_count = judge_line(card().sheet, GIN | {"counts": {"A": 0, "B": 21}}, at=0).sheet
    other_up = judge_line(card().sheet, GIN | {"up": "8D"}, at=0).sheet
    other_target = sheet_from_json(
        {"rules": "gra-singles", "options": {"target": 200}, "sides": ["A", "B"], "lines": [GIN]}
    )
    changed = [
        card(),
        card(sheet=more),
        card(sheet=other_count),
        card(sheet=other_up),
        card(sheet=other_target),
        card(rule_sheet_version=3),
        card(keeper="B"),
        card(keeper=None),
        card(seats=(SeatContent("A", 7, "Asa Öberg"), SeatContent("B", 11, "Bob"))),
        card(seats=(SeatContent("A", 8, "Åsa Öberg"), SeatContent("B", 11, "Bob"))),
        card(event="Second Chance"),
        card(match="R1-M4"),
        card(game=2),
        card(table="13"),
        card(table=None),
    ]
    assert len({content.digest() for content in changed}) == len(changed)


def test_the_order_of_fields_in_a_line_does_not_matter() -> None:
    shuffled = {name: GIN[name] for name in ("missing", "counts", "by", "outcome", "up")}
    sheet = judge_line(make_empty_sheet(make_rule_sheet("gra-singles"), ["A", "B"]), shuffled).sheet
    assert card(sheet=sheet).digest() == card().digest()


def test_a_complete_card_with_a_settlement_covers_it() -> None:
    case = {"rules": "standard", "options": {"target": 20}, "sides": ["A", "B"], "lines": [GIN]}
    assert card(sheet=sheet_from_json(case)).as_json()["result"] == {
        "complete": True,
        "winner": "A",
        "totals": {"A": 55, "B": 0},
        "settlement": {"A": 235, "B": 0},
    }


def test_seats_and_keeper_belong_to_the_sheet() -> None:
    for seats in ((SeatContent("B", 11, "Bob"), SeatContent("A", 7, "Ann")), (SeatContent("A", 7, "Ann"),)):
        with pytest.raises(ValueError, match="one seat for each side"):
            card(seats=seats)
    with pytest.raises(ValueError, match="the keeper is one of the sides"):
        card(keeper="C")


@settings(max_examples=examples(100), deadline=None)
@given(endless_cases())
def test_every_sheet_has_a_digest(case: dict[str, Any]) -> None:
    sheet = sheet_from_json(case | {"lines": case["lines"][: recount(case)[1]]})
    seats = tuple(SeatContent(side, number, side) for number, side in enumerate(sheet.sides))
    assert len(card(sheet=sheet, seats=seats, keeper=None).digest()) == 64
