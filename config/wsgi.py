"""The WSGI application: Django, with collected static files served in front of it.

All requests are decoded as UTF-8, even if they declare another encoding. Our own pages never declare one.
"""

import os
from collections.abc import Callable
from typing import Any, Final

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402 - after the settings are loaded
from django.contrib.staticfiles.handlers import StaticFilesHandler  # noqa: E402
from servestatic import ServeStatic  # noqa: E402

from config.outages import keep_sqlite_open  # noqa: E402
from tournament.core.services.secrets import exit_on_wrong_secrets  # noqa: E402

if settings.CHECK_SECRETS_AT_START:
    exit_on_wrong_secrets()

WsgiEnviron = dict[str, Any]


class ForceUtf8Middleware:
    """WSGI middleware that removes the encoding that a request declares."""

    def __init__(self, pages: Callable[..., Any]) -> None:
        self.pages = pages

    def __call__(self, environ: WsgiEnviron, start_response: Any) -> Any:
        return self.pages(strip_content_type_params(environ), start_response)


def strip_content_type_params(environ: WsgiEnviron) -> WsgiEnviron:
    """Remove all parameters from the content type, except a form's boundary."""
    kind, *parameters = environ.get("CONTENT_TYPE", "").split(";")
    kept = [each for each in parameters if each.partition("=")[0].strip().lower() == "boundary"]
    return {**environ, "CONTENT_TYPE": ";".join([kind, *kept])} if len(kept) < len(parameters) else environ


SERVESTATIC_OPTIONS: Final[dict[str, Any]] = {
    "root": settings.STATIC_ROOT,
    "prefix": settings.STATIC_URL,
    "allow_all_origins": False,
    # File names with a digest of their content, which phones never request again.
    "immutable_file_test": r"\.[0-9a-f]{12}\.[a-z0-9]+$",
}

django_app = ForceUtf8Middleware(_django if settings.STATIC_IS_COLLECTED else StaticFilesHandler(_django))
application = ServeStatic(django_app, **SERVESTATIC_OPTIONS) if settings.STATIC_IS_COLLECTED else django_app
_open_connection = keep_sqlite_open() if settings.CHECK_SECRETS_AT_START else None
