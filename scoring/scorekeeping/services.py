"""Post the rounds of a couples tournament, and enter, seat and sign the games of Court Whist."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from pairing.draws.two_sides import Couple
from pairing.stages.services.tables import post_next_whist_game, post_rotation_round, require_rotating_sides
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.card_state.selectors.rotation import (
    CouplesWorksheet,
    CouplesWorksheetTable,
    WhistEventState,
    WhistGameTable,
    WhistPlayer,
    load_couples_worksheet,
    load_whist_event_state,
)
from scoring.card_state.selectors.state import CardState
from scoring.cards.services.hands import BadLine, LineEntry, add_line, correct_line, preview_line
from scoring.cards.services.signing import add_paper_signature
from scoring.models import SheetLine
from scoring.posting.services.posting import require_writable_card, update_match_result
from scoring.rules.sheet.sheets import JudgedLine, judge_line
from scoring.rules.variants.court_whist import FACE_CARD_COUNT, HANDS_PER_GAME, TRICKS_PER_HAND
from scoring.rules.variants.metzker.couples import RoundTally
from scoring.seals.services.sealing import add_lines_to_log, post_and_seal_card
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.previews import require_override
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.core.topics import record_changed_rows
from tournament.errors import Conflict, DomainError, InputProblem, InvalidInput
from tournament.models import Event

# --- Rounds of a couples event ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReport:
    """The tables' reports of a round, keyed by table number.

    Each report has the format of a result in a line of the `metzker` variant. A table that did not play has no report,
    and is in `not_played`.
    """

    number: int
    results: Mapping[int, Mapping[str, Any]]
    not_played: frozenset[int] = frozenset()
    override: str = ""
    reason: str = ""
    key: str = ""


def post_round(event: Event, report: RoundReport, *, by: Actor) -> CardState:
    """Write a round as a line on the card, and seat the next round. If either fails, nothing is written.

    Raises:
        DomainError: `not-reported`: a table's report is missing.
        BadLine, ReasonRequired: as for every line.
        Conflict: `round-taken`, `after-end`, `not-in-play`.
    """
    require_permission(by, "desk", event.tournament)
    with transaction.atomic():
        sheet = _require_worksheet(Event.objects.select_for_update(of=("self",)).get(pk=event.pk))
        state = _require_card(sheet)
        if sheet.is_over and report.number == sheet.round_number:
            raise Conflict(
                "after-end", _("All three games are over, so there is no round to post. Finish the event next.")
            )
        if report.number == sheet.round_number:
            _require_all_reports(sheet.couples, report)
        hand = len(state.lines) + 1 if report.number == sheet.round_number else report.number
        entry = LineEntry(
            _make_round_line(report), via=SheetLine.Via.DESK, key=report.key, hand=hand, override=report.override
        )
        try:
            add_line(state.card, entry, by=by)
        except Conflict as error:
            if error.code != "hand-taken":
                raise
            message = _(
                "Round %(number)s is posted already, and round %(current)s is being played. Load the page again."
            ) % {"number": report.number, "current": sheet.round_number}
            raise Conflict("round-taken", message) from None
        return _require_card(seat_current_round(event, by=by))


def correct_round(event: Event, line: int, report: RoundReport, *, by: Actor) -> CardState:
    """Replace the results in a line of the card. Lines are numbered from 1.

    Raises:
        DomainError: `reason-needed`, `not-reported`.
        BadLine, ReasonRequired, Conflict: as for every correction.
    """
    require_permission(by, "desk", event.tournament)
    with transaction.atomic():
        sheet = _require_worksheet(event)
        state = _require_card(sheet)
        _require_all_reports(sheet.make_tables(sheet.rotating_sides.find_round(report.number)), report)
        entry = LineEntry(_make_round_line(report), via=SheetLine.Via.DESK, override=report.override)
        correct_line(state.card, line, entry, by=by, reason=report.reason, key=report.key)
        return _require_card(seat_current_round(event, by=by))


def seat_current_round(event: Event, *, by: Actor) -> CouplesWorksheet:
    """Seat the current round if it is not seated yet."""
    require_permission(by, "desk", event.tournament)
    sheet = _require_worksheet(event)
    if sheet.is_over or sheet.seating is not None:
        return sheet
    with writing(event, verb="round.seated", by=by) as write:
        rotating_sides = require_rotating_sides(write.the_event)
        if rotating_sides.find_round(sheet.round_number) is None:
            seating = post_rotation_round(write, rotating_sides, sheet.round_number)
            write.about(seating, round=seating.round, tables=seating.tables)
    return _require_worksheet(event)


def sum_reports(
    sheet: CouplesWorksheet, report: RoundReport
) -> tuple[RoundTally | None, dict[int, str], dict[int, str]]:
    """Add up the reports received so far, without writing anything.

    Return the tally of the reports without errors (None if there are none), and two dictionaries keyed by table. The
    first dictionary describes what each table earned, and the second contains the errors in the reports.
    """
    state = _require_card(sheet)
    tables = sorted(report.results)
    worth: dict[int, str] = {}
    problems: dict[int, str] = {}
    for table in tables:
        try:
            alone = preview_line(state, {"results": [report.results[table]]}, at=None)
        except BadLine as error:
            problems[table] = error.message
        else:
            worth[table] = _get_round_tally(alone).report_awards[0].calculation
    good = [report.results[table] for table in tables if table not in problems]
    return _get_round_tally(preview_line(state, {"results": good})) if good else None, worth, problems


def group_problems_by_table(report: RoundReport, problems: list[InputProblem]) -> dict[int, list[InputProblem]]:
    """Group the problems of a rejected line by table. Problems of the whole round are under table 0."""
    tables = sorted(report.results)
    found: dict[int, list[InputProblem]] = {}
    for problem in problems:
        place = problem.path.removeprefix("results[").partition("]")[0]
        table = tables[int(place)] if place.isdigit() and int(place) < len(tables) else 0
        found.setdefault(table, []).append(problem)
    return found


def _make_round_line(report: RoundReport) -> dict[str, Any]:
    return {"results": [dict(report.results[table]) for table in sorted(report.results)]}


def _get_round_tally(judged: JudgedLine) -> RoundTally:
    if not isinstance(judged.line_tally, RoundTally):
        raise TypeError("this card is no score sheet of couples")
    return judged.line_tally


def _require_all_reports(couples: tuple[CouplesWorksheetTable, ...], report: RoundReport) -> None:
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


def _require_worksheet(event: Event) -> CouplesWorksheet:
    sheet = load_couples_worksheet(event)
    if sheet is None:
        raise Conflict("not-drawn", _("There are no tables yet. Post the draw first."))
    return sheet


def _require_card(sheet: CouplesWorksheet) -> CardState:
    if sheet.state is None:
        raise Conflict("not-in-play", _("Play has not started. The score sheet opens when the director starts play."))
    return sheet.state


# --- Court Whist -----------------------------------------------------------------------------------------------------


WhistHands = Sequence[Mapping[str, Any]]
"""A player's four hands of a game, in the format of the `court-whist` variant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhistTableReport:
    """A table's report of a game: each of its four players' hands, keyed by entry number."""

    game: int
    table: int
    hands: Mapping[int, WhistHands]
    override: str = ""
    reason: str = ""
    key: str = ""


