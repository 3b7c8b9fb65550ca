"""What the stages answer where entries ask (`tournament/above.py`)."""

from pairing.selectors.late_byes import takes_late_entries
from pairing.selectors.tables import has_played_all

__all__ = ["has_played_all", "takes_late_entries"]
