"""Give this installation a new identity."""

import secrets
from typing import Final

from django.db import transaction
from django.db.models import F, Max

from tournament.models import AuditEntry, Event, Installation, TopicVersion

VERSION_STEP: Final = 1_000_000
"""The amount by which a new identity raises all versions. No database has so many writes since its last backup."""


def begin_installation_epoch(origin: Installation.Origin, came_from: str = "", *, above: int = 0) -> Installation:
    """Give the database a new identity with the next epoch, and return it.

    The epoch is higher than all earlier ones, and higher than `above`, which is the epoch of a replaced database. The
    versions of all events are raised, so that every open page is fetched again, even if it shows a write that is lost.
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
            log_row=AuditEntry.objects.aggregate(last=Max("pk"))["last"] or 0,
        )
