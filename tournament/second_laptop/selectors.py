"""Read this laptop's role, problems with the connection, and the rows that the second laptop has not received yet."""

import base64
import json
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db import connection
from django.db.models import QuerySet
from django.http.cookie import parse_cookie
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from filelock import FileLock

from tournament.core.dispatch import SECOND_LAPTOP_SILENCE_S, SECOND_LAPTOP_WAIT_S, read_second_laptop_ack
from tournament.core.permissions import load_session_user
from tournament.core.selectors.disk import has_no_disk_space
from tournament.core.selectors.issued import IssuedValues, load_issued_values
from tournament.core.words import describe_log_verb
from tournament.models import AuditEntry, RowChange, Tournament, User
from tournament.ports import log_provider

CHANGES_TABLE: Final = "tournament_rowchange"
MAX_CHANGES_IN_BATCH: Final = 50_000
"""If the second laptop lacks more changes than this, it gets a new copy of the database."""
UNCOPIED_TABLES: Final = frozenset({CHANGES_TABLE, "django_migrations", "tournament_installation"})
"""Tables that are not copied to the second laptop, because each laptop has its own rows."""


# --- The other laptop ------------------------------------------------------------------------------------------------


class LaptopRole(StrEnum):
    """The role of this laptop. A laptop that works alone has no role.

    The `SECOND` laptop follows the first one. A `SHUT_OUT` laptop was the first one, and has learned that the other
    laptop took over.
    """

    FIRST = "first"
    SECOND = "second"
    SHUT_OUT = "shut-out"


READ_ONLY_ROLES: Final = frozenset({LaptopRole.SECOND, LaptopRole.SHUT_OUT})


@dataclass(frozen=True, slots=True, kw_only=True)
class LaptopLink:
    """The connection to the other laptop, as stored in `second-laptop/link.json`.

    `role` is the role of this laptop. With the secret `key`, the two laptops authenticate each other. `address` and
    `certificate` (a SHA-256) are those of the first laptop.

    Before a takeover, `epoch` is the first laptop's epoch when the two were connected. If the first laptop has been
    restored from a backup since then, `seen_epoch` is its new, higher epoch. On the second laptop, `change` is the
    number of the last change in the copy that it received.

    After a takeover, `epoch` is the epoch of the laptop that took over, and `at` is the time of the takeover. `change`
    is then the number of the last change that the two laptops have in common.
    """

    role: LaptopRole
    key: str
    address: str = ""
    certificate: str = ""
    epoch: int = 0
    change: int = 0
    at: float = 0.0
    seen_epoch: int = 0


def get_link_folder() -> Path:
    return Path(settings.VAR_DIR) / "second-laptop"


def get_link_file() -> Path:
    return get_link_folder() / "link.json"


def get_replaced_link_file() -> Path:
    """Return the path of the file with the link to the laptop that this one replaced.

    The file exists until that laptop knows that it was replaced.
    """
    return get_link_folder() / "replaced.json"


def get_received_link_file() -> Path:
    """Return the path of the file with the link to a first laptop whose data was received but is not installed yet."""
    return get_link_folder() / "received.json"


def get_second_laptop_url_file() -> Path:
    """Return the path of the file with the second laptop's address for phones."""
    return get_link_folder() / "site"


def read_second_laptop_url() -> str:
    """Return the second laptop's address for phones, or "" if it is unknown."""
    with suppress(OSError, ValueError):
        return get_second_laptop_url_file().read_text(encoding="utf-8")
    return ""


def get_clock_file() -> Path:
    """Return the path of the file with the difference between the clocks of the two laptops, in minutes."""
    return get_link_folder() / "clock"


def read_clock_difference() -> int:
    """Return the difference between the clocks of the two laptops, in minutes."""
    with suppress(OSError, ValueError):
        return int(get_clock_file().read_text(encoding="utf-8"))
    return 0


