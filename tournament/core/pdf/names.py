"""Texts that PDF files share: the file name, the days of the tournament, and the seal code."""

from collections.abc import Iterable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.formats import date_format
from django.utils.text import slugify
from django.utils.translation import gettext as _

from tournament.models import Tournament


def paper_name(
    tournament: Tournament, *parts: str, at: datetime, rounds: Iterable[int | str] = (), table: int = 0
) -> str:
    """Return a file name like “main-event-round-cards-round-2-table-7-2026-11-22-1445.pdf”, with the venue's time."""
    of_rounds = "-".join(map(str, rounds))
    when = at.astimezone(ZoneInfo(tournament.time_zone)).strftime("%Y-%m-%d-%H%M")
    named = (*parts, f"round-{of_rounds}" if of_rounds else "", f"table-{table}" if table else "")
    return "-".join([*filter(None, map(slugify, named)), when]) + ".pdf"


def days_of(tournament: Tournament) -> str:
    """Return the days of a tournament like “Nov 20–22, 2026”."""
    first, last = tournament.starts_on, tournament.ends_on
    if first == last:
        return date_format(first, "M j, Y")
    end = date_format(last, "j, Y" if (first.year, first.month) == (last.year, last.month) else "M j, Y")
    return f"{date_format(first, 'M j')}–{end}"


def seal_words(code: str) -> str:
    """Return the sentence about a seal code, or "" if there is no code."""
    said = _("Seal code %(code)s. Enter it at Verify a document to see whether the record was changed since.")
    return said % {"code": code} if code else ""
