"""Staff pages for drawing entrants and partners, and for entering eliminated players in a second-chance event."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.blind_draw import services
from pairing.blind_draw.public import make_draw_terms_context
from pairing.blind_draw.selectors import (
    EliminationCause,
    count_unapproved_entries,
    has_any_match_result,
    load_current_commitment,
    load_draw_terms,
    load_draws,
    load_partner_draw,
    load_partner_draw_preview,
    load_partner_draws,
    load_partner_requests,
    load_removed_entrants,
    load_second_chance_candidates,
    load_unready_entrants,
    load_unused_seal,
)
from pairing.draws.places import EntryMove, compute_bracket_size, find_entries_with_bye, iter_first_round_pairs
from pairing.draws.separation.draw import DrawKind, DrawTerms
from pairing.draws.separation.groups_and_seeds import describe_group_move
from pairing.models import Draw, PartnerDraw
from pairing.stages.forms import BaseCutForm, ReasonForm
from pairing.stages.selectors.apart import load_keep_apart_requests, load_last_round_with_clubs_apart
from pairing.stages.selectors.kinds import find_stage_kind_hooks
from pairing.stages.selectors.openings import make_first_stage_opening
from pairing.stages.selectors.plans import load_event_plan
from pairing.stages.selectors.records import load_current_entry_numbers, load_draw_preview
from tournament.core.forms import IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import find_site_url
from tournament.core.selectors.events import load_entry_names
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.registration.selectors.entries import (
    has_partner_draw,
    has_two_partner_pools,
    load_entrant_by_number,
    load_entrants_without_side,
    load_entry_summaries,
    load_joined_pairs,
    load_partner_seekers,
)
from tournament.registration.services import pairs
from tournament.registration.services.entries import (
    keep_entrants_in_draw,
    leave_entries_out_of_draw,
    return_entries_to_draw,
)
from tournament.registration.services.waiting_list import EVENT_STATES_BEFORE_DRAW
from tournament.spreadsheets.names import parse_number, parse_numbers

FormsByName = dict[str, forms.Form]


class CutForm(BaseCutForm):
    cut_field_name = "public"
    public = forms.CharField(
        label=gettext_lazy("What the room saw"),
        required=False,
        max_length=300,
        help_text=gettext_lazy("For example the dice or a coin, in plain words."),
    )
    nobody_cut = forms.BooleanField(label=gettext_lazy("Nobody cut: draw from the sealed secret alone"), required=False)


class _DrawTermsForm(forms.Form):
    """A form for how the bracket is filled: blind, with byes for certain entries, or seeded.

    Each line of `entries` contains one or more entry numbers, or a name.
    """

    kind = forms.ChoiceField(
        label=gettext_lazy("How the places are filled"),
        widget=forms.RadioSelect,
        choices=(
            (DrawKind.BLIND.value, gettext_lazy("Blind: the lot decides everything")),
            (DrawKind.BYES.value, gettext_lazy("Byes for the players named here, in this order; the rest blind")),
            (
                DrawKind.SEEDED.value,
                gettext_lazy("Seeded in the order given here; the other players are drawn after them"),
            ),
        ),
    )
    entries = forms.CharField(
        label=gettext_lazy("In this order"),
        required=False,
        max_length=500_000,
        strip=True,
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off"}),
        help_text=gettext_lazy(
            "Entry numbers like 7 3 12, or one number or name on each line. Move the lines to change the order."
        ),
    )

    def __init__(self, data: Any = None, *, entrants: list[tuple[int, str]], terms: DrawTerms | None = None) -> None:
        self.names = dict(entrants)
        terms = terms or DrawTerms()
        lines = [f"{number} {self.names.get(number, '')}".strip() for number in terms.entries]
        initial = {"kind": terms.kind.value, "entries": "\n".join(lines)}
        super().__init__(data, initial=initial)

    def clean(self) -> dict[str, Any]:
        facts: dict[str, Any] = super().clean() or {}
        if facts.get("kind") == DrawKind.BLIND:
            return facts
        numbers: list[int] = []
        for line in facts.get("entries", "").splitlines():
            if line.strip():
                numbers += self._parse_line(line)
        twice = sorted(number for number, count in Counter(numbers).items() if count > 1)[:5]
        if twice:
            self.add_error("entries", gettext_lazy("Twice in the list: %(who)s.") % {"who": ", ".join(map(str, twice))})
        if not numbers and not self.errors:
            self.add_error("entries", gettext_lazy("Name at least one player. Put the first one first."))
        facts["numbers"] = tuple(numbers)
        return facts

    def _parse_line(self, line: str) -> list[int]:
        """Parse one line into entry numbers.

        The line can have several numbers, a number followed by text, or a name.
        """
        words = [word for word in re.split(r"[\s,;.:]+", line) if word]
        numbers = [parse_number(word) for word in words]
        row = [number for number in numbers if number is not None]
        if len(row) == len(words):
            return row
        if numbers and numbers[0] is not None:
            return [numbers[0]]
        named = [number for number, name in self.names.items() if name.casefold() == line.strip().casefold()]
        if len(named) != 1:
            self.add_error(
                "entries",
                _("“%(line)s” is not the name of exactly one player. Write the entry number.")
                % {"line": line.strip()[:60]},
            )
        return named[:1]

    def get_terms(self) -> DrawTerms:
        kind = DrawKind(self.cleaned_data["kind"])
        return DrawTerms(kind, self.cleaned_data["numbers"] if kind is not DrawKind.BLIND else ())


@staff_event_view("direct")
def draw_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the draw page, and run the submitted action."""
    page_forms: FormsByName = {"cut": CutForm(), "back": ReasonForm()}
    names, numbers, terms = load_entry_names(event), load_current_entry_numbers(event), load_draw_terms(event)
    if load_event_plan(event).first.knockout is not None:
        page_forms["terms"] = _DrawTermsForm(entrants=[(number, names[number]) for number in numbers], terms=terms)
    if request.method == "POST":
        act = DRAW_ACTIONS.get(request.POST.get("act", ""))
        if act is not None:
            try:
                success_message = act(request, event, page_forms)
            except DomainError as error:
                messages.error(request, error.message)
                success_message = None
            if success_message:
                messages.success(request, success_message)
            if success_message is not None and not page_forms["cut"].is_bound:
                return redirect(request.path)
    # The page keeps the cut while the director decides who plays.
    cut_sent = [(name, value) for name in CutForm.base_fields for value in request.POST.getlist(name)]
    context = _make_draw_context(event, page_forms, names, numbers, terms) | {"cut_sent": cut_sent}
    return render(request, "pairing/blind_draw/console.html", context)


