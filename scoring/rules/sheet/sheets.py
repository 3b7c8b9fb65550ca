"""A score sheet, which consists of rules, sides and lines. The tally is computed by folding over the lines.

make_variant_rules("gra-singles", {"target": 200}) ──make_empty_sheet──► ScoreSheet
ScoreSheet ──tally_sheet──► Tally
└──judge_line──► a new line with its score
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from scoring.rules.book.options import Option, Options, OptionValue, read_options
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import (
    TOTALS_KEY,
    LineTally,
    LineWarning,
    SheetRow,
    SheetStanding,
    Tally,
    TotalsLine,
    Variant,
    make_sheet_fields,
)
from tournament.cases import (
    FieldReader,
    ProblemCollector,
    describe_value,
    join_path,
    read_object,
    read_text,
    read_unchecked_list,
)
from tournament.lazy_text import lazy_plural, lazy_text

RESERVED_SIDE_NAMES: Final = ("winner", "gins")
"""Names that no side may have, because the JSON output uses them as keys next to the sides' names."""

SET_BY_DIRECTOR_TEXT: Final = lazy_text("set by the director")


@dataclass(frozen=True, slots=True)
class _PublishedOption:
    """An option as it is printed on the published rule sheet.

    `source` is the citation of a rule, or “set by the director”.
    """

    option: Option
    value: OptionValue
    words: str
    source: str


