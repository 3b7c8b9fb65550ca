"""The infrastructure that the rest of the program uses to read and write data.

Every write goes through `writing`, which locks the event and adds a row to the log. After the commit, `writing`
notifies the open pages that show the changed data. The package also contains permissions, view decorators, background
jobs, CSV and XLSX files, and PDF drawing.

Public: selectors, permissions, dispatch, middleware, cached, topics, marks, services, forms, tables, words, pdf, pages.
"""
