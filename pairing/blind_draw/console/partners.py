"""Pages of the desk that draw partners or join them by hand, and that enter players in a second-chance event."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from pairing.blind_draw.forms import CutForm
from pairing.blind_draw.selectors.partners import (
    EliminatedBy,
    load_partner_draw,
    load_partner_draws,
    load_partner_requests,
    load_second_chance_candidates,
    load_unused_seal,
    open_partner_draw,
)
from pairing.blind_draw.services import partners as draws_of_partners
from pairing.models import PartnerDraw
from tournament.core.forms import KeyedForm
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import site_of
from tournament.errors import DomainError
from tournament.models import Entrant, Event
from tournament.registration.selectors.entries import (
    draws_partners,
    has_two_pools,
    load_entrant_by_number,
    load_put_together,
    load_seeking,
    load_standings,
)
from tournament.registration.services import pairs
from tournament.registration.services.pairs import BEFORE_THE_DRAW
from tournament.spreadsheets.names import typed_number, typed_numbers


class JoinForm(KeyedForm):
    """A form that joins two players who look for a partner."""

    one = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("First player"))
    other = forms.ModelChoiceField(Entrant.objects.none(), label=gettext_lazy("Second player"))
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=500)

    def __init__(self, *args: Any, event: Event, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = load_seeking(event).select_related("event__tournament")
        for name in ("one", "other"):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = choices


class TakeOverForm(KeyedForm):
    """The players of the first event who want a second chance, by the primary keys of their Player rows."""

    player = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, data: Any = None, *, offered: list[int]) -> None:
        super().__init__(data)
        players = self.fields["player"]
        assert isinstance(players, forms.TypedMultipleChoiceField)
        players.choices = [(pk, str(pk)) for pk in offered]


Forms = dict[str, forms.Form]


@console_event("direct")
def partners_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Handle the draw of partners: seal, cut, preview and post it, or pair players by hand."""
    shown: Forms = {"cut": CutForm(), "join": JoinForm(event=event)}
    status = 200
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        try:
            said = act(request, event, shown) if act is not None else None
        except DomainError as error:
            messages.error(request, error.message)
            return redirect(request.path)
        if said is not None:
            messages.success(request, said)
            return redirect(request.path)
        status = 422
    return render(request, "pairing/blind_draw/partners/console.html", _context(event, shown), status=status)


def _context(event: Event, shown: Forms) -> dict[str, Any]:
    seeking = list(load_seeking(event))
    names = dict(event.entrants.values_list("number", "name"))
    standings = load_standings(seeking)
    sealed, preview = load_unused_seal(event), open_partner_draw(event)
    requests = load_partner_requests(event, sealed.numbers) if sealed is not None else None
    left_over = [entrant for entrant in seeking if standings[entrant.pk].left_over]
    if not left_over:
        # The player or players who would be left over in any draw, because nobody else is in their pool.
        pools = {entrant.pool for entrant in seeking}
        if len(seeking) == 1 or (has_two_pools(event) and len(pools) == 1 and "" not in pools):
            left_over = seeking
    return {
        "forms": shown,
        "draws_partners": draws_partners(event),
        "is_open": event.state in BEFORE_THE_DRAW,
        "two_pools": has_two_pools(event),
        "may_seal": event.state in BEFORE_THE_DRAW and preview is None and len(seeking) > 1,
        "seeking": [(entrant, standings[entrant.pk].left_over) for entrant in seeking],
        "left_over": left_over,
        "sealed": sealed,
        "sealed_names": [(number, names[number]) for number in sealed.numbers] if sealed is not None else [],
        "changed": sealed is not None and requests is not None and requests.differs_from(sealed),
        "came": [entrant for entrant in seeking if sealed is not None and entrant.number not in sealed.numbers],
        "preview": _preview(preview, names) if preview is not None else None,
        "pairs": load_put_together(event),
        "draws": load_partner_draws(event),
        "first": event.second_chance_of,
    }


def _preview(made: PartnerDraw, names: dict[int, str]) -> dict[str, Any]:
    before = {frozenset(pair) for pair in made.seal.before}
    return {
        "draw": made,
        "pairs": [(one, names[one], other, names[other], {one, other} in before) for one, other in made.pairs],
        "left": [(number, names[number]) for number in made.left],
    }


