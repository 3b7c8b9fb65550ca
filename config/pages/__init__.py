"""Additions to Django for a page process, independent of the front process."""
