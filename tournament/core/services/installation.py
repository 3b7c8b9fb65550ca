"""Give this installation a new identity, and log actions that concern all of its tournaments."""

import secrets
from collections.abc import Iterable
from typing import Final

from django.db import transaction
from django.db.models import F, Max
from django.utils import timezone

from tournament.core.permissions import Actor
from tournament.core.services.record import bump_version, writing
from tournament.models import AuditEntry, Event, Installation, TopicVersion, Tournament
from tournament.models.topic import EVERYBODY_TOPIC

VERSION_STEP: Final = 1_000_000
"""The amount that a new identity adds to all versions. It is larger than the number of writes since any backup."""


def begin_installation_epoch(
    origin: Installation.Origin, came_from: str = "", *, above: int = 0, shares_log: bool = True
) -> Installation:
    """Give the database a new identity with the next epoch, and return it.

    The new epoch is higher than all earlier ones, and higher than `above`, the epoch of a replaced database. The
    versions of all events are raised, so that every open page reloads, even if it shows a write that was lost. If
    `shares_log` is false, the primary keys of log rows have nothing in common with those of earlier identities.
    """
    with transaction.atomic():
        last = Installation.objects.aggregate(last=Max("epoch"))["last"] or 0
        if origin != Installation.Origin.STARTED:
            for model in (Event, TopicVersion):
                model._base_manager.update(version=F("version") + VERSION_STEP)
        return Installation.objects.create(
            identity=secrets.token_hex(16),
            epoch=max(last, above) + 1,
            origin=origin,
            came_from=came_from[:300],
            log_row=(AuditEntry.objects.aggregate(last=Max("pk"))["last"] or 0) if shares_log else 0,
        )


def adopt_identities(identities: Iterable[tuple[str, int]]) -> None:
    """Replace the identities of an empty database with those of the database whose tournaments were imported.

    `identities` contains each identity with its epoch. With these identities, this computer recognizes the backups that
    the other computer made, such as those on a USB stick. Imported log rows have new primary keys. The new identities
    therefore have a `log_row` of 0, which means that the two databases share no log row.
    """
    Installation.objects.all().delete()
    Installation.objects.bulk_create(
        Installation(identity=identity, epoch=epoch, origin=Installation.Origin.STARTED)
        for identity, epoch in identities
    )


def raise_imported_versions(tournament: Tournament) -> None:
    """Give the events of an imported tournament higher versions than any open page has.

    A tournament file contains no versions. If the versions began at zero, pages that were opened on another computer,
    or before a replacement, would not update until after many writes. The new version is the current time in seconds,
    which grows faster than any count of writes.
    """
    for event in tournament.events.all():
        event.version = int(timezone.now().timestamp())
        bump_version(event, frozenset({EVERYBODY_TOPIC}))


_ENDED_STATES: Final = (Event.State.FINISHED, Event.State.CALLED_OFF)


@transaction.atomic
def log_for_all_tournaments(
    *, verb: str, by: Actor, about: str = "", reason: str = "", with_demos: bool = False, only_running: bool = False
) -> None:
    """Add a row about an action that concerns the whole installation to the log of each tournament.

    `only_running` leaves out tournaments whose events have all ended.
    """
    tournaments = Tournament.objects.order_by("pk")
    if not with_demos:
        tournaments = tournaments.filter(is_demo=False)
    if only_running:
        running = Event.objects.exclude(state__in=_ENDED_STATES).values("tournament")
        ended = Event.objects.exclude(tournament__in=running).values("tournament")
        tournaments = tournaments.exclude(pk__in=ended)
    for tournament in tournaments:
        with writing(tournament, verb=verb, by=by, reason=reason) as write:
            write.about(about)
