"""What every write and every page needs.

A write goes through one door, is locked, and leaves a row in the log. After the commit the live pages learn of it:
those that follow one of the topics it raised.
Here is also who may do what, who asks for which event, background jobs, lists as CSV or XLSX, and the drawing of paper.

Public: selectors, permissions, dispatch, middleware, folded, topics, marks, services, forms, tables, pdf, pages.
"""
