"""Clocks of cards and entries to confirm, in the shape that pages show."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext as _

from scoring.card_state.selectors.cards import CardState, load_card_by_pk
from scoring.card_state.tables import line_in_words
from scoring.models import StaffEntry
from scoring.posting.selectors.correction_period import has_committee, load_clock
from scoring.posting.services.correction_period import EntryMismatch
from scoring.rules.sheet.card_status import Clock

# --- Clocks ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownClock:
    """A card's clock for a page. `hears_appeals` means that the event has a committee, so an appeal is possible."""

    clock: Clock
    is_final: bool
    hears_appeals: bool

    @property
    def asks_together(self) -> bool:
        return self.clock.corrections_until == self.clock.rulings_until


def load_clock_view(state: CardState, now: datetime) -> ShownClock | None:
    clock = load_clock(state)
    return make_clock_view(clock, state, now) if clock is not None else None


def make_clock_view(clock: Clock, state: CardState, now: datetime) -> ShownClock:
    hears_appeals = not clock.ends_together and has_committee(state.card.match.event)
    return ShownClock(clock, clock.is_final(now), hears_appeals)


# --- Entries to confirm ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _EntryView:
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
        """Whether the reader sees the figures. A second typist works from the paper, and must not see them."""
        return self.is_own or not self.types_again


def load_entry_views(entries: Iterable[StaffEntry], user: Any) -> list[_EntryView]:
    views = []
    for entry in entries:
        state = load_card_by_pk(entry.card_id)
        in_words = _whole_card_in_words if entry.kind == StaffEntry.Kind.CARD else _hand_in_words
        was, will = in_words(state, entry)
        views.append(_EntryView(entry, state, was, will, entry.by_id == getattr(user, "pk", None)))
    return views


def _whole_card_in_words(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    payload = entry.payload
    if payload["totals"] is not None:
        will = ", ".join(f"{state.by_letter.get(side, side)} {each}" for side, each in payload["totals"].items())
    else:
        each = (line_in_words(state, row["line"]) for row in payload["rows"])
        will = "; ".join(f"{number}. {words}" for number, words in enumerate(each, start=1))
    return "", f"{will}. {_signatures_in_words(state, payload)}"


def _hand_in_words(state: CardState, entry: StaffEntry) -> tuple[str, str]:
    if "drawn" in entry.payload:
        return state.draw.draw_in_words(state.draw.order_on_card), entry.payload["said"]
    hand, line = entry.payload["hand"], entry.payload["line"]
    was = line_in_words(state, state.lines[hand - 1].line) if hand <= len(state.lines) else ""
    return was, line_in_words(state, line)


def differs_in_words(state: CardState, error: EntryMismatch) -> str:
    """Word the first difference between two entries: the draw, a hand, the totals, or the signatures."""
    first, again = error.data["first"], error.data["again"]
    if "line" in first:
        one, other = line_in_words(state, first["line"]), line_in_words(state, again["line"])
    elif "rows" in error.data["differences"] and "drawn" not in error.data["differences"]:
        one, other = _first_different_row(state, first["rows"], again["rows"])
    elif "rows" not in first or {"drawn", "totals"} & set(error.data["differences"]):
        one, other = first["said"], again["said"]
    else:
        one, other = _signatures_in_words(state, first), _signatures_in_words(state, again)
    words = _(
        "%(name)s entered: %(one)s. You entered: %(other)s. Look at the paper, then correct yours or "
        "refuse the first entry."
    )
    return words % {"name": error.data["by"], "one": one.rstrip("."), "other": other.rstrip(".")}


def _first_different_row(state: CardState, first: list[Any], again: list[Any]) -> tuple[str, str]:
    pairs = enumerate(zip_longest(first, again), start=1)
    number, (one, other) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return f"{number}. {_row_in_words(state, one)}", f"{number}. {_row_in_words(state, other)}"


def _row_in_words(state: CardState, row: dict[str, Any] | None) -> str:
    if row is None:
        return _("no hand")
    running = ", ".join(str(total) for total in row["running"].values())
    line = line_in_words(state, row["line"])
    return _("%(line)s (running %(totals)s)") % {"line": line, "totals": running} if running else line


def _signatures_in_words(state: CardState, payload: dict[str, Any]) -> str:
    signed = ", ".join(state.by_letter.get(side, side) for side in payload["signed"])
    return _("Signed: %s.") % signed if signed else _("Not signed yet.")
