"""Read the plan of an event strictly: its stages in order, and the terms of each.

    options ──read_plan──► Plan: pools of games, a play-off for the last places, a bracket

Any number of pools come first, then at most one play-off, then at most one bracket. If nothing follows a pool, its
standings decide the event. Rounds at tables, couples and Court Whist are always the only stage of their event.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from pairing.draws.ladder import ladder_json, read_ladder
from pairing.draws.stages.plan import (
    MOST_GROUPS,
    MOST_PLACES,
    MOST_STAGES,
    KnockoutTerms,
    Plan,
    PoolTerms,
    StageKind,
    StagePlan,
    everybody_plays,
    read_advancing,
)
from pairing.draws.stages.play_off import ByeBy
from pairing.draws.stages.qualifier import MOST_GAMES, read_qualifier_terms
from pairing.draws.stages.standings import USUAL, TieBreak
from pairing.draws.table_rounds.rounds import read_table_terms
from pairing.draws.two_sides import read_side_terms
from tournament.cases import Fields, Problems, read_choice, read_integer, read_object
from tournament.errors import BadCase
from tournament.lazy_text import lazy_text


def read_plan(options: Mapping[str, Any]) -> Plan:
    """Return the plan of an event. Options that are missing have their usual values.

    >>> plan = read_plan({"stages": [{"kind": "record"}, {"kind": "single-elimination", "byes_to": [5]}]})
    >>> [stage.name for stage in plan.stages], plan.stages[0].pool.qualifier.games
    (['Qualifying', 'Finals'], 5)

    Raises:
        BadCase: there is no stage, the stages cannot follow each other, or an option is unknown or out of bounds.
    """
    problems = Problems()
    fields = Fields(dict(options), problems)
    stages = fields.items("stages", _read_stage)
    tie_breaks = fields.items("tie_breaks", _read_tie_break, default=list(USUAL))
    fields.finish()
    if stages is not None:
        _check_order(stages, problems)
    problems.check()
    return Plan(tuple(stages), tuple(dict.fromkeys(tie_breaks)))


def read_alone(kind: StageKind, options: Mapping[str, Any]) -> Plan:
    """Return the plan of an event that has this stage and no other.

    >>> read_alone(StageKind.SINGLE, {}).first.name, read_alone(StageKind.TABLES, {"size": 3}).first.tables.rounds
    ('Bracket', 1)

    Raises:
        BadCase: `read_plan` refuses the options.
    """
    named = {"name": "Bracket"} if kind is StageKind.SINGLE else {}
    return read_plan({"stages": [{"kind": kind.value, **named, **options}]})


def read_stage(options: Mapping[str, Any]) -> StagePlan:
    """Return a single stage from its options, as they were recorded when it was opened.

    >>> read_stage({"kind": "swiss", "rounds": 3}).as_json()
    {'kind': 'swiss', 'name': 'Swiss rounds', 'rounds': 3, 'best': None}

    Raises:
        BadCase: `read_plan` refuses the options.
    """
    problems = Problems()
    found = _read_stage(dict(options), "stage", problems)
    problems.check()
    assert found is not None
    return found


def _read_tie_break(value: object, path: str, problems: Problems) -> TieBreak | None:
    found = read_choice(value, path, problems, choices=[each.value for each in TieBreak])
    return None if found is None else TieBreak(found)


def _check_order(stages: Sequence[StagePlan], problems: Problems) -> None:
    if not 1 <= len(stages) <= MOST_STAGES:
        problems.bad("stages", lazy_text("An event has one to %(most_stages)s stages.", most_stages=MOST_STAGES))
        return
    alone = next((stage for stage in stages if not stage.kind.traits.two_meet), None)
    if alone is not None and len(stages) > 1:
        problems.bad(
            "stages",
            lazy_text("“%(name)s” is the only stage of its event: nothing comes before or after it.", name=alone.name),
        )
        return
    traits = [stage.kind.traits for stage in stages]
    ranks = [0 if one.is_pool else 1 if one.for_places else 2 for one in traits]
    later = [rank for rank in ranks if rank]
    if ranks != sorted(ranks) or len(later) != len(set(later)):
        problems.bad(
            "stages", lazy_text("Pools of games come first, then at most one play-off, then at most one bracket.")
        )
        return
    _check_first(stages[0], problems)
    for at, (stage, following) in enumerate(pairwise(stages)):
        if stage.pool and stage.pool.best is not None and following.kind.traits.for_places:
            message = lazy_text("The play-off says how many go on: leave the best of the pool before empty.")
            problems.bad(f"stages[{at}].best", message)


def _check_first(first: StagePlan, problems: Problems) -> None:
    """Refuse a first stage that needs earlier games: everybody plays in it, and nobody has a record yet."""
    if first.kind.traits.for_places:
        problems.bad("stages[0]", lazy_text("A play-off needs games before it: put a pool in front."))
    elif first.knockout and (first.knockout.places or first.knockout.byes_to):
        message = lazy_text(
            "Everybody in the draw plays in the first stage: it has no number of places, and nobody has wins yet."
        )
        problems.bad("stages[0].places", message)


def _read_stage(value: object, path: str, problems: Problems) -> StagePlan | None:
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
    own = Fields(terms, problems, path)
    if not kind.traits.two_meet:
        return _read_single_stage(kind, name, own)
    if kind.traits.is_pool:
        read, as_json = _POOL_TERMS[kind]
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


def _read_single_stage(kind: StageKind, name: str, fields: Fields) -> StagePlan | None:
    """Read rounds at tables, couples or Court Whist, each of which checks its own terms."""
    try:
        if kind.traits.sides is None:
            tables = read_table_terms(fields.data)
            return StagePlan(kind, name, tables=tables, terms=tables.as_json())
        turning = read_side_terms(fields.data, usual=kind.traits.sides)
        return StagePlan(kind, name, turning=turning, terms=turning.as_json())
    except BadCase as error:
        _add_problems(error, fields)
        return None


def _add_problems(error: BadCase, fields: Fields) -> None:
    for problem in error.problems:
        fields.problems.add(problem.code, fields.at(problem.path), problem.message)


def _read_record_pool(fields: Fields) -> PoolTerms | None:
    best = read_advancing(fields)
    try:
        terms = read_qualifier_terms({name: value for name, value in fields.data.items() if name != "best"})
    except BadCase as error:
        _add_problems(error, fields)
        return None
    return PoolTerms(qualifier=terms, best=best)


def _read_fixed_pool(fields: Fields) -> PoolTerms:
    games = fields.integer("games", minimum=1, maximum=MOST_GAMES, default=5)
    best, by_site = read_advancing(fields), fields.boolean("by_site", default=False)
    fields.finish()
    return PoolTerms(qualifier=everybody_plays(games), best=best, by_site=by_site)


def _read_swiss_pool(fields: Fields) -> PoolTerms:
    rounds, best = fields.integer("rounds", minimum=1, maximum=MOST_GAMES, default=5), read_advancing(fields)
    fields.finish()
    return PoolTerms(qualifier=everybody_plays(rounds), best=best)


def _read_round_robin(fields: Fields) -> PoolTerms:
    groups, best = fields.integer("groups", minimum=1, maximum=MOST_GROUPS, default=1), read_advancing(fields)
    fields.finish()
    return PoolTerms(qualifier=everybody_plays(MOST_GAMES), best=best, groups=groups)


def _read_knockout(fields: Fields, kind: StageKind) -> KnockoutTerms:
    places: int | None = fields.integer_or_none("places", minimum=1, maximum=MOST_PLACES)
    if kind.traits.for_places and places is None and "places" not in [p.path for p in fields.problems.found]:
        fields.problems.bad(
            fields.at("places"),
            lazy_text("The number of places is missing. Enter how many places the play-off is for."),
        )
    seeded = False if kind.traits.for_places else fields.boolean("seeded", default=False)
    byes_to = fields.items("byes_to", lambda v, p, e: read_integer(v, p, e, minimum=0, maximum=MOST_GAMES), default=())
    fallback = fields.choice("fallback", [by.value for by in ByeBy if by is not ByeBy.RECORD], default="standing")
    fields.finish()
    return KnockoutTerms(places=places, seeded=seeded, byes_to=tuple(byes_to), fallback=ByeBy(fallback))


_PoolReader = tuple[Callable[[Fields], PoolTerms | None], Callable[[Any], dict[str, Any]]]

_POOL_TERMS: Final[Mapping[StageKind, _PoolReader]] = {
    StageKind.RECORD: (_read_record_pool, lambda pool: {**pool.qualifier.as_json(), "best": pool.best}),
    StageKind.FIXED: (
        _read_fixed_pool,
        lambda pool: {"games": pool.qualifier.games, "best": pool.best, "by_site": pool.by_site},
    ),
    StageKind.SWISS: (_read_swiss_pool, lambda pool: {"rounds": pool.qualifier.games, "best": pool.best}),
    StageKind.ROUND_ROBIN: (_read_round_robin, lambda pool: {"groups": pool.groups, "best": pool.best}),
    StageKind.LADDER: (read_ladder, ladder_json),
}
"""Two functions for each kind of pool: one reads its terms, one writes them as JSON."""