def enter_whist_table_game(event: Event, report: WhistTableReport, *, by: Actor) -> WhistEventState:
    """Enter the game's four hands on all four cards.

    Hands that differ from recorded ones are corrections and need a reason.

    Raises:
        DomainError: `no-table`, `sums`, `reason-needed`.
        BadLine, ReasonRequired: as for every line.
        Conflict: `not-in-play`.
    """
    require_permission(by, "desk", event.tournament)
    key = make_idempotency_key(report.key, report.game, report.table, sorted(report.hands.items()))
    with writing(event, verb="whist.table", by=by, key=key, reason=report.reason or report.override) as write:
        hall = _require_whist_state(event)
        if write.repeated:
            return hall
        table = _find_table(hall, report)
        for guest in table.players:
            require_writable_card(write, guest.state.card)
        _require_correct_sums(table, report)
        changed = [guest for guest in table.players if _list_changed_hands(guest, report)]
        if changed and not report.reason.strip():
            message = _("The score cards of %(name)s say something else.") % {
                "name": ", ".join(guest.name for guest in changed)
            }
            raise DomainError("reason-needed", _("%(said)s Write what was wrong.") % {"said": message}, field="reason")
        _write_new_hands(write, table, report)
        for guest in changed:
            _correct_hands(guest, report, by=by)
        _write_hands_of_absent_players(write, hall)
        write.about(
            _("%(event)s, game %(game)s, table %(table)s")
            % {"event": event, "game": report.game, "table": report.table},
            game=report.game,
            table=report.table,
        )
    return _require_whist_state(event)


