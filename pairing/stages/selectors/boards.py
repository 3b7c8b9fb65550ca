"""The board of an event in stages: names, tables and games for the pages, in a constant number of queries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from django.utils.translation import gettext as _

from pairing.draws.cases.drawn_reasons import Drawn, explain_drawn, explain_groups, explain_play_off, explain_seeded
from pairing.draws.order import name_entries
from pairing.draws.places import Move
from pairing.draws.results import Removed
from pairing.draws.stages.pools import Pool, PoolPart
from pairing.draws.stages.standings import Ranked
from pairing.models import PLAY
from pairing.stages.selectors.bracket_boards import load_begun_matches, load_decided_games
from pairing.stages.selectors.brackets import bracket_record
from pairing.stages.selectors.course import Course, load_course, today_at
from pairing.stages.selectors.kinds import StageMatch, StageState
from pairing.stages.selectors.openings import advancing
from pairing.stages.selectors.pools import PoolStage
from pairing.stages.selectors.records import load_called, load_names, load_removed
from tournament.core.cached import cached
from tournament.core.selectors.events import EntryNames, current_event, entries_called
from tournament.lazy_text import text_from_json
from tournament.models import Event
from tournament.models.topic import ENTRANTS


@dataclass(frozen=True)
class StageBoard:
    """The stages of an event with the names and tables that pages show. `tables` maps a match to its table.

    `begun` are the ready games with a line on their card. `corrected` are decided games that had another result before.
    `written` are all decided games of pools and play-offs, latest first, including walkovers.
    `played_by` names the players of games whose side has a substitute since.
    """

    course: Course
    names: EntryNames
    tables: Mapping[str, int]
    begun: frozenset[str] = frozenset()
    corrected: frozenset[str] = frozenset()
    written: tuple[str, ...] = ()
    played_by: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def name(self, number: int) -> str:
        return self.names.get(number, str(number))

    def name_in(self, ident: str, number: int) -> str:
        """Return the name of the player who plays or played this game for the entry."""
        return self.played_by.get(ident, self.names).get(number, str(number))

    def called(self, text: str) -> str:
        """Replace entry numbers with names in a sentence: “Before entry 9 by wins” → “Before Ann by wins”."""
        return name_entries(text, self.name)

    def entries_called(self, wanted: str) -> tuple[int, ...]:
        """Return the entries whose name contains the words, or whose number they are."""
        return entries_called(wanted, {entry: self.name(entry) for entry in self.course.entries})

    @property
    def waiting(self) -> tuple[int, ...]:
        """The entries of the pool that have games left and are at no table."""
        return self.course.pool.line if self.course.pool is not None else ()

    def pool_of(self, number: int | None) -> PoolStage | None:
        """Return the pool of this stage number, or else the last pool."""
        pools = self.course.pools
        return next((stage for stage in pools if stage.number == number), pools[-1] if pools else None)

    def onward(self, stage: StageState) -> frozenset[int] | None:
        """Return the entries that advance or play off from a complete pool with a stage after it, or else None."""
        if not stage.is_complete:
            return None
        if stage.number < len(self.course.stages):
            return frozenset(self.course.stages[stage.number].row.entries)
        return advancing(self.course) if self.course.to_come is not None else None

    @cached_property
    def playing(self) -> tuple[tuple[str, StageMatch], ...]:
        """The games of the current pool or play-off that are ready or in play, sorted by table."""
        stage = self.course.current
        ready = [(ident, stage.matches[ident]) for ident in stage.ready if ident in stage.matches]
        return tuple(sorted(ready, key=lambda one: (one[0] not in self.tables, self.tables.get(one[0], 0))))

    def games_of(self, entries: frozenset[int]) -> Iterator[tuple[str, StageMatch]]:
        """Yield all games of these entries in pools and play-offs, including scheduled ones."""
        games = (game for stage in self.course.stages for game in stage.matches.items())
        return ((ident, match) for ident, match in games if entries.intersection(match.meeting.sides))


def iter_ranks(pool: Pool) -> Iterator[tuple[PoolPart, Ranked]]:
    """Yield everybody in the order of the standings, part by part."""
    return ((part, row) for part, ranked in pool.standings for row in ranked)


def load_stage_board(event: Event) -> StageBoard | None:
    """Return the board, cached like `load_course`, or None before the draw or if games are not between two."""
    topics = (*PLAY, ENTRANTS)
    return cached(event.pk, topics, "stage board", lambda: _make_board(current_event(event)), at=today_at(event))


def _make_board(event: Event) -> StageBoard | None:
    course = load_course(event)
    if not course.stages or not course.current.kind.traits.two_meet:
        return None
    current = course.current
    idents = current.ready if current.progress is None else ()
    names = load_names(event)
    recorded, corrected, played_by = load_decided_games(event, decided_games(course), names)
    at = {**recorded, **_walkovers(course, load_removed(event))}
    return StageBoard(
        course=course,
        names=names,
        tables=load_called(event, idents),
        begun=load_begun_matches(event, {ident: frozenset(current.matches[ident].meeting.sides) for ident in idents}),
        corrected=corrected,
        written=tuple(sorted(at, key=lambda ident: at[ident], reverse=True)),
        played_by=played_by,
    )


def _walkovers(course: Course, gone: Mapping[int, Removed]) -> dict[str, datetime]:
    """Return when each game ended by itself because somebody had left the event."""
    found: dict[str, datetime] = {}
    for stage in course.stages:
        for ident, match in stage.matches.items():
            outcome = match.meeting.outcome
            if match.by_itself and outcome is not None and len(match.meeting.sides) == 2:
                left = [gone[side].at for side in match.meeting.sides if side != outcome.winner and side in gone]
                found.update({ident: max(left)} if left else {})
    return found


def decided_games(course: Course) -> dict[str, frozenset[int]]:
    """Return the games of pools and play-offs that a result decided, each with its sides."""
    return {
        ident: frozenset(match.meeting.sides)
        for stage in course.stages
        for ident, match in stage.matches.items()
        if match.is_decided and not match.by_itself
    }


# --- Reasons for pairings that the opening of a stage determines -----------------------------------------------------


def is_paired_at_opening(stage: StageState) -> bool:
    """Return whether the opening of the stage determines its pairings."""
    return stage.kind.traits.two_meet and (stage.pool is None or bool(stage.row.record.get("groups")))


def explain_pairings(stage: StageState) -> tuple[Drawn, ...]:
    """Return the known rounds of a play-off, the bracket, or each group. Empty if the desk pairs the stage."""
    record = stage.row.record
    if stage.play_off is not None:
        return tuple(explain_play_off(each) for each in stage.play_off.rounds)
    if stage.progress is not None:
        record = bracket_record(stage.row)
        places = tuple(record["places"])
        if record.get("seeded"):
            return (explain_seeded(stage.kind, places),)
        byes = {bye["entry"]: text_from_json(bye.get("text", bye["why"])) for bye in record.get("byes", ())}
        moves = [Move.from_json(move) for move in record.get("moves", ())]
        return (explain_drawn(stage.kind, record["order"], places, byes, moves),)
    if stage.pool is None or not record.get("groups"):
        return ()
    late = [entry for entry in stage.pool.qualifying.entrants if entry not in stage.row.entries]
    return explain_groups(stage.row.entries, record["groups"], late)


def pairing_reason(stage: StageState, sides: tuple[int, ...]) -> str:
    """Return why these two meet in this stage, or an empty text if they simply both advanced."""
    if stage.pool is not None:
        return _("Everybody in the group meets everybody.")
    pairs = (pair for drawn in explain_pairings(stage) for pair in drawn.pairs)
    return next((why for pair, why in pairs if set(pair) == set(sides)), "")