def describe_clock_difference() -> str:
    """Return a sentence if the clocks of the two laptops differ, or "" if both have the same time."""
    if not (minutes := read_clock_difference()):
        return ""
    message = ngettext(
        "The clocks of the two laptops differ by %(count)s minute. Correct the one that is wrong.",
        "The clocks of the two laptops differ by %(count)s minutes. Correct the one that is wrong.",
        minutes,
    )
    return message % {"count": minutes}


def get_first_copy_file() -> Path:
    """Return the path of the file with the first laptop's data, which exists until the data is installed."""
    return get_link_folder() / "first-copy.backup.zip"


def read_link(file: Path | None = None) -> LaptopLink | None:
    """Return the link to the other laptop, or None if this laptop works alone.

    If `file` is given, read it instead of the link file.
    """
    with suppress(OSError, ValueError, TypeError, KeyError):
        content = json.loads((file or get_link_file()).read_text(encoding="utf-8"))
        return LaptopLink(**{**content, "role": LaptopRole(content["role"])})
    return None


def is_read_only() -> bool:
    """Return whether only the other laptop may write."""
    link = read_link()
    return link is not None and link.role in READ_ONLY_ROLES


def is_takeover_requested() -> bool:
    """Return whether somebody at this laptop has requested a takeover that has not happened yet."""
    return (get_link_folder() / "take-over").exists()


def is_copy_received() -> bool:
    """Return whether a copy of the first laptop's data was received and must be installed."""
    return get_received_link_file().exists()


def read_joining_state() -> Mapping[str, str]:
    """Return the request to follow another laptop, or {} if there is none.

    A failed request contains the code of a `LinkProblem` as `failure` instead of the six `words`. It still contains the
    `address`, so that nobody has to enter it again.
    """
    with suppress(OSError, ValueError, TypeError):
        return dict(json.loads((get_link_folder() / "join.json").read_text(encoding="utf-8")))
    return {}


# --- Problems --------------------------------------------------------------------------------------------------------


class LinkProblem(StrEnum):
    """A reason why the two laptops are not connected. Only its code is sent between the laptops."""

    WRONG_WORDS = "wrong-words"
    UNKNOWN_KEY = "unknown-key"
    OTHER_VERSION = "other-version"
    OTHER_COMPUTER = "other-computer"
    NOT_REACHABLE = "not-reachable"
    BROKEN_CHAIN = "broken-chain"
    DISK_FULL = "disk-full"
    RESTORED = "restored"
    NO_COPY = "no-copy"
    NEEDS_COPY = "needs-copy"
    SECOND_HAS_MORE = "second-has-more"
    NOT_INSTALLED = "not-installed"
    UNEXPECTED = "unexpected"


LINK_PROBLEM_SENTENCES: Final[Mapping[LinkProblem, Promise]] = {
    LinkProblem.WRONG_WORDS: gettext_lazy(
        "These are not the words that the first laptop shows now. Look at them again, or let it show new ones."
    ),
    LinkProblem.UNKNOWN_KEY: gettext_lazy(
        "The first laptop does not know this one anymore. On the first laptop, add this one again."
    ),
    LinkProblem.OTHER_VERSION: gettext_lazy(
        "The two laptops have different versions of the program. Install the same version on both, and start it again."
    ),
    LinkProblem.OTHER_COMPUTER: gettext_lazy(
        "Another computer answers at the first laptop’s address. Enter its new address here, or add this laptop again."
    ),
    LinkProblem.NOT_REACHABLE: gettext_lazy(
        "The first laptop does not answer. Check that it is on and in the same network, and that its address is right."
    ),
    LinkProblem.BROKEN_CHAIN: gettext_lazy(
        "What the first laptop sent does not fit what is here, so nothing of it was stored. Add this laptop again."
    ),
    LinkProblem.DISK_FULL: gettext_lazy("The disk of this laptop is full. Delete files that you do not need."),
    LinkProblem.RESTORED: gettext_lazy("The first laptop was restored from a backup. Add this laptop again."),
    LinkProblem.NO_COPY: gettext_lazy(
        "The first laptop could not make a copy of its data. There, open “Backups”, and correct what it shows. Then "
        "try again."
    ),
    LinkProblem.NEEDS_COPY: gettext_lazy(
        "This laptop was away for too long, so it gets a new copy of everything. Wait for a few minutes."
    ),
    LinkProblem.SECOND_HAS_MORE: gettext_lazy(
        "This laptop has entries that the first one has lost. To keep them, take over here. To drop them, add this "
        "laptop again."
    ),
    LinkProblem.NOT_INSTALLED: gettext_lazy(
        "The copy of the first laptop’s data could not be installed. Restart the program here, then try again."
    ),
    LinkProblem.UNEXPECTED: gettext_lazy(
        "The other laptop sent something that this one does not understand. Install the same version of the program "
        "on both."
    ),
}
"""The message that the second laptop shows for each problem. It says what is wrong, and then what to do."""

