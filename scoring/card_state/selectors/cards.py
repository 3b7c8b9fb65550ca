"""Score cards loaded with all their facts, and computed into one `CardState` each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Final

from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils.translation import gettext as _

from pairing.models import TableCall, match_topic
from pairing.stages.selectors.course import busy_tables
from scoring.card_state.selectors.written_card import (
    CardFacts,
    DrawnSides,
    WrittenCard,
    closings_with_undoing,
    current_card_facts,
    group_corrections,
    keeper_of,
    prefetch_closings,
    revision_of,
    table_of,
    to_closing,
    with_first_facts,
)
from scoring.models import Card, CardPosted, CardSeat, CardVersion, Cut, SheetLine, Signature
from scoring.rules.evidence.content import CardContent, Seat
from scoring.rules.sheet.closing import ClosingVerdict, Ending, closing_as_json, judge_closing
from scoring.rules.sheet.sheets import tally
from scoring.rules.variants.variant import TOTALS, Row, Tally, says_totals
from scoring.rules.variants.word_gin import with_minus
from tournament.core.cached import cached_each, cached_in_transaction
from tournament.core.selectors.prepared import Prepared, keep_related
from tournament.errors import NotFound
from tournament.models import Entrant, Event, Tournament
from tournament.spreadsheets.names import typed_number

SCOREKEEPER: Final = "scorekeeper"
"""The value that stands for the scorekeeper where a signature or form usually has the letter of a side."""


# --- The score -------------------------------------------------------------------------------------------------------


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
        return judge_closing(self.written.named_sheet, to_closing(self.written.closing, self.written.by_letter))

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


# --- The signed content and its digest -------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardEvidence:
    """The signed content of a card: what is written on it, and how it ended if it was closed early."""

    written: WrittenCard
    score: CardScore

    @cached_property
    def content(self) -> CardContent:
        keeper = self.written.seat_of(self.written.keeper_id) if self.written.keeper_id is not None else None
        return CardContent(
            event=self.written.facts.event,
            match=self.written.card.match.ident,
            game=self.written.card.game,
            table=None if self.written.table is None else str(self.written.table),
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
        return self.content.digest()

    @property
    def canonical(self) -> bytes:
        return self.content.as_bytes()

    def _closed_content(self) -> dict[str, Any]:
        assert self.written.closing is not None
        closing = to_closing(self.written.closing, {letter: letter for letter in self.written.letters})
        return closing_as_json(closing, judge_closing(self.written.sheet, closing))


# --- Signatures and postings -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CardSignatures:
    """All signatures ever `made` on a card, compared with its present content."""

    evidence: CardEvidence
    made: tuple[Signature, ...]

    @cached_property
    def signed_seats(self) -> frozenset[int]:
        """The seats whose signature covers the card's present content."""
        return frozenset(s.seat_id for s in self.made if s.digest == self.evidence.digest and s.seat_id is not None)

    @property
    def signed_by(self) -> frozenset[int]:
        """The entrants who sit on the signed seats."""
        return frozenset(
            seat.entrant_id
            for seat in self.evidence.written.seats
            if seat.pk in self.signed_seats and seat.entrant_id is not None
        )

    @property
    def fallen(self) -> tuple[Signature, ...]:
        """Signatures of an earlier content, from sides that have not signed the present content."""
        return tuple(s for s in self.made if s.digest != self.evidence.digest and s.seat_id not in self.signed_seats)

    @property
    def missing(self) -> tuple[CardSeat, ...]:
        return tuple(seat for seat in self.evidence.written.seats if seat.pk not in self.signed_seats)

    @property
    def by_scorekeeper(self) -> Signature | None:
        """The scorekeeper's signature of the card's present content."""
        return next((s for s in self.made if s.digest == self.evidence.digest and s.seat_id is None), None)

    @property
    def signed_letters(self) -> tuple[str, ...]:
        """The letters of all sides that have signed the present content, and `SCOREKEEPER` if the scorekeeper has."""
        signed = (seat.side for seat in self.evidence.written.seats if seat.pk in self.signed_seats)
        return (*signed, *((SCOREKEEPER,) if self.by_scorekeeper is not None else ()))

    @property
    def missing_others(self) -> tuple[str, ...]:
        """The people besides the players who still have to sign, such as the scorekeeper."""
        besides = self.evidence.written.sheet.variant.signs_besides
        return () if self.by_scorekeeper is not None else besides

    @property
    def missing_names(self) -> tuple[str, ...]:
        written = self.evidence.written
        return (*(written.name_of(seat) for seat in self.missing), *map(str, self.missing_others))

    @property
    def missing_letters(self) -> tuple[tuple[str, str], ...]:
        """The letter and name of everybody who still has to sign. The scorekeeper's letter is `SCOREKEEPER`."""
        written = self.evidence.written
        sides = ((seat.side, written.name_of(seat)) for seat in self.missing)
        return (*sides, *((SCOREKEEPER, str(name)) for name in self.missing_others))


@dataclass(frozen=True)
class _CardClock:
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


