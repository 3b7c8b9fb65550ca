"""The program's name and version, as printed on paper, shown on pages, and written to files."""

from django.utils.translation import gettext as _

from tournament import __version__


def format_program_version() -> str:
    """Return the program's name with its version, such as “Gin rummy tournaments 1.0.0”."""
    return _("Gin rummy tournaments %(version)s") % {"version": __version__}
