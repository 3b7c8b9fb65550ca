"""Choose an event's format, and record the table sizes and scoring direction from its rule sheet."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext as _

from pairing.draws.stages.plan import EventPlan, StageKind, read_event_plan, read_single_stage_plan
from pairing.models import RulesAtTables
from pairing.stages.selectors.plans import BRACKET_FORMAT, STAGES_FORMAT, TABLES_FORMAT, load_table_rules
from tournament.core.permissions import Actor, require_permission
from tournament.core.services.record import WriteTransaction, make_idempotency_key, writing
from tournament.errors import Conflict, DomainError, InvalidInput
from tournament.models import Event

EVENT_FORMATS: Final = (
    BRACKET_FORMAT,
    TABLES_FORMAT,
    STAGES_FORMAT,
    StageKind.ROTATION.value,
    StageKind.COURT_WHIST.value,
)
"""All formats that can be chosen: the kinds that are an event's only stage, and a plan with several stages."""


def choose_format(event: Event, name: str, options: Mapping[str, Any], *, by: Actor, key: str = "") -> Event:
    """Save the format and its options. They can be changed until registration closes.

    Raises:
        DomainError: `bad-format`.
        Conflict: `closed`.
    """
    require_permission(by, "direct", event.tournament)
    plan = _read_format_options(name, options).as_json()
    with writing(event, verb="format.chosen", by=by, key=make_idempotency_key(key, name, plan)) as write:
        if write.repeated:
            return write.the_event
        if write.the_event.state not in (Event.State.DRAFT, Event.State.OPEN):
            raise Conflict(
                "closed", _("Registration is closed, so the format is fixed. Open registration again to change it.")
            )
        write.the_event.plan = plan
        write.the_event.save(update_fields=["plan"])
        write.about(write.the_event, format=name, plan=plan)
        return write.the_event


def _read_format_options(name: str, options: Mapping[str, Any]) -> EventPlan:
    if name not in EVENT_FORMATS:
        raise DomainError("bad-format", _("There is no such format. Choose one from the list."))
    try:
        return _read_stages_plan(options) if name == STAGES_FORMAT else read_single_stage_plan(StageKind(name), options)
    except InvalidInput as error:
        raise DomainError("bad-format", " ".join(problem.message for problem in error.problems)) from None


def _read_stages_plan(options: Mapping[str, Any]) -> EventPlan:
    plan = read_event_plan(options)
    alone = next((stage.name for stage in plan.stages if not stage.kind.traits.two_meet), None)
    if alone is not None:
        raise DomainError(
            "bad-format", _("“%(alone)s” is a separate format. Choose it from the list of formats.") % {"alone": alone}
        )
    return plan


def set_table_rules(write: WriteTransaction, title: str, *, fewest: int, most: int, low_wins: bool) -> RulesAtTables:
    """Record the table sizes that a changed rule sheet allows, and whether the fewest points win.

    `fewest` and `most` are the smallest and largest table size, or 0 if the sides are teams. If nothing has changed, no
    row is added, and the latest row is returned. Call this inside a write transaction.
    """
    last = load_table_rules(write.the_event)
    if last is not None and (last.title, last.fewest, last.most, last.low_wins) == (title, fewest, most, low_wins):
        return last
    terms = {"title": title, "fewest": fewest, "most": most, "low_wins": low_wins}
    return RulesAtTables.objects.create(event=write.the_event, **terms, **write.fact_fields())
