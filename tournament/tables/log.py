from __future__ import annotations

import django_tables2 as tables
from django.utils.translation import gettext_lazy as _

from tournament.models import AuditEntry
from tournament.tables.names import NAME

CODE = {"td": {"class": "small is-code"}}


class LogTable(tables.Table):
    seq = tables.Column(verbose_name=_("No."))
    at = tables.DateTimeColumn(verbose_name=_("When"), format="Y-m-d H:i:s")
    by_name = tables.Column(verbose_name=_("Who"), attrs=NAME)
    verb = tables.Column(verbose_name=_("What"), attrs=CODE)
    about = tables.Column(verbose_name=_("About"), attrs=NAME)
    reason = tables.Column(verbose_name=_("Why"), attrs=NAME)
    digest = tables.Column(verbose_name=_("Digest"), attrs=CODE)

    class Meta:
        model = AuditEntry
        fields = ("seq", "at", "by_name", "verb", "about", "reason", "digest")
        order_by = "-seq"
        caption = _("The log, newest first")

    def render_digest(self, value: str) -> str:
        return value[:12]
