"""By which format an event is played, chosen until registration closes; and what its rule sheet means for tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pairing.draws.rotation.turning import rotation_terms as side_terms
from pairing.draws.stages.plan import read_plan
from pairing.draws.table_rounds.rounds import terms_of
from pairing.models import RulesAtTables
from pairing.selectors.formats import BRACKET, STAGES, TABLES, load_rules_at_tables
from pairing.selectors.turning import TURNING
from tournament.errors import BadCase, Conflict, DomainError
from tournament.models import Event
from tournament.permissions import Actor, require
from tournament.selectors.sides import USUAL_SIDES
from tournament.services.record import Note, scoped_key, writing


def _no_options(options: Mapping[str, Any]) -> dict[str, Any]:
    if options:
        raise DomainError("bad-format", f"This format has no option “{next(iter(options))}”.")
    return {}


def _table_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return terms_of(options).as_json()


def _side_options(name: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    return lambda options: side_terms(options, usual=USUAL_SIDES[name]).as_json()


def _stage_options(options: Mapping[str, Any]) -> dict[str, Any]:
    plan = read_plan(options)
    alone = next((stage.name for stage in plan.stages if not stage.kind.two_meet), None)
    if alone is not None:
        raise DomainError("bad-format", f"“{alone}” is a format of its own: choose it on the list of formats.")
    return plan.as_json()


OPTIONS: Final = {
    BRACKET: _no_options,
    TABLES: _table_options,
    STAGES: _stage_options,
    **{name: _side_options(name) for name in TURNING},
}
"""Format → its options, read strictly and with what was left out."""


def choose_format(event: Event, name: str, options: Mapping[str, Any], *, by: Actor, key: str = "") -> Event:
    """The format and its options; the same again adds nothing.

    Raises:
        DomainError: `bad-format`.
        Conflict: `closed`: the list is sealed for the format it was closed with.
    """
    require(by, "direct", event.tournament)
    whole = _read(name, options)
    with writing(event, verb="format.chosen", by=by, key=scoped_key(key, name, whole)) as note:
        if note.repeated:
            return note.the_event
        if note.the_event.state not in (Event.State.DRAFT, Event.State.OPEN):
            raise Conflict("closed", "Registration is closed: the format stays. Open it again first to change it.")
        note.the_event.format, note.the_event.format_options = name, whole
        note.the_event.save(update_fields=["format", "format_options"])
        note.about(note.the_event, format=name, options=whole)
        return note.the_event


def _read(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    if name not in OPTIONS:
        raise DomainError("bad-format", "There is no such format. Choose one of the list.")
    try:
        return OPTIONS[name](options)
    except BadCase as error:
        raise DomainError("bad-format", " ".join(problem.message for problem in error.problems)) from None


@dataclass(frozen=True, slots=True)
class AtTables:
    """What a rule sheet means for tables: how many it is for (none: for teams), whether the fewest points win."""

    title: str
    fewest: int
    most: int
    low_wins: bool


def set_table_rules(note: Note, rules: AtTables) -> RulesAtTables:
    """Inside an open write: said again when the rule sheet changes; the same again adds nothing."""
    last = load_rules_at_tables(note.the_event)
    if last is not None and AtTables(last.title, last.fewest, last.most, last.low_wins) == rules:
        return last
    return RulesAtTables.objects.create(
        event=note.the_event,
        title=rules.title,
        fewest=rules.fewest,
        most=rules.most,
        low_wins=rules.low_wins,
        **note.signed(),
    )
