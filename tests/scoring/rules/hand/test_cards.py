import pytest

from scoring.rules.hand.cards import DECK, parse_card
from tournament.errors import InvalidInput


def test_a_deck_has_52_cards_worth_340_points() -> None:
    assert len(DECK) == 52
    assert sum(card.value for card in DECK.values()) == 340
    assert all(str(card) == written == str(parse_card(written)) for written, card in DECK.items())


@pytest.mark.parametrize(
    ("written", "value", "name", "symbol"),
    [
        ("AS", 1, "ace of spades", "A♠"),
        ("2C", 2, "two of clubs", "2♣"),
        ("9D", 9, "nine of diamonds", "9♦"),
        ("TH", 10, "ten of hearts", "10♥"),
        ("JC", 10, "jack of clubs", "J♣"),
        ("QD", 10, "queen of diamonds", "Q♦"),
        ("KS", 10, "king of spades", "K♠"),
    ],
)
def test_a_card_has_its_value_and_its_name(written: str, value: int, name: str, symbol: str) -> None:
    card = parse_card(written)
    assert (card.value, card.name, card.symbol) == (value, name, symbol)
    assert (card.is_ace, card.is_spade) == (written[0] == "A", written[1] == "S")


@pytest.mark.parametrize("written", ["", "T", "10H", "8h", "HT", " 8H", "1H", "0H", "8X", "8♥", "8HH"])
def test_a_text_that_is_not_a_card_is_refused(written: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_card(written)
    assert [(p.code, p.path) for p in refused.value.problems] == [("bad-card", "")]
    assert f'"{written}" is not a card' in refused.value.problems[0].message
    assert "TH for the ten of hearts" in refused.value.problems[0].message