def _make_draw_context(
    event: Event, page_forms: FormsByName, names: dict[int, str], numbers: list[int], terms: DrawTerms | None
) -> dict[str, object]:
    sealed, preview = load_current_commitment(event), load_draw_preview(event)
    sealed_numbers = sealed.numbers if sealed else []
    is_before_draw = event.state in ("open", "closed") and preview is None
    unready = load_unready_entrants(event) if is_before_draw else []
    return {
        "forms": page_forms,
        "filled": "terms" in page_forms and bool(page_forms["terms"].initial.get("entries")) and not terms,
        "sealed": sealed,
        "count": len(numbers),
        "seeking": load_partner_seekers(event).count() if event.state in ("draft", "open", "closed") else 0,
        "not_approved": count_unapproved_entries(event) if is_before_draw else 0,
        "came": [f"{number} {names[number]}" for number in numbers if number not in sealed_numbers],
        "went": [f"{number} {names[number]}" for number in sealed_numbers if number not in numbers],
        "changed": sealed is not None and sealed_numbers != numbers,
        "preview": _make_preview_context(event, preview, names) if preview else None,
        "sideless": load_entrants_without_side(event) if event.state in ("open", "closed") else [],
        "doubtful": unready,
        "doubts": sum(not row.is_kept_in_draw for row in unready) if event.state == "closed" else 0,
        "left_out": load_removed_entrants(event) if is_before_draw else [],
        "terms": make_draw_terms_context(terms, names),
        "bye_count": compute_bracket_size(len(numbers)) - len(numbers) if len(numbers) > 1 else 0,
        "seeds_needed": load_event_plan(event).is_seeded and terms is None,
        "avoided": event.avoid_pairs.filter(ended=None).select_related("one", "other"),
        "requests": load_keep_apart_requests(event),
        "clubs_apart": load_last_round_with_clubs_apart(event),
        "draws": load_draws(event),
        "has_result": has_any_match_result(event),
    }


