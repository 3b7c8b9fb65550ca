"""The options of a rule sheet, special match lengths for some rounds, and the rulebooks.

Each option is declared once, with its labels for the form and for the published rule sheet. An option accepts named
values (`"up-card"`, `null`, `true`), whole numbers, or a list of strings. All options, including defaults, are frozen
when play starts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from tournament.cases import (
    MAX_SAFE_INTEGER,
    FieldReader,
    ProblemCollector,
    describe_value,
    join_path,
    read_object,
    read_text,
    shorten_text,
)
from tournament.lazy_text import join_texts, join_with_or, lazy_plural, lazy_text

OptionValue = int | str | bool | list[str] | None
Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of an option with its label, such as `null` with “not played”.

    `short_label` is a short label for score cards, or empty if cards do not mention the value.
    """

    value: OptionValue
    label: str
    short_label: str = ""


@dataclass(frozen=True, slots=True)
class NumberRange:
    """A range of whole numbers, including both ends."""

    lowest: int
    highest: int = MAX_SAFE_INTEGER

    def __contains__(self, value: object) -> bool:
        return type(value) is int and self.lowest <= value <= self.highest


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a game.

    `rule` cites the published rule that sets the option (“GRA singles rule 6”), or is empty if the rules leave it to
    the director. If a stored value is invalid, `fallback` (or else the default) is used, so that the lines can still be
    read. `short_label` is a format string for score cards, such as “Gin {}”.
    """

    name: str
    label: str
    meaning: str
    default: OptionValue
    rule: str = ""
    short_label: str = ""
    named: tuple[NamedValue, ...] = ()
    numbers: NumberRange | None = None
    text_limits: tuple[int, int] | None = None
    """The maximum number of strings and the maximum length of a string, if the option accepts a list of strings."""
    fallback: OptionValue = None

    @property
    def kind(self) -> str:
        """The kind of form field: `number`, `switch`, `choice`, `choice-or-number`, or `texts` (one string per row)."""
        if self.text_limits is not None:
            return "texts"
        if not self.named:
            return "number"
        if self.numbers is not None:
            return "choice-or-number"
        return "switch" if all(isinstance(named.value, bool) for named in self.named) else "choice"

    def accepts(self, value: object) -> bool:
        if isinstance(value, list):
            return self.validate_texts(value, "", ProblemCollector())
        if self.numbers is not None and value in self.numbers:
            return True
        return any(type(value) is type(named.value) and value == named.value for named in self.named)

    def validate_texts(self, value: list[Any], path: str, problems: ProblemCollector) -> bool:
        """Return whether the option accepts this list of strings.

        If the list is too long, add a single problem `bad-value`. Otherwise, add one for each invalid string.
        """
        if self.text_limits is None:
            return False
        most, longest = self.text_limits
        if len(value) > most:
            problems.add_bad_value(path, lazy_text("This list is too long: %(most)s texts at most.", most=most))
            return False
        read = [read_text(text, f"{path}[{i}]", problems, longest=longest) for i, text in enumerate(value)]
        return None not in read

    def describe(self, value: OptionValue) -> str:
        """Return the value as text for the rule sheet."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return named.label
        return (", ".join(value) or lazy_text("none")) if isinstance(value, list) else str(value)

    def summarize(self, value: OptionValue) -> str:
        """Return the value as short text for a score card (“Gin 25”), or an empty string if cards do not mention it."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return str(named.short_label)
        return str(self.short_label).format(value) if value and not isinstance(value, list) else ""

    def describe_allowed(self) -> str:
        written = [describe_value(named.value) for named in self.named]
        if self.numbers is not None and self.numbers.highest == MAX_SAFE_INTEGER:
            written.append(lazy_text("a whole number, %(lowest)s or more", lowest=self.numbers.lowest))
        elif self.numbers is not None:
            written.append(
                lazy_text(
                    "a whole number from %(lowest)s to %(highest)s",
                    lowest=self.numbers.lowest,
                    highest=self.numbers.highest,
                )
            )
        if self.text_limits is not None:
            written.append(lazy_text("a list of texts"))
        return join_with_or(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A named set of option values, such as a game from a book. `sides` is the minimum and maximum number of sides."""

    name: str
    title: str
    options: Options
    players: str = ""
    sides: tuple[int, int] | None = None


def adapt_options_to_variant(
    declared: Sequence[Option], rules: Mapping[str, str], **defaults: OptionValue
) -> tuple[Option, ...]:
    """Return a copy of the options with a variant's own defaults and citations.

    `rules` maps an option's name to a citation of the rule that sets the option.

    Raises:
        ValueError: a default or a rule names an undeclared option, or an option does not accept its default.
    """
    unknown = (set(rules) | set(defaults)) - {option.name for option in declared}
    if unknown:
        raise ValueError(f"no such option: {', '.join(sorted(unknown))}")
    chosen = tuple(
        replace(o, default=defaults.get(o.name, o.default), rule=rules.get(o.name, o.rule)) for o in declared
    )
    for option in chosen:
        if not option.accepts(option.default):
            raise ValueError(f"{option.name} does not take {option.default!r}")
    return chosen


