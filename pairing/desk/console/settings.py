"""The desk's settings for each stage: when it pairs, which tables it uses, and which entrants are kept apart."""

import re
from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.desk.selectors.desk import (
    PairingDesk,
    StageDeskSettings,
    load_pairing_desk,
    load_remaining_stages,
    load_stage_desk_settings,
)
from pairing.desk.services.sending import change_desk_settings
from pairing.draws.desk.desk import (
    MAX_TABLE_NUMBER,
    MAX_WAIT_MINUTES,
    MAX_WAITING_ENTRIES,
    DeskTerms,
    MissedGamesPolicy,
    SiteTables,
    find_table_used_twice,
)
from pairing.draws.stages.plan import StagePlan
from pairing.draws.stages.qualifier import MAX_QUALIFYING_GAMES
from pairing.models import AvoidPair
from pairing.results.forms import MISSED_GAMES_CHOICES
from pairing.stages.services.apart import KeepApartPeriod, keep_entrants_apart, stop_keeping_apart
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import run_and_flash_result
from tournament.errors import NotFound
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import parse_number

_TABLE_RANGE: Final = re.compile(r"(\d{1,4})\s*[-–]\s*(\d{1,4})")


class _SiteTablesField(forms.CharField):
    """A form field for one site's range of tables, such as 1–20. If it is empty, the site shares the event's tables."""

    def __init__(self, site: str, **options: Any) -> None:
        label = gettext_lazy("Tables of %(site)s") % {"site": site}
        about = gettext_lazy("Such as 1–20. Leave empty to use any table that no other site has.")
        super().__init__(label=label, help_text=about, required=False, max_length=20, **options)
        self.site = site

    def clean(self, value: Any) -> SiteTables | None:
        typed = super().clean(value)
        if not typed:
            return None
        found = _TABLE_RANGE.fullmatch(typed)
        first, last = (int(found[1]), int(found[2])) if found is not None else (0, 0)
        if not 1 <= first <= last <= MAX_TABLE_NUMBER:
            raise forms.ValidationError(gettext_lazy("Enter the first and the last table, such as 1–20."))
        return SiteTables(self.site, first, last)

    def prepare_value(self, value: Any) -> Any:
        return f"{value.first}–{value.last}" if isinstance(value, SiteTables) else value


_FIELDS_BEFORE_SITES: Final = ("wait_for", "longest_wait", "difference", "grow_every", "first_table", "last_table")


