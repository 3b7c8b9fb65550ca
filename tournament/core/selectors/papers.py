"""The paper size that a tournament prints on."""

from typing import Final

from tournament.models import Tournament

USUAL: Final = "letter"


def last_paper(tournament: Tournament) -> str:
    """Return the paper size of the last print, so that nobody chooses it twice. The default is US Letter."""
    asked = tournament.jobs.exclude(parameters__paper=None).order_by("-pk").values_list("parameters__paper", flat=True)
    return str(asked.first() or USUAL)
