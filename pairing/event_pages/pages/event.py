"""The page of an event: player search and current play, entry terms before play, and winners at the end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.http import urlencode as urlencode_of_http
from django.utils.translation import gettext as _

from pairing.course.pages import duel_state
from pairing.course.selectors.boards import StageBoard, load_stage_board
from pairing.draws.knockout.progress import MatchView
from pairing.draws.knockout.progress import State as ProgressState
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.event_pages.pages.by_kind import DRAWN_ON_A_WALL
from pairing.event_pages.pages.now import SidesNow, load_now, load_sides_now
from pairing.knockout.pictures.boxes import side_name, state_of
from pairing.knockout.pictures.brackets import legend_of_walls, wall_pictures
from pairing.knockout.selectors import Board, load_board
from pairing.matches.pages import match_address
from pairing.plans.selectors import traits_of
from pairing.stage_kinds.selectors.kinds import StageMatch
from pairing.table_rounds.selectors import SeatedRounds, load_hall
from pairing.table_rounds.tables import table_state
from tournament.core.pages.responses import event_link
from tournament.core.selectors.events import entries_called, load_entry_names
from tournament.models import Event
from tournament.money.selectors.ledger import current_finish, load_ended_early, load_payout, load_purse
from tournament.purse import place_finish
from tournament.registration.selectors.entries import list_entrants
from tournament.registration.selectors.entry_options import entry_terms

# --- Finding ---------------------------------------------------------------------------------------------------------
# Find a player by name: their table, their opponents and the score, as everybody may see them.

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
class _FoundPlayer:
    number: int
    name: str
    stand: Stand


@dataclass(frozen=True, slots=True)
class Found:
    """The players that a search found. `more` is the number of players that the page leaves out."""

    wanted: str
    players: tuple[_FoundPlayer, ...] = ()
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
            name = urlencode_of_http({"q": number})
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


def _find_players(event: Event, wanted: str) -> Found:
    """Find players by any part of the name, with or without accents, or by entry number."""
    wanted = wanted.strip()[:LONGEST_SEARCH]
    rows = {
        number: (name, state)
        for number, name, state in list_entrants(event, public=True).values_list("number", "name", "state")
    }
    numbers = entries_called(wanted, {number: name for number, (name, _state) in rows.items()})
    search = _search(event)
    players = tuple(
        _FoundPlayer(number, rows[number][0], search.stand_of(number, rows[number][1]))
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
    now = next((view for view in own if view.state in (ProgressState.READY, ProgressState.WAITING)), own[-1])
    ident = now.match.id
    other = next((side for side in now.sides if side.entry != number), None)
    opponents = side_name(board, other, ident) if other is not None else ""
    url, known = address(ident), other is not None and other.entry is not None
    if now.state is ProgressState.DECIDED:
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
    current, url = hall.rounds.current, f"{event_link(event, 'pairing:seatings')}?{urlencode_of_http({'me': number})}"
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


State = Event.State
BEFORE: Final = (State.DRAFT, State.OPEN, State.CLOSED)
MOST_PLACES: Final = 8
MOST_PRIZES: Final = 3
ON_A_WALL: Final = 8
"""The number of winners on one wall screen, so that they are readable across the hall."""


@dataclass(frozen=True, slots=True)
class WonPlace:
    """An entry's final place, such as “5–8”, with its prize in cents."""

    place: str
    is_first: bool
    name: str
    cents: int = 0


def show_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the event page. `?q=` searches for players, and `?part=found` returns only their list while typing."""
    wanted = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"wanted": wanted, "found_address": "?" + urlencode({"q": wanted, "part": "found"})}
    if panel and request.GET.get("part") == "found":
        context["found"] = _find_players(event, wanted) if wanted else None
        return render(request, "pairing/event_pages/found.html", context)
    if not panel:
        context["found"] = _find_players(event, wanted) if wanted else None
    context |= _stands(event)
    return render(request, f"pairing/event_pages/event{'_panel' if panel else ''}.html", context)


def show_winners_wall(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the winners with their prizes, one screen at a time, and the bracket if there is one."""
    panel, won = bool(getattr(request, "htmx", False)), _won(event)
    screens = [won[start : start + ON_A_WALL] for start in range(0, len(won), ON_A_WALL)]
    context: dict[str, Any] = {"panel": panel, "screens": screens, "early": load_ended_early(event)}
    context["legend"] = legend_of_walls(event)
    board = load_board(event) if traits_of(event).two_meet else None
    if board is not None and len(board.progress.bracket.entries) <= DRAWN_ON_A_WALL:
        context["pictures"], _board = wall_pictures(board, address=match_address(event))
    template = "pairing/event_pages/winners_wall_panel.html" if panel else "pairing/event_pages/winners_wall.html"
    return render(request, template, context)


def _stands(event: Event) -> dict[str, Any]:
    if event.state in BEFORE:
        return {"stands": "before", **_before(event)}
    if event.state == State.CALLED_OFF:
        return {"stands": "off"}
    if event.state == State.FINISHED:
        return {"stands": "over", "places": _won(event), "early": load_ended_early(event), **_purse(event)}
    return {"stands": "now", "now": load_now(event), **_purse(event)}


def _before(event: Event) -> dict[str, Any]:
    states = list(event.entrants.filter(state__in=["in", "seeking"]).values_list("state", flat=True))
    terms = entry_terms(event, timezone.now())
    return {"taken": states.count("in"), "seeking": states.count("seeking"), "terms": terms, **_purse(event)}


def _purse(event: Event) -> dict[str, Any]:
    purse = load_purse(event)
    return {"pool_cents": purse.pool.pool_cents, "prizes": list(enumerate(purse.places_cents[:MOST_PRIZES], start=1))}


def _won(event: Event) -> list[WonPlace]:
    finish = current_finish(event)
    if finish is None:
        return []
    names, payout = load_entry_names(event), load_payout(event)
    won = {award.entry: award.cents for award in payout.awards} if payout is not None else {}
    rows = [
        WonPlace(str(placing), placing.place == 1, names.get(entry, str(entry)), won.get(entry, 0))
        for placing in place_finish(finish.places)
        for entry in sorted(placing.entries)
    ]
    return [row for turn, row in enumerate(rows) if turn < MOST_PLACES or row.cents]