_SENTENCES_ON_FIRST_LAPTOP: Final[Mapping[LinkProblem, Promise]] = {
    LinkProblem.BROKEN_CHAIN: gettext_lazy(
        "The second laptop could not store what was sent, because it does not fit what is there. Add it again."
    ),
    LinkProblem.DISK_FULL: gettext_lazy(
        "The disk of the second laptop is full. Delete files there. Then it goes on by itself."
    ),
    LinkProblem.RESTORED: gettext_lazy(
        "This laptop was restored from a backup, so the second one follows it no longer. Add the second laptop again."
    ),
    LinkProblem.NO_COPY: gettext_lazy(
        "This laptop could not make a copy of its data. Open “Backups”, and correct what it shows."
    ),
    LinkProblem.NEEDS_COPY: gettext_lazy(
        "The second laptop was away for too long, so it gets a new copy of everything. Wait for a few minutes."
    ),
    LinkProblem.SECOND_HAS_MORE: gettext_lazy(
        "The second laptop has entries that this one has lost. To keep them, take over there. To drop them, add it "
        "again."
    ),
}
"""The first laptop's own message for each problem where the second laptop's message would be wrong."""

PROBLEMS_SOLVED_BY_JOINING: Final = frozenset(
    {
        *(LinkProblem.UNKNOWN_KEY, LinkProblem.OTHER_COMPUTER, LinkProblem.BROKEN_CHAIN),
        *(LinkProblem.RESTORED, LinkProblem.SECOND_HAS_MORE),
    }
)
"""Problems that are solved by adding the second laptop again. Its data is then replaced with a new copy."""


def get_problem_file() -> Path:
    return get_link_folder() / "problem"


def read_link_problem() -> LinkProblem | None:
    """Return the latest problem with the connection, or None if the connection works or was never tried.

    The problem is stored in a file. If the disk is full, this file could not be written, so a second laptop also checks
    the free space.
    """
    link = read_link()
    if link is not None and link.role is LaptopRole.SECOND and has_no_disk_space(get_link_folder()):
        return LinkProblem.DISK_FULL
    with suppress(OSError):
        return parse_link_problem(get_problem_file().read_text(encoding="utf-8"))
    return None


def parse_link_problem(code: str) -> LinkProblem | None:
    """Return the problem with this code, or None for "".

    Return `UNEXPECTED` for an unknown code, which another version of the program may have sent.

    >>> parse_link_problem("disk-full"), parse_link_problem("of-next-year"), parse_link_problem("")
    (<LinkProblem.DISK_FULL: 'disk-full'>, <LinkProblem.UNEXPECTED: 'unexpected'>, None)
    """
    known = {problem.value: problem for problem in LinkProblem}
    return known.get(code.strip(), LinkProblem.UNEXPECTED) if code else None


