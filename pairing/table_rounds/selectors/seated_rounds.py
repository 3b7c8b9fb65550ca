"""The rounds at tables as pages need them, with names, tables and standings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pairing.draws.table_rounds.rounds import Rounds, TableStanding, make_standings, make_standings_at_end
from pairing.matches.selectors.records import COUNTING, load_called, load_names
from pairing.models import MatchResult
from pairing.stage_kinds.selectors.stages import load_course
from tournament.core.selectors.events import EntryNames, entries_called
from tournament.models import Event
from tournament.money.selectors.ledger import load_ended_early


@dataclass(frozen=True)
class SeatedRounds:
    """The rounds of an event with what pages show beside them.

    `tables` maps a match to the table that it is called to. `ended` is true if the event was ended early by the
    standings. `played_by` has the names of the players at a table before a substitute replaced one of them.
    """

    rounds: Rounds
    names: Mapping[int, str]
    tables: Mapping[str, int]
    ended: bool = False
    played_by: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def name_in(self, match: str, number: int) -> str:
        """Return the name of the player who plays, or played, for an entry at this table."""
        return self.played_by.get(match, self.names).get(number, str(number))

    @cached_property
    def standings(self) -> tuple[TableStanding, ...]:
        return make_standings_at_end(self.rounds) if self.ended else make_standings(self.rounds)

    @property
    def is_over(self) -> bool:
        return self.rounds.is_complete or self.ended

    @property
    def winners(self) -> tuple[str, ...]:
        """The winners once everything is decided. There are several if they share the first place."""
        if not self.is_over:
            return ()
        return tuple(self.name(one.entry) for one in self.standings if one.place == 1)

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """Return the entries with this number or with these words in their name."""
        return entries_called(wanted, {entry: self.name(entry) for entry in self.rounds.entries})


def load_hall(event: Event) -> SeatedRounds | None:
    """Return the rounds of an event, or None before the draw is posted and for other formats."""
    rounds = load_course(event).rounds
    if rounds is None:
        return None
    called = load_called(event, (table.match for table in rounds.ready))
    names = load_names(event)
    played_by = _load_played_by(event, names) if names.earlier else {}
    return SeatedRounds(rounds, names, called, load_ended_early(event) is not None, played_by)


def _load_played_by(event: Event, names: EntryNames) -> dict[str, Mapping[int, str]]:
    """Return the names at the time of each table's first result that counts."""
    results = MatchResult.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("-pk")
    return {ident: names.at(at) for ident, at in results.values_list("match__ident", "at")}
