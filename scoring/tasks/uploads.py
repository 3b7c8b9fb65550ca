"""The tasks that check and import uploaded tournament files, and delete expired ones."""

from celery import shared_task

from scoring.archive.services.uploads import carry_out_import, check_upload, delete_expired_uploads


@shared_task(name="scoring.check_upload")
def check_upload_task(token: str) -> None:
    check_upload(token)


@shared_task(name="scoring.import_upload")
def import_upload_task(token: str) -> None:
    carry_out_import(token)


@shared_task(name="scoring.delete_expired_uploads")
def delete_expired_uploads_task() -> None:
    delete_expired_uploads()
