"""Money as files: lists for a spreadsheet, and the ledger for accounting programs."""

from collections.abc import Callable
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournament.core.pages.access import ActorRequest, console_event
from tournament.core.tables.exports import TYPES, amount, as_file
from tournament.models import CardEvent, Event, SidePool
from tournament.money.console.tournament_lists import TOURNAMENT_LISTS, Rows, posting_rows
from tournament.money.selectors.accounting import Ledger, balances_of
from tournament.money.selectors.card_events import card_events_of, card_events_without_entry, settled_card_events
from tournament.money.selectors.expenses import other_money_of
from tournament.money.selectors.extras import load_extras
from tournament.money.selectors.movements import side_pool_of
from tournament.money.selectors.prizes import load_prizes
from tournament.money.selectors.side_pools import load_side_pools
from tournament.money.selectors.withheld import what_for, withheld_of
from tournament.money.words import journal_entries, told_label
from tournament.purse.ledger.journal import SYNTAXES, write_journal
from tournament.templatetags.gin import local_day_time


@console_event("direct")
def accounting(request: ActorRequest, event: Event) -> HttpResponse:
    balances = balances_of(Ledger(event.tournament, event))
    slugs = {"tournament": event.tournament.slug, "event": event.slug}
    context = {
        "balances": balances,
        "sum": sum(cents for _name, cents in balances),
        "pages": [(label, reverse(f"tournament:{page}", kwargs=slugs)) for page, label in PAGES.items()],
        "lists": [(slug, label) for slug, (label, _rows) in LISTS.items()],
    }
    return render(request, "tournament/money/accounting.html", context)


@console_event("direct")
def journal(request: ActorRequest, event: Event, scope: str, program: str) -> StreamingHttpResponse:
    """Stream the ledger of the event or the whole tournament as a file for hledger or Beancount."""
    if program not in SYNTAXES or scope not in ("event", "tournament"):
        raise Http404
    syntax, tournament = SYNTAXES[program], event.tournament
    ledger = Ledger(tournament, event if scope == "event" else None)
    title = f"{tournament.name}, {event.name}" if scope == "event" else tournament.name
    lines = write_journal(journal_entries(ledger), syntax, title=title, unit=ledger.unit)
    answer = StreamingHttpResponse((f"{line}\n".encode() for line in lines), content_type="text/plain; charset=utf-8")
    about = f"{tournament.slug}-{event.slug}" if scope == "event" else tournament.slug
    answer["Content-Disposition"] = f'attachment; filename="{_file_name(f"{about}-ledger", event)}.{syntax.ending}"'
    return answer


@console_event("direct")
def money_list(request: ActorRequest, event: Event, listed: str, kind: str) -> HttpResponse:
    """Download a list that no page exports."""
    if listed not in LISTS or kind not in TYPES:
        raise Http404
    _label, rows = LISTS[listed]
    return as_file(kind, list(rows(event)), _file_name(f"{event.slug}-{listed}", event))


def _file_name(about: str, event: Event) -> str:
    """Return a file name with the time of the export, because an accountant keeps several."""
    at = timezone.now().astimezone(ZoneInfo(event.tournament.time_zone))
    return f"{about}-{at:%Y-%m-%d-%H%M}"


def _prizes(event: Event) -> Rows:
    """Yield each prize with what was paid and what is still open. A negative open amount is to be returned."""
    yield [
        *(_("Place"), _("No."), _("Name"), _("Prize"), _("Paid out"), _("Still to pay"), _("Side pool")),
        *(_("Withheld"), _("Handed over")),
    ]
    for row in load_prizes(event).rows:
        amounts = (row.cents, row.paid_cents, row.cents - row.paid_cents)
        kept = (amount(cents, event.tournament.currency) for cents in (row.withheld_cents, row.handed_cents))
        about = [row.place, row.number, row.name, *(amount(cents, event.tournament.currency) for cents in amounts)]
        yield [*about, _pool(row.pool), *kept]