class _DeskSettingsForm(forms.Form):
    wait_for = forms.IntegerField(
        label=gettext_lazy("Pair when this many players are waiting"), min_value=2, max_value=MAX_WAITING_ENTRIES
    )
    longest_wait = forms.IntegerField(
        label=gettext_lazy("or when a player has waited this many minutes"), min_value=0, max_value=MAX_WAIT_MINUTES
    )
    difference = forms.IntegerField(
        label=gettext_lazy("Allowed difference in wins"),
        min_value=0,
        max_value=50,
        required=False,
        help_text=gettext_lazy("Leave empty to allow any difference."),
    )
    grow_every = forms.IntegerField(
        label=gettext_lazy("One more win for every … minutes of waiting"),
        min_value=1,
        max_value=MAX_WAIT_MINUTES,
        required=False,
        help_text=gettext_lazy("Leave empty to keep the difference fixed."),
    )
    first_table = forms.IntegerField(label=gettext_lazy("First table"), min_value=1, max_value=MAX_TABLE_NUMBER)
    last_table = forms.IntegerField(
        label=gettext_lazy("Last table"),
        min_value=1,
        max_value=MAX_TABLE_NUMBER,
        required=False,
        help_text=gettext_lazy("Leave empty for as many tables as are needed."),
    )
    apart_in = forms.CharField(
        label=gettext_lazy("Keep clubs apart in games"),
        required=False,
        max_length=100,
        help_text=gettext_lazy("Such as 1, 2. Leave empty to let clubs meet."),
    )
    reset_daily = forms.BooleanField(label=gettext_lazy("Players may meet again on another day"), required=False)
    pair_absent = forms.BooleanField(
        label=gettext_lazy("Also pair players who are not checked in"),
        required=False,
        help_text=gettext_lazy("If nobody is checked in, everybody is paired."),
    )
    missed = forms.ChoiceField(
        label=gettext_lazy("Games a late entry missed count as"),
        choices=MISSED_GAMES_CHOICES,
        required=False,
        help_text=gettext_lazy("You can change this for each late entry."),
    )
    rounds = forms.IntegerField(
        label=gettext_lazy("Rounds to play"), min_value=1, max_value=MAX_QUALIFYING_GAMES, required=False
    )
    reason = forms.CharField(label=gettext_lazy("Reason, for the record"), max_length=300, required=False)

    def __init__(
        self,
        data: Any = None,
        *,
        terms: DeskTerms,
        plan: StagePlan,
        sites: Sequence[str] = (),
        rounds: int | None = None,
        fewest: int = 1,
    ) -> None:
        """Build the settings form for a stage.

        Each of the `sites` can have its own tables. `rounds` is the planned number of rounds, or None if the stage has
        no rounds. The director can reduce this number, but not below `fewest`.
        """
        planned = {"apart_in": ", ".join(map(str, terms.apart_in)), "rounds": terms.rounds or rounds}
        super().__init__(data, initial=terms.as_json() | planned)
        self.planned, self.fewest = rounds, fewest
        if rounds is None:
            del self.fields["rounds"]
        else:
            words = {"planned": rounds, "fewest": min(fewest, rounds)}
            self.fields["rounds"].help_text = (
                gettext_lazy("Planned: %(planned)s. You can play fewer, down to %(fewest)s.") % words
            )
        own = {one.site: one for one in terms.at_sites}
        self.sites = {f"site_{turn}": site for turn, site in enumerate(sites)}
        for name, site in self.sites.items():
            self.fields[name] = _SiteTablesField(site, initial=own.get(site))
        self.order_fields(["rounds", *_FIELDS_BEFORE_SITES, *self.sites])
        traits = plan.kind.traits
        hidden = [] if traits.at_desk else ["wait_for", "longest_wait", "difference", "grow_every"]
        hidden += ["pair_absent", "missed"] if plan.pool is None or traits.all_meet else []
        hidden += ["apart_in", "reset_daily", "missed"] if traits.in_line else []
        for name in hidden:
            self.fields[name].disabled = True
            self.fields[name].widget = forms.HiddenInput()

    def clean_apart_in(self) -> tuple[int, ...]:
        games = [word for word in re.split(r"[\s,;]+", self.cleaned_data["apart_in"]) if word]
        if not all(word.isdecimal() and len(word) < 4 and 1 <= int(word) <= 50 for word in games):
            raise forms.ValidationError(gettext_lazy("Enter the numbers of the games, such as 1, 2."))
        return tuple(sorted({int(word) for word in games}))

    def clean_rounds(self) -> int | None:
        rounds: int | None = self.cleaned_data["rounds"]
        if rounds is None or self.planned is None or rounds == self.planned:
            return None
        if not self.fewest <= rounds < self.planned:
            words = {"fewest": min(self.fewest, self.planned), "planned": self.planned}
            raise forms.ValidationError(gettext_lazy("Enter a number from %(fewest)s to %(planned)s.") % words)
        return rounds

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        first, last = facts.get("first_table"), facts.get("last_table")
        if first is not None and last is not None and last < first:
            self.add_error("last_table", gettext_lazy("The last table comes before the first. Correct one of them."))
        twice = find_table_used_twice(self._list_site_tables())
        if twice is not None:
            message = gettext_lazy("Table %(table)s is at two sites. Give each site its own tables.")
            self.add_error(next(reversed(self.sites)), message % {"table": twice})
        return facts

    def _list_site_tables(self) -> tuple[SiteTables, ...]:
        return tuple(one for name in self.sites if (one := self.cleaned_data.get(name)) is not None)

    def get_terms(self) -> DeskTerms:
        facts = {
            name: self.cleaned_data[name] for name in (*_FIELDS_BEFORE_SITES, "apart_in", "reset_daily", "pair_absent")
        }
        missed = MissedGamesPolicy(self.cleaned_data["missed"] or MissedGamesPolicy.LOSS)
        rounds = self.cleaned_data.get("rounds")
        return DeskTerms(**facts, missed=missed, at_sites=self._list_site_tables(), rounds=rounds)


