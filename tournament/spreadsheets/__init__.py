"""Parse lists of registrations: turn the bytes of a CSV or XLSX file into clean rows with remarks.

    bytes ──parse_spreadsheet──► headers and rows ──guess_columns──► mapping ──parse_entry_row──► ParsedRow

This package uses no database. `tournament.registration.services.imported_lists` checks who has already entered.
"""

from tournament.spreadsheets.columns import (
    ENTRY_LIST_FIELDS,
    guess_columns_by_content,
    guess_columns_by_headings,
    map_cells_by_field,
)
from tournament.spreadsheets.letters import find_unprintable_letters, format_letter_codes
from tournament.spreadsheets.names import (
    email_key,
    find_site_by_name,
    name_key,
    normalize_text,
    parse_last_name_first,
    propose_entry_sort_name,
    propose_sort_name,
    sort_key,
)
from tournament.spreadsheets.reading import UnreadableList, parse_spreadsheet
from tournament.spreadsheets.rows import ParsedRow, RowParsingContext, RowRemark, parse_entry_row
