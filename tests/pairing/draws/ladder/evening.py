"""A simulated ladder evening, in which games are played and corrected, and players come and leave."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from pairing.draws.desk.desk import PairingInput, PairingSuggestion, WaitingEntry
from pairing.draws.ladder import Ladder, make_ladder, suggest_challenges
from pairing.draws.pairs.record import NO_PAIRING_CONSTRAINTS, EntryWithRecord, PairingConstraints
from pairing.draws.results import EntryRemoval, MatchOutcome, Meeting, RemovalReason
from pairing.draws.stages.plan import PoolTerms, StageKind, read_stage_plan
from pairing.draws.stages.pools import PoolFacts
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, TieBreak

NOON: Final = datetime(2026, 11, 28, 12, tzinfo=UTC)


def ladder_terms(games: int, held: int = 1) -> PoolTerms:
    terms = read_stage_plan({"kind": "ladder", "games": games, "held": held}).pool
    assert terms is not None
    return terms


class Evening:
    """A ladder evening. `games` contains all games in order, with the entries that were originally sent to them."""

    def __init__(self, entries: Collection[int], games: int, held: int = 1) -> None:
        self.entries, self.terms = list(entries), ladder_terms(games, held)
        self.games: list[Meeting] = []
        self.gone: dict[int, EntryRemoval] = {}
        self.came = dict.fromkeys(entries, 0)
        self.ended: dict[str, int] = {}
        self.acts = 0
        self.persons: dict[int, frozenset[str]] = {}

    def ladder(self, tie_breaks: Collection[TieBreak] = DEFAULT_TIE_BREAKS) -> Ladder:
        played = PoolFacts(entries=tuple(self.entries), meetings=tuple(self.games), removals=self.gone)
        found = make_ladder(StageKind.LADDER, self.terms, played, tuple(tie_breaks))
        since = dict(self.came)
        for game in found.meetings:
            for side in game.sides if game.match in self.ended and len(game.sides) > 1 else ():
                since[side] = max(since[side], self.ended[game.match])
        return found.with_waiting_times({entry: NOON + timedelta(minutes=at) for entry, at in since.items()})

    def desk(
        self,
        ladder: Ladder,
        *,
        held: Collection[int] = (),
        absent: Collection[int] = (),
        constraints: PairingConstraints = NO_PAIRING_CONSTRAINTS,
    ) -> PairingInput:
        now = ladder.qualifying
        of = {
            entry: EntryWithRecord(
                entry,
                now[entry].record.wins,
                now[entry].record.losses,
                met=now[entry].record.met,
                persons=self.persons.get(entry, frozenset()),
            )
            for entry in self.entries
        }
        return PairingInput(
            waiting=tuple(
                WaitingEntry(of[entry], ladder.since[entry], entry in held, entry in absent)
                for entry in now.ready_entries
            ),
            still_playing=tuple(of[entry] for entry in now.playing_entries),
            constraints=constraints,
            seed="friday",
        )

    def suggest(self, held: Collection[int] = (), absent: Collection[int] = ()) -> PairingSuggestion:
        ladder = self.ladder()
        return suggest_challenges(ladder, self.desk(ladder, held=held, absent=absent), NOON)

    def send(self, one: int, other: int) -> str:
        name = f"G{len(self.games) + 1}"
        self.games.append(Meeting(name, (one, other)))
        return name

    def penalize(self, entry: int) -> None:
        self.games.append(Meeting.penalty(f"X{len(self.games) + 1}", entry))

    def give_bye(self, entry: int) -> None:
        self.games.append(Meeting.bye(f"G{len(self.games) + 1}", entry))

    def end(self, name: str, outcome: MatchOutcome | None) -> None:
        self.acts += 1
        at = next(at for at, game in enumerate(self.games) if game.match == name)
        self.games[at] = replace(self.games[at], outcome=outcome)
        if outcome is None or outcome.is_void:
            self.ended.pop(name, None)
        else:
            self.ended.setdefault(name, self.acts)

    def win(self, name: str, winner: int) -> None:
        sides = self.game(name).sides
        self.end(name, MatchOutcome.won(name, winner, next(side for side in sides if side != winner)))

    def void(self, name: str) -> None:
        self.end(name, MatchOutcome.void(name, self.game(name).sides))

    def lose_both(self, name: str) -> None:
        self.end(name, MatchOutcome.lost_by_all(name, self.game(name).sides))

    def leave(self, entry: int, why: RemovalReason = RemovalReason.WITHDRAWN) -> None:
        """Remove an entry. If it is playing, the opponent gets a walkover."""
        self.acts += 1
        self.gone[entry] = EntryRemoval(entry, why, NOON + timedelta(minutes=self.acts))
        for game in self.open:
            if entry in game.sides:
                self.ended[game.match] = self.acts

    def come(self, entry: int) -> None:
        self.acts += 1
        self.entries.append(entry)
        self.came[entry] = self.acts

    def game(self, name: str) -> Meeting:
        return next(game for game in self.games if game.match == name)

    @property
    def open(self) -> list[Meeting]:
        """The games in progress, except those that a removal has decided."""
        return [game for game in self.games if game.outcome is None and game.match not in self.ended]

    def open_between(self, one: int, other: int) -> str:
        return next(game.match for game in self.open if set(game.sides) == {one, other})