@dataclass(frozen=True, slots=True)
class VariantRules:
    """A variant with all its options frozen. Create one with `make_variant_rules`, which rejects invalid options."""

    rules: str
    options: Options

    @property
    def variant(self) -> type[Variant[Any, Any]]:
        return VARIANTS[self.rules]

    def name_line(self, number: int) -> str:
        """Return the name of a line for use within a sentence. Numbers start at 1.

        >>> make_variant_rules("gra-singles").name_line(3)
        'hand 3'
        >>> make_variant_rules("fort-worth", {"length": "short"}).name_line(2)
        'hand with 3s wild'
        """
        return self.variant((), self.options).name_line(number)

    def label_line(self, number: int) -> str:
        """Return the label of a line in a list. Numbers start at 1.

        >>> make_variant_rules("gra-singles").label_line(3), make_variant_rules("fort-worth").label_line(12)
        ('3', 'queens wild')
        """
        return self.variant((), self.options).label_line(number)

    def list_published_options(self) -> tuple[_PublishedOption, ...]:
        """Return every option with its value as text and its source.

        >>> for line in make_variant_rules("gra-singles", {"undercut_bonus": 20}).list_published_options()[:5]:
        ...     print(line.option.label, "|", line.words, "|", line.source)
        Points a game | 150 | set by the director
        Knock limit | the value of the up card | GRA singles rule 4
        When the up card is an ace | play for gin | GRA singles rule 4
        Bonus for gin | 25 | GRA singles rule 6
        Bonus for an undercut | 20 | set by the director
        """
        published = []
        for option in self.variant.options:
            value = self.options[option.name]
            source = option.rule if option.rule and value == option.default else SET_BY_DIRECTOR_TEXT
            published.append(_PublishedOption(option, value, option.describe(value), source))
        return tuple(published)

    def summarize_options(self) -> str:
        """Return the options as a single line for a score card, without the options that are turned off.

        >>> make_variant_rules("gra-singles").summarize_options()
        'Game 150 · Knock with the up card or less · Ace: gin only · Gin 25 · Undercut 25'
        """
        briefs = (option.summarize(self.options[option.name]) for option in self.variant.options)
        return " · ".join(brief for brief in briefs if brief)


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A score sheet with its rules and sides, and the lines recorded so far."""

    rule_sheet: VariantRules
    sides: tuple[str, ...]
    lines: tuple[Any, ...] = ()

    @property
    def variant(self) -> Variant[Any, Any]:
        return self.rule_sheet.variant(self.sides, self.rule_sheet.options)

    def list_rows(self) -> tuple[SheetRow, ...]:
        counted = tally_sheet(self).lines
        return tuple(
            SheetRow(i + 1, line, worth) for i, (line, worth) in enumerate(zip(self.lines, counted, strict=True))
        )


@dataclass(frozen=True, slots=True)
class JudgedLine:
    """A line that can be recorded, with its score, warnings about it, and the sheet and tally that include it."""

    line: Any
    line_tally: LineTally
    sheet: ScoreSheet
    tally: Tally
    warnings: tuple[LineWarning, ...]

    def as_json(self) -> dict[str, Any]:
        return _write_line(self.sheet.variant, self.line)


def make_variant_rules(rules: str, options: Mapping[str, Any] | None = None) -> VariantRules:
    """Return the variant named `rules` with these options. The other options get the variant's defaults.

    >>> make_variant_rules("standard", {"target": 200}).options["target"]
    200
    >>> make_variant_rules("standard").options["knock"]
    10

    Raises:
        InvalidInput: `unknown-rules`, `unknown-option`, `bad-value`.
    """
    problems = ProblemCollector()
    read_variant_name(rules, "rules", problems)
    problems.raise_if_any()
    values, _ = read_options(VARIANTS[rules].options, dict(options or {}), "options", problems)
    problems.raise_if_any()
    return VariantRules(rules, values)


def make_empty_sheet(rules: VariantRules, sides: Iterable[str]) -> ScoreSheet:
    """Return a score sheet without lines.

    Raises:
        InvalidInput: `bad-value` at `sides`, if the number of sides does not fit the variant, or a name is empty,
            duplicate or reserved.
    """
    problems = ProblemCollector()
    named = read_sides(list(sides), "sides", problems, variant=rules.variant)
    problems.raise_if_any()
    return ScoreSheet(rules, named)


def tally_sheet(sheet: ScoreSheet) -> Tally:
    """Add up a score sheet.

    >>> sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["A", "B"])
    >>> gin = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 20}}
    >>> tally_sheet(judge_line(sheet, gin).sheet).totals
    {'A': 45, 'B': 0}

    Raises:
        InvalidInput: `after-end` for each line after the end of the game.
    """
    problems = ProblemCollector()
    counted = _tally_lines(sheet.variant, sheet.lines, "lines", problems)
    if counted is None:
        problems.raise_if_any()
        raise ValueError("a sheet holds read lines only")
    return counted


def _tally_lines(
    variant: Variant[Any, Any], lines: Iterable[Any | None], path: str, problems: ProblemCollector
) -> Tally | None:
    """Return the tally of the lines, or None if a line is rejected. An item of `lines` is None if it was unreadable.

    Lines after a rejected one are not scored, unless the variant's lines are independent of each other.
    """
    standing: SheetStanding = variant.make_initial_standing()
    rows: list[LineTally] = []
    at_fault = False
    for number, line in enumerate(lines):
        refused = list(variant.iter_problems(standing, line))
        for problem in refused:
            where = f"{path}[{number}]"
            problems.add(problem.code, join_path(where, problem.path) if problem.path else where, problem.message)
        if refused or line is None:
            at_fault = True
            if not (standing.complete or variant.lines_are_independent):
                break
            continue
        standing, row = variant.score_line_or_totals(standing, line)
        rows.append(row)
    return None if at_fault else variant.make_tally(standing, rows)


def judge_line(sheet: ScoreSheet, data: Any, *, at: int | None = None) -> JudgedLine:
    """Score a new line before it is recorded.

    If `at` is given, the new line replaces the line at that index. Lines are counted from 0.

    >>> sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["Ann", "Bob"])
    >>> knock = {"up": "8H", "outcome": "knock", "by": "Ann", "counts": {"Ann": 9, "Bob": 20}}
    >>> judge_line(sheet, knock)
    Traceback (most recent call last):
    ...
    tournament.errors.InvalidInput: counts.Ann: You cannot knock with 9. The up card is 8♥, so 8 is the most. \
