"""The pages of the cash drawers and of the close of a business day."""

import io
from datetime import date, timedelta

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.pages.responses import refusals_on, run_and_flash, site_url
from tournament.core.pdf.lists import pdf_file_name
from tournament.core.pdf.paper import PAPERS
from tournament.core.selectors.events import last_paper_size
from tournament.models import DayClose, DayCount, Drawer, Event
from tournament.money.forms import CashForm, DrawerCountForm, NightCountForm, OpenDayForm, OpenDrawerForm, ReasonForm
from tournament.money.pdf.close import make_close_sheet, write_close
from tournament.money.selectors.cash import (
    CASH,
    cashiers_of,
    closed_drawers,
    closed_through,
    closes_in_force,
    closes_of,
    current_day,
    day_after_close,
    days_to_close,
    in_drawer,
    in_safe,
    load_business_day,
    load_cash_moves,
    open_drawers,
    venue_date,
)
from tournament.money.services.cash import (
    DrawerCount,
    NightCount,
    close_day,
    close_drawer,
    count_day,
    move_bank,
    move_float,
    open_day,
    open_drawer,
    reopen_day,
)
from tournament.money.words import cash_destination_label, cash_source_label, expected_in_drawer, method_labels
from tournament.purse.business_day import next_open_day
from tournament.spreadsheets.names import parse_number
from tournament.templatetags.gin import day_in_year

MOST_ROWS = 50
_TOURNAMENT_ACTS = ("open", "bring", "bank")
_DRAWER_ACTS = ("drop", "fill", "count")


# --- Drawers ---------------------------------------------------------------------------------------------------------


