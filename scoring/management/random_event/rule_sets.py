"""The rule sets that can be played, by their names on the command line.

They are those of the registry, and every game of a rule set with several (`score-pad:hearts`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from scoring.management.random_event.dice import Dice
from scoring.rules.variants import VARIANTS

SEPARATOR: Final = ":"
SHORT_TARGET: Final = 40


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A rule set: the variant with the options of a preset."""

    name: str
    variant: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def whole_options(self) -> dict[str, Any]:
        return {**VARIANTS[self.variant].defaults(), **self.options}

    def chosen(self, dice: Dice) -> dict[str, Any]:
        """Return options as a director might choose them. Games are often short, so that an event has more of them."""
        declared = VARIANTS[self.variant]
        if self.options:
            return dict(self.options)
        if declared.presets:
            return self._of_its_own(dice)
        options: dict[str, Any] = {}
        for option in declared.options:
            if option.name == "target" and isinstance(option.default, int) and dice.chance(0.7):
                options["target"] = max(SHORT_TARGET, option.default // dice.choice((2, 3, 5)))
            elif option.named and option.numbers is None and option.texts is None and dice.chance(0.2):
                options[option.name] = dice.choice([named.value for named in option.named])
        return options

    def _of_its_own(self, dice: Dice) -> dict[str, Any]:
        """Return the options of an invented pad game: named rounds, a target, or a game that somebody wins outright."""
        own: dict[str, Any] = {}
        if dice.chance(0.5):
            own["rounds"] = [f"Round {turn}" for turn in range(1, dice.randint(3, 6) + 1)]
        if dice.chance(0.6):
            own["target"] = dice.choice((20, 50, 100))
        wins = next(option for option in VARIANTS[self.variant].options if option.name == "wins")
        own["wins"] = dice.choice([named.value for named in wins.named])
        return own


def rule_sets() -> dict[str, RuleSet]:
    """Return the rule sets by name, in the order of the registry."""
    found: dict[str, RuleSet] = {}
    for name, variant in VARIANTS.items():
        found[name] = RuleSet(name, name)
        for preset in variant.presets:
            whole = f"{name}{SEPARATOR}{preset.name}"
            found[whole] = RuleSet(whole, name, dict(preset.options))
    return found
