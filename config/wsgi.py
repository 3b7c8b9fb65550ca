"""The pages: Django under WSGI, static files answered before it."""

from __future__ import annotations

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.core.wsgi import get_wsgi_application
from servestatic import ServeStatic

import config.celery

_django = get_wsgi_application()
application = (
    ServeStatic(_django, root=settings.STATIC_ROOT, prefix=settings.STATIC_URL)
    if settings.STATIC_IS_COLLECTED
    else StaticFilesHandler(_django)
)
__all__ = ["application", "config"]
