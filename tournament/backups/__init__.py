"""Backups of the whole installation: made by themselves, rotated, copied to a second place, and restored.

A backup is one file that contains the database and the installation's secrets. The worker makes one at every milestone,
and every few minutes while something is written.

Public: selectors, services, words.
"""
