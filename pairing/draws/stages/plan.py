"""The plan of an event: its stages in order, the kind of each, and its terms.

`StageKind` is the only list of the kinds of stage. Its traits are all that the program must know of a kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

from pairing.draws.stages.play_off import ByeBy
from pairing.draws.stages.qualifier import QualifierTerms
from pairing.draws.stages.standings import USUAL, TieBreak
from pairing.draws.table_rounds.rounds import TableTerms
from pairing.draws.two_sides import SideTerms
from tournament.cases import Fields
from tournament.lazy_text import lazy_text

MOST_STAGES: Final = 6
MOST_PLACES: Final = 4096
MOST_GROUPS: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """The differences between the kinds of stage.

    - `name`: the usual name of the stage.
    - `two_meet`: two entries play each match, and one of them wins it. Otherwise the stage is the only one of its
      event.
    - `makes_pairs`: its matches are made one by one, each with its two entries.
    - `is_pool`: everybody plays on, and there are standings.
    - `at_desk`: entries are paired one by one as players finish.
    - `by_rounds`: all entries are paired at once.
    - `all_meet`: all meetings are fixed when the stage is opened.
    - `in_line`: waiting entries form a line, whomever they have met.
    - `for_places`: it is played for the last places that lead on.
    - `goes_on`: winners advance in a bracket.
    - `two_lives`: an entry that loses once plays on.
    - `at_tables`: everybody gets a new seat each round.
    - `one_card`: the result follows from one card for the whole event, or from one card for each player (`own_cards`).
    - `own_rules`: the rule set that is played in this kind of stage and in no other.
    - `sides`: the usual names of the two sides. The first one keeps its seats or moves counter-clockwise.
    """

    name: str
    two_meet: bool = True
    makes_pairs: bool = False
    is_pool: bool = False
    at_desk: bool = False
    by_rounds: bool = False
    all_meet: bool = False
    in_line: bool = False
    for_places: bool = False
    goes_on: bool = False
    two_lives: bool = False
    at_tables: bool = False
    one_card: bool = False
    own_cards: bool = False
    own_rules: str = ""
    sides: tuple[str, str] | None = None


class StageKind(StrEnum):
    """A kind of stage, with its traits.

    >>> StageKind.SWISS.traits.is_pool, StageKind.SINGLE.traits.makes_pairs, StageKind("tables").traits.two_meet
    (True, False, False)
    """

    _value_: str
    traits: Traits

    RECORD = "record", Traits(name=lazy_text("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    FIXED = "fixed", Traits(name=lazy_text("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    SWISS = "swiss", Traits(name=lazy_text("Swiss rounds"), makes_pairs=True, is_pool=True, by_rounds=True)
    ROUND_ROBIN = "round-robin", Traits(name=lazy_text("Groups"), makes_pairs=True, is_pool=True, all_meet=True)
    LADDER = "ladder", Traits(name=lazy_text("Ladder"), makes_pairs=True, is_pool=True, in_line=True)
    PLAY_OFF = "play-off", Traits(name=lazy_text("Play-off"), makes_pairs=True, for_places=True)
    SINGLE = "single-elimination", Traits(name=lazy_text("Finals"), goes_on=True)
    DOUBLE = "double-elimination", Traits(name=lazy_text("Finals"), goes_on=True, two_lives=True)
    TABLES = "tables", Traits(name=lazy_text("Tables"), two_meet=False, at_tables=True)
    ROTATION = (
        "rotation",
        Traits(
            name=lazy_text("Rounds"),
            two_meet=False,
            one_card=True,
            own_rules="metzker",
            sides=(lazy_text("Guys"), lazy_text("Girls")),
        ),
    )
    COURT_WHIST = (
        "court-whist",
        Traits(
            name=lazy_text("Games"),
            two_meet=False,
            one_card=True,
            own_cards=True,
            own_rules="court-whist",
            sides=(lazy_text("Gentlemen"), lazy_text("Ladies")),
        ),
    )

    def __new__(cls, value: str, traits: Traits = Traits(name="")) -> "StageKind":
        # The default lets `StageKind("swiss")` look a member up by its value alone.
        made = str.__new__(cls, value)
        made._value_, made.traits = value, traits
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTerms:
    """The terms of a pool. `qualifier` limits the games.

    `best` is the number of entries that go on, from each group or site if there are several. If it is None, the
    entries that have qualified by the record go on. `groups` is the number of groups of a round robin. `by_site` ranks
    the entries of each site separately.
    """

    qualifier: QualifierTerms
    best: int | None = None
    groups: int = 1
    by_site: bool = False


def everybody_plays(games: int) -> QualifierTerms:
    """Return terms by which everybody plays this many games, whatever they win."""
    return QualifierTerms(games=games, losses=None, wins=None, unbeaten_play_on=False, byes_to=())


def read_advancing(fields: Fields) -> int | None:
    """Read how many entries go on. None means all of them."""
    found: int | None = fields.integer_or_none("best", minimum=1, maximum=MOST_PLACES)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockoutTerms:
    """The terms by which a play-off or a bracket begins.

    `places` is the number of places in a bracket, or the number for which a play-off is played. If it is None, there
    is a place for everybody. `seeded` brackets follow the standings. In the first stage they follow the order that the
    director writes before the draw. Other brackets are drawn blind. `byes_to` lists the numbers of wins that have the
    byes. `fallback` decides about the remaining byes.
    """

    places: int | None = None
    seeded: bool = False
    byes_to: tuple[int, ...] = ()
    fallback: ByeBy = ByeBy.STANDING


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A planned stage.

    Exactly one of `pool`, `knockout`, `tables` and `turning` is set. `terms` has all its terms as JSON.
    """

    kind: StageKind
    name: str
    pool: PoolTerms | None = None
    knockout: KnockoutTerms | None = None
    tables: TableTerms | None = None
    turning: SideTerms | None = None
    terms: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "name": self.name, **self.terms}


