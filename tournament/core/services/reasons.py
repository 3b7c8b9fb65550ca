"""Refuse acts that need a reason and have none."""

from django.utils.translation import gettext as _

from tournament.errors import DomainError


def refuse_without(reason: str, said: str = "") -> None:
    if not reason.strip():
        raise DomainError("reason-needed", said or _("Write the reason. It stays on record."), field="reason")
