"""The director's rulings on disputes, previewed first and then applied exactly as shown.

The room also has penalties, appeals, and the public register.

Public: selectors, services, tables, pages.
"""