def describe_link_problem(problem: LinkProblem | None) -> str:
    """Return this laptop's message about the problem and what to do next, or "" if there is no problem."""
    if problem is None:
        return ""
    link = read_link()
    if link is not None and link.role is LaptopRole.FIRST and problem in _SENTENCES_ON_FIRST_LAPTOP:
        return str(_SENTENCES_ON_FIRST_LAPTOP[problem])
    return str(LINK_PROBLEM_SENTENCES[problem])


def has_own_tournaments() -> bool:
    """Return whether this laptop has tournaments that a copy of another laptop must not replace by accident."""
    return Tournament.objects.filter(is_demo=False).exists()


def may_follow_another_laptop(*, directs_installation: bool) -> bool:
    """Return whether this laptop may follow another one, which replaces all of its own data.

    - A laptop without a link to another one may do this if it has no tournaments of its own. If it has some, somebody
      who may direct the whole installation must be signed in on it.
    - A second laptop may do this if a problem with its connection can only be solved by connecting it again.
    - A laptop that was shut out, because the other one took over, may always do this.
    """
    link = read_link()
    if link is None:
        return directs_installation or not has_own_tournaments()
    if link.role is LaptopRole.SECOND:
        return read_link_problem() in PROBLEMS_SOLVED_BY_JOINING
    return link.role is LaptopRole.SHUT_OUT


# --- How far the second laptop has followed --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SecondLaptopStatus:
    """The last change that the second laptop has stored, and the time of its last message to the first laptop."""

    change: int
    heard_at: float

    @property
    def is_connected(self) -> bool:
        return abs(time.time() - self.heard_at) < SECOND_LAPTOP_SILENCE_S  # somebody may have set the clock back

    @property
    def last_contact(self) -> datetime | None:
        """The time of the last contact with the other laptop according to this laptop's clock, or None."""
        return datetime.fromtimestamp(self.heard_at, UTC) if self.heard_at else None


def read_second_laptop_status() -> SecondLaptopStatus:
    return SecondLaptopStatus(*read_second_laptop_ack())


def count_seconds_behind() -> float:
    """Return how many seconds the second laptop is behind, or 0 if it is up to date."""
    status = read_second_laptop_status()
    if status.change >= load_last_change():
        return 0.0
    missing = load_entries_since_change(status.change).order_by("pk").first()
    if missing is None:
        return 0.0
    seconds = time.time() - missing.at.timestamp()
    return seconds if seconds >= 0 else 1.0  # somebody has set the clock back since


def describe_second_laptop_problem() -> str:
    """Return a sentence about the problem if a second laptop is not up to date, or "" if there is no problem.

    The sentence appears as soon as this laptop has accepted a write that the second laptop did not store in time.
    """
    link = read_link()
    if link is None or link.role is not LaptopRole.FIRST:
        return ""
    if not read_second_laptop_status().is_connected:
        if problem := describe_link_problem(read_link_problem()):
            return problem
        return _("The second laptop does not answer. What is recorded now is only on this computer.")
    if count_seconds_behind() < SECOND_LAPTOP_WAIT_S:
        return describe_clock_difference()
    return _("The second laptop does not have the newest entries yet.")


def load_last_change() -> int:
    """Return the number of the newest change in this database, or 0 if changes are not recorded."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT MAX(id) FROM {CHANGES_TABLE}")
        row = cursor.fetchone()
    return int(row[0] or 0)


def load_entries_since_change(change: int) -> QuerySet[AuditEntry]:
    """Return the log rows that were written after this change, newest first."""
    later = RowChange.objects.filter(table_name=AuditEntry._meta.db_table, pk__gt=change)
    keys = [int(key) for key in later.values_list("row_key", flat=True)]
    return AuditEntry.objects.filter(pk__in=keys).select_related("tournament", "event").order_by("-pk")


# --- Acts that only the old laptop has --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedRequest:
    """A stored copy of a request, which the other laptop can carry out again.

    `headers` contains only the cookies and the headers that views use, by their names in WSGI. `page` is the path of
    the page with the form, or "".
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: str
    page: str = ""


