"""The states in which an entry is no longer in the event."""

from typing import Final

from tournament.models import Entrant

State = Entrant.State


GONE: Final = (State.REFUSED, State.WITHDRAWN, State.JOINED, State.PARTED)
"""The states of an entry that is not played any more. A player in a pair plays by the pair's entry."""
