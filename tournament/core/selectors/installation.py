"""The current and earlier identities of this installation, and the log rows that two installations share."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

from django.db import DatabaseError

from tournament.models import Club, Installation


@dataclass(frozen=True, slots=True)
class InstallationEpoch:
    """An identity that this database has or had. `log_row` is the last row of the log before the database got it."""

    identity: str
    epoch: int
    log_row: int

    def as_json(self) -> dict[str, str | int]:
        return asdict(self)


CLUB_KEY: Final = 1
"""The primary key of the only row of `Club`."""


def load_club() -> Club | None:
    """Return the club that uses this installation, or None if nobody has entered its name."""
    with suppress(DatabaseError):  # error pages show the club, but an older database may lack the table
        return Club.objects.filter(pk=CLUB_KEY).first()
    return None


def load_installation() -> Installation | None:
    """Return the current identity, or None if the database has no identity yet."""
    with suppress(DatabaseError):  # an earlier release's database lacks the table, and a damaged one cannot be read
        return Installation.objects.order_by("epoch").last()
    return None


def load_installation_history() -> list[InstallationEpoch]:
    """Return all identities that the database has had, oldest first. A restored backup continues this list."""
    with suppress(DatabaseError):
        rows = Installation.objects.order_by("epoch").values_list("identity", "epoch", "log_row")
        return [InstallationEpoch(*row) for row in rows]
    return []


def compute_last_shared_log_row(
    ours: Sequence[InstallationEpoch], theirs: Sequence[InstallationEpoch], their_log_row: int
) -> int | None:
    """Return the newest log row that our database shares with another database.

    `their_log_row` is the newest log row of the other database. Both databases have the same rows up to the moment when
    one of them got an identity that the other lacks. Return None if they have no identity in common.

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
