"""The blind draw of partners: the list is sealed, cut, drawn, posted, and checked by anybody.

Here is also who may enter a second-chance event.

Public: selectors.
"""
