"""Results that the desk enters: a decided match, the totals of a table, an entrant who leaves the event.

A later result supersedes an earlier one. The stage of the match knows which later rounds it affects.

Public: selectors, services, forms, tables.
"""
