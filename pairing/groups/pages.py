"""The crosstables of an event's groups on its wall."""

from django.utils.safestring import SafeString

from pairing.groups.pictures import PAGE, fit_groups, group_picture
from pairing.groups.selectors import Groups

MOST_FOR_FOUR, MOST_FOR_TWO = 4, 5
"""The largest groups of which a wall shows four, or two, on one screen. Larger groups get a screen each."""


def make_group_wall(found: Groups) -> tuple[list[list[SafeString]], list[tuple[int, str, str]]]:
    """Return the crosstables by screen, as many on each as are readable from afar, and the pairings at tables."""
    largest = max(len(table.rows) for table in found.groups)
    a_screen = 4 if largest <= MOST_FOR_FOUR else 2 if largest <= MOST_FOR_TWO else 1
    fitted = fit_groups(found, PAGE)
    made = [group_picture(table, fitted, PAGE) for table in fitted.groups]
    return [made[start : start + a_screen] for start in range(0, len(made), a_screen)], _pairings(fitted)


def _pairings(found: Groups) -> list[tuple[int, str, str]]:
    rows = {
        (found.tables[cell.match], found.spell(row.entry), found.spell(other.entry))
        for table in found.groups
        for at, row in enumerate(table.rows)
        for other, cell in list(zip(table.rows, row.cells, strict=True))[at:]
        if cell.match in found.tables and cell.match is not None
    }
    return sorted(rows)
