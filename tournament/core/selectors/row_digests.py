"""What the log keeps of a row, so that one that was changed in the database later shows."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import rfc8785
from django.db.models import Model

from tournament.models.fact import Fact


def row_digest(fact: Fact) -> str:
    """SHA-256 (RFC 8785) of every column of a row: the same before and after the database has had it."""
    return _digest(row_content(fact))


def columns_digest(row: Model, columns: Sequence[str]) -> str:
    """SHA-256 (RFC 8785) of those columns that never change, of a row whose others do."""
    return _digest(_as_json({column: getattr(row, column) for column in columns}))


def row_content(fact: Fact) -> dict[str, Any]:
    """Every column of a row, as its digest covers it."""
    return _as_json({field.attname: getattr(fact, field.attname) for field in fact._meta.concrete_fields})


def _digest(content: dict[str, Any]) -> str:
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()


def _as_json(columns: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(columns, default=_plain))
    return found


def moment(at: datetime) -> str:
    """As seals and the log have it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _plain(value: object) -> str:
    return moment(value) if isinstance(value, datetime) else str(value)
