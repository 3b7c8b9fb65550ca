from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Move prints, photos and certificates from this machine's folder (var/files) to where files are kept now."

    def handle(self, *args: Any, **options: Any) -> None:
        root = Path(settings.MEDIA_ROOT)
        found = sorted(path for path in root.rglob("*") if path.is_file())
        for path in found:
            name = str(path.relative_to(root))
            if not default_storage.exists(name):
                with path.open("rb") as file:
                    default_storage.save(name, File(file))
            path.unlink()
        self.stdout.write(f"Moved {len(found)} files.")
