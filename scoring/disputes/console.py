"""Staff pages for disputes: opening a dispute, evidence, rulings, appeals, the committee, and scoring two hands."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from pairing.models import Match
from pairing.results.pages import make_effects_context
from pairing.stages.pictures.boxes import format_full_match_name, format_match_name
from pairing.stages.selectors.boards import load_round_count
from pairing.stages.selectors.course import load_event_stages
from pairing.stages.selectors.records import VALID_MATCH_FILTER
from scoring.card_state.selectors.cards import load_card_state_by_pk, load_card_state_by_token, load_match_cards
from scoring.card_state.selectors.players import load_match_at_table
from scoring.card_state.selectors.state import CardState
from scoring.card_state.tables import describe_decision, describe_line, describe_ruling_effect
from scoring.disputes.forms import DisputeForm, EvidenceForm, can_judge_hands, set_field_choices
from scoring.disputes.pages.disputes import (
    RulingPage,
    add_fact_errors_to_form,
    make_evidence_context,
    make_photo_response,
    open_dispute_from_form,
    redirect_to_ruling,
    require_irregularity,
)
from scoring.disputes.pages.hands import make_judged_hands_context
from scoring.disputes.selectors.disputes import DisputeState, load_dispute, load_disputes
from scoring.disputes.selectors.register import load_name_visibility_in_register, load_ruling_changes, load_ruling_slip
from scoring.disputes.selectors.rulings import load_committee, load_precedents
from scoring.disputes.services.appeals import (
    apply_previewed_appeal_decision,
    decide_appeal,
    record_appeal,
    record_ruling_refusal,
    set_committee,
    set_name_visibility_in_register,
)
from scoring.disputes.services.disputes import (
    DisputeFindings,
    NewDispute,
    add_evidence,
    drop_dispute,
    open_dispute,
    record_dispute_facts,
)
from scoring.disputes.services.penalties import lift_penalty
from scoring.disputes.services.rulings import apply_previewed_ruling
from scoring.disputes.tables import (
    describe_event_ruling_changes,
    describe_ruling_changes,
    describe_score_change,
    format_dispute_title,
    make_irregularity_buttons,
)
from scoring.models import Ruling
from scoring.posting.selectors.card_status import load_correction_period
from scoring.posting.selectors.results import find_card_in_play
from scoring.posting.services.opening import get_or_open_card
from scoring.prints.pdf.card_prints import PrintRequest
from scoring.prints.pdf.ruling_slips import write_sealed_ruling_slips
from scoring.rules.irregularities import Irregularity
from scoring.rules.rulings.policies import find_dispute_policy
from scoring.rules.rulings.recommend import find_reportable_irregularities
from scoring.rulesheets.selectors import load_current_rule_sheet, make_default_rule_sheet
from tournament.core.forms import EntrantField, IdempotentForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors, find_site_url
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.services.record import get_action_time
from tournament.errors import Conflict, DomainError, NotFound
from tournament.intake import PHOTO_FILE_LIMITS, accepts_files
from tournament.models import Entrant, Event
from tournament.spreadsheets.names import parse_number


@staff_event_view("desk")
def redirect_to_card_at_table(request: ActorRequest, event: Event) -> HttpResponse:
    """Ask for a table number, and redirect to the page for opening a dispute about the score card at that table.

    If the match at the table has no card yet, open one.
    """
    typed, refused = request.GET.get("table", ""), ""
    if typed.strip():
        try:
            state = _load_card_at_table(request, event, typed)
            return redirect(
                "scoring:desk_card_dispute", tournament=event.tournament.slug, event=event.slug, token=state.card.token
            )
        except DomainError as error:
            refused = error.message
    context = {"table": typed, "refused": refused}
    return render(request, "scoring/disputes/console_table.html", context, status=422 if refused else 200)


def _load_card_at_table(request: ActorRequest, event: Event, typed: str) -> CardState:
    table = parse_number(typed)
    if table is None:
        raise DomainError("no-table", _("Enter a table number."))
    meeting = load_match_at_table(event, table)
    cards = load_match_cards(meeting.match.pk, meeting.cards_key)
    playing = find_card_in_play(cards) or (cards[-1] if cards else None)
    return playing or load_card_state_by_token(get_or_open_card(meeting, 1, by=request.actor).token)


@accepts_files(PHOTO_FILE_LIMITS)
@staff_event_view("desk")
def open_dispute_at_card(request: ActorRequest, event: Event, token: str) -> HttpResponse:
    """Let staff open a dispute about a score card: choose a kind of irregularity, then fill in the form for it.

    After the card's deadline for rulings, the form requires a reason.
    """
    state = load_card_state_by_token(token)
    if state.card.match.event_id != event.pk:
        raise NotFound("no-card", _("There is no such score card in this event. Look at the list of score cards."))
    clock = load_correction_period(state)
    is_late = clock is not None and get_action_time() >= clock.rulings_until
    context: dict[str, Any] = {"state": state, "clock": clock, "is_late": is_late}
    if request.method == "GET" and "kind" not in request.GET:
        context["kinds"] = make_irregularity_buttons(find_reportable_irregularities(state.sheet.rule_sheet.rules))
        return render(request, "scoring/disputes/console_open.html", context)
    kind = require_irregularity(state, request.POST.get("kind", request.GET.get("kind", "")))
    form = DisputeForm(request.POST or None, request.FILES or None, state=state, kind=kind)
    if is_late:
        form.fields["reason"] = forms.CharField(label=_("Why is the call so late?"), max_length=500)
    if request.method == "POST" and form.is_valid():
        try:
            dispute = open_dispute_from_form(request, form, request.actor, reason=form.cleaned_data.get("reason", ""))
        except DomainError as error:
            add_fact_errors_to_form(form, error)
        else:
            return redirect_to_ruling(event, dispute.pk)
    context |= {"form": form, "title": format_dispute_title(kind)}
    return render(request, "scoring/disputes/console_open.html", context, status=422 if form.errors else 200)


@accepts_files(PHOTO_FILE_LIMITS)
@staff_event_view("desk")
def add_evidence_at_desk(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    state = load_dispute(event, dispute)
    card = load_card_state_by_pk(state.dispute.card_id) if state.dispute.card_id else None
    sides = [(side.letter, side.name) for side in state.sides]
    with_hands = card is not None and can_judge_hands(card)
    form = EvidenceForm(request.POST or None, request.FILES or None, sides=sides, with_hands=with_hands)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            add_evidence(state.dispute, form.evidence, by=request.actor, key=form.cleaned_data["key"])
            messages.success(request, _("It is saved with the dispute."))
            return redirect_to_ruling(event, dispute)
    context = {"matter": state, "form": form}
    return render(request, "scoring/disputes/console_evidence.html", context, status=422 if form.errors else 200)


@staff_event_view("desk")
def show_evidence_photo_at_desk(request: ActorRequest, event: Event, dispute: int, evidence: int) -> HttpResponse:
    return make_photo_response(load_dispute(event, dispute), evidence)


@staff_event_view("desk")
def print_ruling_slip(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Return a PDF slip with the ruling, to print for the table."""
    loaded = load_ruling_slip(event, dispute)
    if loaded is None:
        raise NotFound("no-ruling", _("There is no ruling yet, so there is no slip. Make the ruling first."))
    content = write_sealed_ruling_slips(PrintRequest(event, site=find_site_url(request)), [loaded], lambda done: None)
    name = make_pdf_file_name(event.tournament, event.slug, f"ruling-{loaded.ruling.number}", at=timezone.now())
    headers = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(content, content_type="application/pdf", headers=headers)


