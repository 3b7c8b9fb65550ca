"""The digest of a result that the log stores, so that a later change of the row can be detected."""

import hashlib
from datetime import UTC
from typing import Any

import rfc8785

from pairing.models import MatchResult


def result_digest(result: MatchResult) -> str:
    """Return the SHA-256 of the whole row in canonical JSON (RFC 8785).

    `undoes` is included only where it is set, because the digests of older results do not have it.
    """
    content: dict[str, Any] = {
        "match": result.match_id,
        "winner": result.winner_id,
        "credits": result.credits,
        "score": result.score,
        "supersedes": result.supersedes_id,
        "at": result.at.astimezone(UTC).isoformat(timespec="microseconds"),
        "by": result.by_name,
        "reason": result.reason,
    }
    if result.undoes_id is not None:
        content["undoes"] = result.undoes_id
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()
