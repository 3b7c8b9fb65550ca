"""The page where a director chooses an event's format and plans its stages."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.forms import BaseFormSet, BoundField, formset_factory
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from pairing.desk.selectors.desk import load_rematch_warnings
from pairing.draws.stages.plan import MAX_GROUPS, MAX_STAGE_PLACES, MAX_STAGES, StageKind, read_event_plan
from pairing.draws.stages.qualifier import MAX_QUALIFYING_GAMES
from pairing.draws.stages.standings import DEFAULT_TIE_BREAKS, TieBreak
from pairing.draws.table_rounds import MAX_TABLE_ROUNDS, TableTerms
from pairing.draws.two_sides import MAX_SIDE_NAME_LENGTH
from pairing.stages.selectors.plans import (
    BRACKET_FORMAT,
    STAGES_FORMAT,
    TABLES_FORMAT,
    load_event_format,
    load_event_plan,
    load_table_rules,
    stage_kind_form_specs,
)
from pairing.stages.services.plans import choose_format
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.errors import InputProblem, InvalidInput
from tournament.models import Event
from tournament.registration.selectors.entries import get_side_names
from tournament.spreadsheets import normalize_text

_ROTATION: Final = StageKind.ROTATION.value

_COURT_WHIST: Final = StageKind.COURT_WHIST.value

_FORMAT_CHOICES: Final = (
    (BRACKET_FORMAT, _("Knockout: one loss and a player is out; the bracket is drawn blind")),
    (
        STAGES_FORMAT,
        _("In stages: qualifying, groups or Swiss rounds, a play-off, a final bracket; also double elimination"),
    ),
    (TABLES_FORMAT, _("Rounds at tables: everybody plays every round, and total points decide")),
    (_ROTATION, _("Couples: two sides, one of each at every table; one side moves one seat each round (Metzker)")),
    (_COURT_WHIST, _("Court Whist: two against two; the winners move, and everybody gets a new partner")),
)

_ROTATING_FORMATS = tuple(kind.value for kind in StageKind if kind.traits.one_card)

_TABLE_SIZE_CHOICES: Final = (
    ("2", _("2 at a table (one table of 3 if the number is odd)")),
    ("3", _("up to 3 at a table")),
    ("4", _("up to 4 at a table")),
    ("5", _("up to 5 at a table")),
    ("3-full", _("exactly 3 at a table (captain); players left over sit out")),
    ("4-full", _("exactly 4 at a table; players left over sit out")),
)

_FULL_TABLES_SUFFIX: Final = "-full"


class _FormatForm(IdempotentForm):
    """A form for choosing the format, which determines which of the page's other forms is used."""

    format = forms.ChoiceField(label=_("How it is played"), choices=_FORMAT_CHOICES, widget=forms.RadioSelect)

    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data)
        self.fields["format"].initial = load_event_format(event)


class _TablesForm(forms.Form):
    size = forms.ChoiceField(label=_("Tables"), choices=_TABLE_SIZE_CHOICES)
    rounds = forms.IntegerField(label=_("Rounds"), min_value=1, max_value=MAX_TABLE_ROUNDS)

    def __init__(self, data: Any = None, *, terms: TableTerms) -> None:
        super().__init__(data, prefix=TABLES_FORMAT)
        self.fields["size"].initial = f"{terms.size}{_FULL_TABLES_SUFFIX if terms.requires_full_tables else ''}"
        self.fields["rounds"].initial = terms.rounds

    def make_options(self) -> dict[str, Any]:
        size: str = self.cleaned_data["size"]
        full = size.endswith(_FULL_TABLES_SUFFIX)
        return {
            "size": int(size.removesuffix(_FULL_TABLES_SUFFIX)),
            "full": full,
            "rounds": self.cleaned_data["rounds"],
        }


class _SidesForm(forms.Form):
    left = forms.CharField(label=_("One side"), max_length=MAX_SIDE_NAME_LENGTH, required=False)
    right = forms.CharField(label=_("The other side"), max_length=MAX_SIDE_NAME_LENGTH, required=False)

    def __init__(self, data: Any = None, *, event: Event, format: str) -> None:
        super().__init__(data, prefix=format)
        kind = StageKind(format)
        names = get_side_names(event) if load_event_plan(event).first.kind is kind else None
        for field, name in zip(("left", "right"), names or kind.traits.sides or (), strict=True):
            self.fields[field].initial = name

    def make_options(self) -> dict[str, Any]:
        """Return the names of the sides. If both are empty, the default names apply."""
        names = [self.cleaned_data["left"], self.cleaned_data["right"]]
        return {"sides": names} if any(names) else {}


# --- The plan of an event in stages, one row a stage -----------------------------------------------------------------

