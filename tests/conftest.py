"""Define fixtures for all tests, and select the tests that a run includes."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import hypothesis
import hypothesis.core
import pytest
from django.db import connection, transaction
from django.db.models.signals import post_migrate
from django.template.base import Template
from django.test.signals import template_rendered

from config.pages.page_process import reduce_garbage_collection
from tests.browser import NO_CHROMIUM, chromium, chromium_path, make_page
from tests.chance import SEED, examples, header, in_part, seed_secrets
from tests.fonts import FONTS
from tests.migrated import lay_migrated
from tests.prebuilt import begin_test
from tests.processes import _site, _worker, broker, live_site, worker

__all__ = ["_site", "_worker", "broker", "chromium", "live_site", "make_page", "worker"]

JOURNEYS: Final = Path(__file__).parent / "journeys"
_skipped: list[str] = []


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forbid-skips", action="store_true", help="fail when any test was skipped")
    parser.addoption("--fonts", choices=list(FONTS), default="wide", help="what browsers show pages with")


def pytest_configure(config: pytest.Config) -> None:
    reduce_garbage_collection()
    hypothesis.core.global_force_seed = hypothesis.core.global_force_seed or SEED
    hypothesis.settings.register_profile("run", max_examples=examples(100), deadline=None)
    hypothesis.settings.load_profile("run")


def pytest_report_header() -> str:
    return header()


@pytest.fixture(autouse=True)
def _seeded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed the secrets of each test, so that they do not depend on the tests that ran before it."""
    seed_secrets(request.node.nodeid)
    begin_test(monkeypatch)


@pytest.fixture(autouse=True)
def _nothing_cached() -> None:
    from tests.kit import clear_caches  # there are no models when this file is read

    clear_caches()


@pytest.fixture(scope="session", autouse=True)
def _quick_rendering(django_test_environment: None) -> None:
    """Let `response.context` contain only the context of the page, which makes tests faster.

    Django's test mode also copies the context for every included template, which takes a twelfth of the rendering time.
    """

    def render(template: Template, context: Any) -> Any:
        if context.template is template:
            template_rendered.send(sender=template, template=template, context=context)
        return template.nodelist.render(context)

    Template._render = render  # Django's own is put back at the end of the run


@pytest.fixture(scope="session", autouse=True)
def _no_permissions(django_test_environment: None) -> None:
    """Do not create Django's permissions and content types, which the program does not use.

    After each test with real transactions, Django empties all tables and would create them again. That takes 33 ms.
    """
    from django.contrib.contenttypes.management import create_contenttypes  # needs the settings

    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check that browser tests are in tests/journeys, keep only samples of large groups, and run long tests first."""
    strays = [item.nodeid for item in items if item.get_closest_marker("browser") and JOURNEYS not in item.path.parents]
    if strays:
        raise pytest.UsageError(f"tests in a browser belong to tests/journeys: {', '.join(strays)}")
    if not any("::" in arg for arg in config.args):  # whoever names a test wants that test
        _leave_out_all_but_a_sample(config, items)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def _leave_out_all_but_a_sample(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep one of every `parts` tests in each group that is marked with `@pytest.mark.sample(group, parts)`."""
    counted: Counter[str] = Counter()
    left_out = []
    for item in items:
        mark = item.get_closest_marker("sample")
        if mark is None:
            continue
        group, parts = mark.args
        if not in_part(counted[group], parts):
            left_out.append(item)
        counted[group] += 1
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def pytest_collection_finish() -> None:
    """Exclude all existing objects from garbage collection, because scanning them took a tenth of the run's time."""
    reduce_garbage_collection()


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("browser") and chromium_path() is None:
        pytest.skip(NO_CHROMIUM)
    if item.get_closest_marker("postgres") and "postgres" not in os.environ.get("DATABASE_URL", ""):
        pytest.skip("DATABASE_URL names no PostgreSQL")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped.append(report.nodeid)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if _skipped and session.config.getoption("--forbid-skips"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if _skipped and config.getoption("--forbid-skips"):
        terminalreporter.section("skipped, which --forbid-skips does not allow")
        terminalreporter.write_line("\n".join(_skipped))


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Keep the SQLite database, because `django_db_modify_db_settings` has already created its tables."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, django_db_keepdb: bool) -> None:
    if django_db_keepdb:
        lay_migrated(Path(connection.settings_dict["TEST"]["NAME"]))


@pytest.fixture(scope="module")
def rows_of_module(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """Let a module-scoped fixture create rows once for all tests in the module.

    Each test rolls back its own changes, and reloads the objects that the fixture returns. No test in the module may
    use `transaction=True`.
    """
    seed_secrets(request.node.nodeid)
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


def pytest_unconfigure() -> None:
    shutil.rmtree(Path(os.environ["TEST_RUN_DIR"]), ignore_errors=True)
