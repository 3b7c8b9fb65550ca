"""One-time sign-in links, which are printed at the first start or created by a director for a staff member.

A director's link never bypasses a password or a second factor. If a user signs in through another person's link, the
user's signatures mention that person until the account has a password (`Actor.link`).
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

from tournament.core.permissions import DIRECTOR_ROLE, SYSTEM_ACTOR, Actor, require_permission
from tournament.core.services.record import writing
from tournament.errors import NotAllowed, NotFound
from tournament.models import SignInLink, StaffRole, Tournament, User

SIGN_IN_LINK_LIFETIME = dt.timedelta(days=3)
FIRST_USER_EMAIL: Final = "director@localhost"
"""A placeholder address for the first account. The user can change it on the account page."""


def make_sign_in_link(user: User, *, goes_to: str = "/", by: Actor = SYSTEM_ACTOR) -> str:
    """Return the secret of a new link that signs this user in once. Only its digest is stored."""
    token, now = secrets.token_urlsafe(24), timezone.now()
    maker = {} if by.user in (None, user) else {"link_by": by.name, "link_at": now}
    SignInLink.objects.create(
        user=user, digest=_digest_token(token), goes_to=goes_to, expires_at=now + SIGN_IN_LINK_LIFETIME, **maker
    )
    return token


def create_sign_in_link_for_staff(tournament: Tournament, user: User, *, by: Actor, goes_to: str) -> str:
    """Create a sign-in link for a staff member on a director's behalf, and return its secret.

    The staff member's earlier unused links expire.

    Raises:
        NotFound: `no-staff`: they have no role in this tournament.
        NotAllowed: `has-password`: they can sign in with a password or a second factor. `opens-more`: the account has
            access to more than this director manages. `password-first`: the director is signed in through another
            person's link.
    """
    require_permission(by, "direct", tournament)
    if not tournament.roles.filter(user=user).exists():
        raise NotFound("no-staff", _("This person is not on the staff. Give them a role first."))
    if user in find_users_with_credentials([user]):
        message = _(
            "%(name)s has a password, so no link can be made here. If they cannot sign in, ask the person who starts "
            "the program for a link."
        )
        raise NotAllowed("has-password", message % {"name": user})
    if by.link is not None:
        message = _("You are signed in by a link that %(name)s made. Set a password first, then make links for others.")
        raise NotAllowed("password-first", message % {"name": by.link.link_by})
    if find_users_with_wider_access(tournament, [user], by):
        message = _(
            "A link for %(name)s would open more than this tournament. Ask the person who starts the program for one."
        )
        raise NotAllowed("opens-more", message % {"name": user})
    with writing(tournament, verb="staff.link", by=by) as write:
        expire_unused_links(user)
        token = make_sign_in_link(user, goes_to=goes_to, by=by)
        write.about(user, user=user.pk)
        return token


def record_new_credential(user: User, what: str, *, by: Actor) -> None:
    """Log that a user who signed in through another person's link has set a password or another credential.

    Each of the user's tournaments gets a log entry, because signatures stop mentioning the link once there is a
    password.
    """
    for tournament in Tournament.objects.filter(roles__user=user).distinct().order_by("pk"):
        with writing(tournament, verb=f"staff.{what}-set", by=by) as write:
            write.about(user, user=user.pk)


def get_or_create_first_user() -> User:
    """Return the user for the first sign-in link: the administrator, or else the first director.

    If the database has no users, a superuser is created.
    """
    able = User.objects.filter(is_active=True)
    user = able.filter(is_superuser=True).order_by("pk").first()
    user = user or able.filter(roles__role=DIRECTOR_ROLE).order_by("pk").first()
    return user or User.objects.create_superuser(FIRST_USER_EMAIL, None, name="Director", is_named=False)


def find_users_with_wider_access(tournament: Tournament, users: Iterable[User], by: Actor) -> set[int]:
    """Return the primary keys of superusers, and of users who are staff of a tournament that `by` does not direct.

    The result is empty if `by` is a superuser or has no user.
    """
    known = list(users)
    if by.user is None or by.user.is_superuser:
        return set()
    directed = by.user.roles.filter(role=DIRECTOR_ROLE).values("tournament")
    others = StaffRole.objects.filter(user__in=known).exclude(tournament=tournament).exclude(tournament__in=directed)
    return {user.pk for user in known if user.is_superuser} | set(others.values_list("user_id", flat=True))


def find_users_with_credentials(users: Iterable[User]) -> set[User]:
    """Return users who have a password, a passkey or an authenticator app. Directors cannot create links for them."""
    known = list(users)
    with_factor = set(Authenticator.objects.filter(user__in=known).values_list("user_id", flat=True))
    return {user for user in known if user.has_usable_password() or user.pk in with_factor}


def expire_unused_links(user: User) -> None:
    now = timezone.now()
    SignInLink.objects.filter(user=user, used_at=None, expires_at__gt=now).update(expires_at=now)


def use_sign_in_link(token: str) -> SignInLink:
    """Mark a sign-in link as used, and return it.

    Raises:
        NotFound: `link-used`.
        NotAllowed: `has-password`: another person created the link, and the account has since gotten a password.
    """
    with transaction.atomic():
        link = (
            SignInLink.objects.select_for_update(of=("self",))
            .select_related("user")
            .filter(digest=_digest_token(token), used_at=None, expires_at__gt=timezone.now(), user__is_active=True)
            .first()
        )
        if link is None:
            message = _("This sign-in link was used already or has expired. Ask the director for a new one.")
            raise NotFound("link-used", message)
        if link.link_by and find_users_with_credentials([link.user]):
            message = _("%(name)s has set a password since this link was made. Sign in with it.")
            raise NotAllowed("has-password", message % {"name": link.user})
        link.used_at = timezone.now()
        link.save(update_fields=["used_at"])
        return link


def _digest_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