_DRAWN_VALUES: Final = ("commitment", "order", "entries", "pairs", "tables")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRow:
    """A log row: its author, verb, subject, amounts of money in cents, and random results such as a draw.

    `drawn` contains a draw's sealed commitment, order, pairs, and tables. The keys in `amounts` and `drawn` are those
    of the log row's data.
    """

    by: str
    verb: str
    about: str
    amounts: Mapping[str, int]
    drawn: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_entry(cls, entry: AuditEntry) -> "RecordedRow":
        amounts = {name: value for name, value in entry.data.items() if name.endswith("cents") and type(value) is int}
        drawn = {name: entry.data[name] for name in _DRAWN_VALUES if name in entry.data}
        return cls(by=entry.by_name, verb=entry.verb, about=entry.about, amounts=amounts, drawn=drawn)

    @property
    def action(self) -> str:
        return describe_log_verb(self.verb)

    def describe(self) -> str:
        return f"{self.action} · {self.about}" if self.about else self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingAction:
    """An action that was recorded only on the old laptop, with the log rows that one request wrote there.

    `key` is the digest of the first log row. `tournament` and `event` are slugs. `details` contains further details of
    the action, such as how a hand ended, in the old laptop's language. `request` is None if the action can only be
    entered by hand. This is the case if no request wrote it, or if the request had a file or a password.

    `account` is the email address of the member of staff who acted, or "" if it was a player. It identifies them on
    both laptops, because two people may have the same name. If somebody else had created the link with which they
    signed in, `link` has that person's name and the time. If the action granted a role, `granted_to` is the email
    address of the account that got it. `issued` contains what people got on the old laptop, such as private links.
    """

    key: str
    tournament: str
    event: str
    at: datetime
    rows: Sequence[RecordedRow]
    details: str = ""
    request: RememberedRequest | None = None
    account: str = ""
    link: Mapping[str, str] | None = None
    granted_to: str = ""
    issued: IssuedValues = field(default_factory=IssuedValues)

    @property
    def by(self) -> str:
        return self.rows[0].by

    def describe(self) -> str:
        return self.rows[0].describe()

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "at": self.at.isoformat()}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "MissingAction":
        request = content["request"]
        changed = {
            "at": datetime.fromisoformat(content["at"]),
            "rows": [RecordedRow(**row) for row in content["rows"]],
            "request": RememberedRequest(**request) if request is not None else None,
            "issued": IssuedValues.from_json(content["issued"]) if "issued" in content else IssuedValues(),
        }
        return cls(**{**content, **changed})


class ActionDecision(StrEnum):
    """A director's decision about an action that only the old laptop recorded.

    `FOUND` means that the action was already recorded on this laptop.
    """

    ADDED = "added"
    FOUND = "found"
    BY_HAND = "by-hand"
    LEFT_OUT = "left-out"


VERBS_BY_DECISION: Final[Mapping[ActionDecision, str]] = {
    ActionDecision.ADDED: "old-laptop.added",
    ActionDecision.FOUND: "old-laptop.found",
    ActionDecision.BY_HAND: "old-laptop.by-hand",
    ActionDecision.LEFT_OUT: "old-laptop.left-out",
}


def get_requests_file() -> Path:
    """Return the path of the file with requests that the second laptop has not confirmed, one request per line."""
    return get_link_folder() / "requests.jsonl"


def lock_requests_file() -> FileLock:
    """Return the lock that a process holds while it changes the file with the stored requests."""
    return FileLock(get_link_folder() / "requests.lock", mode=0o600)


def get_missing_actions_file() -> Path:
    """Return the path of the file with the actions that only the old laptop recorded.

    The file is on the laptop that took over.
    """
    return get_link_folder() / "missing-acts.json"


