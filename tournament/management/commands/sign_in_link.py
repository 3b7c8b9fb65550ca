from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from tournament.models import User
from tournament.setup.services.sign_in import FIRST_USER_EMAIL, get_or_create_first_user, make_sign_in_link
from tournament.this_computer.services import make_first_start_link


class Command(BaseCommand):
    help = (
        "Print a one-time sign-in link for a member of staff. With --administrator, this person may do everything. "
        "With --first, print the link for setting up the program, or else a sign-in link for the first user. If this "
        "user has a password, print the address of the sign-in page."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", nargs="?", default="")
        parser.add_argument("--name", default="")
        parser.add_argument("--administrator", action="store_true")
        parser.add_argument("--first", action="store_true")
        parser.add_argument("--site", default="", help="address the link starts with; SITE_URL without")

    def handle(self, *args: Any, **options: Any) -> None:
        site = (options["site"] or settings.SITE_URL or "http://127.0.0.1:8000").rstrip("/")
        if options["first"]:
            self._print_first_link(site)
            return
        email = options["email"].lower()
        if not email:
            raise CommandError("Say for whom: an e-mail address, or --first.")
        found = User.objects.filter(email=email).first()
        user = found or User.objects.create_user(email, None, name=options["name"] or email)
        if options["administrator"] and not user.is_superuser:
            user.is_staff = user.is_superuser = True
            user.save(update_fields=["is_staff", "is_superuser"])
        self.stdout.write(site + _make_link(user))

    def _print_first_link(self, site: str) -> None:
        """Print the link to the page *Welcome* if the program is not set up yet.

        Otherwise, print a sign-in link for the first user, or the sign-in page's address if that user has a password.
        A user with a password does not need a link, and a printed link would stay in the terminal.
        """
        if link := make_first_start_link(site):
            self.stdout.write(f"  {'Set up the program (works once)':<38}{link}")
            return
        user = get_or_create_first_user()
        if user.has_usable_password():
            name = user.name if user.email == FIRST_USER_EMAIL else user.email  # the form accepts both
            self.stdout.write(f"  {f'Sign in as {name}':<38}{site}{reverse('account_login')}")
        else:
            self.stdout.write(f"  {'Sign in (this link works once)':<38}{site}{_make_link(user)}")


def _make_link(user: User) -> str:
    return reverse("tournament:sign_in", kwargs={"token": make_sign_in_link(user, goes_to=reverse("tournament:desk"))})
