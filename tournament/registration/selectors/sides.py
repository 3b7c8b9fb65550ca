"""The names of the two sides of an event in which two sides turn against each other. Other events have none."""

from tournament.models import Entrant, Event

SideNames = tuple[str, str]


def side_names(event: Event) -> SideNames | None:
    """Return the names of the left and the right side, or None if the event has no sides."""
    names = event.plan["stages"][0].get("sides")
    return (str(names[0]), str(names[1])) if names else None


def side_choices(event: Event) -> list[tuple[str, str]]:
    """Return the value and name of each side for forms, or an empty list if the event has no sides."""
    return list(zip(Entrant.Side.values, side_names(event) or (), strict=False))


def load_sideless(event: Event) -> list[Entrant]:
    """Return the accepted entrants without a side, by number. The list is empty if the event has no sides."""
    if side_names(event) is None:
        return []
    return list(event.entrants.filter(state=Entrant.State.IN, side="").order_by("number"))


def side_name(entrant: Entrant) -> str:
    """Return the name of the entrant's side, or an empty string if there is none."""
    return dict(side_choices(entrant.event)).get(entrant.side, "")
