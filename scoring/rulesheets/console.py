"""The director's page for an event's rule sheet."""

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.stages.selectors.plans import load_stage_traits
from scoring.models import RuleSheet
from scoring.rules.book.options import (
    MAX_GAMES_TO_WIN,
    MatchLength,
    NumberRange,
    Option,
    Options,
    OptionValue,
    read_options,
)
from scoring.rules.variants import VARIANTS
from scoring.rulesheets.selectors import (
    MatchLengthScope,
    allows_several_games,
    describe_player_count,
    describe_rule_set,
    explain_unsuitable_rules,
    has_frozen_rule_sheet,
    list_match_length_scopes,
    load_current_rule_sheet,
    load_rule_sheet_versions,
    make_default_rule_sheet,
    read_special_match_lengths,
)
from scoring.rulesheets.services import ChosenRules, save_rule_sheet
from tournament.cases import ProblemCollector
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.errors import DomainError
from tournament.models import Event

# --- The form: options that the variant declares, and places with their own length -----------------------------------

DEFAULT_PRESET: Final = "usual"
ENTERED_NUMBER_CHOICE: Final = "number"
"""The form value that means “use the number in the adjacent field”."""


class _RuleSheetForm(IdempotentForm):
    """A form with all options of a variant. A `choice-or-number` option has a drop-down list and a number field."""

    seen = forms.IntegerField(widget=forms.HiddenInput)
    games_to_win = forms.IntegerField(
        label=gettext_lazy("Games to win a match"), min_value=1, max_value=MAX_GAMES_TO_WIN, initial=1,
        help_text=gettext_lazy("1: a match is one game. 2: the first to win two games. The director sets it."),
    )  # fmt: skip

    def __init__(
        self, data: Any = None, *, variant: str, sheet: RuleSheet, frozen: bool, values: Options | None = None
    ) -> None:
        """Create the form.

        `values` are initial values to use instead of the sheet's own, such as the values of a preset.
        """
        super().__init__(data)
        self.variant = variant
        self.options = VARIANTS[variant].options
        if values is None:
            values = sheet.options if sheet.variant == variant else VARIANTS[variant].defaults()
        for option in self.options:
            self._add_option_field(option, values[option.name])
        if not load_stage_traits(sheet.event).one_card:
            self.fields["unfinished"] = _make_unfinished_field(sheet)
        if VARIANTS[variant]((), VARIANTS[variant].defaults()).table_draw().orders_sides:
            self.fields["seats"] = _make_seats_field(sheet, variant)
        self.fields["remarks"] = forms.CharField(
            label=gettext_lazy("Remarks"), required=False, max_length=2000, initial=sheet.remarks,
            widget=forms.Textarea(attrs={"rows": 3}),
            help_text=gettext_lazy(
                "House rules that no option covers: time limits, new decks, where to find the director."
            ),
        )  # fmt: skip
        if frozen:
            self.fields["reason"] = forms.CharField(
                label=gettext_lazy("Reason for the decision"), max_length=500,
                help_text=gettext_lazy(
                    "Play has started. The change and its reason are shown on the published rule sheet."
                ),
            )  # fmt: skip
        if allows_several_games(sheet.event, variant):
            self.fields["games_to_win"].initial = sheet.games_to_win
        else:
            del self.fields["games_to_win"]
        self.fields["seen"].initial = sheet.version

    def _add_option_field(self, option: Option, value: OptionValue) -> None:
        rule = option.rule or _("set by the director")
        usual = _("usual value: %s") % option.describe(option.default)
        hint = f"{option.meaning} ({rule}; {usual})"
        if option.kind == "number":
            self.fields[option.name] = _make_number_field(option, value, hint)
        elif option.kind == "switch":
            field = forms.BooleanField(label=option.label, help_text=hint, required=False, initial=value)
            self.fields[option.name] = field
        elif option.kind == "texts":
            texts = value if isinstance(value, list) else []
            self.fields[option.name] = forms.CharField(
                label=option.label, help_text=hint, required=False, initial="\n".join(texts),
                widget=forms.Textarea(attrs={"rows": 5}),
            )  # fmt: skip
        else:
            self._add_choice_field(option, value, hint)

    def _add_choice_field(self, option: Option, value: OptionValue, hint: str) -> None:
        named = [(str(i), each.label) for i, each in enumerate(option.named)]
        if option.numbers is not None:
            named.append((ENTERED_NUMBER_CHOICE, _("this number:")))
        at = next((str(i) for i, each in enumerate(option.named) if each.value == value), ENTERED_NUMBER_CHOICE)
        self.fields[option.name] = forms.ChoiceField(label=option.label, help_text=hint, choices=named, initial=at)
        if option.numbers is not None:
            field = _make_number_field(option, value if at == ENTERED_NUMBER_CHOICE else None, "")
            field.label, field.required = _("%s: the number") % option.label, False
            self.fields[f"{option.name}_number"] = field

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for option in self.options:
            if cleaned.get(option.name) == ENTERED_NUMBER_CHOICE and cleaned.get(f"{option.name}_number") is None:
                self.add_error(f"{option.name}_number", gettext_lazy("Enter the number, or choose another value."))
        if self.errors:
            return cleaned
        problems = ProblemCollector()  # those that the rule set itself finds in the options
        read_options(
            self.options, {option.name: self._get_option_value(option) for option in self.options}, "", problems
        )
        for problem in problems.found:
            self.add_error(problem.path.partition("[")[0] or None, problem.message)
        return cleaned

    def make_chosen_rules(self, lengths: tuple[dict[str, Any], ...]) -> ChosenRules:
        cleaned = self.cleaned_data
        options = {option.name: self._get_option_value(option) for option in self.options}
        unfinished = cleaned.get("unfinished") or RuleSheet.Unfinished.DIRECTOR.value
        seats = cleaned.get("seats") or RuleSheet.Seats.TABLE.value
        games, remarks = cleaned.get("games_to_win", 1), cleaned["remarks"]
        return ChosenRules(self.variant, options, games, remarks, lengths, unfinished, seats)

    def accept_version(self, version: int) -> None:
        """Keep the submitted input, and mark this version of the rule sheet as seen.

        The next save can then replace this version.
        """
        self.data = {**dict(self.data.items()), "seen": str(version)}

    def _get_option_value(self, option: Option) -> OptionValue:
        typed = self.cleaned_data[option.name]
        if option.kind in ("number", "switch"):
            return typed
        if option.kind == "texts":
            return [text.strip() for text in typed.splitlines() if text.strip()] or option.default
        return (
            self.cleaned_data[f"{option.name}_number"]
            if typed == ENTERED_NUMBER_CHOICE
            else option.named[int(typed)].value
        )


