"""Explain to the director, before registration opens, which approvals are needed and which the rules would need."""

from django.utils.translation import gettext as _

from scoring.rulesheets.selectors.sheets import current_sheet, usual_variant
from tournament.models import Event
from tournament.registration.selectors.entries import APPROVALS, asked_in_words, asked_of

OF_THE_ASSOCIATION = ("gra-singles", "gra-partnership")


def approvals_told(event: Event) -> list[str]:
    """Return sentences on the approvals. The second appears if the Association's rules ask for more approvals."""
    sheet = current_sheet(event)
    variant = sheet.variant if sheet else usual_variant(event)
    said = [asked_in_words(event)]
    if variant in OF_THE_ASSOCIATION and len(asked_of(event)) < len(APPROVALS):
        said.append(
            _(
                "By the Association's rules the director, the coordinator and the hotel approve every entry. "
                "You can require that under Setup."
            )
        )
    return said
