"""The findings of `verify_event`, of every part of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was computed again, whether it is as it is on record, and what it was."""

    what: str
    good: bool
    found: str
