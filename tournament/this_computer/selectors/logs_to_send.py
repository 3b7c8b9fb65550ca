"""Make the file *Logs to send*, which contains what a developer needs, and no personal data.

Each line is a number, comes from a fixed list, or is cleaned by `LogCleaner`.
"""

import datetime as dt
import getpass
import json
import os
import platform
import re
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.db import connection, models

from tournament import __version__
from tournament.backups.selectors import list_backup_problems, list_backups
from tournament.models import AuditEntry, Entrant, Event, Job, Player, Tournament
from tournament.models.base import NameField
from tournament.this_computer.selectors.state import measure_resources, read_log_lines, read_run_events

MAX_SENT_LINES: Final = 2000
SHOWN_SETTINGS: Final = (
    *("BACKUPS", "BACKUP_EVERY_MINUTES", "DB_POOL", "DEBUG", "DEMO", "HTTPS", "LANES", "LOG_FORMAT", "LOG_LEVEL"),
    *("OPEN_BROWSER", "PAGES_FROM_MEMORY", "PLAIN_PORT", "PORT", "READERS", "READ_ONLY_DATABASE", "SETUP", "WORKERS"),
)
"""Environment variables whose values are in the file."""
HIDDEN_SETTINGS: Final = (
    *("ALLOWED_HOSTS", "BACKUP_COPY_DIR", "CARD_PROVIDER", "DATABASE_URL", "EMAIL_URL", "HALL_HOST", "REDIS_URL"),
    *("S3_BUCKET", "SECRET_KEY", "SEAL_SECRET", "SITE_URL", "TRUSTED_PROXIES", "VAR_DIR"),
)
"""Environment variables whose values are private. The file only says which of them are set."""


def make_logs_to_send(now: dt.datetime) -> str:
    cleaner = LogCleaner()
    sections = (
        ("Program", _iter_program_lines()),
        ("Settings", _iter_setting_lines()),
        ("Sizes", _iter_size_lines()),
        ("Backups", (problem.value for problem in list_backup_problems(now))),
        ("Events", _iter_run_event_lines()),
        ("Failed jobs", _iter_job_lines(cleaner)),
        ("Log", map(cleaner.clean, read_log_lines()[-MAX_SENT_LINES:])),
    )
    return "\n".join(line for title, lines in sections for line in (f"== {title} ==", *lines, ""))


def _iter_program_lines() -> Iterator[str]:
    resources = measure_resources()
    yield f"version {__version__} ({settings.BUILD})"
    yield f"python {platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}"
    yield f"database {connection.vendor}, processors {os.cpu_count()}"
    yield f"free disk {resources.free_disk} of {resources.total_disk} bytes"
    yield f"free memory {resources.free_memory} of {resources.total_memory} bytes"
    yield f"running since {settings.STARTED_AT or 'unknown'}, installed in {Path(sys.prefix).name}"


def _iter_setting_lines() -> Iterator[str]:
    for name in SHOWN_SETTINGS:
        if name in os.environ:
            yield f"{name}={os.environ[name][:20]}"
    yield from (f"{name} is set" for name in HIDDEN_SETTINGS if os.environ.get(name))


def _iter_size_lines() -> Iterator[str]:
    for model in (Tournament, Event, Player, Entrant, AuditEntry):
        yield f"{model.__name__} rows: {model._default_manager.count()}"
    yield f"Job rows: {dict(Counter(Job.objects.values_list('state', flat=True)))}"
    yield f"backups: {len(list_backups(settings.BACKUP_DIR))}"


def _iter_run_event_lines() -> Iterator[str]:
    for event in read_run_events():
        about = {
            name: value for name, value in event.about.items() if name in ("process", "code", "seconds", "version")
        }
        yield f"{event.at.isoformat()} {event.kind} {about or ''}".rstrip()


def _iter_job_lines(cleaner: "LogCleaner") -> Iterator[str]:
    for job in Job.objects.filter(state=Job.State.FAILED).order_by("-changed_at")[:20]:
        yield f"{job.changed_at.isoformat(timespec='seconds')} {job.kind}: {cleaner.clean(job.message)}"


# --- Cleaning --------------------------------------------------------------------------------------------------------

