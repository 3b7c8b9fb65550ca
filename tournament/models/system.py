"""Internal models: the log, imports, background jobs, stored files, and the installation's club and identities."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournament.lazy_text import text_from_json
from tournament.models.base import Fact, NameField


class AuditEntry(models.Model):
    """A row of the log: a write with its author, time and reason, and the previous row's digest."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="log")
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="log")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.RESTRICT, related_name="+")
    by_name = models.CharField(max_length=200)
    verb = models.CharField(max_length=60)
    about = models.CharField(max_length=300, blank=True)
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    row_digests = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """Digests of all rows that the write touched, by table and key. A deleted row's digest is ""."""

    previous = models.CharField(max_length=64)
    digest = models.CharField(max_length=64)
    original_keys = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    """The original primary keys that the digest covers, if an import changed them: `tournament`, `event` and `user`."""

    class Meta:
        ordering: ClassVar = ["seq"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "seq"], name="one_row_a_place_in_the_chain")
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.verb} {self.about}"


class AuditHead(models.Model):
    """The end of a tournament's hash chain. Every write locks it last, so that the chain never branches."""

    tournament = models.OneToOneField("Tournament", on_delete=models.CASCADE, related_name="log_head")
    seq = models.PositiveBigIntegerField(default=0)
    digest = models.CharField(max_length=64, default="0" * 64)

    def __str__(self) -> str:
        return f"{self.tournament} at {self.seq}"


class LogSeal(models.Model):
    """The installation's signature on a tournament's log up to a certain row.

    The log is sealed when an event is finished, a day is closed, or a payout changes. `make_log_seal_statement` returns
    the signed bytes. `previous` is the digest of the previous statement, so a deleted seal is noticed.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="log_seals")
    number = models.PositiveIntegerField()
    """The seal's number within the tournament."""

    log_row = models.PositiveBigIntegerField()
    log_digest = models.CharField(max_length=64)
    previous = models.CharField(max_length=64)
    public = models.CharField(max_length=64)
    """The public key as raw Ed25519 in hexadecimal."""

    signature = models.CharField(max_length=128)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tournament", "number"], name="one_log_seal_a_number"),
            models.UniqueConstraint(fields=["tournament", "log_row"], name="one_log_seal_a_row"),
        ]

    def __str__(self) -> str:
        return f"log seal {self.number} on row {self.log_row}"


class TournamentImport(Fact):
    """An import of the tournament from a file, and how it changed primary keys (`tournament.core.selectors.rows`).

    The first `log_rows` rows of the log came with the file. Their digests cover the file's primary keys. The import
    added `key_offset` to these keys. Accounts and seal keys are exceptions: `shared_keys` maps their keys in the file
    to this installation's keys. If the tournament is a copy, `prefix` is put before texts that must be unique. `origin`
    is taken from the file's manifest. `unknown` contains columns that this version of the program does not know.
    """

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="imports")
    log_rows = models.PositiveBigIntegerField()
    key_offset = models.PositiveBigIntegerField(default=0)
    shared_keys = models.JSONField(default=dict)
    prefix = models.CharField(max_length=20, blank=True, default="")
    file_digest = models.CharField(max_length=64)
    origin = models.JSONField(default=dict)
    unknown = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"import of {self.tournament} up to row {self.log_rows} of the log"


# --- Requests, jobs, files and secrets -------------------------------------------------------------------------------


class IdempotencyKey(models.Model):
    """The key and outcome of a completed request, so that repeating the request has no further effect."""

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="+")
    verb = models.CharField(max_length=60)
    key = models.CharField(max_length=100)
    outcome = models.JSONField(default=dict)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["tournament", "verb", "key"], name="one_request_once")]

    def __str__(self) -> str:
        return f"{self.verb} {self.key}"


class Job(models.Model):
    """A background job. Its progress is stored in this row, because the broker may lose it."""

    class State(models.TextChoices):
        QUEUED = "queued", _("Waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    tournament = models.ForeignKey("Tournament", on_delete=models.CASCADE, related_name="jobs")
    event = models.ForeignKey("Event", null=True, on_delete=models.CASCADE, related_name="jobs")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    message = models.CharField(max_length=300, blank=True)
    file = models.FileField(upload_to="prints/", null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering: ClassVar = ["-pk"]

    def __str__(self) -> str:
        return f"{self.title}: {self.state}"

    @property
    def words(self) -> str:
        """The job's title in the user's language."""
        return str(text_from_json(self.parameters.get("title", self.title)))

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics. The job services update the desk's pages when a job fails or is retried."""
        return ()


class StoredTask(models.Model):
    """A background task that is stored because no broker accepted it.

    A worker runs the task, or sends it to the broker once the broker answers. `started_at` is the time of the last
    heartbeat of the worker that runs the task. `request_id` is the id of the request that sent the task.
    """

    name = models.CharField(max_length=100)
    arguments = models.JSONField(default=dict)
    request_id = models.CharField(max_length=100, blank=True, default="", db_default="")
    at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.name} {self.arguments}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, because no page shows these rows."""
        return ()


class FilePart(models.Model):
    """A chunk of a file that is stored in the database, where every server can read it."""

    name = models.CharField(max_length=255)
    number = models.PositiveIntegerField()
    content = models.BinaryField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["name", "number"], name="one_part_a_number")]

    def __str__(self) -> str:
        return f"{self.name}, part {self.number}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics. The row that refers to the file already updates all pages that show it."""
        return ()


class RowChange(models.Model):
    """A change of a database row that the second laptop has not stored yet. Database triggers create these records.

    `row_key` is the primary key of the changed row in the table `table_name`.
    """

    table_name = models.CharField(max_length=64)
    row_key = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.table_name} {self.row_key}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, because no page shows these rows."""
        return ()


class SecretDigest(models.Model):
    """The digest of a secret that all servers of this database share.

    A server with different secrets must not start.
    """

    name = models.CharField(max_length=20, primary_key=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name


class Club(models.Model):
    """The club that uses this installation, in at most one row.

    Pages that belong to no tournament show its name, and new tournaments get its time zone.
    """

    name = NameField(max_length=200)
    time_zone = models.CharField(max_length=60)

    def __str__(self) -> str:
        return self.name

    def affected_topics(self) -> tuple[str, ...]:
        """Return no topics, because only pages that nobody caches show the club."""
        return ()


class Installation(models.Model):
    """An identity of this installation.

    Rows are only added, and the row with the highest epoch is the current identity. A restored database gets a new
    identity and the next epoch, so that it can be distinguished from the database that it replaced. A backup
    contains the identity of its database.
    """

    class Origin(models.TextChoices):
        STARTED = "started", _("First start")
        RESTORED = "restored", _("Restored from a backup")
        TAKEN_OVER = "taken-over", _("Taken over from the first laptop")

    identity = models.CharField(max_length=32, unique=True)
    """128 random bits in hexadecimal."""

    epoch = models.PositiveIntegerField(unique=True)
    at = models.DateTimeField(default=timezone.now)
    origin = models.CharField(max_length=20, choices=Origin.choices)
    came_from = models.CharField(max_length=300, blank=True)
    """The source of the database, such as the name of the backup file."""

    log_row = models.PositiveBigIntegerField(default=0)
    """The primary key of the newest log row when this identity began."""

    class Meta:
        ordering: ClassVar = ["epoch"]

    def __str__(self) -> str:
        return f"{self.identity}, epoch {self.epoch}"

    def affected_topics(self) -> tuple[str, ...]:
        """Return an empty tuple. No page shows the identity, so no page has to be updated when it changes."""
        return ()