# --- The whole card --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SideView:
    """A side of a card for a page. `number` is None if the side is a team."""

    seat: CardSeat
    name: str
    total: int
    has_won: bool
    has_signed: bool

    @property
    def number(self) -> int | None:
        return self.seat.entrant.number if self.seat.entrant else None


@dataclass(frozen=True)
class CardState(WrittenCard):
    """One card, computed from its facts: what is written on it, its score, signatures and clock."""

    signed: tuple[Signature, ...] = field(default=(), repr=False)
    postings: tuple[CardPosted, ...] = field(default=(), repr=False)
    version: CardVersion | None = field(default=None, repr=False)
    """The version with exactly this content, once a write has recorded or found it."""

    @cached_property
    def score(self) -> CardScore:
        return CardScore(self)

    @cached_property
    def evidence(self) -> CardEvidence:
        return CardEvidence(self, self.score)

    @cached_property
    def signatures(self) -> CardSignatures:
        return CardSignatures(self.evidence, self.signed)

    @cached_property
    def clock(self) -> _CardClock:
        return _CardClock(self.evidence, self.postings)

    @cached_property
    def draw(self) -> DrawnSides:
        """The draw at the table of this card."""
        return DrawnSides(self)

    @property
    def digest(self) -> str:
        return self.evidence.digest

    @property
    def is_complete(self) -> bool:
        return self.score.is_complete

    @property
    def is_posted(self) -> bool:
        """Whether the card counts: its present content was posted, or the game was closed."""
        return self.clock.is_posted

    @property
    def state(self) -> str:
        """The state as one word.

        It is `ready` (nothing is entered), `playing`, `unsigned` or `posted`. If the game was ended early, it is
        `closed`, `time-called` or `undecided`.
        """
        if self.score.verdict is not None:
            waiting = "time-called" if self.score.takes_hands else "undecided"
            return "closed" if self.score.is_closed else waiting
        if self.is_complete:
            return "posted" if self.is_posted else "unsigned"
        return "playing" if self.lines else "ready"

    @property
    def sides(self) -> tuple[SideView, ...]:
        """The sides of the card in order, for the pages."""
        won, signed = self.score.winning_seat, self.signatures.signed_seats
        each = zip(self.seats, self.names, self.score.totals, strict=True)
        return tuple(SideView(seat, name, total, seat == won, seat.pk in signed) for seat, name, total in each)

    def with_facts(self, **facts: Any) -> CardState:
        """Return this card with added signatures or postings, without computing or loading it again."""
        made = replace(self, **facts)
        made.__dict__.update({name: self.__dict__[name] for name in _COMPUTED_PROPERTIES if name in self.__dict__})
        return made


_COMPUTED_PROPERTIES: Final = (
    *(name for name, each in vars(WrittenCard).items() if isinstance(each, cached_property)),
    "score",
    "evidence",
    "draw",
)
"""The computed properties that stay valid when a card is signed or posted."""


def card_state_of(card: Card, facts: CardFacts | None = None) -> CardState:
    """Return the state of a card of `cards_with_facts`.

    With `facts`, it is the state that the card had when only those facts existed.
    """
    facts = facts or current_card_facts(card)
    entered = group_corrections(facts.lines)
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
        keeper=keeper_of(seats, facts.cuts),
        table=table_of(card, entered),
        signed=signatures,
        postings=tuple(card.postings.all()),
        facts=facts,
        revision=revision_of(card, facts),
        drawn=drawn,
    )


def state_before_hand(state: CardState, hand: str) -> CardState:
    """Return the card as it was before this hand, or unchanged if the hand is not recorded yet.

    A form that is sent twice is then read the same way both times, so the second one is recognized as a repeat.
    """
    number = typed_number(hand) or 0
    if not 0 < number <= len(state.lines):
        return state
    later = [line for line in state.facts.lines if line.number >= number]
    acts = {line.at for line in later}  # the draw can be sent with the hand
    lines = tuple(line for line in state.facts.lines if line.number < number)
    cuts = tuple(cut for cut in state.facts.cuts if cut.at not in acts)
    return card_state_of(state.card, replace(state.facts, lines=lines, cuts=cuts))


# --- Load cards with their facts -------------------------------------------------------------------------------------


def cards_with_facts() -> QuerySet[Card]:
    """Return cards with everything that `card_state_of` needs, in a constant number of queries."""
    return _cards_with_seats().prefetch_related(*_prefetched_facts())


def cards_without_facts() -> QuerySet[Card]:
    """Return cards for `load_states`, which loads their facts."""
    return with_first_facts(Card.objects.select_related("match__event__tournament", "sheet"))


def load_states(cards: QuerySet[Card]) -> list[CardState]:
    """Return the state of each of `cards_without_facts`. The usual case of a single card uses prepared queries."""
    found = list(cards)
    if len(found) == 1:
        load_seats(found[0])
        load_card_facts(found[0])
    else:
        prefetch_related_objects(found, with_seats(), *_prefetched_facts())
    return [card_state_of(card) for card in found]


def _cards_with_seats() -> QuerySet[Card]:
    return cards_without_facts().prefetch_related(with_seats())


