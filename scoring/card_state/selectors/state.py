"""The state of a score card, computed from its recorded facts and returned as one immutable object.

The facts are the card's lines (usually one per hand), cuts for deal, closings, signatures and postings. `CardState`
describes the card as it is now, or as it was in an earlier version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import count, takewhile
from typing import Any, Final

from scoring.models import Card, CardClosed, CardPosted, CardSeat, CardVersion, Cut, RuleSheet, SheetLine, Signature
from scoring.rules.book.layout import format_signed_number
from scoring.rules.book.options import apply_match_length
from scoring.rules.evidence.content import CardContent, SeatContent
from scoring.rules.sheet.closing import (
    ClosingCause,
    ClosingResult,
    ClosingRule,
    ClosingVerdict,
    EarlyGameEnd,
    closing_as_json,
    judge_closing,
)
from scoring.rules.sheet.paper import was_entered_as_totals
from scoring.rules.sheet.sheets import (
    RESERVED_SIDE_NAMES,
    ScoreSheet,
    VariantRules,
    make_empty_sheet,
    sheet_from_json,
    tally_sheet,
)
from scoring.rules.variants.variant import (
    TOTALS_KEY,
    SheetRow,
    TableDraw,
    Tally,
    Variant,
    is_totals_record,
    make_sheet_fields,
)
from tournament.models import Entrant
from tournament.spreadsheets.names import parse_number

SCOREKEEPER_SIDE: Final = "scorekeeper"
"""The value for the scorekeeper in signatures and forms, in place of the letter of a side."""


# --- The facts of a card ---------------------------------------------------------------------------------------------
# Facts are only added, and keys only rise. So the counts that a version stored identify its facts.


@dataclass(frozen=True, slots=True)
class CardFacts:
    """A card's facts in the order in which they were recorded.

    `reopened` is the number of times that the game was closed early and then reopened.
    """

    event: str
    lines: tuple[SheetLine, ...]
    cuts: tuple[Cut, ...]
    closings: tuple[CardClosed, ...]
    reopened: int

    def count_by_kind(self) -> dict[str, Any]:
        """Return the number of facts of each kind, as a card version stores them."""
        return {
            "event": self.event,
            "lines": len(self.lines),
            "cuts": len(self.cuts),
            "closings": len(self.closings),
            "reopened": self.reopened,
        }

    @property
    def closing(self) -> CardClosed | None:
        """The record that ended the game early, or None if the game is open or was played to its end."""
        if not self.closings:
            return None
        last = self.closings[-1]
        taken_back = sorted(c.taken_back.pk for c in self.closings if hasattr(c, "taken_back"))
        known = taken_back[: self.reopened]
        return None if hasattr(last, "taken_back") and last.taken_back.pk in known else last


def _collect_current_facts(card: Card) -> CardFacts:
    closings = tuple(sorted(card.closings.all(), key=lambda closing: closing.pk))
    event, signed = card.match.event, _count_facts_at_first_signature(card)
    return CardFacts(
        # Renaming the event does not change a signed card.
        event=signed["event"] if signed else f"{event.tournament.slug}/{event.slug}",
        lines=tuple(sorted(card.lines.all(), key=lambda line: line.pk)),
        cuts=tuple(card.cuts.all()),
        closings=closings,
        reopened=sum(hasattr(closing, "taken_back") for closing in closings),
    )


def load_card_version_facts(card: Card, counts: dict[str, Any]) -> CardFacts:
    """Return the facts that a card had when a version was signed.

    `counts` contains the number of these facts of each kind (see `CardFacts.count_by_kind`).
    """
    current = _collect_current_facts(card)
    return CardFacts(
        event=current.event,
        lines=current.lines[: counts["lines"]],
        cuts=current.cuts[: counts["cuts"]],
        closings=current.closings[: counts["closings"]],
        reopened=counts["reopened"],
    )


def _count_facts_at_first_signature(card: Card) -> dict[str, Any] | None:
    """Return how many facts of each kind the card had when it was first signed, or None if nobody has signed it.

    The result has the format of `CardFacts.count_by_kind`.
    """
    covered: dict[str, Any] | None = getattr(card, "first_facts", None)
    return covered or None


def _count_changes_since_signing(card: Card, facts: CardFacts) -> int:
    signed = _count_facts_at_first_signature(card)
    if signed is None:
        return 0
    current = facts.count_by_kind()
    changes = sum(int(current[kind]) - int(signed[kind]) for kind in ("lines", "cuts", "closings", "reopened"))
    return max(0, changes)


def _find_keeper(seats: Sequence[CardSeat], cuts: Sequence[Cut]) -> Entrant | None:
    """Return the scorekeeper, whom the players determine by cutting for deal.

    If there were several such cuts, the last one that names a scorekeeper counts. Without one, there is no scorekeeper
    yet, and the result is None. If only one player is on the card, that player keeps score without a cut.
    """
    named = [cut for cut in cuts if cut.keeper_id is not None]
    if not named:
        return seats[0].entrant if len(seats) == 1 else None
    keeper = named[-1].keeper_id
    return next((seat.entrant for seat in seats if seat.entrant_id == keeper), None) or named[-1].keeper


# --- Lines with their corrections ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineHistory:
    """The entries for one hand: the current line, and the corrected lines that it replaced (oldest first)."""

    fact: SheetLine
    earlier: tuple[SheetLine, ...] = ()

    @property
    def is_struck(self) -> bool:
        return self.fact.line is None


def _group_corrections(facts: Iterable[SheetLine]) -> tuple[LineHistory, ...]:
    """Return each hand's history, in the order in which the hands were first entered."""
    by_pk = {fact.pk: fact for fact in facts}
    superseded = {fact.supersedes_id for fact in by_pk.values()}
    last = [fact for fact in by_pk.values() if fact.pk not in superseded]
    return tuple(LineHistory(fact, _list_replaced_lines(fact, by_pk)) for fact in sorted(last, key=lambda f: f.number))


