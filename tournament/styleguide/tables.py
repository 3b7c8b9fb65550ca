"""A table like those of the desk, for the style guide."""

import django_tables2 as tables


class SampleTable(tables.Table):
    number = tables.Column(verbose_name="No.", attrs={"th": {"class": "is-number"}, "td": {"class": "is-number"}})
    name = tables.Column(verbose_name="Name")
    club = tables.Column(verbose_name="Club or city")
    state = tables.Column(verbose_name="State")
    owed = tables.Column(verbose_name="Owes", attrs={"th": {"class": "is-money"}, "td": {"class": "is-money"}})

    caption = "Entrants"
    row_header = "name"
    search_field = "q"
    search_label = "Search names"
    export_links = ({"label": "CSV", "url": "#csv"}, {"label": "XLSX", "url": "#xlsx"})
