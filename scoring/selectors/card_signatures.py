"""What of a card is about its signatures: who has signed what is on it now, whether it counts, and since when."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Self, cast

from scoring.models import CardClosed, CardPosted, CardSeat, CardVersion, SheetLine, Signature

OF_CONTENT: Final = (
    "names",
    "short_names",
    "sheet",
    "named_sheet",
    "tally",
    "named_tally",
    "rows",
    "rules",
    "verdict",
    "content",
    "digest",
)
"""What of a card follows from what is on it alone."""


class CardSignatures:
    """A part of `CardState`."""

    seats: tuple[CardSeat, ...]
    signatures: tuple[Signature, ...]
    postings: tuple[CardPosted, ...]

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        raise NotImplementedError

    @property
    def closing(self) -> CardClosed | None:
        raise NotImplementedError

    @property
    def is_closed(self) -> bool:
        raise NotImplementedError

    @cached_property
    def digest(self) -> str:
        raise NotImplementedError

    @property
    def is_posted(self) -> bool:
        """It counts: posted with exactly what is on it now, or closed."""
        return self.is_closed or any(posted.digest == self.digest for posted in self.postings)

    @property
    def counts_since(self) -> datetime | None:
        """When it was closed, or posted for the last time."""
        if self.is_closed and self.closing is not None:
            return max([self.closing.at, *(line.at for line in self.lines)])
        return self.postings[-1].at if self.postings else None

    @property
    def was_posted(self) -> bool:
        """Posted, and changed since: it counts again once it is signed again."""
        return bool(self.postings) and not self.is_posted

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The seats whose signature covers what is on the card now."""
        return frozenset(s.seat_id for s in self.signatures if s.digest == self.digest)

    @property
    def signed_by(self) -> frozenset[int]:
        """The entrants who sit on those seats."""
        return frozenset(
            seat.entrant_id for seat in self.seats if seat.pk in self.signed_seats and seat.entrant_id is not None
        )

    @property
    def fallen(self) -> tuple[Signature, ...]:
        """Signatures under an earlier content, of sides that have not signed the present one."""
        return tuple(s for s in self.signatures if s.digest != self.digest and s.seat_id not in self.signed_seats)

    @property
    def missing(self) -> tuple[CardSeat, ...]:
        """The seats that have still to sign."""
        return tuple(seat for seat in self.seats if seat.pk not in self.signed_seats)

    def signed_with(self, signature: Signature, version: CardVersion) -> Self:
        """The same card after one more signature, under this version, without asking for it again."""
        return self._with(signatures=(*self.signatures, signature), version=version)

    def posted_with(self, posted: CardPosted) -> Self:
        """The same card once it is posted."""
        return self._with(postings=(*self.postings, posted))

    def _with(self, **facts: Any) -> Self:
        """What is on the card stays, and with it what was worked out from that."""
        made: Self = replace(cast("Any", self), **facts)
        made.__dict__.update({name: self.__dict__[name] for name in OF_CONTENT if name in self.__dict__})
        return made
