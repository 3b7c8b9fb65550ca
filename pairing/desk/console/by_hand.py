"""Desk pages for pairing two players by hand, undoing pairings, and changing the settings of the desk."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from pairing.apart.services import HowLong, end_keep_apart, keep_two_apart
from pairing.desk.forms import ByHandForm, DeskTermsForm, ListForm, TakeBackForm
from pairing.desk.selectors.begun_pairs import load_together
from pairing.desk.selectors.proofs import load_proof
from pairing.desk.selectors.stages import DeskOf, load_desk_of, load_stages_to_set
from pairing.desk.selectors.waiting import Desk, load_desk, minutes_since
from pairing.desk.services.pairings import take_back_pairing
from pairing.desk.services.sending import ByHand, refuse_pair, send_by_hand, set_desk, undo_last
from pairing.desk.tables import named
from pairing.draws.desk.words import breaks_of
from pairing.models import AvoidPair
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import event_link, told
from tournament.errors import Conflict, DomainError, NeedsReason, NotFound
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


@console_event("desk")
def by_hand(request: ActorRequest, event: Event) -> HttpResponse:
    """Pair two chosen entrants after showing what the pair would break.

    With only one chosen, list all others with what each pair would break.
    """
    found = _desk(event)
    one, other = (typed_number(request.GET.get(name)) or 0 for name in ("one", "other"))
    try:
        if not other:
            return _choose(request, found, one)
        breaks = refuse_pair(event, found, (one, other))
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(_to_desk(event))
    kinds = " ".join(sorted(broken.kind.value for broken in breaks))
    free = found.free_for(one)
    form = ByHandForm(request.POST or None, initial={"seen": kinds, "table": free[0] if free else None})
    if breaks:
        form.fields["reason"].required = True
        form.fields["reason"].widget.attrs["autofocus"] = True
    if request.method == "POST" and form.is_valid():
        answer = _send(request, event, (one, other), form)
        if answer is not None:
            return answer
    two = [_said_of(found, side) for side in (one, other)]
    return render(request, "pairing/desk/by_hand.html", {"two": two, "breaks": breaks, "form": form, "free": free})


def _send(request: ActorRequest, event: Event, pair: tuple[int, int], form: ByHandForm) -> HttpResponse | None:
    facts = form.cleaned_data
    chosen = ByHand(pair=pair, table=facts["table"], seen=tuple(facts["seen"].split()))
    try:
        sent = send_by_hand(event, chosen, by=request.actor, key=facts["key"], reason=facts["reason"])
    except NeedsReason as error:
        form.add_error("reason", error.message)
        return None
    except DomainError as error:
        messages.error(request, error.message)
        return redirect(_to_desk(event))
    names = dict(event.entrants.filter(number__in=pair).values_list("number", "name"))
    both = " – ".join(names.get(side, str(side)) for side in sent.pairs[0])
    messages.success(request, _("Paired by hand: %(pair)s.") % {"pair": both})
    return redirect(_to_desk(event))


def _choose(request: ActorRequest, found: Desk, one: int) -> HttpResponse:
    """List everybody whom this entrant could meet, starting with the pairs that break nothing."""
    part = found.part_of(one)
    if part is None:
        raise Conflict("not-waiting", _("This entrant is not waiting for a game. Look at the pairings."))
    rows = []
    for waiting in part.at.waiting:
        number = waiting.entry.number
        if number != one:
            breaks = breaks_of(one, number, part.at, found.names, now=found.now)
            forbids = any(broken.kind.forbids for broken in breaks)
            rows.append(_said_of(found, number) | {"breaks": breaks, "forbids": forbids})
    rows.sort(key=lambda row: (row["forbids"], len(row["breaks"]), row["number"]))
    return render(request, "pairing/desk/by_hand_choose.html", {"one": _said_of(found, one), "rows": rows})


def _said_of(found: Desk, number: int) -> dict[str, Any]:
    part = found.part_of(number)
    entry = part.at.field.of[number] if part is not None else None
    return {
        "number": number,
        "name": found.names.get(number, str(number)),
        "record": f"{entry.wins}–{entry.losses}" if entry is not None else "",
        "minutes": minutes_since(found.since[number], found.now) if number in found.since else None,
    }


@console_event("desk")
def take_back(request: ActorRequest, event: Event, pairing: int) -> HttpResponse:
    """Undo one sent pairing, or all of the same act, before their first result.

    The page lists the games whose cards have lines first.
    """
    proof = load_proof(event, pairing)
    if proof is None:
        raise NotFound("no-pairing", _("There are no such pairings. Look at the list of pairings."))
    whole = "all" in request.GET
    together = load_together(event, proof.pairing, whole=whole)
    form = TakeBackForm(request.POST or None, begun=together.begun)
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        said = {"by": request.actor, "reason": facts["reason"], "seen": facts["seen"].split()}
        try:
            undo_last(event, pairing, **said) if whole else take_back_pairing(proof.pairing, **said)
        except NeedsReason as error:
            messages.error(request, error.message)
            return redirect(request.get_full_path())
        except DomainError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, _("Undone. The players are back on the waiting list."))
        return redirect(_to_desk(event))
    return render(request, "pairing/desk/take_back.html", {"together": together, "form": form})


@console_event("desk")
def settings(request: ActorRequest, event: Event) -> HttpResponse:
    """Show and change when the desk pairs, its tables, and who is kept apart, for each stage."""
    found = load_desk_of(event, typed_number(request.GET.get("stage")))
    if found is None:
        raise NotFound("no-desk", _("This event has no stage that is paired at the desk. Look at its format."))
    shown: dict[str, Any] = {
        "terms": _terms_form(found),
        "apart": ListForm(event=event),
    }
    if request.method == "POST" and told(request, lambda: _act(request, event, found, shown)):
        return redirect(request.get_full_path())
    listed = event.avoid_pairs.filter(ended=None).select_related("one", "other").order_by("pk")
    stages = load_stages_to_set(event)
    context = {"stage": found, "stages": stages, "forms": shown, "listed": listed, "broken": _broken(load_desk(event))}
    return render(request, "pairing/desk/settings.html", context)


def _terms_form(found: DeskOf, data: Any = None) -> DeskTermsForm:
    return DeskTermsForm(
        data, terms=found.terms, plan=found.plan, sites=found.own_sites, rounds=found.rounds, fewest=found.fewest
    )


def _act(request: ActorRequest, event: Event, found: DeskOf, shown: dict[str, Any]) -> str | None:
    """Do the act and return what was done in words, or None if a form has errors."""
    act = request.POST.get("act")
    if act == "together":
        return _together(request, event)
    if act != "terms":
        return _apart(request, event, shown)
    form = shown["terms"] = _terms_form(found, request.POST)
    if not form.is_valid():
        return None
    set_desk(event, form.terms(), by=request.actor, reason=form.cleaned_data["reason"], number=found.number)
    return _("“%(stage)s”: these settings take effect with the next pairing.") % {"stage": found.name}


def _together(request: ActorRequest, event: Event) -> str:
    pk = typed_number(request.POST.get("pair")) or 0
    pair = AvoidPair.objects.select_related("event__tournament", "one", "other").filter(event=event, pk=pk).first()
    if pair is None:
        raise NotFound("no-pair", _("This pair is no longer on the list. Nothing was changed."))
    end_keep_apart(pair, by=request.actor)
    return _("Removed from the list.")


def _apart(request: ActorRequest, event: Event, shown: dict[str, Any]) -> str | None:
    form = shown["apart"] = ListForm(request.POST, event=event)
    if not form.is_valid():
        return None
    facts = form.cleaned_data
    kind = AvoidPair.Kind(facts["kind"])
    long = HowLong(kind, facts["before_round"] if kind is AvoidPair.Kind.NOT_BEFORE else None)
    keep_two_apart(facts["one"], facts["other"], by=request.actor, reason=facts["reason"], long=long)
    return _("Added to the list.")


def _broken(found: Desk | None) -> list[str]:
    """Return in words the pairs at tables that the director's list keeps apart."""
    if found is None:
        return []
    busy = {tuple(sorted(one.sides)) for one in found.busy}
    pairs = [pair for part in found.parts for pair in sorted(busy & part.at.constraints.never)]
    both = (" – ".join(name for _number, name in named(found, pair)) for pair in pairs)
    return [_("%(pair)s now play each other.") % {"pair": names} for names in both]


def _desk(event: Event) -> Desk:
    found = load_desk(event)
    if found is None:
        raise NotFound("no-desk", _("There are no pairings before the draw. Make the draw first."))
    return found


def _to_desk(event: Event) -> str:
    return event_link(event, "pairing:desk_pairing")
