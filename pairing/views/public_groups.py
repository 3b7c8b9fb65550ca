"""The groups of an event in stages: crosstables on phone and desk, and on the wall while they are played."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString

from pairing.selectors.groups import Groups, load_groups
from pairing.templatetags.group_picture import PAGE, PHONE, group_key, group_picture
from pairing.views.addresses import match_address
from tournament.models import Event
from tournament.spreadsheets.numbers import typed_number
from tournament.views.access import public_event
from tournament.views.caching import kept_by_version

MOST_FOR_FOUR, MOST_FOR_TWO = 4, 5
"""Groups of so many stand by fours, or by twos, on a wall; a larger one alone."""


@public_event
@kept_by_version
def groups(request: HttpRequest, event: Event) -> HttpResponse:
    """Every group as a crosstable; with `me` only that entrant's."""
    found = load_groups(event)
    if found is None:
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    wanted = request.GET.get("me", "").strip()
    me = _called(found, wanted)
    address = match_address(event)
    shown = found.of(me[0]) if len(me) == 1 else found.groups
    mine = me[0] if len(me) == 1 else None
    context: dict[str, Any] = {
        "wanted": wanted,
        "nobody": bool(wanted) and not me,
        "found": [(number, found.name(number)) for number in me[:20]] if len(me) > 1 else [],
        "my_name": found.name(mine) if mine is not None else "",
        "key": group_key(),
        "groups": [
            {
                "name": table.name,
                "wide": group_picture(table, found, PAGE, address=address, me=mine),
                "narrow": group_picture(table, found, PHONE, address=address, me=mine),
            }
            for table in shown
        ],
    }
    panel = bool(getattr(request, "htmx", False))
    return render(request, "pairing/public/groups_panel.html" if panel else "pairing/public/groups.html", context)


def _called(found: Groups, wanted: str) -> tuple[int, ...]:
    entries = [row.entry for table in found.groups for row in table.rows]
    number = typed_number(wanted)
    if number is not None:
        return (number,) if number in entries else ()
    words = wanted.casefold()
    return tuple(entry for entry in entries if words and words in found.name(entry).casefold())


def group_screens(found: Groups) -> list[list[SafeString]]:
    """The crosstables of a wall, screen by screen, as many on each as are read from far."""
    largest = max(len(table.rows) for table in found.groups)
    a_screen = 4 if largest <= MOST_FOR_FOUR else 2 if largest <= MOST_FOR_TWO else 1
    made = [group_picture(table, found, PAGE) for table in found.groups]
    return [made[start : start + a_screen] for start in range(0, len(made), a_screen)]


def group_pairings(found: Groups) -> list[tuple[int, str, str]]:
    """Who sits where now, by table."""
    rows = {
        (found.tables[cell.match], found.name(row.entry), found.name(other.entry))
        for table in found.groups
        for at, row in enumerate(table.rows)
        for other, cell in list(zip(table.rows, row.cells, strict=True))[at:]
        if cell.match in found.tables and cell.match is not None
    }
    return sorted(rows)
