"""Read an irregularity from JSON and answer the `adjudicate` command (CONTRACTS.md, adjudicate)."""

from typing import Any

from scoring.rules.book.options import ReadOptions, read_options
from scoring.rules.irregularities import IRREGULARITIES, RULED, Matter
from scoring.rules.irregularities.kind import SINGLES
from scoring.rules.irregularities.reading import FactReader
from scoring.rules.irregularities.ruling import Recommendation
from scoring.rules.sheet.sheets import VariantRules, read_rules, read_sides
from scoring.rules.variants import VARIANTS
from tournament.cases import Fields, Problems, described, read_object, read_text
from tournament.errors import BadCase, Problem
from tournament.said import worded

CASE_FIELDS = ("rules", "kind", "facts", "options", "sides")


def answer_adjudicate(case: dict[str, Any]) -> dict[str, Any]:
    """Return the ruling on a case as JSON, without `ok`.

    >>> facts = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
    >>> answer = answer_adjudicate({"rules": "gra-singles", "kind": "improper-knock", "facts": facts})
    >>> answer["rule"], answer["ruling"], answer["points"]
    ('singles 9', 'accepted-as-undercut', {'B': 28})

    Raises:
        BadCase: the case has problems, and the error lists all of them.
    """
    return adjudicate(case).as_json()


def adjudicate(case: dict[str, Any]) -> Recommendation:
    """Return the ruling on `{"rules", "kind", "facts", "options", "sides"}`. The last three are optional.

    >>> ruling = adjudicate({"rules": "gra-singles", "kind": "touched-pile", "facts": {"by": "Ann"}})
    >>> ruling.text
    'Singles rule 5. Ann touched the top of a pile by mistake, and is not forced to take that card.'

    Raises:
        BadCase: the case has problems, and the error lists all of them: `unknown-rules`, `unknown-option`,
            `unknown-field`, `missing-field`, `bad-value` (also for an unknown kind), `bad-card`, `unknown-side`, and
            refusals of the sheet.
    """
    matter = _read(case)
    try:
        return matter.kind.decide(matter)
    except BadCase as refused:
        raise BadCase([_placed(problem) for problem in refused.problems]) from None


def _read(case: dict[str, Any]) -> Matter:
    problems = Problems()
    fields = Fields(case, problems)
    rules = fields.read("rules", _read_ruled)
    kind = fields.read("kind", _read_kind)
    made = VARIANTS[rules or SINGLES]
    given = fields.data.get("options", {}) if rules else {}
    options: ReadOptions = read_options(made.options, given, fields.at("options"), problems)
    named = fields.read("sides", lambda v, p, e: read_sides(v, p, e, variant=made)) if "sides" in fields else None
    facts = fields.read("facts", read_object) if "facts" in fields else {}
    fields.finish(known=CASE_FIELDS)
    reader = FactReader(made, options.values, problems)
    read = reader.read(IRREGULARITIES[kind], facts or {}, named) if kind else None
    problems.check()
    if kind is None or rules is None or read is None:
        raise ValueError("a case without problems has rules and a kind")
    rule_sheet = VariantRules(rules, options.values)
    return Matter(kind=IRREGULARITIES[kind], rule_sheet=rule_sheet, sides=read.sides, facts=read.facts)


def _read_ruled(value: Any, path: str, problems: Problems) -> str | None:
    """Return the name of a rule set whose irregularities are ruled on here, or None with its problem."""
    rules = read_rules(value, path, problems)
    if rules is None or rules in RULED:
        return rules
    problems.add(
        "unknown-rules",
        path,
        worded("Irregularities are ruled on by the rules of %(ruled)s only.", ruled=" and ".join(RULED)),
    )
    return None


def _read_kind(value: Any, path: str, problems: Problems) -> str | None:
    name = read_text(value, path, problems)
    if name is None or name in IRREGULARITIES:
        return name
    problems.bad(
        path,
        worded(
            "There is no irregularity %(value)s. There are: %(irregularities)s.",
            value=described(value),
            irregularities=", ".join(IRREGULARITIES),
        ),
    )
    return None


def _placed(problem: Problem) -> Problem:
    """Return a problem with its path in the case.

    A problem of the written line that has no fact is put at the options.
    """
    if problem.path.startswith("facts"):
        return problem
    return Problem(problem.code, "options", problem.message)
