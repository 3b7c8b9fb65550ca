"""The published rules of a variant, which messages and explanations cite, and the wording of each rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from tournament.lazy_text import join_texts, lazy_text


class Topic(StrEnum):
    KNOCK_CARD = "the up card's value is the knock limit"
    ACE = "an ace up: the hand is played for gin"
    UP_CARD_RECORDED = "the scorer records the up card"
    KNOCK = "a knock, and the undercut of it"
    GIN = "a gin and its bonus"
    FIFTIETH_CARD = "the hand ends dead at the fiftieth card"
    WRONG_COUNT = "cards missing or too many"
    IMPROPER_KNOCK = "a knock with too high a count"


@dataclass(frozen=True, slots=True)
class Particular:
    """A table of a published rule sheet besides its options, such as pairs round by round or card by card."""

    heading: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A book of rules: its title, and its rule for each topic, such as `{Topic.GIN: "GRA singles rule 6"}`."""

    title: str
    rules: Mapping[Topic, str] = field(default_factory=dict)
    summary: tuple[str, ...] = ()
    """The rules in a few sentences, for the published sheet and the back of the paper."""
    is_numbered: bool = False
    """Whether the summary lists the rules of the book in order, so that they are cited by number."""
    besides: tuple[str, ...] = ()
    """Further sentences for the reader, without a number."""
    follows: str = ""
    """The rule set that applies where this book is silent."""

    @property
    def on_card(self) -> tuple[str, ...]:
        """The sentences for the back of a card, each rule after its number if the book numbers them."""
        if not self.is_numbered:
            return (*self.summary, *self.besides)
        numbered = (
            lazy_text("%(number)s. %(rule)s", number=n, rule=rule) for n, rule in enumerate(self.summary, start=1)
        )
        return (*numbered, *self.besides)

    def with_citation(self, topic: Topic, sentence: str) -> str:
        """Return the sentence, followed by a reference to the rule if the book has one.

        >>> Rulebook("GRA", {Topic.GIN: "GRA singles rule 6"}).with_citation(Topic.GIN, "Was it gin?")
        'Was it gin? See GRA singles rule 6.'
        """
        rule = self.rules.get(topic)
        return join_texts(" ", [sentence, lazy_text("See %(rule)s.", rule=rule)]) if rule else sentence

    def working(self, topic: Topic, steps: Sequence[str]) -> str:
        """Join the steps of a calculation, and end with the rule if the book has one."""
        rule = self.rules.get(topic)
        return join_texts(", ", [*steps, rule] if rule else steps)


# --- The wording of the rules ----------------------------------------------------------------------------------------
# Rulings cite these rules as the sheets print them (GRA 2012; John Greer 1997; Metzker 2026).

