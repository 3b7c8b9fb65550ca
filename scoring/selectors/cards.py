"""Score cards as they stand: facts in, one pure value out. Everything a page, a paper or a service asks is here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from django.db.models import QuerySet

from scoring.models import Card, CardPosted, Cut, SheetLine, Signature
from scoring.rules.case import read_sheet
from scoring.rules.content import CardContent, GamePlace, Seat, canonical_bytes, digest
from scoring.rules.sheets import RESERVED_NAMES, Sheet, tally
from scoring.rules.variant import Row, Tally
from tournament.errors import NotFound
from tournament.models import Entrant

SIDES: Final = ("A", "B")
"""The sheet's own names for its sides: A is `Card.one`, B is `Card.other`; people read the names of the entrants."""


@dataclass(frozen=True)
class Entered:
    """What is entered for one hand: the line that counts now, and the ones it superseded, the first first."""

    fact: SheetLine
    earlier: tuple[SheetLine, ...] = ()

    @property
    def is_struck(self) -> bool:
        return self.fact.line is None


@dataclass(frozen=True)
class CardState:
    """One card, computed from its facts."""

    card: Card
    entered: tuple[Entered, ...]
    keeper_id: int | None
    table: int | None
    signatures: tuple[Signature, ...] = field(repr=False)
    postings: tuple[CardPosted, ...] = field(repr=False)

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        """The lines that count, in the order of the hands."""
        return tuple(entered.fact for entered in self.entered if not entered.is_struck)

    @cached_property
    def names(self) -> tuple[str, str]:
        """What the players are called on this card, always two different names."""
        one = self.card.one_name or self.card.one.name
        other = self.card.other_name or self.card.other.name
        if one != other and not {one, other} & set(RESERVED_NAMES):
            return one, other
        return f"{one} ({self.card.one.number})", f"{other} ({self.card.other.number})"

    @cached_property
    def short_names(self) -> tuple[str, str]:
        """For the heads of narrow columns; the names in full where the short ones are the same."""
        one, other = (short_name(name) for name in self.names)
        return (one, other) if one != other else self.names

    @cached_property
    def sheet(self) -> Sheet:
        return self._sheet_of(SIDES, [line.line for line in self.lines])

    @cached_property
    def named_sheet(self) -> Sheet:
        """The same sheet with the players' names as its sides, so that every sentence says them."""
        return self._sheet_of(self.names, [self.with_names(line.line) for line in self.lines])

    @cached_property
    def tally(self) -> Tally:
        return tally(self.sheet)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        return self.named_sheet.rows()

    @property
    def totals(self) -> tuple[int, int]:
        return self.tally.totals["A"], self.tally.totals["B"]

    @property
    def winner(self) -> Entrant | None:
        return self.entrant_of(self.tally.winner) if self.tally.winner else None

    @cached_property
    def content(self) -> CardContent:
        event = self.card.match.event
        one, other = self.card.one, self.card.other
        place = GamePlace(
            event=f"{event.tournament.slug}/{event.slug}",
            match=self.card.match.ident,
            game=self.card.game,
            table=None if self.table is None else str(self.table),
        )
        return CardContent(
            place=place,
            sheet=self.sheet,
            rule_sheet_version=self.card.sheet.version,
            seats=(Seat("A", one.number, self.names[0]), Seat("B", other.number, self.names[1])),
            keeper=None if self.keeper_id is None else self.side_of(self.keeper_id),
        )

    @cached_property
    def digest(self) -> str:
        return digest(self.content)

    @property
    def canonical(self) -> bytes:
        return canonical_bytes(self.content)

    def side_of(self, entrant_id: int) -> str:
        return SIDES[0] if entrant_id == self.card.one_id else SIDES[1]

    def entrant_of(self, side: str) -> Entrant:
        return self.card.one if side == SIDES[0] else self.card.other

    def name_of(self, entrant_id: int) -> str:
        return self.names[SIDES.index(self.side_of(entrant_id))]

    @property
    def is_complete(self) -> bool:
        return self.tally.complete

    @property
    def is_posted(self) -> bool:
        """Posted with exactly what is on it now."""
        return bool(self.postings) and any(posted.digest == self.digest for posted in self.postings)

    @property
    def was_posted(self) -> bool:
        """Posted, and changed since: it counts again once it is signed again."""
        return bool(self.postings) and not self.is_posted

    @property
    def signed_by(self) -> frozenset[int]:
        """The entrants whose signature covers what is on the card now."""
        return frozenset(s.entrant_id for s in self.signatures if s.digest == self.digest)

    @property
    def fallen(self) -> tuple[Signature, ...]:
        """Signatures under an earlier content, of players who have not signed the present one."""
        return tuple(s for s in self.signatures if s.digest != self.digest and s.entrant_id not in self.signed_by)

    @property
    def missing(self) -> tuple[Entrant, ...]:
        return tuple(who for who in (self.card.one, self.card.other) if who.pk not in self.signed_by)

    @property
    def state(self) -> str:
        """`ready` (nothing on it), `playing`, `unsigned`, `posted`."""
        if self.is_complete:
            return "posted" if self.is_posted else "unsigned"
        return "playing" if self.lines else "ready"

    def with_names(self, value: Any) -> Any:
        """A line as stored, with the names for A and B."""
        return rename(value, dict(zip(SIDES, self.names, strict=True)))

    def _sheet_of(self, sides: Iterable[str], lines: list[Any]) -> Sheet:
        rules = self.card.sheet
        return read_sheet({"rules": rules.variant, "options": rules.options, "sides": list(sides), "lines": lines})


