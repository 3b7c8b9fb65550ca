"""Answer readiness checks, and compute the metrics that are read from the database.

The front process handles the same addresses first, and adds its own metrics (`config.front.monitoring`). The middleware
responds before Django's host check, because a probe addresses a server by its IP address.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cache
from typing import Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from config.front.monitoring import METRICS_PATH, NAMESPACE, NO_STORE, READY_PATHS, REQUEST_ID_HEADER, has_metrics_token
from config.logs import choose_request_id
from tournament import __version__
from tournament.backups.selectors import find_last_backup
from tournament.core.dispatch import count_waiting_tasks
from tournament.core.selectors.disk import count_free_bytes, has_no_disk_space
from tournament.core.selectors.request_ids import request_id
from tournament.core.services.jobs import is_worker_running
from tournament.models import AuditEntry, Job, StoredTask
from tournament.second_laptop.selectors import LaptopRole, count_seconds_behind, read_link

OK: Final = "ok"
UNAVAILABLE: Final = "unavailable"


class MonitoringMiddleware:
    """Answer `/health/ready` and `/metrics`, and give each other request an id.

    Behind the front process, the request already has an id.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        is_read = request.method in ("GET", "HEAD")
        if is_read and request.path in READY_PATHS:
            return _answer_readiness()
        if is_read and request.path == METRICS_PATH and has_metrics_token(request.headers.get("Authorization", "")):
            registry = CollectorRegistry()
            registry.register(DatabaseCollector())
            return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST, headers=NO_STORE)
        if request_id.get():
            return self.get_response(request)
        chosen = choose_request_id(request.META.get("REMOTE_ADDR", ""), request.headers.get(REQUEST_ID_HEADER, ""))
        token = request_id.set(chosen)
        try:
            response = self.get_response(request)
            response[REQUEST_ID_HEADER] = chosen
            return response
        finally:
            request_id.reset(token)


# --- Readiness -------------------------------------------------------------------------------------------------------


def _answer_readiness() -> HttpResponse:
    """Return status 200 if this server can handle requests, and 503 otherwise, with the result of each check.

    The program also works without a broker or a worker, so the results of these two checks do not affect the status.
    """
    database = _check_database()
    required = {
        "database": database,
        "migrations": _check_migrations() if database == OK else UNAVAILABLE,  # do not wait for the database twice
        "disk": "full" if has_no_disk_space(settings.VAR_DIR) else OK,
    }
    is_ready = all(result == OK for result in required.values())
    broker = "none" if not settings.REDIS_URL else UNAVAILABLE if count_waiting_tasks() is None else OK
    checks = {**required, "broker": broker, "worker": OK if is_worker_running() else UNAVAILABLE}
    content = {"status": "ready" if is_ready else "not ready", "checks": checks}
    response = JsonResponse(content, status=200 if is_ready else 503, headers=NO_STORE)
    response._has_been_logged = True  # type: ignore[attr-defined]  # a probe would fill the log during an outage
    return response


def _check_database() -> str:
    """Check that the database can be read, and that a write can begin. On a second laptop, only read."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT epoch FROM tournament_installation")
            cursor.fetchall()  # SQLite cannot begin a write while this connection still reads
            if not settings.READ_ONLY_DATABASE:
                with transaction.atomic():
                    cursor.execute("UPDATE tournament_installation SET epoch = epoch WHERE 1 = 0")
                    transaction.set_rollback(True)
    except (DatabaseError, InterfaceError):
        return UNAVAILABLE
    return OK


def _check_migrations() -> str:
    """Return `OK` if all migrations of this version are applied. The database may also have later ones."""
    try:
        return (
            OK if _load_latest_migrations() <= MigrationRecorder(connection).applied_migrations().keys() else "missing"
        )
    except (DatabaseError, InterfaceError):
        return UNAVAILABLE


@cache
def _load_latest_migrations() -> set[tuple[str, str]]:
    return set(MigrationLoader(None).graph.leaf_nodes())


# --- Metrics ---------------------------------------------------------------------------------------------------------


class DatabaseCollector(Collector):
    """Computes the metrics that do not concern the front process."""

    def collect(self) -> Iterator[Metric]:
        build = GaugeMetricFamily(
            f"{NAMESPACE}_build_info", "The program's version. The value is always 1.", labels=["version"]
        )
        build.add_metric([__version__], 1)
        yield build
        free = count_free_bytes(settings.VAR_DIR)
        yield _make_gauge("disk_free_bytes", "Free bytes on the disk with the data folder.", free)
        yield from _collect_queue()
        try:
            metrics = list(_collect_from_database())
        except (DatabaseError, InterfaceError):
            metrics = []
        yield _make_gauge("database_up", "1 if the database answers, and 0 otherwise.", bool(metrics))
        yield from metrics


def _collect_queue() -> Iterator[Metric]:
    waiting = count_waiting_tasks()
    yield _make_gauge("broker_up", "1 if the broker answers, and 0 otherwise.", waiting is not None)
    if waiting is not None:
        yield _make_gauge("broker_tasks", "Tasks that wait in the broker's queue.", waiting)
    yield _make_gauge("worker_up", "1 if a worker sent a heartbeat in the last 12 seconds.", is_worker_running())


def _collect_from_database() -> Iterator[Metric]:
    now = time.time()
    queued = Job.objects.filter(state=Job.State.QUEUED).order_by("created_at").values_list("created_at", flat=True)
    stored = StoredTask.objects.order_by("at").values_list("at", flat=True)
    yield _make_gauge("queued_jobs", "Background jobs that wait for a worker.", len(queued))
    yield _make_gauge("stored_tasks", "Tasks that wait in the database because no broker accepted them.", len(stored))
    age = _compute_age(min([*queued[:1], *stored[:1]], default=None), now)
    yield _make_gauge("queue_age_seconds", "Seconds since the oldest of these jobs and tasks was requested.", age)
    last = find_last_backup()
    if last is not None:
        age = _compute_age(last.made_at, now)
        yield _make_gauge("last_backup_age_seconds", "Seconds since this server made its last backup.", age)
    if settings.AUTOMATIC_BACKUPS:  # otherwise, the age would grow forever
        unsaved = AuditEntry.objects.filter(pk__gt=last.log_row if last else 0).order_by("pk")
        age = _compute_age(unsaved.values_list("at", flat=True).first(), now)
        about = "Seconds since the oldest write that is in no backup of this server."
        yield _make_gauge("unsaved_age_seconds", about, age)
    link = read_link()
    if link is not None and link.role is LaptopRole.FIRST:
        behind = "Seconds since the oldest write that the second laptop has not stored."
        yield _make_gauge("follower_lag_seconds", behind, count_seconds_behind())


def _compute_age(time_of: datetime | None, now: float) -> float:
    """Return the number of seconds since this time. Return 0 for None, or if somebody has set the clock back."""
    return max(0.0, now - time_of.timestamp()) if time_of else 0.0


def _make_gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"{NAMESPACE}_{name}", text, value=float(value))
