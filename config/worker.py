"""A worker that needs no broker. It runs stored tasks one after the other, and all periodic tasks.

    python -m config.worker

On a computer without a broker, it is the only worker. During an outage of the broker, the Celery worker starts it with
`--until-broker-answers`.
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
from tournament.core.dispatch import claim_stored_task, is_broker_answering, record_task_heartbeat  # noqa: E402
from tournament.core.selectors.request_ids import REQUEST_ID_TASK_HEADER  # noqa: E402
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

    def run(self, *, until_broker_answers: bool) -> None:
        """Run tasks until this process is stopped or, if `until_broker_answers` is true, until the broker answers."""
        threading.Thread(target=self._send_heartbeats, daemon=True).start()
        while not (until_broker_answers and is_broker_answering()):
            close_old_connections()
            try:
                self.run_due_tasks()
                if not self.run_stored_task():
                    time.sleep(POLL_INTERVAL_S)
            except Exception:  # the database or the disk may work again at the next try
                logger.exception("could not look for stored tasks")
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
        """Regularly record the heartbeats of this worker and of its current task."""
        while True:
            record_worker_heartbeat()
            try:
                if task := self._current:
                    record_task_heartbeat(task)
            except DatabaseError:
                logger.warning("could not record the heartbeat of a task")
            connection.close()
            time.sleep(JOB_HEARTBEAT_INTERVAL_S)


def _run_task(name: str, arguments: dict[str, object], request_id: str) -> None:
    """Run a task in this process. As in a Celery worker, an error is logged, and ends only this task."""
    try:
        app.tasks[name].apply(kwargs=arguments, headers={REQUEST_ID_TASK_HEADER: request_id}, throw=True)
    except Exception:
        logger.exception("the task %s failed", name)


if __name__ == "__main__":
    die_with_supervisor()
    exit_on_wrong_secrets()
    Worker().run(until_broker_answers="--until-broker-answers" in sys.argv)
