"""The identity of this installation, its earlier identities, and the log rows that two installations share."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from django.db import DatabaseError

from tournament.models import Installation


@dataclass(frozen=True, slots=True)
class InstallationEpoch:
    """An identity that a database had. `log_row` is the newest log row from before that identity began."""

    identity: str
    epoch: int
    log_row: int

    def as_json(self) -> dict[str, str | int]:
        return asdict(self)


def load_installation() -> Installation | None:
    """Return the current identity, or None if this release was never started on the database."""
    with suppress(DatabaseError):  # an earlier release's database lacks the table, and a damaged one cannot be read
        return Installation.objects.order_by("epoch").last()
    return None


def load_installation_history() -> list[InstallationEpoch]:
    """Return all identities that the database had, oldest first. A backup and a restore continue the list."""
    with suppress(DatabaseError):
        rows = Installation.objects.order_by("epoch").values_list("identity", "epoch", "log_row")
        return [InstallationEpoch(*row) for row in rows]
    return []


def compute_last_shared_log_row(
    ours: Sequence[InstallationEpoch], theirs: Sequence[InstallationEpoch], their_log_row: int
) -> int | None:
    """Return the newest log row that our database shares with another database, whose newest row is given.

    Both have the same rows until one of them began an identity that the other lacks. Return None if they never had an
    identity in common.

    >>> first, second = InstallationEpoch("a", 1, 0), InstallationEpoch("b", 2, 40)
    >>> compute_last_shared_log_row([first], [first], 90), compute_last_shared_log_row([first, second], [first], 90)
    (90, 40)
    """
    shared = 0
    for our, their in zip(ours, theirs, strict=False):
        if our.identity != their.identity:
            break
        shared += 1
    if not shared:
        return None
    return min([their_log_row, *(epochs[shared].log_row for epochs in (ours, theirs) if len(epochs) > shared)])
