"""Back up the whole installation automatically, and restore it from a backup.

A backup is one file that contains the database and the installation's secrets. The worker makes one at every milestone,
and every few minutes while data is being written. Each backup is also copied to a USB stick or another disk, and
expired backups are deleted.

Public: selectors, services.
"""
