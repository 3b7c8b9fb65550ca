"""What the stages answer where entries ask (`tournament/above.py`)."""

from pairing.selectors.formats import plays_at_tables, two_meet
from pairing.selectors.late_byes import takes_late_entries
from pairing.selectors.tables import has_played_all

__all__ = ["has_played_all", "plays_at_tables", "takes_late_entries", "two_meet"]
