"""Run the `adjudicate` command: read an irregularity from JSON and rule on it (CONTRACTS.md, adjudicate)."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.rules.book.options import Options, read_options
from scoring.rules.hand.cards import DECK, read_card, read_cards
from scoring.rules.hand.hands import ACE_COUNTS_ONE, MAX_POINTS
from scoring.rules.irregularities import GRA_RULE_SETS, IRREGULARITIES, IrregularityCase
from scoring.rules.irregularities.case import (
    GRA_SINGLES_RULES,
    UNNAMED_OPPONENT,
    FactKind,
    FactQuestion,
    Irregularity,
    IrregularityFacts,
    RulingRecommendation,
)
from scoring.rules.sheet.sheets import RESERVED_SIDE_NAMES, VariantRules, read_line, read_sides, read_variant_name
from scoring.rules.variants import VARIANTS
from scoring.rules.variants.variant import Variant
from tournament.cases import (
    FieldReader,
    ProblemCollector,
    describe_value,
    join_path,
    read_boolean,
    read_choice,
    read_integer,
    read_object,
    read_text,
    shorten_text,
)
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import lazy_text

_CASE_FIELDS = ("rules", "kind", "facts", "options", "sides")


def run_adjudicate_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return the response to a case of the `adjudicate` command, without the field `ok`.

    >>> facts = {"up": "8H", "by": "A", "count": 10, "opponent_count": 7, "opponent_accepts": True}
    >>> answer = run_adjudicate_case({"rules": "gra-singles", "kind": "improper-knock", "facts": facts})
    >>> answer["rule"], answer["ruling"], answer["points"]
    ('singles 9', 'accepted-as-undercut', {'B': 28})

    Raises:
        InvalidInput: the case has problems, and the error lists all of them.
    """
    return adjudicate(case).as_json()


def adjudicate(case: dict[str, Any]) -> RulingRecommendation:
    """Return the recommended ruling on an irregularity.

    `case` has the keys `rules`, `kind`, `facts`, `options` and `sides`. The last three are optional.

    >>> ruling = adjudicate({"rules": "gra-singles", "kind": "touched-pile", "facts": {"by": "Ann"}})
    >>> ruling.text
    'Singles rule 5. Ann touched the top of a pile by mistake, and is not forced to take that card.'

    Raises:
        InvalidInput: the case has problems, and the error lists all of them: `unknown-rules`, `unknown-option`,
            `unknown-field`, `missing-field`, `bad-value` (also for an unknown kind), `bad-card`, `unknown-side`, and
            the codes of a line that the sheet rejects.
    """
    irregularity = _read_case(case)
    try:
        return irregularity.kind.decide(irregularity)
    except InvalidInput as refused:
        # A problem in the line that belongs to no fact is reported for the options.
        raise InvalidInput(
            [
                problem if problem.path.startswith("facts") else InputProblem(problem.code, "options", problem.message)
                for problem in refused.problems
            ]
        ) from None


def _read_case(case: dict[str, Any]) -> IrregularityCase:
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    rules = fields.read("rules", _read_rule_set)
    kind = fields.read("kind", _read_kind)
    variant = VARIANTS[rules or GRA_SINGLES_RULES]
    given = fields.data.get("options", {}) if rules else {}
    options, _ = read_options(variant.options, given, fields.get_path("options"), problems)
    named = fields.read("sides", lambda v, p, e: read_sides(v, p, e, variant=variant)) if "sides" in fields else None
    facts = fields.read("facts", read_object) if "facts" in fields else {}
    fields.finish(known=_CASE_FIELDS)
    reader = _FactReader(variant, options, problems)
    read = reader.read(IRREGULARITIES[kind], facts or {}, named) if kind else None
    problems.raise_if_any()
    if kind is None or rules is None or read is None:
        raise ValueError("a case without problems has rules and a kind")
    rule_sheet = VariantRules(rules, options)
    return IrregularityCase(kind=IRREGULARITIES[kind], rule_sheet=rule_sheet, sides=read[0], facts=read[1])