class _KeepApartForm(forms.Form):
    one = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("Entrant"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("kept apart from"))
    kind = forms.ChoiceField(
        label=gettext_lazy("How long"),
        choices=(
            (AvoidPair.Kind.NEVER.value, gettext_lazy("For the whole event")),
            (AvoidPair.Kind.NOT_BEFORE.value, gettext_lazy("Until the game named here")),
        ),
    )
    before_round = forms.IntegerField(label=gettext_lazy("Until game"), min_value=2, max_value=50, required=False)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=300)

    def __init__(self, data: Any = None, *, event: Event) -> None:
        super().__init__(data)
        choices = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == AvoidPair.Kind.NOT_BEFORE and not facts.get("before_round"):
            self.add_error("before_round", gettext_lazy("Enter the game until which they are kept apart."))
        return facts


# --- The page --------------------------------------------------------------------------------------------------------


@staff_event_view("desk")
def settings_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show and change the desk's settings for each stage."""
    stage = load_stage_desk_settings(event, parse_number(request.GET.get("stage")))
    if stage is None:
        raise NotFound("no-desk", _("This event has no stage that is paired at the desk. Look at its format."))
    shown: dict[str, Any] = {"terms": _make_settings_form(stage), "apart": _KeepApartForm(event=event)}
    if request.method == "POST" and run_and_flash_result(request, lambda: _run_action(request, event, stage, shown)):
        return redirect(request.get_full_path())
    listed = event.avoid_pairs.filter(ended=None).select_related("one", "other").order_by("pk")
    stages = load_remaining_stages(event)
    context = {
        "stage": stage,
        "stages": stages,
        "forms": shown,
        "listed": listed,
        "broken": _describe_forbidden_games(load_pairing_desk(event)),
    }
    return render(request, "pairing/desk/settings.html", context)


def _make_settings_form(stage: StageDeskSettings, data: Any = None) -> _DeskSettingsForm:
    return _DeskSettingsForm(
        data,
        terms=stage.terms,
        plan=stage.plan,
        sites=stage.separate_sites,
        rounds=stage.rounds,
        fewest=stage.min_rounds,
    )


def _run_action(request: ActorRequest, event: Event, stage: StageDeskSettings, shown: dict[str, Any]) -> str | None:
    """Run the submitted action and return its confirmation message, or None if a form has errors."""
    act = request.POST.get("act")
    if act == "together":
        return _stop_keeping_pair_apart(request, event)
    if act != "terms":
        return _keep_pair_apart(request, event, shown)
    form = shown["terms"] = _make_settings_form(stage, request.POST)
    if not form.is_valid():
        return None
    change_desk_settings(
        event, form.get_terms(), by=request.actor, reason=form.cleaned_data["reason"], number=stage.number
    )
    return _("“%(stage)s”: these settings take effect with the next pairing.") % {"stage": stage.name}


def _stop_keeping_pair_apart(request: ActorRequest, event: Event) -> str:
    pk = parse_number(request.POST.get("pair")) or 0
    pair = AvoidPair.objects.select_related("event__tournament", "one", "other").filter(event=event, pk=pk).first()
    if pair is None:
        raise NotFound("no-pair", _("This pair is no longer on the list. Nothing was changed."))
    stop_keeping_apart(pair, by=request.actor)
    return _("Removed from the list.")


def _keep_pair_apart(request: ActorRequest, event: Event, shown: dict[str, Any]) -> str | None:
    form = shown["apart"] = _KeepApartForm(request.POST, event=event)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    kind = AvoidPair.Kind(facts["kind"])
    period = KeepApartPeriod(kind, facts["before_round"] if kind is AvoidPair.Kind.NOT_BEFORE else None)
    keep_entrants_apart(facts["one"], facts["other"], by=request.actor, reason=facts["reason"], period=period)
    return _("Added to the list.")


def _describe_forbidden_games(desk: PairingDesk | None) -> list[str]:
    if desk is None:
        return []
    busy = {tuple(sorted(one.sides)) for one in desk.busy_tables}
    pairs = [pair for part in desk.groups for pair in sorted(busy & part.pairing_input.constraints.never)]
    both = (" – ".join(desk.names.get(number, str(number)) for number in pair) for pair in pairs)
    return [_("%(pair)s now play each other.") % {"pair": names} for names in both]
