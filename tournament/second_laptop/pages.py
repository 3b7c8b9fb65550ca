"""Serve the sheet *When the laptop dies*, for directors and on the laptop's own screen."""

from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from tournament.backups.selectors import BACKUP_FOLDER_NAME, find_backup_copy_folders
from tournament.core.pages.responses import find_site_url
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import load_last_paper_size
from tournament.models import Tournament
from tournament.second_laptop.pdf import SheetFacts, make_emergency_sheet
from tournament.second_laptop.selectors import LaptopRole, read_link, read_second_laptop_url
from tournament.templatetags.gin import local_day_time


def serve_emergency_sheet(request: HttpRequest, tournament: Tournament | None) -> HttpResponse:
    """Return the sheet as a PDF. If `tournament` is given, use its paper size and print its name and local time."""
    paper = load_last_paper_size(tournament) if tournament is not None else "letter"
    first, second = _find_addresses(request)
    facts = SheetFacts(
        first_address=first,
        second_address=second,
        copies=[_name_copy_folder(folder) for folder in find_backup_copy_folders()],
        printed=_describe_print(tournament),
    )
    content = make_emergency_sheet(facts, paper=paper if paper in PAPER_SIZES else "letter")
    headers = {
        "Content-Disposition": 'inline; filename="when-the-laptop-dies.pdf"',
        "Cache-Control": "private, no-store",
    }
    return HttpResponse(content, content_type="application/pdf", headers=headers)


def _find_addresses(request: HttpRequest) -> tuple[str, str]:
    """Return the addresses of the first and the second laptop. An address is empty if it is unknown."""
    link = read_link()
    if link is not None and link.role is LaptopRole.SECOND:
        return link.address.rpartition(":")[0], settings.SITE_URL
    is_first = link is not None and link.role is LaptopRole.FIRST
    return find_site_url(request), read_second_laptop_url() if is_first else ""


def _name_copy_folder(folder: Path) -> str:
    """Return the name of the USB stick with the copies, or the path of their folder if they are not on a stick."""
    return folder.parent.name if folder.name == BACKUP_FOLDER_NAME else str(folder)


def _describe_print(tournament: Tournament | None) -> str:
    if tournament is None:
        return ""
    words = {"name": tournament.name, "time": local_day_time(timezone.now(), tournament)}
    return _("%(name)s, as of %(time)s") % words