def _list_replaced_lines(fact: SheetLine, by_pk: dict[int, SheetLine]) -> tuple[SheetLine, ...]:
    earlier: list[SheetLine] = []
    while fact.supersedes_id is not None:
        fact = by_pk[fact.supersedes_id]
        earlier.append(fact)
    return tuple(reversed(earlier))


def _find_table_number(card: Card, entered: Sequence[LineHistory]) -> int | None:
    """Return the table to which the match was last called before the card's last line was entered."""
    calls = list(card.match.calls.all())
    if entered:
        last = max(item.fact.at for item in entered)
        calls = [call for call in calls if call.at <= last]
    return calls[-1].table if calls else None


# --- The card ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardState:
    """A score card at one moment: what is written on it, its score and signatures, and whether its result counts."""

    card: Card
    seats: tuple[CardSeat, ...]
    entered: tuple[LineHistory, ...]
    keeper: Entrant | None
    table: int | None
    facts: CardFacts = field(repr=False)
    revision: int = 0
    drawn: tuple[str, ...] = ()
    """The sides' letters, in the order of the positions in `Variant.table_draw`.

    The tuple is empty before the draw, or if the draw only determines who keeps score.
    """

    signed: tuple[Signature, ...] = field(default=(), repr=False)
    postings: tuple[CardPosted, ...] = field(default=(), repr=False)
    version: CardVersion | None = field(default=None, repr=False)
    """The row that stores the card's current content as a version. This field is set only after a write."""

    @property
    def closing(self) -> CardClosed | None:
        return self.facts.closing

    @property
    def keeper_id(self) -> int | None:
        return self.keeper.pk if self.keeper else None

    @property
    def keeper_name(self) -> str:
        """The scorekeeper's name as written on the card. On a card of teams, it is the name of a player."""
        seat = self.find_seat_of_entrant(self.keeper.pk) if self.keeper else None
        return self.get_seat_name(seat) if seat else self.keeper.name if self.keeper else ""

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        """The current lines of the card in the order of the hands, without corrected and struck-out lines."""
        return tuple(entered.fact for entered in self.entered if not entered.is_struck)

    @property
    def letters(self) -> tuple[str, ...]:
        """The sides' letters, which stored lines use in place of names."""
        return tuple(seat.side for seat in self.seats)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The sides' names on this card. No two names are the same.

        Until the first line is written, these are the entrants' current names. After that, the names are fixed.
        """
        is_empty = not self.entered and self.closing is None
        names = tuple(
            seat.entrant.name if seat.entrant and (is_empty or not seat.name) else seat.name or seat.side
            for seat in self.seats
        )
        if len(set(names)) == len(names) and not set(names) & set(RESERVED_SIDE_NAMES):
            return names
        each = zip(names, self.seats, strict=True)
        return tuple(f"{name} ({seat.entrant.number if seat.entrant else seat.side})" for name, seat in each)

    @cached_property
    def names_by_letter(self) -> dict[str, str]:
        return dict(zip(self.letters, self.names, strict=True))

    @property
    def title(self) -> str:
        """The names of all sides, such as “Ann – Bob”."""
        return " – ".join(self.names)

    @property
    def is_single_game(self) -> bool:
        """Whether the card is one game of a match between entrants.

        Otherwise, the card covers the whole event, and belongs to one player or to two teams.
        """
        return len(self.seats) > 1 and all(seat.entrant_id is not None for seat in self.seats)

    @cached_property
    def rules(self) -> VariantRules:
        return make_card_rules(self.card)

    @cached_property
    def sheet(self) -> ScoreSheet:
        return self._make_sheet(self.letters, [line.line for line in self.lines])

    @cached_property
    def named_sheet(self) -> ScoreSheet:
        """The score sheet with the players' names in place of letters, for use in messages."""
        return self._make_sheet(self.names, [self.replace_letters_with_names(line.line) for line in self.lines])

    @property
    def target(self) -> int | None:
        """The number of points that ends a game, or None if the rules have no target."""
        target = self.rules.options.get("target")
        return target if isinstance(target, int) else None

    @property
    def games_to_win(self) -> int:
        games = self.card.length.get("games_to_win", self.card.sheet.games_to_win)
        return int(games)

    @cached_property
    def variant(self) -> Variant[Any, Any]:
        """The variant (rule set) of this card. It is available even if the card's lines cannot be scored."""
        return make_empty_sheet(self.rules, self.letters).variant

    @property
    def hands(self) -> tuple[SheetLine, ...]:
        """The lines that are hands. A line with only the totals of a paper card is not a hand."""
        return tuple(line for line in self.lines if not is_totals_record(line.line))

    @property
    def hand_numbers(self) -> tuple[int, ...]:
        """The numbers of the lines that are hands, starting at 1."""
        return tuple(place for place, line in enumerate(self.lines, start=1) if not is_totals_record(line.line))

    @cached_property
    def has_only_totals(self) -> bool:
        """Whether the desk entered only the card's totals. Older records store the totals as if they were hands."""
        if self.lines and is_totals_record(self.lines[0].line):
            return True
        typed = bool(self.lines) and all(line.via == SheetLine.Via.DESK for line in self.lines)
        return typed and was_entered_as_totals(self.sheet)

    @property
    def line_name(self) -> str:
        """The game's noun for a line, such as “hand” or “round”."""
        return self.variant.line_name

    def name_line(self, number: int) -> str:
        """Return the name of a line for use within a sentence: “hand 3”, “hand with 3s wild”. Numbers start at 1."""
        return self.variant.name_line(number)

    def label_line(self, number: int) -> str:
        """Return the short label in front of a line in a list, such as “3” or “3s wild”."""
        return self.variant.label_line(number)

    @property
    def line_names(self) -> tuple[str, ...]:
        """The capitalized names of all lines that the card can have, such as “Hand with 3s wild”.

        The JavaScript of the phone page uses these names. The tuple is empty if the lines have only numbers.
        """
        numbers = takewhile(lambda number: self.label_line(number) != str(number), count(1))
        return tuple(capitalize_first_letter(self.name_line(number)) for number in numbers)

    @cached_property
    def score(self) -> CardScore:
        return CardScore(self)

    @cached_property
    def draw(self) -> TableDrawState:
        return TableDrawState(self)

    @cached_property
    def signatures(self) -> CardSignatures:
        return CardSignatures(self, self.signed)

    @cached_property
    def content(self) -> CardContent:
        """The signed content: what is written on the card, and the outcome if the game was closed early."""
        keeper = self.find_seat_of_entrant(self.keeper_id) if self.keeper_id is not None else None
        return CardContent(
            event=self.facts.event,
            match=self.card.match.ident,
            game=self.card.game,
            table=None if self.table is None else str(self.table),
            sheet=self.sheet,
            rule_sheet_version=self.card.sheet.version,
            seats=tuple(
                SeatContent(seat.side, seat.entrant.number if seat.entrant else None, name)
                for seat, name in zip(self.seats, self.names, strict=True)
            ),
            keeper=keeper.side if keeper else None,
            drawn=self.drawn,
            closed=self._make_closing_json() if self.score.is_closed else None,
            revision=self.revision,
        )

    @cached_property
    def digest(self) -> str:
        return self.content.digest()

    @property
    def is_complete(self) -> bool:
        return self.score.is_complete

    @property
    def is_posted(self) -> bool:
        """Whether the card counts, because its current content was posted (made final) or the game was closed."""
        return self.score.is_closed or any(posting.digest == self.digest for posting in self.postings)

    @property
    def was_posted(self) -> bool:
        """Whether the card was posted and has been changed since.

        It counts again once all sides have signed the change.
        """
        return bool(self.postings) and not self.is_posted

    @property
    def posted_or_closed_at(self) -> datetime | None:
        """The time when the game was closed, or when the card was last posted."""
        if self.score.is_closed and self.closing is not None:
            return max([self.closing.at, *(line.at for line in self.lines)])
        return self.postings[-1].at if self.postings else None

    @property
    def state(self) -> str:
        """The state of the card: `ready` (nothing is entered), `playing`, `unsigned` or `posted`.

        A game that was ended early is `closed`, `time-called` or `undecided`.
        """
        if self.score.verdict is not None:
            waiting = "time-called" if self.score.accepts_hands else "undecided"
            return "closed" if self.score.is_closed else waiting
        if self.is_complete:
            return "posted" if self.is_posted else "unsigned"
        return "playing" if self.lines else "ready"

    @property
    def sides(self) -> tuple[SideSummary, ...]:
        """The sides of the card in order, for display."""
        winner, signed = self.score.winning_seat, self.signatures.signed_seats
        each = zip(self.seats, self.names, self.score.totals, strict=True)
        return tuple(SideSummary(seat, name, total, seat == winner, seat.pk in signed) for seat, name, total in each)

    def find_seat_of_entrant(self, entrant_id: int) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.entrant_id == entrant_id), None)

    def find_seat_by_letter(self, side: str) -> CardSeat | None:
        return next((seat for seat in self.seats if seat.side == side), None)

    def get_seat_name(self, seat: CardSeat) -> str:
        return self.names_by_letter[seat.side]

    def replace_letters_with_names(self, value: Any) -> Any:
        """Return a stored line with the players' names in place of letters."""
        return _replace_letters_with_names(value, self.names_by_letter)

    def _make_sheet(self, sides: Iterable[str], lines: list[Any]) -> ScoreSheet:
        rules = self.rules
        return sheet_from_json(
            {"rules": rules.rules, "options": rules.options, "sides": list(sides), **make_sheet_fields(lines)}
        )

    def _make_closing_json(self) -> dict[str, Any]:
        assert self.closing is not None
        closing = make_early_game_end(self.closing, {letter: letter for letter in self.letters})
        return closing_as_json(closing, judge_closing(self.sheet, closing))

    def copy_with_added_facts(self, **facts: Any) -> CardState:
        """Return a copy of this card with additional signatures or postings."""
        changed = replace(self, **facts)
        kept = {name: self.__dict__[name] for name in _COMPUTED_PROPERTIES if name in self.__dict__}
        changed.__dict__.update(kept)
        return changed


