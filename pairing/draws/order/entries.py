"""Entry numbers, by which a draw knows who plays: whole numbers from 1, each once in an event."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from tournament.cases import Problems, read_all, read_integer
from tournament.said import Said, in_english, listed, reworded, worded


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


def entry_in_words(number: int) -> str:
    """An entry in a sentence; a page puts its name there (`name_entries`).

    >>> print(entry_in_words(4))
    entry 4
    """
    return worded("entry %(number)s", number=number)


def entries_in_words(numbers: Sequence[int]) -> str:
    """
    >>> print(entries_in_words((4,)), "·", entries_in_words((4, 9, 2)))
    entry 4 · entries 4, 9 and 2
    """
    if len(numbers) == 1:
        return entry_in_words(numbers[0])
    return worded("entries %(entries)s", entries=listed([str(number) for number in numbers]))


def name_entries(text: str, name: Callable[[int], str]) -> str:
    """A sentence about entries with their names.

    >>> print(name_entries(worded("%(one)s has won.", one=entry_in_words(4)), {4: "Ada"}.__getitem__))
    Ada has won.
    """

    def named(part: Said) -> str | None:
        if part.message == "entry %(number)s":
            return name(int(part.values["number"]))
        if part.message == "entries %(entries)s":
            return listed([name(int(number)) for number in _NUMBER.findall(in_english(part.values["entries"]))])
        return None

    return str(reworded(text, named))


_NUMBER: Final = re.compile(r"\d+")
