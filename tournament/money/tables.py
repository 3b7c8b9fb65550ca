from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import django_tables2 as tables
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tournament.core.tables.names import NAME
from tournament.models import Event
from tournament.purse import Account, add_accounts
from tournament.templatetags.gin import money


@dataclass(frozen=True, slots=True)
class CheckInRow:
    number: int
    name: str
    club: str
    arrived: bool
    account: Account
    methods: str

    @property
    def owed(self) -> int:
        return self.account.owed_cents

    @property
    def paid(self) -> int:
        return self.account.kept_cents

    @property
    def due(self) -> int:
        return self.account.balance_cents


MONEY = {kind: {"class": "is-money is-narrow"} for kind in ("th", "td", "tf")}
WRAPPING = {kind: {"class": "is-money"} for kind in ("th", "td", "tf")}


def _sum(name: str) -> "Callable[[CheckInTable], str]":
    return lambda table: money(getattr(table.sums, name), table.currency)


def _due_of_all(table: "CheckInTable") -> str:
    """What is still to pay and what is to be handed back: one never hides the other."""
    sums = table.sums
    each = ((sums.due_cents, _t("to pay")), (sums.refund_due_cents, _t("to hand back")))
    return ", ".join(f"{money(cents, table.currency)} {word}" for cents, word in each if cents) or _t("settled")


class CheckInTable(tables.Table):
    number = tables.Column(verbose_name=_("No."))
    name = tables.Column(verbose_name=_("Name"), footer=_("All"), attrs=NAME)
    arrived = tables.Column(
        verbose_name=_("Arrived"), attrs={"td": {"class": "is-narrow"}}, footer=lambda table: table.arrived_of_all
    )
    owed = tables.Column(verbose_name=_("Owed"), footer=_sum("owed_cents"), attrs=MONEY)
    paid = tables.Column(verbose_name=_("Paid"), footer=_sum("kept_cents"), attrs=MONEY)
    due = tables.Column(verbose_name=_("Due"), footer=_due_of_all, attrs=WRAPPING)
    methods = tables.Column(verbose_name=_("How"), orderable=False)

    class Meta:
        order_by = "number"
        caption = _("Players, with what they owe and paid")

    def __init__(self, rows: list[CheckInRow], *, event: Event, request: Any) -> None:
        self.sums = add_accounts(row.account for row in rows)
        self.arrived_of_all = f"{sum(row.arrived for row in rows)} / {len(rows)}"
        self.currency = event.tournament.currency
        slugs = {"tournament": event.tournament.slug, "event": event.slug}
        self.arrive_url = reverse("tournament:desk_arrived", kwargs=slugs)
        self.money_url = reverse("tournament:desk_money", kwargs={**slugs, "number": 0})
        self.token = get_token(request)
        super().__init__(rows)

    def render_name(self, record: CheckInRow) -> SafeString:
        url = self.money_url.replace("/0/", f"/{record.number}/")
        return format_html(
            '<span><a href="{}"><strong>{}</strong></a> <span class="second">{}</span></span>',
            url,
            record.name,
            record.club,
        )

    def render_arrived(self, record: CheckInRow) -> SafeString:
        word, sign, act = (_t("Arrived"), "✓", "0") if record.arrived else (_t("Mark arrived"), "", "1")
        return format_html(
            '<form method="post" action="{}"><input type="hidden" name="csrfmiddlewaretoken" value="{}">'
            '<input type="hidden" name="number" value="{}"><input type="hidden" name="arrived" value="{}">'
            '<button class="btn {}" id="arrived-{}" aria-label="{}: {}">{} {}</button></form>',
            self.arrive_url,
            self.token,
            record.number,
            act,
            "btn-secondary" if record.arrived else "btn-primary",
            record.number,
            record.name,
            word,
            sign,
            word,
        )

    def render_owed(self, value: int) -> str:
        return money(value, self.currency)

    render_paid = render_owed

    def render_due(self, value: int, record: CheckInRow) -> SafeString | str:
        if not value:
            return format_html('<span class="second">{} ✓</span>', _t("settled"))
        word = _t("to pay") if value > 0 else _t("to hand back")
        return format_html("<strong>{}</strong> {}", money(abs(value), self.currency), word)

    def value_arrived(self, record: CheckInRow) -> str:
        return _t("yes") if record.arrived else _t("no")

    def value_name(self, record: CheckInRow) -> str:
        return record.name

    def value_due(self, record: CheckInRow) -> str:
        return money(record.due, self.currency)