See GRA singles rule 4. It is played open, or the opponent accepts it. See GRA singles rule 9.

    Raises:
        InvalidInput: the line has problems, and the error lists all of them with paths from the line (`counts.Ann`).
            If the game was over before this line, `after-end` has an empty path. If a replaced line makes the game end
            earlier, there is an `after-end` for each line after the new end, with that line's path (`lines[4]`).
        IndexError: the sheet has no line `at`.
    """
    problems = ProblemCollector()
    variant = sheet.variant
    lines = list(sheet.lines)
    place = len(lines) if at is None else range(len(lines))[at]
    line = read_line(variant, data, "", problems)
    standing: SheetStanding = variant.make_initial_standing()
    for earlier in lines[:place]:
        standing, _ = variant.score_line_or_totals(standing, earlier)
    problems.found += variant.iter_problems(standing, line)
    problems.raise_if_any()
    lines[place : place + 1] = [line]
    after = replace(sheet, lines=tuple(lines))
    counted = tally_sheet(after)
    earlier_hands = [earlier for earlier in lines[:place] if not isinstance(earlier, TotalsLine)]
    return JudgedLine(line, counted.lines[place], after, counted, tuple(variant.iter_warnings(line, earlier_hands)))


def read_variant_name(value: Any, path: str, problems: ProblemCollector) -> str | None:
    if not isinstance(value, str):
        problems.add_bad_value(
            path,
            lazy_text(
                "%(value)s is not the name of rules. There are: %(variants)s.",
                value=describe_value(value),
                variants=", ".join(VARIANTS),
            ),
        )
    elif value not in VARIANTS:
        message = lazy_text(
            "There are no rules %(value)s here. There are: %(variants)s.",
            value=describe_value(value),
            variants=", ".join(VARIANTS),
        )
        problems.add("unknown-rules", path, message)
    else:
        return value
    return None


def read_sides(
    value: Any, path: str, problems: ProblemCollector, *, variant: type[Variant[Any, Any]] | None = None
) -> tuple[str, ...]:
    """Return the sides' names. If they are invalid, add the problems and return an empty tuple.

    Without a variant, any number of sides is accepted.
    """
    before = len(problems.found)
    named = read_unchecked_list(value, path, problems)
    if named is None:
        return ()
    if variant and not variant.fewest_sides <= len(named) <= variant.most_sides:
        few, many = variant.fewest_sides, variant.most_sides
        wanted = str(few) if few == many else lazy_text("%(few)s to %(many)s", few=few, many=many)
        problems.add_bad_value(
            path,
            lazy_plural(
                "%(title)s takes %(wanted)s side; here are %(named)s.",
                "%(title)s takes %(wanted)s sides; here are %(named)s.",
                many,
                title=variant.title,
                wanted=wanted,
                named=len(named),
            ),
        )
    seen: set[str] = set()
    for i, name in enumerate(named):
        where = f"{path}[{i}]"
        text = read_text(name, where, problems)
        if text in seen:
            problems.add_bad_value(
                where,
                lazy_text("%(text)s is the name of two sides: they must be different.", text=describe_value(text)),
            )
        elif text is not None:
            seen.add(text)
        if text in RESERVED_SIDE_NAMES:
            problems.add_bad_value(
                where,
                lazy_text(
                    "No side can be called %(text)s: an answer uses that word itself.", text=describe_value(text)
                ),
            )
    return tuple(named) if len(problems.found) == before else ()


def read_line(variant: Variant[Any, Any], value: Any, path: str, problems: ProblemCollector) -> Any | None:
    data = read_object(value, path, problems)
    return None if data is None else variant.read_line(FieldReader(data, problems, path))


def accepts_totals(variant: Variant[Any, Any]) -> bool:
    """Return whether cards can be entered with only their totals.

    This is possible if the game has two sides, and the first side to reach the target wins.
    """
    return len(variant.sides) == 2 and variant.make_points_line(variant.sides[0], 1) is not None


def read_totals(variant: Variant[Any, Any], totals: Any, path: str, problems: ProblemCollector) -> TotalsLine | None:
    """Read both totals. If they are invalid, add the problems and return None.

    This does not check whether a game can end with these totals.
    """
    before = len(problems.found)
    if not accepts_totals(variant):
        problems.add_bad_value(
            path, lazy_text("%(title)s: a sheet cannot be entered by its totals.", title=variant.title)
        )
        return None
    data = read_object(totals, path, problems)
    if data is None:
        return None
    fields = FieldReader(data, problems, path)
    final = {side: fields.integer(side, minimum=0, maximum=10**9) for side in variant.sides}
    fields.finish()
    return TotalsLine(final) if len(problems.found) == before else None


# --- Sheets in JSON --------------------------------------------------------------------------------------------------
# A sheet is read from JSON and written back, and the `tally` command is answered (CONTRACTS.md, tally).

_CASE_FIELDS = ("rules", "options", "sides", "lines")


def run_tally_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a case of the `tally` command, without the field `ok`.

    >>> line = {"up": "8H", "outcome": "gin", "by": "A", "counts": {"A": 0, "B": 7}}
    >>> run_tally_case({"rules": "gra-singles", "sides": ["A", "B"], "lines": [line]})["lines"]
    [{'points': {'A': 32, 'B': 0}, 'running': {'A': 32, 'B': 0}, 'event': 'gin'}]

    Raises:
        InvalidInput: the case has problems, and the error lists all of them.
    """
    return _read_sheet(case)[1].as_json()


