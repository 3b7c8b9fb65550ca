"""The crosstables of an event's groups, for its pages and its wall."""

from django.utils.safestring import SafeString

from pairing.groups.pictures import PAGE, group_picture
from pairing.groups.selectors import Groups

MOST_FOR_FOUR, MOST_FOR_TWO = 4, 5
"""Groups of so many stand by fours, or by twos, on a wall; a larger one alone."""


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