def _require_whist_state(event: Event) -> WhistEventState:
    hall = load_whist_event_state(event)
    if hall is None:
        raise Conflict("not-drawn", _("There are no tables yet. Post the draw first."))
    return hall


def _find_table(hall: WhistEventState, report: WhistTableReport) -> WhistGameTable:
    seating = hall.rotating_sides.find_round(report.game)
    tables = hall.make_tables(seating) if seating is not None else ()
    found = next((table for table in tables if table.number == report.table), None)
    if found is None or {guest.number for guest in found.players} != set(report.hands):
        raise DomainError("no-table", _("There is no such table in that game. Look at the table assignments."))
    return found


def _require_correct_sums(table: WhistGameTable, report: WhistTableReport) -> None:
    """Raise DomainError unless each hand's tricks add up to thirteen and, in game 7, its face cards to twelve."""
    for hand in range(HANDS_PER_GAME):
        lines = [report.hands[guest.number][hand] for guest in table.players]
        taken = [line.get("tricks", 0) for line in (lines if report.game == 3 else lines[::2])]
        _require_correct_sum(hand + 1, taken, TRICKS_PER_HAND, _("tricks"))
        if report.game == 7:
            _require_correct_sum(
                hand + 1, [line.get("faces", 0) for line in lines[::2]], FACE_CARD_COUNT, _("face cards")
            )


def _require_correct_sum(hand: int, taken: Sequence[int], expected: int, words: str) -> None:
    if sum(taken) != expected:
        each = " and ".join(map(str, taken))
        message = _("Hand %(hand)s: %(each)s %(words)s add up to %(taken)s, but a hand has %(all_of_them)s.") % {
            "hand": hand,
            "each": each,
            "words": words,
            "taken": sum(taken),
            "all_of_them": expected,
        }
        raise DomainError("sums", message, hand=hand)


def _list_changed_hands(guest: WhistPlayer, report: WhistTableReport) -> list[int]:
    """Return the indexes of the hands that differ from those on the player's card."""
    lines = report.hands[guest.number]
    return [i for i, line in enumerate(lines) if guest.hands.get((report.game, i + 1), line) != line]


def _write_new_hands(write: WriteTransaction, table: WhistGameTable, report: WhistTableReport) -> None:
    warnings: list[str] = []
    made = []
    for guest in table.players:
        new = [line for line in report.hands[guest.number] if (report.game, line["hand"]) not in guest.hands]
        doubts, lines = _judge_hands(guest, new)
        warnings += [f"{guest.name}: {doubt}" for doubt in doubts]
        made += list(_make_lines(write, guest, lines, doubts))
    require_override(warnings, report.override)
    _save_lines(write, made)


