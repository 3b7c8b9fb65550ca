"""Pages for bank transfers and card messages: import lists, match payments with entries, or set them aside."""

from typing import Any, cast

from django import forms
from django.contrib import messages
from django.db.models import Q, QuerySet
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.forms import EntrantField, IdempotentForm, IdempotentReasonForm, ListUploadForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.list_reading import ListParsingChoices, list_date_order_choices, list_encoding_choices
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.core.tables.lists import EXPORT_CONTENT_TYPES, export_rows, to_decimal_amount
from tournament.errors import NotFound
from tournament.intake import LIST_FILE_LIMITS, accepts_files
from tournament.models import BankList, BankTransfer, CardEvent, Entrant, Event, Tournament, User
from tournament.money.selectors.ledger import load_entry_account
from tournament.money.selectors.transfers_and_cards import (
    PAYMENT_SUCCEEDED_KIND,
    UNREADABLE_MESSAGE_KIND,
    iter_rows_with_identifiers,
    load_bank_statement,
    load_card_events,
    load_card_events_without_entry,
    load_manually_matched_card_events,
    load_unmatched_transfers,
    match_reference_to_entrant,
)
from tournament.money.services.transfers_and_cards import (
    match_card_event,
    match_transfer,
    record_bank_statement,
    reparse_bank_statement,
    retry_card_event,
    set_card_event_aside,
    set_transfer_aside,
    store_bank_statement,
)
from tournament.spreadsheets.bank_statements import FIELD_LABELS, BankStatement, remove_date_and_payer
from tournament.spreadsheets.names import parse_number

MAX_LISTED_TRANSFERS = 100


# --- Bank transfers --------------------------------------------------------------------------------------------------


class _ReferenceForm(forms.Form):
    reference = forms.CharField(
        label=gettext_lazy("Reference"), max_length=500, help_text=gettext_lazy("From the transfer, such as RF…")
    )


