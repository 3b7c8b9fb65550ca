"""Entry numbers, by which a draw knows who plays: whole numbers from 1, each once in an event."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tournament.cases import Problems, read_integer, read_list


def read_numbers(value: object, path: str, problems: Problems) -> tuple[int, ...] | None:
    """A list of entry numbers, or None where any of them is bad: one left out would move the others up."""
    found = read_list(value, path, problems)
    if found is None:
        return None
    numbers = [read_integer(item, f"{path}[{i}]", problems, minimum=1) for i, item in enumerate(found)]
    return _whole(numbers)


def read_numbers_once(
    value: object, path: str, problems: Problems, *, among: Collection[int] | None = None
) -> tuple[int, ...] | None:
    """A list of entry numbers, each once and, where that is given, each `among` those in the draw."""
    found = read_list(value, path, problems)
    if found is None:
        return None
    first: dict[int, str] = {}
    numbers: list[int | None] = []
    for index, item in enumerate(found):
        here = f"{path}[{index}]"
        number = read_integer(item, here, problems, minimum=1)
        numbers.append(None)
        if number is None:
            continue
        if number in first:
            problems.bad(here, f"Entry {number} stands there already, at {first[number]}.")
        elif among is not None and number not in among:
            problems.bad(here, f"Entry {number} is not in this draw.")
        else:
            numbers[-1] = number
        first.setdefault(number, here)
    return _whole(numbers)


def read_draw(value: object, path: str, problems: Problems) -> tuple[int, ...] | None:
    """The entries of a draw: each once, and at least two."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) < 2:
        problems.bad(path, "A draw needs at least two entries.")
        return None
    return numbers


def read_pair(value: object, path: str, problems: Problems) -> tuple[int, int] | None:
    """Two different entry numbers, in the order given."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) != 2:
        problems.bad(path, "There must be two entries here.")
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def _whole(numbers: Sequence[int | None]) -> tuple[int, ...] | None:
    good = tuple(number for number in numbers if number is not None)
    return good if len(good) == len(numbers) else None


def check_each_once(entries: Sequence[int]) -> None:
    """What every verb of this folder expects of the numbers it is given.

    Raises:
        ValueError: an entry twice: our own mistake, since what users give is read by the functions above.
    """
    if len(set(entries)) != len(entries):
        raise ValueError("an entry stands twice in the draw")
