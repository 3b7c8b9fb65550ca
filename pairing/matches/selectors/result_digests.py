"""What the log keeps of a result, so that one that was changed later shows."""

import hashlib
from datetime import UTC
from typing import Any

import rfc8785

from pairing.models import MatchResult


def result_digest(result: MatchResult) -> str:
    """SHA-256 over all that is known of it (RFC 8785): of which match, what each gets, the score, by whom and when.

    What it undoes is part of it only where it undoes something, as of results before that was kept.
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
