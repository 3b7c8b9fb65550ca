"""The saved steps of an event's setup, and the root certificate that this installation made for the hall."""

import base64
import hashlib
import plistlib
import uuid
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID
from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext as _

from tournament.models import Event

IN_STEPS = "in_steps"
"""The key in the log row of an event whose setup in steps has begun."""
STEP = "setup_step"
"""The key in the log row of a change for the step that was saved, or `ALL` if everything was saved at once."""
ALL = "all"


def load_setup_saved(event: Event) -> frozenset[str] | None:
    """Return the names of the steps that were saved, or None if no step is left to do."""
    begun = Q(event=None, verb="event.created", data__event=event.pk)
    rows = event.tournament.log.filter(begun | Q(event=event, verb="event.changed")).values_list("data", flat=True)
    changes = list(rows)
    saved = frozenset(data[STEP] for data in changes if STEP in data)
    return None if ALL in saved or not any(IN_STEPS in data for data in changes) else saved


# --- The root certificate --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RootCertificate:
    """A root certificate in the formats of phones. `der` is its content, and phones list it under `name`."""

    name: str
    der: bytes

    @property
    def fingerprint(self) -> str:
        """SHA-256 in pairs of digits, as phones show it."""
        digest = hashlib.sha256(self.der).hexdigest().upper()
        return " ".join(digest[at : at + 2] for at in range(0, len(digest), 2))

    @property
    def pem(self) -> bytes:
        text = base64.encodebytes(self.der)
        return b"-----BEGIN CERTIFICATE-----\n" + text + b"-----END CERTIFICATE-----\n"

    @property
    def profile(self) -> bytes:
        """The certificate as a configuration profile for iPhone and iPad.

        Its identifiers follow from the certificate, so that a second download replaces the first.
        """
        digest = hashlib.sha256(self.der).digest()
        certificate, whole = (str(uuid.UUID(bytes=digest[at : at + 16])).upper() for at in (0, 16))
        payload = {
            "PayloadType": "com.apple.security.root",
            "PayloadVersion": 1,
            "PayloadIdentifier": f"hall.gin-rummy.{certificate}",
            "PayloadUUID": certificate,
            "PayloadDisplayName": self.name,
            "PayloadCertificateFileName": "hall.crt",
            "PayloadContent": self.der,
        }
        return plistlib.dumps(
            {
                "PayloadType": "Configuration",
                "PayloadVersion": 1,
                "PayloadIdentifier": f"hall.gin-rummy.profile.{whole}",
                "PayloadUUID": whole,
                "PayloadDisplayName": self.name,
                "PayloadDescription": _(
                    "Lets this phone open the pages of the tournament hall safely. "
                    "It vouches for addresses of this hall and of private networks only."
                ),
                "PayloadContent": [payload],
            }
        )


def load_root_certificate() -> RootCertificate | None:
    """Return the certificate, or None if this installation did not make one."""
    if not settings.OWN_CERTIFICATE:
        return None
    found = x509.load_pem_x509_certificate(Path(settings.OWN_CERTIFICATE).read_bytes())
    name = found.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value
    return RootCertificate(str(name), found.public_bytes(Encoding.DER))
