"""The recorded table assignments, and the rounds at tables as pages need them, with names, tables and standings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pairing.draws.table_rounds import Rounds, TableStanding, make_standings, make_standings_at_end
from pairing.models import MatchResult, Seating
from pairing.stages.selectors.course import load_course
from pairing.stages.selectors.plans import TABLES, table_terms
from pairing.stages.selectors.records import COUNTING, load_called, load_names, load_open_stages
from tournament.core.selectors.events import entries_called
from tournament.models import Entrant, Event
from tournament.money.selectors.ledger import load_ended_early


def load_present(event: Event) -> list[int]:
    """Return the numbers of all entrants who are in."""
    return list(event.entrants.filter(state=Entrant.State.IN).order_by("number").values_list("number", flat=True))


def open_seating(event: Event) -> Seating | None:
    """Return the table assignments that staff preview, neither posted nor taken back."""
    waiting = Seating.objects.filter(stage__in=load_open_stages(event), posted__isnull=True, taken_back__isnull=True)
    return waiting.select_related("stage__draw").first()


def load_last_posted_seating(event: Event) -> Seating | None:
    """Return the newest posted table assignments that count."""
    posted = Seating.objects.filter(stage__in=load_open_stages(event), posted__isnull=False, taken_back__isnull=True)
    return posted.order_by("-round").first()


def load_open_and_last(event: Event) -> tuple[Seating | None, Seating | None]:
    """Return `open_seating` and `load_last_posted_seating` from a single query."""
    counting = Seating.objects.filter(stage__in=load_open_stages(event), taken_back__isnull=True)
    found = list(counting.select_related("stage__draw", "posted").order_by("-round", "pk"))
    posted = [seating for seating in found if hasattr(seating, "posted")]
    waiting = [seating for seating in found if not hasattr(seating, "posted")]
    return next(iter(waiting), None), next(iter(posted), None)


def load_seatings_taken_back(event: Event) -> list[Seating]:
    """Return all table assignments that were taken back, posted or not, the newest first."""
    gone = Seating.objects.filter(stage__draw__commitment__event=event, taken_back__isnull=False)
    return list(gone.select_related("taken_back").order_by("-pk"))


def load_seating_records(event: Event) -> list[dict[str, Any]]:
    """Return every posted round that counts.

    The later ones have the case from which `pair` assigns the tables again.
    """
    posted = Seating.objects.filter(stage__in=load_open_stages(event), posted__isnull=False, taken_back__isnull=True)
    terms = table_terms(event)
    return [_record(seating, terms.size) for seating in posted.order_by("round")] if terms is not None else []


def _record(seating: Seating, size: int) -> dict[str, Any]:
    record = {"round": seating.round, "tables": seating.tables, "sits_out": seating.sits_out}
    if seating.round == 1:
        return record
    playing = sorted(number for table in seating.tables for number in table)
    met, seed = seating.record["met"], seating.record["seed"]
    return {**record, "case": {"format": TABLES, "entries": playing, "size": size, "met": met, "seed": seed}}


def has_no_result(seating: Seating) -> bool:
    """Return whether no result is recorded at any of its tables yet."""
    return not MatchResult.objects.filter(match__seating=seating).exists()


# --- Rounds with names, tables and standings -------------------------------------------------------------------------


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
    played_by: dict[str, Mapping[int, str]] = {}
    if names.earlier:
        # The names at the time of each table's first result that counts.
        results = MatchResult.objects.filter(match__in=event.matches.filter(COUNTING)).order_by("-pk")
        played_by = {ident: names.at(at) for ident, at in results.values_list("match__ident", "at")}
    return SeatedRounds(rounds, names, called, load_ended_early(event) is not None, played_by)
