"""A director rules on a dispute: previewed first, then done exactly as shown. Penalties, appeals, and the public
register.

Public: selectors, services, tables, pages.
"""
