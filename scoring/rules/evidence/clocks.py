"""The clock of a posted card: the minutes for corrections, requests for a ruling and appeals before it is final."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

USUAL_MINUTES: Final = 30
MOST_MINUTES: Final = 7 * 24 * 60


class Second(StrEnum):
    """The second step that an entry by staff needs before it counts."""

    NONE = "none"
    APPROVAL = "approve"
    """Another person approves the entry."""
    REKEY = "rekey"
    """Another person types the entry again, without seeing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTerms:
    """The minutes from posting for corrections, rulings and appeals.

    A card is final when the longest of the three is over and nothing about it is open.

    >>> ClockTerms(appeals=60).longest
    60
    """

    corrections: int = USUAL_MINUTES
    rulings: int = USUAL_MINUTES
    appeals: int = USUAL_MINUTES
    second: Second = Second.NONE

    @property
    def longest(self) -> int:
        return max(self.corrections, self.rulings, self.appeals)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "second": str(self.second)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ClockTerms":
        """Read what `as_json` wrote. A missing value takes its default."""
        minutes = {name: int(data.get(name, USUAL_MINUTES)) for name in ("corrections", "rulings", "appeals")}
        return cls(**minutes, second=Second(data.get("second", Second.NONE)))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a card posted at `posted_at` (aware). `held` means that a ruling or an appeal about it is open.

    >>> from datetime import UTC
    >>> clock = Clock(datetime(2026, 11, 27, 14, 3, tzinfo=UTC), ClockTerms(corrections=20))
    >>> clock.corrections_until.strftime("%H:%M"), clock.final_at.strftime("%H:%M")
    ('14:23', '14:33')
    """

    posted_at: datetime
    terms: ClockTerms
    held: bool = False

    @property
    def corrections_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.corrections)

    @property
    def rulings_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.rulings)

    @property
    def appeals_until(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.appeals)

    @property
    def ends_together(self) -> bool:
        """Whether corrections, rulings and appeals all end when the card becomes final."""
        return self.corrections_until == self.rulings_until == self.appeals_until

    @property
    def final_at(self) -> datetime:
        return self.posted_at + timedelta(minutes=self.terms.longest)

    def is_final(self, now: datetime) -> bool:
        """Return whether the card is final. The moment at which the last period ends is included."""
        return not self.held and now >= self.final_at

    def takes_corrections(self, now: datetime) -> bool:
        return now < self.corrections_until
