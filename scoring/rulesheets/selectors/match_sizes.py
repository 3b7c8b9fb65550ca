"""Compare the length of matches, by their points, with the event's usual match."""

from collections.abc import Iterable
from math import comb

from pairing.stage_kinds.selectors.stages import load_course
from scoring.models import RuleSheet
from scoring.rules.book.options import MatchPlace, length_at, with_length
from scoring.rulesheets.selectors.lengths import lengths_of, rounds_from_end
from tournament.models import Event


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
    usual = _points(sheet, MatchPlace())
    return {(stage, ident): _points(sheet, MatchPlace(stage, ends.get(ident))) / usual for stage, ident in listed}


def _points(sheet: RuleSheet, place: MatchPlace) -> float:
    """Return the points a match is played for, multiplied by its expected number of games between equals."""
    kept = length_at(lengths_of(sheet), place)
    target = with_length(sheet.options, kept).get("target")
    points = target if isinstance(target, int) else 1
    return points * games_between_equals(kept.get("games_to_win", sheet.games_to_win))


def games_between_equals(to_win: int) -> float:
    """Return the expected number of games until one of two equal players has won this many.

    >>> games_between_equals(1), games_between_equals(2)
    (1.0, 2.5)
    """
    lasts = range(to_win, 2 * to_win)
    return sum(games * comb(games - 1, to_win - 1) / 2.0 ** (games - 1) for games in lasts)
