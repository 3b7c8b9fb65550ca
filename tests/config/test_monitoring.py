"""Test the health checks, the metrics, and the request ids."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config.environment import BASE_DIR
from config.front import lanes, monitoring
from config.front.clients import parse_trusted_proxies
from config.front.lanes import PageProcessRouter
from config.front.monitoring import MonitoringApp, RequestMonitor
from config.logs import choose_request_id
from tests.config.helpers import ask, call_app, in_loop, rename_event
from tests.factories import an_event
from tests.kit import public_url
from tests.processes import Process, Site, until
from tests.tournament.helpers.second_laptop import a_link
from tournament.core.dispatch import send_task_after_commit
from tournament.core.selectors import disk
from tournament.core.selectors.request_ids import request_id
from tournament.models import Event, Job, StoredTask
from tournament.second_laptop.selectors import LaptopRole
from tournament.second_laptop.services.roles import save_link

BEARER: Final = f"Bearer {settings.METRICS_TOKEN}"


def parse_metrics(text: str) -> dict[str, float]:
    """Return the value of each sample, keyed by its name and the values of its labels."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {" ".join([sample.name, *sample.labels.values()]): sample.value for sample in samples}


def scrape(site: Site) -> dict[str, float]:
    status, headers, body = ask(site, "/metrics", authorization=BEARER)
    assert (status, headers["cache-control"]) == (200, "no-store")
    return parse_metrics(body.decode())


# --- Health ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/health/live", "/health/ready", "/health/ready/"])
def test_a_probe_is_answered_for_any_host(live_site: Site, path: str) -> None:
    status, headers, body = ask(live_site, path, host="10.1.2.3")
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert json.loads(body)["status"] in ("ok", "ready")
    assert ask(live_site, path, "HEAD")[::2] == (200, b"")


def ready_checks(status: int) -> dict[str, str]:
    response = Client(headers={"host": "10.1.2.3"}).get("/health/ready")
    assert response.status_code == status
    checks: dict[str, str] = response.json()["checks"]
    return {name: result for name, result in checks.items() if result != "ok"}


