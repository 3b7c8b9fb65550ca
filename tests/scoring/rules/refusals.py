"""Return the problems of a refused case."""

from collections.abc import Callable
from typing import Any

import pytest

from tournament.errors import BadCase


def problems_of(act: Callable[..., object], *args: Any, **named: Any) -> list[tuple[str, str]]:
    """Return the code and path of each problem for which `act` refuses these arguments."""
    with pytest.raises(BadCase) as refused:
        act(*args, **named)
    return [(problem.code, problem.path) for problem in refused.value.problems]
