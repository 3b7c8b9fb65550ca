"""The event page, with player search, current play, entry terms, and winners. Also finds a player's next match."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from pairing.desk.selectors.forecast import estimate_next_match_start
from pairing.draws.knockout.progress import BracketMatchProgress, find_bracket_path
from pairing.draws.stages.qualifier import QualifyingStatus
from pairing.event_pages.pages.by_kind import MAX_WALL_BRACKET_ENTRIES
from pairing.event_pages.pages.now import RotatingSidesRound, load_play_summary, load_rotating_sides_round
from pairing.stages.pages import get_game_state_code, make_match_url_builder
from pairing.stages.pictures.boxes import describe_side, get_match_state_code
from pairing.stages.pictures.brackets import draw_wall_legend, draw_wall_pictures
from pairing.stages.selectors.boards import BracketBoard, StageBoard, load_bracket_board, load_stage_board
from pairing.stages.selectors.kinds import StageMatch
from pairing.stages.selectors.plans import load_stage_traits
from pairing.stages.selectors.tables import SeatingBoard, load_seating_board
from pairing.stages.tables.seatings import get_table_state_code
from tournament.core.pages.responses import make_event_url
from tournament.core.selectors.events import load_entry_names, search_entries
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_current_finish, load_early_finish, load_payout, load_prize_breakdown
from tournament.ports import NextMatchSummary, higher_app_url_names
from tournament.purse.prizes import make_placings_from_finish
from tournament.registration.selectors.entries import list_entrants, make_entry_terms

EventState = Event.State
EVENT_STATES_BEFORE_DRAW: Final = (EventState.DRAFT, EventState.OPEN, EventState.CLOSED)
MAX_LISTED_PLACES: Final = 8
MAX_LISTED_PRIZES: Final = 3
WINNERS_PER_SCREEN: Final = 8
"""The number of winners on a wall screen. More would be unreadable from across the hall."""
MAX_FOUND_PLAYERS: Final = 20
MAX_SEARCH_LENGTH: Final = 60


def show_event(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the event page.

    `?q=` searches for players. `?part=found` returns only the search results, for use while typing.
    """
    wanted = request.GET.get("q", "").strip()[:MAX_SEARCH_LENGTH]
    panel = bool(getattr(request, "htmx", False))
    context: dict[str, Any] = {"wanted": wanted, "found_address": "?" + urlencode({"q": wanted, "part": "found"})}
    if panel and request.GET.get("part") == "found":
        context["found"] = _find_players(event, wanted) if wanted else None
        return render(request, "pairing/event_pages/found.html", context)
    if not panel:
        context["found"] = _find_players(event, wanted) if wanted else None
    context |= _make_state_context(event)
    return render(request, f"pairing/event_pages/event{'_panel' if panel else ''}.html", context)


def show_winners_wall_screen(request: HttpRequest, event: Event) -> HttpResponse:
    """Show the winners and their prizes one screen at a time, followed by the bracket if there is one."""
    panel, winners = bool(getattr(request, "htmx", False)), _list_winners(event)
    screens = [winners[start : start + WINNERS_PER_SCREEN] for start in range(0, len(winners), WINNERS_PER_SCREEN)]
    context: dict[str, Any] = {"panel": panel, "screens": screens, "early": load_early_finish(event)}
    context["legend"] = draw_wall_legend(event)
    board = load_bracket_board(event) if load_stage_traits(event).two_meet else None
    if board is not None and len(board.progress.bracket.entries) <= MAX_WALL_BRACKET_ENTRIES:
        context["pictures"], _board = draw_wall_pictures(board, address=make_match_url_builder(event))
    template = "pairing/event_pages/winners_wall_panel.html" if panel else "pairing/event_pages/winners_wall.html"
    return render(request, template, context)


def _make_state_context(event: Event) -> dict[str, Any]:
    if event.state == EventState.CALLED_OFF:
        return {"stands": "off"}
    purse = load_prize_breakdown(event)
    money = {
        "pool_cents": purse.pool.pool_cents,
        "prizes": list(enumerate(purse.places_cents[:MAX_LISTED_PRIZES], start=1)),
    }
    if event.state in EVENT_STATES_BEFORE_DRAW:
        states = list(event.entrants.filter(state__in=["in", "seeking"]).values_list("state", flat=True))
        terms = make_entry_terms(event, timezone.now())
        taken, seeking = states.count("in"), states.count("seeking")
        return {"stands": "before", "taken": taken, "seeking": seeking, "terms": terms, **money}
    if event.state == EventState.FINISHED:
        return {"stands": "over", "places": _list_winners(event), "early": load_early_finish(event), **money}
    return {"stands": "now", "now": load_play_summary(event), **money}