_STAGES_PREFIX: Final = "stages"

_FALLBACK_CHOICES: Final = (
    ("standing", _("next in the standings")),
    ("lot", _("drawn by lot")),
    ("director", _("chosen by the director")),
)

_MAX_GAMES_OF_STAGE: Final = 1000
"""A limit for all kinds of stage. `read_event_plan` has a lower limit for an entrant's games in a pool."""

_CHECKBOX_FIELDS: Final = frozenset({"unbeaten_play_on", "by_site", "seeded"})

_OPTIONAL_FIELDS: Final = frozenset({"wins", "losses", "best", "places", "byes_to"})
"""Fields that may be left empty on purpose. All other empty fields get their default value."""

_TIE_BREAK_CHOICES: Final = (
    (TieBreak.WINS, _("wins")),
    (TieBreak.LOSSES, _("fewest losses")),
    (TieBreak.PLAY_OFF, _("the play-off")),
    (TieBreak.HEAD_TO_HEAD, _("head to head")),
    (TieBreak.OPPONENTS_WINS, _("opponents’ wins")),
    (TieBreak.POINT_SPREAD, _("point spread")),
    (TieBreak.DRAW, _("a recorded draw of lots")),
)

FORMAT_PRESETS: Final[tuple[tuple[str, Any, tuple[dict[str, Any], ...]], ...]] = (
    (
        "gra-partnership",
        _("GRA partnership"),
        (
            {"kind": "record", "games": 5, "losses": 2, "wins": 4, "unbeaten_play_on": True, "byes_to": [5]},
            {"kind": "single-elimination", "byes_to": [5], "fallback": "standing"},
        ),
    ),
    (
        "qualifying",
        _("Qualifying and a final"),
        ({"kind": "fixed", "games": 5, "best": 16}, {"kind": "single-elimination"}),
    ),
    ("swiss", _("Swiss rounds"), ({"kind": "swiss", "rounds": 5},)),
    ("round-robin", _("Round robin"), ({"kind": "round-robin"},)),
    (
        "groups",
        _("Groups into a bracket"),
        ({"kind": "round-robin", "groups": 4, "best": 2}, {"kind": "single-elimination", "seeded": True}),
    ),
    ("double", _("Double elimination"), ({"kind": "double-elimination"},)),
    (
        "sites",
        _("The best of each site"),
        ({"kind": "fixed", "games": 5, "best": 4, "by_site": True}, {"kind": "single-elimination"}),
    ),
    (
        "play-off",
        _("Qualifying, play-off, bracket"),
        (
            {"kind": "fixed", "games": 5},
            {"kind": "play-off", "places": 8},
            {"kind": "single-elimination", "seeded": True},
        ),
    ),
)


def _make_number_field(label: Any, most: int, help_text: Any = "", *, least: int = 1) -> forms.IntegerField:
    return forms.IntegerField(label=label, min_value=least, max_value=most, required=False, help_text=help_text)


