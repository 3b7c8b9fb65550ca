"""Load the first lines of a player's own page: table and opponent, the expected time, or their elimination.

The page follows only the player's own topics. They suffice, because a result or a call names every player it concerns.
"""

from collections.abc import Iterator
from dataclasses import replace

from django.utils.translation import gettext as _

from pairing.desk.selectors.forecast import load_about
from pairing.draws.knockout.progress import path_of
from pairing.stages.pictures.boxes import side_name
from pairing.stages.selectors.boards import StageBoard, load_stage_board
from pairing.stages.selectors.bracket_boards import Board, load_bracket_board
from pairing.stages.selectors.seatings import SeatedRounds, load_hall
from tournament.models import Entrant, Event
from tournament.ports import OwnNext

BEING_PLAYED = (Event.State.DRAWN, Event.State.IN_PLAY)


def load_own_next(entrant: Entrant) -> OwnNext | None:
    """Return the player's next match or present state, or None before the draw and after the finish.

    It is also None for events with two sides, whose score card has this information.
    """
    if entrant.event.state not in BEING_PLAYED:
        return None
    return next(_current_states(entrant.event, (entrant.joined_to or entrant).number), None)


def _current_states(event: Event, number: int) -> Iterator[OwnNext]:
    stages = load_stage_board(event)
    bracket = load_bracket_board(event) if stages is not None else None
    if bracket is not None and number in bracket.progress.bracket.entries:
        yield _in_bracket(event, bracket, number)
    if stages is not None and number in stages.course.entries:
        yield _in_stages(stages, number)
    hall = load_hall(event) if stages is None else None
    if hall is not None and number in hall.rounds.entries:
        yield from _at_table(hall, number)


def _in_bracket(event: Event, board: Board, number: int) -> OwnNext:
    path = path_of(board.progress, number)
    if path.now is None:
        return OwnNext(_("You have won the event")) if path.is_champion else _eliminated()
    ident = path.now.match.id
    other = next(side for side in path.now.sides if side.entry != number)
    name = side_name(board, other, ident)
    if other.is_known:
        return replace(_against(name, board.tables.get(ident)), about=load_about(event, number))
    return OwnNext(
        _("Waiting for your opponent"),
        text=_("You will play the %(source)s.") % {"source": name[:1].lower() + name[1:]},
        about=load_about(event, number),
    )


def _in_stages(board: StageBoard, number: int) -> OwnNext:
    """Return the player's state. A game counts only if it is at a table, because a schedule can still change."""
    if number not in board.course.current.row.entries:
        return OwnNext(_("Every match is decided")) if board.course.is_complete else _eliminated()
    for ident, match in board.games_of(frozenset((number,))):
        if match.meeting.outcome is None and ident in board.tables:
            others = (board.name_in(ident, side) for side in match.meeting.sides if side != number)
            return _against(", ".join(others), board.tables[ident])
    return OwnNext(_("You are at no table now"), text=_("See My match for what comes next."))


def _at_table(hall: SeatedRounds, number: int) -> Iterator[OwnNext]:
    current = hall.rounds.current
    if current is None:
        return
    table, words = current.table_of(number), {"number": current.number}
    if number in current.sits_out:
        yield OwnNext(_("You sit out round %(number)s") % words)
    elif table is None:
        yield OwnNext(_("You have no table in round %(number)s") % words)
    elif table.is_decided:
        yield OwnNext(_("Your table has finished round %(number)s") % words)
    else:
        others = ", ".join(hall.name_in(table.match, entry) for entry in table.entries if entry != number)
        yield OwnNext(_("Round %(number)s: at your table") % words, hall.tables.get(table.match), others)


def _against(name: str, table: int | None) -> OwnNext:
    return OwnNext(_("You play"), table, name, "" if table else _("No table yet. Your table will appear here."))


def _eliminated() -> OwnNext:
    return OwnNext(_("You are eliminated"), text=_("Thank you for playing. Your place is in the standings."))
