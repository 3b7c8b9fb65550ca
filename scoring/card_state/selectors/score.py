"""The score of a card: the totals, the winner, and whether the game is over."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from scoring.card_state.selectors.closings import on_sheet
from scoring.card_state.selectors.content import WrittenCard
from scoring.models import CardSeat
from scoring.rules.sheet.closing import ClosingVerdict, Ending, judge_closing
from scoring.rules.sheet.sheets import tally
from scoring.rules.variants.variant import TOTALS, Row, Tally, says_totals
from scoring.rules.variants.word_gin import with_minus
from tournament.models import Entrant


def unbroken_score(totals: Iterable[int]) -> str:
    """Return the totals with dashes between them, joined by no-break spaces.

    >>> unbroken_score([720, -60]).split("\N{NO-BREAK SPACE}")
    ['720', '–', '−60']
    """
    return "\N{NO-BREAK SPACE}–\N{NO-BREAK SPACE}".join(map(with_minus, totals))


@dataclass(frozen=True)
class CardScore:
    written: WrittenCard

    @property
    def line(self) -> str:
        """The score with names: “Ann 32 – 0 Bob”. Unless there are two sides, each total follows its name."""
        if len(self.written.names) == 2:
            one, other = self.written.names
            return f"{one} {unbroken_score(self.totals)} {other}"
        return ", ".join(
            f"{name} {with_minus(total)}" for name, total in zip(self.written.names, self.totals, strict=True)
        )

    @property
    def figures(self) -> str:
        """The totals alone: “32–0”. With a negative total there are spaces around the dash: “720 – −60”."""
        return unbroken_score(self.totals) if min(self.totals) < 0 else "–".join(map(str, self.totals))

    @cached_property
    def tally(self) -> Tally:
        return tally(self.written.sheet)

    @cached_property
    def named_tally(self) -> Tally:
        return tally(self.written.named_sheet)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self.written.named_sheet.rows()

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(self.tally.totals[side] for side in self.written.letters)

    @cached_property
    def verdict(self) -> ClosingVerdict | None:
        """The verdict on a game that was closed early.

        It is None if the game was not closed, or if its sheet is complete anyway.
        """
        if self.written.closing is None or self.tally.complete:
            return None
        return judge_closing(self.written.named_sheet, on_sheet(self.written.closing, self.written.by_letter))

    @property
    def is_closed(self) -> bool:
        """Whether the game ended without being played to its end. Nobody has to sign such a card."""
        return self.verdict is not None and self.verdict.is_final

    @property
    def takes_hands(self) -> bool:
        """Whether hands can still be entered, even if only the last one."""
        return not self.tally.complete and (self.verdict is None or self.verdict.ending is Ending.WAITING)

    @property
    def winning_seat(self) -> CardSeat | None:
        winner = self.tally.winner
        if self.verdict is not None and self.verdict.winner is not None:
            winner = self.written.letters[self.written.names.index(self.verdict.winner)]
        return self.written.seats[self.written.letters.index(winner)] if winner is not None else None

    @property
    def winner(self) -> Entrant | None:
        """The entrant that won, or None if the game is open, equal, or won by a team."""
        seat = self.winning_seat
        return seat.entrant if seat else None

    @property
    def winner_name(self) -> str:
        """The winner's name, or "" if the game is open or equal."""
        seat = self.winning_seat
        return self.written.name_of(seat) if seat else ""

    @property
    def is_complete(self) -> bool:
        return self.tally.complete or self.is_closed

    @property
    def entered_totals(self) -> dict[str, int]:
        """The totals by letter, as the desk typed them or as the hands add up."""
        first = self.written.lines[0].line if self.written.lines else None
        return dict(first[TOTALS]) if first and says_totals(first) else dict(self.tally.totals)
