"""The player's dispute pages: call the director, add evidence, follow the ruling, and appeal."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from scoring.cards.pages import PlayerSeat, player_view
from scoring.cards.services.hands import announce_totals
from scoring.disputes.forms import MAX_STATEMENT_LENGTH, DisputeForm, EvidenceForm, can_judge_hands
from scoring.disputes.pages.disputes import (
    add_fact_errors_to_form,
    make_evidence_context,
    make_photo_response,
    open_dispute_from_form,
    require_irregularity,
)
from scoring.disputes.selectors.disputes import DisputeState, load_card_dispute
from scoring.disputes.selectors.rulings import load_committee
from scoring.disputes.services.appeals import record_appeal
from scoring.disputes.services.disputes import add_evidence, drop_dispute
from scoring.disputes.tables import (
    describe_dispute,
    describe_facts,
    explain_irregularity,
    format_dispute_title,
    make_irregularity_buttons,
)
from scoring.posting.selectors.card_status import load_correction_period
from scoring.rules.rulings.recommend import find_reportable_irregularities, list_fact_questions
from tournament.core.forms import IdempotentForm
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.errors import DomainError, NotFound
from tournament.intake import PHOTO_FILE_LIMITS, accepts_files


@accepts_files(PHOTO_FILE_LIMITS)
@player_view
def report_irregularity(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    """Let the player choose a kind of irregularity, then show the form for that kind."""
    if request.method == "GET" and "kind" not in request.GET:
        return _render_kinds(request, seat)
    kind = require_irregularity(seat.state, request.POST.get("kind", request.GET.get("kind", "")))
    own = seat.own_seat.side if seat.own_seat else ""
    form = DisputeForm(request.POST or None, request.FILES or None, state=seat.state, kind=kind, own=own)
    if request.method == "POST" and form.is_valid():
        try:
            dispute = open_dispute_from_form(request, form, seat.actor)
        except DomainError as error:
            if error.code == "called-already":
                messages.info(request, error.message)
                return redirect(seat.make_url("dispute", dispute=error.data["dispute"]))
            add_fact_errors_to_form(form, error)
        else:
            messages.success(request, _("The director is called. Leave the cards on the table."))
            return redirect(seat.make_url("dispute", dispute=dispute.pk))
    context = {
        "seat": seat,
        "urls": seat.urls,
        "state": seat.state,
        "form": form,
        "title": format_dispute_title(kind),
        "hint": explain_irregularity(kind),
    }
    return render(request, "scoring/disputes/form.html", context, status=422 if form.errors else 200)


def _render_kinds(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    clock = load_correction_period(seat.state)
    context = {
        "seat": seat,
        "urls": seat.urls,
        "state": seat.state,
        "kinds": make_irregularity_buttons(find_reportable_irregularities(seat.state.sheet.rule_sheet.rules)),
        "call": seat.card.match.director_calls.filter(answered__isnull=True).first(),
        "clock": clock,
        "is_late": clock is not None and timezone.now() >= clock.rulings_until,
    }
    return render(request, "scoring/disputes/kinds.html", context)


class _WithdrawForm(IdempotentForm):
    reason = forms.CharField(label=gettext_lazy("Why? (optional)"), required=False, max_length=500)


class _AppealForm(IdempotentForm):
    reason = forms.CharField(
        label=gettext_lazy("Why is the ruling wrong?"),
        max_length=MAX_STATEMENT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


@accepts_files(PHOTO_FILE_LIMITS)
@player_view
def show_dispute(request: HttpRequest, seat: PlayerSeat, dispute: int) -> HttpResponse:
    """Show a dispute to a player, who can add evidence, withdraw the call, or appeal the ruling."""
    state = load_card_dispute(seat.card, dispute)
    act = request.POST.get("act", "")
    form = _make_form_for_action(request, seat, act)
    if form is not None and form.is_valid():
        with domain_errors_as_form_errors(form):
            messages.success(request, _perform_action(seat, state, act, form))
            return redirect(seat.make_url("dispute", dispute=state.dispute.pk))
    context = _make_page_context(seat, state) | ({f"{act}_form": form} if form is not None else {})
    status = 422 if form is not None and form.errors else 200
    return render(request, "scoring/disputes/player.html", context, status=status)


def _make_form_for_action(request: HttpRequest, seat: PlayerSeat, act: str) -> forms.Form | None:
    if act == "evidence":
        return _make_evidence_form(seat, request.POST, request.FILES)
    if act == "appeal":
        return _AppealForm(request.POST)
    return _WithdrawForm(request.POST) if act == "drop" else None


def _make_evidence_form(seat: PlayerSeat, *sent: Any) -> EvidenceForm:
    return EvidenceForm(*sent, sides=list(seat.state.names_by_letter.items()), with_hands=can_judge_hands(seat.state))


def _perform_action(seat: PlayerSeat, state: DisputeState, act: str, form: forms.Form) -> str:
    answers = form.cleaned_data
    if isinstance(form, EvidenceForm):
        add_evidence(state.dispute, form.evidence, by=seat.actor, key=answers["key"])
        return _("The director sees it at once.")
    if act == "appeal":
        if state.ruling is None:
            raise NotFound("no-ruling", _("There is no ruling yet. Look at the score card again."))
        record_appeal(state.ruling, by=seat.actor, reason=answers["reason"], key=answers["key"])
        return _("Your appeal is recorded. The committee decides.")
    drop_dispute(state.dispute, by=seat.actor, reason=answers["reason"], key=answers["key"])
    return _("You withdrew the call.")


def _make_page_context(seat: PlayerSeat, state: DisputeState) -> dict[str, Any]:
    committee = load_committee(state.dispute.event)
    shown = describe_dispute(state, seat.entrant, load_correction_period(seat.state), committee, timezone.now())
    kind = state.irregularity
    return {
        "seat": seat,
        "urls": seat.urls,
        "state": seat.state,
        "matter": state,
        "shown": shown,
        "facts": describe_facts(list_fact_questions(kind), state.facts, state.names) if kind else [],
        "claims": [(state.names.get(letter, ""), claim) for letter, claim in state.claims.items()],
        "evidence": make_evidence_context(
            state, lambda piece: seat.make_url("photo", dispute=state.dispute.pk, evidence=piece)
        ),
        "committee": committee,
        "adds_evidence": state.is_waiting or state.waits_for_committee,
        "evidence_form": _make_evidence_form(seat),
        "drop_form": _WithdrawForm(),
        "appeal_form": _AppealForm(),
    }


@require_POST
@player_view
def announce_card_totals(request: HttpRequest, seat: PlayerSeat) -> HttpResponse:
    announce_totals(seat.card, by=seat.actor, key=request.POST.get("key", ""))
    messages.success(request, _("The totals are announced and recorded. Now play the last hand."))
    return redirect(seat.make_url("card"))


@player_view
def show_photo_to_player(request: HttpRequest, seat: PlayerSeat, dispute: int, evidence: int) -> HttpResponse:
    return make_photo_response(load_card_dispute(seat.card, dispute), evidence)
