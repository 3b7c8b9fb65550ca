"""An event's plan and format, and descriptions of a stage's terms."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from django.forms import Field
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.draws.desk.desk import DEFAULT_DESK_TERMS, DeskTerms, read_desk_terms
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.draws.stages.plan import EventPlan, PoolTerms, StageKind, StagePlan, StageTraits, read_event_plan
from pairing.draws.table_rounds import TableTerms
from pairing.models import DeskSettings, RulesAtTables
from tournament.errors import InvalidInput
from tournament.models import Event
from tournament.ports import Port

BRACKET_FORMAT: Final = "single-elimination"
TABLES_FORMAT: Final = "tables"
STAGES_FORMAT: Final = "stages"


def load_event_plan(event: Event) -> EventPlan:
    return _read_plan(json.dumps(event.plan))


@lru_cache(maxsize=256)
def _read_plan(plan: str) -> EventPlan:
    return read_event_plan(json.loads(plan))


def load_stage_traits(event: Event) -> StageTraits:
    return load_event_plan(event).first.kind.traits


def load_event_format(event: Event) -> str:
    """Return the event's format, as one of the values that can be chosen on the format page."""
    plan = load_event_plan(event)
    if not plan.first.kind.traits.two_meet:
        return plan.first.kind.value
    return BRACKET_FORMAT if plan.is_knockout and not plan.is_seeded else STAGES_FORMAT


def load_table_terms(event: Event) -> TableTerms | None:
    """Return the settings of an event that is played in groups at tables, or None if it has another format."""
    return load_event_plan(event).first.tables


def load_table_rules(event: Event) -> RulesAtTables | None:
    """Return the rule sheet's table sizes and scoring direction, or None if no rule sheet is selected."""
    return event.rules_at_tables.order_by("-pk").first()


def load_desk_terms(event: Event, number: int) -> DeskTerms:
    """Return a stage's latest desk settings. If there are none or they are invalid, return the defaults."""
    last = DeskSettings.objects.filter(event=event, number=number).values_list("settings", flat=True).last()
    try:
        return read_desk_terms(last) if last else DEFAULT_DESK_TERMS
    except InvalidInput:
        return DEFAULT_DESK_TERMS


# --- The terms of a stage in sentences -------------------------------------------------------------------------------

TermsDescriber = Callable[[StagePlan, DrawTerms | None], list[str]]
"""A function that describes a stage's terms in sentences.

The function gets the stage's plan and, for a first stage, the draw terms.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageKindFormSpec:
    """A kind of stage as it appears in the plan form.

    `fields` are the standard fields that the kind uses, and `extra_fields` are the fields that it adds.
    """

    label: Any
    fields: tuple[str, ...]
    describe: TermsDescriber
    extra_fields: Mapping[str, Callable[[], Field]] = field(default_factory=dict)


stage_kind_form_specs: Port[Mapping[StageKind, StageKindFormSpec]] = Port("how each kind of stage is planned")


def describe_stage_terms(plan: StagePlan, drawn: DrawTerms | None = None) -> list[str]:
    """Describe a stage's terms in sentences. `drawn` are the draw terms if it is the first stage."""
    return stage_kind_form_specs()[plan.kind].describe(plan, drawn)


def describe_knockout_terms(plan: StagePlan, drawn: DrawTerms | None) -> list[str]:
    knockout = plan.knockout
    assert knockout is not None
    play_off = ngettext(
        "Players tied at the cut line play off for the only place.",
        "Players tied at the cut line play off for the last of %(places)s places.",
        knockout.places or 0,
    )
    sentences = {
        StageKind.PLAY_OFF: [play_off],
        StageKind.SINGLE: [_("One loss and a player is out.")],
        StageKind.DOUBLE: [_("Two losses and a player is out.")],
    }[plan.kind]
    if not plan.kind.traits.for_places:
        sentences += [_("%(places)s places.")] if knockout.places else []
        sentences += [_describe_draw(plan, drawn)]
    if knockout.byes_to:
        sentences += [_("Byes go to players with %(wins)s wins.")]
    wins = f" {_('or')} ".join(map(str, knockout.byes_to))
    return [text % {"places": knockout.places, "wins": wins} for text in sentences]


def _describe_draw(plan: StagePlan, drawn: DrawTerms | None) -> str:
    if drawn is not None and drawn.kind is DrawKind.SEEDED:
        return _("Seeded by the director before the cut.")
    if drawn is not None and drawn.kind is DrawKind.BYES:
        return _("Drawn blind, with byes for players named before the draw.")
    seeded = plan.knockout is not None and plan.knockout.seeded and drawn is None
    return _("Seeded by the standings.") if seeded else _("Drawn blind.")


def describe_pool_terms(plan: StagePlan, drawn: DrawTerms | None) -> list[str]:
    pool = plan.pool
    assert pool is not None
    terms = pool.qualifier
    if plan.kind.traits.all_meet:
        in_groups = _("Everybody meets everybody in each of %(groups)s groups.")
        sentences = [in_groups if pool.groups > 1 else _("Everybody meets everybody.")]
    elif plan.kind.traits.pairs_in_rounds:
        sentences = [_("%(games)s rounds. Winners meet winners, and rematches are avoided.")]
    else:
        sentences = [
            ngettext(
                "One game, paired at the desk.",
                "Up to %(games)s games, paired at the desk as players finish.",
                terms.games,
            )
        ]
        sentences += [_("%(losses)s losses and a player is out.")] if terms.losses else []
        sentences += [_("Players with %(wins)s wins advance.")] if terms.wins else []
        sentences += [_("Unbeaten players then play on.")] if terms.wins and terms.unbeaten_play_on else []
    numbers = {"games": terms.games, "losses": terms.losses, "wins": terms.wins, "groups": pool.groups}
    return [*(text % numbers for text in sentences), *describe_advancement_rules(pool)]


def describe_advancement_rules(pool: PoolTerms) -> list[str]:
    """Describe how many entries advance.

    Return an empty list if the plan sets no number. Then either all entries advance, or their win-loss records decide.
    """
    if not pool.best:
        return []
    of_each = pool.groups > 1 or pool.by_site
    sentence = _("The best %(best)s of each group or site advance.") if of_each else _("The best %(best)s advance.")
    return [sentence % {"best": pool.best}]
