"""An event is finished, ended early, or opened again. What is still open is shown first.

Public: selectors, services, pdf.
"""
