"""The desk's pages for disputes: open one by table number or from a card, add evidence, and print the ruling."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from scoring.card_state.selectors.cards import CardState, load_card, load_card_by_pk, load_match_cards
from scoring.card_state.selectors.players import load_meeting_at
from scoring.disputes.forms.disputes import DisputeForm, EvidenceForm, asks_hands
from scoring.disputes.pages.disputes import add_refusal_to_form, open_from_form, require_kind
from scoring.disputes.pages.rulings import to_ruling
from scoring.disputes.player import photo_of
from scoring.disputes.selectors.disputes import load_dispute
from scoring.disputes.selectors.register import load_slip
from scoring.disputes.selectors.rulings import load_ruling_of
from scoring.disputes.services.appeals import refuse_ruling, set_register_names
from scoring.disputes.services.evidence import add_evidence
from scoring.disputes.tables.disputes import irregularity_buttons, plain_title
from scoring.posting.selectors.correction_period import load_clock
from scoring.posting.selectors.results import card_in_play
from scoring.posting.services.opening import open_card
from scoring.prints.pdf.card_prints import Order
from scoring.prints.pdf.ruling_slips import write_signed_slips
from scoring.rules.rulings.recommend import kinds_of
from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on, site_of
from tournament.core.pdf.lists import paper_name
from tournament.errors import DomainError, NotFound
from tournament.intake import PHOTOS, takes_files
from tournament.models import Event
from tournament.spreadsheets.names import typed_number


@console_event("desk")
def at_table(request: ActorRequest, event: Event) -> HttpResponse:
    """Redirect from a table number to the card that is played there or was last played there."""
    typed, refused = request.GET.get("table", ""), ""
    if typed.strip():
        try:
            state = _card_at_table(request, event, typed)
            return redirect(
                "scoring:desk_card_dispute", tournament=event.tournament.slug, event=event.slug, token=state.card.token
            )
        except DomainError as error:
            refused = error.message
    context = {"table": typed, "refused": refused}
    return render(request, "scoring/disputes/console_table.html", context, status=422 if refused else 200)


def _card_at_table(request: ActorRequest, event: Event, typed: str) -> CardState:
    table = typed_number(typed)
    if table is None:
        raise DomainError("no-table", _("Enter a table number."))
    meeting = load_meeting_at(event, table)
    cards = load_match_cards(meeting.match.pk, meeting.key)
    playing = card_in_play(cards) or (cards[-1] if cards else None)
    return playing or load_card(open_card(meeting, 1, by=request.actor).token)


@takes_files(PHOTOS)
@console_event("desk")
def open_at_card(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    """Show the kinds of irregularity, then the facts of the chosen kind.

    After the card's time for rulings a reason is needed.
    """
    state = load_card(token)
    if state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    clock = load_clock(state)
    is_late = clock is not None and timezone.now() >= clock.rulings_until
    context: dict[str, Any] = {"state": state, "clock": clock, "is_late": is_late}
    if request.method == "GET" and "kind" not in request.GET:
        context["kinds"] = irregularity_buttons(kinds_of(state.sheet.rule_sheet.rules))
        return render(request, "scoring/disputes/console_open.html", context)
    kind = require_kind(state, request.POST.get("kind", request.GET.get("kind", "")))
    form = DisputeForm(request.POST or None, request.FILES or None, state=state, kind=kind)
    if is_late:
        form.fields["reason"] = forms.CharField(label=_("Why is the call so late?"), max_length=500)
    if request.method == "POST" and form.is_valid():
        try:
            dispute = open_from_form(request, form, request.actor, reason=form.cleaned_data.get("reason", ""))
        except DomainError as error:
            add_refusal_to_form(form, error)
        else:
            return to_ruling(event, dispute.pk)
    context |= {"form": form, "title": plain_title(kind)}
    return render(request, "scoring/disputes/console_open.html", context, status=422 if form.errors else 200)


@takes_files(PHOTOS)
@console_event("desk")
def put_before(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Add a photo, the hands or a statement that staff took down."""
    state = load_dispute(event, dispute)
    card = load_card_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    sides = [(side.letter, side.name) for side in state.sides]
    asks = card is not None and asks_hands(card)
    form = EvidenceForm(request.POST or None, request.FILES or None, sides=sides, asks_hands=asks)
    if request.method == "POST" and form.is_valid():
        with refusals_on(form):
            add_evidence(state.dispute, form.evidence, by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("It is saved with the dispute."))
            return to_ruling(event, dispute)
    context = {"matter": state, "form": form}
    return render(request, "scoring/disputes/console_evidence.html", context, status=422 if form.errors else 200)


@console_event("desk")
def photo(request: ActorRequest, event: Event, dispute: int, evidence: int) -> HttpResponse:
    return photo_of(load_dispute(event, dispute), evidence)


@console_event("desk")
def slip(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Print the slip with the ruling for the table."""
    ruled = load_slip(event, dispute)
    if ruled is None:
        raise NotFound("no-ruling", _("There is no ruling yet, so there is no slip. Make the ruling first."))
    content = write_signed_slips(Order(event, site=site_of(request)), [ruled], lambda done: None)
    name = paper_name(event.tournament, event.slug, f"ruling-{ruled.ruling.number}", at=timezone.now())
    headers = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


@require_POST
@console_event("direct")
def refuse(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Record that a player refuses a ruling because an earlier one decided otherwise."""
    state = load_dispute(event, dispute)
    side, number = state.side(request.POST.get("side", "")), typed_number(request.POST.get("precedent", ""))
    precedent = load_ruling_of(event.tournament, number) if number is not None else None
    if state.ruling is None or side is None or side.entrant is None or precedent is None:
        raise DomainError("no-precedent", _("Choose who refuses it and which earlier ruling they mean."))
    reason = request.POST.get("reason", "")
    refuse_ruling(state.ruling, precedent, by=request.actor, entrant=side.entrant, reason=reason)
    messages.success(request, _("The ruling is refused and not applied. Its effects are undone."))
    return to_ruling(event, dispute)


@require_POST
@console_event("direct")
def names(request: ActorRequest, event: Event) -> HttpResponse:
    """Choose whether the public register names the players."""
    is_shown, key = request.POST.get("shown") == "yes", request.POST.get("key", "")
    shown = set_register_names(event, shown=is_shown, by=request.actor, key=key)
    shows, hides = _("The public register now shows names."), _("The public register no longer shows names.")
    messages.success(request, shows if shown else hides)
    return redirect("scoring:desk_rulings", tournament=event.tournament.slug, event=event.slug)
