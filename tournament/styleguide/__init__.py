"""A style guide page with every component of the site and made-up people.

Public: nothing but its pages.
"""
