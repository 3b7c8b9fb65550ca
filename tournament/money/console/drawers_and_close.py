"""Pages for cash drawers, and for the daily close."""

import io
from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.validators import MinValueValidator
from django.db.models import QuerySet
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.forms import CentsField, IdempotentForm, IdempotentReasonForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.responses import domain_errors_as_form_errors, find_site_url, run_and_flash_result
from tournament.core.pdf.lists import make_pdf_file_name
from tournament.core.pdf.paper import PAPER_SIZES
from tournament.core.selectors.events import load_last_paper_size
from tournament.models import DayClose, DayCount, Drawer, Event, LedgerLine, User
from tournament.money.pdf.close import make_daily_close_sheet, write_daily_close
from tournament.money.selectors.drawers_and_close import (
    CASH_METHOD,
    find_business_day_after_close,
    find_business_day_at,
    load_all_daily_closes,
    load_business_day,
    load_cash_moves,
    load_cashiers,
    load_closed_drawers,
    load_days_to_close,
    load_last_closed_day,
    load_open_drawers,
    load_valid_daily_closes,
    sum_cents_in_drawer,
    sum_cents_in_safe,
    to_venue_date,
)
from tournament.money.services.drawers_and_close import (
    EndOfDayCount,
    choose_business_day,
    close_day,
    close_drawer,
    move_cash_to_or_from_outside,
    move_cash_to_or_from_safe,
    open_drawer,
    record_day_count,
    reopen_day,
)
from tournament.money.words import (
    cash_destination_label,
    cash_source_label,
    describe_expected_drawer_cash,
    label_sums_by_method,
)
from tournament.purse.business_day import find_next_open_day, list_currency_denominations
from tournament.spreadsheets.names import parse_number
from tournament.templatetags.gin import day_in_year, money

MAX_LISTED_CASH_MOVES = 50
_TOURNAMENT_ACTS = ("open", "bring", "bank")
_DRAWER_ACTS = ("drop", "fill", "count")


# --- Drawers ---------------------------------------------------------------------------------------------------------