def _judge_hands(guest: WhistPlayer, lines: WhistHands) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the warnings about a player's lines, and the lines in the form in which they are stored.

    Raises:
        BadLine: a line is impossible. The message contains the player's name.
    """
    sheet, doubts, stored = guest.state.named_sheet, [], []
    for line in lines:
        try:
            judged = judge_line(sheet, dict(line))
        except InvalidInput as error:
            who = _("%(name)s, hand %(hand)s") % {"name": guest.name, "hand": line["hand"]}
            problems = [replace(problem, message=f"{who}: {problem.message}") for problem in error.problems]
            raise BadLine(problems) from None
        sheet = judged.sheet
        doubts += [doubt.message for doubt in judged.warnings]
        stored.append(judged.as_json())
    return doubts, stored


def _make_lines(
    write: WriteTransaction, guest: WhistPlayer, lines: WhistHands, warnings: list[str]
) -> Iterator[SheetLine]:
    first = max((entered.fact.number for entered in guest.state.entered), default=0) + 1
    common = {"card": guest.state.card, "via": SheetLine.Via.DESK, "warnings": warnings, **write.fact_fields()}
    for number, line in enumerate(lines, start=first):
        yield SheetLine(number=number, line=dict(line), **common)


def _save_lines(write: WriteTransaction, made: list[SheetLine]) -> None:
    lines = SheetLine.objects.bulk_create(made)
    record_changed_rows(SheetLine, [line.pk for line in lines])
    add_lines_to_log(write, *lines)


def _correct_hands(guest: WhistPlayer, report: WhistTableReport, *, by: Actor) -> None:
    places = [(fact.line["game"], fact.line["hand"]) for fact in guest.state.lines if fact.line is not None]
    override = report.override or report.reason
    for hand in _list_changed_hands(guest, report):
        entry = LineEntry(dict(report.hands[guest.number][hand]), via=SheetLine.Via.DESK, override=override)
        place = places.index((report.game, hand + 1)) + 1
        correct_line(guest.state.card, place, entry, by=by, reason=report.reason)


def start_next_whist_game(
    event: Event, cuts: Mapping[int, Sequence[int]], *, by: Actor, key: str = ""
) -> WhistEventState:
    """Move each table's winners to their next tables, and seat the next game.

    `cuts` contains the entry numbers of players who won a cut after a tie, keyed by table.

    Raises:
        Conflict: `not-entered`, `last-game`, `not-in-play`.
        DomainError: `cut-needed`, `too-few`.
    """
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="whist.moved", by=by, key=make_idempotency_key(key, sorted(cuts.items()))) as write:
        hall = _require_whist_state(event)
        if write.repeated:
            return hall
        missing = [str(table.number) for table in hall.tables if not table.is_entered]
        if missing or not hall.guests:
            raise Conflict(
                "not-entered",
                _("Table %(missing)s is missing. Enter every table first.") % {"missing": ", ".join(missing)},
            )
        require_writable_card(write, hall.tables[0].players[0].state.card)
        each = [(table, cuts.get(table.number, ())) for table in hall.tables]
        winners: list[Couple] = [(_find_winner(table, 0, cut), _find_winner(table, 1, cut)) for table, cut in each]
        _write_hands_of_absent_players(write, hall)
        seating = post_next_whist_game(write, require_rotating_sides(write.the_event), winners)
        write.about(seating, game=seating.round, winners=[list(couple) for couple in winners])
    return _require_whist_state(event)


def _find_winner(table: WhistGameTable, side: int, cut: Sequence[int]) -> int:
    """Return the winner among the men (0) or ladies (1). If players are tied, the winner of their cut is returned."""
    best = table.find_best_players(side)
    if len(best) == 1:
        return best[0].number
    won = [guest for guest in best if guest.number in cut]
    if len(won) != 1:
        names = " and ".join(guest.name for guest in best)
        message = _("Table %(number)s: %(names)s are tied. They cut; choose who has the high card.") % {
            "number": table.number,
            "names": names,
        }
        raise DomainError("cut-needed", message, table=table.number)
    return won[0].number


def _write_hands_of_absent_players(write: WriteTransaction, hall: WhistEventState) -> bool:
    """Write the hands (8 points each) of players who sit a game out, for all games seated so far.

    Return whether any of these hands had not been written yet.
    """
    made: list[SheetLine] = []
    for number, guest in hall.guests.items():
        games = [seating.round for seating in hall.rotating_sides.rounds if number in seating.sits_out]
        places = [(game, hand) for game in games for hand in range(1, HANDS_PER_GAME + 1)]
        new = [place for place in places if place not in guest.hands]
        made += _make_lines(write, guest, [{"game": game, "hand": hand, "sit_out": True} for game, hand in new], [])
    _save_lines(write, made)
    return bool(made)


def post_cards_signed_on_paper(event: Event, witness: str, *, by: Actor, key: str = "") -> int:
    """Post all complete cards after every player has signed on paper. Return how many were posted.

    Raises:
        DomainError: `witness-needed`.
        Conflict: `none-to-sign`, `not-in-play`.
    """
    require_permission(by, "desk", event.tournament)
    with writing(event, verb="whist.signed", by=by, key=make_idempotency_key(key, witness)) as write:
        hall = _require_whist_state(event)
        if write.repeated:
            return int(write.outcome["cards"])
        if _write_hands_of_absent_players(write, hall):
            hall = _require_whist_state(event)
        waiting = hall.players_without_signature
        if not waiting:
            raise Conflict("none-to-sign", _("No complete score card is waiting for a signature. Nothing was changed."))
        require_writable_card(write, waiting[0].state.card)
        for guest in waiting:
            if guest.state.signatures.missing_seats:
                add_paper_signature(write, guest.state, guest.state.letters[0], witness)
            post_and_seal_card(write, load_card_state_by_pk(guest.state.card.pk))
        update_match_result(write, waiting[-1].state.card)
        write.about(f"{event}: {len(waiting)} cards", cards=len(waiting))
        return len(waiting)
