"""Web addresses of tournaments and events, proposed from the name if none is typed."""

from collections.abc import Iterable
from itertools import chain, count
from typing import Final

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

RESERVED: Final = frozenset(
    {"log", "staff", "settings", "new", "new-event", "remove-demo", "player", "players", "jobs", "rulings"}
)
"""Words in the addresses of other pages, which therefore cannot name a tournament or an event."""

LONGEST: Final = 60


def unreserved(slug: str) -> str:
    if slug in RESERVED:
        raise forms.ValidationError(_("The program uses this word itself. Choose another web address."))
    return slug


def propose_address(name: str, otherwise: str, taken: Iterable[str]) -> str:
    """Return a free address made from the name, or from `otherwise` if the name has no letters for an address.

    >>> propose_address("Desert Classic 2026", "tournament", ["desert-classic-2026"])
    'desert-classic-2026-2'
    >>> propose_address("Log", "event", []), propose_address("東京", "event", ["event", "event-2"])
    ('log-2', 'event-3')
    """
    stem = slugify(name)[: LONGEST - 4].strip("-_") or otherwise
    used = RESERVED.union(taken)
    tries = chain([stem], (f"{stem}-{number}" for number in count(2)))
    return next(slug for slug in tries if slug not in used)