def _make_unfinished_field(sheet: RuleSheet) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=gettext_lazy("An unfinished game when time is called"), choices=RuleSheet.Unfinished.choices,
        initial=sheet.unfinished, required=False,
        help_text=gettext_lazy("Also if a player leaves before the end. The director sets it."),
    )  # fmt: skip


def _make_seats_field(sheet: RuleSheet, variant: str) -> forms.ChoiceField:
    draw = VARIANTS[variant]((), VARIANTS[variant].defaults()).table_draw()
    hint = _("%(words)s (%(rule)s.) Otherwise seats follow the event's draw.")
    return forms.ChoiceField(
        label=gettext_lazy("Seats and roles at a table"), choices=RuleSheet.Seats.choices, required=False,
        initial=sheet.seats if sheet.variant == variant else RuleSheet.Seats.TABLE.value,
        help_text=hint % {"words": draw.words, "rule": draw.rule},
    )  # fmt: skip


def _make_number_field(option: Option, value: OptionValue, hint: str) -> forms.IntegerField:
    assert option.numbers is not None
    return forms.IntegerField(
        label=option.label, help_text=hint, initial=value,
        min_value=option.numbers.lowest, max_value=min(option.numbers.highest, 1_000_000),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )  # fmt: skip


def _make_variant_choices(event: Event, chosen: str) -> list[dict[str, Any]]:
    """Return the rule sets to choose from. If one does not fit the event, `why_not` explains why."""
    return [
        {
            "name": name,
            "title": variant.title,
            "about": variant.about,
            "players": describe_player_count(name),
            "why_not": explain_unsuitable_rules(event, name, variant.defaults()),
            "chosen": name == chosen,
        }
        for name, variant in VARIANTS.items()
    ]


def _find_preset_options(variant: str, preset: str) -> Options | None:
    """Return the values of a preset, or None if there is no such preset. The preset `usual` contains the defaults."""
    if preset == DEFAULT_PRESET:
        return VARIANTS[variant].defaults()
    return next((each.options for each in VARIANTS[variant].presets if each.name == preset), None)


# --- Lengths of matches ----------------------------------------------------------------------------------------------


class _LengthsForm(forms.Form):
    """A form for special match lengths: the target and the number of games for each stage and each of the last rounds.

    An empty field means the usual length.
    """

    def __init__(self, data: Any = None, *, variant: str, sheet: RuleSheet) -> None:
        super().__init__(data, prefix="length")
        self.places = list_match_length_scopes(sheet.event)
        own = read_special_match_lengths(sheet) if sheet.variant == variant else ()
        lengths = {(length.stage, length.from_end): length for length in own}
        numbers = next((option.numbers for option in VARIANTS[variant].options if option.name == "target"), None)
        for at, place in enumerate(self.places):
            length = lengths.get(place.key, MatchLength())
            if numbers is not None:
                self.fields[f"{at}_target"] = _make_target_field(place, length, numbers)
            if allows_several_games(sheet.event, variant):
                self.fields[f"{at}_games"] = _make_games_field(place, length)

    @property
    def scope_rows(self) -> list[dict[str, Any]]:
        """Each stage or round with its two fields.

        A field is None if the rule set does not have that option.
        """
        places = enumerate(self.places if self.fields else ())
        return [
            {
                "name": place.name,
                "target": self._get_bound_field(f"{at}_target"),
                "games": self._get_bound_field(f"{at}_games"),
            }
            for at, place in places
        ]

    @property
    def has_targets(self) -> bool:
        return "0_target" in self.fields

    @property
    def has_games(self) -> bool:
        return "0_games" in self.fields

    @property
    def is_used(self) -> bool:
        """Whether any field is set. If so, the page shows the rows expanded."""
        return bool(self.errors) or any(self[name].value() not in (None, "") for name in self.fields)

    def read_lengths(self) -> tuple[dict[str, Any], ...]:
        """Return the entered lengths in the format that the rule sheet stores."""
        lengths = []
        for at, place in enumerate(self.places):
            target, games = self.cleaned_data.get(f"{at}_target"), self.cleaned_data.get(f"{at}_games")
            options = {} if target is None else {"target": target}
            lengths.append(MatchLength(place.stage, place.from_end, options, games))
        return tuple(length.as_json() for length in lengths if length.options or length.games_to_win)

    def _get_bound_field(self, name: str) -> forms.BoundField | None:
        return self[name] if name in self.fields else None


