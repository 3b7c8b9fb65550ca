"""The base that every write and every page needs.

A write goes through `writing`, which locks the event and adds a row to the log. After the commit it wakes the live
pages that follow one of the topics it touched. The room also has permissions, view decorators, background jobs, CSV
and XLSX files, and PDF drawing.

Public: selectors, permissions, dispatch, middleware, cached, topics, marks, services, forms, tables, pdf, pages.
"""
