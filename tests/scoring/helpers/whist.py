from __future__ import annotations

from typing import Any

from scoring.card_state.selectors.rotation import WhistEventState, WhistGameTable, load_whist_event_state
from scoring.scorekeeping.services import WhistTableReport, enter_whist_table_game, start_next_whist_game
from tests.kit import fresh
from tests.prebuilt import prebuilt
from tests.scoring.helpers.turning import an_event_in_play
from tournament.core.permissions import SYSTEM_ACTOR, Actor
from tournament.models import Event

FOUR = (7, 7, 7, 7)


@prebuilt
def a_whist_event(left: int = 2, right: int = 2, **fields: Any) -> Event:
    return an_event_in_play(left, right, format="court-whist", **fields)


def the_hall(event: Event) -> WhistEventState:
    hall = load_whist_event_state(fresh(event))
    assert hall is not None
    return hall


def hands(table: WhistGameTable, tricks: tuple[int, ...] = FOUR) -> dict[int, list[dict[str, Any]]]:
    """Return the hands that a table reports in a game, keyed by the player's number.

    `tricks` are the first couple's tricks in each hand. In game 3, `tricks` are those of the first man, and the others
    share the rest.
    """
    found: dict[int, list[dict[str, Any]]] = {guest.number: [] for guest in table.players}
    for hand, own in enumerate(tricks, start=1):
        rest = 13 - own
        taken = [own, own, rest, rest] if table.game != 3 else [own, rest // 3, rest // 3, rest - 2 * (rest // 3)]
        for place, guest in enumerate(table.players):
            line: dict[str, Any] = {"game": table.game, "hand": hand, "tricks": taken[place]}
            if table.game == 4:
                line["lady_tricks"] = taken[place] // 2
            if table.game == 6:
                line["spoken"] = 1 if place == 3 else 0
            if table.game == 7:
                line["faces"] = 12 if place < 2 and own > 6 else 0 if place < 2 else 0 if own > 6 else 12
            found[guest.number].append(line)
    return found


def enter(
    event: Event, table: int = 1, tricks: tuple[int, ...] = FOUR, *, by: Actor = SYSTEM_ACTOR, **fields: Any
) -> WhistEventState:
    found = the_hall(event).tables[table - 1]
    facts: dict[str, Any] = {"hands": hands(found, tricks), **fields}
    return enter_whist_table_game(fresh(event), WhistTableReport(game=found.game, table=table, **facts), by=by)


@prebuilt
def enter_all(event: Event, tricks: tuple[int, ...] = FOUR) -> None:
    for table in the_hall(event).tables:
        enter(event, table.number, tricks, override="as played")


def cuts(hall: WhistEventState) -> dict[int, list[int]]:
    """Return the winner of each cut between tied players. The player with the lower number always wins."""
    return {
        table.number: [min(guest.number for guest in table.find_best_players(side)) for side in (0, 1)]
        for table in hall.tables
    }


def move(event: Event, by: Actor = SYSTEM_ACTOR) -> WhistEventState:
    return start_next_whist_game(fresh(event), cuts(the_hall(event)), by=by)


@prebuilt
def play_whist(event: Event, tricks: tuple[int, ...] = FOUR) -> None:
    for game in range(1, 8):
        enter_all(event, tricks)
        if game < 7:
            move(event)
