"""The cards of a deck, written as two characters: rank, then suit (`TH` is the ten of hearts).

Ranks are `A23456789TJQK`, and suits are `CDHS`. An ace counts 1, number cards their number, and face cards 10.
"""

from dataclasses import dataclass
from typing import Final

from tournament.cases import ProblemCollector, describe_value, read_unchecked_list
from tournament.errors import InvalidInput
from tournament.lazy_text import lazy_text

RANKS: Final = "A23456789TJQK"
SUITS: Final = "CDHS"

RANK_NAMES: Final = dict(
    zip(
        RANKS,
        [
            *(
                lazy_text("ace"),
                lazy_text("two"),
                lazy_text("three"),
                lazy_text("four"),
                lazy_text("five"),
                lazy_text("six"),
            ),
            *(lazy_text("seven"), lazy_text("eight"), lazy_text("nine"), lazy_text("ten")),
            *(lazy_text("jack"), lazy_text("queen"), lazy_text("king")),
        ],
        strict=True,
    )
)
SUIT_NAMES: Final = dict(
    zip(SUITS, [lazy_text("clubs"), lazy_text("diamonds"), lazy_text("hearts"), lazy_text("spades")], strict=True)
)
SUIT_SYMBOLS: Final = dict(zip(SUITS, "♣♦♥♠", strict=True))


@dataclass(frozen=True, slots=True)
class PlayingCard:
    rank: str
    suit: str

    @property
    def value(self) -> int:
        """The card's points if it is unmatched. An up card's points are also the knock limit (GRA 2012, singles 4)."""
        return min(RANKS.index(self.rank) + 1, 10)

    @property
    def is_ace(self) -> bool:
        return self.rank == "A"

    @property
    def is_spade(self) -> bool:
        return self.suit == "S"

    @property
    def name(self) -> str:
        return lazy_text("%(rank)s of %(suit)s", rank=RANK_NAMES[self.rank], suit=SUIT_NAMES[self.suit])

    @property
    def symbol(self) -> str:
        """The card as players write it, such as “10♥”."""
        return f"{'10' if self.rank == 'T' else self.rank}{SUIT_SYMBOLS[self.suit]}"

    def __str__(self) -> str:
        return self.rank + self.suit


DECK: Final = {rank + suit: PlayingCard(rank, suit) for suit in SUITS for rank in RANKS}
"""All 52 cards by their two-character code."""


def read_card(value: object, path: str, problems: ProblemCollector) -> PlayingCard | None:
    """Return the card for a two-character code. If it is not a card, add the problem `bad-card` and return None."""
    card = DECK.get(value) if isinstance(value, str) else None
    if card is None:
        message = lazy_text(
            "%(value)s is not a card: write rank and suit, like TH for the ten of hearts.", value=describe_value(value)
        )
        problems.add("bad-card", path, message)
    return card


def read_cards(value: object, path: str, problems: ProblemCollector) -> tuple[PlayingCard, ...]:
    """Return the readable cards of a list.

    Add the problem `bad-value` if the value is not a list. Add `bad-card` for each unreadable or duplicate card.
    """
    cards: list[PlayingCard] = []
    for i, entry in enumerate(read_unchecked_list(value, path, problems) or []):
        card = read_card(entry, f"{path}[{i}]", problems)
        if card is not None and card in cards:
            message = lazy_text("%(card)s stands here twice: a deck has one %(name)s.", card=card, name=card.name)
            problems.add("bad-card", f"{path}[{i}]", message)
        elif card is not None:
            cards.append(card)
    return tuple(cards)


def parse_card(text: str) -> PlayingCard:
    """Return the card for a two-character code.

    >>> parse_card("TH").name, parse_card("TH").value
    ('ten of hearts', 10)

    Raises:
        InvalidInput: `bad-card`.
    """
    problems = ProblemCollector()
    card = read_card(text, "", problems)
    if card is None:
        raise InvalidInput(problems.found)
    return card


def format_card_symbol(code: str) -> str:
    """Return a card as players write it. Other strings are returned unchanged.

    >>> format_card_symbol("TH"), format_card_symbol("joker")
    ('10♥', 'joker')
    """
    return DECK[code].symbol if code in DECK else code