def _seal(request: ActorRequest, event: Event, shown: Forms) -> str:
    draws_of_partners.seal_partners(event, typed_numbers(request.POST.getlist("number")), by=request.actor)
    return _("The list and its seal are published. Now let the room cut the cards.")


def _cut(request: ActorRequest, event: Event, shown: Forms) -> str | None:
    form = shown["cut"] = CutForm(request.POST)
    if not form.is_valid():
        return None
    said = form.cleaned_data
    draws_of_partners.draw_partners_of(event, said["public"], by=request.actor, key=said["key"])
    return _("Drawn. Look at it, then post it.")


def _post(request: ActorRequest, event: Event, shown: Forms) -> str:
    made = draws_of_partners.post_partners(event, by=request.actor, site=site_of(request))
    return ngettext("Posted: one pair is in.", "Posted: %(n)s pairs are in.", len(made)) % {"n": len(made)}


def _take_back(request: ActorRequest, event: Event, shown: Forms) -> str:
    made = load_partner_draw(event, typed_number(request.POST.get("draw")) or 0)
    draws_of_partners.take_back_partners(made, by=request.actor, reason=request.POST.get("reason", ""))
    return _("The draw of partners is undone and stays on record. Everybody in it is looking for a partner again.")


def _join(request: ActorRequest, event: Event, shown: Forms) -> str | None:
    form = shown["join"] = JoinForm(request.POST, event=event)
    if not form.is_valid():
        return None
    said = form.cleaned_data
    reason, key = said["reason"], said["key"]
    pair = pairs.join(said["one"], said["other"], by=request.actor, reason=reason, key=key, site=site_of(request))
    return _("%(pair)s is number %(n)s.") % {"pair": pair.name, "n": pair.number}


def _split(request: ActorRequest, event: Event, shown: Forms) -> str:
    pair = load_entrant_by_number(event, typed_number(request.POST.get("number")) or 0)
    pairs.split_pair(pair, by=request.actor, reason=request.POST.get("reason", ""))
    return _("The pair is split. Both players are looking for a partner again.")


def _change_pool(request: ActorRequest, event: Event, shown: Forms) -> str:
    number, _sign, pool = request.GET.get("pool", "").partition("-")
    moved = pairs.change_pool(load_entrant_by_number(event, typed_number(number) or 0), pool, by=request.actor)
    return _("%(name)s is in pool %(pool)s.") % {"name": moved.name, "pool": moved.pool}


def _change_pools(request: ActorRequest, event: Event, shown: Forms) -> str:
    pool = request.GET.get("pool", "")
    moved = pairs.change_pools(event, typed_numbers(request.POST.getlist("number")), pool, by=request.actor)
    return _("Moved to pool %(pool)s: %(n)s.") % {"n": moved, "pool": pool}


ACTS: dict[str, Callable[[ActorRequest, Event, Forms], str | None]] = {
    "seal": _seal,
    "pool": _change_pool,
    "pools": _change_pools,
    "cut": _cut,
    "post": _post,
    "take-back": _take_back,
    "join": _join,
    "part": _split,
}


@console_event("direct")
def second_chance(request: ActorRequest, event: Event) -> HttpResponse:
    """Show who is out of the first event, and enter the chosen players in this one together."""
    beaten = load_second_chance_candidates(event)
    form = TakeOverForm(request.POST or None, offered=[one.player.pk for one in beaten])
    if request.method == "POST" and form.is_valid():
        try:
            chosen, key = form.cleaned_data["player"], form.cleaned_data["key"]
            made = draws_of_partners.enter_second_chance(event, chosen, by=request.actor, key=key)
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, ngettext("One is in.", "%(n)s are in.", len(made)) % {"n": len(made)})
            return redirect(request.path)
    context = {
        "form": form,
        "first": event.second_chance_of,
        "beaten": beaten,
        "open": [one for one in beaten if not one.is_in],
        "some_not_qualified": any(one.end is EliminatedBy.NOT_QUALIFIED and not one.is_in for one in beaten),
        "asks": draws_partners(event),
    }
    return render(request, "pairing/blind_draw/partners/second_chance.html", context)