def short_name(name: str) -> str:
    """The last word of a name, with what belongs to it.

    >>> short_name("Marie Skłodowska-Curie"), short_name("John Smith Jr."), short_name("Ada")
    ('Skłodowska-Curie', 'Smith Jr.', 'Ada')
    """
    words = name.split()
    taken = 2 if words[-1:] and words[-1].rstrip(".").lower() in ("jr", "sr", "ii", "iii", "iv") else 1
    return " ".join(words[-taken:]) or name


def rename(value: Any, names: dict[str, str]) -> Any:
    """The side names in a line replaced, as keys and as values; a card or an outcome is never called A or B.

    >>> rename({"by": "A", "counts": {"A": 5, "B": 20}}, {"A": "Ann", "B": "Bob"})
    {'by': 'Ann', 'counts': {'Ann': 5, 'Bob': 20}}
    """
    if isinstance(value, dict):
        return {names.get(key, key): rename(held, names) for key, held in value.items()}
    if isinstance(value, str):
        return names.get(value, value)
    return value


def cards_with_facts() -> QuerySet[Card]:
    """Cards with all that `read_card` needs: as many queries for one as for a thousand."""
    return Card.objects.select_related("match__event__tournament", "one", "other", "sheet").prefetch_related(
        "lines", "cuts", "signatures", "postings", "match__calls"
    )


def read_card(card: Card) -> CardState:
    """The state of a card of `cards_with_facts`."""
    entered = _entered(card.lines.all())
    cuts: list[Cut] = list(card.cuts.all())
    return CardState(
        card=card,
        entered=entered,
        keeper_id=cuts[-1].keeper_id if cuts else None,
        table=_table(card, entered),
        signatures=tuple(card.signatures.all()),
        postings=tuple(card.postings.all()),
    )


def load_card(token: str) -> CardState:
    card = cards_with_facts().filter(token=token).first()
    if card is None:
        raise NotFound("no-card", "There is no card at this address. Ask the desk for the card of your table.")
    return read_card(card)


def load_card_by_pk(pk: int) -> CardState:
    return read_card(cards_with_facts().get(pk=pk))


def load_match_cards(match_id: int, sides: Iterable[int]) -> list[CardState]:
    """The cards of a match between these two entrants, by game; cards of sides that were corrected away stay out."""
    pair = tuple(sides)
    cards = cards_with_facts().filter(match_id=match_id, one_id__in=pair, other_id__in=pair)
    return [read_card(card) for card in cards.order_by("game")]


def _entered(facts: Iterable[SheetLine]) -> tuple[Entered, ...]:
    """One item a hand, in the order of first entry, with the corrections folded in."""
    by_pk = {fact.pk: fact for fact in facts}
    superseded = {fact.supersedes_id for fact in by_pk.values()}
    last = [fact for fact in by_pk.values() if fact.pk not in superseded]
    return tuple(Entered(fact, _before(fact, by_pk)) for fact in sorted(last, key=lambda f: f.number))


def _before(fact: SheetLine, by_pk: dict[int, SheetLine]) -> tuple[SheetLine, ...]:
    earlier: list[SheetLine] = []
    while fact.supersedes_id is not None:
        fact = by_pk[fact.supersedes_id]
        earlier.append(fact)
    return tuple(reversed(earlier))


def _table(card: Card, entered: tuple[Entered, ...]) -> int | None:
    """Where the game was played: the table called last before the last line, so that a later call changes no card."""
    calls = list(card.match.calls.all())
    if entered:
        last = max(item.fact.at for item in entered)
        calls = [call for call in calls if call.at <= last]
    return calls[-1].table if calls else None