def _payouts(event: Event) -> Rows:
    yield [
        *(_("When"), _("No."), _("Name"), _("Amount"), _("How"), _("Reason"), _("Recorded by"), _("Side pool")),
        *(_("Withheld"), _("Withheld for"), _("Handed over")),
    ]
    for row in event.paid_out.select_related("entrant", "of_pool__pool", "withholding").order_by("pk"):
        sign = -1 if row.reverses_id is not None else 1
        withheld = withheld_of(row)
        about = [local_day_time(row.at, event.tournament), row.entrant.number, row.entrant.name]
        yield [
            *about,
            amount(sign * row.cents, event.tournament.currency),
            row.get_method_display(),
            row.reason,
            row.by_name,
            _pool(side_pool_of(row)),
            amount(sign * withheld, event.tournament.currency),
            what_for([row]),
            amount(sign * (row.cents - withheld), event.tournament.currency),
        ]


def _side_pools(event: Event) -> Rows:
    yield [_("Side pool"), _("No."), _("Name"), _("Fee"), _("Paid")]
    for state in load_side_pools(event):
        for one in state.entrants:
            about = [state.pool.name, one.number, one.name]
            yield [
                *about,
                amount(one.fee_cents, event.tournament.currency),
                amount(one.paid_cents, event.tournament.currency),
            ]


def _extras(event: Event) -> Rows:
    yield [_("Extra"), _("No."), _("Name"), _("Price"), _("Paid")]
    for state in load_extras(event):
        for one in state.sold:
            about = [state.extra.name, one.number, one.name]
            yield [
                *about,
                amount(one.cents, event.tournament.currency),
                amount(one.paid_cents, event.tournament.currency),
            ]


def _pool(pool: SidePool | None) -> str:
    return pool.name if pool is not None else ""


def _other_money(event: Event) -> Rows:
    yield [
        *(_("Receipt"), _("When"), _("What"), _("Category"), _("Amount"), _("How"), _("Reference")),
        *(_("Paid to or from"), _("Recorded by"), _("Reversed")),
    ]
    for row in other_money_of(event).order_by("pk"):
        undone = _("yes") if hasattr(row, "reversed_by") else _("no")
        about = [row.movement.receipt, local_day_time(row.at, event.tournament), row.get_kind_display(), row.category]
        how = [row.get_method_display(), row.reference, row.party, row.by_name]
        yield [*about, amount(row.cents, event.tournament.currency), *how, undone]


def _card_payments(event: Event) -> Rows:
    tournament = event.tournament
    yield [
        *(_("When"), _("No."), _("Name"), _("What"), _("Reference"), _("Amount"), _("Currency")),
        *(_("Receipt"), _("State"), _("Note")),
    ]
    unknown = card_events_without_entry(tournament).filter(line=None)
    for row in (*card_events_of(event), *settled_card_events(event), *unknown):
        line = row.line
        entrant = row.payment.entrant if row.payment is not None else line.entrant if line is not None else None
        whose = [entrant.number, entrant.name] if entrant is not None else ["", ""]
        about = [local_day_time(row.at, tournament), *whose, told_label(row), _provider_reference(row)]
        currency = row.currency or tournament.currency
        receipt = line.movement.receipt if line is not None else ""
        yield [*about, amount(row.cents, currency), currency, receipt, row.get_state_display(), row.note]


def _provider_reference(row: CardEvent) -> str:
    return row.payment.ident if row.payment is not None else row.ident


def _postings(event: Event) -> Rows:
    return posting_rows(Ledger(event.tournament, event))


PAGES: Final = {
    "desk_payments": gettext_lazy("Payments"),
    "desk_ledger": gettext_lazy("Ledger"),
    "desk_transfers": gettext_lazy("Bank transfers"),
}
"""Pages that export what they show."""
LISTS: Final[dict[str, tuple[Any, Callable[[Event], Rows]]]] = {
    "postings": (gettext_lazy("Ledger by account"), _postings),
    "card-payments": (gettext_lazy("Card payments"), _card_payments),
    "expenses": (gettext_lazy("Expenses, added money and tax remittances"), _other_money),
    "prizes": (gettext_lazy("Prizes"), _prizes),
    "payouts": (gettext_lazy("Payouts"), _payouts),
    "side-pools": (gettext_lazy("Side pools"), _side_pools),
    "extras": (gettext_lazy("Extras"), _extras),
    **TOURNAMENT_LISTS,
}
