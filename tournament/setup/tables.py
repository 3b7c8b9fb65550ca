"""The table of the log's rows."""

from datetime import datetime

import django_tables2 as tables
from django.utils.html import format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from tournament.core.tables.lists import EXTRA, PERSON
from tournament.models import AuditEntry

CODE = {"td": {"class": "small"}}
DIGEST = {"td": {"class": f"small {EXTRA}"}, "th": {"class": EXTRA}}
REASON = {"td": {"class": "is-text"}}
NUMBER = {"td": {"class": EXTRA}, "th": {"class": EXTRA}}


class LogTable(tables.Table):
    seq = tables.Column(verbose_name=_("No."), attrs=NUMBER)
    at = tables.DateTimeColumn(verbose_name=_("When"), format="Y-m-d H:i:s", attrs={"td": {"class": "is-moment"}})
    by_name = tables.Column(verbose_name=_("Who"), attrs=PERSON)
    verb = tables.Column(verbose_name=_("What"), attrs=CODE)
    about = tables.Column(verbose_name=_("About"), attrs=PERSON)
    reason = tables.Column(verbose_name=_("Reason"), attrs=REASON)
    digest = tables.Column(verbose_name=_("Digest"), attrs=DIGEST)

    class Meta:
        model = AuditEntry
        fields = ("seq", "at", "by_name", "verb", "about", "reason", "digest")
        order_by = "-seq"
        caption = _("The log, newest first")

    def value_at(self, value: datetime) -> datetime:
        return localtime(value).replace(tzinfo=None, microsecond=0)

    def render_verb(self, value: str) -> SafeString:
        """Allow a line break in `card.line` after its dot and nowhere else."""
        return format_html_join(mark_safe(".<wbr>"), "{}", ((part,) for part in value.split(".")))

    def value_verb(self, value: str) -> str:
        return value

    def render_digest(self, value: str) -> str:
        return value[:12]
