"""Results entered at the desk: a decided match, the totals of a table, or an entrant who leaves the event.

A later result supersedes an earlier one. This package also previews and undoes results (`corrections`), adds late
entries, and finishes an event, ends it early, reopens it, or calls it off (`finish`).

Public: selectors, services, forms, tables, pdf, pages.
"""
