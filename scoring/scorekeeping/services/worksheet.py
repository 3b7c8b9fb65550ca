"""Post a round of a couples event: the reports of all tables become one line of the card, and the next is seated."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from pairing.rotation.services import require_turning, seat_rotation
from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.worksheet import Couple, Worksheet, load_worksheet
from scoring.cards.services.hands import BadLine, LineEntry, add_line, correct_line, preview_line
from scoring.models import SheetLine
from scoring.rules.sheet.sheets import JudgedLine
from scoring.rules.variants.metzker.couples import RoundTally
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import Conflict, DomainError, Problem
from tournament.models import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReport:
    """The reports of a round by table, in the form that `metzker` takes. A table that did not play has none."""

    number: int
    results: Mapping[int, Mapping[str, Any]]
    not_played: frozenset[int] = frozenset()
    override: str = ""
    reason: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """The sums of the reports so far, before anything is written. `problems` has a sentence for a table."""

    counted: RoundTally | None = None
    worth: Mapping[int, str] = field(default_factory=dict)
    problems: Mapping[int, str] = field(default_factory=dict)


def post_round(event: Event, report: RoundReport, *, by: Actor) -> CardState:
    """Post a round as a line on the card, and seat the next round, both or neither.

    Raises:
        DomainError: `not-reported`: a table is missing.
        BadLine, NeedsReason: as for every line.
        Conflict: `round-taken`, `after-end`, `not-in-play`.
    """
    require(by, "desk", event.tournament)
    with transaction.atomic():
        sheet = _worksheet(Event.objects.select_for_update(of=("self",)).get(pk=event.pk))
        state = _card(sheet)
        if sheet.is_over and report.number == sheet.number:
            raise Conflict(
                "after-end", _("All three games are over, so there is no round to post. Finish the event next.")
            )
        if report.number == sheet.number:
            _refuse_missing(sheet.couples, report)
        hand = len(state.lines) + 1 if report.number == sheet.number else report.number
        entry = LineEntry(_line(report), via=SheetLine.Via.DESK, key=report.key, hand=hand, override=report.override)
        try:
            add_line(state.card, entry, by=by)
        except Conflict as error:
            if error.code != "hand-taken":
                raise
            said = _(
                "Round %(number)s is posted already, and round %(current)s is being played. Load the page again."
            ) % {"number": report.number, "current": sheet.number}
            raise Conflict("round-taken", said) from None
        return _card(seat_missing_round(event, by=by))


def correct_round(event: Event, line: int, report: RoundReport, *, by: Actor) -> CardState:
    """Replace the results of the card's line (from 1), with a reason.

    Raises:
        DomainError: `reason-needed`, `not-reported`.
        BadLine, NeedsReason, Conflict: as for every correction.
    """
    require(by, "desk", event.tournament)
    with transaction.atomic():
        sheet = _worksheet(event)
        state = _card(sheet)
        _refuse_missing(sheet.couples_of(sheet.turning.round(report.number)), report)
        entry = LineEntry(_line(report), via=SheetLine.Via.DESK, override=report.override)
        correct_line(state.card, line, entry, by=by, reason=report.reason, key=report.key)
        return _card(seat_missing_round(event, by=by))


def seat_missing_round(event: Event, *, by: Actor) -> Worksheet:
    """Seat the current round if it is not seated yet."""
    require(by, "desk", event.tournament)
    sheet = _worksheet(event)
    if sheet.is_over or sheet.seating is not None:
        return sheet
    with writing(event, verb="round.seated", by=by) as write:
        turning = require_turning(write.the_event)
        if turning.round(sheet.number) is None:
            seating = seat_rotation(write, turning, sheet.number)
            write.about(seating, round=seating.round, tables=seating.tables)
    return _worksheet(event)


def weigh_reports(sheet: Worksheet, report: RoundReport) -> Reported:
    """Return the sums of the tables that have reported, with the names of the sides."""
    state = _card(sheet)
    if not report.results:
        return Reported()
    tables = sorted(report.results)
    worth, problems = {}, {}
    for table in tables:
        try:
            alone = preview_line(state, {"results": [report.results[table]]}, at=None)
        except BadLine as error:
            problems[table] = error.message
        else:
            worth[table] = _counted(alone).earned[0].working
    good = [report.results[table] for table in tables if table not in problems]
    return Reported(_counted(preview_line(state, {"results": good})) if good else None, worth, problems)


def _counted(judged: JudgedLine) -> RoundTally:
    if not isinstance(judged.counted, RoundTally):
        raise TypeError("this card is no score sheet of couples")
    return judged.counted


def by_table(report: RoundReport, problems: list[Problem]) -> dict[int, list[Problem]]:
    """Return the problems of a refused line by table. 0 stands for the whole round."""
    tables = sorted(report.results)
    found: dict[int, list[Problem]] = {}
    for problem in problems:
        place = problem.path.removeprefix("results[").partition("]")[0]
        table = tables[int(place)] if place.isdigit() and int(place) < len(tables) else 0
        found.setdefault(table, []).append(problem)
    return found


def _line(report: RoundReport) -> dict[str, Any]:
    return {"results": [dict(report.results[table]) for table in sorted(report.results)]}


def _refuse_missing(couples: tuple[Couple, ...], report: RoundReport) -> None:
    missing = [one for one in couples if one.table not in report.results and one.table not in report.not_played]
    if missing:
        each = ", ".join(
            _("table %(table)s (%(one)s – %(other)s)")
            % {"table": one.table, "one": one.left.name, "other": one.right.name}
            for one in missing
        )
        raise DomainError(
            "not-reported",
            _("Not reported yet: %(each)s. Enter them first.") % {"each": each},
            tables=[one.table for one in missing],
        )


def _worksheet(event: Event) -> Worksheet:
    sheet = load_worksheet(event)
    if sheet is None:
        raise Conflict("not-drawn", _("There are no tables yet. Post the draw first."))
    return sheet


def _card(sheet: Worksheet) -> CardState:
    if sheet.state is None:
        raise Conflict("not-in-play", _("Play has not started. The score sheet opens when the director starts play."))
    return sheet.state
