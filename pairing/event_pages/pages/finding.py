"""Find a player by name: their table, their opponents and the score, as everybody may see them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from pairing.course.pages import duel_state
from pairing.course.selectors.stage_boards import StageBoard, load_stage_board
from pairing.draws.knockout.progress import MatchView, State
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.event_pages.pages.sides import SidesNow, load_sides_now
from pairing.knockout.pictures.match_boxes import side_name, state_of
from pairing.knockout.selectors import Board, load_board
from pairing.matches.pages import match_address
from pairing.stage_kinds.selectors.stage_state import StageMatch
from pairing.table_rounds.pictures import table_state
from pairing.table_rounds.selectors.seated_rounds import SeatedRounds, load_hall
from tournament.core.pages.responses import event_link
from tournament.core.selectors.events import entries_called
from tournament.models import Event
from tournament.registration.selectors.entries import list_entrants

MOST_FOUND: Final = 20
LONGEST_SEARCH: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A player's present situation, with `state` and `word` as `state_badge` takes them.

    `table` is their table, and `opponents` are the players they meet at present or next.
    `note` is one more sentence. The row links to `url`.
    """

    state: str
    word: str = ""
    table: int | None = None
    opponents: str = ""
    note: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class FoundPlayer:
    number: int
    name: str
    stand: Stand


@dataclass(frozen=True, slots=True)
class Found:
    """The players that a search found. `more` is the number of players that the page leaves out."""

    wanted: str
    players: tuple[FoundPlayer, ...] = ()
    more: int = 0


@dataclass(frozen=True)
class _Search:
    """The boards of an event, loaded once for all found players."""

    event: Event
    stages: StageBoard | None = None
    bracket: Board | None = None
    hall: SeatedRounds | None = None
    sides: SidesNow | None = None
    address: Callable[[str], str] = field(default=str)

    def stand_of(self, number: int, state: str) -> Stand:
        found = None
        if state in ("in", "removed"):
            found = next(filter(None, self._stands(number)), None)
        if found is None:
            name = urlencode({"q": number})
            return Stand(state=state, url=f"{event_link(self.event, 'tournament:entrants')}?{name}")
        return found

    def _stands(self, number: int) -> Iterator[Stand | None]:
        if self.bracket is not None and number in self.bracket.progress.bracket.entries:
            yield _in_bracket(self.bracket, number, self.address)
        if self.stages is not None and number in self.stages.course.entries:
            yield _in_stages(self.event, self.stages, number, self.address)
        if self.hall is not None and number in self.hall.rounds.entries:
            yield _at_table(self.event, self.hall, number)
        if self.sides is not None:
            yield _on_side(self.event, self.sides, number)


def find_players(event: Event, wanted: str) -> Found:
    """Find players by any part of the name, with or without accents, or by entry number."""
    wanted = wanted.strip()[:LONGEST_SEARCH]
    rows = {
        number: (name, state)
        for number, name, state in list_entrants(event, public=True).values_list("number", "name", "state")
    }
    numbers = entries_called(wanted, {number: name for number, (name, _state) in rows.items()})
    search = _search(event)
    players = tuple(
        FoundPlayer(number, rows[number][0], search.stand_of(number, rows[number][1]))
        for number in numbers[:MOST_FOUND]
    )
    return Found(wanted, players, max(0, len(numbers) - MOST_FOUND))


def _search(event: Event) -> _Search:
    address, board = match_address(event), load_stage_board(event)
    if board is not None:
        return _Search(event, board, load_board(event), address=address)
    return _Search(event, hall=load_hall(event), sides=load_sides_now(event), address=address)


def _in_bracket(board: Board, number: int, address: Callable[[str], str]) -> Stand:
    own = [view for view in board.progress.way_of(number) if number in view.entries]
    now = next((view for view in own if view.state in (State.READY, State.WAITING)), own[-1])
    ident = now.match.id
    other = next((side for side in now.sides if side.entry != number), None)
    opponents = side_name(board, other, ident) if other is not None else ""
    url, known = address(ident), other is not None and other.entry is not None
    if now.state is State.DECIDED:
        return _after_bracket(board, number, now, opponents if known else "", url)
    return Stand(
        state=state_of(board, now),
        table=board.tables.get(ident),
        opponents=opponents,
        note="" if known else _("The earlier match is still being played."),
        url=url,
    )


