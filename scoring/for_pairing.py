"""The scoring app's implementation of the interface that `pairing/ports.py` defines."""

from scoring.disputes.tables import load_rulings_changed, load_rulings_of
from scoring.posting.selectors.card_status import load_card_points
from scoring.posting.selectors.results import has_only_closed_cards, load_started_matches
from scoring.posting.services.correction_period import refuse_final_match
from scoring.posting.services.opening import open_ready_cards
from scoring.posting.tables import load_card_summaries
from scoring.rulesheets.selectors import load_match_sizes
from scoring.today.selectors.card_items import load_still_open

__all__ = [
    "has_only_closed_cards",
    "load_card_points",
    "load_card_summaries",
    "load_match_sizes",
    "load_rulings_changed",
    "load_rulings_of",
    "load_started_matches",
    "load_still_open",
    "open_ready_cards",
    "refuse_final_match",
]
