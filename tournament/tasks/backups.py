"""The task that makes a backup. The worker queues it every few seconds, and so does the button *Back up now*."""

import logging

from celery import shared_task

from tournament.backups.services import BackupFailed, make_backup

logger = logging.getLogger(__name__)


@shared_task(name="tournament.make_backup")
def make_backup_task(only_if_due: bool = True) -> None:
    try:
        make_backup(only_if_due=only_if_due)
    except BackupFailed as error:
        logger.warning("backup: %s", error)