def read_options(declared: Sequence[Option], value: Any, path: str, problems: ProblemCollector) -> tuple[Options, bool]:
    """Return the value of each declared option, and whether all given values were valid.

    Add the problem `unknown-option` for each unknown option, and `bad-value` for each value that an option does not
    accept. An unknown option alone does not make the second result False.
    """
    given = read_object(value, path, problems)
    known = {option.name: option for option in declared}
    values: dict[str, OptionValue] = {option.name: option.default for option in declared}
    is_readable = given is not None
    for name, wanted in (given or {}).items():
        option = known.get(name)
        if option is None:
            message = lazy_text(
                "There is no option %(name)s here. There are: %(what)s.",
                name=describe_value(name),
                what=", ".join(sorted(known)) or lazy_text("none"),
            )
            problems.add("unknown-option", join_path(path, shorten_text(name)), message)
        elif _is_valid_value(option, wanted, join_path(path, name), problems):
            values[name] = wanted
        else:
            values[name] = option.default if option.fallback is None else option.fallback
            is_readable = False
    return values, is_readable


def _is_valid_value(option: Option, wanted: Any, path: str, problems: ProblemCollector) -> bool:
    if isinstance(wanted, list) and option.text_limits is not None:
        return option.validate_texts(wanted, path, problems)
    if option.accepts(wanted):
        return True
    problems.add_bad_value(
        path,
        lazy_text(
            "%(wanted)s does not fit %(name)s: it takes %(allowed)s.",
            wanted=describe_value(wanted),
            name=option.name,
            allowed=option.describe_allowed(),
        ),
    )
    return False


# --- Lengths of a match ----------------------------------------------------------------------------------------------
# The last rounds of a bracket or one stage can have another length.

MATCH_LENGTH_OPTIONS: Final = ("target",)
"""The options that can have a different value in some rounds of an event."""
MAX_GAMES_TO_WIN: Final = 11
MAX_ROUND_FROM_END: Final = 16
LAST_ROUND_NAMES: Final = {1: lazy_text("Final"), 2: lazy_text("Semifinals"), 3: lazy_text("Quarterfinals")}


@dataclass(frozen=True, slots=True)
class MatchPosition:
    """A match's position in the event: the kind of stage, and the round.

    `stage` is empty if the event has no stages. `from_end` is the round counted backwards from the final (1), or None
    outside a bracket.
    """

    stage: str = ""
    from_end: int | None = None


@dataclass(frozen=True, slots=True)
class MatchLength:
    """A special match length for a stage or a round of an event.

    An empty `stage` means every stage, and a `from_end` of None means every round. Each length names a stage, a round,
    or both. `options` overrides the rule sheet's options. If `games_to_win` is None, the usual number applies.
    """

    stage: str = ""
    from_end: int | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    games_to_win: int | None = None

    def applies_to(self, place: MatchPosition) -> bool:
        return self.stage in ("", place.stage) and self.from_end in (None, place.from_end)

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are set, as JSON."""
        fields = {
            "stage": self.stage or None,
            "from_end": self.from_end,
            "options": dict(self.options) or None,
            "games_to_win": self.games_to_win,
        }
        return {name: value for name, value in fields.items() if value is not None}


def read_match_lengths(
    value: Sequence[Any], options: Sequence[Option], problems: ProblemCollector
) -> tuple[MatchLength, ...]:
    """Read and sort a rule sheet's special match lengths.

    Lengths for a round come first, starting with the final. Lengths for a whole stage come last.

    Add the problem `bad-value` for each value that an option does not accept. Add the same problem for a length that
    names neither a stage nor a round, for a length that sets nothing, and for a second length with the same stage and
    round.
    """
    known = {option.name: option for option in options if option.name in MATCH_LENGTH_OPTIONS}
    found: dict[tuple[str, int | None], MatchLength] = {}
    for number, entry in enumerate(value):
        length = _read_match_length(entry, f"lengths[{number}]", known, problems)
        if length is None:
            continue
        place = (length.stage, length.from_end)
        if place in found or place == ("", None):
            problems.add_bad_value(
                f"lengths[{number}]", lazy_text("A length is for a stage or a round, and one for each.")
            )
        found[place] = length
    return tuple(sorted(found.values(), key=lambda length: (length.from_end or MAX_ROUND_FROM_END + 1, length.stage)))


def _read_match_length(
    value: object, path: str, known: Mapping[str, Option], problems: ProblemCollector
) -> MatchLength | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = FieldReader(data, problems, path)
    stage = fields.text("stage", empty=True, default="")
    from_end = fields.integer("from_end", minimum=1, maximum=MAX_ROUND_FROM_END, default=None)
    options = (fields.read("options", read_object) if "options" in data else None) or {}
    games = fields.integer("games_to_win", minimum=1, maximum=MAX_GAMES_TO_WIN, default=None)
    fields.finish()
    for name, wanted in options.items():
        if name not in known or not known[name].accepts(wanted):
            allowed = (
                known[name].describe_allowed()
                if name in known
                else lazy_text("nothing: these rules have no such length")
            )
            problems.add_bad_value(
                join_path(f"{path}.options", name), lazy_text("%(name)s takes %(allowed)s.", name=name, allowed=allowed)
            )
    if not options and games is None:
        problems.add_bad_value(path, lazy_text("A length says the points of a game, the games of a match, or both."))
    return MatchLength(stage or "", from_end, options, games)


def resolve_match_length(lengths: Iterable[MatchLength], place: MatchPosition) -> dict[str, Any]:
    """Return the special `options` and `games_to_win` for a match, as its card stores them.

    >>> lengths = (MatchLength("record", None, {"target": 250}), MatchLength("", 1, {"target": 500}, 2))
    >>> resolve_match_length(lengths, MatchPosition("record")), resolve_match_length(lengths, MatchPosition("", 1))
    ({'options': {'target': 250}}, {'options': {'target': 500}, 'games_to_win': 2})
    >>> resolve_match_length(lengths, MatchPosition("", 2))
    {}
    """
    options: dict[str, int] = {}
    games: int | None = None
    applying = (length for length in lengths if length.applies_to(place))
    for length in sorted(applying, key=lambda each: (each.from_end is not None, each.stage != "")):
        options |= length.options
        games = games if length.games_to_win is None else length.games_to_win
    resolved: dict[str, Any] = {"options": options} if options else {}
    return resolved if games is None else {**resolved, "games_to_win": games}


def apply_match_length(options: Options, length: Mapping[str, Any]) -> Options:
    """Return the rule sheet's options, overridden by the special match length stored with a card."""
    return {**options, **length.get("options", {})}


