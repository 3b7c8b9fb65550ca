"""Options of a rule sheet: declared once, with the words for the form and for the published sheet, read strictly.

An option takes named values (`"up-card"`, `null`, `true`), whole numbers, or a list of texts: every option of every
variant is one of these, or named values and one of the others. The whole set, defaults included, is frozen when play
starts: an option not on the rule sheet does not exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournament.cases import LARGEST, Problems, described, join, read_object, read_text, shortened
from tournament.said import either, worded

OptionValue = int | str | bool | list[str] | None
Options = Mapping[str, OptionValue]
"""Every option of a variant by name."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value with its words: `null`, “not played”. `brief` is what a card says of it; empty: it is not played."""

    value: OptionValue
    words: str
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The whole numbers an option takes, both ends included."""

    lowest: int
    highest: int = LARGEST

    def __contains__(self, value: object) -> bool:
        return type(value) is int and self.lowest <= value <= self.highest


@dataclass(frozen=True, slots=True)
class Texts:
    """The lists of texts an option takes: up to `most`, none of them empty or over `longest` characters."""

    most: int
    longest: int

    def check(self, value: list[Any], path: str, problems: Problems) -> bool:
        """Whether it takes that list. Problems: `bad-value` at the list where it is too long, else at each text."""
        if len(value) > self.most:
            problems.bad(path, worded("This list is too long: %(most)s texts at most.", most=self.most))
            return False
        read = [read_text(text, f"{path}[{i}]", problems, longest=self.longest) for i, text in enumerate(value)]
        return None not in read


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a variant.

    `rule` says where the published rules fix it (“GRA singles rule 6”); empty where they are silent, and then the
    value is set by the director. `lenient` stands in for a value that cannot be read, so that no line is refused
    on its account; None: the default does. `brief` is what a card says of a number, with `{}` for it.
    """

    name: str
    label: str
    meaning: str
    default: OptionValue
    rule: str = ""
    brief: str = ""
    named: tuple[NamedValue, ...] = ()
    numbers: Numbers | None = None
    texts: Texts | None = None
    lenient: OptionValue = None

    @property
    def kind(self) -> str:
        """What the form shows: `number`, `switch`, `choice`, `choice-or-number`, or `texts`, one a row."""
        if self.texts is not None:
            return "texts"
        if not self.named:
            return "number"
        if self.numbers is not None:
            return "choice-or-number"
        return "switch" if all(isinstance(named.value, bool) for named in self.named) else "choice"

    def takes(self, value: object) -> bool:
        if isinstance(value, list):
            return self.texts is not None and self.texts.check(value, "", Problems())
        if self.numbers is not None and value in self.numbers:
            return True
        return any(type(value) is type(named.value) and value == named.value for named in self.named)

    def words(self, value: OptionValue) -> str:
        """The value as the rule sheet prints it."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return named.words
        return (", ".join(value) or worded("none")) if isinstance(value, list) else str(value)

    def in_brief(self, value: OptionValue) -> str:
        """The value as a score card says it (“Gin 25”), in the reader's language; empty where it is not played."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return str(named.brief)
        return str(self.brief).format(value) if value and not isinstance(value, list) else ""

    def allowed(self) -> str:
        """What may be written, for a message."""
        written = [described(named.value) for named in self.named]
        if self.numbers is not None and self.numbers.highest == LARGEST:
            written.append(worded("a whole number, %(lowest)s or more", lowest=self.numbers.lowest))
        elif self.numbers is not None:
            written.append(
                worded(
                    "a whole number from %(lowest)s to %(highest)s",
                    lowest=self.numbers.lowest,
                    highest=self.numbers.highest,
                )
            )
        if self.texts is not None:
            written.append(worded("a list of texts"))
        return either(written)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A whole set of options by name, besides the defaults: a game of a book. `sides`: the fewest and the most."""

    name: str
    title: str
    options: Options
    players: str = ""
    sides: tuple[int, int] | None = None


def preset(declared: Sequence[Option], rules: Mapping[str, str], **defaults: OptionValue) -> tuple[Option, ...]:
    """The same options with a variant's own defaults, and the rule that fixes each.

    Raises:
        ValueError: a default or a rule for an option that is not declared, or a default the option does not take.
    """
    unknown = (set(rules) | set(defaults)) - {option.name for option in declared}
    if unknown:
        raise ValueError(f"no such option: {', '.join(sorted(unknown))}")
    chosen = tuple(
        replace(o, default=defaults.get(o.name, o.default), rule=rules.get(o.name, o.rule)) for o in declared
    )
    for option in chosen:
        if not option.takes(option.default):
            raise ValueError(f"{option.name} does not take {option.default!r}")
    return chosen


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """All options of a case. `sound` is False where a value could not be read: nothing can be counted then."""

    values: Options
    sound: bool


def read_options(declared: Sequence[Option], value: Any, path: str, problems: Problems) -> ReadOptions:
    """Every declared option: as given, else its default.

    Problems: `unknown-option`, and `bad-value` where an option does not take what was given.
    """
    given = read_object(value, path, problems)
    known = {option.name: option for option in declared}
    values: dict[str, OptionValue] = {option.name: option.default for option in declared}
    sound = given is not None
    for name, wanted in (given or {}).items():
        option = known.get(name)
        if option is None:
            message = worded(
                "There is no option %(name)s here. There are: %(what)s.",
                name=described(name),
                what=", ".join(sorted(known)) or worded("none"),
            )
            problems.add("unknown-option", join(path, shortened(name)), message)
        elif _fits(option, wanted, join(path, name), problems):
            values[name] = wanted
        else:
            values[name] = option.default if option.lenient is None else option.lenient
            sound = False
    return ReadOptions(values, sound)


def _fits(option: Option, wanted: Any, path: str, problems: Problems) -> bool:
    if isinstance(wanted, list) and option.texts is not None:
        return option.texts.check(wanted, path, problems)
    if option.takes(wanted):
        return True
    problems.bad(
        path,
        worded(
            "%(wanted)s does not fit %(name)s: it takes %(allowed)s.",
            wanted=described(wanted),
            name=option.name,
            allowed=option.allowed(),
        ),
    )
    return False
