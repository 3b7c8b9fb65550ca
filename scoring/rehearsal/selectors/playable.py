"""The kinds of events and the rule sets that can be played at random, and the random generator (“dice”) for playing.

New formats, stages, and rule sets are included automatically.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pairing.draws.stages.plan import StageKind, read_single_stage_plan
from pairing.stages.selectors.plans import BRACKET_FORMAT, STAGES_FORMAT, TABLES_FORMAT, stage_kind_form_specs
from pairing.stages.services.plans import EVENT_FORMATS
from scoring.rules.hand.cards import DECK
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import PAIR_SIZE, explain_unsuitable_rules, find_side_limits
from tournament.models import Event

_T = TypeVar("_T")


class RehearsalRandomizer(random.Random):
    """A seeded `random.Random` with additional methods for playing an event."""

    def happens_with_probability(self, of: float) -> bool:
        """Return True with the given probability, from 0 to 1."""
        return self.random() < of

    def pick_one(self, found: Sequence[_T]) -> _T | None:
        """Return a random item, or None if there are no items."""
        return self.choice(found) if found else None

    def pick_some(self, found: Sequence[_T], most: int) -> list[_T]:
        """Return at least one and at most `most` different items, or an empty list if there are no items."""
        return self.sample(found, self.randint(1, min(most, len(found)))) if found else []

    def make_shuffled_list(self, found: Sequence[_T]) -> list[_T]:
        """Return all items in a list in random order."""
        return self.sample(found, len(found))

    def draw_cut_cards(self) -> str:
        """Return three random cards, like those cut from a deck for a public draw."""
        return " ".join(str(card) for card in self.sample(sorted(DECK), 3))

    def choose_low_number(self, most: int) -> int:
        """Return a random number from 0 to `most`. Low numbers are more likely."""
        return min(self.randint(0, most), self.randint(0, most))

    def make_secrets_generator(self) -> "RehearsalRandomizer":
        """Return a new random generator for the secrets of draws.

        Because the secrets come from the new generator, making a draw does not change the numbers that `self` returns
        next.
        """
        return RehearsalRandomizer(self.getrandbits(64))

    def make_key(self) -> str:
        """Return a random idempotency key."""
        return f"{self.getrandbits(64):016x}"


# --- Rule sets, by their names on the command line -------------------------------------------------------------------

_SEPARATOR: Final = ":"
_SHORT_TARGET: Final = 40


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A variant of the game with the options of a preset."""

    name: str
    variant: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def resolve_options(self) -> dict[str, Any]:
        return {**VARIANTS[self.variant].defaults(), **self.options}

    def choose_options(self, dice: RehearsalRandomizer) -> dict[str, Any]:
        """Return options that a director might choose. Short games are preferred."""
        declared = VARIANTS[self.variant]
        if self.options:
            return dict(self.options)
        if declared.presets:
            return self._choose_custom_options(dice)
        options: dict[str, Any] = {}
        for option in declared.options:
            if option.name == "target" and isinstance(option.default, int) and dice.happens_with_probability(0.7):
                options["target"] = max(_SHORT_TARGET, option.default // dice.choice((2, 3, 5)))
            elif (
                option.named
                and option.numbers is None
                and option.text_limits is None
                and dice.happens_with_probability(0.2)
            ):
                options[option.name] = dice.choice([named.value for named in option.named])
        return options

    def _choose_custom_options(self, dice: RehearsalRandomizer) -> dict[str, Any]:
        """Return random options for a custom game: named rounds, a target score, and how the game is won."""
        own: dict[str, Any] = {}
        if dice.happens_with_probability(0.5):
            own["rounds"] = [f"Round {turn}" for turn in range(1, dice.randint(3, 6) + 1)]
        if dice.happens_with_probability(0.6):
            own["target"] = dice.choice((20, 50, 100))
        wins = next(option for option in VARIANTS[self.variant].options if option.name == "wins")
        own["wins"] = dice.choice([named.value for named in wins.named])
        return own


def _load_rule_sets() -> dict[str, RuleSet]:
    """Return all rule sets, keyed by name, in the order of the registry."""
    found: dict[str, RuleSet] = {}
    for name, variant in VARIANTS.items():
        found[name] = RuleSet(name, name)
        for preset in variant.presets:
            whole = f"{name}{_SEPARATOR}{preset.name}"
            found[whole] = RuleSet(whole, name, dict(preset.options))
    return found


# --- Kinds: the formats of the program, and the kinds of stages alone or in a plan -----------------------------------

_PAIRS_SUFFIX: Final = "-pairs"
STAGES_FORMAT_NAME: Final = "stages"
_SITES_FORMAT_NAME: Final = "sites"
KNOCKOUT_FORMAT_NAME: Final = "knockout"
_SITE_NAMES: Final = ("North hall", "South hall")
_Options = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PlayableFormat:
    """A kind of event, such as a knockout for pairs.

    `options` is a function that chooses the format's options for a number of entrants.
    """

    name: str
    format: str
    options: Callable[[RehearsalRandomizer, int], _Options]
    entry_size: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_rotating_sides(self) -> bool:
        """Whether the entrants belong to two sides that rotate, as in the couples tournament and Court Whist.

        The result of such an event comes from a single card for the whole event, or from one card for each player.
        """
        return self.format in [kind.value for kind in StageKind if kind.traits.one_card]

    def find_min_entrants(self, rules: RuleSet) -> int:
        if self.has_rotating_sides:
            return 4
        if self.format == TABLES_FORMAT:
            return find_side_limits(rules.variant, rules.resolve_options())[0]
        return 4 if self.settings else 3


@dataclass(frozen=True, slots=True)
class PlayableCombination:
    """A kind of event with a rule set that can be used in it."""

    kind: PlayableFormat
    rules: RuleSet

    def as_json(self) -> dict[str, str]:
        return {"kind": self.kind.name, "rules": self.rules.name}


def list_playable_combinations() -> list[PlayableCombination]:
    """Return all valid combinations of a kind of event and a rule set."""
    sets = list(_load_rule_sets().values())
    return [PlayableCombination(kind, rules) for kind in _iter_formats() for rules in sets if _can_combine(kind, rules)]


def find_playable_combination(kind: str, rules: str) -> PlayableCombination | None:
    return next(
        (one for one in list_playable_combinations() if one.kind.name == kind and one.rules.name == rules), None
    )


def _iter_formats() -> Iterator[PlayableFormat]:
    """Yield each kind of event, first for singles and then for pairs. Events with two sides are only for singles."""
    for kind in _iter_singles_formats():
        yield kind
        if not kind.has_rotating_sides:
            yield PlayableFormat(kind.name + _PAIRS_SUFFIX, kind.format, kind.options, PAIR_SIZE, kind.settings)


def _iter_singles_formats() -> Iterator[PlayableFormat]:
    for name in EVENT_FORMATS:
        if name == BRACKET_FORMAT:
            yield PlayableFormat(KNOCKOUT_FORMAT_NAME, BRACKET_FORMAT, lambda _dice, _entrants: {})
        elif name == STAGES_FORMAT:
            yield from _iter_stage_formats()
        elif name == TABLES_FORMAT:
            yield PlayableFormat(TABLES_FORMAT, TABLES_FORMAT, _choose_no_options)
        else:
            yield PlayableFormat(name, name, lambda _dice, _entrants: {})


def _iter_stage_formats() -> Iterator[PlayableFormat]:
    """Yield the kinds of events that consist of stages.

    They are an event with a single stage (one for each kind of stage), an event at several sites, and an event with
    several stages.
    """
    for stage in (kind for kind in StageKind if kind.traits.two_meet):
        yield PlayableFormat(stage.value, STAGES_FORMAT, _make_plan_chooser(stage))
    sites = {"sites": list(_SITE_NAMES)}
    yield PlayableFormat(_SITES_FORMAT_NAME, STAGES_FORMAT, _choose_plan_with_sites, settings=sites)
    yield PlayableFormat(STAGES_FORMAT_NAME, STAGES_FORMAT, _choose_long_plan)


def _can_combine(kind: PlayableFormat, rules: RuleSet) -> bool:
    options = rules.resolve_options()
    few, many = find_side_limits(rules.variant, options)
    made = {"size": many if many <= 5 else 4, "full": few == many} if kind.format == TABLES_FORMAT else {}
    if kind.format == TABLES_FORMAT and few < 2:
        return False
    first = StageKind.SWISS if kind.format == STAGES_FORMAT else StageKind(kind.format)
    event = Event(plan=read_single_stage_plan(first, made).as_json(), entry_size=kind.entry_size)
    return not explain_unsuitable_rules(event, rules.variant, options)


def choose_random_table_options(rules: RuleSet, dice: RehearsalRandomizer, entrants: int) -> _Options:
    """Return options for an event played at tables. The table size suits the rules and the number of entrants."""
    few, many = find_side_limits(rules.variant, rules.resolve_options())
    size = dice.randint(few, max(few, min(many, entrants, 5)))
    full = few == many or dice.happens_with_probability(0.3)
    return {"size": size, "full": full, "rounds": dice.randint(1, 3)}


def _choose_no_options(_dice: RehearsalRandomizer, _entrants: int) -> _Options:
    """Return no options for an event at tables.

    The table size depends on the rules, so `choose_random_table_options` sets it later.
    """
    return {}


def _make_plan_chooser(stage: StageKind) -> Callable[[RehearsalRandomizer, int], _Options]:
    def options(dice: RehearsalRandomizer, entrants: int) -> _Options:
        if stage.traits.for_places:
            places = dice.choice((2, 4)) if entrants > 4 else 2
            before = _choose_pool(dice.choice(_POOLS), dice, entrants)
            before.pop("best", None)
            return {
                "stages": [before, {"kind": stage.value, "places": places}, _choose_knockout(StageKind.SINGLE, dice)]
            }
        if stage.traits.is_bracket:
            return {"stages": [{"kind": stage.value, "seeded": dice.happens_with_probability(0.3)}]}
        return {"stages": [_choose_pool(stage, dice, entrants)]}

    return options


def _choose_plan_with_sites(dice: RehearsalRandomizer, entrants: int) -> _Options:
    games = dice.randint(1, max(1, entrants // 2 - 1))
    first: _Options = {"kind": StageKind.FIXED.value, "games": games, "by_site": True, "best": 1}
    return {"stages": [first, _choose_knockout(StageKind.SINGLE, dice)]}


def _choose_long_plan(dice: RehearsalRandomizer, entrants: int) -> _Options:
    """Return a plan with one or two pools and a final bracket."""
    pools = []
    for at in range(dice.randint(1, 2)):
        pool = _choose_pool(dice.choice(_POOLS), dice, entrants)
        pools.append(pool | {"best": max(2, (entrants + 1) // (2 + at))})
    return {"stages": [*pools, _choose_knockout(dice.choice((StageKind.SINGLE, StageKind.DOUBLE)), dice)]}


_POOLS: Final = tuple(kind for kind in StageKind if kind.traits.is_pool)


def _choose_pool(kind: StageKind, dice: RehearsalRandomizer, entrants: int) -> _Options:
    most = max(1, min(4, entrants - 1))
    games = dice.randint(min(2, most), most)
    fields = stage_kind_form_specs()[kind].fields
    if "wins" in fields:
        losses, wins = dice.choice((None, min(2, games))), dice.choice((None, max(1, games - 1)))
        return {"kind": kind.value, "games": games, "losses": losses, "wins": wins, "unbeaten_play_on": False}
    if "groups" in fields:
        return {"kind": kind.value, "groups": 1 if entrants < 6 else dice.randint(1, 2)}
    return {"kind": kind.value, "rounds" if "rounds" in fields else "games": games}


def _choose_knockout(kind: StageKind, dice: RehearsalRandomizer) -> _Options:
    return {"kind": kind.value, "seeded": dice.happens_with_probability(0.5)}
