"""The options of a rule sheet. Each is declared once, with its texts for the form and for the published sheet.

An option takes named values (`"up-card"`, `null`, `true`), whole numbers, or a list of texts. Named values can be
combined with either of the others. The whole set, defaults included, is frozen when play starts. An option that is not
on the rule sheet does not exist.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tournament.cases import LARGEST, Problems, described, join, read_object, read_text, shortened
from tournament.said import either, worded

OptionValue = int | str | bool | list[str] | None
Options = Mapping[str, OptionValue]
"""All options of a variant by name."""


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A value of an option with its words, such as `null` and “not played”.

    `brief` is the short text for a score card. It is empty if the card does not mention the value.
    """

    value: OptionValue
    words: str
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Numbers:
    """The range of whole numbers that an option takes, both ends included."""

    lowest: int
    highest: int = LARGEST

    def __contains__(self, value: object) -> bool:
        return type(value) is int and self.lowest <= value <= self.highest


@dataclass(frozen=True, slots=True)
class Texts:
    """The lists that an option takes: at most `most` texts, each with 1 to `longest` characters."""

    most: int
    longest: int

    def check(self, value: list[Any], path: str, problems: Problems) -> bool:
        """Return whether the option takes this list.

        Adds the problem `bad-value` at the list if it is too long, else at each bad text.
        """
        if len(value) > self.most:
            problems.bad(path, worded("This list is too long: %(most)s texts at most.", most=self.most))
            return False
        read = [read_text(text, f"{path}[{i}]", problems, longest=self.longest) for i, text in enumerate(value)]
        return None not in read


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a variant.

    `rule` cites the published rule that fixes the option (“GRA singles rule 6”). It is empty if the rules leave the
    value to the director. `lenient` replaces a value that cannot be read, so that no line is refused because of it. If
    it is None, the default replaces the value. `brief` is the text of a score card for a number, with `{}` in its
    place.
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
        """The kind of form field: `number`, `switch`, `choice`, `choice-or-number`, or `texts` (one per row)."""
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
        """Return the value as the rule sheet prints it."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return named.words
        return (", ".join(value) or worded("none")) if isinstance(value, list) else str(value)

    def in_brief(self, value: OptionValue) -> str:
        """Return the value as a score card prints it (“Gin 25”), or an empty text if it is not played."""
        for named in self.named:
            if type(value) is type(named.value) and value == named.value:
                return str(named.brief)
        return str(self.brief).format(value) if value and not isinstance(value, list) else ""

    def allowed(self) -> str:
        """Describe the allowed values for an error message."""
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
    """A named set of option values, such as a game of a book. `sides` is the least and the greatest number of sides."""

    name: str
    title: str
    options: Options
    players: str = ""
    sides: tuple[int, int] | None = None


def preset(declared: Sequence[Option], rules: Mapping[str, str], **defaults: OptionValue) -> tuple[Option, ...]:
    """Return the declared options with a variant's own defaults, and with the rule that fixes each.

    Raises:
        ValueError: a default or a rule names an undeclared option, or an option does not take its default.
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
    """All options of a case. `sound` is False if a value could not be read, and then nothing can be counted."""

    values: Options
    sound: bool


def read_options(declared: Sequence[Option], value: Any, path: str, problems: Problems) -> ReadOptions:
    """Read every declared option, or take its default.

    Adds the problems `unknown-option`, and `bad-value` if an option does not take its value.
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
