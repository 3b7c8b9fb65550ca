"""The answers of the score cards to the questions in `pairing/above.py`."""

from scoring.correction_period.services import refuse_final_match
from scoring.posting.selectors.card_status import load_points
from scoring.posting.selectors.results import has_only_closed_cards, load_begun
from scoring.posting.services.opening import open_ready_cards
from scoring.posting.tables import load_card_statements
from scoring.rulesheets.selectors.lengths import load_match_sizes
from scoring.rulings.tables import load_rulings_changed, load_rulings_of
from scoring.today.selectors.cards import load_still_open

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