def _after_bracket(board: Board, number: int, last: MatchView, opponents: str, url: str) -> Stand:
    if board.progress.champion == number:
        return Stand(state="final", word=_("Winner"), url=url, note=_beat(opponents))
    if last.winner == number:
        return Stand(state="in", word=_("Still in"), url=url, note=_beat(opponents))
    return Stand(state="withdrawn", word=_("Eliminated"), url=url, note=_lost_to(opponents))


def _in_stages(event: Event, board: StageBoard, number: int, address: Callable[[str], str]) -> Stand:
    games = [game for game in board.games_of(frozenset((number,))) if len(game[1].meeting.sides) == 2]
    to_come = [(ident, match) for ident, match in games if match.meeting.outcome is None]
    to_come.sort(key=lambda game: (game[0] not in board.tables, game[0] not in board.course.current.ready))
    if to_come:
        return _in_game(board, number, *to_come[0], address)
    url = address(games[-1][0]) if games else event_link(event, "pairing:pairings")
    return _between_games(board, number, games[-1][1] if games else None, url)


def _in_game(board: StageBoard, number: int, ident: str, match: StageMatch, address: Callable[[str], str]) -> Stand:
    others = ", ".join(board.name_in(ident, side) for side in match.meeting.sides if side != number)
    state = duel_state(board, ident, match)
    return Stand(state=state, table=board.tables.get(ident), opponents=others, url=address(ident))


def _between_games(board: StageBoard, number: int, last: StageMatch | None, url: str) -> Stand:
    note, pool = _how_it_ended(board, number, last), board.course.pool
    one = pool.qualifying.entrants.get(number) if pool is not None else None
    if one is not None and one.way.is_in_play and not board.course.current.is_complete:
        return Stand(state="waiting", word=_("Waiting for a game"), note=note, url=url)
    if one is not None and one.way in (QualifyingStatus.OUT, QualifyingStatus.GONE):
        return Stand(state="withdrawn", word=_("Eliminated"), note=note, url=url)
    if number not in board.course.current.row.entries and not board.course.is_complete:
        return Stand(state="withdrawn", word=_("Eliminated"), note=note, url=url)
    return Stand(state="in", word=_("All games played"), note=note, url=url)


def _how_it_ended(board: StageBoard, number: int, last: StageMatch | None) -> str:
    outcome = last.meeting.outcome if last is not None else None
    if last is None or outcome is None or outcome.winner is None:
        return ""
    other = next((side for side in last.meeting.sides if side != number), None)
    name = board.name_in(last.meeting.match, other) if other is not None else ""
    return _beat(name) if outcome.winner == number else _lost_to(name)


def _beat(name: str) -> str:
    return _("Last match: won against %(name)s.") % {"name": name} if name else ""


def _lost_to(name: str) -> str:
    return _("Last match: lost to %(name)s.") % {"name": name} if name else ""


def _at_table(event: Event, hall: SeatedRounds, number: int) -> Stand | None:
    current, url = hall.rounds.current, f"{event_link(event, 'pairing:seatings')}?{urlencode({'me': number})}"
    if current is None:
        return None
    words = {"number": current.number}
    table = current.table_of(number)
    if number in current.sits_out:
        return Stand(state="waiting", word=_("Sits out round %(number)s") % words, url=url)
    if table is None:
        return Stand(state="withdrawn", word=_("No table in round %(number)s") % words, url=url)
    others = ", ".join(hall.name_in(table.match, entry) for entry in table.entries if entry != number)
    return Stand(
        state=table_state(hall, table),
        table=hall.tables.get(table.match),
        opponents=others,
        note=_round(words),
        url=url,
    )


def _on_side(event: Event, sides: SidesNow, number: int) -> Stand | None:
    url, words = event_link(event, settings.ROUNDS), {"number": sides.turning.current.round}
    if number in sides.sits_out:
        return Stand(state="waiting", word=_("Sits out round %(number)s") % words, url=url)
    seated = next((one for one in sides.tables if number in one.entries), None)
    if seated is None:
        return None
    own, other = seated.sides if number in seated.sides[0] else reversed(seated.sides)
    partner = sides.called(tuple(entry for entry in own if entry != number))
    note = _("Round %(number)s, with %(partner)s") % {**words, "partner": partner} if partner else _round(words)
    return Stand(state="in", table=seated.table, opponents=sides.called(tuple(other)), note=note, url=url)


def _round(words: dict[str, int]) -> str:
    return _("Round %(number)s") % words