@console_event("desk")
def drawers(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the open drawers with their contents, one's own first, and open, empty, fill, count or hand them over."""
    act, pk = request.POST.get("act", ""), parse_number(request.POST.get("drawer")) or 0
    whole = {
        name: (OpenDrawerForm if name == "open" else CashForm)(request.POST if name == act else None, prefix=name)
        for name in _TOURNAMENT_ACTS
    }
    rows = []
    for drawer in sorted(open_drawers(event.tournament), key=lambda drawer: drawer.cashier_id != request.user.pk):
        sums = in_drawer(drawer)
        expected = expected_in_drawer(sums, event.tournament.currency)
        forms = _drawer_forms(event, drawer, request, act, pk)
        rows.append((drawer, method_labels(sums), expected, sums.get(CASH, 0), forms))
    sent = whole.get(act) or next((forms.get(act) for drawer, *_texts, forms in rows if drawer.pk == pk), None)
    if request.method == "POST" and act in _DRAWER_ACTS and sent is None:
        get_object_or_404(event.tournament.drawers, pk=pk)
        messages.error(request, _("This drawer was closed before. Nothing was changed."))
        return redirect(request.path)
    if sent is not None and sent.is_valid():
        with refusals_on(sent):
            _carry_out(request, event, act, sent, pk)
            messages.success(request, _("Recorded."))
            return redirect(request.path)
    safe = in_safe(event.tournament)
    context = {
        "rows": rows,
        "whole": whole,
        "act": act,
        "has_own": any(drawer.cashier_id == request.user.pk for drawer, *_more in rows),
        "safe": method_labels(safe),
        "closed": closed_drawers(event.tournament)[:MOST_ROWS],
        "moved": [
            (row, cash_source_label(row), cash_destination_label(row))
            for row in load_cash_moves(event.tournament)[:MOST_ROWS]
        ],
        "directs": "direct" in request.acts,
        "safe_cash": safe.get(CASH, 0),
    }
    return render(request, "tournament/money/drawers.html", context)


def _drawer_forms(event: Event, drawer: Drawer, request: ActorRequest, act: str, pk: int) -> dict[str, Form]:
    def sent(name: str) -> object:
        return request.POST if name == act and drawer.pk == pk else None

    cashiers = cashiers_of(event.tournament).exclude(pk=drawer.cashier_id)
    count = DrawerCountForm(
        sent("count"), prefix=f"count{drawer.pk}", currency=event.tournament.currency, cashiers=cashiers
    )
    cash = {name: CashForm(sent(name), prefix=f"{name}{drawer.pk}") for name in ("drop", "fill")}
    return {**cash, "count": count}


def _carry_out(request: ActorRequest, event: Event, act: str, form: Form, pk: int) -> None:
    facts, by, tournament = dict(form.cleaned_data), request.actor, event.tournament
    if act == "open":
        brought = facts["source"] == "brought"
        open_drawer(tournament, facts["cents"], by=by, key=facts["key"], name=facts["name"], brought=brought)
    elif act in ("bring", "bank"):
        move_bank(tournament, facts["cents"], to_bank=act == "bank", by=by, key=facts["key"])
    else:
        drawer = get_object_or_404(tournament.drawers.select_related("tournament"), pk=pk)
        if isinstance(form, DrawerCountForm):
            count = DrawerCount(form.pieces, facts["next_cashier"])
            close_drawer(drawer, count, by=by, key=facts["key"], reason=facts["reason"])
        else:
            move_float(drawer, facts["cents"], to_safe=act == "drop", by=by, key=facts["key"])


# --- Close of a day --------------------------------------------------------------------------------------------------


@console_event("desk")
def close(request: ActorRequest, event: Event) -> HttpResponse:
    """Show the figures of a business day. One member of staff counts, another one signs and closes the day."""
    tournament, act = event.tournament, request.POST.get("act", "")
    day = _requested_day(request, event)
    form = NightCountForm(request.POST if act == "count" else None, prefix="count", currency=tournament.currency)
    if act == "count" and form.is_valid():
        with refusals_on(form):
            count = NightCount(form.pieces, form.others)
            facts = form.cleaned_data
            count_day(tournament, day, count, by=request.actor, key=facts["key"], reason=facts["reason"])
            messages.success(request, _("The count is signed. Another member of staff signs below it."))
            return redirect(f"{request.path}?day={day.isoformat()}")
    if act in ("sign", "day"):
        run_and_flash(request, lambda: _sign(request, event) if act == "sign" else _open_day(request, event))
        return redirect(f"{request.path}?day={day.isoformat()}" if act == "sign" else request.path)
    reopening = ReasonForm(request.POST if act == "reopen" else None, prefix="reopen")
    if act == "reopen" and reopening.is_valid():
        with refusals_on(reopening):
            _reopen(request, event, reopening)
            return redirect(f"{request.path}?day={day.isoformat()}")
    business_day = load_business_day(tournament, day, reopened=parse_number(request.GET.get("close")))
    today, current = venue_date(tournament, timezone.now()), current_day(tournament, timezone.now())
    directs = "direct" in request.acts
    context = {
        "shown": business_day,
        "directs": directs,
        "sheet": make_close_sheet(tournament, business_day),
        "form": form,
        "reopening": reopening,
        "is_last": business_day.close is not None and business_day.close.day == closed_through(tournament),
        "closed_with": closes_in_force(tournament).filter(day__gt=day).order_by("day").first()
        if business_day.close is None
        else None,
        "act": act,
        "drawers": list(open_drawers(tournament)),
        "is_own_count": business_day.count is not None and business_day.count.by_id == request.user.pk,
        "closes": closes_of(tournament),
        "to_close": [other for other in days_to_close(tournament) if other != day],
        "current": current,
        "later": day_after_close(tournament, timezone.now()),
        "other_days": _other_days(event, today) if directs else [],
    }
    return render(request, "tournament/money/close.html", context)


def _sign(request: ActorRequest, event: Event) -> str:
    counts = DayCount.objects.select_related("tournament").filter(tournament=event.tournament)
    count = get_object_or_404(counts, pk=parse_number(request.POST.get("count")) or 0)
    close_day(count, by=request.actor, key=request.POST.get("key", "")[:100])
    return _("The day is closed. Print the page and keep it.")


def _open_day(request: ActorRequest, event: Event) -> str | None:
    form = OpenDayForm(request.POST)
    if not form.is_valid():
        return None
    open_day(event.tournament, form.cleaned_data["day"], by=request.actor, key=form.cleaned_data["key"])
    return _("Money is recorded under this day from now on.")


def _reopen(request: ActorRequest, event: Event, form: ReasonForm) -> None:
    closes = DayClose.objects.select_related("tournament", "count").filter(tournament=event.tournament)
    close = get_object_or_404(closes, pk=parse_number(request.POST.get("close")) or 0)
    reopen_day(close, by=request.actor, site=site_url(request), **form.cleaned_data)
    message = _("%(day)s is open again. %(one)s and %(other)s are told. Count and close the day again.")
    names = {"day": day_in_year(close.day), "one": close.count.by_name, "other": close.by_name}
    messages.success(request, message % names)


def _other_days(event: Event, today: date) -> list[tuple[date, OpenDayForm]]:
    shut, current = closed_through(event.tournament), current_day(event.tournament, timezone.now())
    following = next_open_day(today + timedelta(days=1), shut)
    days = [day for day in (today - timedelta(days=1), today) if shut is None or day > shut]
    return [(day, OpenDayForm(initial={"day": day})) for day in (*days, following) if day != current]


@console_event("desk")
def close_paper(request: ActorRequest, event: Event) -> HttpResponse:
    """Print the close on one page, with the same cells as the page on the screen."""
    tournament, day = event.tournament, _requested_day(request, event)
    asked = request.GET.get("paper") or last_paper_size(tournament)
    target = io.BytesIO()
    reopened = parse_number(request.GET.get("close"))
    sheet = make_close_sheet(tournament, load_business_day(tournament, day, reopened=reopened))
    write_close(target, tournament, sheet, paper=asked if asked in PAPERS else "letter")
    name = pdf_file_name(tournament, event.slug, f"close-{day.isoformat()}", at=timezone.now())
    named = {"Content-Disposition": f'inline; filename="{name}"'}
    return HttpResponse(target.getvalue(), content_type="application/pdf", headers=named)


def _requested_day(request: ActorRequest, event: Event) -> date:
    try:
        asked = parse_date(request.POST.get("shown") or request.GET.get("day", ""))
    except ValueError:
        asked = None
    return asked or current_day(event.tournament, timezone.now())
