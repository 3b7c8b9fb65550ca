"""The published rules a variant is played by: what a message or an explanation cites."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tournament.said import joined, worded


class Topic(StrEnum):
    """What a rulebook may speak of."""

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
    """What a rule sheet publishes besides its options, as pairs under a heading: round by round, card by card."""

    heading: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Rulebook:
    """A title, and where it speaks of a topic: `{Topic.GIN: "GRA singles rule 6"}`."""

    title: str
    rules: Mapping[Topic, str] = field(default_factory=dict)
    summary: tuple[str, ...] = ()
    """The rules in a few sentences, for the published sheet and the back of the paper."""
    is_numbered: bool = False
    """Whether the sentences are all rules of the book in its own order: they are cited by their number."""
    besides: tuple[str, ...] = ()
    """What the reader needs besides the numbered rules, without a number."""
    follows: str = ""
    """The rule set whose rules hold where this book says nothing."""

    @property
    def on_card(self) -> tuple[str, ...]:
        """The sentences for the back of a card, each rule of the book after its number."""
        if not self.is_numbered:
            return (*self.summary, *self.besides)
        numbered = (worded("%(number)s. %(rule)s", number=n, rule=rule) for n, rule in enumerate(self.summary, start=1))
        return (*numbered, *self.besides)

    def cited(self, topic: Topic, sentence: str) -> str:
        """The sentence, and after it the rule that it stands on, where the book has one.

        >>> Rulebook("GRA", {Topic.GIN: "GRA singles rule 6"}).cited(Topic.GIN, "Was it gin?")
        'Was it gin? See GRA singles rule 6.'
        """
        rule = self.rules.get(topic)
        return joined(" ", [sentence, worded("See %(rule)s.", rule=rule)]) if rule else sentence

    def working(self, topic: Topic, steps: Sequence[str]) -> str:
        """The steps of a working, and the rule that it follows as the last of them."""
        rule = self.rules.get(topic)
        return joined(", ", [*steps, rule] if rule else steps)
