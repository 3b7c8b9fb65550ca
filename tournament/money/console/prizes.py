"""Prize pages: payouts, a preview of the prizes, players' signatures, and the tax form."""

import io
import uuid
from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.forms import CentsField, IdempotentForm, SignatureStrokesField, clean_percent, split_percents
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import load_last_paper_size
from tournament.errors import DomainError
from tournament.models import Entrant, Event, LedgerLine, PaidOut, Player, SidePool
from tournament.money.pdf.payouts import write_tax_form
from tournament.money.selectors.awards import AwardRow, split_payout
from tournament.money.selectors.drawers_and_close import is_on_closed_day, load_last_closed_day
from tournament.money.selectors.ledger import (
    EventAccounts,
    count_entries_for_prizes,
    find_side_pool,
    join_withholding_reasons,
    load_event_accounts,
)
from tournament.money.selectors.prizes import (
    load_bracket_prizes,
    load_possible_tie_shares,
    load_prizes,
    load_tax_rows,
    preview_prizes,
)
from tournament.money.services.payouts import (
    WithheldAmount,
    pay_prize,
    record_returned_excess,
    reissue_payout,
    set_prize_shares,
    set_tax_address,
    set_tax_form_threshold,
    sign_payout,
    undo_payout,
    void_payout,
)
from tournament.purse.prizes import compute_withholding
from tournament.spreadsheets.names import parse_number
from tournament.templatetags.gin import money

# --- Prizes and payouts ----------------------------------------------------------------------------------------------


class _WithheldField(CentsField):
    """An amount in cents, or a percentage of the prize such as “24%”, which is returned as a string."""

    def clean(self, value: Any) -> Any:
        text = value.strip() if isinstance(value, str) else ""
        return clean_percent(text) if text.endswith("%") else super().clean(value)