_COMPUTED_PROPERTIES: Final = tuple(
    name for name, each in vars(CardState).items() if isinstance(each, cached_property) and name != "signatures"
)
"""The cached properties that a new signature or posting does not change."""


@dataclass(frozen=True, slots=True)
class SideSummary:
    """A side of a card, for templates. `number` (the entry number) is None if the side is a team."""

    seat: CardSeat
    name: str
    total: int
    has_won: bool
    has_signed: bool

    @property
    def number(self) -> int | None:
        return self.seat.entrant.number if self.seat.entrant else None


# --- The score -------------------------------------------------------------------------------------------------------


def format_score_totals(totals: Iterable[int]) -> str:
    """Return the totals with dashes between them, joined by no-break spaces.

    >>> format_score_totals([720, -60]).split(" ")
    ['720', '–', '−60']
    """
    return "\N{NO-BREAK SPACE}–\N{NO-BREAK SPACE}".join(map(format_signed_number, totals))


@dataclass(frozen=True)
class CardScore:
    card_state: CardState

    @property
    def line_with_names(self) -> str:
        """The score with names: “Ann 32 – 0 Bob”, or “Ann 32, Bob 0, Cy 7” with more than two sides."""
        if len(self.card_state.names) == 2:
            one, other = self.card_state.names
            return f"{one} {format_score_totals(self.totals)} {other}"
        return ", ".join(
            f"{name} {format_signed_number(total)}"
            for name, total in zip(self.card_state.names, self.totals, strict=True)
        )

    @property
    def totals_text(self) -> str:
        """The totals without names: “32–0”. If a total is negative, the dash is set off by spaces: “720 – −60”."""
        return format_score_totals(self.totals) if min(self.totals) < 0 else "–".join(map(str, self.totals))

    @cached_property
    def tally(self) -> Tally:
        return tally_sheet(self.card_state.sheet)

    @cached_property
    def named_tally(self) -> Tally:
        return tally_sheet(self.card_state.named_sheet)

    @cached_property
    def rows(self) -> tuple[SheetRow, ...]:
        return self.card_state.named_sheet.list_rows()

    @property
    def totals(self) -> tuple[int, ...]:
        return tuple(self.tally.totals[side] for side in self.card_state.letters)

    @cached_property
    def verdict(self) -> ClosingVerdict | None:
        """The verdict on a game that was closed early, or None for any other game."""
        if self.card_state.closing is None or self.tally.complete:
            return None
        return judge_closing(
            self.card_state.named_sheet, make_early_game_end(self.card_state.closing, self.card_state.names_by_letter)
        )

    @property
    def is_closed(self) -> bool:
        """Whether the game ended early. Such a card needs no signatures."""
        return self.verdict is not None and self.verdict.is_final

    @property
    def accepts_hands(self) -> bool:
        """Whether the card still accepts hands. After time is called, the last hand can still be accepted."""
        return not self.tally.complete and (self.verdict is None or self.verdict.ending is ClosingResult.WAITING)

    @property
    def winning_seat(self) -> CardSeat | None:
        winner = self.tally.winner
        if self.verdict is not None and self.verdict.winner is not None:
            winner = self.card_state.letters[self.card_state.names.index(self.verdict.winner)]
        return self.card_state.seats[self.card_state.letters.index(winner)] if winner is not None else None

    @property
    def winner(self) -> Entrant | None:
        """The winning entrant, or None if the game is unfinished, tied, or won by a team."""
        seat = self.winning_seat
        return seat.entrant if seat else None

    @property
    def winner_name(self) -> str:
        """The winner's name, or "" if the game is unfinished or tied."""
        seat = self.winning_seat
        return self.card_state.get_seat_name(seat) if seat else ""

    @property
    def is_complete(self) -> bool:
        return self.tally.complete or self.is_closed

    @property
    def entered_totals(self) -> dict[str, int]:
        """The totals by letter, either as typed at the desk or as the sum of the hands."""
        first = self.card_state.lines[0].line if self.card_state.lines else None
        return dict(first[TOTALS_KEY]) if first and is_totals_record(first) else dict(self.tally.totals)


