"""The open score cards at a table, across all events of a tournament."""

from pairing.stages.selectors.course import busy_tables
from scoring.card_state.selectors.cards import CardState, load_match_cards
from tournament.models import Event, Tournament


def load_open_cards_at_table(tournament: Tournament, table: int) -> list[CardState]:
    """Return the cards at a table that are not posted, of the undecided match that was called there in each event."""
    open_cards: list[CardState] = []
    for event in tournament.events.filter(state=Event.State.IN_PLAY):
        match = busy_tables(event).get(table)
        if match is not None:
            open_cards += [state for state in load_match_cards(match) if not state.is_posted]
    return open_cards
