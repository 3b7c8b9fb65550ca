"""`{% table_rows table %}`: the rows of a list, formatted once (see `tournament.core.tables.fast`)."""

from django import template

from tournament.core.tables.fast import rows_html

register = template.Library()

register.simple_tag(rows_html, name="table_rows")
