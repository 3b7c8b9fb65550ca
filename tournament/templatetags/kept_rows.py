"""Render a row of a long list once for each content: `{% kept_row "rows/of_this.html" row what=what %}`.

A hall has 128 tables, and a result changes one of their rows. The template gets `row`, the arguments of the tag,
`tournament` and `event`, and nothing else of the page. Two placeholders are filled in on each page. `{{ token_here }}`
is the hidden field of a form. `{{ since_here }}` is the time in `row.since` and how long ago it was.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple

from django import template
from django.template.loader import get_template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import get_language

from tournament.templatetags.gin import moment

register = template.Library()

ROWS: Final = 2000
"""The size of the caches. A row takes a few hundred bytes, and the longest list has some hundred rows."""
TOKEN: Final = SafeString("<!--token-->")
SINCE: Final = SafeString("<!--since-->")
"""A placeholder. No row can contain one, because typed text is escaped."""


HERE: Final = "kept_row.page"


class _Page(NamedTuple):
    """The values that all rows of a page share."""

    language: str | None
    slugs: tuple[str, str]
    zone: str
    minute: datetime
    token: str


@register.simple_tag(takes_context=True)
def kept_row(context: template.Context, name: str, row: Mapping[str, Any], **given: str) -> SafeString:
    page = context.render_context.get(HERE)
    if page is None:
        page = context.render_context[HERE] = _page(context)
    fixed = {key: value for key, value in row.items() if key != "since"}
    html = _kept(name, page.language, page.slugs, _frozen(fixed), _frozen(given))
    since = _since(row["since"], page.zone, page.minute, page.language) if row.get("since") else ""
    return SafeString(html.replace(TOKEN, page.token).replace(SINCE, since))


def _page(context: template.Context) -> _Page:
    place, event = context["tournament"], context["event"]
    zone = getattr(place, "time_zone", "")
    return _Page(get_language(), (place.slug, event.slug), zone, _minute(), _token(context))


def _frozen(values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((key, tuple(value) if isinstance(value, list) else value) for key, value in values.items())


@lru_cache(maxsize=ROWS)
def _kept(
    name: str,
    _language: str | None,
    slugs: tuple[str, str],
    row: tuple[tuple[str, Any], ...],
    given: tuple[tuple[str, Any], ...],
) -> str:
    page = {"tournament": {"slug": slugs[0]}, "event": {"slug": slugs[1]}, "token_here": TOKEN, "since_here": SINCE}
    return get_template(name).render({**page, **dict(given), "row": dict(row)})


def _token(context: template.Context) -> str:
    token = context.get("csrf_token")
    return format_html('<input type="hidden" name="csrfmiddlewaretoken" value="{}">', token) if token else ""


def _minute() -> datetime:
    return timezone.now().replace(second=0, microsecond=0)


@lru_cache(maxsize=ROWS)
def _since(at: datetime, zone: str, _minute: datetime, _language: str | None) -> str:
    """Format the time, cached because most tables of a round were called at the same time."""
    return format_html(' <span class="second small">{}, {}</span>', moment(at, zone), timesince(at))