def sheet_from_json(case: dict[str, Any]) -> ScoreSheet:
    """Read a score sheet from JSON with the keys `rules`, `options`, `sides`, `lines` and `totals`.

    `options` and `totals` are optional. If a card was entered without its lines, `totals` maps each side to its final
    total (`TotalsLine`).

    Raises:
        InvalidInput: the sheet has problems, and the error lists all of them.
    """
    return _read_sheet(case, entered=True)[0]


def sheet_to_json(sheet: ScoreSheet) -> dict[str, Any]:
    """Return the sheet as JSON for `sheet_from_json`, with every option."""
    variant = sheet.variant
    return {
        "rules": sheet.rule_sheet.rules,
        "options": dict(sheet.rule_sheet.options),
        "sides": list(sheet.sides),
        **make_sheet_fields([_write_line(variant, line) for line in sheet.lines]),
    }


def _write_line(variant: Variant[Any, Any], line: Any) -> dict[str, Any]:
    return line.as_json() if isinstance(line, TotalsLine) else variant.write_line(line)


def _read_sheet(case: dict[str, Any], *, entered: bool = False) -> tuple[ScoreSheet, Tally]:
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    rules = fields.read("rules", read_variant_name)
    counted = None
    if rules is None:
        fields.read("sides", read_sides)
        fields.finish(known=_CASE_FIELDS)
    else:
        sheet, counted = _read_lines(fields, rules, entered)
    problems.raise_if_any()
    if counted is None:
        raise ValueError("a case without problems has a tally")
    return sheet, counted


def _read_lines(fields: FieldReader, rules: str, entered: bool) -> tuple[ScoreSheet, Tally | None]:
    """Read the lines under known rules, and return the sheet and its tally.

    The tally is None if the options or sides are unreadable, or a line is rejected.
    """
    problems = fields.problems
    variant_class = VARIANTS[rules]
    given = fields.data.get("options", {})
    options, is_readable = read_options(variant_class.options, given, fields.get_path("options"), problems)
    sides = fields.read("sides", lambda v, p, e: read_sides(v, p, e, variant=variant_class)) or ()
    variant = variant_class(sides, options)
    written = fields.read("lines", read_unchecked_list) or []
    hands = tuple(
        read_line(variant, line, f"{fields.get_path('lines')}[{i}]", problems) for i, line in enumerate(written)
    )
    totals = fields.read(TOTALS_KEY, lambda v, p, e: read_totals(variant, v, p, e), None) if entered else None
    fields.finish(known=_CASE_FIELDS)
    lines = (totals, *hands) if totals is not None else hands
    sheet = ScoreSheet(VariantRules(rules, options), sides, lines)
    countable = is_readable and sides
    return sheet, _tally_lines(variant, lines, fields.get_path("lines"), problems) if countable else None
