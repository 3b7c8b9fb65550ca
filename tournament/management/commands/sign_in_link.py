from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from tournament.models import User
from tournament.setup.services.sign_in import make_link


class Command(BaseCommand):
    help = "Print a one-time sign-in link for a member of staff (--administrator: for one who may do everything)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email")
        parser.add_argument("--name", default="")
        parser.add_argument("--administrator", action="store_true")
        parser.add_argument("--site", default="http://127.0.0.1:8000", help="address the link starts with")

    def handle(self, *args: Any, **options: Any) -> None:
        email = options["email"].lower()
        found = User.objects.filter(email=email).first()
        user = found or User.objects.create_user(email, None, name=options["name"] or email)
        if options["administrator"] and not user.is_superuser:
            user.is_staff = user.is_superuser = True
            user.save(update_fields=["is_staff", "is_superuser"])
        path = reverse("tournament:sign_in", kwargs={"token": make_link(user, goes_to="/desk/")})
        self.stdout.write(options["site"].rstrip("/") + path)
