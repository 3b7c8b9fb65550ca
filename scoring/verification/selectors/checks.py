"""The findings of `verify_event`: what was computed again, from which facts, and what differs."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

KINDS: Final = {
    "log": "log-broken",
    "steps": "state-differs",
    "partners": "partners-differ",
    "draws": "draw-differs",
    "late_entries": "late-entry-differs",
    "stages": "stage-differs",
    "tables": "tables-differ",
    "matches": "matches-differ",
    "results": "result-differs",
    "statements": "card-against-result",
    "cards": "card-altered",
    "hands": "card-altered",
    "signatures": "card-altered",
    "versions": "card-altered",
    "seals": "seal-differs",
    "lengths": "length-differs",
    "decisions": "decision-altered",
    "rulings": "ruling-not-carried-out",
    "standings": "standings-differ",
    "places": "places-differ",
    "ledger": "ledger-differs",
    "payouts": "payout-differs",
    "files": "file-differs",
    "rows": "row-differs",
}
"""The kinds of checks, each with the code of its problem."""

Facts = Mapping[str, int | Sequence[int]]
"""The facts behind a figure: by kind, their number or their primary keys."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check: what was computed again, whether it agrees with the record, and its result.

    `kind` is a key of `KINDS`. `counts` is the number of things checked by kind. `facts` are those behind the result.
    """

    what: str
    good: bool
    found: str
    kind: str = field(kw_only=True)
    counts: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    facts: Facts = field(default_factory=dict, kw_only=True)

    @property
    def from_what(self) -> str:
        """The facts in words, such as “from 12 hands and 2 signatures”, or empty if there are none."""
        numbers = {kind: of if isinstance(of, int) else len(of) for kind, of in self.facts.items()}
        counts = [_count_in_words(kind, number) for kind, number in numbers.items() if number]
        if not counts:
            return ""
        return f"from {' and '.join([', '.join(counts[:-1]), counts[-1]] if len(counts) > 1 else counts)}"


def _count_in_words(kind: str, count: int) -> str:
    """Return a count with its kind in words.

    >>> _count_in_words("hands", 1), _count_in_words("entries", 1), _count_in_words("log_rows", 3)
    ('1 hand', '1 entry', '3 log rows')
    """
    words = kind.replace("_", " ")
    one = words[:-3] + "y" if words.endswith("ies") else words.removesuffix("s")
    return f"{count} {one if count == 1 else words}"


def checks_as_json(checks: Sequence[Check]) -> dict[str, Any]:
    """Return the answer of `verify_event --json`."""
    bad = [check for check in checks if not check.good]
    return {
        "ok": not bad,
        "checked": count_checked(checks),
        "problems": [{"code": KINDS[one.kind], "place": one.what, "message": one.found} for one in bad],
        "figures": [
            {"what": check.what, "found": check.found, "facts": dict(check.facts)} for check in checks if check.facts
        ],
    }


def count_checked(checks: Iterable[Check]) -> dict[str, int]:
    """Return how many things of each kind were checked, including kinds with none."""
    total = Counter(dict.fromkeys(KINDS, 0))
    for check in checks:
        total.update(check.counts)
    return dict(total)