def load_actions_since_change(change: int) -> list[MissingAction]:
    """Return the actions that were recorded here after this change, oldest first.

    All log rows of a request are one action.
    """
    requests = _read_remembered_requests()
    acts: dict[str, list[AuditEntry]] = {}
    for entry in load_entries_since_change(change).select_related("user").order_by("at", "pk"):
        if not entry.verb.startswith("second-laptop."):
            number, _request = requests.get(entry.digest, (None, None))
            acts.setdefault(f"request {number}" if number is not None else f"row {entry.pk}", []).append(entry)
    return [
        MissingAction(
            key=entries[0].digest,
            tournament=entries[0].tournament.slug,
            event=entries[0].event.slug if entries[0].event is not None else "",
            at=entries[0].at,
            rows=[RecordedRow.from_entry(entry) for entry in entries],
            details=next(filter(None, map(log_provider().describe_log_details, entries)), ""),
            request=requests.get(entries[0].digest, (None, None))[1],
            account=entries[0].user.email if entries[0].user is not None else "",
            link=entries[0].data.get("signed_in_by_link"),
            granted_to=_load_granted_account(entries),
            issued=load_issued_values(entries),
        )
        for entries in acts.values()
    ]


def _load_granted_account(entries: Sequence[AuditEntry]) -> str:
    """Return the email address of the account that got a role in these log rows, or "" if none did."""
    users = [entry.data.get("user") for entry in entries if entry.verb == "staff.granted"]
    return User.objects.filter(pk__in=users).values_list("email", flat=True).first() or "" if users else ""


def _read_remembered_requests() -> dict[str, tuple[int, RememberedRequest | None]]:
    """Return the stored requests, keyed by the digest of each log row that a request wrote.

    Each value contains the request's line number in the file, and the request itself. The request is None if it could
    not be stored, for example because it had a file. A line that is incomplete because of a power failure is left out.
    """
    requests: dict[str, tuple[int, RememberedRequest | None]] = {}
    with suppress(OSError):
        for number, line in enumerate(get_requests_file().read_text(encoding="utf-8").splitlines()):
            with suppress(ValueError, TypeError, KeyError):
                content = json.loads(line)
                request = RememberedRequest(**content["request"]) if content["request"] is not None else None
                requests |= {str(entry): (number, request) for entry in content["entries"]}
    return requests


def read_missing_actions() -> list[MissingAction]:
    """Return the actions that only the old laptop recorded, oldest first, with the decisions about them so far."""
    with suppress(ValueError, TypeError, KeyError):
        return [MissingAction.from_json(each) for each in json.loads(read_missing_actions_content() or "[]")]
    return []


def read_missing_actions_content() -> str:
    """Return the file that lists the actions that only the old laptop recorded, as text. Return "" if there is none."""
    with suppress(OSError, ValueError):
        return get_missing_actions_file().read_text(encoding="utf-8")
    return ""


def load_undecided_actions(tournament: Tournament, *, with_unknown: bool = False) -> list[MissingAction]:
    """Return this tournament's actions that only the old laptop recorded, oldest first, without decided ones.

    `with_unknown` adds the actions of tournaments that are not on this laptop.
    """
    if not (acts := read_missing_actions()):
        return []
    decided = load_decisions_by_action_key()
    known = set(Tournament.objects.values_list("slug", flat=True))
    return [
        act
        for act in acts
        if act.key not in decided
        and (act.tournament == tournament.slug or (with_unknown and act.tournament not in known))
    ]


def is_sign_in_unknown(act: MissingAction) -> bool:
    """Return whether the action is by a staff member who was signed in only on the old laptop.

    Players do not sign in.
    """
    if not act.account or act.request is None:
        return False
    cookies = parse_cookie(act.request.headers.get("HTTP_COOKIE", ""))
    return load_session_user(cookies.get(settings.SESSION_COOKIE_NAME, "")) is None


