"""When a posted card becomes final: minutes from its posting for scoring errors, requests for a ruling, and appeals."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

USUAL_MINUTES: Final = 30
MOST_MINUTES: Final = 7 * 24 * 60


class Second(StrEnum):
    """What an entry by staff needs besides before it counts."""

    NONE = "none"
    APPROVAL = "approve"
    """Another person looks at it."""
    REKEY = "rekey"
    """Another person types it again, without seeing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTerms:
    """Minutes from posting; a card is final when the longest of the three is over and nothing about it is open.

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
        """As `as_json` wrote it; what is not said is as usual."""
        minutes = {name: int(data.get(name, USUAL_MINUTES)) for name in ("corrections", "rulings", "appeals")}
        return cls(**minutes, second=Second(data.get("second", Second.NONE)))


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a card that was posted at that moment (aware). `held`: a ruling or an appeal about it is open.

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
        """When it becomes final, if nothing is open then."""
        return self.posted_at + timedelta(minutes=self.terms.longest)

    def is_final(self, now: datetime) -> bool:
        """From the very moment at which the last period ends."""
        return not self.held and now >= self.final_at

    def takes_corrections(self, now: datetime) -> bool:
        return now < self.corrections_until
