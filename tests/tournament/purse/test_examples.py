import doctest
import importlib
import pkgutil

import pytest

import tournament.purse

MODULES = sorted(module.name for module in pkgutil.walk_packages(tournament.purse.__path__, "tournament.purse."))


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_the_docstrings_are_correct(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS).failed == 0
