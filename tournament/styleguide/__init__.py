"""Every component of the site on one page, with made-up people.

Public: nothing but its pages.
"""