def _list_winners(event: Event) -> list[dict[str, Any]]:
    """Return the top final places and all others that won a prize. Prizes are in cents."""
    finish = load_current_finish(event)
    if finish is None:
        return []
    names, payout = load_entry_names(event), load_payout(event)
    won = {award.entry: award.cents for award in payout.awards} if payout is not None else {}
    rows = [
        {
            "place": str(placing),
            "is_first": placing.place == 1,
            "name": names.get(entry, str(entry)),
            "cents": won.get(entry, 0),
        }
        for placing in make_placings_from_finish(finish.places)
        for entry in sorted(placing.entries)
    ]
    return [row for turn, row in enumerate(rows) if turn < MAX_LISTED_PLACES or row["cents"]]


# --- Search for players: their tables, opponents, and results --------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlayerStatus:
    """A player's current or next match, or the reason why there is none.

    `state` is a code such as “waiting”, which chooses the badge's color and usual text (`state_badge`). If `word` is
    not empty, it replaces that text.
    """

    state: str
    word: str = ""
    table: int | None = None
    opponents: str = ""
    note: str = ""
    url: str = ""


class _PlayerStatusFinder:
    """Loads an event's bracket, stages, and tables once, and then finds the status of each player."""

    def __init__(self, event: Event) -> None:
        self.event, self.address = event, make_match_url_builder(event)
        self.stages = load_stage_board(event)
        has_stages = self.stages is not None
        self.bracket = load_bracket_board(event) if has_stages else None
        self.hall = None if has_stages else load_seating_board(event)
        self.sides = None if has_stages else load_rotating_sides_round(event)

    def find_status(self, number: int, state: str) -> _PlayerStatus:
        status = next(filter(None, self._iter_statuses(number)), None) if state in ("in", "removed") else None
        if status is None:
            url = f"{make_event_url(self.event, 'tournament:entrants')}?{urlencode({'q': number})}"
            return _PlayerStatus(state=state, url=url)
        return status

    def _iter_statuses(self, number: int) -> Iterator[_PlayerStatus | None]:
        if self.bracket is not None and number in self.bracket.progress.bracket.entries:
            yield _make_bracket_status(self.bracket, number, self.address)
        if self.stages is not None and number in self.stages.course.entries:
            yield _make_stage_status(self.event, self.stages, number, self.address)
        if self.hall is not None and number in self.hall.rounds.entries:
            yield _make_table_status(self.event, self.hall, number)
        if self.sides is not None:
            yield _make_side_status(self.event, self.sides, number)


def _find_players(event: Event, wanted: str) -> dict[str, Any]:
    """Find players by entry number or part of their name, with or without accents.

    `more` counts the players who were found but are not listed.
    """
    wanted = wanted.strip()
    rows = {
        number: (name, state)
        for number, name, state in list_entrants(event, public=True).values_list("number", "name", "state")
    }
    numbers = search_entries(wanted, {number: name for number, (name, _state) in rows.items()})
    search = _PlayerStatusFinder(event)
    players = []
    for number in numbers[:MAX_FOUND_PLAYERS]:
        name, state = rows[number]
        players.append({"number": number, "name": name, "stand": search.find_status(number, state)})
    return {"wanted": wanted, "players": players, "more": max(0, len(numbers) - MAX_FOUND_PLAYERS)}


def _make_bracket_status(board: BracketBoard, number: int, address: Callable[[str], str]) -> _PlayerStatus:
    path = find_bracket_path(board.progress, number)
    own = [view for view in board.progress.list_matches_of_entry(number) if number in view.entries]
    current = path.current_match or own[-1]
    ident = current.match.id
    other = next((side for side in current.sides if side.entry != number), None)
    opponents = describe_side(board, other, ident) if other is not None else ""
    url, known = address(ident), other is not None and other.entry is not None
    if path.current_match is None:
        return _make_final_bracket_status(board, number, current, opponents if known else "", url)
    return _PlayerStatus(
        state=get_match_state_code(board, current),
        table=board.tables.get(ident),
        opponents=opponents,
        note="" if known else _("The earlier match is still being played."),
        url=url,
    )


