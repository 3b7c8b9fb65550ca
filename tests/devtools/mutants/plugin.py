"""A pytest plugin for a run with a single mutant, which makes it fast and discards cached values."""

from __future__ import annotations

import gc
import os
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.core import management

OURS = ("tournament.", "pairing.", "scoring.", "tests.")
_named = pytest.StashKey[dict[str, int]]()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Prepare a test process: restore its folder, and clear its caches.

    This is needed because mutmut forks every run from a process that has already finished a run.
    """
    Path(os.environ["TEST_RUN_DIR"]).mkdir(parents=True, exist_ok=True)
    for kept in [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper)]:
        if str(kept.__module__).startswith(OURS):
            kept.cache_clear()
    _find_only()
    _take_tables_as_laid()
    _collect_files(config)


def _find_only() -> None:
    """Tell Hypothesis not to search for the smallest failing example."""
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    run = hypothesis.settings.get_profile("run")
    hypothesis.settings.register_profile("mutants", run, phases=phases, database=None)
    hypothesis.settings.load_profile("mutants")


def _take_tables_as_laid() -> None:
    """Skip migrations, because the copied test database already has all tables."""
    call = management.call_command

    def call_others(command: Any, *arguments: Any, **options: Any) -> Any:
        return None if command in ("migrate", "createcachetable") else call(command, *arguments, **options)

    management.call_command = call_others


def _collect_files(config: pytest.Config) -> None:
    """Collect whole files instead of single tests, because pytest does not find some of its own test IDs."""
    named = [argument for argument in config.args if "::" in argument]
    config.stash[_named] = {nodeid: turn for turn, nodeid in enumerate(named)}
    config.args = list(dict.fromkeys(argument.partition("::")[0] for argument in config.args))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run only the named tests, in the given order. Tests that use a database come last."""
    turns = config.stash[_named]
    if turns:
        chosen = [item for item in items if item.nodeid in turns]
        items[:] = sorted(chosen, key=lambda item: (_has_database(item), turns[item.nodeid]))


def _has_database(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None
