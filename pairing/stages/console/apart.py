"""The page where a director keeps pairs, couples and clubs apart."""

import re
from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.models import AvoidPair
from pairing.stages.selectors.apart import group_by_club, load_keep_apart_requests, load_last_round_with_clubs_apart
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import load_draw_preview, load_posted_draw
from pairing.stages.services import apart
from pairing.stages.services.apart import CLUBS_NOT_KEPT_APART, KeepApartPeriod
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import run_and_flash_result
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import parse_number, parse_numbers

AvoidPairKind = AvoidPair.Kind
MAX_ROUNDS_KEPT_APART: Final = 50
KEEP_APART_PERIOD_CHOICES: Final = (
    (AvoidPairKind.FIRST_ROUND.value, gettext_lazy("In round one")),
    (AvoidPairKind.NOT_BEFORE.value, gettext_lazy("Before the round or game named here")),
    (AvoidPairKind.NEVER.value, gettext_lazy("For the whole event")),
)


class _PeriodForm(forms.Form):
    kind = forms.ChoiceField(label=gettext_lazy("How long"))
    before_round = forms.IntegerField(
        label=gettext_lazy("Until round or game"), min_value=2, max_value=MAX_ROUNDS_KEPT_APART, required=False
    )

    def __init__(self, data: Any = None, *, drawn: bool, **options: Any) -> None:
        super().__init__(data, **options)
        field = self.fields["kind"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = KEEP_APART_PERIOD_CHOICES[1:] if drawn else KEEP_APART_PERIOD_CHOICES

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == AvoidPairKind.NOT_BEFORE and not facts.get("before_round") and not self.errors:
            self.add_error("before_round", gettext_lazy("Enter the round or game until which they are kept apart."))
        return facts

    def make_period(self, *, is_couple: bool = False) -> KeepApartPeriod:
        kind = AvoidPairKind(self.cleaned_data["kind"])
        before = self.cleaned_data["before_round"] if kind is AvoidPairKind.NOT_BEFORE else None
        return KeepApartPeriod(kind, before, is_couple)


class _KeepApartForm(_PeriodForm):
    one = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("Entrant"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("kept apart from"))
    reason = forms.CharField(
        label=gettext_lazy("Reason"), max_length=300, help_text=gettext_lazy("It is published with the draw.")
    )
    field_order = ("one", "other", "kind", "before_round", "reason")

    def __init__(self, data: Any = None, *, event: Event, drawn: bool) -> None:
        super().__init__(data, drawn=drawn, prefix="two")
        choices = event.entrants.filter(state=Entrant.State.IN).order_by("sort_key", "number")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices


class _CouplesForm(_PeriodForm):
    couples = forms.CharField(
        label=gettext_lazy("Couples"),
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}),
        help_text=gettext_lazy("Two entry numbers on each line, such as 3 17."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=300, initial=gettext_lazy("a couple"))
    field_order = ("couples", "kind", "before_round", "reason")

    def __init__(self, data: Any = None, *, drawn: bool) -> None:
        super().__init__(data, drawn=drawn, prefix="couples")

    def clean_couples(self) -> list[tuple[int, int]]:
        couples = []
        for line in self.cleaned_data["couples"].splitlines():
            words = [word for word in re.split(r"[\s,;–-]+", line) if word]
            numbers = parse_numbers(words)
            if words and (len(words) != 2 or len(numbers) != 2):
                raise forms.ValidationError(
                    gettext_lazy("“%(line)s” is not two entry numbers. Write them like 3 17.")
                    % {"line": line.strip()[:60]}
                )
            if words:
                couples.append((numbers[0], numbers[1]))
        return couples


class _ClubsForm(forms.Form):
    """A form for how long players of the same club are kept apart."""

    NOT, FIRST, UNTIL, ALWAYS = "not", "first", "until", "always"
    long = forms.ChoiceField(
        label=gettext_lazy("Players of one club"),
        choices=(
            (NOT, gettext_lazy("may meet at any time")),
            (FIRST, gettext_lazy("kept apart in round one")),
            (UNTIL, gettext_lazy("kept apart until a round or game")),
            (ALWAYS, gettext_lazy("kept apart in every round")),
        ),
    )
    until_round = forms.IntegerField(
        label=gettext_lazy("Until round or game"),
        min_value=1,
        max_value=MAX_ROUNDS_KEPT_APART,
        required=False,
        help_text=gettext_lazy("Only if they are kept apart for some rounds."),
    )

    def __init__(self, data: Any = None, *, until: int | None = CLUBS_NOT_KEPT_APART) -> None:
        known = {CLUBS_NOT_KEPT_APART: self.NOT, 1: self.FIRST, None: self.ALWAYS}
        initial = {"long": known.get(until, self.UNTIL), "until_round": until if until and until > 1 else None}
        super().__init__(data, prefix="clubs", initial=initial)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("long") == self.UNTIL and not facts.get("until_round") and not self.errors:
            self.add_error("until_round", gettext_lazy("Enter the round or game until which they are kept apart."))
        return facts

    def get_last_round(self) -> int | None:
        long: str = self.cleaned_data["long"]
        rounds: dict[str, int | None] = {self.NOT: CLUBS_NOT_KEPT_APART, self.FIRST: 1, self.ALWAYS: None}
        return rounds.get(long, self.cleaned_data["until_round"])