class _StageForm(forms.Form):
    """A row of the plan form that describes one stage. The stage's kind determines which fields are used.

    A row without a kind is ignored.
    """

    kind = forms.ChoiceField(label=_("Kind of stage"), required=False)
    name = forms.CharField(
        label=_("Name"), max_length=100, required=False, help_text=_("Leave empty for the usual name.")
    )
    games = _make_number_field(_("Games"), _MAX_GAMES_OF_STAGE)
    wins = _make_number_field(_("Wins to advance"), MAX_QUALIFYING_GAMES, _("Leave empty to let the standings decide."))
    losses = _make_number_field(
        _("Losses to be eliminated"), MAX_QUALIFYING_GAMES, _("Leave empty if everybody plays all games.")
    )
    unbeaten_play_on = forms.BooleanField(
        label=_("Unbeaten entrants play all games"),
        required=False,
        help_text=_("Even if they already have enough wins."),
    )
    rounds = _make_number_field(_("Rounds"), MAX_QUALIFYING_GAMES)
    groups = _make_number_field(_("Groups"), MAX_GROUPS)
    best = _make_number_field(
        _("How many advance"), MAX_STAGE_PLACES, _("From each group or site. Leave empty for all.")
    )
    by_site = forms.BooleanField(
        label=_("The best of each site"), required=False, help_text=_("The site is part of each entry.")
    )
    places = _make_number_field(
        _("Number of places"), MAX_STAGE_PLACES, _("How many can play. Leave empty for no limit.")
    )
    seeded = forms.BooleanField(
        label=_("Seeded by the standings"),
        required=False,
        help_text=_(
            "In a first stage: in the order you enter before the draw. Otherwise it is drawn blind, with a cut."
        ),
    )
    byes_to = forms.CharField(
        label=_("Byes for players with this many wins"),
        max_length=40,
        required=False,
        help_text=_("“5”, or “5 4” for five wins first, then four. Leave empty for no byes by record."),
    )
    fallback = forms.ChoiceField(
        label=_("If that does not decide the byes"),
        choices=_FALLBACK_CHOICES,
        required=False,
        help_text=_("It is recorded with each bye."),
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        listed = stage_kind_form_specs()
        choices = [("", _("– none –")), *((kind.value, planned.label) for kind, planned in listed.items())]
        self.fields["kind"].choices = choices  # type: ignore[attr-defined]
        for planned in listed.values():
            self.fields.update({name: make() for name, make in planned.extra_fields.items()})

    def iter_fields_of_some_kinds(self) -> Iterator[tuple[BoundField, str]]:
        """Yield each field that is used only by some kinds, along with the CSS classes of those kinds."""
        for name in self.fields:
            kinds = [f"in-{kind}" for kind, planned in stage_kind_form_specs().items() if name in planned.fields]
            if kinds:
                yield self[name], " ".join(kinds)

    def clean_name(self) -> str:
        return normalize_text(self.cleaned_data["name"])

    def clean_byes_to(self) -> list[int]:
        words = re.findall(r"[^\s,;]+", self.cleaned_data["byes_to"])
        if not all(word.isdecimal() and len(word) < 4 for word in words):
            raise forms.ValidationError(_("Enter numbers of wins, such as “5” or “5 4”."))
        return [int(word) for word in words]

    def make_stage_options(self) -> dict[str, Any] | None:
        """Return the stage as a plan stores it, or None if the row is empty or deleted."""
        facts = self.cleaned_data
        if not facts.get("kind") or facts.get("DELETE"):
            return None
        kind = facts["kind"]
        typed = {name: facts.get(name) for name in stage_kind_form_specs()[StageKind(kind)].fields}
        terms = {
            name: bool(value) if name in _CHECKBOX_FIELDS else value
            for name, value in typed.items()
            if name in _OPTIONAL_FIELDS or value not in (None, "")
        }
        if kind == StageKind.RECORD:
            # A qualifying stage has no byes of its own. The terms of the bracket after it decide who gets them.
            terms["byes_to"] = []
        return {"kind": kind, **({"name": facts["name"]} if facts.get("name") else {}), **terms}


class _BaseStageFormSet(BaseFormSet):
    def add_fields(self, form: _StageForm, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["turn"] = forms.IntegerField(
            label=_("Turn"), min_value=1, max_value=99, required=False, initial=(index or 0) + 1
        )
        form.fields["DELETE"].label = _("Leave this stage out")


_StageFormSet = formset_factory(
    _StageForm, formset=_BaseStageFormSet, extra=0, can_delete=True, max_num=MAX_STAGES + 2, absolute_max=MAX_STAGES + 2
)


class _TieBreaksForm(forms.Form):
    """A form for the tiebreaks in the order in which they apply."""

    def __init__(self, data: Any = None, *, chosen: Any = DEFAULT_TIE_BREAKS) -> None:
        super().__init__(data, prefix="ties")
        listed = [TieBreak(one).value for one in chosen]
        for turn in range(len(_TIE_BREAK_CHOICES)):
            self.fields[f"turn_{turn}"] = forms.ChoiceField(
                label=_("First") if turn == 0 else _("then"),
                choices=[("", "–"), *((tie_break.value, label) for tie_break, label in _TIE_BREAK_CHOICES)],
                required=False,
                initial=listed[turn] if turn < len(listed) else "",
            )

    def list_tie_breaks(self) -> list[str]:
        return list(dict.fromkeys(value for value in self.cleaned_data.values() if value))


class EventPlanForm:
    """The stages and tiebreaks of an event in a single form that works without JavaScript.

    `read_event_plan` validates both together. Each problem that it reports is shown next to the stage that caused it.
    """

    def __init__(self, data: Any = None, *, options: Mapping[str, Any] | None = None) -> None:
        plan = read_event_plan(options) if options else None
        rows = [stage.as_json() for stage in plan.stages] if plan else []
        rows = [row | {"byes_to": " ".join(map(str, row.get("byes_to") or ()))} for row in rows]
        self.rows = _StageFormSet(data, prefix=_STAGES_PREFIX, initial=rows or None)
        self.ties = _TieBreaksForm(data, chosen=plan.tie_breaks if plan else DEFAULT_TIE_BREAKS)
        self.errors: list[str] = []

    def is_valid(self) -> bool:
        if not (self.rows.is_valid() and self.ties.is_valid()):
            self.errors.append(gettext("Nothing was saved. Correct the marked entries of the stage."))
            return False
        try:
            read_event_plan(self.make_options())
        except InvalidInput as error:
            for problem in error.problems:
                self._attach_problem(problem, self.stages)
        return not self.errors and all(not row.errors for row in self.rows)

    @property
    def stages(self) -> list[_StageForm]:
        """Return the rows that describe a stage, in the order that the user entered."""
        rows = [form for form in self.rows if form.make_stage_options() is not None]
        return sorted(rows, key=lambda form: form.cleaned_data.get("turn") or 99)

    def make_options(self) -> dict[str, Any]:
        return {"stages": [row.make_stage_options() for row in self.stages], "tie_breaks": self.ties.list_tie_breaks()}

    def _attach_problem(self, problem: InputProblem, rows: list[_StageForm]) -> None:
        path = re.match(r"stages\[(\d+)\]\.?(\w*)", problem.path)
        if path is None or int(path[1]) >= len(rows):
            self.errors.append(problem.message)
            return
        row, field = rows[int(path[1])], path[2]
        row.add_error(field if field in row.fields else None, problem.message)


def _add_empty_stage(data: Any) -> Any:
    """Return the submitted data with an empty stage added."""
    more = data.copy()
    name = f"{_STAGES_PREFIX}-TOTAL_FORMS"
    typed = more.get(name, "0")
    count = int(typed) if typed.isdecimal() and len(typed) < 3 else 0
    more[name] = str(min(count + 1, MAX_STAGES + 2))
    more.setdefault(f"{_STAGES_PREFIX}-{count}-turn", str(count + 1))
    return more


def _get_preset_plan(key: str) -> dict[str, Any] | None:
    stages = next((stages for name, _label, stages in FORMAT_PRESETS if name == key), None)
    return None if stages is None else {"stages": [dict(stage) for stage in stages]}


# --- The page --------------------------------------------------------------------------------------------------------

_FormatOptionsForm = _TablesForm | _SidesForm | EventPlanForm


class _FormatPage:
    """The forms for all formats on the page where a director chooses one."""

    def __init__(self, request: ActorRequest, event: Event) -> None:
        self.event = event
        data = request.POST if request.method == "POST" else None
        self.form = _FormatForm(data, event=event)
        self.chosen = request.POST.get("format", "")
        terms = load_event_plan(event).first.tables or TableTerms()
        self.tables = _TablesForm(data if self.chosen == TABLES_FORMAT else None, terms=terms)
        self.sides = {
            name: _SidesForm(data if self.chosen == name else None, event=event, format=name)
            for name in _ROTATING_FORMATS
        }
        saved = event.plan if load_event_format(event) == STAGES_FORMAT else None
        typed = self.chosen == STAGES_FORMAT and "stages-TOTAL_FORMS" in request.POST
        self.plan = EventPlanForm(data if typed else None, options=saved or _get_preset_plan(FORMAT_PRESETS[0][0]))

    @property
    def chosen_form(self) -> _FormatOptionsForm | None:
        if self.chosen == STAGES_FORMAT:
            return self.plan
        return self.tables if self.chosen == TABLES_FORMAT else self.sides.get(self.chosen)

    def make_context(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "tables": self.tables,
            "couples": self.sides[StageKind.ROTATION],
            "whist": self.sides[StageKind.COURT_WHIST],
            "plan": self.plan,
            "presets": [(key, label) for key, label, _stages in FORMAT_PRESETS],
            "rules": load_table_rules(self.event),
            "too_many_rounds": load_rematch_warnings(self.event),
            "open": self.event.state in (Event.State.DRAFT, Event.State.OPEN),
        }


@staff_event_view("direct")
def format_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the formats and save the selected one. The format can be changed until registration closes."""
    page = _FormatPage(request, event)
    if request.method != "POST":
        return render(request, "pairing/stages/plans/console.html", page.make_context())
    wanted = _get_preset_plan(request.POST.get("preset", ""))
    if wanted or "more" in request.POST:
        page.plan = EventPlanForm(options=wanted) if wanted else EventPlanForm(_add_empty_stage(request.POST))
        return render(request, "pairing/stages/plans/console.html", page.make_context())
    if _save_format(request, event, page):
        messages.success(request, gettext("The format is saved."))
        return redirect(request.path)
    return render(request, "pairing/stages/plans/console.html", page.make_context(), status=422)


def _save_format(request: ActorRequest, event: Event, page: _FormatPage) -> bool:
    own = page.chosen_form
    if not page.form.is_valid() or (own is not None and not own.is_valid()):
        return False
    options = own.make_options() if own is not None else {}
    facts = page.form.cleaned_data
    with domain_errors_as_form_errors(page.form):
        choose_format(event, facts["format"], options, by=request.actor, key=facts["key"])
    return not page.form.errors
