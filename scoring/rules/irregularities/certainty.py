"""Deciding with facts that are not known: what comes out the same, no matter what they are, is certain."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any, Final, TypeVar

T = TypeVar("T")

YES_OR_NO: Final = (False, True)


def known_or(value: T | None, otherwise: Sequence[T]) -> Sequence[T]:
    """What a fact may be: its value, or any of `otherwise` while it is not known."""
    return otherwise if value is None else (value,)


def certain(decide: Callable[..., T], *facts: Iterable[Any]) -> T | None:
    """What `decide` says of every combination of what the facts may be; None where it is not always the same.

    >>> stands = lambda agreed, recorded: agreed and recorded
    >>> certain(stands, YES_OR_NO, [False]), certain(stands, YES_OR_NO, [True])
    (False, None)
    """
    answers = {decide(*values) for values in product(*facts)}
    return answers.pop() if len(answers) == 1 else None
