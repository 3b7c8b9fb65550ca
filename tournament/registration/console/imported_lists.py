"""Console pages for importing a list: upload, preview of its rows, and corrections."""

import uuid
from collections import Counter
from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from tournament.core.forms import ListUploadForm
from tournament.core.pages.access import ActorRequest, staff_event_view
from tournament.core.pages.list_reading import ListParsingChoices, list_date_order_choices, list_encoding_choices
from tournament.core.pages.responses import domain_errors_as_form_errors
from tournament.core.tables.lists import export_rows
from tournament.intake import LIST_FILE_LIMITS, accepts_files
from tournament.lazy_text import text_from_json
from tournament.models import Event, ImportBatch, ImportRow
from tournament.registration.selectors.entries import make_side_choices
from tournament.registration.selectors.imported_lists import (
    list_ignored_columns,
    load_import_batch,
    load_row_parsing_context,
    parse_import_row,
    read_column_mapping,
)
from tournament.registration.services.imported_lists import (
    correct_import_row,
    import_valid_rows,
    record_imported_payments,
    reparse_uploaded_list,
    resolve_import_row,
    set_column_mapping,
    store_uploaded_list,
)
from tournament.spreadsheets import ENTRY_LIST_FIELDS, RowParsingContext, guess_columns_by_headings
from tournament.spreadsheets.cells import PaymentKind
from tournament.templatetags.gin import money

Verdict = ImportRow.Verdict
ROWS_PER_PAGE = 50