@require_POST
@staff_event_view("direct")
def record_ruling_refusal_at_desk(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Record that a player rejects a ruling because a similar case was decided differently before."""
    state = load_dispute(event, dispute)
    side, number = state.find_side(request.POST.get("side", "")), parse_number(request.POST.get("precedent", ""))
    precedent = None
    if number is not None:
        precedent = Ruling.objects.filter(dispute__event__tournament=event.tournament, number=number).first()
    if state.ruling is None or side is None or side.entrant is None or precedent is None:
        raise DomainError("no-precedent", _("Choose who refuses it and which earlier ruling they mean."))
    reason = request.POST.get("reason", "")
    record_ruling_refusal(state.ruling, precedent, by=request.actor, entrant=side.entrant, reason=reason)
    messages.success(request, _("The ruling is refused and not applied. Its effects are undone."))
    return redirect_to_ruling(event, dispute)


@require_POST
@staff_event_view("direct")
def edit_name_visibility_in_register(request: ActorRequest, event: Event) -> HttpResponse:
    """Choose whether the public register shows the players' names."""
    is_shown, key = request.POST.get("shown") == "yes", request.POST.get("key", "")
    shown = set_name_visibility_in_register(event, shown=is_shown, by=request.actor, key=key)
    shows, hides = _("The public register now shows names."), _("The public register no longer shows names.")
    messages.success(request, shows if shown else hides)
    return redirect("scoring:desk_rulings", tournament=event.tournament.slug, event=event.slug)


# --- Rulings ---------------------------------------------------------------------------------------------------------

MATCH_DISPUTE_KINDS = ("false-report", "gave-game-away")
"""Kinds of disputes about a match between two entrants.

If no match is chosen, the dispute is about the two entrants' last match.
"""
DISPUTE_KINDS_WITHOUT_OFFENDER = ("unmatched-play", "gave-game-away", "up-card", "count-after-agreement")
"""Kinds of disputes for which the first entrant on the form is not assumed to be the offender."""


@staff_event_view("desk")
def list_rulings_at_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """List the open disputes (oldest first), the open appeals, and all rulings.

    The URL parameter `?waiting=1` redirects to the open dispute or appeal if there is exactly one.
    """
    disputes = load_disputes(event)
    waiting = [state for state in disputes if state.is_waiting]
    appeals = [state for state in disputes if state.waits_for_committee]
    if "waiting" in request.GET and len(waiting) + len(appeals) == 1:
        return redirect_to_ruling(event, (*waiting, *appeals)[0].dispute.pk)
    ruled = [(state, state.ruling) for state in reversed(disputes) if state.ruling is not None]
    changes = describe_event_ruling_changes(event) if ruled else {}
    context = {
        "waiting": waiting,
        "appeals": appeals,
        "ruled": [(state, describe_decision(made.ruling), changes.get(made.pk, ())) for state, made in ruled],
        "dropped": [state for state in reversed(disputes) if state.dropped is not None],
        "committee": load_committee(event),
        "names_public": load_name_visibility_in_register([event]).get(event.pk, False),
    }
    return render(request, "scoring/disputes/rulings/console.html", context)


class _MatchField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return format_full_match_name(obj)


class _OpenRulingForm(IdempotentForm):
    """A form to open a dispute without a score card, for example about conduct or a false report."""

    kind = forms.ChoiceField(label=gettext_lazy("What is it about?"))
    one = EntrantField(label=gettext_lazy("Who?"))
    other = EntrantField(
        label=gettext_lazy("Who else?"), required=False, help_text=gettext_lazy("The opponent, if there is one")
    )
    match = _MatchField(
        Match.objects.none(),
        label=gettext_lazy("Which match?"),
        required=False,
        empty_label=gettext_lazy("none, or not known"),
    )
    about = forms.CharField(
        label=gettext_lazy("In your words"), required=False, max_length=1000, widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, data: Any = None, *, event: Event, rules: str, matches: Any, **options: Any) -> None:
        super().__init__(data, **options)
        kinds: Mapping[str, Irregularity] = find_reportable_irregularities(rules)
        ordered = sorted(kinds, key=lambda name: kinds[name].is_about_hand)
        set_field_choices(self, "kind", [(name, kinds[name].title) for name in ordered])
        states = (Entrant.State.IN, Entrant.State.REMOVED)
        entrants = event.entrants.filter(state__in=states).order_by("sort_key", "number")
        for name, rows in (("one", entrants), ("other", entrants), ("match", matches)):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = rows

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("one") is not None and cleaned.get("one") == cleaned.get("other"):
            self.add_error("other", _("Choose two different entrants."))
        if cleaned.get("kind") in ("unmatched-play", "gave-game-away") and cleaned.get("other") is None:
            self.add_error("other", _("Two entrants were involved. Choose the other one too."))
        return cleaned


@staff_event_view("desk")
def open_dispute_without_card(request: ActorRequest, event: Event) -> HttpResponse:
    """Open a dispute about one or two entrants, without a score card."""
    sheet = load_current_rule_sheet(event) or make_default_rule_sheet(event)
    matches = Match.objects.filter(VALID_MATCH_FILTER, event=event).order_by("round", "position", "pk")
    initial = {name: request.GET[name] for name in ("kind", "one", "match") if name in request.GET}
    form = _OpenRulingForm(request.POST or None, event=event, rules=sheet.variant, matches=matches, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            opening = _make_dispute_request(form.cleaned_data)
            dispute = open_dispute(event, opening, by=request.actor, key=form.cleaned_data["key"])
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            return redirect_to_ruling(event, dispute.pk)
    return _render_form(request, form, title=_("Dispute without a score card"), label=_("Open the dispute"))


def _make_dispute_request(answers: dict[str, Any]) -> NewDispute:
    one, other, kind, match = answers["one"], answers["other"], answers["kind"], answers["match"]
    entries = tuple(entrant.number for entrant in (one, other) if entrant is not None)
    if match is None and kind in MATCH_DISPUTE_KINDS and other is not None:
        match = _load_latest_match(one, other)
    finding = DisputeFindings(kind=kind, facts={} if kind in DISPUTE_KINDS_WITHOUT_OFFENDER else {"by": "A"})
    return NewDispute(match=match, entries=entries, about=answers["about"], findings=finding)


def _load_latest_match(one: Entrant, other: Entrant) -> Match | None:
    both = {one.number, other.number}
    stages = load_event_stages(one.event).stages
    idents = [ident for stage in stages for ident, state in stage.match_states.items() if both == set(state.sides)]
    return one.event.matches.filter(VALID_MATCH_FILTER, ident__in=idents).order_by("pk").last()


@staff_event_view("desk")
def show_ruling_at_desk(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Show a dispute with its facts, the rules' advice, and a preview of the ruling. On POST, make the ruling."""
    state = load_dispute(event, dispute)
    if state.ruling is not None and not state.waits_for_committee:
        return (
            _lift_penalty_from_form(request, state)
            if request.POST.get("act") == "lift"
            else _render_decided(request, state)
        )
    sent = request.POST if request.method == "POST" else None
    page = RulingPage(state, sent, kind=request.GET.get("kind", ""))
    refused: DomainError | None = None
    act = request.POST.get("act", "")
    if act in ("do", "facts", "upheld") and page.is_valid:
        try:
            return _perform_action(request, page, act)
        except DomainError as error:
            refused = error
    return _render_undecided(request, page, refused)


def _perform_action(request: ActorRequest, page: RulingPage, act: str) -> HttpResponse:
    state, event = page.state, page.state.dispute.event
    key, shown = request.POST.get("key", ""), request.POST.get("shown", "")
    next_dispute = state.dispute.pk
    if act == "facts":
        record_dispute_facts(state.dispute, page.findings, by=request.actor, key=key)
        messages.success(request, _("The facts are recorded."))
    elif state.appeal is not None:
        decision = page.make_appeal_decision(upheld=act == "upheld")
        if act == "upheld":
            decide_appeal(state.appeal, decision, by=request.actor, key=key)
        else:
            apply_previewed_appeal_decision(state.appeal, decision, shown=shown, by=request.actor, key=key)
        messages.success(request, _("The committee’s decision is recorded."))
    else:
        ruling = apply_previewed_ruling(state.dispute, page.proposed_ruling, shown=shown, by=request.actor, key=key)
        messages.success(request, _("Ruling %(number)s is made.") % {"number": ruling.number})
        if ruling.effects.get("opened"):
            messages.info(request, _("This revealed an improper knock. Rule on it now; its facts are filled in."))
            next_dispute = ruling.effects["opened"][0]
    return redirect_to_ruling(event, next_dispute)


def _render_undecided(request: ActorRequest, page: RulingPage, refused: DomainError | None) -> HttpResponse:
    state, directs = page.state, "direct" in request.acts
    preview, problem = page.preview(request.actor) if directs else (None, None)
    refused = refused or problem
    match = state.dispute.match
    context = {
        "state": state,
        "desk": page,
        "record": page.record,
        "kinds": find_reportable_irregularities(state.rule_sheet.rules).values(),
        "choices": [
            {"code": choice.code, "text": choice.text, "is_chosen": choice.code == page.facts.get("chosen")}
            for choice in (page.advice_with_all_choices.choices if page.advice_with_all_choices is not None else ())
        ],
        "advice": page.advice,
        "looked": preview,
        "changes": page.describe_changes(preview) if preview is not None else [],
        "rows": make_effects_context(preview.effects, first=match.ident if match else "")
        if preview is not None
        else None,
        "punished": [
            (state.names.get(each["side"]), describe_ruling_effect(each))
            for each in (preview.penalties if preview else ())
        ],
        "refused": refused,
        "decide": refused.data if refused is not None and "ident" in refused.data else None,
        "precedents": load_precedents(state, page.advice),
        "match_name": format_full_match_name(match) if match is not None else "",
        **_make_record_context(page),
        "drop_form": _DropForm(prefix="drop"),
    }
    if request.headers.get("HX-Request"):
        return render(request, "scoring/disputes/rulings/ruling_answer.html", context)
    status = 422 if request.method == "POST" and (refused is not None or not page.is_valid) else 200
    return render(request, "scoring/disputes/rulings/console_ruling.html", context, status=status)


def _make_record_context(page: RulingPage) -> dict[str, Any]:
    card, record, state = page.record.card, page.record, page.state
    event = state.dispute.event
    place = {"tournament": event.tournament.slug, "event": event.slug, "dispute": state.dispute.pk}
    evidence = make_evidence_context(
        state, lambda piece: reverse("scoring:desk_evidence", kwargs={**place, "evidence": piece})
    )
    sides = [(side.name, side.entrant.pk) for side in state.sides if side.entrant is not None]
    carried = [(name, record.penalties[pk]) for name, pk in sides if record.penalties.get(pk)]
    context: dict[str, Any] = {"carried": carried, "evidence": evidence}
    if card is None:
        return context
    return {
        **context,
        "line_words": describe_line(card, record.line.line) if record.line else "",
        "earlier_words": [(fact, describe_line(card, fact.line)) for fact in record.earlier],
        "check_words": [(check, describe_line(card, check.own) if check.own else "") for check in record.checks],
    }


def _render_decided(
    request: ActorRequest, state: DisputeState, form: forms.Form | None = None, status: int = 200
) -> HttpResponse:
    page = RulingPage(state, None)
    precedents = load_precedents(state, None)
    context = {
        "state": state,
        "record": page.record,
        "rulings": [_make_ruling_context(state, page.record.card, each) for each in reversed(state.rulings)],
        "precedents": precedents,
        "refusable": [each for each in precedents if _can_player_reject(state, each["ruling"])],
        "appeal_form": form or (_AppealForm(state=state, prefix="appeal") if state.appeal is None else None),
        "committee": load_committee(state.dispute.event),
        **_make_record_context(page),
    }
    return render(request, "scoring/disputes/rulings/ruled.html", context, status=status)


def _lift_penalty_from_form(request: ActorRequest, state: DisputeState) -> HttpResponse:
    carried = {str(penalty.pk): penalty for made in state.rulings for penalty in made.penalties.all()}
    penalty = carried.get(request.POST.get("penalty", ""))
    if penalty is not None:
        lift_penalty(penalty, by=request.actor, reason=request.POST.get("reason", ""), key=request.POST.get("key", ""))
        messages.success(request, _("The penalty is lifted for later events. A match that it decided stays decided."))
    return redirect_to_ruling(state.dispute.event, state.dispute.pk)


def _can_player_reject(state: DisputeState, precedent: Ruling) -> bool:
    """Return whether a player may reject this ruling because it differs from an earlier one (`precedent`)."""
    ruling = state.ruling
    if ruling is None or getattr(ruling, "refused", None) is not None or state.appeal is not None:
        return False
    if not find_dispute_policy(state.rule_sheet.rules).can_be_refused:
        return False
    return precedent.number < ruling.number and precedent.ruling != ruling.ruling


def _make_ruling_context(state: DisputeState, card: Any, made: Ruling) -> dict[str, Any]:
    change = made.effects.get("sheet") or {}
    return {
        "ruling": made,
        "words": describe_decision(made.ruling),
        "recommended": describe_decision(made.recommended.get("ruling") or ""),
        "did": change.get("did", ""),
        "hand": change.get("hand"),
        "was": describe_line(card, change["was"]) if card and change.get("was") else "",
        "line": describe_line(card, change["line"]) if card and change.get("line") else "",
        "score": describe_score_change(made),
        "penalties": [
            (
                state.names.get(each["side"], each["entry"]),
                describe_ruling_effect(each),
                format_match_name(each["match"], load_round_count(state.dispute.event)) if each.get("match") else "",
            )
            for each in made.effects.get("penalties", ())
        ],
        "carried": [penalty for penalty in made.penalties.all() if getattr(penalty, "lifted", None) is None],
        "opened": made.effects.get("opened", ()),
        "decided": getattr(getattr(made, "appeal", None), "decided", None),
        "since": describe_ruling_changes(made, load_ruling_changes([made]).get(made.pk, ())),
    }


class _AppealForm(IdempotentForm):
    side = forms.ChoiceField(label=gettext_lazy("Who appeals?"), widget=forms.RadioSelect)
    reason = forms.CharField(label=gettext_lazy("Why?"), max_length=1000, widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, *args: Any, state: DisputeState, **options: Any) -> None:
        super().__init__(*args, **options)
        set_field_choices(self, "side", [(side.letter, side.name) for side in state.sides if side.entrant is not None])


@require_POST
@staff_event_view("desk")
def appeal_ruling(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    state = load_dispute(event, dispute)
    if state.ruling is None:
        raise Conflict("not-ruled", _("There is no ruling to appeal yet. Make the ruling first."))
    form = _AppealForm(request.POST, state=state, prefix="appeal")
    if form.is_valid():
        answers = form.cleaned_data
        side = state.find_side(answers["side"])
        entrant = side.entrant if side else None
        try:
            record_appeal(state.ruling, by=request.actor, reason=answers["reason"], entrant=entrant, key=answers["key"])
        except DomainError as error:
            form.add_error(None, error.message)
        else:
            messages.success(request, _("The appeal is recorded. The committee decides."))
            return redirect_to_ruling(event, dispute)
    return _render_decided(request, state, form, 422)


class _DropForm(IdempotentForm):
    reason = forms.CharField(label=gettext_lazy("What happened?"), max_length=500)


@require_POST
@staff_event_view("desk")
def drop_dispute_at_desk(request: ActorRequest, event: Event, dispute: int) -> HttpResponse:
    """Close a dispute without a ruling, because the players settled it or the caller withdrew it."""
    state, form = load_dispute(event, dispute), _DropForm(request.POST, prefix="drop")
    if form.is_valid():
        drop_dispute(state.dispute, by=request.actor, reason=form.cleaned_data["reason"], key=form.cleaned_data["key"])
        messages.success(request, _("No ruling needed. The dispute is off the list."))
        return redirect("scoring:desk_rulings", event.tournament.slug, event.slug)
    return redirect_to_ruling(event, dispute)


class _CommitteeForm(IdempotentForm):
    names = forms.CharField(
        label=gettext_lazy("Names, one on each line"), max_length=2000, widget=forms.Textarea(attrs={"rows": 5})
    )


@staff_event_view("direct")
def edit_committee(request: ActorRequest, event: Event) -> HttpResponse:
    current = load_committee(event)
    form = _CommitteeForm(request.POST or None, initial={"names": "\n".join(current.members) if current else ""})
    if request.method == "POST" and form.is_valid():
        answers = form.cleaned_data
        try:
            set_committee(event, answers["names"].splitlines(), by=request.actor, key=answers["key"])
        except DomainError as error:
            form.add_error("names", error.message)
        else:
            messages.success(request, _("The committee is named."))
            return redirect("scoring:desk_rulings", event.tournament.slug, event.slug)
    return _render_form(request, form, title=_("Appeals committee"), label=_("Save the committee"))


def _render_form(request: ActorRequest, form: forms.Form, *, title: str, label: str) -> HttpResponse:
    context = {"title": title, "form": form, "label": label}
    return render(request, "scoring/disputes/rulings/ruling_form.html", context, status=422 if form.errors else 200)


@staff_event_view("look")
def judge_hands_at_desk(request: ActorRequest, event: Event) -> HttpResponse:
    """Show a form for two hands that players have laid on the table, and score them under the event's rules."""
    context = make_judged_hands_context(request, event)
    refused = "form" in context and bool(context["form"].errors)
    return render(request, "scoring/disputes/hands/console.html", context, status=422 if refused else 200)
