from django.db import models


class SecretDigest(models.Model):
    """By which secrets this database is served, as digests: a server that has other ones is not to be started."""

    name = models.CharField(max_length=20, primary_key=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.name
