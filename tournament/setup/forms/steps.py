"""The settings of an event in four short steps, with rare fields behind “More choices”."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from tournament.errors import DomainError
from tournament.models import Event
from tournament.purse import FeeTerms, FlatAmounts, make_scale, make_table, read_prize_percent
from tournament.setup.forms.settings import EventForm

LATE: Final = (Event.State.DRAWN, Event.State.IN_PLAY)
MONEY: Final = ("money", "prizes")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the setup. Its `rare` fields are folded away until one has an error."""

    name: str
    title: Any
    fields: tuple[str, ...]
    rare: tuple[str, ...] = ()


RARE_PRIZES: Final = (
    *("prizes_by", "prize_table", "flat_cents", "guarantee_cents", "unit_cents"),
    *("absent_by_round", "settlement"),
)
FEES: Final = ("late_fee_cents", "late_from", "reentry_fee_cents", "discounts_from")
STEPS: Final = (
    Step("what", _("What and when"), ("name", "starts_at", "opens_at", "closes_at"), ("slug",)),
    Step(
        "who",
        _("Who may enter"),
        ("partners", "approvals", "capacity"),
        ("entry_size", "promotion", "reentry", "reentry_until", "second_chance_of", "sites"),
    ),
    Step("money", _("Money"), ("fee_cents", "early_fee_cents", "early_until"), FEES),
    Step("prizes", _("Prizes"), ("prize_percent", "prize_scale", "added_cents"), RARE_PRIZES),
)
LABELS: Final[dict[str, Any]] = {
    "partners": _("How partners come together"),
    "second_chance_of": _("Second-chance event for players eliminated from"),
    "promotion": _("How the waiting list moves"),
    "prize_percent": _("Percent of the entry fees in the prize pool"),
    "early_until": _("Last day of the early-bird fee"),
    "late_from": _("First day of the late fee"),
}
HINTS: Final[dict[str, Any]] = {
    "opens_at": _("Leave empty: as soon as you open registration."),
    "closes_at": _("Leave empty: until you close registration."),
    "early_fee_cents": _("For those who enter early. Leave empty if there is none."),
    "early_until": _("Leave empty if there is no early-bird fee."),
    "late_fee_cents": _("For those who enter late, such as walk-ins on the day. Leave empty if there is none."),
    "late_from": _("Leave empty if there is no late fee."),
    "starts_at": _("When the first cards are dealt. Shown to players."),
    "slug": _("The last part of the event’s address. Short, such as singles."),
}


def parts_of(form: forms.BaseForm) -> list[tuple[Any, list[BoundField]]]:
    """Group the fields of a form by the titles of their steps. Fields without a step come last."""
    named = [(step.title, (*step.fields, *step.rare)) for step in STEPS]
    placed = {name for _title, names in named for name in names}
    named.append(("", tuple(name for name in form.fields if name not in placed)))
    parts = [(title, [form[name] for name in names if name in form.fields]) for title, names in named]
    return [(title, fields) for title, fields in parts if fields]


def find_step(name: str) -> Step | None:
    return next((step for step in STEPS if step.name == name), None)


class StepForm(EventForm):
    """The fields of one step for an existing event."""

    def __init__(self, data: Any = None, *, step: Step, event: Event) -> None:
        super().__init__(data, instance=event)
        self.step = step
        shown = [*step.fields, *step.rare]
        if event.state in LATE and step.name in MONEY:
            shown.append("reason")
        self.order_fields(shown)
        for name in [name for name in self.fields if name not in shown]:
            del self.fields[name]
        for name, field in self.fields.items():
            field.label, field.help_text = LABELS.get(name, field.label), HINTS.get(name, field.help_text)
        if "entry_size" in self.fields:
            self.fields["entry_size"].widget = forms.RadioSelect(choices=[(1, _("One player")), (2, _("A pair"))])

    @property
    def common(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name not in self.step.rare]

    @property
    def rare(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name in self.step.rare]

    @property
    def rare_is_wrong(self) -> bool:
        return any(field.errors for field in self.rare)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        opens, closes = cleaned.get("opens_at"), cleaned.get("closes_at")
        if opens and closes and opens >= closes:
            self.add_error("closes_at", _("Registration closes before it opens. Correct one of the two."))
        fees = ("fee_cents", "early_fee_cents", "early_until", "late_fee_cents", "late_from")
        if cleaned.keys() >= {*fees}:
            usual, early, until, late, since = (cleaned[name] for name in fees)
            self._held("early_fee_cents", lambda: FeeTerms(usual, early, until))
            self._held("late_fee_cents", lambda: FeeTerms(usual, late_fee_cents=late, late_from=since))
            self._held("late_from", lambda: FeeTerms(usual, early, until, late, since))
        if "prize_percent" in cleaned:
            self._held("prize_percent", lambda: read_prize_percent(cleaned["prize_percent"]))
        if "prize_scale" in cleaned and cleaned.get("unit_cents"):
            self._held("prize_scale", lambda: make_scale(cleaned["prize_scale"], cleaned["unit_cents"]))
        if cleaned.get("prizes_by") == Event.PrizesBy.TABLE and "prize_table" in cleaned:
            self._held("prize_table", lambda: make_table(cleaned["prize_table"]))
        if cleaned.get("prizes_by") == Event.PrizesBy.FLAT and "flat_cents" in cleaned:
            self._held("flat_cents", lambda: FlatAmounts(tuple(cleaned["flat_cents"])))
        return cleaned

    def _held(self, field: str, read: Callable[[], object]) -> None:
        """Show the refusal of the purse beside the field, unless the form already has errors."""
        try:
            read()
        except DomainError as error:
            if not self.errors:
                self.add_error(field, error.message)
