"""A card as the sheet component shows it: columns and rows are what the variant declares, corrections stay readable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from scoring.models import SheetLine, Signature
from scoring.rules.hands import OUTCOME_WORDS, Outcome
from scoring.rules.variant import Column, Row
from scoring.selectors.cards import CardState, Entered
from tournament.templatetags.gin import card_text, local_time


def sheet_of(state: CardState) -> dict[str, Any]:
    """For components/score_sheet.html."""
    columns = state.named_sheet.variant.columns()
    rows = iter(state.rows)
    lines = [_line(state, entered, columns, rows) for entered in state.entered]
    return {
        "caption": _("Game %(game)s: %(one)s – %(other)s")
        % {"game": state.card.game, "one": state.names[0], "other": state.names[1]},
        "groups": _groups(state, columns),
        "columns": [{"label": _heading(column), "numeric": column.numeric} for column in columns],
        "lines": lines,
        "totals": _totals(state, columns) if state.lines else None,
        "target": state.card.sheet.options.get("target"),
    }


def running_of(state: CardState) -> list[list[int]]:
    """For components/running_chart.html: the totals after each hand."""
    return [[line.running[side] for side in state.sheet.sides] for line in state.tally.lines]


def signatures_of(state: CardState) -> list[dict[str, Any]]:
    """For components/signature.html: one for each player, the one that counts, or the fallen one, or a gap."""
    return [_signature(state, who.pk) for who in (state.card.one, state.card.other)]


def line_in_words(state: CardState, line: Mapping[str, Any] | None) -> str:
    """“knock by Ann, 5–20, up 8♥”."""
    if line is None:
        return _("struck out")
    said = [str(OUTCOME_WORDS[Outcome(line["outcome"])])]
    who = line.get("by") or line.get("to")
    if who:
        said[0] += f" {_('by') if 'by' in line else _('to')} {state.with_names(who)}"
    if "counts" in line:
        said.append("–".join(str(line["counts"][side]) for side in state.sheet.sides))
    if "points" in line:
        said.append(str(line["points"]))
    if line.get("up"):
        said.append(_("up card %s") % card_text(line["up"]))
    return ", ".join(said)


def _line(state: CardState, entered: Entered, columns: tuple[Column, ...], rows: Any) -> dict[str, Any]:
    if entered.is_struck:
        return _struck(state, entered, columns)
    row: Row = next(rows)
    cells = [_cell(column, row, entered.fact) for column in columns]
    if entered.earlier:
        _mark_correction(state, entered, columns, cells)
    return {"cells": cells, "struck": False, "note": _note(entered.fact)}


def _struck(state: CardState, entered: Entered, columns: tuple[Column, ...]) -> dict[str, Any]:
    was = next(fact for fact in reversed(entered.earlier) if fact.line is not None)
    texts = {"hand": "–", "outcome": line_in_words(state, was.line)}
    note = _("Struck out by %(who)s: %(why)s") % {"who": entered.fact.by_name, "why": entered.fact.reason}
    return {"cells": [{"text": texts.get(c.key, "")} for c in columns], "struck": True, "note": note}


def _cell(column: Column, row: Row, fact: SheetLine) -> dict[str, Any]:
    text = column.text(row)
    card = fact.line.get("up") if column.key == "up" and fact.line else None
    return {
        "text": text,
        "card": card,
        "boxed": column.key == "points" and bool(text),
        "strong": column.key == "running",
    }


def _mark_correction(
    state: CardState, entered: Entered, columns: tuple[Column, ...], cells: list[dict[str, Any]]
) -> None:
    where = next((i for i, column in enumerate(columns) if column.key == "outcome"), 0)
    fact = entered.fact
    cells[where]["correction"] = {
        "was": line_in_words(state, entered.earlier[-1].line),
        "by": fact.by_name,
        "reason": fact.reason,
        "at": local_time(fact.at, state.card.match.event.tournament),
    }


def _note(fact: SheetLine) -> str:
    if not fact.warnings:
        return ""
    return _("Entered all the same: %(why)s (%(warnings)s)") % {
        "why": fact.reason,
        "warnings": " ".join(fact.warnings),
    }


def _groups(state: CardState, columns: tuple[Column, ...]) -> list[dict[str, Any]]:
    plain = sum(column.side is None for column in columns)
    shown = zip(state.names, state.short_names, strict=True)
    each = [{"label": short, "span": sum(c.side == name for c in columns)} for name, short in shown]
    return [{"label": "", "span": plain}, *each]


def _heading(column: Column) -> str:
    if column.side is None:
        return column.heading
    return _("Won") if column.key == "points" else _("Total")


def _totals(state: CardState, columns: tuple[Column, ...]) -> list[str]:
    totals = {(name, "running"): str(total) for name, total in zip(state.names, state.totals, strict=True)}
    texts = [totals.get((column.side or "", column.key), "") for column in columns]
    texts[0] = _("Final") if state.is_complete else _("Now")
    return texts


def _signature(state: CardState, entrant_id: int) -> dict[str, Any]:
    name = state.name_of(entrant_id)
    own: list[Signature] = [s for s in state.signatures if s.entrant_id == entrant_id]
    valid = next((s for s in own if s.digest == state.digest), None)
    shown = valid or (own[-1] if own else None)
    if shown is None:
        return {"name": name, "entrant": entrant_id}
    return {
        "name": name,
        "entrant": entrant_id,
        "method": shown.method,
        "strokes": shown.strokes,
        "witness": shown.witness,
        "digest": shown.digest,
        "at": local_time(shown.at, state.card.match.event.tournament),
        "fallen": "" if valid else _("Fallen: the card was changed after this signature."),
    }
