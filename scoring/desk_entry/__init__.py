"""Entry of paper score cards at the desk, by totals or hand by hand, with confirmation by a second official.

Public: services.
"""
