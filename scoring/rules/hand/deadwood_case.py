"""Read a hand from JSON and answer the `deadwood` command (CONTRACTS.md, deadwood)."""

from collections.abc import Iterable
from typing import Any, Final, cast

from scoring.rules.hand.arrangement import arrange_against, refuse_hands
from scoring.rules.hand.cards import PlayingCard, read_card
from scoring.rules.hand.melds import Ace
from tournament.cases import Fields, Problems, read_list, read_text

LONGEST_TEXT: Final = 200
"""The longest accepted text of cards: more than a whole deck takes."""

Cards = list[PlayingCard | None]
NO_MELDS: Final[list[Cards]] = []


def answer_deadwood(case: dict[str, Any]) -> dict[str, Any]:
    """Return the best arrangement of a case, without `ok`.

    >>> answer_deadwood({"hand": "KD 4S 8S QD 2C 7H 7D 7C", "knocker": ["5S 6S 7S"]})
    {'deadwood': 22, 'melds': ['7H 7D 7C'], 'loose': 'KD QD 2C', 'layoffs': {'5S 6S 7S': '4S 8S'}}

    Raises:
        BadCase: the case has problems, and the error lists all of them.
    """
    problems = Problems()
    fields = Fields(case, problems)
    hand = fields.read("hand", _read_cards)
    knocker = fields.read("knocker", _read_melds, NO_MELDS)
    # If the ace option cannot be read, allow both ways, so that no meld is refused because of it.
    ace = Ace(fields.choice("ace", list(Ace), default=Ace.BOTH if "ace" in fields else Ace.LOW))
    fields.finish()
    refuse_hands(hand, knocker, ace, problems)
    problems.check()
    best = arrange_against(cast("list[PlayingCard]", hand), cast("list[list[PlayingCard]]", knocker), ace=ace)
    melds = [_written(meld) for meld in best.melds]
    answer = {"deadwood": best.deadwood, "melds": melds, "loose": _written(best.loose)}
    if "knocker" not in case:
        return answer
    layoffs = zip(case["knocker"], best.layoffs, strict=True)
    return answer | {"layoffs": {meld: _written(cards) for meld, cards in layoffs if cards}}


def _read_cards(value: object, path: str, problems: Problems) -> Cards | None:
    """Return the cards of a text, with None for each card that cannot be read."""
    text = read_text(value, path, problems, longest=LONGEST_TEXT)
    return None if text is None else [read_card(written, path, problems) for written in text.split()]


def _read_melds(value: object, path: str, problems: Problems) -> list[Cards] | None:
    melds = read_list(value, path, problems)
    if melds is None:
        return None
    read = [_read_cards(meld, f"{path}[{i}]", problems) for i, meld in enumerate(melds)]
    return [[None] if cards is None else cards for cards in read]


def _written(cards: Iterable[PlayingCard]) -> str:
    return " ".join(map(str, cards))
