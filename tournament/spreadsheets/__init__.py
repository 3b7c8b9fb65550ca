"""Read lists of registrations: the bytes of a CSV or XLSX file become clean rows with remarks.

    bytes ──read_list──► headers and rows ──guess_columns──► mapping ──read_row──► RowReading

This package uses no database. `tournament.registration.services.imported_lists` checks whether a person has
already entered.
"""

from tournament.spreadsheets.columns import FIELDS, guess_columns, guess_columns_by_content, mapped
from tournament.spreadsheets.letters import codes_of, not_on_paper
from tournament.spreadsheets.names import (
    email_key,
    name_key,
    proposed_of_entry,
    proposed_sort_name,
    site_named,
    sort_key,
    tidy,
    turned_around,
)
from tournament.spreadsheets.reading import UnreadableList, read_list
from tournament.spreadsheets.rows import Remark, RowReading, Wanted, read_row
