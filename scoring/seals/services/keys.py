"""Vouch for earlier keys after the secrets of an installation were lost, and set a tournament's certificate."""

import base64
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.models import EarlierKey, SealKey
from scoring.seals.selectors.keys import (
    bytes_to_vouch,
    certificate_name,
    cipher,
    installation_key,
    own_public_key,
    publics_of_known_secrets,
)
from scoring.seals.selectors.p12_files import DocumentCertificate, read_certificate
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import DomainError
from tournament.intake import CERTIFICATES, Damaged, read_apart
from tournament.models import LogSeal, Tournament
from tournament.templatetags.gin import day_in_year


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A key whose secret is not known here: its seals on cards and on the log, and when it sealed its last card."""

    public: str
    cards: int
    logs: int
    last: datetime | None


def load_keys_in_use() -> list[KeyInUse]:
    """Return the keys that sealed score cards or logs here, and whose secrets this process does not have."""
    cards = {one.public: one for one in SealKey.objects.annotate(count=Count("seals"), last=Max("seals__at"))}
    logs = Counter(LogSeal.objects.order_by().values_list("public", flat=True))
    unknown = sorted((cards.keys() | logs.keys()) - publics_of_known_secrets())
    return [
        KeyInUse(public, getattr(cards.get(public), "count", 0), logs[public], getattr(cards.get(public), "last", None))
        for public in unknown
    ]


def keep_earlier_keys(keys: Iterable[KeyInUse]) -> None:
    """Vouch for these keys with the key of this installation. Their seals then read “genuine, by an earlier key”."""
    key, until = installation_key(), timezone.now()
    with transaction.atomic():
        for key_in_use in keys:
            row = EarlierKey(public=key_in_use.public, until=until, vouched_by=own_public_key())
            row.signature = key.sign(bytes_to_vouch(row)).hex()
            EarlierKey.objects.filter(public=key_in_use.public).delete()
            row.save()


# --- The certificate of a tournament ---------------------------------------------------------------------------------


def set_certificate(tournament: Tournament, p12: bytes, password: str, *, by: Actor) -> DocumentCertificate:
    """Store the certificate by which the tournament's PDFs are signed as documents, in place of an earlier one.

    Raises:
        DomainError: `bad-certificate`, `expired`.
    """
    require(by, "direct", tournament)
    try:
        read = read_apart(CERTIFICATES, read_certificate, p12, password)
    except Damaged:
        raise DomainError(
            "bad-certificate",
            _(
                "This file does not open with this password, or it has no key. Export the certificate with "
                "its private key as .p12 or .pfx, and enter that file's password."
            ),
        ) from None
    if not read.is_valid(timezone.now()):
        raise DomainError(
            "expired",
            _("This certificate is valid from %(first)s to %(last)s, not today. Choose another one.")
            % {"first": day_in_year(read.starts), "last": day_in_year(read.expires)},
        )
    with writing(tournament, verb="certificate.set", by=by) as write:
        write.about(tournament, certificate=read.subject, fingerprint=read.fingerprint)
        # Both steps are part of one transaction, so anybody who reads meanwhile gets the earlier certificate.
        content = json.dumps({"p12": base64.b64encode(read.p12).decode(), "password": read.password})
        default_storage.delete(certificate_name(tournament))
        default_storage.save(certificate_name(tournament), ContentFile(cipher().encrypt(content.encode())))
    return read


def remove_certificate(tournament: Tournament, *, by: Actor) -> None:
    require(by, "direct", tournament)
    with writing(tournament, verb="certificate.removed", by=by) as write:
        write.about(tournament)
        default_storage.delete(certificate_name(tournament))
