"""Pages that add a late entry to a bracket, or undo it, after showing what that changes. Also the form for pools."""

from collections.abc import Collection
from functools import partial
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pairing.corrections.pages import PlannedAct, preview_or_apply
from pairing.desk.forms import MISSED
from pairing.draws.desk.desk import MissedGamesPolicy
from pairing.knockout.pictures.boxes import match_name
from pairing.late_entries.selectors import LateByes, LateTerms, load_late_byes, load_late_terms
from pairing.late_entries.services import NOTHING_MISSED, MissedGames, take_bye, undo_late_entry
from pairing.matches.forms import EntrantForm
from pairing.models import LateEntry
from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link
from tournament.models import Event


class LateForm(EntrantForm):
    """The entrant and the reason of a late entry in a bracket. The draw decides which bye it gets."""

    reason = forms.CharField(label=gettext_lazy("Reason for the late entry"), max_length=500)

    def __init__(self, data: Any = None, *, event: Event, numbers: Collection[int], **options: Any) -> None:
        may = event.entrants.filter(number__in=numbers).order_by("number")
        super().__init__(data, prefix="late", among=may, **options)


class GiveByeBackForm(KeyedForm):
    late_entry = forms.ModelChoiceField(label=gettext_lazy("Late entry"), queryset=LateEntry.objects.none())
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, data: Any = None, *, late: LateByes) -> None:
        super().__init__(data, prefix="back")
        rows = LateEntry.objects.filter(pk__in=[one.pk for one in late.came])
        self.fields["late_entry"].queryset = rows.select_related(  # type: ignore[attr-defined]
            "entrant", "bye", "match", "draw__commitment__event__tournament"
        )


class LateEntryForm(LateForm):
    """The entrant who joins a pool in play, the reason, and how the games that are already over count."""

    games = forms.IntegerField(label=gettext_lazy("Games that count as missed"), min_value=0)
    counts_as = forms.ChoiceField(label=gettext_lazy("Each missed game counts as"), choices=MISSED)
    field_order = ("entrant", "games", "counts_as", "reason")

    def __init__(self, data: Any = None, *, event: Event, late: LateTerms) -> None:
        initial = {"games": late.missed, "counts_as": late.counts_as.value}
        super().__init__(data, event=event, numbers=late.numbers, initial=initial)
        if not late.most:
            del self.fields["games"], self.fields["counts_as"]
            return
        self.fields["games"].validators.append(MaxValueValidator(late.most))
        about = gettext_lazy("0 to %(most)s. With rounds, usually the rounds already posted.")
        self.fields["games"].help_text = about % {"most": late.most}

    @property
    def beforehand(self) -> MissedGames:
        if "games" not in self.fields:
            return NOTHING_MISSED
        return MissedGames(self.cleaned_data["games"], MissedGamesPolicy(self.cleaned_data["counts_as"]))


@console_event("desk")
def take(request: ActorRequest, event: Event) -> HttpResponse:
    """List the open byes in the order in which they are given, and add a late entry. Pools have their own page."""
    late = load_late_byes(event)
    if late is None and load_late_terms(event) is not None:
        return redirect(event_link(event, "pairing:desk_late"))
    form = LateForm(request.POST or None, event=event, numbers=late.numbers) if late is not None else None
    if form is None or not form.is_valid():
        return _page(request, late, form)
    entrant = form.cleaned_data["entrant"]
    plan = PlannedAct(
        event=event,
        title=_("Add %(name)s to the bracket") % {"name": entrant.name},
        act=partial(take_bye, entrant),
        label=_("Add the late entry"),
        explanation=_(
            "They take the first open bye, in the order of the draw, and are checked in. The draw stays as it is."
        ),
        form=form,
        success_message=_("%(name)s is in the bracket.") % {"name": entrant.name},
        next_url=event_link(event, "pairing:desk_results"),
    )
    return preview_or_apply(request, plan)


@console_event("direct")
def give_back(request: ActorRequest, event: Event) -> HttpResponse:
    """Undo a late entry, so that the bye is a bye again. Its match must not be called or begun."""
    late = load_late_byes(event)
    form = GiveByeBackForm(request.POST or None, late=late) if late is not None else None
    if form is None or not form.is_valid():
        return _page(request, late, form, back=True)
    one = form.cleaned_data["late_entry"]
    plan = PlannedAct(
        event=event,
        title=_("Remove %(name)s from the bracket") % {"name": one.entrant.name},
        act=partial(undo_late_entry, one),
        label=_("Undo the late entry"),
        explanation=_("The bye is a bye again. The entry stays on the list, and both stay on record."),
        form=form,
        success_message=_("The late entry is undone. It stays on record."),
        next_url=event_link(event, "pairing:desk_results"),
        danger=True,
    )
    return preview_or_apply(request, plan)


def _page(request: ActorRequest, late: LateByes | None, form: forms.Form | None, *, back: bool = False) -> HttpResponse:
    context: dict[str, Any] = {"form": form, "late": late, "back": back}
    if late is not None:
        context["byes"] = [(bye.entry, late.names[bye.entry], match_name(bye.match)) for bye in late.open.byes]
        context["may"] = bool(late.came) if back else bool(late.open.byes and late.numbers)
    status = 422 if form is not None and form.errors else 200
    return render(request, "pairing/late_entries/console.html", context, status=status)
