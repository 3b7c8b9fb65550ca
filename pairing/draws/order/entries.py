"""Entry numbers, by which a draw identifies its entries: whole numbers from 1, each used once in an event."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final

from tournament.cases import Problems, read_all, read_integer
from tournament.said import Said, in_english, listed, reworded, worded


def read_numbers(value: object, path: str, problems: Problems) -> tuple[int, ...] | None:
    """Return a list of entry numbers, or None if any of them is bad.

    A list with one bad number is refused as a whole, because leaving the number out would move up the numbers behind
    it.
    """
    numbers = read_all(value, path, problems, each=partial(read_integer, minimum=1))
    return None if numbers is None else tuple(numbers)


def read_numbers_once(
    value: object, path: str, problems: Problems, *, among: Collection[int] | None = None
) -> tuple[int, ...] | None:
    """Return a list of entry numbers without repeats. If `among` is given, every number must be in it."""
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
    """Return the entries of a draw: at least two, without repeats."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) < 2:
        problems.bad(path, worded("A draw needs at least two entries."))
        return None
    return numbers


def read_pair(value: object, path: str, problems: Problems) -> tuple[int, int] | None:
    """Return two different entry numbers, in the order given."""
    numbers = read_numbers_once(value, path, problems)
    if isinstance(value, list) and len(value) != 2:
        problems.bad(path, worded("There must be two entries here."))
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def check_each_once(entries: Sequence[int]) -> None:
    """Refuse a list of entries that names an entry twice.

    Raises:
        ValueError: an entry occurs twice. That is a mistake of the program, because the readers above check user input.
    """
    if len(set(entries)) != len(entries):
        raise ValueError("an entry stands twice in the draw")


def entry_in_words(number: int) -> str:
    """Return the words for an entry in a sentence. A page replaces them by the name (`name_entries`).

    >>> print(entry_in_words(4))
    entry 4
    """
    return worded("entry %(number)s", number=number)


def entries_in_words(numbers: Sequence[int]) -> str:
    """Return the words for several entries in a sentence.

    >>> print(entries_in_words((4,)), "·", entries_in_words((4, 9, 2)))
    entry 4 · entries 4, 9 and 2
    """
    if len(numbers) == 1:
        return entry_in_words(numbers[0])
    return worded("entries %(entries)s", entries=listed([str(number) for number in numbers]))


def name_entries(text: str, name: Callable[[int], str]) -> str:
    """Return a sentence about entries with the entry numbers replaced by names.

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
