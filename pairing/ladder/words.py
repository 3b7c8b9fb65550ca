"""The ladder on the form of a plan, and its rules in plain sentences."""

from typing import Final

from django import forms
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from pairing.draws.ladder import MOST_HELD, LadderTerms
from pairing.draws.separation.draw import DrawTerms
from pairing.draws.stages.plan import StagePlan
from pairing.plans.words import PlannedKind, say_best


def say_ladder(plan: StagePlan, drawn: DrawTerms | None) -> list[str]:
    terms = plan.pool
    assert isinstance(terms, LadderTerms)
    counted = ngettext("%(challenges)s game in all.", "%(challenges)s games in all.", terms.challenges)
    said = [gettext("The winner stays at the table, and the loser goes to the end of the line."), counted]
    said += [gettext("%(held)s tables are in use at once.")] if terms.held > 1 else []
    said += [gettext("The longest run of wins decides, then total wins, then fewest losses.")]
    return [*(text % {"challenges": terms.challenges, "held": terms.held} for text in said), *say_best(terms)]


def _held() -> forms.Field:
    return forms.IntegerField(
        label=_("Tables held"),
        min_value=1,
        max_value=MOST_HELD,
        required=False,
        help_text=_("At each table the winner stays until they lose. Leave empty for one table."),
    )


PLANNED: Final = PlannedKind(
    label=_("Ladder: the winner stays, the loser goes to the end of the line"),
    fields=("games", "held", "best"),
    own_fields={"held": _held},
    say=say_ladder,
)
