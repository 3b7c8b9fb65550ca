"""The draw page of the desk, with every act from closing registration to undoing the posted draw."""

from collections.abc import Callable

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pairing.blind_draw.forms import CutForm, DrawTermsForm
from pairing.blind_draw.public.draws import named_terms
from pairing.blind_draw.selectors.draws import (
    count_unapproved,
    current_commitment,
    drawn_numbers,
    has_result,
    load_doubtful,
    load_draw_terms,
    load_draws,
    load_left_out,
)
from pairing.blind_draw.services import draws
from pairing.blind_draw.services.draws import first_round_tables
from pairing.draws.places import Move, bracket_size, bye_entries, first_round
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.draws.separation.groups_and_seeds import move_in_groups
from pairing.models import Draw
from pairing.stages.forms.matches import ReasonForm
from pairing.stages.selectors.apart import load_apart_requests, load_clubs_apart
from pairing.stages.selectors.openings import first_opening
from pairing.stages.selectors.plans import load_plan
from pairing.stages.selectors.records import load_names, open_draw
from tournament.core.pages.access import ActorRequest, console_event
from tournament.errors import DomainError
from tournament.models import Event
from tournament.registration.selectors.entries import load_seeking, load_sideless
from tournament.registration.services.entries import bring_back, keep_in_draw, leave_out
from tournament.spreadsheets.names import typed_numbers


