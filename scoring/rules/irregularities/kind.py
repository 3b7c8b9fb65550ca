"""A kind of irregularity, and a single matter of that kind before the director, under the rules in force."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import Hand, Outcome, Unscored
from scoring.rules.hand.terms import GIN_OPTIONS, GinTerms
from scoring.rules.irregularities.facts import FactAsked, Facts
from scoring.rules.irregularities.ruling import Decision, OpenChoice, Penalty, Recommendation
from scoring.rules.sheet.sheets import Sheet, VariantRules, judge_line
from scoring.rules.variants.gin.boards import TeamHand
from tournament.cases import shortened
from tournament.errors import BadCase, Problem
from tournament.said import SaidFirst, joined, worded, worded_plural

SINGLES: Final = "gra-singles"
PARTNERSHIP: Final = "gra-partnership"
RULED: Final = (SINGLES, PARTNERSHIP)
"""The rule sets whose irregularities are ruled on here."""
BY_THE_UP_CARD: Final = frozenset({SINGLES, PARTNERSHIP, "standard", "oklahoma", "hollywood"})
"""Games of two sides in which an up card is turned and recorded, and may be the knock card."""
KNOCKED: Final = BY_THE_UP_CARD | {"captain"}
"""Games in which a knock has a limit."""
OF_GIN: Final = KNOCKED | {"word-gin"}
"""Games with an up card, in which gin is announced and a hand ends with a card turned face down."""
DRAWN: Final = OF_GIN | {"metzker"}
"""Games in which two players draw from a pile by turns, to gin."""
PREAMBLE: Final = "preamble"
OPPONENT: Final = "opponent"
"""The name for the other side if no fact names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Irregularity:
    """A kind of irregularity.

    `rule` is the paragraph of the singles rules, or None for the preamble of both sheets. `partnership` is the
    paragraph of the partnership rules, if they decide the matter themselves. `partnership_adds` is what the partnership
    rules add to the singles rule.

    `games` are the rule sets in which the matter can come up, or None for all. `rulings` are the decisions to which the
    rule can lead. `is_about_hand` is False if the matter is a match or somebody's conduct, not a hand on the card.
    """

    name: str
    title: str
    rule: int | None
    facts: tuple[FactAsked, ...]
    rulings: tuple[Decision, ...]
    decide: "Callable[[Matter], Recommendation]"
    partnership: int | None = None
    partnership_adds: str = ""
    games: frozenset[str] | None = None
    is_about_hand: bool = True

    def exists_in(self, rules: str) -> bool:
        """Return whether the matter can come up in the game of this rule set."""
        return self.games is None or rules in self.games

    def cite(self, rules: str) -> str:
        """Return the rule as an answer cites it, such as “singles 9”."""
        if self.rule is None:
            return PREAMBLE
        if rules == PARTNERSHIP and self.partnership is not None:
            return f"partnership {self.partnership}"
        return f"singles {self.rule}"


