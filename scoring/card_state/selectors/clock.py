"""Whether a card counts, and since when: by that its correction period runs."""

from dataclasses import dataclass
from datetime import datetime

from scoring.card_state.selectors.evidence import CardEvidence
from scoring.models import CardPosted


@dataclass(frozen=True)
class CardClock:
    """All postings, beside what is on the card now."""

    evidence: CardEvidence
    postings: tuple[CardPosted, ...]

    @property
    def is_posted(self) -> bool:
        """It counts: posted with exactly what is on it now, or closed."""
        return self.evidence.score.is_closed or any(posted.digest == self.evidence.digest for posted in self.postings)

    @property
    def counts_since(self) -> datetime | None:
        """When it was closed, or posted for the last time."""
        written = self.evidence.written
        if self.evidence.score.is_closed and written.closing is not None:
            return max([written.closing.at, *(line.at for line in written.lines)])
        return self.postings[-1].at if self.postings else None

    @property
    def was_posted(self) -> bool:
        """Posted, and changed since: it counts again once it is signed again."""
        return bool(self.postings) and not self.is_posted