def _make_final_bracket_status(
    board: BracketBoard, number: int, last: BracketMatchProgress, opponents: str, url: str
) -> _PlayerStatus:
    if board.progress.champion == number:
        return _PlayerStatus(state="final", word=_("Winner"), url=url, note=_describe_win(opponents))
    note = _describe_win(opponents) if last.winner == number else _describe_loss(opponents)
    return _PlayerStatus(state="withdrawn", word=_("Eliminated"), url=url, note=note)


def _make_stage_status(event: Event, board: StageBoard, number: int, address: Callable[[str], str]) -> _PlayerStatus:
    games = [game for game in board.iter_games_of_entries(frozenset((number,))) if len(game[1].meeting.sides) == 2]
    to_come = [(ident, match) for ident, match in games if match.meeting.outcome is None]
    to_come.sort(
        key=lambda game: (game[0] not in board.tables, game[0] not in board.course.current_stage.ready_matches)
    )
    if to_come:
        ident, match = to_come[0]
        others = ", ".join(board.get_name_in_match(ident, side) for side in match.meeting.sides if side != number)
        state = get_game_state_code(board, ident, match)
        return _PlayerStatus(state=state, table=board.tables.get(ident), opponents=others, url=address(ident))
    url = address(games[-1][0]) if games else make_event_url(event, "pairing:pairings")
    return _make_status_between_games(board, number, games[-1][1] if games else None, url)


def _make_status_between_games(board: StageBoard, number: int, last: StageMatch | None, url: str) -> _PlayerStatus:
    note, pool = _describe_last_match(board, number, last), board.course.pool
    entrant = pool.qualifying.entrants.get(number) if pool is not None else None
    if entrant is not None and entrant.status.is_in_play and not board.course.current_stage.is_complete:
        return _PlayerStatus(state="waiting", word=_("Waiting for a game"), note=note, url=url)
    if entrant is not None and entrant.status in (QualifyingStatus.OUT, QualifyingStatus.GONE):
        return _PlayerStatus(state="withdrawn", word=_("Eliminated"), note=note, url=url)
    if number not in board.course.current_stage.row.entries and not board.course.is_complete:
        return _PlayerStatus(state="withdrawn", word=_("Eliminated"), note=note, url=url)
    return _PlayerStatus(state="in", word=_("All games played"), note=note, url=url)


def _describe_last_match(board: StageBoard, number: int, last: StageMatch | None) -> str:
    outcome = last.meeting.outcome if last is not None else None
    if last is None or outcome is None or outcome.winner is None:
        return ""
    other = next((side for side in last.meeting.sides if side != number), None)
    name = board.get_name_in_match(last.meeting.match, other) if other is not None else ""
    return _describe_win(name) if outcome.winner == number else _describe_loss(name)


def _describe_win(name: str) -> str:
    return _("Last match: won against %(name)s.") % {"name": name} if name else ""


def _describe_loss(name: str) -> str:
    return _("Last match: lost to %(name)s.") % {"name": name} if name else ""


def _make_table_status(event: Event, hall: SeatingBoard, number: int) -> _PlayerStatus | None:
    current, url = hall.rounds.current_round, f"{make_event_url(event, 'pairing:seatings')}?{urlencode({'me': number})}"
    if current is None:
        return None
    words = {"number": current.number}
    table = current.find_table(number)
    if number in current.sits_out:
        return _PlayerStatus(state="waiting", word=_("Sits out round %(number)s") % words, url=url)
    if table is None:
        return _PlayerStatus(state="withdrawn", word=_("No table in round %(number)s") % words, url=url)
    others = ", ".join(hall.get_name_in_match(table.match, entry) for entry in table.entries if entry != number)
    return _PlayerStatus(
        state=get_table_state_code(hall, table),
        table=hall.tables.get(table.match),
        opponents=others,
        note=_name_round(words),
        url=url,
    )