def load_decisions_by_action_key() -> dict[str, AuditEntry]:
    """Return the log rows that contain the directors' decisions, keyed by the action's key."""
    entries = AuditEntry.objects.filter(verb__in=VERBS_BY_DECISION.values()).select_related("tournament")
    return {str(entry.data.get("act")): entry for entry in entries}


# --- Batches of changes ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TableChanges:
    """The changed rows of a table as SQLite stores them, and the primary keys of deleted rows.

    `columns` begins with the primary key. Binary values are in base64, and `binary` contains the indexes of their
    columns.
    """

    columns: list[str]
    binary: list[int]
    rows: list[list[Any]]
    deleted: list[Any]


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """All rows that changed between two change numbers: after `after`, up to and including `until`.

    The rows have the state of a single moment. `heads` contains, by tournament, the last row of each changed log with
    its digest.
    """

    after: int
    until: int
    tables: Mapping[str, TableChanges]
    heads: Mapping[str, list[Any]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "ChangeBatch":
        tables = {name: TableChanges(**table) for name, table in content["tables"].items()}
        return cls(content["after"], content["until"], tables, content["heads"])


@contextmanager
def open_database_for_reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a database directly, because Django would convert the stored values."""
    uri = f"{file.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None, timeout=20)) as database:
        yield database


def read_last_change(database: sqlite3.Connection) -> int:
    return int(database.execute(f"SELECT MAX(id) FROM {CHANGES_TABLE}").fetchone()[0] or 0)


def read_change_batch(database: sqlite3.Connection, after: int) -> ChangeBatch | None:
    """Return the rows that changed after the change with this number.

    Return None if there are too many changes, or if the records of some changes were already deleted.
    """
    database.execute("BEGIN")
    try:
        first, until = database.execute(f"SELECT MIN(id), MAX(id) FROM {CHANGES_TABLE}").fetchone()
        until = until or 0
        if until - after > MAX_CHANGES_IN_BATCH or until < after or (until > after and first > after + 1):
            return None
        changed: dict[str, set[str]] = {}
        for table, key in database.execute(
            f"SELECT table_name, row_key FROM {CHANGES_TABLE} WHERE id > ? AND id <= ?", (after, until)
        ):
            changed.setdefault(table, set()).add(key)
        tables = {table: _read_rows(database, table, sorted(keys)) for table, keys in sorted(changed.items())}
        return ChangeBatch(after, until, tables, _read_heads(tables))
    finally:
        database.execute("ROLLBACK")


def _read_rows(database: sqlite3.Connection, table: str, keys: list[str]) -> TableChanges:
    described = database.execute(f'PRAGMA table_info("{table}")').fetchall()
    primary = next(column for column in described if column[5])
    columns = [primary[1], *(column[1] for column in described if not column[5])]
    binary = [columns.index(column[1]) for column in described if column[2].upper() == "BLOB"]
    selected = ", ".join(f'"{name}"' for name in columns)
    rows, wanted = [], {_read_key(primary[2], key) for key in keys}
    for key in sorted(wanted):
        row = database.execute(f'SELECT {selected} FROM "{table}" WHERE "{primary[1]}" = ?', (key,)).fetchone()
        if row is not None:
            rows.append([_encode_value(value, number in binary) for number, value in enumerate(row)])
    return TableChanges(columns, binary, rows, sorted(wanted - {row[0] for row in rows}))


def _read_key(column_type: str, key: str) -> int | str:
    return int(key) if "int" in column_type.lower() else key


def _encode_value(value: Any, is_binary: bool) -> Any:
    return base64.b64encode(value).decode() if is_binary and value is not None else value


def _read_heads(tables: Mapping[str, TableChanges]) -> dict[str, list[Any]]:
    changed = tables.get("tournament_audithead")
    if changed is None:
        return {}
    place = {name: changed.columns.index(name) for name in ("tournament_id", "seq", "digest")}
    return {str(row[place["tournament_id"]]): [row[place["seq"]], row[place["digest"]]] for row in changed.rows}
