from __future__ import annotations

from typing import Any

import pytest

from scoring.rules.evidence.content import VersionChange, compare_card_versions

ONE: dict[str, Any] = {
    "event": "desert/singles",
    "table": 4,
    "keeper": "A",
    "lines": [{"by": "A"}],
    "totals": {"A": 32, "B": 0},
    "result": {"winner": "A", "games": {"A": 1}, "totals": {"A": 32, "B": 0}},
    "revision": 1,
}


def test_each_place_is_named_once_with_its_old_and_new_value() -> None:
    other = {
        **ONE,
        "keeper": "B",
        "lines": [{"by": "B"}],
        "totals": {"A": 0, "B": 32},
        "result": {"winner": "B", "totals": {"A": 0, "B": 32}, "boxes": 1},
        "revision": 2,
    }
    assert compare_card_versions(ONE, other) == (
        VersionChange("keeper", None, "A", "B"),
        VersionChange("totals", None, {"A": 32, "B": 0}, {"A": 0, "B": 32}),
        VersionChange("lines", 1, {"by": "A"}, {"by": "B"}),
        VersionChange("boxes", None, None, 1),
        VersionChange("games", None, {"A": 1}, None),
        VersionChange("winner", None, "A", "B"),
    )


def test_a_missing_value_is_none() -> None:
    bare = {"event": "desert/singles"}
    away = {one.place: (one.old_value, one.new_value) for one in compare_card_versions(ONE, bare)}
    came = {one.place: (one.new_value, one.old_value) for one in compare_card_versions(bare, ONE)}
    assert away == came
    assert away == {
        "table": (4, None),
        "keeper": ("A", None),
        "totals": ({"A": 32, "B": 0}, None),
        "lines": ({"by": "A"}, None),
        "games": ({"A": 1}, None),
        "winner": ("A", None),
    }
    assert compare_card_versions(ONE, {**ONE, "revision": 9}) == ()


@pytest.mark.parametrize(
    ("was", "now", "changed"),
    [
        ("abc", "axc", [(2, "b", "x")]),
        ("abcd", "axyd", [(2, "b", "x"), (3, "c", "y")]),
        ("abc", "ac", [(2, "b", None)]),
        ("abcd", "ad", [(2, "b", None), (3, "c", None)]),
        ("abcd", "axd", [(2, "b", "x"), (3, "c", None)]),
        ("ac", "abc", [(2, None, "b")]),
        ("ad", "abcd", [(2, None, "b"), (3, None, "c")]),
        ("axd", "abcd", [(2, "x", "b"), (3, None, "c")]),
        ("xabc", "abcy", [(1, "x", None), (4, None, "y")]),
        ("", "ab", [(1, None, "a"), (2, None, "b")]),
        ("a" + "b" * 250, "c" + "b" * 250, [(1, "a", "c")]),
    ],
)
def test_inserted_and_deleted_lines_do_not_change_the_others(
    was: str, now: str, changed: list[tuple[int, str | None, str | None]]
) -> None:
    found = compare_card_versions({"lines": list(was)}, {"lines": list(now)})
    assert found == tuple(VersionChange("lines", *each) for each in changed)
