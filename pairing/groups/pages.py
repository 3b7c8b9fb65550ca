"""The crosstables of an event's groups, for its pages and its wall."""

from django.utils.safestring import SafeString

from pairing.groups.pictures import PAGE, fit_groups, group_picture
from pairing.groups.selectors import Groups

MOST_FOR_FOUR, MOST_FOR_TWO = 4, 5
"""Groups of so many stand by fours, or by twos, on a wall; a larger one alone."""


def make_group_wall(found: Groups) -> tuple[list[list[SafeString]], list[tuple[int, str, str]]]:
    """Return the crosstables of a wall, screen by screen, as many on each as are read from far, and who sits where."""
    largest = max(len(table.rows) for table in found.groups)
    a_screen = 4 if largest <= MOST_FOR_FOUR else 2 if largest <= MOST_FOR_TWO else 1
    fitted = fit_groups(found, PAGE)
    made = [group_picture(table, fitted, PAGE) for table in fitted.groups]
    return [made[start : start + a_screen] for start in range(0, len(made), a_screen)], _pairings(fitted)


def _pairings(found: Groups) -> list[tuple[int, str, str]]:
    """Return the table and both names of every match that is being played."""
    rows = {
        (found.tables[cell.match], found.spell(row.entry), found.spell(other.entry))
        for table in found.groups
        for at, row in enumerate(table.rows)
        for other, cell in list(zip(table.rows, row.cells, strict=True))[at:]
        if cell.match in found.tables and cell.match is not None
    }
    return sorted(rows)
