"""The base for all reading and writing.

Every write goes through `writing`, which locks the event and adds a row to the log. After the commit, it notifies live
pages that follow the topics it changed. The package also contains permissions, view decorators, background jobs, CSV
and XLSX files, and PDF drawing.

Public: selectors, permissions, dispatch, middleware, cached, topics, marks, services, forms, tables, pdf, pages.
"""