@console_event("direct")
def draw_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the draw page with the next step, and carry out the act that was sent."""
    shown: dict[str, forms.Form] = {"cut": CutForm(), "back": ReasonForm()}
    names, now, terms = load_names(event), drawn_numbers(event), load_draw_terms(event)
    if load_plan(event).first.knockout is not None:
        shown["terms"] = DrawTermsForm(entrants=[(number, names[number]) for number in now], terms=terms)
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is not None:
            try:
                said = act(request, event, shown)
            except DomainError as error:
                messages.error(request, error.message)
                said = None
            if said:
                messages.success(request, said)
            if said is not None and not shown["cut"].is_bound:
                return redirect(request.path)
    # The cut is sent back to the page, so that it survives while the director decides who plays.
    cut_sent = [(name, value) for name in CutForm.base_fields for value in request.POST.getlist(name)]
    context = _context(event, shown, names, now, terms) | {"cut_sent": cut_sent}
    return render(request, "pairing/blind_draw/console.html", context)


def _context(
    event: Event, shown: dict[str, forms.Form], names: dict[int, str], now: list[int], terms: DrawTerms | None
) -> dict[str, object]:
    """Return the template context of the draw page.

    The caller loads `names`, `now` and `terms` once: no act that stays on this page changes them.
    """
    sealed, preview = current_commitment(event), open_draw(event)
    sealed_numbers = sealed.numbers if sealed else []
    is_to_come = event.state in ("open", "closed") and preview is None
    doubtful = load_doubtful(event) if is_to_come else []
    return {
        "forms": shown,
        "filled": "terms" in shown and bool(shown["terms"].initial.get("entries")) and not terms,
        "sealed": sealed,
        "count": len(now),
        "seeking": load_seeking(event).count() if event.state in ("draft", "open", "closed") else 0,
        "not_approved": count_unapproved(event) if is_to_come else 0,
        "came": [f"{n} {names[n]}" for n in now if n not in sealed_numbers],
        "went": [f"{n} {names[n]}" for n in sealed_numbers if n not in now],
        "changed": sealed is not None and sealed_numbers != now,
        "preview": _preview(event, preview, names) if preview else None,
        "sideless": load_sideless(event) if event.state in ("open", "closed") else [],
        "doubtful": doubtful,
        "doubts": sum(not row.kept for row in doubtful) if event.state == "closed" else 0,
        "left_out": load_left_out(event) if is_to_come else [],
        "terms": named_terms(terms, names),
        "bye_count": bracket_size(len(now)) - len(now) if len(now) > 1 else 0,
        "seeds_needed": load_plan(event).is_seeded and terms is None,
        "avoided": event.avoid_pairs.filter(ended=None).select_related("one", "other"),
        "requests": load_apart_requests(event),
        "clubs_apart": load_clubs_apart(event),
        "draws": load_draws(event),
        "has_result": has_result(event),
    }


def _preview(event: Event, made: Draw, names: dict[int, str]) -> dict[str, object]:
    """Return the tables of round one, the bracket, or the groups of the first stage.

    A stage that is paired during play only has its order.
    """
    first = first_round_tables(event, made)
    if first is not None:
        return {
            "draw": made,
            "tables": [[(number, names[number]) for number in table] for table in first.tables],
            "sits_out": [names[number] for number in first.sits_out],
            "moves": [str(move) for move in first.moves],
        }
    if made.places:
        return {
            "draw": made,
            "terms": named_terms(DrawTerms.from_json(made.terms), names),
            "pairs": [(one, names[one], other, names[other]) for one, other in first_round(made.places)],
            "byes": [(number, names[number]) for number in bye_entries(made.places)],
            "moves": [str(Move.from_json(move)) for move in made.moves],
        }
    record = first_opening(made, load_plan(event).stages[0]).record
    return {
        "draw": made,
        "groups": [[(number, names[number]) for number in group] for group in record.get("groups", ())],
        "moves": [move_in_groups(Move.from_json(move)) for move in record.get("moves", ())],
        "order": [(number, names[number]) for number in made.order],
    }


def _close(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    draws.close_event(event, by=request.actor)
    return _("Registration is closed, and the list is sealed.")


def _seal(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    draws.renew_commitment(event, by=request.actor)
    return _("The list is sealed again.")


def _cut(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str | None:
    form = shown["cut"] = CutForm(request.POST)
    if not form.is_valid():
        return None
    draws.make_draw(event, form.cleaned_data["public"], by=request.actor, key=form.cleaned_data["key"])
    shown["cut"] = CutForm()
    return _("Drawn. Look at it, then post it.")


def _post(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    draws.post_draw(event, by=request.actor)
    return _("The draw is posted.")


def _take_back(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str | None:
    form = shown["back"] = ReasonForm(request.POST)
    if not form.is_valid():
        return None
    draws.take_back(event, by=request.actor, reason=form.cleaned_data["reason"])
    return _("The draw is undone and stays on record. The list is sealed again.")


def _save_terms(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str | None:
    form = shown["terms"] = DrawTermsForm(request.POST, entrants=_listed(event))
    if not form.is_valid():
        return None
    draws.set_draw_terms(event, form.terms(), by=request.actor)
    return _("Saved. It is public with the seal, and the draw will use it.")


def _list_all_entries(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> None:
    """Fill the form with all entries by entry number, for sorting by hand. Nothing is saved."""
    listed = _listed(event)
    everybody = tuple(number for number, _name in listed)
    shown["terms"] = DrawTermsForm(entrants=listed, terms=DrawTerms(DrawKind.SEEDED, everybody))


def _listed(event: Event) -> list[tuple[int, str]]:
    names = load_names(event)
    return [(number, names[number]) for number in drawn_numbers(event)]


def _keep_in_draw(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    if "key" in request.POST:
        shown["cut"] = CutForm(request.POST)
    numbers = _checked_numbers(request)
    kept = keep_in_draw(event, numbers, by=request.actor) if numbers else 0
    if not kept:
        return ""
    return ngettext("%(count)s player stays in the draw.", "%(count)s players stay in the draw.", kept) % {
        "count": kept
    }


def _leave_out(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    numbers = _checked_numbers(request)
    if not numbers:
        return ""
    reason = request.POST.get("reason") or _("not paid or not checked in before the draw")
    left = leave_out(event, numbers, by=request.actor, reason=reason)
    return ngettext("%(count)s player is left out.", "%(count)s players are left out.", left) % {"count": left}


def _bring_back(request: ActorRequest, event: Event, shown: dict[str, forms.Form]) -> str:
    numbers = _checked_numbers(request)
    if not numbers:
        return ""
    reason = request.POST.get("reason") or _("brought back before the draw")
    back = bring_back(event, numbers, by=request.actor, reason=reason)
    return ngettext("%(count)s player is back in the draw.", "%(count)s players are back in the draw.", back) % {
        "count": back
    }


def _checked_numbers(request: ActorRequest) -> list[int]:
    """Return the checked entry numbers. If there are none, warn on the next page."""
    numbers = typed_numbers(request.POST.getlist("number"))
    if not numbers:
        messages.warning(request, _("No player is checked. Check the players first."))
    return numbers


ACTS: dict[str, Callable[[ActorRequest, Event, dict[str, forms.Form]], str | None]] = {
    "close": _close,
    "seal": _seal,
    "cut": _cut,
    "post": _post,
    "take-back": _take_back,
    "terms": _save_terms,
    "fill": _list_all_entries,
    "keep": _keep_in_draw,
    "leave-out": _leave_out,
    "bring-back": _bring_back,
}
