from typing import Any

from django.core.management.base import BaseCommand

from tournament.core.services.secrets import use_these_secrets


class Command(BaseCommand):
    help = "Serve this database with the secrets of this machine from now on. Seals made with others are not trusted."

    def handle(self, *args: Any, **options: Any) -> None:
        use_these_secrets()
        self.stdout.write("The database is served with the secrets of this machine from now on.")
