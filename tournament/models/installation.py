from django.db import models


class SecretDigest(models.Model):
    """The digest of a secret with which this database is served. A server with other secrets must not start."""

    name = models.CharField(max_length=20, primary_key=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name
