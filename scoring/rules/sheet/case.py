"""Read a sheet from JSON and answer the `tally` command (CONTRACTS.md, tally)."""

from typing import Any

from scoring.rules.book.options import read_options
from scoring.rules.sheet.paper import read_totals
from scoring.rules.sheet.sheets import Sheet, VariantRules, read_line, read_rules, read_sides, tally_lines
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import TOTALS, Tally, TotalsLine, as_case
from tournament.cases import Fields, Problems, read_list

_CASE_FIELDS = ("rules", "options", "sides", "lines")


def answer_tally(case: dict[str, Any]) -> dict[str, Any]:
    """Return the tally of a case as JSON, without `ok`.

    >>> line = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}
    >>> answer_tally({"rules": "gra-singles", "sides": ["A", "B"], "lines": [line]})["lines"]
    [{'points': {'A': 32, 'B': 0}, 'running': {'A': 32, 'B': 0}, 'event': 'gin'}]

    Raises:
        BadCase: the case has problems, and the error lists all of them.
    """
    return _read(case)[1].as_json()


def read_sheet(case: dict[str, Any]) -> Sheet:
    """Return the sheet of `{"rules", "options", "sides", "lines"}`. `options` is optional.

    The optional `totals`, by side, are the line of a card entered by its totals (`TotalsLine`).

    Raises:
        BadCase: the sheet has problems, and the error lists all of them.
    """
    return _read(case, entered=True)[0]


def write_sheet(sheet: Sheet) -> dict[str, Any]:
    """Return the sheet in the form that `read_sheet` takes, with every option.

    Totals of a paper card are beside the hands.
    """
    variant = sheet.variant
    return {
        "rules": sheet.rule_sheet.rules,
        "options": dict(sheet.rule_sheet.options),
        "sides": list(sheet.sides),
        **as_case(
            [line.as_json() if isinstance(line, TotalsLine) else variant.write_line(line) for line in sheet.lines]
        ),
    }


def _read(case: dict[str, Any], *, entered: bool = False) -> tuple[Sheet, Tally]:
    problems = Problems()
    fields = Fields(case, problems)
    rules = fields.read("rules", read_rules)
    counted = None
    if rules is None:
        fields.read("sides", read_sides)
        fields.finish(known=_CASE_FIELDS)
    else:
        sheet, counted = _read_lines(fields, rules, entered)
    problems.check()
    if counted is None:
        raise ValueError("a case without problems has a tally")
    return sheet, counted


def _read_lines(fields: Fields, rules: str, entered: bool) -> tuple[Sheet, Tally | None]:
    """Read the sheet under known rules.

    The tally is None if the options or sides cannot be read, or a line is at fault.
    """
    problems = fields.problems
    made = VARIANTS[rules]
    given = fields.data.get("options", {})
    options = read_options(made.options, given, fields.at("options"), problems)
    sides = fields.read("sides", lambda v, p, e: read_sides(v, p, e, variant=made)) or ()
    variant = made(sides, options.values)
    written = fields.read("lines", read_list) or []
    hands = tuple(read_line(variant, line, f"{fields.at('lines')}[{i}]", problems) for i, line in enumerate(written))
    totals = fields.read(TOTALS, lambda v, p, e: read_totals(variant, v, p, e), None) if entered else None
    fields.finish(known=_CASE_FIELDS)
    lines = (totals, *hands) if totals is not None else hands
    sheet = Sheet(VariantRules(rules, options.values), sides, lines)
    countable = options.is_readable and sides
    return sheet, tally_lines(variant, lines, fields.at("lines"), problems) if countable else None
