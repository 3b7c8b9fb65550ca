"""The public page of an event's groups: crosstables in a wide and a narrow version."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from pairing.groups.pictures import PAGE, PHONE, fit_groups, group_key, group_picture
from pairing.groups.selectors import load_groups
from pairing.matches.pages import match_address
from pairing.models.match import PLAY
from tournament.core.pages.access import public_event
from tournament.core.pages.following import follows, kept_by_version
from tournament.core.selectors.events import entries_called
from tournament.models import Event


@public_event
@follows(*PLAY)
@kept_by_version
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
    return render(request, "pairing/groups/panel.html" if panel else "pairing/groups/public.html", context)
