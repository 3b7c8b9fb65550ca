"""Check the architecture rules that the import contracts in pyproject.toml do not cover."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from typing import Any

import pytest
from django.apps import apps
from django.urls import get_resolver, reverse

import pairing.ports
import tournament.ports
from config import settings
from config.celery import app as tasks
from config.environment import BASE_DIR
from pairing.draws.stages.plan import StageKind
from pairing.stages.selectors.kinds import multi_stage_pages, stage_kind_hooks
from pairing.stages.selectors.plans import stage_kind_form_specs
from tests.config.helpers import called_name, modules_of
from tournament.ports import Port

ORDER = ["tournament", "pairing", "scoring"]
PURE = ["tournament/purse", "pairing/draws", "scoring/rules"]
NOT_PURE = {"now", "today", "utcnow", "open", "print", "input", "exec", "eval", "getenv"}
"""Functions that read the clock, files, input, or the environment, or that run text as code.

Pure folders must not call them.
"""


def test_foreign_keys_point_the_way_imports_do() -> None:
    wrong = [
        f"{model._meta.label}.{field.name} → {field.related_model._meta.label}"
        for model in apps.get_models()
        if model._meta.app_label in ORDER
        for field in model._meta.get_fields()
        if field.concrete and field.is_relation and field.related_model._meta.app_label in ORDER
        if ORDER.index(field.related_model._meta.app_label) > ORDER.index(model._meta.app_label)
    ]
    assert wrong == []


ASKED = [
    (tournament.ports.stage_provider, tournament.ports.StageProvider, "pairing.for_tournament"),
    (tournament.ports.log_provider, tournament.ports.LogProvider, "scoring.for_tournament"),
    (tournament.ports.archive_provider, tournament.ports.ArchiveProvider, "scoring.archive.services.backups"),
    (pairing.ports.score_cards, pairing.ports.ScoreCardService, "scoring.for_pairing"),
]
"""The ports through which a lower app calls a higher app.

Each item has the port, its protocol, and the name of the module that implements the protocol.
"""
LISTED = [stage_kind_form_specs, stage_kind_hooks, multi_stage_pages]
"""The ports that `pairing/kinds.py` implements for every kind of stage."""


@pytest.mark.parametrize(("place", "protocol", "answers"), ASKED, ids=lambda one: getattr(one, "__name__", ""))
def test_what_a_lower_app_asks_is_answered_above_and_nothing_else_is(place: Any, protocol: type, answers: str) -> None:
    asked = {name for name in vars(protocol) if not name.startswith("_")}
    assert place().__name__ == answers
    assert set(place().__all__) == asked
    for name in asked:
        given, wanted = inspect.signature(getattr(place(), name)), inspect.signature(getattr(protocol, name))
        assert [*given.parameters] == [*wanted.parameters][1:], name


def test_every_place_for_an_answer_is_known_here() -> None:
    modules = [
        module for name, module in sys.modules.items() if name.startswith(("tournament.", "pairing.", "scoring."))
    ]
    kept = {id(one) for module in modules for one in vars(module).values() if isinstance(one, Port)}
    assert kept == {id(place) for place, _protocol, _answers in ASKED} | {
        id(place) for place in (*LISTED, tournament.ports.higher_app_url_names)
    }


def test_pages_of_the_upper_app_have_addresses() -> None:
    place = {"tournament": "open", "event": "singles"}
    for field in dataclasses.fields(tournament.ports.HigherAppUrlNames):
        name = getattr(tournament.ports.higher_app_url_names(), field.name)
        assert reverse(name, kwargs={**place, "ident": "W1M1"} if field.name == "match_cards" else place), name


def test_every_kind_of_stage_has_a_room() -> None:
    assert list(stage_kind_hooks()) == list(StageKind)
    assert {kind for kind in StageKind if kind.traits.two_meet} == set(stage_kind_form_specs())
    at_desk = {kind for kind in StageKind if kind.traits.is_pool and not kind.traits.all_meet}
    assert {kind for kind, room in stage_kind_hooks().items() if room.suggest_pairs is not None} == at_desk


def test_what_nobody_answers_is_said() -> None:
    with pytest.raises(LookupError, match="no app answers for the weather"):
        Port("the weather")()


def test_the_settings_name_no_function_of_an_app() -> None:
    """The import contracts cannot detect a setting that names a function in a string."""
    dotted = re.compile(rf"({'|'.join(ORDER)})\.[a-z_.]+\.[a-z_]+")
    values = {name: value for name, value in vars(settings).items() if type(value) is str}
    assert {name for name, value in values.items() if dotted.fullmatch(value)} == set()


def test_only_prepared_queries_depend_on_undocumented_parts_of_django() -> None:
    undocumented = re.compile(r"SQLCompiler|ModelIterable|execute_wrappers|_result_cache|_prefetched_objects")
    found = {
        str(path.relative_to(BASE_DIR))
        for app in (*ORDER, "config")
        for path in (BASE_DIR / app).rglob("*.py")
        if undocumented.search(path.read_text())
    }
    assert found == {"tournament/core/selectors/prepared.py"}


def test_text_files_are_opened_with_their_encoding() -> None:
    """Without an explicit encoding, Windows uses a legacy code page."""
    wrong = [
        f"{path}:{node.lineno}"
        for path, tree in modules_of(*ORDER, "config", "laptop").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and opens_text(node) and not any(each.arg == "encoding" for each in node.keywords)
    ]
    assert wrong == []


def opens_text(call: ast.Call) -> bool:
    """Return whether the call reads or writes a text file with `open` or a method of a path."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in ("read_text", "write_text")
    modes = [argument.value for argument in call.args[1:] if isinstance(argument, ast.Constant)]
    return called_name(call) == "open" and "b" not in "".join(modes)


