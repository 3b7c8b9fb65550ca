"""A worker that needs no broker: it runs stored tasks, one after the other, and the tasks that are due regularly.

    python -m config.worker

It is the only worker on a computer without a broker. With `--until-broker-answers`, it stands in for the Celery worker
during an outage of the broker.
"""

import logging
import os
import sys
import threading
import time
from importlib import import_module
from typing import Final

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import DatabaseError, close_old_connections, connection  # noqa: E402 - after the settings are loaded

from config.celery import app, list_periodic_tasks  # noqa: E402
from config.process import die_with_supervisor  # noqa: E402
from tournament.core.dispatch import claim_stored_task, is_broker_answering, keep_stored_task  # noqa: E402
from tournament.core.selectors.request_ids import TASK_HEADER  # noqa: E402
from tournament.core.services.jobs import JOB_HEARTBEAT_INTERVAL_S, record_worker_heartbeat  # noqa: E402
from tournament.core.services.secrets import exit_on_wrong_secrets  # noqa: E402
from tournament.models import StoredTask  # noqa: E402

POLL_INTERVAL_S: Final = 0.5
"""Seconds between two searches for stored tasks."""

logger = logging.getLogger(__name__)


class Worker:
    """Runs tasks in this process."""

    def __init__(self) -> None:
        for module in app.conf.imports:
            import_module(module)
        self._intervals = list_periodic_tasks()
        self._due = {name: time.monotonic() + interval for name, interval in self._intervals.items()}
        self._current: StoredTask | None = None

    def run(self, *, ends_with_outage: bool) -> None:
        """Run tasks until this process ends, or until the broker answers if `ends_with_outage` is true."""
        threading.Thread(target=self._send_heartbeats, daemon=True).start()
        while not (ends_with_outage and is_broker_answering()):
            close_old_connections()
            try:
                self.run_due_tasks()
                if not self.run_stored_task():
                    time.sleep(POLL_INTERVAL_S)
            except Exception:  # the database or the disk may be back at the next turn
                logger.exception("the worker could not look for tasks")
                time.sleep(POLL_INTERVAL_S)

    def run_due_tasks(self) -> None:
        for name, due in self._due.items():
            if due <= time.monotonic():
                self._due[name] = time.monotonic() + self._intervals[name]
                _run_task(name, {}, "")

    def run_stored_task(self) -> bool:
        """Run the oldest stored task. Return False if there is none."""
        self._current = task = claim_stored_task()
        if task is None:
            return False
        _run_task(task.name, task.arguments, task.request_id)
        self._current = None
        task.delete()
        return True

    def _send_heartbeats(self) -> None:
        """Record regularly that this worker is running, and that the worker of its stored task is alive."""
        while True:
            record_worker_heartbeat()
            try:
                if task := self._current:
                    keep_stored_task(task)
            except DatabaseError:
                logger.warning("the worker could not give a sign of life")
            connection.close()
            time.sleep(JOB_HEARTBEAT_INTERVAL_S)


def _run_task(name: str, arguments: dict[str, object], sent_by: str) -> None:
    """Run a task in this process. Like in a Celery worker, an error is logged, and ends only this task."""
    try:
        app.tasks[name].apply(kwargs=arguments, headers={TASK_HEADER: sent_by}, throw=True)
    except Exception:
        logger.exception("the task %s failed", name)


if __name__ == "__main__":
    die_with_supervisor()
    exit_on_wrong_secrets()
    Worker().run(ends_with_outage="--until-broker-answers" in sys.argv)