class _PiecesForm(IdempotentForm):
    """A form for the number of bills and coins of each denomination. An empty field counts as zero."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=1_000,
        help_text=gettext_lazy("Only if the count and the ledger differ."),
    )

    def __init__(self, *args: Any, currency: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.names = {f"piece_{cents}": cents for cents in list_currency_denominations(currency)}
        for name, cents in self.names.items():
            attrs = {"data-piece": cents, "inputmode": "numeric", "class": "form-control"}
            field = forms.IntegerField(min_value=0, max_value=99_999, required=False, label=money(cents, currency))
            field.widget.attrs |= attrs
            self.fields[name] = field
        self.order_fields([*self.names, *(name for name in self.fields if name not in self.names)])

    @property
    def pieces(self) -> dict[int, int]:
        return {cents: self.cleaned_data[name] or 0 for name, cents in self.names.items()}

    @property
    def piece_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in self.names]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.names]


class _DrawerCountForm(_PiecesForm):
    next_cashier = forms.ModelChoiceField(
        User.objects.none(),
        label=gettext_lazy("Hand over to"),
        required=False,
        empty_label=gettext_lazy("Nobody: the cash goes to the safe"),
    )

    def __init__(self, *args: Any, cashiers: QuerySet[User], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["next_cashier"]
        if isinstance(field, forms.ModelChoiceField):
            field.queryset = cashiers


class _OpenDrawerForm(IdempotentForm):
    cents = CentsField(label=gettext_lazy("Starting cash"))
    source = forms.ChoiceField(
        label=gettext_lazy("Where it comes from"),
        choices=(
            ("brought", gettext_lazy("Brought from outside: the bank, the organizer")),
            ("safe", gettext_lazy("The safe")),
        ),
    )
    name = forms.CharField(label=gettext_lazy("Name of the drawer"), required=False, max_length=60)


class _CashForm(IdempotentForm):
    cents = CentsField(label=gettext_lazy("Amount"))


@staff_event_view("desk")
def drawers(request: ActorRequest, event: Event) -> HttpResponse:
    """List the open drawers, starting with the user's own.

    Drawers can be opened, filled, emptied, counted or handed over.
    """
    act, pk = request.POST.get("act", ""), parse_number(request.POST.get("drawer")) or 0
    whole = {
        name: (_OpenDrawerForm if name == "open" else _CashForm)(request.POST if name == act else None, prefix=name)
        for name in _TOURNAMENT_ACTS
    }
    rows = []
    for drawer in sorted(load_open_drawers(event.tournament), key=lambda drawer: drawer.cashier_id != request.user.pk):
        sums = sum_cents_in_drawer(drawer)
        expected = describe_expected_drawer_cash(sums, event.tournament.currency)
        forms = _make_drawer_forms(event, drawer, request, act, pk)
        rows.append((drawer, label_sums_by_method(sums), expected, sums.get(CASH_METHOD, 0), forms))
    sent = whole.get(act) or next((forms.get(act) for drawer, *_texts, forms in rows if drawer.pk == pk), None)
    if request.method == "POST" and act in _DRAWER_ACTS and sent is None:
        get_object_or_404(event.tournament.drawers, pk=pk)
        messages.error(request, _("This drawer was closed before. Nothing was changed."))
        return redirect(request.path)
    if sent is not None and sent.is_valid():
        with domain_errors_as_form_errors(sent):
            _perform_drawer_act(request, event, act, sent, pk)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    safe = sum_cents_in_safe(event.tournament)
    context = {
        "rows": rows,
        "whole": whole,
        "act": act,
        "has_own": any(drawer.cashier_id == request.user.pk for drawer, *_more in rows),
        "safe": label_sums_by_method(safe),
        "closed": load_closed_drawers(event.tournament)[:MAX_LISTED_CASH_MOVES],
        "moved": [
            (row, cash_source_label(row), cash_destination_label(row))
            for row in load_cash_moves(event.tournament)[:MAX_LISTED_CASH_MOVES]
        ],
        "directs": "direct" in request.acts,
        "safe_cash": safe.get(CASH_METHOD, 0),
    }
    return render(request, "tournament/money/drawers.html", context)


def _make_drawer_forms(event: Event, drawer: Drawer, request: ActorRequest, act: str, pk: int) -> dict[str, Form]:
    def sent(name: str) -> object:
        return request.POST if name == act and drawer.pk == pk else None

    cashiers = load_cashiers(event.tournament).exclude(pk=drawer.cashier_id)
    count = _DrawerCountForm(
        sent("count"), prefix=f"count{drawer.pk}", currency=event.tournament.currency, cashiers=cashiers
    )
    cash = {name: _CashForm(sent(name), prefix=f"{name}{drawer.pk}") for name in ("drop", "fill")}
    return {**cash, "count": count}


def _perform_drawer_act(request: ActorRequest, event: Event, act: str, form: Form, pk: int) -> None:
    facts, by, tournament = dict(form.cleaned_data), request.actor, event.tournament
    if act == "open":
        brought = facts["source"] == "brought"
        open_drawer(tournament, facts["cents"], by=by, key=facts["key"], name=facts["name"], brought=brought)
    elif act in ("bring", "bank"):
        move_cash_to_or_from_outside(tournament, facts["cents"], to_bank=act == "bank", by=by, key=facts["key"])
    else:
        drawer = get_object_or_404(tournament.drawers.select_related("tournament"), pk=pk)
        if isinstance(form, _DrawerCountForm):
            next_cashier = facts["next_cashier"]
            close_drawer(
                drawer, form.pieces, next_cashier=next_cashier, by=by, key=facts["key"], reason=facts["reason"]
            )
        else:
            move_cash_to_or_from_safe(drawer, facts["cents"], to_safe=act == "drop", by=by, key=facts["key"])


# --- Close of a day --------------------------------------------------------------------------------------------------


class _NightCountForm(_PiecesForm):
    """A form for the counted cash, and for the amounts received by other methods."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for method, label in LedgerLine.Method.choices:
            if method != LedgerLine.Method.CASH:
                self.fields[method] = _SignedCentsField(label=label, required=False)
        self.order_fields([*self.names, *(method for method, _label in LedgerLine.Method.choices), "reason"])

    @property
    def others(self) -> dict[str, int]:
        return {method: self.cleaned_data.get(method) or 0 for method, _label in LedgerLine.Method.choices}