class _PayoutForm(IdempotentForm):
    """A form that confirms a payout. `cents` is the amount shown on the page.

    `equally` confirms equal shares. It is needed if the split that the partners agreed on no longer matches the
    players.
    """

    equally = forms.BooleanField(required=False)

    method = forms.ChoiceField(label=gettext_lazy("How"), choices=LedgerLine.Method.choices)
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    withheld = _WithheldField(required=False)
    withheld_for = forms.CharField(required=False, max_length=120)

    def clean(self) -> dict[str, Any]:
        """Convert an amount withheld as a percentage of the prize to cents."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        withheld, cents = cleaned.get("withheld"), cleaned.get("cents")
        if isinstance(withheld, str) and cents is not None:
            try:
                cleaned["withheld"] = compute_withholding(cents, withheld)
            except DomainError as refusal:
                self.add_error("withheld", refusal.message)
        if cleaned.get("withheld_for") and not cleaned.get("withheld") and not self.errors:
            self.add_error("withheld", gettext_lazy("Enter the amount withheld, or clear what it is for."))
        return cleaned


class _UndoPayoutForm(IdempotentForm):
    reason = forms.CharField(max_length=1_000)


class _ReissuePayoutForm(IdempotentForm):
    method = forms.ChoiceField(label=gettext_lazy("How"), choices=LedgerLine.Method.choices)
    reason = forms.CharField(max_length=1_000)


class _ReturnPrizeForm(IdempotentForm):
    cents = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    reason = forms.CharField(max_length=1_000)


@staff_event_view("look")
def prizes(request: ActorRequest, event: Event) -> HttpResponse:
    if request.method == "POST":
        acts = {
            "pay": _pay_prize,
            "undo": _undo_payout,
            "void": _void_payout,
            "reissue": _reissue_payout,
            "return": _record_returned_excess,
            "shares": _set_prize_shares,
        }
        messages.success(request, acts.get(request.POST.get("act", ""), _pay_prize)(request, event))
        return redirect(request.path)
    event_prizes, books = load_prizes(event), load_event_accounts(event)
    last_closed = load_last_closed_day(event.tournament)
    # The payouts of a closed day can only be voided.
    closed = {
        line.pk for row in event_prizes.rows for line in row.history if is_on_closed_day(line.movement, last_closed)
    }
    context = {
        "prizes": event_prizes,
        "ties": load_possible_tie_shares(event, event_prizes),
        "bracket": load_bracket_prizes(event, event_prizes),
        "rows": _add_keys_and_dues(event_prizes.main_rows, books),
        "side_rows": [
            (state, _add_keys_and_dues(state.rows, books)) for state in event_prizes.side_pools if state.rows
        ],
        "side_tables": [state for state in event_prizes.side_pools if not state.rows],
        "stale": [row for row in event_prizes.rows if row.is_split_stale and row.to_pay_cents],
        "methods": LedgerLine.Method.choices,
        "closed": closed,
        "directs": "direct" in request.acts,
    }
    return render(request, "tournament/money/prizes.html", context)


def _add_keys_and_dues(rows: Sequence[AwardRow], books: EventAccounts) -> list[tuple[AwardRow, str, int]]:
    return [(row, uuid.uuid4().hex, books.get_account(row.entrant_id).due_cents) for row in rows]


def _pay_prize(request: ActorRequest, event: Event) -> str:
    entrant, facts = _load_requested_entrant(request, event), _require_valid_form(_PayoutForm(request.POST))
    pool, equally = _load_requested_pool(request, event), facts["equally"]
    withheld = WithheldAmount(facts["withheld"] or 0, facts["withheld_for"])
    about = {"key": facts["key"], "cents": facts["cents"], "pool": pool, "split_equally": equally}
    paid = pay_prize(entrant, facts["method"], by=request.actor, withheld=withheld, **about)
    values = {"amount": _format_amount(event, paid.cents - withheld.cents), "name": entrant.name}
    if withheld.cents:
        values["withheld"] = _format_amount(event, withheld.cents)
        return _("%(name)s was handed %(amount)s, and %(withheld)s was withheld.") % values
    return _("%(amount)s paid out to %(name)s.") % values


def _undo_payout(request: ActorRequest, event: Event) -> str:
    paid, facts = _load_requested_payout(request, event), _require_valid_form(_UndoPayoutForm(request.POST))
    undo_payout(paid, by=request.actor, reason=facts["reason"], key=facts["key"])
    values = {"amount": _format_amount(event, paid.cents), "name": paid.entrant.name}
    return _("The payout of %(amount)s to %(name)s is undone.") % values


def _void_payout(request: ActorRequest, event: Event) -> str:
    paid, facts = _load_requested_payout(request, event), _require_valid_form(_UndoPayoutForm(request.POST))
    void_payout(paid, by=request.actor, reason=facts["reason"], key=facts["key"])
    values = {"amount": _format_amount(event, paid.cents), "name": paid.entrant.name}
    return _("The payout of %(amount)s to %(name)s is void. Its closed day stays as it is.") % values


def _reissue_payout(request: ActorRequest, event: Event) -> str:
    paid, facts = _load_requested_payout(request, event), _require_valid_form(_ReissuePayoutForm(request.POST))
    payout = reissue_payout(paid, facts["method"], by=request.actor, reason=facts["reason"], key=facts["key"])
    values = {
        "amount": _format_amount(event, payout.cents),
        "name": paid.entrant.name,
        "how": payout.get_method_display(),
    }
    return _("The earlier payout is void. %(name)s was paid %(amount)s again: %(how)s.") % values


def _record_returned_excess(request: ActorRequest, event: Event) -> str:
    entrant, facts = _load_requested_entrant(request, event), _require_valid_form(_ReturnPrizeForm(request.POST))
    about = {"reason": facts["reason"], "key": facts["key"], "cents": facts["cents"]}
    cents = record_returned_excess(entrant, by=request.actor, pool=_load_requested_pool(request, event), **about)
    if not cents:
        return _("%(name)s had nothing to give back. The extra amount is no longer withheld.") % {"name": entrant.name}
    return _("%(name)s gave back %(amount)s.") % {"amount": _format_amount(event, cents), "name": entrant.name}


def _set_prize_shares(request: ActorRequest, event: Event) -> str:
    entrant = _load_requested_entrant(request, event)
    set_prize_shares(entrant, split_percents(request.POST.get("shares", "")[:200]), by=request.actor)
    return _("How %(name)s split their prize is recorded.") % {"name": entrant.name}


def _load_requested_entrant(request: ActorRequest, event: Event) -> Entrant:
    entrants = event.entrants.select_related("event__tournament")
    entrant: Entrant = get_object_or_404(entrants, pk=parse_number(request.POST.get("entrant")) or 0)
    return entrant


def _load_requested_pool(request: ActorRequest, event: Event) -> SidePool | None:
    pk = parse_number(request.POST.get("pool"))
    pool: SidePool | None = get_object_or_404(event.side_pools, pk=pk) if pk else None
    return pool


def _load_requested_payout(request: ActorRequest, event: Event) -> PaidOut:
    rows = event.paid_out.select_related("entrant", "event__tournament")
    payout: PaidOut = get_object_or_404(rows, pk=parse_number(request.POST.get("paid")) or 0)
    return payout


def _require_valid_form(form: forms.Form) -> dict[str, Any]:
    if form.is_valid():
        return form.cleaned_data
    if "withheld" in form.errors:
        message = _("Enter what is withheld as an amount, such as 240.00, or as a percent, such as 24%.")
        raise DomainError("bad-value", message, field="withheld")
    if "reason" in form.errors:
        raise DomainError("reason-needed", _("Give a reason: it stays on record."))
    raise DomainError(
        "bad-value", _("The amount has changed. Open the prizes page again and record the amount shown there.")
    )


def _format_amount(event: Event, cents: int) -> str:
    return money(cents, event.tournament.currency)


class _PreviewForm(forms.Form):
    entries = forms.IntegerField(label=gettext_lazy("Number of entries"), min_value=0, max_value=100_000)


@staff_event_view("look")
def preview_prizes_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show what each place would win with a different number of entries."""
    form = _PreviewForm(
        request.GET if "entries" in request.GET else None, initial={"entries": count_entries_for_prizes(event)}
    )
    if not form.is_bound or form.is_valid():
        entries = form.cleaned_data["entries"] if form.is_bound else count_entries_for_prizes(event)
        preview = preview_prizes(event, entries)
    else:
        preview = None
    return render(request, "tournament/money/prize_preview.html", {"form": form, "preview": preview})


