"""Score cards as they stand: facts in, one pure value out. Everything a page, a paper or a service asks is here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from scoring.models import Card, CardClosed, CardPosted, CardSeat, CardVersion, SheetLine, Signature
from scoring.rules.book.lengths import with_length
from scoring.rules.evidence.content import CardContent, GamePlace, Seat, canonical_bytes, digest
from scoring.rules.sheet.case import read_sheet
from scoring.rules.sheet.closing import ClosingVerdict, Ending, closing_as_json, judge_closing
from scoring.rules.sheet.sheets import RESERVED_NAMES, Sheet, VariantRules, tally
from scoring.rules.variants.totals import as_case
from scoring.rules.variants.variant import Row, Tally
from scoring.rules.variants.word_gin.word_hands import with_minus
from scoring.selectors.card_facts import (
    CardFacts,
    current_card_facts,
    drawn_roles,
    in_drawn_order,
    keeper_of,
    revision_of,
    table_of,
    with_first_signed,
)
from scoring.selectors.card_lines import CardLines
from scoring.selectors.card_signatures import CardSignatures
from scoring.selectors.closings import on_sheet, with_closings
from scoring.selectors.drawn_sides import DrawnSides
from scoring.selectors.entered_lines import Entered, entered_of
from scoring.selectors.shown_side import ShownSide
from scoring.selectors.side_names import rename, short_name
from tournament.errors import NotFound
from tournament.models import Entrant
from tournament.selectors.kept import until_written


@dataclass(frozen=True)
class CardState(CardLines, CardSignatures, DrawnSides):
    """One card, computed from its facts."""

    card: Card
    seats: tuple[CardSeat, ...]
    entered: tuple[Entered, ...]
    keeper: Entrant | None
    table: int | None
    signatures: tuple[Signature, ...] = field(repr=False)
    postings: tuple[CardPosted, ...] = field(repr=False)
    facts: CardFacts = field(repr=False)
    revision: int = 0
    drawn: tuple[str, ...] = ()
    """The letters of the sides by the places of `table_draw`; empty: nothing is drawn yet, or the cut says it all."""

    version: CardVersion | None = field(default=None, repr=False)
    """The version with exactly this content, once a write has recorded or found it."""

    @property
    def closing(self) -> CardClosed | None:
        """The one that counts."""
        return self.facts.closing

    @property
    def keeper_id(self) -> int | None:
        return self.keeper.pk if self.keeper else None

    @property
    def keeper_name(self) -> str:
        """As the card has it; who keeps score for teams may be anybody of the match."""
        seat = self.seat_of(self.keeper.pk) if self.keeper else None
        return self.name_of(seat) if seat else self.keeper.name if self.keeper else ""

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        """The lines that count, in the order of the hands."""
        return tuple(entered.fact for entered in self.entered if not entered.is_struck)

    @property
    def letters(self) -> tuple[str, ...]:
        """The sheet's own names for its sides."""
        return tuple(seat.side for seat in self.seats)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the sides are called on this card, always different names; while it is empty as they are called now."""
        is_empty = not self.entered and self.closing is None
        names = tuple(
            seat.entrant.name if seat.entrant and (is_empty or not seat.name) else seat.name or seat.side
            for seat in self.seats
        )
        if len(set(names)) == len(names) and not set(names) & set(RESERVED_NAMES):
            return names
        each = zip(names, self.seats, strict=True)
        return tuple(f"{name} ({seat.entrant.number if seat.entrant else seat.side})" for name, seat in each)

    @cached_property
    def short_names(self) -> tuple[str, ...]:
        """For the heads of narrow columns; the names in full where two short ones are the same."""
        short = tuple(short_name(name) for name in self.names)
        return short if len(set(short)) == len(short) else self.names

    @property
    def title(self) -> str:
        """“Ann – Bob”."""
        return " – ".join(self.names)

    @property
    def is_game(self) -> bool:
        """A game of a match between entrants; else the one card of a player or of two teams for the whole event."""
        return len(self.seats) > 1 and all(seat.entrant_id is not None for seat in self.seats)

    @property
    def score_line(self) -> str:
        """“Ann 32 – 0 Bob”; with other than two sides each total behind its name."""
        if len(self.names) == 2:
            (one, other), (first, second) = self.names, self.totals
            return f"{one} {with_minus(first)} – {with_minus(second)} {other}"
        return ", ".join(f"{name} {with_minus(total)}" for name, total in zip(self.names, self.totals, strict=True))

    @property
    def figures(self) -> str:
        """“32–0”; below zero with room around the dash: “720 – −60”."""
        return (" – " if any(total < 0 for total in self.totals) else "–").join(map(with_minus, self.totals))

    @cached_property
    def sheet(self) -> Sheet:
        return self._sheet_of(self.letters, [line.line for line in self.lines])

    @cached_property
    def named_sheet(self) -> Sheet:
        """The same sheet with the players' names as its sides, so that every sentence says them."""
        return self._sheet_of(self.names, [self.with_names(line.line) for line in self.lines])

    @cached_property
    def tally(self) -> Tally:
        return tally(self.sheet)

    @cached_property
    def named_tally(self) -> Tally:
        return tally(self.named_sheet)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self.named_sheet.rows()

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(self.tally.totals[side] for side in self.letters)

    @property
    def target(self) -> int | None:
        """The points a game is played to, where its rules know such a thing."""
        target = self.rules.options.get("target")
        return target if isinstance(target, int) else None

    @property
    def games_to_win(self) -> int:
        """How many games win its match."""
        games = self.card.length.get("games_to_win", self.card.sheet.games_to_win)
        return int(games)

    @cached_property
    def rules(self) -> VariantRules:
        """What it is played by: its rule sheet, with the length of matches where it stands."""
        return rules_of(self.card)

    @cached_property
    def verdict(self) -> ClosingVerdict | None:
        """How a game ends that was closed before its end; None: it was not, or its sheet is complete all the same."""
        if self.closing is None or self.tally.complete:
            return None
        names = dict(zip(self.letters, self.names, strict=True))
        return judge_closing(self.named_sheet, on_sheet(self.closing, names))

    @property
    def is_closed(self) -> bool:
        """Whether it has ended without being played to its end; nobody has to sign it."""
        return self.verdict is not None and self.verdict.is_final

    @property
    def takes_hands(self) -> bool:
        """Whether play goes on, if only with the last hand."""
        return not self.tally.complete and (self.verdict is None or self.verdict.ending is Ending.WAITING)

    @property
    def winning_seat(self) -> CardSeat | None:
        winner = self.tally.winner
        if self.verdict is not None and self.verdict.winner is not None:
            winner = self.letters[self.names.index(self.verdict.winner)]
        return self.seats[self.letters.index(winner)] if winner is not None else None

    @property
    def winner(self) -> Entrant | None:
        """Who has won it; None while it is open, equal, or won by a team."""
        seat = self.winning_seat
        return seat.entrant if seat else None

    @property
    def winner_name(self) -> str:
        """Empty while it is open, or equal."""
        seat = self.winning_seat
        return self.name_of(seat) if seat else ""

    @property
    def sides(self) -> tuple[ShownSide, ...]:
        """Its sides in order, for the pages."""
        return tuple(
            ShownSide(
                seat,
                name,
                short,
                total,
                has_won=seat == self.winning_seat,
                keeps_score=seat.entrant_id is not None and seat.entrant_id == self.keeper_id,
                has_signed=seat.pk in self.signed_seats,
            )
            for seat, name, short, total in zip(self.seats, self.names, self.short_names, self.totals, strict=True)
        )

    @cached_property
    def content(self) -> CardContent:
        place = GamePlace(
            event=self.facts.event,
            match=self.card.match.ident,
            game=self.card.game,
            table=None if self.table is None else str(self.table),
        )
        keeper = self.seat_of(self.keeper_id) if self.keeper_id is not None else None
        return CardContent(
            place=place,
            sheet=self.sheet,
            rule_sheet_version=self.card.sheet.version,
            seats=tuple(
                Seat(seat.side, seat.entrant.number if seat.entrant else None, name)
                for seat, name in zip(self.seats, self.names, strict=True)
            ),
            keeper=keeper.side if keeper else None,
            drawn=self.drawn,
            closed=self._closed_content() if self.is_closed else None,
            revision=self.revision,
        )

    @cached_property
    def digest(self) -> str:
        return digest(self.content)

    @property
    def canonical(self) -> bytes:
        return canonical_bytes(self.content)

    def seat_of(self, entrant_id: int) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.entrant_id == entrant_id), None)

    def seat_at(self, side: str) -> CardSeat | None:
        """The seat of that letter."""
        return next((seat for seat in self.seats if seat.side == side), None)

    def name_of(self, seat: CardSeat) -> str:
        return self.names[self.letters.index(seat.side)]

    @property
    def is_complete(self) -> bool:
        """Played to its end, or closed."""
        return self.tally.complete or self.is_closed

    @property
    def state(self) -> str:
        """`ready` (nothing on it), `playing`, `unsigned`, `posted`; `closed`, `time-called`, `undecided`."""
        if self.verdict is not None:
            waiting = "time-called" if self.takes_hands else "undecided"
            return "closed" if self.is_closed else waiting
        if self.is_complete:
            return "posted" if self.is_posted else "unsigned"
        return "playing" if self.lines else "ready"

    def _closed_content(self) -> dict[str, Any]:
        assert self.closing is not None
        closing = on_sheet(self.closing, {letter: letter for letter in self.letters})
        return closing_as_json(closing, judge_closing(self.sheet, closing))

    def with_names(self, value: Any) -> Any:
        """A line as stored, with the names for its letters."""
        return rename(value, dict(zip(self.letters, self.names, strict=True)))

    def _sheet_of(self, sides: Iterable[str], lines: list[Any]) -> Sheet:
        rules = self.rules
        return read_sheet({"rules": rules.rules, "options": rules.options, "sides": list(sides), **as_case(lines)})


