"""The changes of a card from one signed content to another, in words."""

import json
from typing import Any

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState
from scoring.card_state.selectors.side_names import as_start
from scoring.card_state.tables.words import ended, line_in_words
from scoring.models import CardVersion, SheetLine
from scoring.rules.evidence.content import VersionChange, version_changes
from tournament.templatetags.gin import local_day_time, minus


def changes_between(state: CardState, was: CardVersion, now: CardVersion) -> list[dict[str, str]]:
    """Return the changes for components/card_changes.html, each with `what`, `was` and `now`."""
    found = version_changes(json.loads(was.content), json.loads(now.content))
    return [_change(state, one) for one in found if one.place not in ("complete", "lines_left")]


def changes_since(state: CardState, was: CardVersion) -> list[dict[str, str]]:
    """Return the changes from that version to the current card, signed or not."""
    found = version_changes(json.loads(was.content), json.loads(state.evidence.canonical))
    return [_change(state, one) for one in found if one.place != "complete"]


def acts_since(state: CardState, was: CardVersion) -> list[str]:
    """Return the corrections of hands or totals since that version was signed, in words and oldest first."""
    lines = [line for entered in state.entered for line in (*entered.earlier, entered.fact)]
    changed = [line for line in lines if line.supersedes_id is not None and line.at > was.at]
    return [_act(state, line) for line in sorted(changed, key=lambda line: (line.at, line.pk))]


def _act(state: CardState, line: SheetLine) -> str:
    at = local_day_time(line.at, state.card.match.event.tournament)
    said = _("Corrected %(at)s, by %(by)s.") % {"at": at, "by": line.by_name}
    why = line.reason.strip()
    return f"{said} {_('Reason: %(reason)s') % {'reason': ended(why)}}" if why else said


def _change(state: CardState, one: VersionChange) -> dict[str, str]:
    what = as_start(state.name_line(one.number)) if one.number is not None else ""
    if one.place != "lines":
        what = _words().get(one.place, one.place.replace("_", " ").capitalize())
    return {"what": what, "was": _said(state, one.place, one.was), "now": _said(state, one.place, one.now)}


def _words() -> dict[str, str]:
    return {
        "totals": _("Totals"),
        "winner": _("Winner"),
        "keeper": _("Keeps score"),
        "sides": _("Names in order"),
        "drawn": _("Draw at the table"),
        "table": _("Table"),
        "rules": _("Rule sheet"),
        "closed": _("Closed early"),
        "settlement": _("Settlement"),
    }


def _said(state: CardState, place: str, value: Any) -> str:
    if value is None:
        return _("struck out") if place == "lines" else _("nothing")
    if place == "lines":
        return line_in_words(state, value)
    names = dict(zip(state.letters, state.names, strict=True))
    if place == "drawn":
        return ", ".join(names.get(str(side), str(side)) for side in value)
    if place in ("winner", "keeper"):
        return names.get(str(value), str(value))
    if isinstance(value, dict) and value.keys() <= names.keys():
        return ", ".join(f"{names[side]} {minus(points)}" for side, points in value.items())
    if place == "sides":
        return " – ".join(str(side.get("name")) for side in value)
    return str(value) if isinstance(value, str | int) else _("changed")
