"""The infrastructure that the rest of the program uses to read and write data.

Every write goes through `writing`, which locks the event and adds a row to the log. After the commit, it notifies live
pages that follow the changed topics. The package also contains permissions, view decorators, background jobs, CSV and
XLSX files, and PDF drawing.

Public: selectors, permissions, dispatch, middleware, cached, topics, marks, services, forms, tables, words, pdf, pages.
"""