class _ColumnsForm(forms.Form):
    """A form in which the user chooses the meaning of each column in the list."""

    def __init__(self, *args: Any, headers: list[str], mapping: Mapping[str, int], **options: Any) -> None:
        super().__init__(*args, **options)
        meant = {place: name for name, place in mapping.items()}
        choices = [
            ("", _("– leave out –")),
            *((name, str(label)) for name, (label, _known) in ENTRY_LIST_FIELDS.items()),
        ]
        for place, header in enumerate(headers):
            self.fields[f"column-{place}"] = forms.ChoiceField(
                label=header or _("(no heading)"), choices=choices, required=False, initial=meant.get(place, "")
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = [name for name in cleaned.values() if name]
        if len(chosen) != len(set(chosen)):
            raise forms.ValidationError(_("Two columns have the same meaning. Leave one of them out."))
        return cleaned

    def mapping(self) -> dict[str, int]:
        return {name: int(key.removeprefix("column-")) for key, name in self.cleaned_data.items() if name}


class _RowForm(forms.Form):
    def __init__(self, *args: Any, headers: list[str], cells: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        for place, (header, cell) in enumerate(zip(headers, cells, strict=False)):
            self.fields[f"cell-{place}"] = forms.CharField(
                label=header or _("(no heading)"), required=False, initial=cell, max_length=2000, strip=False
            )

    def cells(self) -> list[str]:
        return [self.cleaned_data[name] for name in self.fields]


@accepts_files(LIST_FILE_LIMITS)
@staff_event_view("desk")
def upload_list(request: ActorRequest, event: Event) -> HttpResponse:
    form = ListUploadForm(request.POST or None, request.FILES or None, label=_("List of entries"))
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            batch = store_uploaded_list(event, *form.get_name_and_content(), by=request.actor)
            return _redirect_to_preview(event, batch)
    context = {"form": form, "batches": event.imports.all()[:20]}
    return render(request, "tournament/registration/imports/console.html", context, status=422 if form.errors else 200)


@staff_event_view("desk")
def preview_list(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Show how an uploaded list was parsed, what importing each row will do, and which rows need corrections."""
    batch = load_import_batch(event, pk)
    every = list(batch.rows.values_list("verdict", "cells"))
    cells = [row for _verdict, row in every]
    counts = Counter(verdict for verdict, _row in every)
    default = Verdict.LOOK if counts[Verdict.LOOK] and not counts[Verdict.NEW] else ""
    only = request.GET.get("only", default)
    rows = batch.rows.select_related("entrant")
    if only in Verdict.values:
        rows = rows.filter(verdict=only)
    context_of_list = load_row_parsing_context(batch, cells)
    page = Paginator(rows, ROWS_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "batch": batch,
        "columns": _ColumnsForm(headers=batch.headers, mapping=read_column_mapping(batch)),
        "read": [
            (batch.headers[place], str(ENTRY_LIST_FIELDS[name][0]))
            for name, place in read_column_mapping(batch).items()
        ],
        "unread": list_ignored_columns(batch, cells),
        "first_line": []
        if guess_columns_by_headings(batch.headers)
        else [header for header in batch.headers if header],
        "lines": [_make_row_context(event, batch, row, context_of_list) for row in page],
        "page_obj": page,
        "shown": only,
        "counts": [(value, label, counts[value]) for value, label in Verdict.choices if counts[value]],
        "good": counts[Verdict.NEW],
        "looks": counts[Verdict.LOOK],
        "imported": counts[Verdict.IMPORTED],
        "pays": counts[Verdict.PAYS],
        "reading": _describe_reading(batch, context_of_list, cells, is_begun=counts[Verdict.IMPORTED] > 0),
        "key": uuid.uuid4().hex,
    }
    return render(request, "tournament/registration/imports/preview.html", context)


def _describe_reading(
    batch: ImportBatch, context: RowParsingContext, rows: list[list[str]], *, is_begun: bool
) -> ListParsingChoices:
    """Return how the list was parsed, which choices staff still have to make, and the alternatives for each choice.

    Once a row has been imported (`is_begun`), the file can no longer be parsed in another way.
    """
    doubted, is_fixed = batch.doubted_encodings.split(), is_begun or not batch.content
    place = read_column_mapping(batch).get("at", -1)
    dates = [cells[place] for cells in rows if 0 <= place < len(cells)]
    return ListParsingChoices(
        batch.encoding,
        batch.delimiter,
        encodings=()
        if is_fixed
        else list_encoding_choices(bytes(batch.content or b""), batch.encoding, doubted, batch.delimiter or ","),
        asks_encoding=bool(doubted),
        orders=list_date_order_choices(dates, context.order) if not context.order_is_sure or batch.order else (),
        asks_order=not context.order_is_sure,
        sheet=batch.sheet,
        sheets=() if is_fixed else batch.sheets.split("\n") if "\n" in batch.sheets else (),
    )


@require_POST
@staff_event_view("desk")
def change_list_parsing(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Parse the list again with another encoding, date order, or sheet."""
    batch = load_import_batch(event, pk)
    chosen = {name: request.POST.get(name, "")[:100] for name in ("encoding", "sheet", "order")}
    reparse_uploaded_list(batch, by=request.actor, **chosen)
    messages.success(request, _("The list is read as you chose. Every row was checked again."))
    return _redirect_to_preview(event, batch)


@require_POST
@staff_event_view("desk")
def record_listed_payments(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Record the listed payments of players who have already been entered."""
    batch = load_import_batch(event, pk)
    recorded = record_imported_payments(batch, by=request.actor, key=request.POST.get("key", "")[:100])
    messages.success(request, _("Payments recorded: %(n)s.") % {"n": recorded})
    return _redirect_to_preview(event, batch)


BADGE_TONE_BY_VERDICT = {
    "new": "good",
    "pays": "good",
    "there": "plain",
    "look": "wait",
    "blank": "plain",
    "imported": "good",
    "dropped": "plain",
}


def _make_row_context(event: Event, batch: ImportBatch, row: ImportRow, context: RowParsingContext) -> dict[str, Any]:
    reading = parse_import_row(batch, row, context)
    levels = {remark["level"] for remark in row.remarks}
    side = dict(make_side_choices(event)).get(reading.side, "")
    hidden = _("only the initials in public") if not all(reading.shows_names) else ""
    return {
        "row": row,
        "tone": BADGE_TONE_BY_VERDICT[row.verdict],
        "name": " / ".join(reading.names) or _("(no name)"),
        "contact": " · ".join(filter(None, (reading.email, reading.phone, reading.club, reading.site, side, hidden))),
        "money": _describe_payment(event, reading),
        "notes": reading.notes,
        "entered": date_format(reading.moment, "DATE_FORMAT") if reading.moment else "",
        "has_one_name": len({remark.get("entry", 0) for remark in row.remarks} - {0}) == 1,
        "is_doubt": row.verdict == Verdict.LOOK and levels and "mend" not in levels,
        "can_mend": row.verdict in (Verdict.LOOK, Verdict.NEW, Verdict.PAYS),
        "is_dropped": row.verdict == Verdict.DROPPED,
        "remarks": _list_remarks(row),
        "cells": list(zip(batch.headers, row.cells, strict=False)),
    }


def _list_remarks(row: ImportRow) -> list[str]:
    """Return the remarks on an imported row in the user's language.

    Rows from older versions of the program have only English remarks.
    """
    # The page asks for the order of day and month only once, above the rows.
    remarks = [remark for remark in row.remarks if remark["code"] != "unclear-date"]
    return [str(text_from_json(remark.get("said", remark["text"]))) for remark in remarks]


def _describe_payment(event: Event, reading: Any) -> str:
    amount, currency = reading.amount, event.tournament.currency
    if amount.kind == PaymentKind.COMPLIMENTARY:
        return _("complimentary")
    if not amount.cents:
        return _("nothing paid yet")
    how = " ".join(part for part in (reading.method, reading.reference) if part)
    early = f", {_('early-bird')}" if amount.kind == PaymentKind.EARLY else ""
    return f"{_('paid')} {money(amount.cents, currency)} ({how}{early})"


@require_POST
@staff_event_view("desk")
def set_list_columns(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    batch = load_import_batch(event, pk)
    form = _ColumnsForm(request.POST, headers=batch.headers, mapping=read_column_mapping(batch))
    if form.is_valid():
        set_column_mapping(batch, form.mapping(), by=request.actor)
        messages.success(request, _("Columns are set. Every row was checked again."))
    else:
        messages.error(request, " ".join(str(error) for error in form.non_field_errors()) or _("Choose again."))
    return _redirect_to_preview(event, batch)


@require_POST
@staff_event_view("desk")
def import_list(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    batch = load_import_batch(event, pk)
    hides = "names_asked" in request.POST and "show_names" not in request.POST
    key = request.POST.get("key", "")[:100]
    entered = import_valid_rows(batch, by=request.actor, key=key, hides_names=hides)
    messages.success(request, _("Entered: %(n)s.") % {"n": entered})
    return _redirect_to_preview(event, batch)


@staff_event_view("desk")
def edit_list_row(request: ActorRequest, event: Event, pk: int, number: int) -> HttpResponse:
    batch = load_import_batch(event, pk)
    row = get_object_or_404(batch.rows.select_related("batch__event__tournament"), number=number)
    form = _RowForm(request.POST or None, headers=batch.headers, cells=row.cells)
    if request.method == "POST" and form.is_valid():
        with domain_errors_as_form_errors(form):
            row = correct_import_row(row, form.cells(), by=request.actor)
            if row.verdict != Verdict.LOOK:
                messages.success(
                    request, _("Row %(n)s: %(verdict)s.") % {"n": number, "verdict": row.get_verdict_display()}
                )
                return _redirect_to_preview(
                    event, batch, only=Verdict.LOOK if batch.rows.filter(verdict=Verdict.LOOK).exists() else ""
                )
    return render(
        request,
        "tournament/registration/imports/row.html",
        {"batch": batch, "row": row, "remarks": _list_remarks(row), "form": form},
    )


@require_POST
@staff_event_view("desk")
def resolve_list_row(request: ActorRequest, event: Event, pk: int, number: int) -> HttpResponse:
    batch = load_import_batch(event, pk)
    row = get_object_or_404(batch.rows.select_related("batch__event__tournament"), number=number)
    resolve_import_row(row, request.POST.get("act", ""), by=request.actor)
    return _redirect_to_preview(event, batch, only=request.POST.get("only", ""))


@staff_event_view("desk")
def download_unimported_rows(request: ActorRequest, event: Event, pk: int) -> HttpResponse:
    """Download a CSV file of the rows that were not entered, with the reasons in the last column."""
    batch = load_import_batch(event, pk)
    remaining = batch.rows.filter(verdict=Verdict.LOOK)
    rows = [[*batch.headers, _("Reason")], *([*row.cells, " ".join(_list_remarks(row))] for row in remaining)]
    return export_rows("csv", rows, f"{event.slug}-to-mend")


def _redirect_to_preview(event: Event, batch: ImportBatch, only: str = "") -> HttpResponse:
    tournament = event.tournament.slug
    response = redirect("tournament:desk_import_preview", tournament=tournament, event=event.slug, pk=batch.pk)
    if only in Verdict.values:
        response["Location"] += f"?only={only}"
    return response
