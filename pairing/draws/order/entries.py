"""Entry numbers, by which a draw knows who plays: whole numbers from 1, each once in an event."""

from collections.abc import Collection, Sequence
from functools import partial

from tournament.cases import Problems, read_all, read_integer
from tournament.said import worded


def read_numbers(value: object, path: str, problems: Problems) -> tuple[int, ...] | None:
    """A list of entry numbers, or None where any of them is bad: one left out would move the others up."""
    numbers = read_all(value, path, problems, each=partial(read_integer, minimum=1))
    return None if numbers is None else tuple(numbers)


def read_numbers_once(
    value: object, path: str, problems: Problems, *, among: Collection[int] | None = None
) -> tuple[int, ...] | None:
    """A list of entry numbers, each once and, where that is given, each `among` those in the draw."""
    numbers = read_all(value, path, problems, each=partial(_read_once, first={}, among=among))
    return None if numbers is None else tuple(numbers)


def _read_once(
    value: object, path: str, problems: Problems, *, first: dict[int, str], among: Collection[int] | None
) -> int | None:
    number = read_integer(value, path, problems, minimum=1)
    if number is None:
        return None
    if first.setdefault(number, path) != path:
        problems.bad(
            path, worded("Entry %(number)s stands there already, at %(first)s.", number=number, first=first[number])
        )
    elif among is not None and number not in among:
        problems.bad(path, worded("Entry %(number)s is not in this draw.", number=number))
    else:
        return number
    return None


def read_draw(value: object, path: str, problems: Problems) -> tuple[int, ...] | None:
    """The entries of a draw: each once, and at least two."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) < 2:
        problems.bad(path, worded("A draw needs at least two entries."))
        return None
    return numbers


def read_pair(value: object, path: str, problems: Problems) -> tuple[int, int] | None:
    """Two different entry numbers, in the order given."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) != 2:
        problems.bad(path, worded("There must be two entries here."))
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def check_each_once(entries: Sequence[int]) -> None:
    """What every verb of this folder expects of the numbers it is given.

    Raises:
        ValueError: an entry twice: our own mistake, since what users give is read by the functions above.
    """
    if len(set(entries)) != len(entries):
        raise ValueError("an entry stands twice in the draw")