def _make_target_field(place: MatchLengthScope, length: MatchLength, numbers: NumberRange) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("%(place)s: points per game") % {"place": place.name}, required=False,
        initial=length.options.get("target"),
        min_value=numbers.lowest, max_value=min(numbers.highest, 1_000_000), widget=_make_short_number_input(),
    )  # fmt: skip


def _make_games_field(place: MatchLengthScope, length: MatchLength) -> forms.IntegerField:
    return forms.IntegerField(
        label=_("%(place)s: games to win a match") % {"place": place.name}, required=False,
        initial=length.games_to_win, min_value=1, max_value=MAX_GAMES_TO_WIN, widget=_make_short_number_input(),
    )  # fmt: skip


def _make_short_number_input() -> forms.NumberInput:
    return forms.NumberInput(attrs={"inputmode": "numeric", "class": "form-control length-number"})


@staff_event_view("look")
def edit_rules(request: ActorRequest, event: Event) -> HttpResponse:
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    sent = request.POST if request.method == "POST" else request.GET
    variant = sent.get("variant") or sheet.variant
    if variant not in VARIANTS:
        variant = sheet.variant
    preset = sent.get("preset", "")
    values = _find_preset_options(variant, preset)
    frozen = has_frozen_rule_sheet(event)
    form = _RuleSheetForm(request.POST or None, variant=variant, sheet=sheet, frozen=frozen, values=values)
    lengths = _LengthsForm(request.POST or None, variant=variant, sheet=sheet)
    if request.method == "POST" and form.is_valid() and lengths.is_valid():
        saved = _try_to_save(request, event, form, lengths)
        if saved is not None:
            messages.success(request, _("Rule sheet version %(v)s is saved.") % {"v": saved.version})
            return redirect(request.path)
    context = _make_variant_context(
        event, variant, sheet.options if sheet.variant == variant and values is None else values
    )
    context |= {
        "form": form,
        "lengths": lengths,
        "preset": preset,
        "is_choosing": not sheet.version and not sent,
        "sheet": sheet,
        "changes_variant": bool(sheet.version) and variant != sheet.variant,
        "before": VARIANTS[sheet.variant].title,
        "frozen": frozen,
        "versions": load_rule_sheet_versions(event),
        "can_start": event.state == Event.State.DRAWN,
    }
    status = 422 if form.errors or lengths.errors else 200
    return render(request, "scoring/rulesheets/console.html", context, status=status)


def _try_to_save(request: ActorRequest, event: Event, form: _RuleSheetForm, lengths: _LengthsForm) -> RuleSheet | None:
    """Save the rule sheet. If it is rejected, add the errors to the form and return None."""
    cleaned = form.cleaned_data
    try:
        chosen, reason = form.make_chosen_rules(lengths.read_lengths()), cleaned.get("reason", "")
        return save_rule_sheet(event, chosen, by=request.actor, reason=reason, key=cleaned["key"], seen=cleaned["seen"])
    except DomainError as error:
        form.add_error("reason" if error.code == "reason-needed" and "reason" in form.fields else None, error.message)
        last = load_current_rule_sheet(event)
        if error.code == "rules-changed" and last is not None:
            form.accept_version(last.version)
            text = _(
                "%(who)s saved version %(v)s in the meantime. Your entries are still here; save again to replace it."
            )
            form.add_error(None, text % {"v": last.version, "who": last.by_name})
    return None


def _make_variant_context(event: Event, name: str, values: Any) -> dict[str, Any]:
    variant = VARIANTS[name]
    options = variant.defaults() if values is None else values
    return {
        "variant": name,
        "variants": _make_variant_choices(event, name),
        "words": describe_rule_set(name, options),
        "players": describe_player_count(name),
        "presets": variant.presets,
        "why_not": explain_unsuitable_rules(event, name, options),
        "judges": variant(("",) * variant.fewest_sides, options).make_knock_rule(None) is not None,
    }