def _read_rule_set(value: Any, path: str, problems: ProblemCollector) -> str | None:
    rules = read_variant_name(value, path, problems)
    if rules is None or rules in GRA_RULE_SETS:
        return rules
    problems.add(
        "unknown-rules",
        path,
        lazy_text("Irregularities are ruled on by the rules of %(ruled)s only.", ruled=" and ".join(GRA_RULE_SETS)),
    )
    return None


def _read_kind(value: Any, path: str, problems: ProblemCollector) -> str | None:
    name = read_text(value, path, problems)
    if name is None or name in IRREGULARITIES:
        return name
    problems.add_bad_value(
        path,
        lazy_text(
            "There is no irregularity %(value)s. There are: %(irregularities)s.",
            value=describe_value(value),
            irregularities=", ".join(IRREGULARITIES),
        ),
    )
    return None


# --- Facts of a case -------------------------------------------------------------------------------------------------
# The facts of an irregularity are read strictly, by the kind that declares them.

_KINDS_BY_SIDE: Final = (FactKind.CARD_A_SIDE, FactKind.CARDS_A_SIDE, FactKind.NUMBER_A_SIDE)
_DEFAULT_SIDE_NAMES: Final = ("A", "B")
_LINE_FIELDS_NAMING_SIDE: Final = ("by", "to", "dealer")
_LINE_FIELDS_KEYED_BY_SIDE: Final = ("counts", "missing", "extra")
_OPTIONS_ALLOWING_EVERY_KNOCK: Final[Mapping[str, int | str]] = {"knock": MAX_POINTS, "ace": ACE_COUNTS_ONE}
"""Options that make every knock legal. A hand is read with these options while its knock is in dispute."""


