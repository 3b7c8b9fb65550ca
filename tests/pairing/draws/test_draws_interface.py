import ast
import doctest
import importlib
import pkgutil
from inspect import isfunction

import pytest

import pairing.draws
from config.environment import BASE_DIR

MODULES = [
    "pairing.draws",
    *(module.name for module in pkgutil.walk_packages(pairing.draws.__path__, "pairing.draws.")),
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_are_true(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


WITHOUT_EXAMPLE = """
    run_verify_draw_case make_standings make_final_standings make_next_whist_tables make_table_placings
    find_table_used_twice find_affected_matches
"""


def test_functions_imported_from_outside_have_an_example() -> None:
    called = [
        getattr(importlib.import_module(node.module), alias.name)
        for folder in ("pairing", "scoring", "tournament", "config")
        for path in (BASE_DIR / folder).rglob("*.py")
        if BASE_DIR / "pairing/draws" not in path.parents
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pairing.draws.")
        for alias in node.names
    ]
    without = {verb.__name__ for verb in called if isfunction(verb) and ">>>" not in (verb.__doc__ or "")}
    assert without == set(WITHOUT_EXAMPLE.split())
