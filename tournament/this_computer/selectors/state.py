"""Load and measure what the page *This computer* shows.

The supervisor (`laptop.run`) writes files, and the front process sends a header. Everything else is computed when the
page is loaded.
"""

import datetime as dt
import hashlib
import hmac
import json
import re
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import psutil
from django.conf import settings
from django.db.models import Count, Max
from django.utils import timezone

from tournament.backups.selectors import find_last_backup
from tournament.models import AuditEntry, Job, MessageCopy, Tournament, User

# --- Stop and restart ------------------------------------------------------------------------------------------------

RUN_REQUEST_DELAY_S: Final = 3.0
"""Seconds between a request and the stop, so that the browser can load the next page."""


class RunAction(StrEnum):
    STOP = "stop"
    RESTART = "restart"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request of an administrator to stop or restart the program."""

    action: RunAction
    by_name: str


def get_run_request_file() -> Path:
    return Path(settings.VAR_DIR) / "run-request.json"


def read_run_request() -> RunRequest | None:
    """Return the request that has not been carried out yet, or None if there is no readable request."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        content = json.loads(get_run_request_file().read_text(encoding="utf-8"))
        return RunRequest(RunAction(content["action"]), str(content["by_name"]))
    return None


def find_due_run_request(now: float) -> RunRequest | None:
    """Return the request if it is older than `RUN_REQUEST_DELAY_S`. `now` is in seconds since 1970."""
    with suppress(FileNotFoundError):
        if abs(now - get_run_request_file().stat().st_mtime) > RUN_REQUEST_DELAY_S:
            return read_run_request()
    return None


# --- The events of the last runs -------------------------------------------------------------------------------------

MAX_READ_LOG_BYTES: Final = 300_000
"""The number of bytes that are read from the end of the log file."""


class RunEventKind(StrEnum):
    STARTED = "started"
    STOPPED = "stopped"
    PROCESS_ENDED = "process-ended"
    CLOCK_JUMPED = "clock-jumped"


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something that happened while the program ran, such as a crash of a process. `about` contains the details."""

    kind: RunEventKind
    at: dt.datetime
    about: dict[str, Any]


def get_run_events_file() -> Path:
    return Path(settings.VAR_DIR) / "logs" / "events.jsonl"


def get_log_file() -> Path:
    """Return the file with the lines that all processes print. `laptop.run_log` writes it."""
    return Path(settings.VAR_DIR) / "logs" / "gin-rummy.log"


def read_run_events() -> list[RunEvent]:
    """Return the recorded events, oldest first. Damaged lines are left out."""
    try:
        lines = get_run_events_file().read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    events = []
    for line in lines:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            content = json.loads(line)
            at = dt.datetime.fromisoformat(content.pop("at"))
            events.append(RunEvent(RunEventKind(content.pop("kind")), at, content))
    return events


def find_unclean_starts(events: list[RunEvent]) -> list[RunEvent]:
    """Return the starts that no stop preceded, for example because the power failed."""
    last: RunEvent | None = None
    found = []
    for event in events:
        if event.kind in (RunEventKind.STARTED, RunEventKind.STOPPED):
            if last is not None and event.kind == last.kind == RunEventKind.STARTED:
                found.append(event)
            last = event
    return found


def read_log_lines() -> list[str]:
    """Return the last lines of the log, oldest first."""
    lines: list[str] = []
    for file in (get_log_file().with_name(f"{get_log_file().name}.1"), get_log_file()):
        with suppress(OSError), file.open("rb") as log:
            log.seek(max(0, file.stat().st_size - MAX_READ_LOG_BYTES))
            lines += log.read().decode(errors="replace").splitlines()
    return lines


OUTAGE_PATTERN: Final = re.compile(
    r"(?P<at>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d+ \S+ \| .*(?P<what>The disk is full|The database does not answer): "
)
"""Matches a log line about an outage (`config.outages`)."""


def find_logged_outages() -> list[tuple[dt.datetime, str]]:
    """Return the time and the kind of each outage in the log, oldest first. Outages of the same hour count as one."""
    found: dict[tuple[str, str], tuple[dt.datetime, str]] = {}
    for line in read_log_lines():
        if match := OUTAGE_PATTERN.match(line):
            at = dt.datetime.fromisoformat(match["at"]).astimezone()
            found[match["at"][:13], match["what"]] = at, match["what"]
    return list(found.values())


# --- The first start -------------------------------------------------------------------------------------------------


def get_first_start_file() -> Path:
    """Return the file with the digest of the secret link for the first start."""
    return Path(settings.VAR_DIR) / "first-start"


def is_first_start_needed() -> bool:
    """Return whether this installation has no administrator yet, and no tournaments other than a demo."""
    return not (User.objects.filter(is_superuser=True).exists() or Tournament.objects.filter(is_demo=False).exists())


def is_first_start_secret(secret: str) -> bool:
    """Return whether this is the secret of the link that the program printed at its last start."""
    try:
        stored = get_first_start_file().read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return hmac.compare_digest(stored, digest_first_start_secret(secret))


def digest_first_start_secret(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


# --- Phones and pages ------------------------------------------------------------------------------------------------

PATH_PREFIX: Final = "/this-computer/"
TRAFFIC_STATS_HEADER: Final = "X-Before-Figures"
"""The request header in which the front process sends its statistics to the pages under `PATH_PREFIX`."""


@dataclass(frozen=True, slots=True)
class TrafficStats:
    """The front process's statistics about its clients in the last five minutes.

    `devices` is the number of other devices with an open page, and `pages` is the number of these pages. Half of the
    `requests` took at most `median_s` seconds, and 95% took at most `slow_s` seconds. `clocks` is the number of other
    devices whose clocks were compared. The median of these clocks is `clock_offset_s` seconds ahead of this computer.
    """

    devices: int = 0
    pages: int = 0
    requests: int = 0
    median_s: float = 0.0
    slow_s: float = 0.0
    clocks: int = 0
    clock_offset_s: int = 0


def parse_traffic_stats(header: str) -> TrafficStats | None:
    """Return the statistics from the request's header, or None if no front process sent them."""
    with suppress(ValueError, TypeError):
        return TrafficStats(**json.loads(header))
    return None


