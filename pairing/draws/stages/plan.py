"""The plan of an event: its stages in order, their kinds and terms, and how they are read from JSON.

    options ──read_event_plan──► EventPlan: pools of games, a play-off for the last places, a bracket

A plan starts with any number of pools, followed by at most one play-off and at most one bracket. If nothing follows a
pool, its standings decide the event. Rounds at tables, couples and Court Whist are always the only stage.

`StageKind` is the only list of stage kinds. Its traits are all that the rest of the program needs to know about a kind.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from pairing.draws.stages.play_off import ByeBasis
from pairing.draws.stages.qualifier import GRA_PARTNERSHIP_TERMS, MAX_QUALIFYING_GAMES, QualifierTerms
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, TieBreak
from pairing.draws.table_rounds import MAX_TABLE_ROUNDS, MAX_TABLE_SIZE, MIN_TABLE_SIZE, TableTerms
from pairing.draws.two_sides import MAX_SIDE_NAME_LENGTH
from tournament.cases import FieldReader, ProblemCollector, read_choice, read_integer, read_object, read_text
from tournament.lazy_text import lazy_text

MAX_STAGES: Final = 6
MAX_STAGE_PLACES: Final = 4096
MAX_GROUPS: Final = 512
MAX_LADDER_GAMES: Final = 1000
MAX_WINNER_STAYS_TABLES: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTraits:
    """The properties in which the kinds of stage differ.

    - `name`: the default name of the stage.
    - `two_meet`: each match is between two entries, and one of them wins it. A stage without this trait is always the
      only stage of its event.
    - `makes_pairs`: matches are made one by one, each with its two entries.
    - `is_pool`: everybody continues to play, and there are standings.
    - `at_desk`: entries are paired one by one as players finish.
    - `pairs_in_rounds`: all entries are paired at the same time.
    - `all_meet`: all games are scheduled when the stage is opened.
    - `in_line`: entries wait in a line and play in that order, even against opponents that they have met before.
    - `for_places`: the stage is a play-off for the remaining places in the next stage.
    - `is_bracket`: winners advance in a bracket.
    - `two_lives`: an entry is eliminated by its second loss, not by its first one.
    - `at_tables`: everybody gets a new seat each round.
    - `one_card`: the result follows from one card for the whole event, or from one card for each player (`own_cards`).
    - `own_rules`: the rule set that is used in this kind of stage and in no other.
    - `sides`: the default names of the two sides. The first one keeps its seats or moves counterclockwise.
    """

    name: str
    two_meet: bool = True
    makes_pairs: bool = False
    is_pool: bool = False
    at_desk: bool = False
    pairs_in_rounds: bool = False
    all_meet: bool = False
    in_line: bool = False
    for_places: bool = False
    is_bracket: bool = False
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
    traits: StageTraits

    RECORD = "record", StageTraits(name=lazy_text("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    FIXED = "fixed", StageTraits(name=lazy_text("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    SWISS = "swiss", StageTraits(name=lazy_text("Swiss rounds"), makes_pairs=True, is_pool=True, pairs_in_rounds=True)
    ROUND_ROBIN = "round-robin", StageTraits(name=lazy_text("Groups"), makes_pairs=True, is_pool=True, all_meet=True)
    LADDER = "ladder", StageTraits(name=lazy_text("Ladder"), makes_pairs=True, is_pool=True, in_line=True)
    PLAY_OFF = "play-off", StageTraits(name=lazy_text("Play-off"), makes_pairs=True, for_places=True)
    SINGLE = "single-elimination", StageTraits(name=lazy_text("Finals"), is_bracket=True)
    DOUBLE = "double-elimination", StageTraits(name=lazy_text("Finals"), is_bracket=True, two_lives=True)
    TABLES = "tables", StageTraits(name=lazy_text("Tables"), two_meet=False, at_tables=True)
    ROTATION = (
        "rotation",
        StageTraits(
            name=lazy_text("Rounds"),
            two_meet=False,
            one_card=True,
            own_rules="metzker",
            sides=(lazy_text("Guys"), lazy_text("Girls")),
        ),
    )
    COURT_WHIST = (
        "court-whist",
        StageTraits(
            name=lazy_text("Games"),
            two_meet=False,
            one_card=True,
            own_cards=True,
            own_rules="court-whist",
            sides=(lazy_text("Gentlemen"), lazy_text("Ladies")),
        ),
    )

    def __new__(cls, value: str, traits: StageTraits = StageTraits(name="")) -> "StageKind":
        # The default lets `StageKind("swiss")` look a member up by its value alone.
        made = str.__new__(cls, value)
        made._value_, made.traits = value, traits
        return made


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolTerms:
    """The settings of a pool.

    `qualifier` says how many games each entry plays or, in a ladder, how many games there are in all.

    `best` is the number of entries that advance from the pool, or from each group or site. If it is None, the entries
    that qualified by their record advance. `groups` is the number of groups in a round robin. If `by_site` is true, the
    entries of each site are ranked separately. `held` is the number of tables in a ladder at which the winner stays for
    the next game.
    """

    qualifier: QualifierTerms
    best: int | None = None
    groups: int = 1
    by_site: bool = False
    held: int = 1


def _make_terms_for_all_games(games: int) -> QualifierTerms:
    return QualifierTerms(games=games, losses=None, wins=None, unbeaten_play_on=False, byes_to=())


def _read_advancing_count(fields: FieldReader) -> int | None:
    found: int | None = fields.integer_or_none("best", minimum=1, maximum=MAX_STAGE_PLACES)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockoutTerms:
    """The settings of a play-off or a bracket.

    `places` is the number of entries in a bracket, or the number of places that a play-off is played for. If `places`
    is None, there is a place for everybody. A `seeded` bracket follows the standings or, in the first stage, the order
    that the director enters before the draw. Other brackets are drawn blind. `byes_to` lists the numbers of wins that
    earn a bye. `fallback` decides who gets any remaining byes.
    """

    places: int | None = None
    seeded: bool = False
    byes_to: tuple[int, ...] = ()
    fallback: ByeBasis = ByeBasis.STANDING


@dataclass(frozen=True, slots=True)
class StagePlan:
    """A planned stage. At most one of `pool`, `knockout` and `tables` is set.

    `terms` contains the stage's options as they are stored in JSON, such as `rounds` and `best`. The kind and the name
    are not part of it.
    """

    kind: StageKind
    name: str
    pool: PoolTerms | None = None
    knockout: KnockoutTerms | None = None
    tables: TableTerms | None = None
    terms: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind.value, "name": self.name, **self.terms}

    def with_rounds(self, rounds: int | None) -> "StagePlan":
        """Return the stage with fewer games or rounds than planned.

        A ladder is not changed, nor is any stage if `rounds` is None.

        >>> swiss = read_stage_plan({"kind": "swiss", "rounds": 5})
        >>> swiss.with_rounds(3).pool.qualifier.games, swiss.with_rounds(None).pool.qualifier.games
        (3, 5)
        """
        if rounds is None or self.pool is None or self.kind.traits.in_line:
            return self
        if rounds < self.min_rounds or rounds >= self.pool.qualifier.games:
            return self
        return replace(self, pool=replace(self.pool, qualifier=replace(self.pool.qualifier, games=rounds)))

    @property
    def min_rounds(self) -> int:
        """The smallest number of games or rounds that can be set for this stage.

        With fewer, no entry could reach the pool's limit of wins or of losses.
        """
        limits = (self.pool.qualifier.wins, self.pool.qualifier.losses) if self.pool is not None else ()
        return max([1, *(limit for limit in limits if limit is not None)])

    def find_rematch_limit(self, field: int) -> int | None:
        """Return the most rounds that `field` entries can play without a rematch.

        Return None if the stage does not have more rounds than that.

        >>> swiss = read_stage_plan({"kind": "swiss", "rounds": 5})
        >>> swiss.find_rematch_limit(4), swiss.find_rematch_limit(6)
        (3, None)
        """
        traits = self.kind.traits
        if self.pool is None or traits.all_meet or traits.in_line or field < 2:
            return None
        most = _compute_max_rounds(field)
        return most if self.pool.qualifier.games > most else None


@dataclass(frozen=True, slots=True)
class EventPlan:
    """The stages of an event in order, and the tiebreaks for its pools."""

    stages: tuple[StagePlan, ...]
    tie_breaks: tuple[TieBreak, ...] = DEFAULT_TIE_BREAKS

    @property
    def first(self) -> StagePlan:
        return self.stages[0]

    @property
    def is_seeded(self) -> bool:
        """Whether the first bracket is seeded, which means that somebody has to enter the order."""
        return self.first.knockout is not None and self.first.knockout.seeded

    @property
    def desk_stages(self) -> tuple[StagePlan, ...]:
        """The stages that are paired at the desk.

        The result is empty if the event is a single bracket, or if its matches are not between two entries.
        """
        return self.stages if self.first.kind.traits.two_meet and not self.is_knockout else ()

    @property
    def is_knockout(self) -> bool:
        """Whether the event is just a single-elimination bracket."""
        return len(self.stages) == 1 and self.first.kind is StageKind.SINGLE

    def as_json(self) -> dict[str, Any]:
        return {
            "stages": [stage.as_json() for stage in self.stages],
            "tie_breaks": [tie_break.value for tie_break in self.tie_breaks],
        }

    def get_stage_after(self, number: int) -> StagePlan | None:
        """Return the planned stage that follows stage `number`, or None if that is the last stage.

        Stages are numbered from 1, so 0 returns the first stage.
        """
        return self.stages[number] if number < len(self.stages) else None


def _compute_max_rounds(field: int) -> int:
    """Return the most rounds that `field` entries can play without a rematch.

    If the number of entries is odd, each of them sits out once.
    """
    return 0 if field < 2 else field - 1 if field % 2 == 0 else field


# --- Reading a plan --------------------------------------------------------------------------------------------------


def read_event_plan(options: Mapping[str, Any]) -> EventPlan:
    """Read an event's plan from JSON. Missing options get their default values.

    >>> plan = read_event_plan({"stages": [{"kind": "record"}, {"kind": "single-elimination", "byes_to": [5]}]})
    >>> [stage.name for stage in plan.stages], plan.stages[0].pool.qualifier.games
    (['Qualifying', 'Finals'], 5)

    Raises:
        InvalidInput: there is no stage, the stages are in an impossible order, or an option is unknown or out of
            bounds.
    """
    problems = ProblemCollector()
    fields = FieldReader(dict(options), problems)
    stages = fields.items("stages", _read_stage)
    tie_breaks = fields.items("tie_breaks", _read_tie_break, default=list(DEFAULT_TIE_BREAKS))
    fields.finish()
    if stages is not None:
        _check_stage_order(stages, problems)
    problems.raise_if_any()
    return EventPlan(tuple(stages), tuple(dict.fromkeys(tie_breaks)))


def read_single_stage_plan(kind: StageKind, options: Mapping[str, Any]) -> EventPlan:
    """Read the plan of an event that has only this kind of stage.

    >>> read_single_stage_plan(StageKind.TABLES, {"size": 3}).first.tables.rounds
    1

    Raises:
        InvalidInput: `read_event_plan` rejects the options.
    """
    named = {"name": "Bracket"} if kind is StageKind.SINGLE else {}
    return read_event_plan({"stages": [{"kind": kind.value, **named, **options}]})


def read_stage_plan(options: Mapping[str, Any]) -> StagePlan:
    """Read a single stage from the options that were recorded when it was opened.

    >>> read_stage_plan({"kind": "swiss", "rounds": 3}).as_json()
    {'kind': 'swiss', 'name': 'Swiss rounds', 'rounds': 3, 'best': None}

    Raises:
        InvalidInput: `read_event_plan` rejects the options.
    """
    problems = ProblemCollector()
    found = _read_stage(dict(options), "stage", problems)
    problems.raise_if_any()
    assert found is not None
    return found


def _read_tie_break(value: object, path: str, problems: ProblemCollector) -> TieBreak | None:
    found = read_choice(value, path, problems, choices=[each.value for each in TieBreak])
    return None if found is None else TieBreak(found)


def _check_stage_order(stages: Sequence[StagePlan], problems: ProblemCollector) -> None:
    if not 1 <= len(stages) <= MAX_STAGES:
        problems.add_bad_value(
            "stages", lazy_text("An event has one to %(most_stages)s stages.", most_stages=MAX_STAGES)
        )
        return
    alone = next((stage for stage in stages if not stage.kind.traits.two_meet), None)
    if alone is not None and len(stages) > 1:
        problems.add_bad_value(
            "stages",
            lazy_text("“%(name)s” is the only stage of its event: nothing comes before or after it.", name=alone.name),
        )
        return
    traits = [stage.kind.traits for stage in stages]
    ranks = [0 if one.is_pool else 1 if one.for_places else 2 for one in traits]
    later = [rank for rank in ranks if rank]
    if ranks != sorted(ranks) or len(later) != len(set(later)):
        problems.add_bad_value(
            "stages", lazy_text("Pools of games come first, then at most one play-off, then at most one bracket.")
        )
        return
    _check_first_stage(stages[0], problems)
    for at, (stage, following) in enumerate(pairwise(stages)):
        if stage.pool and stage.pool.best is not None and following.kind.traits.for_places:
            message = lazy_text("The play-off says how many go on: leave the best of the pool before empty.")
            problems.add_bad_value(f"stages[{at}].best", message)


def _check_first_stage(first: StagePlan, problems: ProblemCollector) -> None:
    """Report a problem if the first stage depends on earlier games.

    Nobody has a win-loss record before the first stage.
    """
    if first.kind.traits.for_places:
        problems.add_bad_value("stages[0]", lazy_text("A play-off needs games before it: put a pool in front."))
    elif first.knockout and (first.knockout.places or first.knockout.byes_to):
        message = lazy_text(
            "Everybody in the draw plays in the first stage: it has no number of places, and nobody has wins yet."
        )
        problems.add_bad_value("stages[0].places", message)


def _read_stage(value: object, path: str, problems: ProblemCollector) -> StagePlan | None:
    data = read_object(value, path, problems)
    if data is None:
        return None
    found = read_choice(data.get("kind"), f"{path}.kind", problems, choices=[kind.value for kind in StageKind])
    if found is None:
        return None
    kind = StageKind(found)
    terms = {name: value for name, value in data.items() if name not in ("kind", "name")}
    name = str(data.get("name") or kind.traits.name)[:100]
    before = len(problems.found)
    own = FieldReader(terms, problems, path)
    if not kind.traits.two_meet:
        return _read_single_stage(kind, name, own)
    if kind.traits.is_pool:
        read, as_json = _POOL_READERS[kind]
        pool = read(own)
        if pool is None or len(problems.found) > before:
            return None
        # Store all the terms, so that a later change of the usual values does not affect the stage.
        return StagePlan(kind, name, pool=pool, terms=as_json(pool))
    knockout = _read_knockout(own, kind)
    if len(problems.found) > before:
        return None
    recorded = {"places": knockout.places, "byes_to": list(knockout.byes_to), "fallback": knockout.fallback.value}
    if not kind.traits.for_places:
        recorded["seeded"] = knockout.seeded
    return StagePlan(kind, name, knockout=knockout, terms=recorded)


def _read_single_stage(kind: StageKind, name: str, fields: FieldReader) -> StagePlan | None:
    before = len(fields.problems.found)
    if kind.traits.sides is None:
        tables = TableTerms(
            size=fields.integer("size", minimum=MIN_TABLE_SIZE, maximum=MAX_TABLE_SIZE, default=4),
            requires_full_tables=fields.boolean("full", default=False),
            rounds=fields.integer("rounds", minimum=1, maximum=MAX_TABLE_ROUNDS, default=1),
        )
        fields.finish()
        found = StagePlan(kind, name, tables=tables, terms=tables.as_json())
    else:
        names = fields.items("sides", _read_side_name, default=list(kind.traits.sides))
        is_read = len(fields.problems.found) == before
        if (is_read and len({side.casefold() for side in names}) != 2) or len(names) > 2:
            fields.problems.add_bad_value(
                fields.get_path("sides"), lazy_text("Two sides have two names, which are not the same.")
            )
        fields.finish()
        found = StagePlan(kind, name, terms={"sides": names})
    return found if len(fields.problems.found) == before else None


def _read_side_name(value: Any, path: str, problems: ProblemCollector) -> str | None:
    text = read_text(value, path, problems, longest=MAX_SIDE_NAME_LENGTH)
    if text is not None and not text.strip():
        problems.add_bad_value(path, lazy_text("A side has a name."))
        return None
    return None if text is None else text.strip()


def _read_record_pool(fields: FieldReader) -> PoolTerms | None:
    """Read the terms of a qualifying stage. The defaults are those of the GRA partnership event."""
    before = len(fields.problems.found)
    best = _read_advancing_count(fields)
    # The answer to an unknown field lists the terms of the qualifier only.
    others = {name: value for name, value in fields.data.items() if name != "best"}
    terms = FieldReader(others, fields.problems, fields.path)
    games = terms.integer("games", minimum=1, maximum=MAX_QUALIFYING_GAMES, default=GRA_PARTNERSHIP_TERMS.games)
    most = games or MAX_QUALIFYING_GAMES
    losses = terms.integer_or_none("losses", minimum=1, maximum=most, default=min(2, most))
    wins = terms.integer_or_none("wins", minimum=1, maximum=most, default=min(4, most))
    play_on = terms.boolean("unbeaten_play_on", default=True)
    byes_to = terms.items("byes_to", lambda v, p, e: read_integer(v, p, e, minimum=1, maximum=most), default=[most])
    terms.finish()
    if len(fields.problems.found) > before:
        return None
    limits = QualifierTerms(games=games, losses=losses, wins=wins, unbeaten_play_on=play_on, byes_to=tuple(byes_to))
    return PoolTerms(qualifier=limits, best=best)


def _read_fixed_pool(fields: FieldReader) -> PoolTerms:
    games = fields.integer("games", minimum=1, maximum=MAX_QUALIFYING_GAMES, default=5)
    best, by_site = _read_advancing_count(fields), fields.boolean("by_site", default=False)
    fields.finish()
    return PoolTerms(qualifier=_make_terms_for_all_games(games), best=best, by_site=by_site)


def _read_swiss_pool(fields: FieldReader) -> PoolTerms:
    rounds, best = (
        fields.integer("rounds", minimum=1, maximum=MAX_QUALIFYING_GAMES, default=5),
        _read_advancing_count(fields),
    )
    fields.finish()
    return PoolTerms(qualifier=_make_terms_for_all_games(rounds), best=best)


def _read_round_robin(fields: FieldReader) -> PoolTerms:
    groups, best = fields.integer("groups", minimum=1, maximum=MAX_GROUPS, default=1), _read_advancing_count(fields)
    fields.finish()
    return PoolTerms(qualifier=_make_terms_for_all_games(MAX_QUALIFYING_GAMES), best=best, groups=groups)


def _read_ladder(fields: FieldReader) -> PoolTerms:
    games = fields.integer("games", minimum=1, maximum=MAX_LADDER_GAMES, default=20)
    held = fields.integer("held", minimum=1, maximum=MAX_WINNER_STAYS_TABLES, default=1)
    best = _read_advancing_count(fields)
    fields.finish()
    return PoolTerms(qualifier=_make_terms_for_all_games(games), best=best, held=held)


def _read_knockout(fields: FieldReader, kind: StageKind) -> KnockoutTerms:
    places: int | None = fields.integer_or_none("places", minimum=1, maximum=MAX_STAGE_PLACES)
    if kind.traits.for_places and places is None and "places" not in [p.path for p in fields.problems.found]:
        fields.problems.add_bad_value(
            fields.get_path("places"),
            lazy_text("The number of places is missing. Enter how many places the play-off is for."),
        )
    seeded = False if kind.traits.for_places else fields.boolean("seeded", default=False)
    byes_to = fields.items(
        "byes_to", lambda v, p, e: read_integer(v, p, e, minimum=0, maximum=MAX_QUALIFYING_GAMES), default=()
    )
    fallback = fields.choice("fallback", [by.value for by in ByeBasis if by is not ByeBasis.RECORD], default="standing")
    fields.finish()
    return KnockoutTerms(places=places, seeded=seeded, byes_to=tuple(byes_to), fallback=ByeBasis(fallback))


_PoolReader = tuple[Callable[[FieldReader], PoolTerms | None], Callable[[Any], dict[str, Any]]]

_POOL_READERS: Final[Mapping[StageKind, _PoolReader]] = {
    StageKind.RECORD: (_read_record_pool, lambda pool: {**pool.qualifier.as_json(), "best": pool.best}),
    StageKind.FIXED: (
        _read_fixed_pool,
        lambda pool: {"games": pool.qualifier.games, "best": pool.best, "by_site": pool.by_site},
    ),
    StageKind.SWISS: (_read_swiss_pool, lambda pool: {"rounds": pool.qualifier.games, "best": pool.best}),
    StageKind.ROUND_ROBIN: (_read_round_robin, lambda pool: {"groups": pool.groups, "best": pool.best}),
    StageKind.LADDER: (
        _read_ladder,
        lambda pool: {"games": pool.qualifier.games, "held": pool.held, "best": pool.best},
    ),
}
"""Two functions for each kind of pool: one reads its terms, and the other converts them to JSON."""