def can_end_without_winner(card: Card) -> bool:
    """Return whether the card needs no winner, because every total counts in the standings."""
    return card.match.seating_id is not None or "-" not in card.sides_key


def make_early_game_end(fact: CardClosed, names: Mapping[str, str]) -> EarlyGameEnd:
    def named(seat: CardSeat | None) -> str | None:
        return None if seat is None else names[seat.side]

    return EarlyGameEnd(
        cause=ClosingCause(fact.cause),
        rule=ClosingRule(fact.rule),
        hands=fact.hands,
        left=named(fact.left),
        winner=named(fact.winner),
        games={names[side]: count for side, count in fact.games.items()},
        counts_every_total=can_end_without_winner(fact.card),
    )


# --- Signatures ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardSignatures:
    """All signatures ever made on a card, and which of them are for its current content."""

    card_state: CardState
    all_signatures: tuple[Signature, ...]

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The primary keys of the seats that have signed the current content."""
        return frozenset(
            s.seat_id for s in self.all_signatures if s.digest == self.card_state.digest and s.seat_id is not None
        )

    @property
    def signed_entrants(self) -> frozenset[int]:
        """The primary keys of the entrants whose side has signed."""
        return frozenset(
            seat.entrant_id
            for seat in self.card_state.seats
            if seat.pk in self.signed_seats and seat.entrant_id is not None
        )

    @property
    def outdated(self) -> tuple[Signature, ...]:
        """Signatures for earlier content, from sides that have not signed the current content."""
        return tuple(
            s for s in self.all_signatures if s.digest != self.card_state.digest and s.seat_id not in self.signed_seats
        )

    @property
    def missing_seats(self) -> tuple[CardSeat, ...]:
        return tuple(seat for seat in self.card_state.seats if seat.pk not in self.signed_seats)

    @property
    def scorekeeper_signature(self) -> Signature | None:
        """The scorekeeper's signature on the current content, or None."""
        return next((s for s in self.all_signatures if s.digest == self.card_state.digest and s.seat_id is None), None)

    @property
    def signed_side_letters(self) -> tuple[str, ...]:
        """The letters of all sides that have signed the current content.

        The tuple includes `SCOREKEEPER_SIDE` if the scorekeeper has signed.
        """
        signed = (seat.side for seat in self.card_state.seats if seat.pk in self.signed_seats)
        return (*signed, *((SCOREKEEPER_SIDE,) if self.scorekeeper_signature is not None else ()))

    @property
    def missing_roles(self) -> tuple[str, ...]:
        """The roles other than players that still have to sign, such as the scorekeeper."""
        return () if self.scorekeeper_signature is not None else self.card_state.sheet.variant.further_signers

    @property
    def missing_names(self) -> tuple[str, ...]:
        return (*(self.card_state.get_seat_name(seat) for seat in self.missing_seats), *map(str, self.missing_roles))

    @property
    def missing_signers(self) -> tuple[tuple[str, str], ...]:
        """The letter and name of everybody who still has to sign. The scorekeeper's letter is `SCOREKEEPER_SIDE`."""
        sides = ((seat.side, self.card_state.get_seat_name(seat)) for seat in self.missing_seats)
        return (*sides, *((SCOREKEEPER_SIDE, str(name)) for name in self.missing_roles))


