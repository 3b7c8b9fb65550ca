"""The other games of the Metzker book, as data for their score pads.

Source: Metzker Book of Card Game Rules 2026 (revision 1, January 2026), the page of each game. Left out are the games
in which nothing is written down (docs/rules/score-pad.md says which and why), and the two with sheets of their own,
Court Whist and the gin rummy tournament.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from scoring.rules.variants.score_pad.pad import ELECTED_KEEPER, HIGH_WINS, LOW_WINS, RANDOM_DEALER, Pad, PadRound
from scoring.rules.variants.table_draw import DrawnPlace, TableDraw
from tournament.cases import described
from tournament.errors import BadCase, Problem

_ORDINALS: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th")
_SUITS: Final = ("Clubs", "Diamonds", "Hearts", "Spades")


def _rounds(*asks: str) -> tuple[PadRound, ...]:
    """Rounds that are only counted: 1st, 2nd, 3rd."""
    return tuple(PadRound(_ORDINALS[i], each) for i, each in enumerate(asks))


def _wild_ranks() -> tuple[PadRound, ...]:
    """Arizona Rummy: 3s to Kings, so many cards as the wild rank counts."""
    named = [(f"{n}s", n) for n in range(3, 11)] + [("Jacks", 11), ("Queens", 12), ("Kings", 13)]
    return tuple(PadRound(rank, f"deal {cards}, {rank} are wild") for rank, cards in named)


def _down_and_up(most: int) -> tuple[PadRound, ...]:
    """Oh Hell!: one card fewer each round down to one, then one more each round."""
    cards = [*range(most, 0, -1), *range(2, most + 1)]
    return tuple(PadRound("1 card" if n == 1 else f"{n} cards", "bid blind, on the third knock" if n == 1 else "")
                 for n in cards)  # fmt: skip


_LOW_PLAYS_FIRST: Final = TableDraw(
    rule="Metzker Book, page 12",
    ask="Cut for deal.",
    question="Who cut the low card?",
    words="Low card plays first: that matters, for there are five hands.",
    places=(DrawnPlace("Low card", "plays first", "plays first"),),
    keeper=ELECTED_KEEPER,
)
_THE_DOUBLE: Final = TableDraw(
    rule="Metzker Book, pages 20 and 21",
    ask="Draw until somebody has the double of the round.",
    words="The player with the double begins. Where nobody was dealt it, each draws from the pile.",
    keeper=ELECTED_KEEPER,
)
_THROWS_FIRST: Final = TableDraw(
    rule="", ask="Agree on who throws first.", words="The book does not say who throws first.", keeper=ELECTED_KEEPER
)
_DECIDE_WHO_DEALS: Final = replace(
    RANDOM_DEALER, rule="Metzker Book, page 9", ask="Decide who deals.", words="One deals the hand, another the foot."
)

_RUMMY_COUNTS: Final = (("K-10", "10 points"), ("9-3", "5 points"))
_HELL_NOTES: Final = (
    "A bid made exactly scores the bid with a 1 in front: 0 becomes 10, 1 becomes 11. Otherwise nothing.",
    "The dealer may not bid what would make the bids add up to the cards dealt.",
)

_BOOK: Final = (
    Pad(
        name="10-dime-rummy", title="10 Dime Rummy", page="1", players="any number", wins=HIGH_WINS, unit=5,
        rounds=_rounds(
            "1 set of 3", "2 sets of 3", "1 set of 4", "2 sets of 4",
            "1 set of 5", "2 sets of 5", "1 set of 6", "2 sets of 6",
        ),
        wild="Jokers and 2s are wild; sets only.",
        counts=(("Jokers", "50 points"), ("2s", "25 points"), ("Aces", "20 points"), *_RUMMY_COUNTS),
        notes=("Count all points played out in front of you less any cards still in your hand.",
               "The highest score after the 8th round wins the pot."),
    ),
    Pad(
        name="500-rummy", title="500 Rummy", page="2", players="4, two teams", sides=(2, 2), wins=HIGH_WINS,
        target=500, losing_total=-150, unit=5,
        counts=(("Aces", "10 points"), ("10's", "10 points"), ("5's", "5 points"), ("Queen of spades", "25 points"),
                ("Total a hand", "125 points")),
        notes=("The bidding team scores what it took if that is its bid or more, else minus its bid; a no trump bid "
               "that is made scores 50 extra.",
               "The other team always scores what it took, up to 495 in all: one must bid out to win at 500."),
    ),
    Pad(
        name="arizona-rummy", title="Arizona Rummy", page="3", players="any number", wins=LOW_WINS, unit=5,
        rounds=_wild_ranks(),
        wild="The rank of the round is wild; at least one natural card in each grouping.",
        counts=(("Jokers", "50 points"), ("Wilds", "25 points"), ("Ace", "20 points"), ("K-10", "10 points"),
                ("9-2", "5 points")),
        notes=("Count back the cards remaining in your hand.",),
    ),
    Pad(
        name="canadian-salad", title="Canadian Salad (Whist)", page="4", players="4", sides=(4, 4), wins=LOW_WINS,
        unit=5,
        rounds=(
            PadRound("Red cards", "5 points each", 130, 100),
            PadRound("Even cards", "2, 4, 6, 8, 10, Q: 5 points each", 120, 100),
            PadRound("Each trick", "10 points each", 130, 100),
            PadRound("Each heart", "10 points each", 130, 100),
            PadRound("Each face card", "10 points each", 120, 100),
            PadRound("Each seven", "30 points each", 120, 100),
            PadRound("Each ace", "30 points each", 120, 100),
            PadRound("Each queen", "30 points each", 120, 100),
            PadRound("King of spades", "75 points", 75),
            PadRound("Last trick", "75 points", 75),
        ),
        notes=("No trumps at all; the player who takes the trick counts the cards in it.",
               "The player with all cards of interest scores 0 and everyone else 100; not for the king of spades and "
               "the last trick."),
    ),
    Pad(
        name="desert-rummy", title="Desert Rummy", page="5", players="any number", wins=HIGH_WINS, target=11,
        steps=(
            "2 sets of 3", "2 runs of 3", "1 run of 4 and 1 set of 3", "2 sets of 4", "1 run of 5 and 1 set of 3",
            "3 sets of 3", "1 run of 7", "2 runs of 4 in same suit", "1 run of 6 and 1 set of 3", "2 sets of 5",
            "1 run of 9",
        ),
        wild="Jokers and twos are wild; at least as many tame cards as wilds.",
        notes=("There are no points: write 1 for everybody who melded in this hand, 0 for the others.",
               "Players each work on their own meld. The first to complete the 11th wins."),
    ),
    Pad(
        name="euchre", title="Euchre", page="6", players="4, two teams", sides=(2, 2), wins=HIGH_WINS, target=10,
        counts=(("Bidding team, 3-4 tricks", "1 point"), ("Bidding team, 5 tricks", "2 points"),
                ("5 tricks, going alone", "4 points"), ("Bidding team under 3 tricks: Euchre!", "other team 2 points")),
    ),
    Pad(
        name="five-hundreds", title="Five Hundreds", page="7", players="2 to 4", sides=(2, 4), wins=HIGH_WINS,
        target=500, unit=5, wild="There are no wilds.",
        counts=(("Ace", "25 points"), ("K-10", "10 points"), ("9-2", "5 points")),
        notes=("Count back any cards in your hand against any cards on the table.",
               "If several go over 500 in the same round, the higher score wins."),
    ),
    Pad(
        name="golf", title="Golf", page="8", players="any number", wins=LOW_WINS, rounds=_rounds(*[""] * 9),
        counts=(("Kings", "free"), ("Pair", "free: two of the same value, one above the other"), ("Red 7s", "free"),
                ("Jokers", "minus 5"), ("Q-10", "10"), ("9-2", "face value"), ("Ace", "1"),
                ("Block of 4 cards", "minus 10"), ("Block of 4 jokers", "minus 50")),
        notes=("The highest score of a round pays a quarter, everybody who ties for it too; double if they knocked.",),
    ),
    Pad(
        name="hand-and-foot-canasta", title="Hand and Foot Canasta", page="9–10", players="2, 4 or 6, two teams",
        draw=_DECIDE_WHO_DEALS, sides=(2, 2), wins=HIGH_WINS, unit=5,
        rounds=_rounds("minimum meld 90", "minimum meld 120", "minimum meld 150", "minimum meld 180"),
        wild="Jokers and 2s are wild; at least as many naturals as wild to start each set.",
        counts=(("Jokers", "50 points"), ("2s", "25 points"), ("Ace", "20 points"), ("K-8", "10 points"),
                ("4-7", "5 points"), ("Black 3", "5 points"), ("For going out", "100 points"),
                ("Red three", "100 points each"), ("Red canasta, 7 natural cards", "500 points"),
                ("Black canasta, naturals and wilds", "300 points"), ("Wild canasta, 7 wild cards", "2000 points")),
        notes=("The over: the canastas. The under: the card count of all cards on the table, less the cards in hand "
               "or foot.",
               "Without a meld, red threes on the table count against you."),
    ),
    Pad(
        name="hearts", title="Hearts", page="11", players="any number", wins=LOW_WINS, target=100,
        turns=tuple(PadRound("", asks, 26, 26)
                    for asks in ("pass left", "pass right", "pass across", "no passing (keeper)")),
        counts=(("Hearts", "1 point each"), ("Queen of spades", "13 points"),
                ("POWER: all hearts and the queen of spades", "26 points to every other player, 0 to the one")),
        notes=("Three cards are passed, two where more than four play; across is then two players to the left.",
               "The player who takes the first trick counts the points in the kitty at the end.",
               "Once anybody reaches 100 the game is over, and the lowest score wins."),
    ),
    Pad(
        name="honeymoon-whist", title="Honeymoon Whist", page="12", players="2", sides=(2, 2), wins=HIGH_WINS,
        draw=_LOW_PLAYS_FIRST,
        rounds=(*(PadRound(suit, f"{suit} trump") for suit in _SUITS), PadRound("No-trump", "no trump")),
        notes=("You score tricks after you take 6.",),
    ),
    Pad(
        name="horseshit-rummy", title="Horseshit Rummy", page="13", players="any number", wins=HIGH_WINS, target=1500,
        unit=5, wild="The dealer's face up card is wild for everyone; 2s and jokers are removed; sets only.",
        counts=(("Wilds", "100 points"), ("Ace", "100 points (alternate rule: 50)"), *_RUMMY_COUNTS),
        notes=("Count all points played out in front of you less any cards still in your hand.",),
    ),
    Pad(
        name="oh-hell", title="Oh Hell! (3 to 5 players)", page="14", players="3 to 5", sides=(3, 5), wins=HIGH_WINS,
        rounds=_down_and_up(10), notes=_HELL_NOTES,
    ),
    Pad(
        name="oh-hell-6-7", title="Oh Hell! (6 or 7 players)", page="14", players="6 or 7", sides=(6, 7),
        wins=HIGH_WINS, rounds=_down_and_up(7), notes=_HELL_NOTES,
    ),
    Pad(
        name="push", title="Push (Rummy)", page="15", players="4, two teams", sides=(2, 2), wins=LOW_WINS, unit=5,
        rounds=_rounds(
            "6 cards dealt: 2 sets of three", "7 cards dealt: 1 set of 3, 1 run of 4", "8 cards dealt: 2 runs of 4",
            "9 cards dealt: 3 sets of 3", "10 cards dealt: 2 runs of 5",
        ),
        wild="Jokers and twos are wild.",
        counts=(("Wild cards", "25 points"), ("Ace", "20 points"), ("K Q J 10", "10 points"), ("9-3", "5 points")),
        notes=("The team that went out counts nothing; the other team counts the cards in both hands.",),
    ),
    Pad(
        name="saskatchewan-rummy", title="Saskatchewan Rummy", page="16", players="any number", wins=LOW_WINS, unit=5,
        rounds=(
            PadRound("Each trick", "5 cents each"), PadRound("Each heart", "5 cents each"),
            PadRound("Each queen", "10 cents each", 40), PadRound("King of clubs", "25 cents", 25),
            PadRound("Last trick", "50 cents", 50), PadRound("PayDay", "5 cents a pass; what you win is minus"),
        ),
        notes=("Write what each pays, in cents. Aces are high, no trump.",
               "PayDay: the first player out takes half the money in the pot, the second and third divide the rest."),
    ),
    Pad(
        name="sweep", title="Sweep", page="17", players="any number", wins=LOW_WINS, target=300,
        counts=(("Face cards", "10 points each"), ("2 to 9", "face value"), ("Aces", "1 point"), ("10's", "25 points"),
                ("Jokers, where Scoop is played", "50 points")),
        notes=("A player who did not go out counts the cards left in hand and the down cards.",
               "The game ends when one player reaches 300; the lowest score wins."),
    ),
    Pad(
        name="thirty-one", title="Thirty One", page="18", players="any number", wins=LOW_WINS,
        counts=(("Lowest hand of the round", "loses a quarter, so does everybody who ties"),
                ("Lowest, and knocked", "loses two"), ("31", "everyone else loses a quarter"),
                ("Three of the same cards", "worth 30 ½ in play")),
        notes=("Write the quarters each loses. Players start with 3, and have one round on their face after that.",
               "The last player remaining wins the pot: record that player as the one who won outright."),
    ),
    Pad(
        name="10000", title="Dice (10,000)", page="19", players="any number", wins=HIGH_WINS, target=10_000,
        draw=_THROWS_FIRST,
        back_to_zero=True, unit=50,
        counts=(("5", "50"), ("1", "100"), ("3 of a kind 1's", "1,000"), ("3 of a kind", "x00"),
                ("4 of a kind", "x00 times 2"), ("5 of a kind", "x00 times 4"), ("Straight", "1,000"),
                ("3 pair", "1,500"), ("6 of a kind in one roll", "wins the game")),
        notes=("A total of 1,000 is required to meld; nothing counts before.",
               "Write what was thrown. At 10,000 or over, the score works down from there to zero or less.",
               "Six of a kind in one roll wins outright. Alternate rule: the game ends at 10,000."),
    ),
    Pad(
        name="chicken-foot", title="Chicken Foot (Dominoes)", page="20", players="any number", wins=LOW_WINS,
        draw=_THE_DOUBLE,
        rounds=tuple(PadRound(f"{n}-{n}", f"starts with the {n}-{n}") for n in range(10)),
        counts=(("Each pip left in hand", "1 point"), ("0-0", "50 points")),
        notes=("The rounds here are those of a set up to the double nine; the book does not say which set is used.",),
    ),
    Pad(
        name="mexican-train", title="Mexican Train (Dominoes)", page="21", players="2 to 8", sides=(2, 8),
        draw=_THE_DOUBLE, wins=LOW_WINS,
        rounds=tuple(PadRound(f"Double {n or 'blank'}", f"starts with the double {n or 'blank'}")
                     for n in range(12, -1, -1)),
        counts=(("Each pip left in hand", "1 point"), ("Double blank", "0 (alternate rule: 50 points)")),
    ),
    Pad(
        name="sticks", title="Sticks", page="22", players="any number", wins=HIGH_WINS, target=7,
        wild="2s and jokers are wild; at least one natural card in each sequence.",
        notes=("Write the sticks each has turned face up in this hand, free ones too.",
               "The first person to collect 7 sticks wins; a free stick cannot be the 7th."),
    ),
)  # fmt: skip

PADS: Final[Mapping[str, Pad]] = {each.name: each for each in _BOOK}
"""By name, in the order of the book."""


def pad(name: str) -> Pad:
    """The pad of that name.

    >>> pad("hearts").options()["target"]
    100

    Raises:
        BadCase: `bad-value` at `game`: the book has no such game.
    """
    if name not in PADS:
        message = f"There is no game {described(name)} on a pad. There are: {', '.join(PADS)}."
        raise BadCase([Problem("bad-value", "game", message)])
    return PADS[name]
