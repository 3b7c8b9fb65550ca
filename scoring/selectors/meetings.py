"""Who meets whom now: the matches of the posted draw with both entrants, their tables and their games."""

from __future__ import annotations

from dataclasses import dataclass

from pairing.draws import MatchView, Progress, State
from pairing.models import Match
from pairing.selectors.brackets import load_progress
from tournament.errors import Conflict, NotFound
from tournament.models import Entrant, Event


@dataclass(frozen=True)
class Meeting:
    """A match whose two entrants are known."""

    match: Match
    one: Entrant
    other: Entrant
    view: MatchView

    @property
    def pair(self) -> tuple[int, int]:
        return self.one.pk, self.other.pk

    @property
    def is_decided(self) -> bool:
        return self.view.state is State.DECIDED

    def opponent_of(self, entrant: Entrant) -> Entrant:
        return self.other if entrant.pk == self.one.pk else self.one