class _SignedCentsField(CentsField):
    """An amount that can be negative, because more money may have gone out by a payment method than came in."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.min_value = None
        self.validators = [validator for validator in self.validators if not isinstance(validator, MinValueValidator)]


class _OpenDayForm(IdempotentForm):
    day = forms.DateField(widget=forms.HiddenInput)


@staff_event_view("desk")
def close_of_day_page(request: ActorRequest, event: Event) -> HttpResponse:
    """Show a business day's figures. One staff member counts the money, and another one signs and closes the day."""
    tournament, act = event.tournament, request.POST.get("act", "")
    day = _get_requested_day(request, event)
    form = _NightCountForm(request.POST if act == "count" else None, prefix="count", currency=tournament.currency)
    if act == "count" and form.is_valid():
        with domain_errors_as_form_errors(form):
            count = EndOfDayCount(form.pieces, form.others)
            facts = form.cleaned_data
            record_day_count(tournament, day, count, by=request.actor, key=facts["key"], reason=facts["reason"])
            messages.success(request, _("The count is signed. Another member of staff signs below it."))
            return redirect(f"{request.path}?day={day.isoformat()}")
    if act in ("sign", "day"):
        run_and_flash_result(
            request, lambda: _sign_count(request, event) if act == "sign" else _open_day(request, event)
        )
        return redirect(f"{request.path}?day={day.isoformat()}" if act == "sign" else request.path)
    reopening = IdempotentReasonForm(request.POST if act == "reopen" else None, prefix="reopen")
    if act == "reopen" and reopening.is_valid():
        with domain_errors_as_form_errors(reopening):
            _reopen_day(request, event, reopening)
            return redirect(f"{request.path}?day={day.isoformat()}")
    business_day = load_business_day(tournament, day, reopened=parse_number(request.GET.get("close")))
    today, current = to_venue_date(tournament, timezone.now()), find_business_day_at(tournament, timezone.now())
    directs = "direct" in request.acts
    context = {
        "shown": business_day,
        "directs": directs,
        "sheet": make_daily_close_sheet(tournament, business_day),
        "form": form,
        "reopening": reopening,
        "is_last": business_day.close is not None and business_day.close.day == load_last_closed_day(tournament),
        "closed_with": load_valid_daily_closes(tournament).filter(day__gt=day).order_by("day").first()
        if business_day.close is None
        else None,
        "act": act,
        "drawers": list(load_open_drawers(tournament)),
        "is_own_count": business_day.count is not None and business_day.count.by_id == request.user.pk,
        "closes": load_all_daily_closes(tournament),
        "to_close": [other for other in load_days_to_close(tournament) if other != day],
        "current": current,
        "later": find_business_day_after_close(tournament, timezone.now()),
        "other_days": _make_other_day_forms(event, today) if directs else [],
    }
    return render(request, "tournament/money/close.html", context)


def _sign_count(request: ActorRequest, event: Event) -> str:
    counts = DayCount.objects.select_related("tournament").filter(tournament=event.tournament)
    count = get_object_or_404(counts, pk=parse_number(request.POST.get("count")) or 0)
    close_day(count, by=request.actor, key=request.POST.get("key", "")[:100])
    return _("The day is closed. Print the page and keep it.")


def _open_day(request: ActorRequest, event: Event) -> str | None:
    form = _OpenDayForm(request.POST)
    if not form.is_valid():
        return None
    choose_business_day(event.tournament, form.cleaned_data["day"], by=request.actor, key=form.cleaned_data["key"])
    return _("Money is recorded under this day from now on.")


def _reopen_day(request: ActorRequest, event: Event, form: IdempotentReasonForm) -> None:
    closes = DayClose.objects.select_related("tournament", "count").filter(tournament=event.tournament)
    close = get_object_or_404(closes, pk=parse_number(request.POST.get("close")) or 0)
    reopen_day(close, by=request.actor, site=find_site_url(request), **form.cleaned_data)
    message = _("%(day)s is open again. %(one)s and %(other)s are told. Count and close the day again.")
    names = {"day": day_in_year(close.day), "one": close.count.by_name, "other": close.by_name}
    messages.success(request, message % names)


def _make_other_day_forms(event: Event, today: date) -> list[tuple[date, _OpenDayForm]]:
    shut, current = load_last_closed_day(event.tournament), find_business_day_at(event.tournament, timezone.now())
    following = find_next_open_day(today + timedelta(days=1), shut)
    days = [day for day in (today - timedelta(days=1), today) if shut is None or day > shut]
    return [(day, _OpenDayForm(initial={"day": day})) for day in (*days, following) if day != current]


@staff_event_view("desk")
def print_daily_close(request: ActorRequest, event: Event) -> HttpResponse:
    tournament, day = event.tournament, _get_requested_day(request, event)
    paper = request.GET.get("paper") or load_last_paper_size(tournament)
    target = io.BytesIO()
    reopened = parse_number(request.GET.get("close"))
    sheet = make_daily_close_sheet(tournament, load_business_day(tournament, day, reopened=reopened))
    write_daily_close(target, tournament, sheet, paper=paper if paper in PAPER_SIZES else "letter")
    name = make_pdf_file_name(tournament, event.slug, f"close-{day.isoformat()}", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)


def _get_requested_day(request: ActorRequest, event: Event) -> date:
    try:
        asked = parse_date(request.POST.get("shown") or request.GET.get("day", ""))
    except ValueError:
        asked = None
    return asked or find_business_day_at(event.tournament, timezone.now())