@pytest.mark.django_db
def test_a_server_is_ready_without_a_broker(settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere/broker.sock"
    assert ready_checks(200) == {"broker": "unavailable", "worker": "unavailable"}


@pytest.mark.django_db
def test_a_database_that_cannot_be_written_is_not_ready(settings: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA query_only=ON" if connection.vendor == "sqlite" else "SET TRANSACTION READ ONLY")
        try:
            assert ready_checks(503)["database"] == "unavailable"
            settings.READ_ONLY_DATABASE = True
            assert "database" not in ready_checks(200)
        finally:
            if connection.vendor == "sqlite":
                cursor.execute("PRAGMA query_only=OFF")


@pytest.mark.django_db
def test_a_missing_migration_is_not_ready_and_a_later_one_is() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('scoring', '9999_later', '2030-01-01')"
        )
        assert "migrations" not in ready_checks(200)
        cursor.execute("DELETE FROM django_migrations WHERE app = 'scoring'")
    assert ready_checks(503)["migrations"] == "missing"


@pytest.mark.django_db
def test_a_full_disk_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_MIN_FREE_BYTES", 1 << 60)
    assert ready_checks(503)["disk"] == "full"


class FrontParts:
    """A fake of the parts of the front process from which `MonitoringApp` computes metrics."""

    hits, of_client, watch = 3, Counter(a=2), None


@in_loop
async def test_without_a_page_process_a_server_is_live_but_not_ready(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lanes, "make_socket_path", lambda name: tmp_path / name)
    monkeypatch.setattr(monitoring, "PAGE_PROCESS_TIMEOUT_S", 0.1)
    parts: Any = FrontParts()
    app = MonitoringApp(PageProcessRouter(), RequestMonitor(), parts, parts, parts)
    assert (await call_app(app, "/health/live"))[0] == 200
    status, body, _headers = await call_app(app, "/health/ready")
    assert status == 503 and json.loads(body)["checks"] == {"pages": "unavailable"}
    status, body, _headers = await call_app(app, "/metrics", authorization=BEARER)
    figures = parse_metrics(body.decode())
    assert (status, figures["gin_rummy_pages_up"], figures["gin_rummy_streams"]) == (200, 0.0, 2.0)


# --- Metrics ---------------------------------------------------------------------------------------------------------


def test_metrics_require_the_token(live_site: Site) -> None:
    for wrong in (
        {},
        {"authorization": "Bearer x"},
        {"authorization": settings.METRICS_TOKEN},
        {"authorization": f"{BEARER}é"},
    ):
        status, headers, body = ask(live_site, "/metrics", **wrong)
        assert (status, headers["www-authenticate"]) == (401, "Bearer") and b"gin_rummy" not in body


@pytest.mark.django_db
def test_without_a_token_there_are_no_metrics(settings: Any) -> None:
    settings.METRICS_TOKEN = ""
    for authorization in ("", "Bearer ", "Bearer"):
        assert Client(headers={"authorization": authorization}).get("/metrics").status_code == 404


def test_requests_are_counted_and_measured(live_site: Site) -> None:
    event = an_event()
    before = scrape(live_site)
    ask(live_site, "/nowhere/")
    ask(live_site, "/sign-in/no-link/", "POST")
    for _reader in range(3):
        ask(live_site, public_url(event))
    grown = {name: value - before.get(name, 0.0) for name, value in scrape(live_site).items()}
    assert grown["gin_rummy_http_requests_total GET 404"] == 1
    assert grown["gin_rummy_http_requests_total GET 200"] == 1
    assert grown["gin_rummy_memory_pages_total"] == 2
    assert grown["gin_rummy_page_duration_seconds_count POST"] == 1
    assert grown["gin_rummy_page_duration_seconds_sum POST"] > 0


def test_every_metric_is_in_the_docs(live_site: Site) -> None:
    page = (BASE_DIR / "docs" / "running" / "monitoring.md").read_text()
    described = set(re.findall(r"^\| `(gin_rummy_\w+)`", page, re.MULTILINE))
    kinds = re.findall(
        r"^# TYPE (gin_rummy_\w+) (\w+)", ask(live_site, "/metrics", authorization=BEARER)[2].decode(), re.M
    )
    assert described - {name for name, _kind in kinds} <= {
        "gin_rummy_last_backup_age_seconds",
        "gin_rummy_unsaved_age_seconds",
        "gin_rummy_follower_lag_seconds",
    }
    assert {name for name, _kind in kinds} <= described
    assert [name for name, kind in kinds if f"| `{name}` | {kind} |" not in page] == []


def database_metrics() -> dict[str, float]:
    return parse_metrics(Client(headers={"authorization": BEARER}).get("/metrics").content.decode())


@pytest.mark.django_db
def test_waiting_jobs_and_unsaved_writes_have_an_age(settings: Any, tmp_path: Path) -> None:
    settings.BACKUP_DIR, settings.AUTOMATIC_BACKUPS = tmp_path, True
    assert database_metrics()["gin_rummy_queue_age_seconds"] == 0.0
    event = an_event()
    at = timezone.now() - dt.timedelta(seconds=90)
    Job.objects.create(tournament=event.tournament, kind="cards", title="Cards", created_at=at)
    StoredTask.objects.create(name="tournament.make_backup")
    rename_event(event, "Other")
    event.log.update(at=at)
    figures = database_metrics()
    assert (figures["gin_rummy_queued_jobs"], figures["gin_rummy_stored_tasks"]) == (1, 1)
    assert 90 <= figures["gin_rummy_queue_age_seconds"] < 120
    assert 90 <= figures["gin_rummy_unsaved_age_seconds"] < 120
    settings.AUTOMATIC_BACKUPS = False
    assert "gin_rummy_unsaved_age_seconds" not in database_metrics()


@pytest.mark.django_db
def test_the_second_laptop_has_a_lag(settings: Any, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    assert "gin_rummy_follower_lag_seconds" not in database_metrics()
    save_link(a_link(LaptopRole.FIRST))
    assert database_metrics()["gin_rummy_follower_lag_seconds"] == 0.0


# --- Ids of requests -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proxies", "peer", "sent", "is_accepted"),
    [
        (["10.0.0.0/8"], "10.0.0.7", "edge-1234567", True),
        (["10.0.0.0/8"], "::ffff:10.0.0.7", "edge-1234567", True),
        (["10.0.0.0/8"], "192.0.2.7", "edge-1234567", False),
        ([], "10.0.0.7", "edge-1234567", False),
        (["10.0.0.0/8"], "10.0.0.7", 'x" injected="1', False),
        (["10.0.0.0/8"], "10.0.0.7", "a" * 101, False),
    ],
)
def test_a_proxy_may_choose_the_id(settings: Any, proxies: list[str], peer: str, sent: str, is_accepted: bool) -> None:
    settings.TRUSTED_PROXIES = parse_trusted_proxies(proxies)
    assert (choose_request_id(peer, sent) == sent) is is_accepted


def test_each_response_has_its_own_id(live_site: Site) -> None:
    event = an_event()
    ids = [ask(live_site, path, x_request_id="chosen-by-a-client")[1].get("x-request-id") for path in ["/rules/"] * 2]
    assert len({*ids, None, "chosen-by-a-client"}) == 4
    ask(live_site, public_url(event))
    assert "x-request-id" not in ask(live_site, public_url(event))[1], "the id of another request"


def test_a_task_has_the_id_of_its_request(worker: Process) -> None:
    event = an_event()
    token = request_id.set("the-request")
    try:
        send_task_after_commit("tests.store_request_id", event_id=event.pk)
        until(lambda: Event.objects.get(pk=event.pk).name == "the-request", worker)
    finally:
        request_id.reset(token)
    send_task_after_commit("tests.store_request_id", event_id=event.pk)
    until(lambda: Event.objects.get(pk=event.pk).name == "", worker)
