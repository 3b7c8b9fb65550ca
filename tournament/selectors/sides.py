"""Events in which two sides turn against each other: what the sides are called. Others have none."""

from __future__ import annotations

from typing import Final

from tournament.models import Entrant, Event

USUAL_SIDES: Final = {"rotation": ("Guys", "Girls"), "court-whist": ("Gentlemen", "Ladies")}
"""By format: the side that keeps its seats or moves counter-clockwise, and the other."""

SideNames = tuple[str, str]


def side_names(event: Event) -> SideNames | None:
    """The names of its two sides, left and right; None where an event has no sides."""
    usual = USUAL_SIDES.get(event.format)
    if usual is None:
        return None
    chosen = event.format_options.get("sides")
    return (str(chosen[0]), str(chosen[1])) if isinstance(chosen, list) and len(chosen) == 2 else usual


def side_choices(event: Event) -> list[tuple[str, str]]:
    """Value and name of each side, for forms; nothing where an event has no sides."""
    return list(zip(Entrant.Side.values, side_names(event) or (), strict=False))


def load_sideless(event: Event) -> list[Entrant]:
    """Who is in and has no side yet, by number; nobody where an event has no sides."""
    if side_names(event) is None:
        return []
    return list(event.entrants.filter(state=Entrant.State.IN, side="").order_by("number"))


def side_name(entrant: Entrant) -> str:
    """On which side an entrant plays; empty where that is not said, or there are none."""
    return dict(side_choices(entrant.event)).get(entrant.side, "")