@pytest.mark.parametrize("folder", PURE)
def test_a_pure_folder_asks_neither_clock_nor_world(folder: str) -> None:
    asked = [
        f"{path}:{node.lineno} {name}()"
        for path, tree in modules_of(folder).items()
        for node in ast.walk(tree)
        if (name := called_name(node)) in NOT_PURE
    ]
    assert asked == []


def test_every_task_sent_by_name_is_there() -> None:
    tasks.loader.import_default_modules()
    sent = {
        (path, node.args[0].value)
        for path, tree in modules_of(*ORDER, "config").items()
        for node in ast.walk(tree)
        if called_name(node) == "send_task_after_commit" and node.args and isinstance(node.args[0], ast.Constant)
    }
    scheduled = {("config/celery.py", entry["task"]) for entry in tasks.conf.beat_schedule.values()}
    missing = [f"{path}: {name}" for path, name in sent | scheduled if name not in tasks.tasks]
    assert missing == []


def test_every_address_a_template_names_is_there() -> None:
    known = _url_names()
    named = re.compile(r"{%\s*url\s+['\"]([^'\"]+)['\"]")
    missing = [
        f"{path.relative_to(BASE_DIR)}: {name}"
        for path in (BASE_DIR / "templates").rglob("*.html")
        for name in named.findall(path.read_text())
        if name not in known
    ]
    assert missing == []


def test_no_template_carries_script_or_style() -> None:
    inline = re.compile(r"<script(?![^>]*\bsrc=)[^>]*>|<style\b|\sstyle=|\son[a-z]+=[\"']|javascript:", re.IGNORECASE)
    found = [
        f"{path.relative_to(BASE_DIR)}: {hit}"
        for path in (BASE_DIR / "templates").rglob("*.html")
        for hit in inline.findall(path.read_text())
        if "application/json" not in hit
    ]
    assert found == []


def _url_names(resolver: object = None, prefix: str = "") -> set[str]:
    resolver = resolver or get_resolver()
    names: set[str] = set()
    for entry in resolver.url_patterns:
        if hasattr(entry, "url_patterns"):
            inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            names |= _url_names(entry, inner)
        elif entry.name:
            names.add(prefix + entry.name)
    return names


def test_no_migration_imports_the_program() -> None:
    """Migrations contain copies of the code that they need, so that later changes to the program do not affect them."""
    ours = ("config", "laptop", *ORDER)
    wrong = [
        f"{path.relative_to(BASE_DIR)}: {name}"
        for path in sorted(BASE_DIR.glob("*/migrations/*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imported_names(node)
        if name.split(".")[0] in (*ours, "")
    ]
    assert wrong == []


def _imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or "."]
    return [one.name for one in node.names] if isinstance(node, ast.Import) else []


def test_no_test_module_imports_another_one() -> None:
    imports = [
        (path, node.module or "")
        for path in sorted((BASE_DIR / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
    ]
    assert [f"{path}: {module}" for path, module in imports if ".test_" in module and module.startswith("tests.")] == []
