"""The length of a match by its place in the event: the last rounds of a bracket or one stage can have another length.

A round falls back to the length of its stage, and a stage to the length of the event. A card keeps the length with
which it was opened.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.rules.book.options import Option, Options
from tournament.cases import Fields, Problems, join, read_object
from tournament.said import worded, worded_plural

LENGTH_OPTIONS: Final = ("target",)
"""The options of a rule set that can differ in some rounds."""
MOST_GAMES_TO_WIN: Final = 11
MOST_ROUNDS: Final = 16
ROUND_NAMES: Final = {1: worded("Final"), 2: worded("Semifinals"), 3: worded("Quarterfinals")}


@dataclass(frozen=True, slots=True)
class MatchPlace:
    """The place of a match in the event: the kind of its stage, and its round counted from the end.

    `stage` is empty if the event has no stages. `from_end` is 1 for the final, and None outside a bracket.
    """

    stage: str = ""
    from_end: int | None = None


@dataclass(frozen=True, slots=True)
class Length:
    """A length that differs from the usual one at some place in the event.

    An empty `stage` matches every stage, and a `from_end` of None matches every round. At least one of the two is set.
    `options` overrides options of the rule set. `games_to_win` of None leaves the usual number.
    """

    stage: str = ""
    from_end: int | None = None
    options: Mapping[str, int] = field(default_factory=dict)
    games_to_win: int | None = None

    def holds_at(self, place: MatchPlace) -> bool:
        return self.stage in ("", place.stage) and self.from_end in (None, place.from_end)

    def as_json(self) -> dict[str, Any]:
        """Return only the fields that are set."""
        said = {"stage": self.stage or None, "from_end": self.from_end, "options": dict(self.options) or None}
        return {name: value for name, value in {**said, "games_to_win": self.games_to_win}.items() if value is not None}


def read_lengths(value: Sequence[Any], options: Sequence[Option], problems: Problems) -> tuple[Length, ...]:
    """Read lengths as a rule sheet stores them, and sort those for a stage before those for a round.

    Adds the problem `bad-value` if an option does not take its value, or if a place is named twice or not at all.
    """
    known = {option.name: option for option in options if option.name in LENGTH_OPTIONS}
    found: dict[tuple[str, int | None], Length] = {}
    for number, one in enumerate(value):
        length = _read_length(one, f"lengths[{number}]", known, problems)
        if length is None:
            continue
        place = (length.stage, length.from_end)
        if place in found or place == ("", None):
            problems.bad(f"lengths[{number}]", worded("A length is for a stage or a round, and one for each."))
        found[place] = length
    return tuple(sorted(found.values(), key=lambda one: (one.from_end or MOST_ROUNDS + 1, one.stage)))


def _read_length(value: object, path: str, known: Mapping[str, Option], problems: Problems) -> Length | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    fields = Fields(data, problems, path)
    stage = fields.text("stage", empty=True, default="")
    from_end = fields.integer("from_end", minimum=1, maximum=MOST_ROUNDS, default=None)
    options = (fields.read("options", read_object) if "options" in data else None) or {}
    games = fields.integer("games_to_win", minimum=1, maximum=MOST_GAMES_TO_WIN, default=None)
    fields.finish()
    for name, wanted in options.items():
        if name not in known or not known[name].takes(wanted):
            allowed = known[name].allowed() if name in known else worded("nothing: these rules have no such length")
            problems.bad(
                join(f"{path}.options", name), worded("%(name)s takes %(allowed)s.", name=name, allowed=allowed)
            )
    if not options and games is None:
        problems.bad(path, worded("A length says the points of a game, the games of a match, or both."))
    return Length(stage or "", from_end, options, games)


def length_at(lengths: Iterable[Length], place: MatchPlace) -> dict[str, Any]:
    """Return the unusual `options` and `games_to_win` that a card stores when it is opened at this place.

    >>> lengths = (Length("record", None, {"target": 250}), Length("", 1, {"target": 500}, 2))
    >>> length_at(lengths, MatchPlace("record")), length_at(lengths, MatchPlace("", 1))
    ({'options': {'target': 250}}, {'options': {'target': 500}, 'games_to_win': 2})
    >>> length_at(lengths, MatchPlace("", 2))
    {}
    """
    options: dict[str, int] = {}
    games: int | None = None
    holding = (length for length in lengths if length.holds_at(place))
    for length in sorted(holding, key=lambda one: (one.from_end is not None, one.stage != "")):
        options |= length.options
        games = games if length.games_to_win is None else length.games_to_win
    kept: dict[str, Any] = {"options": options} if options else {}
    return kept if games is None else {**kept, "games_to_win": games}


def with_length(options: Options, kept: Mapping[str, Any]) -> Options:
    """Return the options of a rule sheet with the length that a card stores. No other code applies a length."""
    return {**options, **kept.get("options", {})}


def round_in_words(from_end: int, *, is_double: bool = False) -> str:
    """Return the name of a bracket round, counted from the end.

    >>> [round_in_words(n) for n in (1, 2, 3, 4, 5)]
    ['Final', 'Semifinals', 'Quarterfinals', 'Round of 16', 'Round of 32']
    >>> round_in_words(2, is_double=True), round_in_words(3, is_double=True)
    ('Last round before the final, of both brackets', '2 rounds before the final, of both brackets')
    """
    if is_double and from_end > 1:
        if from_end == 2:
            return worded("Last round before the final, of both brackets")
        return worded_plural(
            "%(number)s round before the final, of both brackets",
            "%(number)s rounds before the final, of both brackets",
            from_end - 1,
        )
    return ROUND_NAMES.get(from_end) or worded("Round of %(from_end)s", from_end=2**from_end)
