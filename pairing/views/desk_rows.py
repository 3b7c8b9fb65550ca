"""What the desk's page shows of each who waits, each pair, each table."""

from __future__ import annotations

from typing import Any

from pairing.draws.desk import Stays, Waiting
from pairing.draws.desk_words import say_bye, say_nobody, say_reason, say_stay
from pairing.models import Pairing
from pairing.selectors.desk import Desk, DeskPart, Going, minutes_since
from pairing.services.desk import as_shown


def named(desk: Desk, numbers: Any) -> list[tuple[int, str]]:
    return [(number, desk.names.get(number, str(number))) for number in numbers]


def waiting_rows(desk: Desk) -> list[dict[str, Any]]:
    """Everybody who waits, who waits longest first."""
    rows = [_waiting(desk, part, one) for part in desk.parts for one in part.at.waiting]
    return sorted(rows, key=lambda row: (row["held"], row["since"], row["number"]))


def _waiting(desk: Desk, part: DeskPart, one: Waiting) -> dict[str, Any]:
    number = one.entry.number
    stays = {stay.entry: stay for stay in part.suggestion.stays}
    going = {side: going.table for going in desk.going for side in going.found.pair}
    return {
        "number": number,
        "name": desk.names.get(number, str(number)),
        "record": f"{one.entry.wins}–{one.entry.losses}",
        "since": one.since,
        "minutes": minutes_since(one.since, desk.now),
        "met": sorted(one.entry.met),
        "held": one.held,
        "site": part.name,
        "absent": number in desk.not_arrived,
        "table": going.get(number),
        "goes": number in going,
        "why": _why(desk, part, stays.get(number), number),
    }


def _why(desk: Desk, part: DeskPart, stay: Stays | None, number: int) -> str:
    if stay is not None:
        hold = desk.held.get(number)
        if hold is not None and stay.why == "held":
            return f"{hold.by_name}: {hold.reason}" if hold.reason else hold.by_name
        return say_stay(stay, desk.names)
    if part.suggestion.bye is not None and part.suggestion.bye.entry == number:
        return say_bye(part.suggestion.bye, desk.names)
    return ""


def going_rows(desk: Desk) -> list[dict[str, Any]]:
    return [_going(desk, going) for going in desk.going]


def _going(desk: Desk, going: Going) -> dict[str, Any]:
    return {
        "table": going.table,
        "names": named(desk, going.found.pair),
        "wins": going.found.reason.wins,
        "reason": say_reason(going.found.reason, desk.names),
        "marked": going.found.reason.again or any(going.found.reason.broken),
        "minutes": minutes_since(going.found.since, desk.now),
        "pairs": written_pair(as_shown(going)),
    }


def call_rows(desk: Desk) -> list[dict[str, Any]]:
    """Games to be called: those that would go to a table now first."""
    tables = {game.ident: table for game, table in desk.calls}
    rows = [
        {"ident": game.ident, "names": named(desk, game.sides), "table": tables.get(game.ident), "fixed": game.fixed}
        for game in desk.to_call
    ]
    return sorted(rows, key=lambda row: row["table"] is None)


def table_rows(desk: Desk) -> list[dict[str, Any]]:
    """Every table of this event, busy or free."""
    busy = {one.table: one for one in desk.busy}
    rows: list[dict[str, Any]] = []
    for table in sorted({*busy, *desk.free_tables}):
        one = busy.get(table)
        rows.append(
            {
                "table": table,
                "busy": one is not None,
                "ident": one.ident if one else "",
                "names": named(desk, one.sides) if one else [],
                "minutes": minutes_since(one.since, desk.now) if one else None,
            }
        )
    return rows


def nobody_said(desk: Desk) -> list[str]:
    """Why nothing is suggested; of each site by its name."""
    found = []
    for part in desk.parts:
        said = say_nobody(part.at, part.suggestion)
        if said:
            found.append(f"{part.name}: {said}" if part.name else said)
    return found


def hidden_list(desk: Desk) -> dict[str, str]:
    """What is sent with the page: exactly what stands on it."""
    sent = [going for going in desk.going if going.table is not None or desk.by_rounds]
    return {
        "at": desk.now.isoformat(),
        "pairs": " ".join(written_pair(as_shown(going)) for going in sent),
        "calls": " ".join(f"{game.ident}@{table}" for game, table in desk.calls),
        "bye": str(desk.bye or ""),
    }


def written_pair(pair: tuple[int, int, int]) -> str:
    one, other, table = pair
    return f"{one}-{other}@{table}"


def sent_rows(desk: Desk, pairings: list[Pairing], *, most: int) -> list[dict[str, Any]]:
    """The last that were sent, the newest first, with whether they can still be taken back."""
    open_matches = {
        frozenset(match.meeting.sides) for match in desk.stage.matches.values() if match.meeting.outcome is None
    }
    rows = []
    for pairing in pairings[:most]:
        pairs = [tuple(pair) for pair in pairing.pairs]
        rows.append(
            {
                "pairing": pairing,
                "names": [named(desk, pair) for pair in pairs[:1]],
                "more": len(pairs) - 1,
                "may_take_back": all(frozenset(pair) in open_matches for pair in pairs),
            }
        )
    return rows