RECENT_SIGN_IN: Final = dt.timedelta(hours=12)


def load_recent_staff(now: dt.datetime) -> list[str]:
    """Return the names of the users who signed in within the last `RECENT_SIGN_IN`, latest first."""
    users = User.objects.filter(last_login__gte=now - RECENT_SIGN_IN).order_by("-last_login")
    return [str(user) for user in users]


@dataclass(frozen=True, slots=True)
class OpenWork:
    """The work that a stop would interrupt: the time of the last write, and the number of unfinished jobs."""

    last_write: dt.datetime | None
    jobs: int


def load_open_work() -> OpenWork:
    last = AuditEntry.objects.order_by("-pk").values_list("at", flat=True).first()
    return OpenWork(last, Job.objects.filter(state__in=(Job.State.QUEUED, Job.State.RUNNING)).count())


# --- Failures in the database ----------------------------------------------------------------------------------------


def load_failed_jobs(since: dt.datetime) -> list[Job]:
    return list(Job.objects.filter(state=Job.State.FAILED, changed_at__gte=since).order_by("-changed_at")[:20])


def load_failed_emails(since: dt.datetime) -> list[dict[str, Any]]:
    """Return the subject, the number of failed copies, and the time of the last failure of each message to entrants."""
    failed = MessageCopy.objects.filter(
        channel=MessageCopy.Channel.EMAIL, state=MessageCopy.State.FAILED, changed_at__gte=since
    )
    rows = failed.values("message", "message__subject").annotate(count=Count("pk"), at=Max("changed_at"))
    return [{"subject": row["message__subject"], "count": row["count"], "at": row["at"]} for row in rows]


# --- Backups ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BackupPlan:
    """The time of the last backup, and the time by which the next one should be made.

    `last` is None if there is no backup. `next` is None if nothing was recorded since the last
    backup, or if there are no automatic backups.
    """

    last: dt.datetime | None
    next: dt.datetime | None


def load_backup_plan() -> BackupPlan:
    last = find_last_backup()
    unsaved = AuditEntry.objects.filter(pk__gt=last.log_row if last else 0).exists()
    due = last.made_at + settings.BACKUP_EVERY if last else timezone.now()
    return BackupPlan(last.made_at if last else None, due if unsaved and settings.AUTOMATIC_BACKUPS else None)


# --- The machine -----------------------------------------------------------------------------------------------------

MIN_FREE_DISK_BYTES: Final = 2_000_000_000
MIN_FREE_MEMORY_BYTES: Final = 300_000_000


@dataclass(frozen=True, slots=True)
class Resources:
    """The free and total bytes of the disk with the data, and of the memory."""

    free_disk: int
    total_disk: int
    free_memory: int
    total_memory: int

    @property
    def is_disk_low(self) -> bool:
        return self.free_disk < MIN_FREE_DISK_BYTES

    @property
    def is_memory_low(self) -> bool:
        return self.free_memory < MIN_FREE_MEMORY_BYTES


def measure_resources() -> Resources:
    disk, memory = shutil.disk_usage(settings.VAR_DIR), psutil.virtual_memory()
    return Resources(disk.free, disk.total, memory.available, memory.total)


WIFI_COMMANDS: Final = (
    (("iwgetid", "--raw"), re.compile(r"(.+)")),
    (("nmcli", "-t", "-f", "active,ssid", "device", "wifi"), re.compile(r"^yes:(.+)$", re.MULTILINE)),
    (("networksetup", "-getairportnetwork", "en0"), re.compile(r"Network: (.+)")),
    (("netsh", "wlan", "show", "interfaces"), re.compile(r"^\s*SSID\s*: (.+?)\s*$", re.MULTILINE)),
)
"""Commands of Linux, macOS, and Windows that print the name of the Wi-Fi, each with a pattern for the name."""


def find_network_name() -> str:
    """Return the name of this computer's Wi-Fi, or "" if it is unknown or there is no Wi-Fi."""
    for command, pattern in WIFI_COMMANDS:
        if shutil.which(command[0]):
            with suppress(OSError, subprocess.SubprocessError):
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=2, check=False)
                if match := pattern.search(done.stdout):
                    return match[1].strip()
    return ""


def find_time_zone() -> str:
    """Return the time zone of the newest tournament, or the program's if there is none."""
    newest = Tournament.objects.order_by("is_demo", "-pk").values_list("time_zone", flat=True).first()
    return newest or settings.TIME_ZONE