@dataclass(frozen=True, slots=True)
class Scored:
    """A line of the sheet, and the points of the sides that score by it."""

    line: Mapping[str, Any]
    points: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matter:
    """An irregularity between two sides, on a sheet with these rules."""

    kind: Irregularity
    rule_sheet: VariantRules
    sides: tuple[str, str]
    facts: Facts

    @property
    def terms(self) -> GinTerms:
        """The terms of a hand. An option that the rule set does not offer has its default."""
        return GinTerms.of({option.name: option.default for option in GIN_OPTIONS} | dict(self.rule_sheet.options))

    @property
    def is_partnership(self) -> bool:
        return self.rule_sheet.rules == PARTNERSHIP

    @property
    def rule(self) -> str:
        return self.kind.cite(self.rule_sheet.rules)

    def knock_value(self, up: PlayingCard | None) -> int | None:
        """Return the most points of a knock, or None if it depends on an unknown up card.

        It is 0 if only gin ends the hand.
        """
        return 0 if self.terms.is_for_gin(up) else self.terms.knock_limit(up)

    def opponent(self, side: str) -> str:
        first, second = self.sides
        return second if side == first else first

    def opponent_of(self, side: str | None) -> str:
        """Return the opponent of a side, or a placeholder if the side is unknown."""
        return OPPONENT if side is None else self.opponent(side)

    def said(self, side: str | None) -> str:
        """Return the words for a side in a sentence."""
        if side is None:
            return worded("the player")
        return worded("the opponent") if side == OPPONENT else shortened(side)

    def said_opponent(self, side: str | None) -> str:
        return self.said(self.opponent_of(side))

    def worth(self, scored: Scored) -> str:
        """Describe the points of each side that scores, such as “25 points to Ann”."""
        each = [
            worded_plural("%(number)s point to %(side)s", "%(number)s points to %(side)s", points, side=self.said(side))
            for side, points in scored.points.items()
        ]
        return joined(", ", each) if each else worded("nobody scores")

    def answered(self, name: str, *, yes: str) -> bool | None:
        """Return the answer to a yes-or-no fact, which can also be given as `chosen` with the code `yes`.

        Raises:
            BadCase: both are given, and they contradict each other.
        """
        answer, chosen = self.facts.answer(name), self.facts.code("chosen")
        if chosen is None:
            return answer
        if answer is not None and answer is not (chosen == yes):
            message = worded("“%(chosen)s” is chosen, but %(name)s says otherwise.", chosen=chosen, name=name)
            raise BadCase([Problem("bad-value", "facts.chosen", message)])
        return chosen == yes

    def score(self, hand: Hand | TeamHand) -> Scored:
        """Write the hand as a line of the sheet, and judge it like a scorer's line.

        In a partnership, a single hand is one board. The other boards are not part of the matter and are written as
        thrown in.

        Raises:
            BadCase: the sheet refuses the line. Paths start at the line.
        """
        line = self._on_boards(hand) if self.is_partnership and not isinstance(hand, TeamHand) else hand
        sheet = Sheet(self.rule_sheet, self.sides)
        data = sheet.variant.write_line(line)
        points = judge_line(sheet, data).counted.points
        return Scored(data, {side: worth for side, worth in points.items() if worth})

    def _on_boards(self, hand: Hand) -> TeamHand:
        boards = self.rule_sheet.options["boards"]
        others = (Unscored(outcome=Outcome.VOID, up=hand.up),) * (boards - 1 if isinstance(boards, int) else 0)
        return TeamHand(hand.up, (hand, *others))

    def given(
        self,
        ruling: Decision,
        *sentences: str,
        scored: Scored | None = None,
        choices: Iterable[OpenChoice] = (),
        penalties: Iterable[Penalty] = (),
    ) -> Recommendation:
        """Return a ruling with its sentences, which begin with the rule."""
        return Recommendation(
            rule=self.rule,
            ruling=ruling,
            text=self._text(sentences),
            line=scored.line if scored else None,
            points=scored.points if scored else {},
            choices=tuple(choices),
            penalties=tuple(penalties),
        )

    def left_open(
        self, *sentences: str, awaits: Iterable[str] = (), choices: Iterable[OpenChoice] = ()
    ) -> Recommendation:
        """Return an open recommendation that asks for the missing facts and offers the choices."""
        names, offered = tuple(awaits), tuple(choices)
        questions = [fact.question for fact in self.kind.facts if fact.name in names]
        text = self._text([*sentences, *questions, *(choice.text for choice in offered)])
        return Recommendation(rule=self.rule, ruling=None, text=text, choices=offered, awaits=names)

    def _text(self, sentences: Iterable[str]) -> str:
        sheet, _, number = self.rule.partition(" ")
        heading = (
            worded("Preamble of the rules.")
            if not number
            else worded("Partnership rule %(number)s.", number=number)
            if sheet == "partnership"
            else worded("Singles rule %(number)s.", number=number)
        )
        added = [self.kind.partnership_adds] if self.is_partnership and self.kind.partnership_adds else []
        return joined(" ", [heading, *map(sentence, sentences), *added])


def sentence(text: str) -> str:
    """Capitalize a text that begins with an article. A side's name keeps the spelling of its owner."""
    return SaidFirst(text) if text.startswith("the ") else text