def describe_bracket_round(from_end: int, *, is_double: bool = False) -> str:
    """Return the name of a bracket round, given its number counted backwards from the final (1).

    >>> [describe_bracket_round(n) for n in (1, 2, 3, 4, 5)]
    ['Final', 'Semifinals', 'Quarterfinals', 'Round of 16', 'Round of 32']
    >>> describe_bracket_round(2, is_double=True), describe_bracket_round(3, is_double=True)
    ('Last round before the final, of both brackets', '2 rounds before the final, of both brackets')
    """
    if is_double and from_end > 1:
        if from_end == 2:
            return lazy_text("Last round before the final, of both brackets")
        return lazy_plural(
            "%(number)s round before the final, of both brackets",
            "%(number)s rounds before the final, of both brackets",
            from_end - 1,
        )
    return LAST_ROUND_NAMES.get(from_end) or lazy_text("Round of %(from_end)s", from_end=2**from_end)


# --- Rulebooks -------------------------------------------------------------------------------------------------------
# The published rules of a variant, which messages and explanations cite.


class RuleTopic(StrEnum):
    KNOCK_CARD = "the up card's value is the knock limit"
    ACE = "an ace up: the hand is played for gin"
    UP_CARD_RECORDED = "the scorer records the up card"
    KNOCK = "a knock, and the undercut of it"
    GIN = "a gin and its bonus"
    FIFTIETH_CARD = "the hand ends dead at the fiftieth card"
    WRONG_COUNT = "cards missing or too many"
    IMPROPER_KNOCK = "a knock with too high a count"


@dataclass(frozen=True, slots=True)
class RuleTable:
    """A table on the published rule sheet, such as the list of wild ranks by hand."""

    heading: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A published set of rules. `rules` maps topics to citations, such as `{RuleTopic.GIN: "GRA singles rule 6"}`."""

    title: str
    rules: Mapping[RuleTopic, str] = field(default_factory=dict)
    summary: tuple[str, ...] = ()
    """The rules in a few sentences, for the published rule sheet and the back of the paper score card."""
    is_numbered: bool = False
    """Whether the summary's sentences have the same numbers as the book's rules."""
    notes: tuple[str, ...] = ()
    """Further sentences for the rule sheet, without rule numbers."""
    follows: str = ""
    """The rule set that applies where this book has no rule."""

    @property
    def card_sentences(self) -> tuple[str, ...]:
        """The sentences for the back of a score card, with the rule numbers if the book has them."""
        if not self.is_numbered:
            return (*self.summary, *self.notes)
        numbered = (
            lazy_text("%(number)s. %(rule)s", number=n, rule=rule) for n, rule in enumerate(self.summary, start=1)
        )
        return (*numbered, *self.notes)

    def add_citation(self, topic: RuleTopic, sentence: str) -> str:
        """Append a reference to the rule, if the book has a rule on the topic.

        >>> Rulebook("GRA", {RuleTopic.GIN: "GRA singles rule 6"}).add_citation(RuleTopic.GIN, "Was it gin?")
        'Was it gin? See GRA singles rule 6.'
        """
        rule = self.rules.get(topic)
        return join_texts(" ", [sentence, lazy_text("See %(rule)s.", rule=rule)]) if rule else sentence

    def cite_steps(self, topic: RuleTopic, steps: Sequence[str]) -> str:
        """Return the steps of a calculation as text, followed by a citation if the book has a rule on the topic."""
        rule = self.rules.get(topic)
        return join_texts(", ", [*steps, rule] if rule else steps)
