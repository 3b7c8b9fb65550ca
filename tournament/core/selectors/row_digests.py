"""What the log keeps of a row, so that one that was changed in the database later shows."""

import hashlib
import json
from datetime import UTC, datetime
from typing import Any

import rfc8785

from tournament.models.fact import Fact


def row_digest(fact: Fact) -> str:
    """SHA-256 (RFC 8785) of every column of a row: the same before and after the database has had it."""
    return hashlib.sha256(rfc8785.dumps(row_content(fact))).hexdigest()


def row_content(fact: Fact) -> dict[str, Any]:
    """Every column of a row, as its digest covers it."""
    row = {field.attname: getattr(fact, field.attname) for field in fact._meta.concrete_fields}
    found: dict[str, Any] = json.loads(json.dumps(row, default=_plain))
    return found


def moment(at: datetime) -> str:
    """As seals and the log have it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _plain(value: object) -> str:
    return moment(value) if isinstance(value, datetime) else str(value)
