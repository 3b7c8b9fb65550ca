"""Results by the desk's word: a match decided, a table's totals typed, somebody out of the event.

A later result takes the place of an earlier one. What that touches in later rounds is asked of the stage.

Public: selectors, services, forms, tables, words.
"""