TEXTS: Final[Mapping[str, str]] = {
    "singles 4": (
        "Scorer records the up card immediately to avoid later arguments. It is the responsibility of both players to"
        " see that the proper up card is recorded. If players disagree as to the up card of the hand in progress, the"
        " Tournament Director will tend to accept the up card as the one recorded on the sheet."
    ),
    "singles 5": "If a player touches the top of either pile by mistake, he is not forced to take that card.",
    "singles 8": (
        "If a player has more or less than ten cards: if discovered before one play, new deal. If both players have"
        " wrong number of cards, new deal. If one player has wrong number of cards, after play has begun, the player"
        " with the correct amount has the option to let the player correct his hand or both players getting a new"
        " hand. If a player gins or knocks and the other player has less than 10 cards the person who gins gets the"
        " unmatched point count plus 10 points for each missing card. If a player has more than 10 cards, the"
        " additional cards are counted by their numeric value."
    ),
    "singles 9": (
        "If a player makes an improper knock, with his count being higher than the knock card, the hand must then be"
        " played open, all ten cards face up. He must knock when his point count is at the value of the knock or below."
        " He cannot be forced to knock by his opponent. When a player makes an illegal knock with more than the knock"
        " card count, the opponent may accept the knock as proper, provided his point count is the same as the knock"
        " card or lower, and get credit for the undercut. When a player announces he is ginning or knocking, or calls a"
        " number and starts to lay his meld down, he must continue to do so. If his hand is not a gin or his knock is"
        " not legal he must play an open hand."
    ),
    "singles 10": (
        "If a player gins or knocks and turns the wrong card face down on the discard pile, he can retrieve the card"
        " and rearrange his hand."
    ),
    "singles 11": (
        "In drawing from the deck, if a player draws 2 cards he will lose the use of the extra card he has seen. The"
        " player cannot knock or gin. The director will inform the opponent if the player has 9 spread or on gin. The"
        " opponent can then ask to throw the hands in or continue play."
    ),
    "singles 12": (
        "If a dealer takes the knock card out of turn, his opponent has the option to take the knock card or not,"
        " however, the knock card is out of play for the dealer."
    ),
    "singles 13": (
        "If a player informs the Supervisor that he has played a specific player and in fact he has not, he can be"
        " credited with the loss of one game, although the other player is not credited with a win."
    ),
    "singles 14": (
        "If a card is taken from the discard pile, the card can be discarded back into the tray, however, this"
        " constitutes a play. Your opponent cannot retake the card unless he uses it to knock."
    ),
    "singles 16": (
        "Once a count has been agreed to by the players and recorded by the score keeper, the hand stands. Cards should"
        " remain unshuffled until the correct score is recorded."
    ),
    "singles 17": (
        "Any 2 players who were not matched by the staff, can both be penalized with a loss of 1 game or eliminated"
        " from the contest. If a player gives a game away, both parties are subject to be eliminated from the contest."
    ),
    "preamble": (
        "The ultimate penalty is disqualification by the Tournament Director. This penalty may be applied in cases of"
        " unreasonable delays, carelessness with a deck of cards, or a major breach of decorum. The decisions of the"
        " Tournament Director shall be final and binding."
    ),
    "partnership 7": "A center deck is used to determine the knock card.",
    "Fort Worth A 10": (
        "If a player accidentally discards before he draws a card, he must draw, and then his turn is over without the"
        " opportunity for additional plays."
    ),
    "Fort Worth A 15": "If a card is exposed on the deal, the hand will be redealt.",
    "Fort Worth A 16": "In the event of a misdeal, all cards will be thrown in and the same dealer redeals.",
    "Fort Worth A 17": (
        "If an error made in play is recognized before a player has discarded he may correct the error in any manner"
        " and continue his turn until he discards."
    ),
    "Fort Worth A 18": (
        "If an error made in play is recognized after a player has discarded but before another player has played, he"
        " must replace all cards involved in the erroneous play in his hand until his next turn."
    ),
    "Fort Worth A 19": (
        "If an error made in play is recognized after one or more subsequent players have played on the erroneous play,"
        " an effort will be made to replace all cards in the hand of players who played them. If agreement is not"
        " reached among the players as to the correct remedy, the hand will be thrown in and redealt."
    ),
    "Fort Worth C 3": (
        "The scorer will always announce the totals prior to the play of the last hand in a game. Mathematical errors"
        " in scoring will be corrected and brought forward to the correct total at any time they are observed until the"
        " last hand of the game."
    ),
    "Metzker, Scoring": (
        "If there is a dispute about the scoring the scorekeeper shall make the final determination of the score unless"
        " it is shown that they are winning, in which case other players may review the score keeping."
    ),
    "Metzker, Disputes": (
        "When there appears to have been a change in how the rules are applied during a game, a player can argue their"
        " point if they feel they are being held to “A Higher Standard” than the other players and if a decision can"
        " not be made by unanimous decision then the player arguing for their case can proceed to play as they wish."
        " This is known as “The Kali Effect”."
    ),
}
"""The wording of each rule by the name that a ruling uses."""


def rule_text(rule: str) -> str:
    """Return the wording of a rule, or an empty text if there is no rule or it is only a heading.

    >>> rule_text("singles 5")
    'If a player touches the top of either pile by mistake, he is not forced to take that card.'
    """
    return TEXTS.get(rule, "")