class _FactReader:
    """Reads the facts of a case.

    If `sides` is empty because the sides' names were unreadable, every name is accepted.
    """

    def __init__(self, variant: type[Variant[Any, Any]], options: Options, problems: ProblemCollector) -> None:
        self.variant = variant
        self.options = options
        self.problems = problems
        self.sides: tuple[str, ...] = ()

    def read(
        self, kind: Irregularity, data: dict[str, Any], named: tuple[str, ...] | None
    ) -> tuple[tuple[str, str], IrregularityFacts]:
        """Return the sides and the facts. `named` contains the sides named in the case, or is None if there are none.

        If a side or a fact is invalid, add a problem: `unknown-field`, `bad-value`, `bad-card`, or `unknown-side`.
        """
        fields = FieldReader(data, self.problems, "facts")
        sides = self._read_sides(fields, named)
        self.sides = _find_sides(kind, data) if sides is None else sides
        values = {fact.name: self._read_fact(fact, fields) for fact in kind.facts if data.get(fact.name) is not None}
        fields.finish(known=["sides", *(fact.name for fact in kind.facts)])
        first, second = self.sides or _DEFAULT_SIDE_NAMES
        return (first, second), IrregularityFacts({"sides": sides, **values})

    def _read_sides(self, fields: FieldReader, named: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the sides, or an empty tuple if they are unreadable."""
        if fields.data.get("sides") is None:
            return named
        sides = fields.read("sides", lambda v, p, e: read_sides(v, p, e, variant=self.variant)) or ()
        if named and sides and set(named) != set(sides):
            who = " and ".join(map(shorten_text, named))
            self.problems.add_bad_value(
                fields.get_path("sides"), lazy_text("These are not the sides of the case: %(who)s.", who=who)
            )
        return sides

    def _read_fact(self, fact: FactQuestion, fields: FieldReader) -> Any:
        value, path = fields.data[fact.name], fields.get_path(fact.name)
        if fact.kind in _KINDS_BY_SIDE:
            return self._read_by_side(fact, value, path)
        if fact.kind is FactKind.SIDES:
            return self.sides
        if fact.kind is FactKind.SIDE:
            return self._read_name(value, path)
        if fact.kind is FactKind.LINE:
            return self._read_hand(value, path)
        return self._read_value(fact, value, path)

    def _read_value(self, fact: FactQuestion, value: Any, path: str) -> Any:
        if fact.kind is FactKind.CARD:
            return read_card(value, path, self.problems)
        if fact.kind is FactKind.CLAIMED_CARD:
            card = DECK.get(value) if isinstance(value, str) else None
            if card is None:
                message = lazy_text("%(value)s is none of the cards that are claimed.", value=describe_value(value))
                self.problems.add_bad_value(path, message)
            return card
        if fact.kind is FactKind.YES_NO:
            return read_boolean(value, path, self.problems)
        if fact.kind is FactKind.CODE:
            return read_choice(value, path, self.problems, choices=[code for code, _ in fact.codes])
        return read_integer(value, path, self.problems, minimum=0, maximum=fact.maximum)

    def _read_by_side(self, fact: FactQuestion, value: Any, path: str) -> dict[str, Any]:
        found = {}
        for name, entry in (read_object(value, path, self.problems) or {}).items():
            where = join_path(path, shorten_text(name))
            read = None
            if self._read_name(name, where) is not None and entry is not None:
                read = self._read_entry(fact, entry, where)
            if read is not None:
                found[name] = read
        return found

    def _read_entry(self, fact: FactQuestion, entry: Any, path: str) -> Any:
        if fact.kind is FactKind.CARD_A_SIDE:
            return read_card(entry, path, self.problems)
        if fact.kind is FactKind.CARDS_A_SIDE:
            return read_cards(entry, path, self.problems)
        return read_integer(entry, path, self.problems, minimum=0, maximum=fact.maximum)

    def _read_name(self, value: Any, path: str) -> str | None:
        if value in self.sides:
            return str(value)
        name = read_text(value, path, self.problems)
        if name in RESERVED_SIDE_NAMES:
            self.problems.add_bad_value(
                path,
                lazy_text(
                    "No side can be called %(name)s: an answer uses that word itself.", name=describe_value(name)
                ),
            )
        elif name is not None and self.sides:
            sides = " and ".join(map(shorten_text, self.sides))
            self.problems.add(
                "unknown-side",
                path,
                lazy_text("%(name)s is neither of the two sides: %(sides)s.", name=describe_value(name), sides=sides),
            )
        return None

    def _read_hand(self, value: Any, path: str) -> Any:
        """Read a line of the score sheet without checking its up card, which may be in dispute."""
        fallback = self.variant(self.sides, {**self.options, **_OPTIONS_ALLOWING_EVERY_KNOCK})
        if isinstance(value, dict) and value.get("up", "") is None:
            value = {name: entry for name, entry in value.items() if name != "up"}
        return read_line(fallback, value, path, self.problems)


def _find_sides(kind: Irregularity, data: Mapping[str, Any]) -> tuple[str, str]:
    """Return the two sides that the facts name. A side that is not named gets a default name.

    If the facts name more than two sides, only the first two are used.
    """
    found = dict.fromkeys(name for fact in kind.facts for name in _list_names_in_fact(fact.kind, data.get(fact.name)))
    usable = [
        name
        for name in found
        if name not in RESERVED_SIDE_NAMES and read_text(name, "", ProblemCollector()) is not None
    ]
    if len(usable) >= len(_DEFAULT_SIDE_NAMES):
        return usable[0], usable[1]
    if not usable:
        return _DEFAULT_SIDE_NAMES
    first, second = _DEFAULT_SIDE_NAMES
    other = {first: second, second: first, UNNAMED_OPPONENT: first}.get(usable[0], UNNAMED_OPPONENT)
    return usable[0], other


def _list_names_in_fact(kind: FactKind, value: Any) -> list[str]:
    if kind is FactKind.SIDE and isinstance(value, str):
        return [value]
    if kind in _KINDS_BY_SIDE and isinstance(value, dict):
        return sorted(value)
    return sorted(set(_iter_names_in_line(value))) if kind is FactKind.LINE and isinstance(value, dict) else []


def _iter_names_in_line(line: Mapping[str, Any]) -> Iterator[str]:
    boards = line.get("boards")
    hands = [hand for hand in boards if isinstance(hand, dict)] if isinstance(boards, list) else [line]
    for hand in hands:
        yield from (hand[name] for name in _LINE_FIELDS_NAMING_SIDE if isinstance(hand.get(name), str))
        for name in _LINE_FIELDS_KEYED_BY_SIDE:
            yield from hand[name] if isinstance(hand.get(name), dict) else ()
