"""The register of rulings as a table."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from scoring.disputes.tables import facts_in_words, plain_title
from scoring.rules.rulings.recommend import asked_facts
from scoring.rulings.selectors.register import Registered
from scoring.rulings.tables.since import said_since
from tournament.core.tables.lists import NAME
from tournament.models import Tournament

APPEALS = {"": "", "waiting": _("appealed"), "upheld": _("upheld on appeal"), "changed": _("changed on appeal")}
REFUSED = _("refused: the rule was applied differently before")


@dataclass(frozen=True, slots=True)
class RegisterRow:
    number: int
    at: datetime
    event: str
    kind: str
    rule: str
    who: str
    facts: str
    ruling: str
    overruled: bool
    reason: str
    appeal: str
    since: tuple[str, ...] = ()
    """Later changes to the ruling's effects, a sentence each."""

    @property
    def ruled(self) -> str:
        return gettext("%s; undone or corrected since") % self.ruling if self.since else self.ruling


def register_row(one: Registered) -> RegisterRow:
    return RegisterRow(
        number=one.ruling.number,
        at=one.ruling.at,
        event=one.event.name,
        kind=plain_title(one.irregularity) if one.irregularity else one.ruling.kind,
        rule=one.ruling.rule,
        who=one.state.between if one.is_named else "",
        facts="; ".join(f"{question} {answer}" for question, answer in facts_said(one)),
        ruling=one.words,
        overruled=one.ruling.overrules,
        reason=one.reason,
        appeal=str(REFUSED if one.is_refused else APPEALS[one.appeal]),
        since=tuple(each.text for each in said_since(one.ruling, one.changed, is_named=one.is_named)),
    )


def facts_said(one: Registered) -> list[tuple[str, str]]:
    kind = one.irregularity
    return facts_in_words(asked_facts(kind), one.ruling.facts, one.names) if kind is not None else []


class RegisterTable(tables.Table):
    number = tables.Column(verbose_name=_("No."), attrs={"td": {"class": "is-narrow"}})
    at = tables.Column(verbose_name=_("Day"))
    event = tables.Column(verbose_name=_("Event"), attrs=NAME)
    kind = tables.Column(verbose_name=_("About"))
    rule = tables.Column(verbose_name=_("Rule"))
    who = tables.Column(verbose_name=_("Between"), attrs=NAME)
    facts = tables.Column(verbose_name=_("Facts"), attrs=NAME, orderable=False)
    ruling = tables.Column(verbose_name=_("Ruling"), attrs=NAME)
    overruled = tables.Column(verbose_name=_("By the rules"), empty_values=())
    appeal = tables.Column(verbose_name=_("Appeal"))

    search_field = "q"
    search_label = _("Find a word")
    row_header = "kind"

    class Meta:
        empty_text = _("There are no rulings yet.")
        order_by = ("-number",)

    def __init__(self, rows: list[RegisterRow], *, tournament: Tournament) -> None:
        self.zone = ZoneInfo(tournament.time_zone)
        address = reverse("scoring:public_ruling", kwargs={"tournament": tournament.slug, "number": 0})
        self.before = address.removesuffix("0/")
        super().__init__(rows, exclude=() if any(row.who for row in rows) else ("who",))

    def render_kind(self, record: RegisterRow) -> SafeString:
        return format_html('<a href="{}{}/">{}</a>', self.before, record.number, record.kind)

    def value_kind(self, record: RegisterRow) -> str:
        return record.kind

    def render_ruling(self, record: RegisterRow) -> str:
        return record.ruled

    def render_at(self, value: datetime) -> str:
        return f"{timezone.localtime(value, self.zone):%Y-%m-%d}"

    def render_overruled(self, record: RegisterRow) -> str:
        if not record.overruled:
            return gettext("yes")
        return gettext("no: %s") % record.reason if record.reason else gettext("no, with a reason")