class _MatchPaymentForm(IdempotentForm):
    def __init__(self, *args: Any, entrants: QuerySet[Entrant], **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["entrant"] = EntrantField(entrants, label=gettext_lazy("Entry"))


@accepts_files(LIST_FILE_LIMITS)
@staff_event_view("desk")
def bank_transfers_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Import a bank statement. Transfers without a reference are matched by hand or set aside."""
    act = request.POST.get("act", "")
    forms = _make_transfer_forms(request, event, act)
    form = forms.get(act)
    if form is not None and form.is_valid():
        with domain_errors_as_form_errors(form):
            answer: HttpResponse = _TRANSFER_ACTS[act](request, event, form)
            return answer
    kind = request.GET.get("_export", "")
    if kind in EXPORT_CONTENT_TYPES:
        return export_rows(kind, _make_transfer_rows(event), f"{event.tournament.slug}-transfers")
    context = {
        "forms": forms,
        "act": act,
        "sent": parse_number(request.POST.get("transfer")),
        "unmatched": [
            (row, remove_date_and_payer(row.booked, row.payer, row.text), settled)
            for row, settled in _suggest_entries(event.tournament)
        ],
        "matched": _load_matched_transfers(event.tournament)[:MAX_LISTED_TRANSFERS],
    }
    return render(request, "tournament/money/transfers.html", context)


def _suggest_entries(tournament: Tournament) -> list[tuple[BankTransfer, Entrant | None]]:
    """Return each unmatched transfer with the entry whose reference it contains.

    The entry is None if the transfer refers to no entry or to several.
    """
    return [(row, match_reference_to_entrant(tournament, row.text)) for row in load_unmatched_transfers(tournament)]


def _load_matched_transfers(tournament: Tournament) -> QuerySet[BankTransfer]:
    """Return transfers that became a payment or were set aside, newest first."""
    rows = tournament.transfers.exclude(match=None)
    return rows.select_related("match__line__entrant", "match__line__movement", "match__line__event").order_by("-pk")


def _make_transfer_forms(request: ActorRequest, event: Event, act: str) -> dict[str, Form]:
    def sent(name: str) -> Any:
        return request.POST if name == act else None

    return {
        "list": ListUploadForm(sent("list"), request.FILES or None, prefix="list", label=_("List from the bank")),
        "find": _ReferenceForm(sent("find"), prefix="find"),
        "match": _MatchPaymentForm(sent("match"), prefix="match", entrants=event.entrants.order_by("number")),
        "aside": IdempotentReasonForm(sent("aside"), prefix="aside"),
    }


def _make_transfer_rows(event: Event) -> list[list[Any]]:
    rows: list[list[Any]] = [[_("Date"), _("Amount"), _("Payer"), _("Text"), _("Recorded for"), _("Set aside because")]]
    for row in event.tournament.transfers.select_related("match__line__entrant").order_by("pk"):
        match = getattr(row, "match", None)
        recorded_for = str(match.line.entrant) if match is not None and match.line is not None else ""
        rows.append(
            [
                row.booked,
                to_decimal_amount(row.cents, event.tournament.currency),
                row.payer,
                row.text,
                recorded_for,
                match.reason if match else "",
            ]
        )
    return rows


def _import_list(request: ActorRequest, event: Event, form: Form) -> HttpResponse:
    assert isinstance(form, ListUploadForm)
    stored = store_bank_statement(event.tournament, *form.get_name_and_content(), by=request.actor)
    return _redirect_to_list(event, stored.pk)


def _redirect_to_entry(request: ActorRequest, event: Event, form: Form) -> HttpResponse:
    """Redirect to the account of the entry with this reference, in any event of the tournament."""
    entrant = match_reference_to_entrant(event.tournament, form.cleaned_data["reference"])
    if entrant is None:
        messages.warning(request, _("No entry has this reference. Compare it with the transfer, digit by digit."))
        return redirect(request.path)
    return redirect("tournament:desk_money", event.tournament.slug, entrant.event.slug, entrant.number)


def _match_transfer(request: ActorRequest, event: Event, form: Form) -> HttpResponse:
    entrant = form.cleaned_data["entrant"]
    match_transfer(_load_requested_transfer(request, event), entrant, by=request.actor, key=form.cleaned_data["key"])
    messages.success(request, _("The transfer is recorded as a payment of %(name)s.") % {"name": entrant.name})
    return redirect(request.path)


def _set_transfer_aside(request: ActorRequest, event: Event, form: Form) -> HttpResponse:
    set_transfer_aside(_load_requested_transfer(request, event), by=request.actor, **form.cleaned_data)
    messages.success(request, _("The transfer is set aside."))
    return redirect(request.path)


def _load_requested_transfer(request: ActorRequest, event: Event) -> BankTransfer:
    rows = event.tournament.transfers.select_related("tournament")
    transfer: BankTransfer = get_object_or_404(rows, pk=parse_number(request.POST.get("transfer")) or 0)
    return transfer


_TRANSFER_ACTS = {
    "list": _import_list,
    "find": _redirect_to_entry,
    "match": _match_transfer,
    "aside": _set_transfer_aside,
}


@staff_event_view("desk")
def show_bank_statement(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Show how a bank statement was parsed, and what recording each row would do."""
    stored = _load_stored_list(event.tournament, pk)
    if request.method == "POST":
        return _record_list(request, event, stored)
    listed = load_bank_statement(stored)
    rows = _preview_outcomes(event.tournament, listed)
    cells = [row.booked for row in listed.rows]
    content = bytes(stored.content or b"")
    reading = ListParsingChoices(
        listed.read.encoding,
        listed.read.delimiter,
        encodings=list_encoding_choices(
            content, listed.read.encoding, listed.read.encodings, listed.read.delimiter or ","
        ),
        asks_encoding=bool(listed.read.encodings),
        orders=list_date_order_choices(cells, listed.order) if not listed.order_is_sure or stored.order else (),
        asks_order=not listed.order_is_sure,
        sheet=listed.read.sheet,
        sheets=listed.read.sheets if len(listed.read.sheets) > 1 else (),
    )
    outcomes = [row["outcome"] for row in rows]
    context = {
        "stored": stored,
        "reading": reading,
        "rows": rows,
        "used": [(listed.read.headers[place], FIELD_LABELS[name]) for name, place in listed.columns.items()],
        "new": sum(outcome in ("pays", "settled", "finished", "by-hand") for outcome in outcomes),
        "pays": outcomes.count("pays"),
        "unread": outcomes.count("unread"),
        "doubted": outcomes.count("doubted"),
    }
    return render(request, "tournament/money/bank_list.html", context)


def _load_stored_list(tournament: Tournament, pk: int) -> BankList:
    stored = tournament.bank_lists.select_related("tournament").filter(pk=pk).first()
    if stored is None:
        raise NotFound("no-list", _("There is no such list. Import the bank's list again."))
    return stored


def _preview_outcomes(tournament: Tournament, listed: BankStatement) -> list[dict[str, Any]]:
    """Return a dict for each non-blank row of a bank statement, with its entrant and the outcome of recording it.

    The outcome of a row with incoming money is one of these:

    - `known`: the row was recorded before.
    - `pays`: the money pays what the entrant owes.
    - `settled`: the entrant owes nothing more, so the desk decides for whom the money is.
    - `finished`: the entrant's event is finished, so the desk matches the money by hand.
    - `by-hand`: the row contains no entry's reference, so the desk matches the money by hand.

    Other rows are not recorded:

    - `out`: the row is about outgoing money.
    - `sum`: the row contains a total.
    - `unread`: the row could not be understood.
    - `doubted`: the row can be read, but its meaning is in doubt.
    """
    identifiers = {
        row.number: idents for row, idents in iter_rows_with_identifiers(row for row in listed.rows if row.is_incoming)
    }
    known = set(tournament.transfers.values_list("ident", flat=True))
    due: dict[int, int] = {}
    outcomes: list[dict[str, Any]] = []
    for row in listed.rows:
        if row.is_blank:
            continue
        if not row.is_incoming:
            is_out = row.cents is not None and row.cents <= 0 and not row.is_unreadable
            is_sum = any(each.code == "a-sum" for each in row.remarks)
            outcome = "out" if is_out else "sum" if is_sum else "unread" if row.is_unreadable else "doubted"
            outcomes.append({"row": row, "outcome": outcome, "entrant": None})
            continue
        entrant = match_reference_to_entrant(tournament, row.text)
        if known & set(identifiers[row.number]):
            outcome = "known"
        elif entrant is None:
            outcome = "by-hand"
        elif entrant.event.state == Event.State.FINISHED:
            outcome = "finished"
        else:
            left = due.setdefault(entrant.pk, load_entry_account(entrant).due_cents)
            outcome = "pays" if left else "settled"
            due[entrant.pk] = max(0, left - (row.cents or 0))
        outcomes.append({"row": row, "outcome": outcome, "entrant": entrant})
    return outcomes


def _record_list(request: ActorRequest, event: Event, stored: BankList) -> HttpResponse:
    chosen = {name: request.POST.get(name, "")[:100] for name in ("encoding", "sheet", "order")}
    if any(chosen.values()):
        reparse_bank_statement(stored, by=request.actor, **chosen)
        return _redirect_to_list(event, stored.pk)
    recorded = record_bank_statement(stored, by=request.actor)
    message = _("%(matched)s payments recorded, %(unmatched)s transfers to match by hand, %(known)s known before.")
    counts = {name: recorded[name] for name in ("matched", "unmatched", "known")}
    messages.success(request, message % counts)
    return redirect("tournament:desk_transfers", tournament=event.tournament.slug, event=event.slug)


def _redirect_to_list(event: Event, pk: int) -> HttpResponse:
    return redirect("tournament:desk_bank_list", tournament=event.tournament.slug, event=event.slug, pk=pk)


# --- Card messages ---------------------------------------------------------------------------------------------------


@staff_event_view("direct")
def card_payments(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the card provider's messages about this event.

    Open messages, and messages that match no entry, can be dealt with on this page.
    """
    act, pk = request.POST.get("act", ""), parse_number(request.POST.get("told")) or 0
    if request.method == "POST" and act not in ("match", "aside"):
        return _retry_card_event(request, event, pk)
    forms = _make_card_forms(request, event, act)
    form = forms.get(act)
    without_entry = _load_unknown_card_events(event.tournament, cast(User, request.user))
    if form is not None:
        # Only messages without an entry can be matched. Messages about this event can also be set aside.
        may_settle = Q(pk__in=without_entry.values("pk"))
        if act == "aside":
            may_settle |= Q(payment__event=event)
        row = get_object_or_404(CardEvent.objects.filter(may_settle), pk=pk)
        if form.is_valid():
            with domain_errors_as_form_errors(form):
                messages.success(request, _settle_card_event(request, event, row, form))
                return redirect(request.path)
    unknown = list(without_entry.filter(state=CardEvent.State.WAITING)[:MAX_LISTED_TRANSFERS])
    card_events = list(load_card_events(event)[:MAX_LISTED_TRANSFERS])
    context = {
        "told": card_events,
        "differing": {row.pk for row in card_events if _has_wrong_amount(row, event.tournament.currency)},
        "unknown": unknown,
        "has_unread": any(row.kind == UNREADABLE_MESSAGE_KIND for row in unknown),
        "settled": load_manually_matched_card_events(event)[:MAX_LISTED_TRANSFERS],
        "waiting": CardEvent.State.WAITING.value,
        "is_paid": PAYMENT_SUCCEEDED_KIND,
        "is_unread": UNREADABLE_MESSAGE_KIND,
        "forms": forms,
        "sent": pk,
    }
    return render(request, "tournament/money/cards.html", context)


def _load_unknown_card_events(tournament: Tournament, user: User) -> QuerySet[CardEvent]:
    """Return payments and refunds that were not started on this site, oldest first, including those already dealt with.

    Administrators see all of them. Other users see only messages that may belong to their tournament.
    """
    rows = CardEvent.objects.filter(payment=None).order_by("pk")
    return rows if user.is_superuser else load_card_events_without_entry(tournament)


def _has_wrong_amount(row: CardEvent, currency: str) -> bool:
    """Return whether the payment in a message awaits a decision because it is not the requested amount.

    Payments in another currency are excluded, because they cannot be recorded.
    """
    if row.payment is None or (row.kind, row.state, row.currency) != (
        PAYMENT_SUCCEEDED_KIND,
        CardEvent.State.WAITING,
        currency,
    ):
        return False
    return row.cents not in (0, row.payment.cents)


def _make_card_forms(request: ActorRequest, event: Event, act: str) -> dict[str, Form]:
    def sent(name: str) -> Any:
        return request.POST if name == act else None

    return {
        "match": _MatchPaymentForm(sent("match"), prefix="match", entrants=event.entrants.order_by("number")),
        "aside": IdempotentReasonForm(sent("aside"), prefix="aside"),
    }


def _settle_card_event(request: ActorRequest, event: Event, row: CardEvent, form: Form) -> str:
    if isinstance(form, _MatchPaymentForm):
        entrant = form.cleaned_data["entrant"]
        match_card_event(row, entrant, by=request.actor, key=form.cleaned_data["key"])
        return _("This is recorded as a payment of %(name)s.") % {"name": entrant.name}
    set_card_event_aside(row, event.tournament, by=request.actor, **form.cleaned_data)
    return _("The payment is set aside.")


def _retry_card_event(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    row = get_object_or_404(load_card_events(event).select_related("payment__event__tournament"), pk=pk)
    accept_amount, key = request.POST.get("act") == "accept", request.POST.get("key", "")[:100]
    row = retry_card_event(row, by=request.actor, key=key, accept_amount=accept_amount)
    messages.info(request, f"{row.get_state_display()}. {row.note}".strip())
    return redirect(request.path)
