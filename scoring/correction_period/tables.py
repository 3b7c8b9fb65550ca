"""Clocks of cards and entries to confirm, in the shape that pages show."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.card_state.tables import line_in_words
from scoring.correction_period.selectors import has_committee, load_clock
from scoring.correction_period.services import Differs
from scoring.models import StaffEntry
from scoring.rules.evidence.clocks import Clock


@dataclass(frozen=True)
class ShownClock:
    """A card's clock for a page. `hears_appeals` means that the event has a committee, so an appeal is possible."""

    clock: Clock
    is_final: bool
    hears_appeals: bool

    @property
    def asks_together(self) -> bool:
        return self.clock.corrections_until == self.clock.rulings_until


def clock_shown(state: CardState, now: datetime) -> ShownClock | None:
    clock = load_clock(state)
    return show_clock(clock, state, now) if clock is not None else None


def show_clock(clock: Clock, state: CardState, now: datetime) -> ShownClock:
    hears_appeals = not clock.ends_together and has_committee(state.card.match.event)
    return ShownClock(clock, clock.is_final(now), hears_appeals)


@dataclass(frozen=True)
class _ShownEntry:
    """An entry that waits for a second official. `was` and `will` are the hand before and after it.

    For an entry of a whole card, only `will` has text.
    """

    entry: StaffEntry
    state: CardState
    was: str
    will: str
    is_own: bool

    @property
    def types_again(self) -> bool:
        return self.entry.needs == StaffEntry.Needs.REKEY

    @property
    def is_told(self) -> bool:
        """Return whether the reader sees the figures. A second typist works from the paper, and must not see them."""
        return self.is_own or not self.types_again


def entries_shown(entries: Iterable[StaffEntry], user: Any) -> list[_ShownEntry]:
    return [_entry(entry, user) for entry in entries]


def differs_in_words(state: CardState, error: Differs) -> str:
    """Word the first difference between two entries: the draw, a hand, the totals, or the signatures."""
    first, again = error.data["first"], error.data["again"]
    if "line" in first:
        one, other = line_in_words(state, first["line"]), line_in_words(state, again["line"])
    elif "rows" in error.data["differences"] and "drawn" not in error.data["differences"]:
        one, other = _first_row(state, first["rows"], again["rows"])
    elif "rows" not in first or {"drawn", "totals"} & set(error.data["differences"]):
        one, other = first["said"], again["said"]
    else:
        one, other = _signed(state, first), _signed(state, again)
    said = _(
        "%(name)s entered: %(one)s. You entered: %(other)s. Look at the paper, then correct yours or "
        "refuse the first entry."
    )
    return said % {"name": error.data["by"], "one": one.rstrip("."), "other": other.rstrip(".")}


def _first_row(state: CardState, first: list[Any], again: list[Any]) -> tuple[str, str]:
    pairs = enumerate(zip_longest(first, again), start=1)
    number, (one, other) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"{number}. {_row(state, one)}", f"{number}. {_row(state, other)}"


def _row(state: CardState, row: dict[str, Any] | None) -> str:
    if row is None:
        return _("no hand")
    running = ", ".join(str(total) for total in row["running"].values())
    line = line_in_words(state, row["line"])
    return _("%(line)s (running %(totals)s)") % {"line": line, "totals": running} if running else line


def _entry(entry: StaffEntry, user: Any) -> _ShownEntry:
    state = load_card_by_pk(entry.card_id)
    was, will = _of_card(state, entry) if entry.kind == StaffEntry.Kind.CARD else _of_hand(state, entry)
    return _ShownEntry(entry, state, was, will, entry.by_id == getattr(user, "pk", None))


def _of_card(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    payload = entry.payload
    if payload["totals"] is not None:
        will = ", ".join(f"{state.by_letter.get(side, side)} {each}" for side, each in payload["totals"].items())
    else:
        each = (line_in_words(state, row["line"]) for row in payload["rows"])
        will = "; ".join(f"{number}. {words}" for number, words in enumerate(each, start=1))
    return "", f"{will}. {_signed(state, payload)}"


def _signed(state: CardState, payload: dict[str, Any]) -> str:
    signed = ", ".join(state.by_letter.get(side, side) for side in payload["signed"])
    return _("Signed: %s.") % signed if signed else _("Not signed yet.")


def _of_hand(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    if "drawn" in entry.payload:
        return state.draw.draw_in_words(state.draw.order_on_card), entry.payload["said"]
    hand, line = entry.payload["hand"], entry.payload["line"]
    was = line_in_words(state, state.lines[hand - 1].line) if hand <= len(state.lines) else ""
    return was, line_in_words(state, line)
