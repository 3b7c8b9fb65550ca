"""The tasks that make backups. Every few seconds, the worker starts the task that checks whether a backup is due."""

import logging

from celery import shared_task

from tournament.backups.services import BackupFailed, make_backup, make_due_backup

logger = logging.getLogger(__name__)


@shared_task(name="tournament.make_due_backup")
def make_due_backup_task() -> None:
    try:
        make_due_backup()
    except BackupFailed as error:
        logger.warning("no backup was made: %s", error)


@shared_task(name="tournament.make_backup_now")
def make_backup_now_task() -> None:
    """Make the backup that a director asked for."""
    try:
        make_backup()
    except BackupFailed as error:
        logger.warning("no backup was made: %s", error)
