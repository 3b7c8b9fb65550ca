"""One-time sign-in links: printed at first start, or handed by a director to a new member of staff."""

import datetime as dt
import hashlib
import secrets

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.errors import NotFound
from tournament.models import SignInLink, User

LASTS = dt.timedelta(days=3)


def make_link(user: User, *, goes_to: str = "/") -> str:
    """The secret part of a link that signs this user in once; only its digest is kept."""
    token = secrets.token_urlsafe(24)
    SignInLink.objects.create(user=user, digest=_digest(token), goes_to=goes_to, expires_at=timezone.now() + LASTS)
    return token


def use_link(token: str) -> SignInLink:
    with transaction.atomic():
        link = (
            SignInLink.objects.select_for_update(of=("self",))
            .select_related("user")
            .filter(digest=_digest(token), used_at=None, expires_at__gt=timezone.now(), user__is_active=True)
            .first()
        )
        if link is None:
            said = _("This sign-in link was used already or has expired. Ask the director for a new one.")
            raise NotFound("link-used", said)
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        return link


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