def _make_side_status(event: Event, sides: RotatingSidesRound, number: int) -> _PlayerStatus | None:
    url, words = (
        make_event_url(event, higher_app_url_names().rounds),
        {"number": sides.rotating_sides.current_round.round},
    )
    if number in sides.sits_out:
        return _PlayerStatus(state="waiting", word=_("Sits out round %(number)s") % words, url=url)
    seated = next((table for table in sides.tables if number in (*table[1], *table[2])), None)
    if seated is None:
        return None
    table, left, right = seated
    own, opponents = (left, right) if number in left else (right, left)
    partner = sides.join_names(entry for entry in own if entry != number)
    note = _("Round %(number)s, with %(partner)s") % {**words, "partner": partner} if partner else _name_round(words)
    return _PlayerStatus(state="in", table=table, opponents=sides.join_names(opponents), note=note, url=url)


def _name_round(words: dict[str, int]) -> str:
    return _("Round %(number)s") % words


# --- The next match, on an entrant's own page ------------------------------------------------------------------------

EVENT_STATES_IN_PLAY = (Event.State.DRAWN, Event.State.IN_PLAY)


def load_next_match_summary(entrant: Entrant) -> NextMatchSummary | None:
    """Return an entrant's next match or current status, or None if the event is not in progress.

    Also return None for events with two sides, because the score card shows this information.
    """
    if entrant.event.state not in EVENT_STATES_IN_PLAY:
        return None
    return next(_iter_next_match_summaries(entrant.event, (entrant.joined_to or entrant).number), None)


def _iter_next_match_summaries(event: Event, number: int) -> Iterator[NextMatchSummary]:
    stages = load_stage_board(event)
    bracket = load_bracket_board(event) if stages is not None else None
    if bracket is not None and number in bracket.progress.bracket.entries:
        yield _summarize_bracket_match(event, bracket, number)
    if stages is not None and number in stages.course.entries:
        yield _summarize_stage_game(stages, number)
    hall = load_seating_board(event) if stages is None else None
    if hall is not None and number in hall.rounds.entries:
        yield from _iter_table_summaries(hall, number)


def _summarize_bracket_match(event: Event, board: BracketBoard, number: int) -> NextMatchSummary:
    path = find_bracket_path(board.progress, number)
    if path.current_match is None:
        return NextMatchSummary(_("You have won the event")) if path.is_champion else _summarize_elimination()
    ident = path.current_match.match.id
    other = next(side for side in path.current_match.sides if side.entry != number)
    name = describe_side(board, other, ident)
    if other.is_known:
        return replace(
            _summarize_opponent(name, board.tables.get(ident)), about=estimate_next_match_start(event, number)
        )
    return NextMatchSummary(
        _("Waiting for your opponent"),
        text=_("You will play the %(source)s.") % {"source": name[:1].lower() + name[1:]},
        about=estimate_next_match_start(event, number),
    )


def _summarize_stage_game(board: StageBoard, number: int) -> NextMatchSummary:
    """Return the player's status in an event with stages.

    A scheduled game is mentioned only when it is at a table, because the schedule can still change.
    """
    if number not in board.course.current_stage.row.entries:
        return NextMatchSummary(_("Every match is decided")) if board.course.is_complete else _summarize_elimination()
    for ident, match in board.iter_games_of_entries(frozenset((number,))):
        if match.meeting.outcome is None and ident in board.tables:
            others = (board.get_name_in_match(ident, side) for side in match.meeting.sides if side != number)
            return _summarize_opponent(", ".join(others), board.tables[ident])
    return NextMatchSummary(_("You are at no table now"), text=_("See My match for what comes next."))


def _iter_table_summaries(hall: SeatingBoard, number: int) -> Iterator[NextMatchSummary]:
    current = hall.rounds.current_round
    if current is None:
        return
    table, words = current.find_table(number), {"number": current.number}
    if number in current.sits_out:
        yield NextMatchSummary(_("You sit out round %(number)s") % words)
    elif table is None:
        yield NextMatchSummary(_("You have no table in round %(number)s") % words)
    elif table.is_decided:
        yield NextMatchSummary(_("Your table has finished round %(number)s") % words)
    else:
        others = ", ".join(hall.get_name_in_match(table.match, entry) for entry in table.entries if entry != number)
        yield NextMatchSummary(_("Round %(number)s: at your table") % words, hall.tables.get(table.match), others)


def _summarize_opponent(name: str, table: int | None) -> NextMatchSummary:
    return NextMatchSummary(
        _("You play"), table, name, "" if table else _("No table yet. Your table will appear here.")
    )


def _summarize_elimination() -> NextMatchSummary:
    return NextMatchSummary(_("You are eliminated"), text=_("Thank you for playing. Your place is in the standings."))