@dataclass(frozen=True, slots=True)
class Plan:
    """The stages in order, and the tiebreaks by which the pools are ranked."""

    stages: tuple[StagePlan, ...]
    tie_breaks: tuple[TieBreak, ...] = USUAL

    @property
    def first(self) -> StagePlan:
        return self.stages[0]

    @property
    def is_seeded(self) -> bool:
        """Whether the first bracket is seeded, so that somebody has to write the order."""
        return self.first.knockout is not None and self.first.knockout.seeded

    @property
    def desk_stages(self) -> tuple[StagePlan, ...]:
        """The stages at which the desk pairs.

        There are none if the event is one bracket, or its matches are not for two.
        """
        return self.stages if self.first.kind.traits.two_meet and not self.is_knockout else ()

    @property
    def is_knockout(self) -> bool:
        """Whether the event is a single elimination and nothing else."""
        return len(self.stages) == 1 and self.first.kind is StageKind.SINGLE

    def as_json(self) -> dict[str, Any]:
        return {
            "stages": [stage.as_json() for stage in self.stages],
            "tie_breaks": [tie_break.value for tie_break in self.tie_breaks],
        }

    def after(self, number: int) -> StagePlan | None:
        """Return the stage after the one with this number, counted from 1. After 0 comes the first stage."""
        return self.stages[number] if number < len(self.stages) else None


def with_rounds(stage: StagePlan, rounds: int | None) -> StagePlan:
    """Return the stage with fewer games or rounds than planned. None leaves it as planned.

    >>> from pairing.draws.plan_reading import read_stage
    >>> swiss = read_stage({"kind": "swiss", "rounds": 5})
    >>> with_rounds(swiss, 3).pool.qualifier.games, with_rounds(swiss, None).pool.qualifier.games
    (3, 5)
    """
    if rounds is None or stage.pool is None or rounds < fewest_rounds(stage) or rounds >= stage.pool.qualifier.games:
        return stage
    return replace(stage, pool=replace(stage.pool, qualifier=replace(stage.pool.qualifier, games=rounds)))


def fewest_rounds(stage: StagePlan) -> int:
    """Return the fewest games or rounds in which the stage's limit of wins or losses can be reached.

    >>> from pairing.draws.plan_reading import read_stage
    >>> fewest_rounds(read_stage({"kind": "swiss", "rounds": 5}))
    1
    """
    limits = (stage.pool.qualifier.wins, stage.pool.qualifier.losses) if stage.pool is not None else ()
    return max([1, *(limit for limit in limits if limit is not None)])


def most_rounds(field: int) -> int:
    """Return the most rounds this many entries can play without a rematch. If their number is odd, each rests once.

    >>> most_rounds(8), most_rounds(7), most_rounds(1)
    (7, 7, 0)
    """
    return 0 if field < 2 else field - 1 if field % 2 == 0 else field


def rematch_rounds(stage: StagePlan, field: int) -> int | None:
    """Return how many rounds the field can play without a rematch, or None if the stage has no more than that.

    >>> from pairing.draws.plan_reading import read_stage
    >>> swiss = read_stage({"kind": "swiss", "rounds": 5})
    >>> rematch_rounds(swiss, 4), rematch_rounds(swiss, 6)
    (3, None)
    """
    traits = stage.kind.traits
    if stage.pool is None or traits.all_meet or traits.in_line or field < 2:
        return None
    most = most_rounds(field)
    return most if stage.pool.qualifier.games > most else None