def _prefetched_facts() -> tuple[str | Prefetch[str], ...]:
    return "lines", "cuts", "signatures", "postings", "match__calls", prefetch_closings()


def with_seats() -> Prefetch[str]:
    """Return a prefetch of the seats of cards with their entrants."""
    return Prefetch("seats", CardSeat.objects.select_related("entrant"))


def find_card(token: str) -> Card:
    """Return the card at this address with its seats. Its facts are not loaded yet."""
    card = _cards_with_seats().filter(token=token).first()
    if card is None:
        raise NotFound(
            "no-card", _("There is no score card at this address. Ask the desk for the score card of your table.")
        )
    return card


def load_card_state(card: Card) -> CardState:
    """Return the state of a card of `find_card`."""
    load_card_facts(card)
    return card_state_of(card)


def load_card(token: str) -> CardState:
    return load_card_state(find_card(token))


def load_card_by_pk(pk: int) -> CardState:
    """Return the state of a card. Inside a transaction the state is cached until the next write."""
    return cached_in_transaction(("card", pk), lambda: _load_one(pk))


def _load_one(pk: int) -> CardState:
    found = _card_by_pk(pk)
    if not found:
        raise Card.DoesNotExist
    load_seats(found[0])
    return load_card_state(found[0])


_card_by_pk = Prepared(lambda pk: cards_without_facts().filter(pk=pk))


_seats_of_card = Prepared(lambda card: CardSeat.objects.select_related("entrant").filter(card=card))


_calls_of_match = Prepared(lambda match: TableCall.objects.filter(match=match))


_FACTS_OF_CARD: Final[dict[str, Prepared[Any]]] = {
    "lines": Prepared(lambda card: SheetLine.objects.filter(card=card)),
    "cuts": Prepared(lambda card: Cut.objects.filter(card=card)),
    "signatures": Prepared(lambda card: Signature.objects.filter(card=card)),
    "postings": Prepared(lambda card: CardPosted.objects.filter(card=card)),
    "closings": Prepared(lambda card: closings_with_undoing().filter(card=card)),
}
"""The prepared queries for the facts of a single card, by relation."""


def load_seats(card: Card) -> None:
    keep_related(card, "seats", _seats_of_card(card.pk), back="card")


def load_card_facts(card: Card, *, there: Collection[str] = tuple(_FACTS_OF_CARD)) -> None:
    """Load everything that `card_state_of` needs except the seats.

    Relations that are not in `there` are set to empty without a query.
    """
    for name, rows in _FACTS_OF_CARD.items():
        keep_related(card, name, rows(card.pk) if name in there else (), back="card")
    keep_related(card.match, "calls", _calls_of_match(card.match_id), back="match")


def load_match_cards(match_id: int, key: str | None = None, *, known: CardState | None = None) -> list[CardState]:
    """Return the cards of a match by game.

    With `key` (`Card.sides_key`) only the cards of these sides and those of teams are returned. Cards of earlier sides,
    which a correction replaced, are then left out. `known` is a card whose state is already loaded.
    """
    cards = cards_without_facts().filter(match_id=match_id)
    if key is not None:
        cards = cards.filter(sides_key__in=(key, ""))
    if known is None:
        return load_states(cards.order_by("game", "pk"))
    found = load_states(cards.exclude(pk=known.card.pk).order_by("game", "pk"))
    return replace_state(found, known) if key is None or known.card.sides_key in (key, "") else found


def replace_state(cards: Iterable[CardState], known: CardState) -> list[CardState]:
    """Return the cards of a match by game, with `known` in the place of the same card."""
    others = (state for state in cards if state.card.pk != known.card.pk)
    return sorted([*others, known], key=lambda state: (state.card.game, state.card.pk))


# --- Cached cards ----------------------------------------------------------------------------------------------------
# Pages with many cards use the cache. A card is loaded again only after a write on its match.


def load_cached_cards(event: Event, match_of: Mapping[int, int], versions: Mapping[str, int]) -> list[CardState]:
    """Return the cards with these keys in their order. `match_of` has the key of each card's match.

    Load `versions` (`versions_by_topic`) before the keys of the cards, or a write in between is missed.
    """

    def make(missing: list[tuple[str, int]]) -> dict[tuple[str, int], CardState]:
        cards = list(cards_with_facts().filter(pk__in=[pk for _kind, pk in missing]))
        for card in cards:
            card.match.event = event  # all cards share one event object; each row came with its own
        return {("kept-card", card.pk): card_state_of(card) for card in cards}

    topics = {("kept-card", pk): (match_topic(match),) for pk, match in match_of.items()}
    return list(cached_each(event.pk, topics, versions, make).values())


# --- Table now -------------------------------------------------------------------------------------------------------
# The open score cards at a table, across all events of a tournament.


def load_open_cards_at_table(tournament: Tournament, table: int) -> list[CardState]:
    """Return the cards at a table that are not posted, of the undecided match that was called there in each event."""
    open_cards: list[CardState] = []
    for event in tournament.events.filter(state=Event.State.IN_PLAY):
        match = busy_tables(event).get(table)
        if match is not None:
            open_cards += [state for state in load_match_cards(match) if not state.is_posted]
    return open_cards
