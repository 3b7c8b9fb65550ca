"""The length of matches: the place of each match in the event, and the rule sheet's length and size for it."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import comb
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.knockout.bracket import Bracket, Part
from pairing.draws.stages.plan import StageKind
from pairing.models import Match
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.plans import load_plan
from scoring.models import RuleSheet
from scoring.rules.book.options import Length, MatchPlace, length_at, read_lengths, round_in_words, with_length
from scoring.rules.sheet.sheets import VariantRules
from scoring.rules.variants import VARIANTS
from tournament.cases import Problems
from tournament.models import Event

ROUNDS_NAMED: Final = 4
"""The number of last rounds that can have their own length, back to the round of sixteen."""


def lengths_of(sheet: RuleSheet) -> tuple[Length, ...]:
    return read_lengths(sheet.lengths, VARIANTS[sheet.variant].options, Problems())


def _load_places(event: Event, matches: Iterable[Match]) -> dict[int, MatchPlace]:
    """Return the place of each of these matches by its primary key."""
    course, listed = load_course(event), list(matches)
    ends = rounds_from_end(course.progress.bracket) if course.progress else {}
    kinds = {stage.row.pk: stage.kind.value for stage in course.stages}
    return {match.pk: MatchPlace(kinds.get(match.stage_id, ""), ends.get(match.ident)) for match in listed}


def rounds_from_end(bracket: Bracket) -> dict[str, int]:
    """Return each match's round from the end: 1 for the final. Both parts of a double elimination count alike."""
    if not bracket.is_double:
        return {match.id: bracket.rounds_of() - match.round + 1 for match in bracket.matches}
    last: dict[Part | None, int] = {part: bracket.rounds_of(part) for part in Part}
    return {
        match.id: 1 if match.part is Part.FINAL else last[match.part] - match.round + 2 for match in bracket.matches
    }


def load_card_lengths(event: Event, sheet: RuleSheet, matches: Iterable[Match]) -> dict[int, dict[str, Any]]:
    """Return the sheet's length for the card of each match, by the primary key of the match."""
    lengths, listed = lengths_of(sheet), list(matches)
    if not lengths:
        return {match.pk: {} for match in listed}
    return {pk: length_at(lengths, place) for pk, place in _load_places(event, listed).items()}


def rules_for_place(sheet: RuleSheet, place: MatchPlace) -> VariantRules:
    """Return the rules of a card that is opened at this place."""
    return VariantRules(sheet.variant, with_length(sheet.options, length_at(lengths_of(sheet), place)))


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place that can have its own length, with its name: “Final”, or a stage of the plan.

    `within` is the kind of the stage that a round belongs to, if the event has stages.
    """

    stage: str
    from_end: int | None
    name: str
    within: str = ""

    @property
    def key(self) -> tuple[str, int | None]:
        return self.stage, self.from_end

    @property
    def code(self) -> str:
        """Return a code of the place for forms and jobs."""
        return f"{self.stage}-{self.from_end or ''}"

    @property
    def match_place(self) -> MatchPlace:
        return MatchPlace(self.stage or self.within, self.from_end)


def named_places(event: Event) -> list[NamedPlace]:
    """Return the stages in their order, and then the last rounds of the bracket. The list may be empty."""
    plan = load_plan(event)
    stages = plan.desk_stages
    if not stages:
        return _last_rounds(plan.first.kind, within="") if plan.first.kind.traits.goes_on else []
    names: dict[str, list[str]] = {}
    for stage in stages:
        names.setdefault(stage.kind.value, []).append(stage.name)
    places = [NamedPlace(kind, None, " / ".join(dict.fromkeys(each))) for kind, each in names.items()]
    last = stages[-1].kind
    return [*places, *(_last_rounds(last, within=last.value) if last.traits.goes_on else [])]


def load_places_with_own_length(event: Event) -> list[NamedPlace]:
    """Return the places where matches are longer or shorter than usual by the latest sheet."""
    sheet = event.rule_sheets.order_by("-version").first()
    usual = sheet and rules_for_place(sheet, MatchPlace())
    return [place for place in named_places(event) if sheet and rules_for_place(sheet, place.match_place) != usual]


def _last_rounds(kind: StageKind, *, within: str) -> list[NamedPlace]:
    is_double = kind.traits.two_lives
    return [NamedPlace("", n, round_in_words(n, is_double=is_double), within) for n in range(1, ROUNDS_NAMED + 1)]


def describe_lengths(event: Event, sheet: RuleSheet) -> list[tuple[str, str]]:
    """Return the name of each place with its length, such as (“Final”, “to 500”)."""
    names = {place.key: place.name for place in named_places(event)}
    return [(_place_in_words(length, names), _length_in_words(length)) for length in lengths_of(sheet)]


def _place_in_words(length: Length, names: dict[tuple[str, int | None], str]) -> str:
    name = names.get((length.stage, length.from_end))
    if name is not None:
        return name
    round_ = round_in_words(length.from_end) if length.from_end else ""
    return ", ".join(filter(None, [StageKind(length.stage).traits.name if length.stage else "", round_]))


def _length_in_words(length: Length) -> str:
    parts = [f"to {points}" for points in length.options.values()]
    if length.games_to_win is not None:
        parts.append(describe_match_length(length.games_to_win))
    return ", ".join(parts)


def describe_match_length(games_to_win: int) -> str:
    """Return the length of a match in words.

    >>> describe_match_length(1), describe_match_length(2)
    ('one game', 'the first to win 2 games, at most 3')
    """
    if games_to_win == 1:
        return _("one game")
    return _("the first to win %(games_to_win)s games, at most %(most)s") % {
        "games_to_win": games_to_win,
        "most": 2 * games_to_win - 1,
    }


# --- Sizes relative to the usual match -------------------------------------------------------------------------------


def load_match_sizes(event: Event, matches: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return the size of each match relative to the usual one, such as 2.0 for twice as long.

    A match is given by the kind of its stage (empty if the event has no stages) and its name.
    """
    listed = list(matches)
    sheet = event.rule_sheets.order_by("-version").first()
    if sheet is None or not sheet.lengths:
        return dict.fromkeys(listed, 1.0)
    progress = load_course(event).progress
    ends = rounds_from_end(progress.bracket) if progress else {}
    usual = _expected_points(sheet, MatchPlace())
    return {
        (stage, ident): _expected_points(sheet, MatchPlace(stage, ends.get(ident))) / usual for stage, ident in listed
    }


def _expected_points(sheet: RuleSheet, place: MatchPlace) -> float:
    """Return the points a match is played for, multiplied by its expected number of games between equals."""
    length = length_at(lengths_of(sheet), place)
    target = with_length(sheet.options, length).get("target")
    points = target if isinstance(target, int) else 1
    return points * _expected_games(length.get("games_to_win", sheet.games_to_win))


def _expected_games(to_win: int) -> float:
    """Return the expected number of games until one of two equal players has won this many.

    >>> _expected_games(1), _expected_games(2)
    (1.0, 2.5)
    """
    lasts = range(to_win, 2 * to_win)
    return sum(games * comb(games - 1, to_win - 1) / 2.0 ** (games - 1) for games in lasts)
