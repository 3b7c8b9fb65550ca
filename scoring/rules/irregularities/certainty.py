"""Decisions with unknown facts. A result that is the same for every possible value of the facts is certain."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final, TypeVar

T = TypeVar("T")

YES_OR_NO: Final = (False, True)


def known_or(value: T | None, otherwise: Sequence[T]) -> Sequence[T]:
    """Return the possible values of a fact: its value, or all of `otherwise` if it is unknown."""
    return otherwise if value is None else (value,)


def certain(decide: Callable[..., T], *facts: Iterable[Any]) -> T | None:
    """Return the result of `decide` if it is the same for every combination of possible facts, else None.

    >>> stands = lambda agreed, recorded: agreed and recorded
    >>> certain(stands, YES_OR_NO, [False]), certain(stands, YES_OR_NO, [True])
    (False, None)
    """
    answers = {decide(*values) for values in product(*facts)}
    return answers.pop() if len(answers) == 1 else None