def _make_preview_context(event: Event, made: Draw, names: dict[int, str]) -> dict[str, object]:
    """Return the template context for the drawn tables, bracket, or groups.

    If the stage has none of these, the context has only the drawn order.
    """
    plan_first_seating = find_stage_kind_hooks(load_event_plan(event).first.kind).plan_first_seating
    if plan_first_seating is not None:
        first = plan_first_seating(event, made)
        return {
            "draw": made,
            "tables": [[(number, names[number]) for number in table] for table in first.tables],
            "sits_out": [names[number] for number in first.sits_out],
            "moves": [str(move) for move in first.moves],
        }
    if made.places:
        return {
            "draw": made,
            "terms": make_draw_terms_context(DrawTerms.from_json(made.terms), names),
            "pairs": [(one, names[one], other, names[other]) for one, other in iter_first_round_pairs(made.places)],
            "byes": [(number, names[number]) for number in find_entries_with_bye(made.places)],
            "moves": [str(EntryMove.from_json(move)) for move in made.moves],
        }
    record = make_first_stage_opening(made, load_event_plan(event).stages[0]).record
    return {
        "draw": made,
        "groups": [[(number, names[number]) for number in group] for group in record.get("groups", ())],
        "moves": [describe_group_move(EntryMove.from_json(move)) for move in record.get("moves", ())],
        "order": [(number, names[number]) for number in made.order],
    }


