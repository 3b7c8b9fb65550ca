"""What the stages answer where entries ask (`tournament/above.py`)."""

from pairing.course.selectors.in_play import has_played_all
from pairing.late_entries.selectors.byes import takes_late_entries
from pairing.plans.selectors import traits_of
from tournament.models import Event

__all__ = ["has_played_all", "plays_at_tables", "takes_late_entries", "two_meet"]


def two_meet(event: Event) -> bool:
    return traits_of(event).two_meet


def plays_at_tables(event: Event) -> bool:
    return traits_of(event).at_tables
