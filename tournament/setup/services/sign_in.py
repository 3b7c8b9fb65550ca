"""One-time sign-in links, printed at the first start or made by a director for a member of staff.

A director's link never bypasses a password or a second factor. If somebody is signed in by another person's link, each
of their signatures records that, until they have their own password (`Actor.link`).
"""

import datetime as dt
import hashlib
import secrets
from collections.abc import Iterable
from typing import Final

from allauth.mfa.models import Authenticator
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.core.permissions import DIRECTOR, SYSTEM, Actor, require
from tournament.core.services.record import writing
from tournament.errors import NotAllowed, NotFound
from tournament.models import SignInLink, StaffRole, Tournament, User

LINK_LIFETIME = dt.timedelta(days=3)
FIRST_EMAIL: Final = "director@localhost"
"""A made-up address for the first account. The user changes it on the account's page."""


def make_link(user: User, *, goes_to: str = "/", by: Actor = SYSTEM) -> str:
    """Return the secret part of a link that signs this user in once. Only its digest is stored."""
    token, now = secrets.token_urlsafe(24), timezone.now()
    maker = {} if by.user in (None, user) else {"link_by": by.name, "link_at": now}
    SignInLink.objects.create(
        user=user, digest=_digest(token), goes_to=goes_to, expires_at=now + LINK_LIFETIME, **maker
    )
    return token


def create_staff_link(tournament: Tournament, user: User, *, by: Actor, goes_to: str) -> str:
    """Make a director's link for a member of staff, and expire their unused links.

    Raises:
        NotFound: `no-staff`: they have no role in this tournament.
        NotAllowed: `has-password`: they sign in with a password or a second factor. `opens-more`: the account, and so
            the link, opens more than this director directs. `password-first`: the director is signed in by another
            person's link.
    """
    require(by, "direct", tournament)
    if not tournament.roles.filter(user=user).exists():
        raise NotFound("no-staff", _("This person is not on the staff. Give them a role first."))
    if user in users_with_credentials([user]):
        message = _(
            "%(name)s has a password, so no link can be made here. If they cannot sign in, ask the person who starts "
            "the program for a link."
        )
        raise NotAllowed("has-password", message % {"name": user})
    if by.link is not None:
        message = _("You are signed in by a link that %(name)s made. Set a password first, then make links for others.")
        raise NotAllowed("password-first", message % {"name": by.link.link_by})
    if users_beyond_director(tournament, [user], by):
        message = _(
            "A link for %(name)s would open more than this tournament. Ask the person who starts the program for one."
        )
        raise NotAllowed("opens-more", message % {"name": user})
    with writing(tournament, verb="staff.link", by=by) as write:
        expire_unused_links(user)
        token = make_link(user, goes_to=goes_to, by=by)
        write.about(user, user=user.pk)
        return token


def record_credential_set(user: User, what: str, *, by: Actor) -> None:
    """Log that a user who was signed in by another person's link set a password or another credential.

    Later signatures with that credential carry no mark, so the log of each of the user's tournaments records its
    origin.
    """
    for tournament in Tournament.objects.filter(roles__user=user).distinct().order_by("pk"):
        with writing(tournament, verb=f"staff.{what}-set", by=by) as write:
            write.about(user, user=user.pk)


def first_user_to_sign_in() -> User:
    """Return the user who starts the program: the administrator, or else the first director.

    On an empty database a superuser is created.
    """
    able = User.objects.filter(is_active=True)
    user = able.filter(is_superuser=True).order_by("pk").first()
    user = user or able.filter(roles__role=DIRECTOR).order_by("pk").first()
    return user or User.objects.create_superuser(FIRST_EMAIL, None, name="Director", is_named=False)


def users_beyond_director(tournament: Tournament, users: Iterable[User], by: Actor) -> set[int]:
    """Return the accounts that open more than `by` directs: superusers, and staff of other tournaments."""
    known = list(users)
    if by.user is None or by.user.is_superuser:
        return set()
    directed = by.user.roles.filter(role=DIRECTOR).values("tournament")
    others = StaffRole.objects.filter(user__in=known).exclude(tournament=tournament).exclude(tournament__in=directed)
    return {user.pk for user in known if user.is_superuser} | set(others.values_list("user_id", flat=True))


def users_with_credentials(users: Iterable[User]) -> set[User]:
    """Return the users who have a password, a passkey or a code app. Directors make no links for them."""
    known = list(users)
    with_factor = set(Authenticator.objects.filter(user__in=known).values_list("user_id", flat=True))
    return {user for user in known if user.has_usable_password() or user.pk in with_factor}


def expire_unused_links(user: User) -> None:
    now = timezone.now()
    SignInLink.objects.filter(user=user, used_at=None, expires_at__gt=now).update(expires_at=now)


def use_link(token: str) -> SignInLink:
    """Use up a sign-in link and return it.

    Raises:
        NotFound: `link-used`.
        NotAllowed: `has-password`: another person made the link, and the account has had a password since.
    """
    with transaction.atomic():
        link = (
            SignInLink.objects.select_for_update(of=("self",))
            .select_related("user")
            .filter(digest=_digest(token), used_at=None, expires_at__gt=timezone.now(), user__is_active=True)
            .first()
        )
        if link is None:
            message = _("This sign-in link was used already or has expired. Ask the director for a new one.")
            raise NotFound("link-used", message)
        if link.link_by and users_with_credentials([link.user]):
            message = _("%(name)s has set a password since this link was made. Sign in with it.")
            raise NotAllowed("has-password", message % {"name": link.user})
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        return link


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