def _close_registration(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    services.close_registration(event, by=request.actor)
    return _("Registration is closed, and the list is sealed.")


def _renew_seal(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    services.renew_commitment(event, by=request.actor)
    return _("The list is sealed again.")


def _record_cut(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["cut"] = CutForm(request.POST)
    if not form.is_valid():
        return None
    services.make_draw(event, form.cleaned_data["public"], by=request.actor, key=form.cleaned_data["key"])
    page_forms["cut"] = CutForm()
    return _("Drawn. Look at it, then post it.")


def _post_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    services.post_draw(event, by=request.actor)
    return _("The draw is posted.")


def _undo_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["back"] = ReasonForm(request.POST)
    if not form.is_valid():
        return None
    services.take_back_draw(event, by=request.actor, reason=form.cleaned_data["reason"])
    return _("The draw is undone and stays on record. The list is sealed again.")


def _save_terms(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["terms"] = _DrawTermsForm(request.POST, entrants=_list_entries(event))
    if not form.is_valid():
        return None
    services.set_draw_terms(event, form.get_terms(), by=request.actor)
    return _("Saved. It is public with the seal, and the draw will use it.")


def _fill_form_with_all_entries(request: ActorRequest, event: Event, page_forms: FormsByName) -> None:
    """Fill the form with all entries so that the director can sort them. Nothing is saved."""
    listed = _list_entries(event)
    everybody = tuple(number for number, _name in listed)
    page_forms["terms"] = _DrawTermsForm(entrants=listed, terms=DrawTerms(DrawKind.SEEDED, everybody))


def _list_entries(event: Event) -> list[tuple[int, str]]:
    names = load_entry_names(event)
    return [(number, names[number]) for number in load_current_entry_numbers(event)]


def _keep_in_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    if "key" in request.POST:
        page_forms["cut"] = CutForm(request.POST)
    numbers = _get_checked_numbers(request)
    kept = keep_entrants_in_draw(event, numbers, by=request.actor) if numbers else 0
    if not kept:
        return ""
    return ngettext("%(count)s player stays in the draw.", "%(count)s players stay in the draw.", kept) % {
        "count": kept
    }


def _leave_entries_out(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    numbers = _get_checked_numbers(request)
    if not numbers:
        return ""
    reason = request.POST.get("reason") or _("not paid or not checked in before the draw")
    left = leave_entries_out_of_draw(event, numbers, by=request.actor, reason=reason)
    return ngettext("%(count)s player is left out.", "%(count)s players are left out.", left) % {"count": left}


def _bring_entries_back(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    numbers = _get_checked_numbers(request)
    if not numbers:
        return ""
    reason = request.POST.get("reason") or _("brought back before the draw")
    back = return_entries_to_draw(event, numbers, by=request.actor, reason=reason)
    return ngettext("%(count)s player is back in the draw.", "%(count)s players are back in the draw.", back) % {
        "count": back
    }


def _get_checked_numbers(request: ActorRequest) -> list[int]:
    """Return the checked entry numbers. If none are checked, warn the user on the next page."""
    numbers = parse_numbers(request.POST.getlist("number"))
    if not numbers:
        messages.warning(request, _("No player is checked. Check the players first."))
    return numbers


DRAW_ACTIONS: dict[str, Callable[[ActorRequest, Event, FormsByName], str | None]] = {
    "close": _close_registration,
    "seal": _renew_seal,
    "cut": _record_cut,
    "post": _post_draw,
    "take-back": _undo_draw,
    "terms": _save_terms,
    "fill": _fill_form_with_all_entries,
    "keep": _keep_in_draw,
    "leave-out": _leave_entries_out,
    "bring-back": _bring_entries_back,
}


# --- The draw of partners --------------------------------------------------------------------------------------------


class _JoinPartnersForm(IdempotentForm):
    """A form for joining two players who are looking for a partner."""

    one = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("First player"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("Second player"))
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = load_partner_seekers(event).select_related("event__tournament")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices


class _SecondChanceForm(IdempotentForm):
    """A form for choosing the players who get a second chance. The values are primary keys of Player rows."""

    player = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, data: Any = None, *, offered: list[int]) -> None:
        super().__init__(data)
        players = self.fields["player"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        players.choices = [(pk, str(pk)) for pk in offered]


@staff_event_view("direct")
def partners_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the page for drawing partners, and run the submitted action."""
    page_forms: FormsByName = {"cut": CutForm(), "join": _JoinPartnersForm(event=event)}
    status = 200
    if request.method == "POST":
        act = PARTNER_DRAW_ACTIONS.get(request.POST.get("act", ""))
        try:
            success_message = act(request, event, page_forms) if act is not None else None
        except DomainError as error:
            messages.error(request, error.message)
            return redirect(request.path)
        if success_message is not None:
            messages.success(request, success_message)
            return redirect(request.path)
        status = 422
    return render(
        request, "pairing/blind_draw/partners/console.html", _make_partners_context(event, page_forms), status=status
    )


def _make_partners_context(event: Event, page_forms: FormsByName) -> dict[str, Any]:
    seeking = list(load_partner_seekers(event))
    names = dict(event.entrants.values_list("number", "name"))
    standings = load_entry_summaries(seeking)
    sealed, preview = load_unused_seal(event), load_partner_draw_preview(event)
    requests = load_partner_requests(event, sealed.numbers) if sealed is not None else None
    left_over = [entrant for entrant in seeking if standings[entrant.pk].left_over]
    if not left_over:
        # Players who would be left over in any draw, because nobody else is in their pool.
        pools = {entrant.pool for entrant in seeking}
        if len(seeking) == 1 or (has_two_partner_pools(event) and len(pools) == 1 and "" not in pools):
            left_over = seeking
    return {
        "forms": page_forms,
        "draws_partners": has_partner_draw(event),
        "is_open": event.state in EVENT_STATES_BEFORE_DRAW,
        "two_pools": has_two_partner_pools(event),
        "may_seal": event.state in EVENT_STATES_BEFORE_DRAW and preview is None and len(seeking) > 1,
        "seeking": [(entrant, standings[entrant.pk].left_over) for entrant in seeking],
        "left_over": left_over,
        "sealed": sealed,
        "sealed_names": [(number, names[number]) for number in sealed.numbers] if sealed is not None else [],
        "changed": sealed is not None and requests is not None and requests.differs_from(sealed),
        "came": [entrant for entrant in seeking if sealed is not None and entrant.number not in sealed.numbers],
        "preview": _make_partners_preview_context(preview, names) if preview is not None else None,
        "pairs": load_joined_pairs(event),
        "draws": load_partner_draws(event),
        "first": event.second_chance_of,
    }


def _make_partners_preview_context(made: PartnerDraw, names: dict[int, str]) -> dict[str, Any]:
    before = {frozenset(pair) for pair in made.seal.before}
    return {
        "draw": made,
        "pairs": [(one, names[one], other, names[other], {one, other} in before) for one, other in made.pairs],
        "left": [(number, names[number]) for number in made.left],
    }


def _seal_partner_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    services.seal_partner_draw(event, parse_numbers(request.POST.getlist("number")), by=request.actor)
    return _("The list and its seal are published. Now let the room cut the cards.")


def _record_partners_cut(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["cut"] = CutForm(request.POST)
    if not form.is_valid():
        return None
    services.make_partner_draw(event, form.cleaned_data["public"], by=request.actor, key=form.cleaned_data["key"])
    return _("Drawn. Look at it, then post it.")


def _post_partner_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    made = services.post_partner_draw(event, by=request.actor, site=find_site_url(request))
    return ngettext("Posted: one pair is in.", "Posted: %(n)s pairs are in.", len(made)) % {"n": len(made)}


def _undo_partner_draw(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    made = load_partner_draw(event, parse_number(request.POST.get("draw")) or 0)
    services.take_back_partner_draw(made, by=request.actor, reason=request.POST.get("reason", ""))
    return _("The draw of partners is undone and stays on record. Everybody in it is looking for a partner again.")


def _join_partners(request: ActorRequest, event: Event, page_forms: FormsByName) -> str | None:
    form = page_forms["join"] = _JoinPartnersForm(request.POST, event=event)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    signed = {"by": request.actor, "reason": facts["reason"], "key": facts["key"], "site": find_site_url(request)}
    pair = pairs.join_partners(facts["one"], facts["other"], **signed)
    return _("%(pair)s is number %(n)s.") % {"pair": pair.name, "n": pair.number}


def _split_pair(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    pair = load_entrant_by_number(event, parse_number(request.POST.get("number")) or 0)
    pairs.split_pair(pair, by=request.actor, reason=request.POST.get("reason", ""))
    return _("The pair is split. Both players are looking for a partner again.")


def _change_pool_of_entry(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    number, _sign, pool = request.GET.get("pool", "").partition("-")
    moved = pairs.change_partner_pool(load_entrant_by_number(event, parse_number(number) or 0), pool, by=request.actor)
    return _("%(name)s is in pool %(pool)s.") % {"name": moved.name, "pool": moved.pool}


def _move_entries_to_pool(request: ActorRequest, event: Event, page_forms: FormsByName) -> str:
    pool = request.GET.get("pool", "")
    moved = pairs.move_entries_to_pool(event, parse_numbers(request.POST.getlist("number")), pool, by=request.actor)
    return _("Moved to pool %(pool)s: %(n)s.") % {"n": moved, "pool": pool}


PARTNER_DRAW_ACTIONS: dict[str, Callable[[ActorRequest, Event, FormsByName], str | None]] = {
    "seal": _seal_partner_draw,
    "pool": _change_pool_of_entry,
    "pools": _move_entries_to_pool,
    "cut": _record_partners_cut,
    "post": _post_partner_draw,
    "take-back": _undo_partner_draw,
    "join": _join_partners,
    "part": _split_pair,
}


@staff_event_view("direct")
def second_chance_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the players eliminated from an earlier event, and enter the selected ones in this second-chance event."""
    candidates = load_second_chance_candidates(event)
    form = _SecondChanceForm(request.POST or None, offered=[candidate.player.pk for candidate in candidates])
    if request.method == "POST" and form.is_valid():
        try:
            chosen, key = form.cleaned_data["player"], form.cleaned_data["key"]
            made = services.enter_second_chance_players(event, chosen, by=request.actor, key=key)
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, ngettext("One is in.", "%(n)s are in.", len(made)) % {"n": len(made)})
            return redirect(request.path)
    open_candidates = [candidate for candidate in candidates if not candidate.is_in]
    context = {
        "form": form,
        "first": event.second_chance_of,
        "beaten": candidates,
        "open": open_candidates,
        "some_not_qualified": any(candidate.end is EliminationCause.NOT_QUALIFIED for candidate in open_candidates),
        "asks": has_partner_draw(event),
    }
    return render(request, "pairing/blind_draw/partners/second_chance.html", context)
