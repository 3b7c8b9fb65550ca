"""The program's name, version, and commands, as paper, pages, files, and messages show them."""

from django.conf import settings
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from tournament import __version__


def format_program_version() -> str:
    """Return the program's name with its version, such as “Gin rummy tournaments 1.0.0”."""
    return _("Gin rummy tournaments %(version)s") % {"version": __version__}


def format_command(name: str, *arguments: str) -> str:
    """Return a management command as users of this installation type it.

    In an installed program, this is for example `gin-rummy restore FILE`. In a checkout, it is `.venv/bin/python
    manage.py restore FILE`. The name `run` starts the program. Its argument is a setting, such as `HTTPS=1`.
    """
    return str(import_string(settings.COMMAND_FORMATTER)(name, *arguments))
