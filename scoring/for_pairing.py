"""What the score cards answer where matches ask (`pairing/above.py`)."""

from scoring.selectors.begun import has_only_closed_cards, load_begun
from scoring.selectors.match_sizes import load_match_sizes
from scoring.selectors.statements import load_points
from scoring.selectors.still_open import load_still_open
from scoring.services.clocks import refuse_final_match
from scoring.services.opening import open_ready_cards
from scoring.tables.rulings_since import load_rulings_changed, load_rulings_of
from scoring.tables.statements import load_card_statements

__all__ = [
    "has_only_closed_cards",
    "load_begun",
    "load_card_statements",
    "load_match_sizes",
    "load_points",
    "load_rulings_changed",
    "load_rulings_of",
    "load_still_open",
    "open_ready_cards",
    "refuse_final_match",
]
