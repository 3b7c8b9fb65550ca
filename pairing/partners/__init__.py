"""The blind draw of partners: the list is sealed, cut, drawn, posted, and checked by anybody.

The room also offers the eliminated players of one event for its second-chance event.

Public: selectors.
"""
