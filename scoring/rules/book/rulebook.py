"""The published rules of a variant, which messages and explanations cite."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tournament.said import joined, worded


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
        numbered = (worded("%(number)s. %(rule)s", number=n, rule=rule) for n, rule in enumerate(self.summary, start=1))
        return (*numbered, *self.besides)

    def cited(self, topic: Topic, sentence: str) -> str:
        """Return the sentence, followed by a reference to the rule if the book has one.

        >>> Rulebook("GRA", {Topic.GIN: "GRA singles rule 6"}).cited(Topic.GIN, "Was it gin?")
        'Was it gin? See GRA singles rule 6.'
        """
        rule = self.rules.get(topic)
        return joined(" ", [sentence, worded("See %(rule)s.", rule=rule)]) if rule else sentence

    def working(self, topic: Topic, steps: Sequence[str]) -> str:
        """Join the steps of a calculation, and end with the rule if the book has one."""
        rule = self.rules.get(topic)
        return joined(", ", [*steps, rule] if rule else steps)