def rules_of(card: Card) -> VariantRules:
    """What a card is played by, without its facts."""
    return VariantRules(card.sheet.variant, with_length(card.sheet.options, card.length))


def cards_with_facts() -> QuerySet[Card]:
    """Cards with all that `card_state_of` needs: as many queries for one as for a thousand."""
    return _cards_with_seats().prefetch_related(*_facts())


def _cards_with_seats() -> QuerySet[Card]:
    cards = Card.objects.select_related("match__event__tournament", "sheet").prefetch_related(with_seats())
    return with_first_signed(cards)


def _facts() -> tuple[str | Prefetch[str], ...]:
    return "lines", "cuts", "signatures", "postings", "match__calls", with_closings()


def with_seats() -> Prefetch[str]:
    """For `prefetch_related`: the seats of cards with who sits there."""
    return Prefetch("seats", CardSeat.objects.select_related("entrant"))


def card_state_of(card: Card, facts: CardFacts | None = None) -> CardState:
    """The state of a card of `cards_with_facts`; with `facts` as it was when there were only those."""
    facts = facts or current_card_facts(card)
    entered = entered_of(facts.lines)
    drawn = drawn_roles(facts.cuts)
    seats = in_drawn_order(tuple(card.seats.all()), drawn)
    signatures = tuple(card.signatures.all())
    by_pk = {seat.pk: seat for seat in seats}
    for signature in signatures:
        signature.seat = by_pk[signature.seat_id]
    return CardState(
        card=card,
        seats=seats,
        entered=entered,
        keeper=keeper_of(seats, facts.cuts),
        table=table_of(card, entered),
        signatures=signatures,
        postings=tuple(card.postings.all()),
        facts=facts,
        revision=revision_of(card, facts),
        drawn=drawn,
    )


