"""Set or remove the certificate by which the tournament's PDFs are signed as documents."""

import base64
import json

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _

from scoring.seals.selectors.certificates import certificate_name, cipher
from scoring.seals.selectors.p12_files import DocumentCertificate, read_certificate
from tournament.core.permissions import Actor, require
from tournament.core.services.record import writing
from tournament.errors import DomainError
from tournament.intake import CERTIFICATES, Damaged, read_apart
from tournament.models import Tournament
from tournament.templatetags.gin import day_in_year


def set_certificate(tournament: Tournament, p12: bytes, password: str, *, by: Actor) -> DocumentCertificate:
    """Store the certificate encrypted, in place of an earlier one.

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
        _keep(tournament, read)
    return read


def remove_certificate(tournament: Tournament, *, by: Actor) -> None:
    require(by, "direct", tournament)
    with writing(tournament, verb="certificate.removed", by=by) as write:
        write.about(tournament)
        default_storage.delete(certificate_name(tournament))


def _keep(tournament: Tournament, read: DocumentCertificate) -> None:
    """Replace the stored file.

    Both steps are part of one transaction, so anybody who reads meanwhile gets the earlier certificate.
    """
    whole = json.dumps({"p12": base64.b64encode(read.p12).decode(), "password": read.password})
    default_storage.delete(certificate_name(tournament))
    default_storage.save(certificate_name(tournament), ContentFile(cipher().encrypt(whole.encode())))
