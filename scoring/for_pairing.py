"""The scoring app's implementation of the interface that `pairing/ports.py` defines."""

from scoring.disputes.tables import load_changed_rulings, load_ruling_statements
from scoring.posting.selectors.card_status import load_card_points
from scoring.posting.selectors.results import has_only_closed_cards, load_started_matches
from scoring.posting.services.correction_period import require_match_not_final
from scoring.posting.services.opening import open_ready_cards
from scoring.posting.tables import load_card_summaries
from scoring.rulesheets.selectors import load_relative_match_lengths
from scoring.today.selectors.card_items import load_card_and_ruling_issues

__all__ = [
    "has_only_closed_cards",
    "load_card_and_ruling_issues",
    "load_card_points",
    "load_card_summaries",
    "load_changed_rulings",
    "load_relative_match_lengths",
    "load_ruling_statements",
    "load_started_matches",
    "open_ready_cards",
    "require_match_not_final",
]
