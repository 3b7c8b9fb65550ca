"""Rounds at tables for the pages: with names, tables and standings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pairing.draws.table_rounds.rounds import Rounds, TableStanding, make_standings, make_standings_at_end
from pairing.matches.selectors.records import COUNTING, load_called, load_names
from pairing.models import MatchResult
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.selectors.entry_names import EntryNames, entries_called
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early


@dataclass(frozen=True)
class SeatedRounds:
    """The rounds with what pages show beside them; `tables`: match → the table it is at now.

    `ended`: the event was ended early, by the standings as they are. `played_by` has the names of who played the tables
    after which a substitute came.
    """

    rounds: Rounds
    names: Mapping[int, str]
    tables: Mapping[str, int]
    ended: bool = False
    played_by: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def name_in(self, match: str, number: int) -> str:
        """Of who plays, or has played, at this table."""
        return self.played_by.get(match, self.names).get(number, str(number))

    @cached_property
    def standings(self) -> tuple[TableStanding, ...]:
        return make_standings_at_end(self.rounds) if self.ended else make_standings(self.rounds)

    @property
    def is_over(self) -> bool:
        return self.rounds.is_complete or self.ended

    @property
    def winners(self) -> tuple[str, ...]:
        """Who has won, once everything is decided; several where they share the first place."""
        if not self.is_over:
            return ()
        return tuple(self.name(one.entry) for one in self.standings if one.place == 1)

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """The entries whose name has the words, or whose number it is."""
        return entries_called(wanted, {entry: self.name(entry) for entry in self.rounds.entries})


def load_hall(event: Event) -> SeatedRounds | None:
    """None before a draw is posted, and for an event of another format."""
    rounds = load_course(event).rounds
    if rounds is None:
        return None
    called = load_called(event, (table.match for table in rounds.ready))
    names = load_names(event)
    played_by = _load_played_by(event, names) if names.earlier else {}
    return SeatedRounds(rounds, names, called, load_ended_early(event) is not None, played_by)


def _load_played_by(event: Event, names: EntryNames) -> dict[str, Mapping[int, str]]:
    """By the first result of each table that counts."""
    results = MatchResult.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("-pk")
    return {ident: names.at(at) for ident, at in results.values_list("match__ident", "at")}
