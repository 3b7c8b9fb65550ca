"""The worker's application: tasks of the three apps, and what happens by the clock.

At least once, never lost: a task is acknowledged when done, comes again after five minutes if its worker died, and is
therefore written so that doing it twice does no harm. What users see of it is its Job row, not the broker.
"""

import os
import warnings

from celery import Celery
from celery.platforms import SecurityWarning
from django.conf import settings

from config.broker import celery_location
from config.environment import BASE_DIR, VAR_DIR

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


def task_modules() -> list[str]:
    """`tasks.py` and every module in `tasks/` of the three apps, found without a list to keep."""
    found = [path for app in ("tournament", "pairing", "scoring") for path in (BASE_DIR / app).glob("tasks/*.py")]
    found += [path for app in ("tournament", "pairing", "scoring") for path in BASE_DIR.glob(f"{app}/tasks.py")]
    return sorted(
        ".".join(path.relative_to(BASE_DIR).with_suffix("").parts) for path in found if path.stem != "__init__"
    )


# Only a worker that takes pickles is a danger to the user it runs as, the administrator included; ours takes JSON.
warnings.simplefilter("ignore", SecurityWarning)

app = Celery("tournament")
app.conf.update(
    broker_url=celery_location(settings.REDIS_URL) or None,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": 300,
        "socket_connect_timeout": 1,
        "max_retries": 1,  # of a web request that sends a task; a worker goes on trying
        "interval_start": 0,
    },
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_soft_time_limit=240,  # under the visibility timeout, or a slow task would run twice at once
    task_time_limit=270,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    beat_schedule_filename=str(VAR_DIR / "beat"),
    timezone="UTC",
    enable_utc=True,
    imports=task_modules(),
    beat_schedule={"send lost jobs again": {"task": "scoring.tasks.prints.sweep_jobs", "schedule": 60.0}},
)