# --- Signatures ------------------------------------------------------------------------------------------------------
# A player signs for a payout on the screen of the desk.


class _SignatureForm(IdempotentForm):
    player = forms.IntegerField(widget=forms.HiddenInput)
    strokes = SignatureStrokesField()


@staff_event_view("desk")
def sign_for_payout(request: ActorRequest, event: Event, paid: int) -> HttpResponse:
    """Ask the entry's next player to sign. Once all have signed, redirect to the prizes page."""
    rows = event.paid_out.select_related("entrant", "event__tournament", "of_pool__pool", "withholding")
    payout = get_object_or_404(rows, pk=paid, reverses=None)
    form = _SignatureForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        facts = form.cleaned_data
        with domain_errors_as_form_errors(form):
            signed = sign_payout(payout, facts["player"], facts["strokes"], by=request.actor, key=facts["key"])
            messages.success(request, _("%(name)s has signed.") % {"name": signed.player})
            return redirect(request.path)
    signed_by = set(payout.signatures.values_list("player_id", flat=True))
    missing = [share for share in split_payout(payout) if share.player not in signed_by]
    if not missing:
        slugs = {"tournament": event.tournament.slug, "event": event.slug}
        return redirect(reverse("tournament:desk_prizes", kwargs=slugs))
    share = next((share for share in missing if str(share.player) == request.POST.get("player")), missing[0])
    context = {"paid": payout, "share": share, "form": form, "side_pool": find_side_pool(payout)}
    context["withheld_for"] = join_withholding_reasons([payout])
    return render(request, "tournament/money/sign_payout.html", context)


# --- Tax form --------------------------------------------------------------------------------------------------------


class _TaxAmountForm(forms.Form):
    cents = CentsField(
        label=gettext_lazy("List players who won at least"),
        required=False,
        help_text=gettext_lazy("In all events of the tournament together. Leave empty to list nobody."),
    )


class _AddressForm(forms.Form):
    player = forms.IntegerField(widget=forms.HiddenInput)
    address = forms.CharField(label=gettext_lazy("Address"), required=False, widget=forms.Textarea(attrs={"rows": 3}))


@staff_event_view("direct")
def tax_form(request: ActorRequest, event: Event) -> HttpResponse:
    """List players whose winnings require a tax form. The amount and the players' addresses can be edited."""
    tournament = event.tournament
    sent = request.POST if request.method == "POST" else None
    act = request.POST.get("act", "")
    form = _TaxAmountForm(sent if act == "amount" else None, initial={"cents": tournament.tax_form_cents})
    address = _AddressForm(sent if act == "address" else None)
    if act == "amount" and form.is_valid():
        with domain_errors_as_form_errors(form):
            set_tax_form_threshold(tournament, form.cleaned_data["cents"], by=request.actor)
            messages.success(request, _("Saved."))
            return redirect(request.path)
    if act == "address" and address.is_valid():
        _save_address(request, event, address)
        return redirect(request.path)
    context = {"form": form, "rows": load_tax_rows(tournament), "wrong": address}
    return render(request, "tournament/money/tax_form.html", context)


def _save_address(request: ActorRequest, event: Event, form: _AddressForm) -> None:
    of_ours = Player.objects.filter(members__entrant__event__tournament=event.tournament).distinct()
    player = get_object_or_404(of_ours, pk=form.cleaned_data["player"])
    set_tax_address(event.tournament, player, form.cleaned_data["address"], by=request.actor)
    messages.success(request, _("The address of %(name)s is saved.") % {"name": player.name})


@staff_event_view("direct")
def print_tax_form(request: ActorRequest, event: Event) -> HttpResponse:
    paper = request.GET.get("paper") or load_last_paper_size(event.tournament)
    target = io.BytesIO()
    rows = load_tax_rows(event.tournament)
    write_tax_form(target, event.tournament, rows, paper=paper if paper in PAPER_SIZES else "letter")
    name = make_pdf_file_name(event.tournament, event.slug, "tax-form", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)
