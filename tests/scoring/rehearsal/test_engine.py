"""Demos use repeatable secrets and a simulated time, which affect neither real tournaments nor other threads."""

from __future__ import annotations

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import grimp
import pytest
from django.utils import timezone

from config.environment import BASE_DIR
from pairing.draws.order import SECRET_BYTE_COUNT
from pairing.stages.services.stages import make_draw_secret
from scoring.rehearsal.selectors.playable import RehearsalRandomizer
from scoring.rehearsal.services.engine import create_demo_event, freeze_time, get_demo_director, seed_draw_secrets
from tests.factories import a_tournament
from tournament.core.services.record import WriteTransaction, writing
from tournament.errors import NotAllowed
from tournament.models import AuditEntry

APPS = ("config", "laptop", "tournament", "pairing", "scoring")
NOON = datetime(2020, 2, 29, 12, tzinfo=UTC)
SERVER = """
import sys
import config.asgi, config.wsgi
from django.urls import get_resolver
from config.celery import app
list(get_resolver().url_patterns)
app.loader.import_default_modules()
print([name for name in sys.modules if name.startswith(("scoring.rehearsal", "unittest.mock"))])
"""


@pytest.mark.django_db
def test_secrets_repeat_in_a_demo_inside_the_block_and_thread_only() -> None:
    demo = a_tournament(is_demo=True)
    with seed_draw_secrets(demo, RehearsalRandomizer(7)):
        repeated = make_draw_secret()
        with ThreadPoolExecutor(1) as other:
            elsewhere = other.submit(make_draw_secret).result()
    assert repeated == RehearsalRandomizer(7).randbytes(SECRET_BYTE_COUNT)
    assert len({repeated, elsewhere, make_draw_secret(), make_draw_secret()}) == 4


@pytest.mark.django_db
def test_a_real_tournament_is_refused() -> None:
    real = a_tournament()
    with pytest.raises(NotAllowed, match="DEMO"), seed_draw_secrets(real, RehearsalRandomizer(7)):
        pass
    with pytest.raises(NotAllowed, match="DEMO"):
        create_demo_event(real, by=get_demo_director(), slug="event", name="Event")
    assert not real.events.exists()


@pytest.mark.django_db
def test_facts_have_the_pretended_time_inside_the_block_and_thread_only() -> None:
    tournament = a_tournament(is_demo=True)
    with freeze_time(NOON), writing(tournament, verb="test", by=get_demo_director()) as write:
        write.about("a fact")
        with ThreadPoolExecutor(1) as other:
            elsewhere = other.submit(timezone.now).result()
    assert AuditEntry.objects.get(verb="test").at == NOON
    assert elsewhere - NOON > timedelta(days=365) and timezone.now() >= elsewhere


def test_code_that_draws_and_records_takes_neither_secret_nor_time() -> None:
    assert not inspect.signature(make_draw_secret).parameters
    assert set(inspect.signature(writing).parameters) == {"scope", "verb", "by", "key", "reason"}
    assert "at" in WriteTransaction.__dataclass_fields__


def test_only_commands_import_the_rehearsal_and_only_its_engine_replaces_anything() -> None:
    graph = grimp.build_graph(*APPS)
    importers = {
        importer
        for module in graph.find_descendants("scoring.rehearsal")
        for importer in graph.find_modules_that_directly_import(module)
        if not importer.startswith("scoring.rehearsal")
    }
    commands = {"load_demo", "play_demo_event", "simulate_day"}
    assert importers == {f"scoring.management.commands.{name}" for name in commands}
    code = [path for app in APPS for path in (BASE_DIR / app).rglob("*.py")]
    patching = [path.name for path in code if "unittest.mock" in path.read_text(encoding="utf-8")]
    assert patching == ["engine.py"]


def test_no_server_or_worker_process_loads_the_rehearsal() -> None:
    found = subprocess.run([sys.executable, "-c", SERVER], cwd=BASE_DIR, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
