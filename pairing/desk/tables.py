"""The rows of the desk page: waiting entrants, suggested pairs, and tables."""

from typing import Any

from pairing.desk.selectors.waiting import Desk, DeskPart, minutes_since
from pairing.desk.services.sending import as_shown
from pairing.draws.desk.desk import Unpaired, WaitingEntry
from pairing.draws.desk.words import explain_unpaired, say_bye, say_nobody, say_reason
from pairing.knockout.pictures.match_boxes import match_name
from pairing.models import Pairing


def named(desk: Desk, numbers: Any) -> list[tuple[int, str]]:
    return [(number, desk.names.get(number, str(number))) for number in numbers]


def waiting_rows(desk: Desk) -> list[dict[str, Any]]:
    """Return the waiting entrants, in the order of the line or with the longest wait first."""
    rows = [_waiting(desk, part, one) for part in desk.parts for one in part.at.waiting]
    turns = desk.course.pool.line if desk.course.pool is not None and desk.stage.kind.traits.in_line else ()
    at = {entry: turn for turn, entry in enumerate(turns)}
    return sorted(rows, key=lambda row: (row["held"], at.get(row["number"], 0), row["since"], row["number"]))


def _waiting(desk: Desk, part: DeskPart, one: WaitingEntry) -> dict[str, Any]:
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
        "absent": number in desk.absent,
        "table": going.get(number),
        "goes": number in going,
        "why": _why(desk, part, stays.get(number), number),
    }


def _why(desk: Desk, part: DeskPart, stay: Unpaired | None, number: int) -> str:
    if stay is not None:
        hold = desk.held.get(number)
        if hold is not None and stay.why == "held":
            return f"{hold.by_name}: {hold.reason}" if hold.reason else hold.by_name
        return explain_unpaired(stay, desk.names)
    if part.suggestion.bye is not None and part.suggestion.bye.entry == number:
        return say_bye(part.suggestion.bye, desk.names)
    return ""


def going_rows(desk: Desk) -> list[dict[str, Any]]:
    return [
        {
            "table": going.table,
            "names": named(desk, going.found.pair),
            "reason": say_reason(going.found.reason, desk.names),
            "marked": going.found.reason.again or any(going.found.reason.broken),
            "minutes": minutes_since(going.found.since, desk.now),
            "pairs": written_pair(as_shown(going)),
        }
        for going in desk.going
    ]


def call_rows(desk: Desk) -> list[dict[str, Any]]:
    """Return the games to be called, with those that have a free table first."""
    tables = {game.ident: table for game, table in desk.calls}
    busy = [one.sides for one in desk.busy] + [game.sides for game, _to in desk.calls]
    playing = {side for sides in busy for side in sides}
    rows = [
        {
            "label": match_name(game.ident),
            "names": named(desk, game.sides),
            "table": tables.get(game.ident),
            "fixed": game.fixed,
            "plays_before": not playing.isdisjoint(game.sides),
        }
        for game in desk.to_call
    ]
    return sorted(rows, key=lambda row: row["table"] is None)


def table_rows(desk: Desk) -> list[dict[str, Any]]:
    """Return the busy tables, longest game first, because the desk checks these first."""
    rows = [
        {
            "table": one.table,
            "ident": one.ident,
            "names": named(desk, one.sides),
            "minutes": minutes_since(one.since, desk.now),
        }
        for one in desk.busy
    ]
    return sorted(rows, key=lambda row: (-row["minutes"], row["table"]))


def nobody_said(desk: Desk) -> list[str]:
    """Say why nothing is suggested, for each site."""
    said = ((part.name, say_nobody(part.at, part.suggestion)) for part in desk.parts)
    return [f"{name}: {why}" if name else why for name, why in said if why]


def hidden_list(desk: Desk) -> dict[str, str]:
    """Return the hidden fields that say exactly what the page shows."""
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
    """Return the last sent pairings, newest first, and whether each can still be undone."""
    meetings = [match.meeting for match in desk.stage.matches.values()]
    over = {frozenset(met.sides) for met in meetings if met.outcome is not None}
    over -= {frozenset(met.sides) for met in meetings if met.outcome is None}
    return [
        {
            "pairing": pairing,
            "names": [named(desk, pair) for pair in pairing.pairs[:1]],
            "bye": named(desk, [pairing.bye]) if pairing.bye and not pairing.pairs else [],
            "more": max(0, len(pairing.pairs) - 1),
            "may_take_back": over.isdisjoint(map(frozenset, pairing.pairs)),
        }
        for pairing in pairings[:most]
    ]


def last_act(desk: Desk, pairings: list[Pairing]) -> dict[str, Any] | None:
    """Return what the last act sent, if all of it can still be undone."""
    together = [pairing for pairing in pairings if pairing.at == pairings[0].at]
    rows = sent_rows(desk, together, most=len(together))
    if not rows or not all(row["may_take_back"] for row in rows):
        return None
    return {"newest": together[0], "pairs": sum(len(pairing.pairs) for pairing in together)}