def find_card(token: str) -> Card:
    """The card at this address and who sits there; what is on it is not asked yet."""
    card = _cards_with_seats().filter(token=token).first()
    if card is None:
        raise NotFound("no-card", "There is no card at this address. Ask the desk for the card of your table.")
    return card


def load_card_state(card: Card) -> CardState:
    """What is on a card of `find_card`."""
    prefetch_related_objects([card], *_facts())
    return card_state_of(card)


def load_card(token: str) -> CardState:
    return load_card_state(find_card(token))


def load_card_by_pk(pk: int) -> CardState:
    """Inside a transaction kept until its next write: one act asks for its card in many places."""
    if connection.in_atomic_block:
        return until_written(("card", pk), lambda: card_state_of(cards_with_facts().get(pk=pk)))
    return card_state_of(cards_with_facts().get(pk=pk))


def load_match_cards(match_id: int, key: str | None = None, *, known: CardState | None = None) -> list[CardState]:
    """The cards of a match by game: those of these sides (`Card.sides_key`) and of teams, or all (None).

    Cards of sides that were corrected away stay out where a key is given. `known` is one of them, as it stands now.
    """
    cards = cards_with_facts().filter(match_id=match_id)
    if key is not None:
        cards = cards.filter(sides_key__in=(key, ""))
    if known is None:
        return [card_state_of(card) for card in cards.order_by("game", "pk")]
    found = [card_state_of(card) for card in cards.exclude(pk=known.card.pk).order_by("game", "pk")]
    return with_state(found, known) if key is None or known.card.sides_key in (key, "") else found


def with_state(cards: Iterable[CardState], known: CardState) -> list[CardState]:
    """Cards of a match by game, this one as it stands now."""
    others = (state for state in cards if state.card.pk != known.card.pk)
    return sorted([*others, known], key=lambda state: (state.card.game, state.card.pk))