class _KeepApartPage:
    def __init__(self, event: Event) -> None:
        self.event = event
        self.drawn = load_draw_preview(event) is not None or load_posted_draw(event) is not None
        self.two = _KeepApartForm(event=event, drawn=self.drawn)
        self.couples = _CouplesForm(drawn=self.drawn)
        self.clubs = _ClubsForm(until=load_last_round_with_clubs_apart(event))

    def make_context(self) -> dict[str, Any]:
        listed = self.event.avoid_pairs.filter(ended=None).select_related("one", "other").order_by("pk")
        entrants = self.event.entrants.filter(state=Entrant.State.IN).values_list("number", "club")
        clubs = sorted(group_by_club(dict(entrants)).items(), key=lambda club: (-len(club[1]), club[0].casefold()))
        return {
            "page": self,
            "requests": load_keep_apart_requests(self.event),
            "two": [pair for pair in listed if not pair.is_couple],
            "couples": [pair for pair in listed if pair.is_couple],
            "clubs": [(name, len(members)) for name, members in clubs],
            "clubs_until": load_last_round_with_clubs_apart(self.event),
            "bracket_only": load_event_plan(self.event).first.knockout is not None,
            "first_round": AvoidPair.Kind.FIRST_ROUND.value,
        }


@staff_event_view("direct")
def keep_apart_page(request: ActorRequest, event: Event) -> HttpResponse:
    page, refused = _KeepApartPage(event), False
    if request.method == "POST":
        if run_and_flash_result(request, lambda: _run_action(request, page)):
            return redirect(request.path)
        refused = True
    return render(request, "pairing/stages/apart/console.html", page.make_context(), status=422 if refused else 200)


def _run_action(request: ActorRequest, page: _KeepApartPage) -> str | None:
    act = KEEP_APART_ACTIONS.get(request.POST.get("act", ""))
    if act is None:
        raise DomainError("no-act", _("Nothing was done. Choose one of the buttons on this page."))
    return act(request, page)


def _keep_pair_apart(request: ActorRequest, page: _KeepApartPage) -> str | None:
    form = page.two = _KeepApartForm(request.POST, event=page.event, drawn=page.drawn)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    apart.keep_entrants_apart(
        facts["one"], facts["other"], by=request.actor, reason=facts["reason"], period=form.make_period()
    )
    return _("Added to the list.")


def _keep_couples_apart(request: ActorRequest, page: _KeepApartPage) -> str | None:
    form = page.couples = _CouplesForm(request.POST, drawn=page.drawn)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    period = form.make_period(is_couple=True)
    added = apart.keep_couples_apart(
        page.event, facts["couples"], by=request.actor, reason=facts["reason"], period=period
    )
    return ngettext("One couple was added to the list.", "%(n)s couples were added to the list.", len(added)) % {
        "n": len(added)
    }


def _keep_clubs_apart(request: ActorRequest, page: _KeepApartPage) -> str | None:
    form = page.clubs = _ClubsForm(request.POST)
    if not form.is_valid():
        return None
    apart.keep_clubs_apart(page.event, form.get_last_round(), by=request.actor)
    return _("Saved. It takes effect with the next draw, round or pairing.")


def _remove_pair(request: ActorRequest, page: _KeepApartPage) -> str:
    pairs = page.event.avoid_pairs.select_related("event__tournament", "one", "other")
    pair = get_object_or_404(pairs, pk=parse_number(request.POST.get("pair")) or 0)
    apart.stop_keeping_apart(pair, by=request.actor)
    return _("Removed from the list.")


KEEP_APART_ACTIONS: dict[str, Callable[[ActorRequest, _KeepApartPage], str | None]] = {
    "apart": _keep_pair_apart,
    "couples": _keep_couples_apart,
    "clubs": _keep_clubs_apart,
    "together": _remove_pair,
}
