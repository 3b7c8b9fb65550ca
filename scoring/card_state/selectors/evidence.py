"""A card as evidence: the content that every signature covers, and its digest."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scoring.card_state.selectors.closings import on_sheet
from scoring.card_state.selectors.content import WrittenCard
from scoring.card_state.selectors.score import CardScore
from scoring.rules.evidence.content import CardContent, GamePlace, Seat, canonical_bytes, digest
from scoring.rules.sheet.closing import closing_as_json, judge_closing


@dataclass(frozen=True)
class CardEvidence:
    """The signed content of a card: what is written on it, and how it ended if it was closed early."""

    written: WrittenCard
    score: CardScore

    @cached_property
    def content(self) -> CardContent:
        place = GamePlace(
            event=self.written.facts.event,
            match=self.written.card.match.ident,
            game=self.written.card.game,
            table=None if self.written.table is None else str(self.written.table),
        )
        keeper = self.written.seat_of(self.written.keeper_id) if self.written.keeper_id is not None else None
        return CardContent(
            place=place,
            sheet=self.written.sheet,
            rule_sheet_version=self.written.card.sheet.version,
            seats=tuple(
                Seat(seat.side, seat.entrant.number if seat.entrant else None, name)
                for seat, name in zip(self.written.seats, self.written.names, strict=True)
            ),
            keeper=keeper.side if keeper else None,
            drawn=self.written.drawn,
            closed=self._closed_content() if self.score.is_closed else None,
            revision=self.written.revision,
        )

    @cached_property
    def digest(self) -> str:
        return digest(self.content)

    @property
    def canonical(self) -> bytes:
        return canonical_bytes(self.content)

    def _closed_content(self) -> dict[str, Any]:
        assert self.written.closing is not None
        closing = on_sheet(self.written.closing, {letter: letter for letter in self.written.letters})
        return closing_as_json(closing, judge_closing(self.written.sheet, closing))
