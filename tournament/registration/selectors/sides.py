"""Events in which two sides turn against each other: what the sides are called. Others have none."""

from tournament.models import Entrant, Event

SideNames = tuple[str, str]


def side_names(event: Event) -> SideNames | None:
    """The names of its two sides, left and right; None where an event has no sides."""
    names = event.plan["stages"][0].get("sides")
    return (str(names[0]), str(names[1])) if names else None


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
