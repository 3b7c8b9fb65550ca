"""The differences between two contents of a card, such as two versions, or the signed content and the present one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Final

from scoring.rules.evidence.sealing import canonical


@dataclass(frozen=True, slots=True)
class VersionChange:
    """A difference between two contents of a card.

    `place` is a name of the content (`lines`, `totals`, `keeper` …). `number` is the line from 1, counted in the old
    content, or in the new content for an added line. `was` and `now` are the values in the content, or None if there is
    no value.
    """

    place: str
    number: int | None
    was: Any
    now: Any


PLAIN: Final = ("event", "match", "game", "table", "rules", "sides", "drawn", "keeper", "closed", "totals")


def version_changes(was: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[VersionChange, ...]:
    """Return the differences in the order of the sheet. `revision` is ignored because it only counts versions.

    >>> one = {"lines": [{"by": "A"}, {"by": "B"}], "keeper": "A", "revision": 1}
    >>> [(d.place, d.number, d.now) for d in version_changes(one, {**one, "lines": [{"by": "A"}], "revision": 2})]
    [('lines', 2, None)]
    """
    found = [*_of_names(PLAIN, was, now), *_of_lines(was.get("lines", []), now.get("lines", []))]
    before, after = was.get("result", {}), now.get("result", {})
    names = (before.keys() | after.keys()) - {one.place for one in found}
    return (*found, *_of_names(sorted(names), before, after))


def _of_names(names: Iterable[str], was: Mapping[str, Any], now: Mapping[str, Any]) -> list[VersionChange]:
    both = ((name, was.get(name), now.get(name)) for name in names)
    return [VersionChange(name, None, before, after) for name, before, after in both if before != after]


def _of_lines(was: list[Any], now: list[Any]) -> list[VersionChange]:
    """Compare lines so that an inserted or deleted line does not make the moved lines differ."""
    before, after = ([canonical({"": line}) for line in lines] for lines in (was, now))
    found = []
    for kind, i, i_end, j, j_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        both = min(i_end - i, j_end - j)
        found += [VersionChange("lines", i + turn + 1, was[i + turn], now[j + turn]) for turn in range(both)]
        found += [VersionChange("lines", i + turn + 1, was[i + turn], None) for turn in range(both, i_end - i)]
        found += [VersionChange("lines", j + turn + 1, None, now[j + turn]) for turn in range(both, j_end - j)]
    return found
