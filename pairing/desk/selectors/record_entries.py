"""Turn waiting entrants into the input of pairing by record."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from pairing.apart.selectors import load_pairing_rules
from pairing.draws.desk.desk import DeskTerms, PairingInput, WaitingEntry
from pairing.draws.pairs.field import RecordEntry
from pairing.stage_kinds.selectors.stages import Course, load_persons
from tournament.models import Event


@dataclass(frozen=True)
class DeskWaits:
    """The state of the desk apart from the stages: settings, waits, holds and absences."""

    terms: DeskTerms
    since: Mapping[int, datetime]
    held: frozenset[int]
    absent: frozenset[int]
    clubs: Mapping[int, str]
    now: datetime


class RecordEntries:
    """The entrants who wait or may come back, in the form that pairing by record takes."""

    def __init__(self, event: Event, course: Course, waits: DeskWaits) -> None:
        assert course.current.pool is not None
        self.stage, self.pool, self.waits = course.current, course.current.pool, waits
        qualifying = self.pool.qualifying
        self.persons = load_persons(event, [*qualifying.ready, *qualifying.playing])
        self.rules = load_pairing_rules(event, waits.clubs, waits.terms.apart_in, first=self.stage.number == 1)
        # The secret is published with the draw. Nobody can work out the first round's pairs before that.
        self.seed = f"{course.draw.commitment.secret[:16]} {self.stage.seed}"
        if self.stage.kind.traits.by_rounds:
            self.seed += f" round {self.pool.rounds + 1}"

    def at(self, entries: tuple[int, ...]) -> PairingInput:
        qualifying, in_line = self.pool.qualifying, self.stage.kind.traits.in_line
        inside, absent = set(entries), frozenset[int]() if self.waits.terms.pair_absent else self.waits.absent
        waiting = [entry for entry in qualifying.ready if entry in inside]
        coming = [entry for entry in qualifying.playing if entry in inside and self._may_come(entry)]
        return PairingInput(
            waiting=tuple(
                WaitingEntry(self._entry(entry), self.waits.since[entry], entry in self.waits.held, entry in absent)
                for entry in waiting
            ),
            to_come=tuple(self._entry(entry) for entry in coming),
            terms=replace(self.waits.terms, difference=None) if in_line else self.waits.terms,
            constraints=self.rules.holding({entry: self._turn(entry) for entry in (*waiting, *coming)}),
            seed=self.seed,
        )

    def _entry(self, entry: int) -> RecordEntry:
        found = self.pool.qualifying[entry].as_entry(self.persons.get(entry, frozenset()))
        return replace(found, met=frozenset()) if self.stage.kind.traits.in_line else found

    def _turn(self, entry: int) -> int:
        """Return the number of the entry's next game."""
        if self.stage.kind.traits.by_rounds:
            return self.pool.rounds + 1
        record = self.pool.qualifying[entry].record
        return record.games + len(record.playing) + 1

    def _may_come(self, entry: int) -> bool:
        found, terms = self.pool.qualifying[entry], self.pool.terms.qualifier
        wins, losses = found.record.wins, found.record.losses
        return found.removal is None and (terms.plays_on(wins + 1, losses) or terms.plays_on(wins, losses + 1))
