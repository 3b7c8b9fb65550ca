"""The ways to play an event: the formats of the program and the kinds of stages, alone or in a plan.

A rule set can be played in a kind if the form of the rule sheet would accept it (`why_not_fit`). New formats, kinds of
stages, rule sets and pad games are therefore included automatically.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pairing.draws.stages.plan import StageKind, read_alone
from pairing.stages.selectors.plan_words import planned_kinds
from pairing.stages.selectors.plans import BRACKET, STAGES, TABLES
from pairing.stages.services.plans import FORMATS
from scoring.management.random_event.dice import Dice
from scoring.management.random_event.rule_sets import RuleSet, rule_sets
from scoring.rulesheets.selectors.sheets import PAIR, side_counts, why_not_fit
from tournament.models import Event

PAIRS: Final = "-pairs"
PLANNED: Final = "stages"
SITES: Final = "sites"
KNOCKOUT: Final = "knockout"
SITE_NAMES: Final = ("North hall", "South hall")
Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A way to play: its format, and a function for the format's options by dice and number of entrants."""

    name: str
    format: str
    options: Callable[[Dice, int], Options]
    entry_size: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def turns(self) -> bool:
        """Whether the event has two sides, and everybody plays on one of them."""
        return self.format in [kind.value for kind in StageKind if kind.traits.one_card]

    def fewest(self, rules: RuleSet) -> int:
        if self.turns:
            return 4
        if self.format == TABLES:
            return side_counts(rules.variant, rules.whole_options())[0]
        return 4 if self.settings else 3


@dataclass(frozen=True, slots=True)
class Playable:
    """A kind with a rule set that can be played in it."""

    kind: Kind
    rules: RuleSet

    def as_json(self) -> dict[str, str]:
        return {"kind": self.kind.name, "rules": self.rules.name}


def playable() -> list[Playable]:
    """Return every rule set in every way it can be played."""
    sets = list(rule_sets().values())
    return [Playable(kind, rules) for kind in kinds() for rules in sets if _fits(kind, rules)]


def find_playable(kind: str, rules: str) -> Playable | None:
    return next((one for one in playable() if one.kind.name == kind and one.rules.name == rules), None)


def kinds() -> Iterator[Kind]:
    """Yield the kinds for singles and for pairs. Events with two sides have no kind for pairs."""
    for kind in _singles():
        yield kind
        if not kind.turns:
            yield Kind(kind.name + PAIRS, kind.format, kind.options, PAIR, kind.settings)


def _singles() -> Iterator[Kind]:
    for name in FORMATS:
        if name == BRACKET:
            yield Kind(KNOCKOUT, BRACKET, lambda _dice, _entrants: {})
        elif name == STAGES:
            yield from _staged()
        elif name == TABLES:
            yield Kind(TABLES, TABLES, _tables)
        else:
            yield Kind(name, name, lambda _dice, _entrants: {})


def _staged() -> Iterator[Kind]:
    """Yield each kind of stage in the shortest plan that can have it, and a plan with several stages."""
    for stage in (kind for kind in StageKind if kind.traits.two_meet):
        yield Kind(stage.value, STAGES, _plan_with(stage))
    sites = {"sites": list(SITE_NAMES)}
    yield Kind(SITES, STAGES, _plan_of_sites, settings=sites)
    yield Kind(PLANNED, STAGES, _long_plan)


def _fits(kind: Kind, rules: RuleSet) -> bool:
    options = rules.whole_options()
    few, many = side_counts(rules.variant, options)
    made = {"size": many if many <= 5 else 4, "full": few == many} if kind.format == TABLES else {}
    if kind.format == TABLES and few < 2:
        return False
    first = StageKind.SWISS if kind.format == STAGES else StageKind(kind.format)
    event = Event(plan=read_alone(first, made).as_json(), entry_size=kind.entry_size)
    return not why_not_fit(event, rules.variant, options)


def table_options(rules: RuleSet, dice: Dice, entrants: int) -> Options:
    """Return the options of tables, with a size that suits the rules and the number of entrants."""
    few, many = side_counts(rules.variant, rules.whole_options())
    size = dice.randint(few, max(few, min(many, entrants, 5)))
    full = few == many or dice.chance(0.3)
    return {"size": size, "full": full, "rounds": dice.randint(1, 3)}


def _tables(_dice: Dice, _entrants: int) -> Options:
    """Return no options. `table_options` fills them in, because they depend on the rules."""
    return {}


def _plan_with(stage: StageKind) -> Callable[[Dice, int], Options]:
    def options(dice: Dice, entrants: int) -> Options:
        if stage.traits.for_places:
            places = dice.choice((2, 4)) if entrants > 4 else 2
            before = _pool(dice.choice(_POOLS), dice, entrants)
            before.pop("best", None)
            return {"stages": [before, {"kind": stage.value, "places": places}, _knockout(StageKind.SINGLE, dice)]}
        if stage.traits.goes_on:
            return {"stages": [{"kind": stage.value, "seeded": dice.chance(0.3)}]}
        return {"stages": [_pool(stage, dice, entrants)]}

    return options


def _plan_of_sites(dice: Dice, entrants: int) -> Options:
    games = dice.randint(1, max(1, entrants // 2 - 1))
    first: Options = {"kind": StageKind.FIXED.value, "games": games, "by_site": True, "best": 1}
    return {"stages": [first, _knockout(StageKind.SINGLE, dice)]}


def _long_plan(dice: Dice, entrants: int) -> Options:
    """Return a plan of one or two pools, with a bracket at the end."""
    pools = []
    for at in range(dice.randint(1, 2)):
        pool = _pool(dice.choice(_POOLS), dice, entrants)
        pools.append(pool | {"best": max(2, (entrants + 1) // (2 + at))})
    return {"stages": [*pools, _knockout(dice.choice((StageKind.SINGLE, StageKind.DOUBLE)), dice)]}


_POOLS: Final = tuple(kind for kind in StageKind if kind.traits.is_pool)


def _pool(kind: StageKind, dice: Dice, entrants: int) -> Options:
    most = max(1, min(4, entrants - 1))
    games = dice.randint(min(2, most), most)
    fields = planned_kinds()[kind].fields
    if "wins" in fields:
        losses, wins = dice.choice((None, min(2, games))), dice.choice((None, max(1, games - 1)))
        return {"kind": kind.value, "games": games, "losses": losses, "wins": wins, "unbeaten_play_on": False}
    if "groups" in fields:
        return {"kind": kind.value, "groups": 1 if entrants < 6 else dice.randint(1, 2)}
    return {"kind": kind.value, "rounds" if "rounds" in fields else "games": games}


def _knockout(kind: StageKind, dice: Dice) -> Options:
    return {"kind": kind.value, "seeded": dice.chance(0.5)}
