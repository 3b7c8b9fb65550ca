"""The public page of an event's groups, with crosstables in a wide and a narrow version, and their wall."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString

from pairing.models import PLAY
from pairing.stages.pages.games import match_address
from pairing.stages.pictures.groups import PAGE, PHONE, Groups, fit_groups, group_legend, group_picture, load_groups
from tournament.core.pages.access import public_event
from tournament.core.pages.following import cached_by_version, follows
from tournament.core.selectors.events import entries_called
from tournament.models import Event

MOST_FOR_FOUR, MOST_FOR_TWO = 4, 5
"""The largest groups of which a wall shows four, or two, on one screen. Larger groups get a screen each."""


def make_group_wall(found: Groups) -> tuple[list[list[SafeString]], list[tuple[int, str, str]]]:
    """Return the crosstables by screen, as many on each as are readable from afar, and the pairings at tables."""
    largest = max(len(table.rows) for table in found.groups)
    a_screen = 4 if largest <= MOST_FOR_FOUR else 2 if largest <= MOST_FOR_TWO else 1
    fitted = fit_groups(found, PAGE)
    made = [group_picture(table, fitted, PAGE) for table in fitted.groups]
    pairings = {
        (fitted.tables[cell.match], fitted.spell(row.entry), fitted.spell(other.entry))
        for table in fitted.groups
        for at, row in enumerate(table.rows)
        for other, cell in list(zip(table.rows, row.cells, strict=True))[at:]
        if cell.match in fitted.tables and cell.match is not None
    }
    return [made[start : start + a_screen] for start in range(0, len(made), a_screen)], sorted(pairings)


@public_event
@follows(*PLAY)
@cached_by_version
def groups(request: HttpRequest, event: Event) -> HttpResponse:
    """Show every group as a crosstable, or with `me` only the group of that entrant."""
    found = load_groups(event)
    if found is None:
        return redirect("pairing:bracket", tournament=event.tournament.slug, event=event.slug)
    found = fit_groups(found, PAGE, PHONE)
    wanted = request.GET.get("me", "").strip()
    me = entries_called(wanted, {row.entry: found.name(row.entry) for table in found.groups for row in table.rows})
    address = match_address(event)
    shown = found.of(me[0]) if len(me) == 1 else found.groups
    mine = me[0] if len(me) == 1 else None
    context: dict[str, Any] = {
        "wanted": wanted,
        "nobody": bool(wanted) and not me,
        "found": [(number, found.spell(number)) for number in me[:20]] if len(me) > 1 else [],
        "my_name": found.name(mine) if mine is not None else "",
        "key": group_legend(),
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
    return render(
        request, "pairing/stages/groups/panel.html" if panel else "pairing/stages/groups/public.html", context
    )
