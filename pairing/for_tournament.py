"""What the stages answer where entries ask (`tournament/above.py`)."""

from pairing.selectors.late_byes import takes_late_entries

__all__ = ["takes_late_entries"]