# --- The draw at the table -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableDrawState:
    """The draw or cut at the table before the first hand: what the players draw for, and the recorded result."""

    card_state: CardState

    @cached_property
    def table_draw(self) -> TableDraw:
        return self.card_state.sheet.variant.table_draw()

    @property
    def is_drawn_at_table(self) -> bool:
        """Whether the players draw at the table. Otherwise, the event's draw determined their seats."""
        by_event = self.table_draw.orders_sides and self.card_state.card.sheet.seats == RuleSheet.Seats.EVENT
        return bool(self.table_draw.places) and not by_event

    @property
    def has_separate_draw(self) -> bool:
        """Whether the draw and the scorekeeper are entered separately.

        This is the case if the players draw at the table, and the draw does not decide who keeps score.
        """
        return self.is_drawn_at_table and not self.table_draw.keeps_score

    @property
    def is_draw_missing(self) -> bool:
        """Whether the result of the draw still has to be entered."""
        if not self.is_drawn_at_table:
            return False
        return self.card_state.keeper is None if self.table_draw.keeps_score else not self.card_state.drawn

    @property
    def blocks_first_hand(self) -> bool:
        """Whether the draw has to be entered before the first hand, because it determines the players' roles."""
        return self.table_draw.decides_roles and self.is_draw_missing and not self.card_state.lines

    @property
    def is_order_known(self) -> bool:
        """Whether the order of the sides is known, or does not depend on a draw at the table."""
        if not self.table_draw.orders_sides or not self.is_draw_missing:
            return True
        return self.table_draw.decides_roles and bool(self.card_state.lines)

    @cached_property
    def displayed_variant(self) -> Variant[Any, Any]:
        """The variant (rule set) with the players' names, used to display the score sheet.

        If the sides have not drawn their order yet, the sheet leaves out everything that depends on the order.
        """
        variant = self.card_state.named_sheet.variant
        return variant if self.is_order_known else variant.copy_without_drawn_order()

    @property
    def recorded_order(self) -> tuple[str, ...]:
        """The recorded result of the draw: the sides' letters in the order of the positions that the rules define."""
        if not self.table_draw.keeps_score:
            return self.card_state.drawn
        keeper = self.card_state.keeper_id
        return tuple(seat.side for seat in self.card_state.seats if keeper is not None and seat.entrant_id == keeper)

    def describe_draw(self, order: Sequence[str]) -> str:
        """Return the draw as text: “highest card Ann, middle card Bob, lowest card Cy”."""
        each = zip(self.table_draw.places, order, strict=False)
        return ", ".join(f"{place.card.lower()} {self.card_state.names_by_letter[side]}" for place, side in each)

    @property
    def named_roles(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a side's name and the role that it drew. The tuple is empty if the roles are not known."""
        places = self.table_draw.places
        if not places or self.table_draw.keeps_score or not self.is_order_known:
            return ()
        letters = self.card_state.drawn or (self.card_state.letters if self.table_draw.orders_sides else ())
        names = self.card_state.names_by_letter
        return tuple((names[letter], place.role) for letter, place in zip(letters, places, strict=False))


# --- Make the state --------------------------------------------------------------------------------------------------


def make_card_state(card: Card, facts: CardFacts | None = None) -> CardState:
    """Compute the state of a card that was loaded with `select_cards_with_facts`.

    If `facts` is given, compute the state from those facts only, such as those of an earlier version.
    """
    facts = facts or _collect_current_facts(card)
    entered = _group_corrections(facts.lines)
    drawn = next((tuple(cut.order) for cut in reversed(facts.cuts) if cut.order), ())
    seats = tuple(card.seats.all())
    if sorted(drawn) == sorted(seat.side for seat in seats):  # otherwise they keep their present order
        seats = tuple(sorted(seats, key=lambda seat: drawn.index(seat.side)))
    signatures = tuple(card.signatures.all())
    by_pk = {seat.pk: seat for seat in seats}
    for signature in signatures:
        signature.seat = by_pk[signature.seat_id] if signature.seat_id is not None else None
    return CardState(
        card=card,
        seats=seats,
        entered=entered,
        keeper=_find_keeper(seats, facts.cuts),
        table=_find_table_number(card, entered),
        signed=signatures,
        postings=tuple(card.postings.all()),
        facts=facts,
        revision=_count_changes_since_signing(card, facts),
        drawn=drawn,
    )


def get_state_before_hand(state: CardState, hand: str) -> CardState:
    """Return the card as it was before this hand was recorded.

    If the hand is not recorded yet, return the card unchanged.

    If a form with a hand is submitted twice, the second submission is compared with the same state of the card as the
    first one. It is therefore recognized as a duplicate.
    """
    number = parse_number(hand) or 0
    if not 0 < number <= len(state.lines):
        return state
    # The draw can arrive with the hand.
    acts = {line.at for line in state.facts.lines if line.number >= number}
    lines = tuple(line for line in state.facts.lines if line.number < number)
    cuts = tuple(cut for cut in state.facts.cuts if cut.at not in acts)
    return make_card_state(state.card, replace(state.facts, lines=lines, cuts=cuts))


# --- Rules and text --------------------------------------------------------------------------------------------------


def make_card_rules(card: Card) -> VariantRules:
    """Return a card's rules, including the special match length if its match has one."""
    return VariantRules(card.sheet.variant, apply_match_length(card.sheet.options, card.length))


def _replace_letters_with_names(value: Any, names: dict[str, str]) -> Any:
    """Replace the sides' letters with the sides' names, in both keys and values.

    This is safe, because no other string in a line equals a letter.

    >>> _replace_letters_with_names({"by": "A", "counts": {"A": 5, "B": 20}}, {"A": "Ann", "B": "Bob"})
    {'by': 'Ann', 'counts': {'Ann': 5, 'Bob': 20}}
    >>> _replace_letters_with_names({"boards": [{"by": "A"}, {"outcome": "stock"}]}, {"A": "Ann", "B": "Bob"})
    {'boards': [{'by': 'Ann'}, {'outcome': 'stock'}]}
    """
    if isinstance(value, list):
        return [_replace_letters_with_names(held, names) if isinstance(held, dict) else held for held in value]
    if isinstance(value, dict):
        return {names.get(key, key): _replace_letters_with_names(held, names) for key, held in value.items()}
    if isinstance(value, str):
        return names.get(value, value)
    return value


def capitalize_first_letter(text: str) -> str:
    """Return text with its first letter capitalized. Unlike `str.capitalize`, it does not change later letters.

    >>> capitalize_first_letter("hand 3 of Ann")
    'Hand 3 of Ann'
    """
    text = str(text)
    return text[:1].upper() + text[1:]
