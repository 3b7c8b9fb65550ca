"""Whether a card counts, and since when. The correction period runs from that moment."""

from dataclasses import dataclass
from datetime import datetime

from scoring.card_state.selectors.evidence import CardEvidence
from scoring.models import CardPosted


@dataclass(frozen=True)
class CardClock:
    """All postings of a card, compared with its present content."""

    evidence: CardEvidence
    postings: tuple[CardPosted, ...]

    @property
    def is_posted(self) -> bool:
        """Whether the card counts: its present content was posted, or the game was closed."""
        return self.evidence.score.is_closed or any(posted.digest == self.evidence.digest for posted in self.postings)

    @property
    def counts_since(self) -> datetime | None:
        """The time at which the game was closed, or of the last posting."""
        written = self.evidence.written
        if self.evidence.score.is_closed and written.closing is not None:
            return max([written.closing.at, *(line.at for line in written.lines)])
        return self.postings[-1].at if self.postings else None

    @property
    def was_posted(self) -> bool:
        """Whether the card was posted and changed since. It counts again once it is signed again."""
        return bool(self.postings) and not self.is_posted