NAME, LINK, MAIL, ADDRESS, TEXT = "[name]", "[link]", "[email]", "[address]", "[text]"
_LINE_START_PATTERN: Final = re.compile(r"[-\d]{10} [:,\d]{12} [\w.]+ +\| ")
_MAIL_PATTERN: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")
_LINK_PATTERN: Final = re.compile(r"(/(?:my|c|sign-in|first-start|registered|reset/key|confirm-email)/)[^\s/'\"]+\S*")
_QUERY_PATTERN: Final = re.compile(r"\?[^\s'\"]+")
_TOKEN_PATTERN: Final = re.compile(r"[\w-]+")
_PHONE_PATTERN: Final = re.compile(r"\+?\d[\d ()/.-]{4,}\d")
_CODE_PATTERN: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}")
_IP_PATTERN: Final = re.compile(
    r"(?<![\w.])(?!127\.)(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:+){3,}[0-9a-fA-F:]+"
)
_QUOTED_PATTERN: Final = re.compile(r"(['\"“‘])([^'\"“”‘’]+)(['\"”’])")
_IDENTIFIER_PATTERN: Final = re.compile(r"[a-z0-9_./:<>-]*|[A-Z][A-Za-z]*Error")
_WORD_PATTERN: Final = re.compile(r"\w+")
_OWN_PACKAGES: Final = ("tournament.", "pairing.", "scoring.", "config.")
_COMMON_WORDS: Final = frozenset({"and", "at", "for", "in", "is", "not", "of", "on", "the", "to", "was"})
"""Words that are never replaced, because the log would be unreadable without them."""


class LogCleaner:
    """Replaces personal data in lines of the log: names, email addresses, phone numbers, links, and IP addresses.

    It replaces every word of every name in the database. It also replaces quoted texts that are not identifiers,
    because a person may have entered them. The names of the program's own modules are not replaced.
    """

    def __init__(self) -> None:
        own = {part.casefold() for name in sys.modules if name.startswith(_OWN_PACKAGES) for part in name.split(".")}
        self._words = _load_name_words() - own - _COMMON_WORDS
        self._tokens = set(Entrant.objects.values_list("token", flat=True))
        phones = Player.objects.exclude(phone="").values_list("phone", flat=True)
        self._phones = {re.sub(r"\D", "", phone) for phone in phones}
        self._home = str(Path.home())

    def clean(self, line: str) -> str:
        """Return the line without personal data, but with its time and process. In a JSON line, clean each value."""
        start = match[0] if (match := _LINE_START_PATTERN.match(line)) else ""
        text = line.removeprefix(start)
        if text.startswith("{"):
            with suppress(ValueError):
                return start + json.dumps(self._clean_value(json.loads(text)))
        return start + self._clean_text(text)

    def _clean_value(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._clean_value(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._clean_value(each) for each in value]
        return "\n".join(map(self._clean_text, value.split("\n"))) if isinstance(value, str) else value

    def _clean_text(self, line: str) -> str:
        line = line.replace(self._home, "~")
        line = _PHONE_PATTERN.sub(lambda phone: TEXT if re.sub(r"\D", "", phone[0]) in self._phones else phone[0], line)
        line = _TOKEN_PATTERN.sub(lambda token: LINK if token[0] in self._tokens else token[0], line)
        line = _MAIL_PATTERN.sub(MAIL, line)
        line = _LINK_PATTERN.sub(rf"\1{LINK}", line)
        line = _QUERY_PATTERN.sub("?…", line)
        line = _CODE_PATTERN.sub(LINK, line)
        line = _IP_PATTERN.sub(ADDRESS, line)
        if not line.lstrip().startswith("File "):
            line = _QUOTED_PATTERN.sub(_hide_quoted, line)
        return _WORD_PATTERN.sub(lambda word: NAME if word[0].casefold() in self._words else word[0], line)


def _hide_quoted(quoted: re.Match[str]) -> str:
    return quoted[0] if _IDENTIFIER_PATTERN.fullmatch(quoted[2]) else f"{quoted[1]}{TEXT}{quoted[3]}"


def _load_name_words() -> set[str]:
    """Return the words of all names in the database, of this computer, and of its user, in lower case."""
    names = {getpass.getuser(), socket.gethostname()}
    for model in apps.get_models():
        for column in model._meta.concrete_fields:
            if isinstance(column, NameField | models.EmailField) or column.name in ("by_name", "link_by"):
                names.update(model._default_manager.values_list(column.attname, flat=True).distinct())
    words = {word.casefold() for name in names for word in _WORD_PATTERN.findall(name or "")}
    return {word for word in words if len(word) > 1 and not word.isdigit()}
