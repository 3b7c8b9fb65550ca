"""The web addresses of tournaments and events: proposed from the name where none is typed."""

from collections.abc import Iterable
from itertools import chain, count
from typing import Final

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

RESERVED: Final = frozenset(
    {"log", "staff", "settings", "new", "new-event", "remove-demo", "player", "players", "jobs", "rulings"}
)
"""Words that stand in the addresses of pages and so cannot name a tournament or an event."""

LONGEST: Final = 60


def unreserved(slug: str) -> str:
    if slug in RESERVED:
        raise forms.ValidationError(_("The program uses this word itself. Choose another web address."))
    return slug


def propose_address(name: str, otherwise: str, taken: Iterable[str]) -> str:
    """An address of the name that nobody has; `otherwise` where the name has no letter an address can hold.

    >>> propose_address("Desert Classic 2026", "tournament", ["desert-classic-2026"])
    'desert-classic-2026-2'
    >>> propose_address("Log", "event", []), propose_address("東京", "event", ["event", "event-2"])
    ('log-2', 'event-3')
    """
    stem = slugify(name)[: LONGEST - 4].strip("-_") or otherwise
    used = RESERVED.union(taken)
    tries = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(slug for slug in tries if slug not in used)
