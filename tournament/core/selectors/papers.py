"""Which paper the printers of a tournament have."""

from typing import Final

from tournament.models import Tournament

USUAL: Final = "letter"


def last_paper(tournament: Tournament) -> str:
    """The name of the paper that was printed on last, so that nobody chooses it twice; US Letter before that."""
    asked = tournament.jobs.exclude(parameters__paper=None).order_by("-pk").values_list("parameters__paper", flat=True)
    return str(asked.first() or USUAL)
