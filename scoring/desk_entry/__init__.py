"""The desk types a paper score card, with totals or hand by hand. A second official confirms it.

Public: services.
"""
