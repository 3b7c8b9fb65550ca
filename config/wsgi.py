"""The WSGI application: Django, and in front of it the static files if they are collected."""

import os
from typing import Any, Final

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402 - after the settings are loaded
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from servestatic import ServeStatic  # noqa: E402

from config.outages import keep_sqlite_open  # noqa: E402
from config.pages.utf8 import ForceUtf8  # noqa: E402
from tournament.core.services.secrets import refuse_other_secrets  # noqa: E402

if settings.CHECK_SECRETS_AT_START:
    refuse_other_secrets()

COLLECTED: Final[dict[str, Any]] = {
    "root": settings.STATIC_ROOT,
    "prefix": settings.STATIC_URL,
    "allow_all_origins": False,
    # File names with a digest of their content, which phones never request again.
    "immutable_file_test": r"\.[0-9a-f]{12}\.[a-z0-9]+$",
}

pages = ForceUtf8(_django if settings.STATIC_IS_COLLECTED else StaticFilesHandler(_django))
application = ServeStatic(pages, **COLLECTED) if settings.STATIC_IS_COLLECTED else pages
_held = keep_sqlite_open() if settings.CHECK_SECRETS_AT_START else None
