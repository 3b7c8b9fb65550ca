"""Store printed PDFs, photos and certificates in an S3 store (the extra “s3”)."""

from typing import Any

from botocore.config import Config
from storages.backends.s3 import S3Storage

from config.storage.away import StorageOutageMixin


class S3FileStorage(StorageOutageMixin, S3Storage):
    def __init__(self, **options: Any) -> None:
        # A photo is sent while its event is locked, so the timeouts are short. Stores other than Amazon's support
        # neither the bucket as a subdomain nor the newest checksums.
        config = Config(
            connect_timeout=2,
            read_timeout=4,
            retries={"total_max_attempts": 2, "mode": "standard"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path" if options.get("endpoint_url") else "auto"},
        )
        super().__init__(client_config=config, **options)
