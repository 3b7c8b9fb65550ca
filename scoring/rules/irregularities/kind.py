"""What a kind of irregularity is, and one such matter before the director: its facts under the rules in force."""

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
"""Games in which two draw from a pile by turns, to gin."""
PREAMBLE: Final = "preamble"
OPPONENT: Final = "opponent"
"""The other side, where nobody has named it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Irregularity:
    """One kind. `rule` is the paragraph of the singles rules, None the preamble to both sheets.

    `partnership` is the paragraph of the partnership rules where that sheet decides the matter itself; where it only
    adds something, `partnership_adds` says what. `games` are the rule sets in which there is such a matter; None: all.
    `rulings` are the decisions that the rule can lead to. `is_about_hand` is false where a match is in question, or
    what somebody did, and no hand on the card.
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
        """Whether there is such a matter in the game that is played by these rules."""
        return self.games is None or rules in self.games

    def cite(self, rules: str) -> str:
        """The rule as an answer names it: “singles 9”."""
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
    """An irregularity of that kind, on a sheet by these rules between these two sides."""

    kind: Irregularity
    rule_sheet: VariantRules
    sides: tuple[str, str]
    facts: Facts

    @property
    def terms(self) -> GinTerms:
        """What a hand is played for; what the rule set does not offer is not played."""
        return GinTerms.of({option.name: option.default for option in GIN_OPTIONS} | dict(self.rule_sheet.options))

    @property
    def is_partnership(self) -> bool:
        return self.rule_sheet.rules == PARTNERSHIP

    @property
    def rule(self) -> str:
        return self.kind.cite(self.rule_sheet.rules)

    def knock_value(self, up: PlayingCard | None) -> int | None:
        """The most a knock may have: nothing where the hand is played for gin; None: by an up card nobody knows."""
        return 0 if self.terms.is_for_gin(up) else self.terms.knock_limit(up)

    def opponent(self, side: str) -> str:
        first, second = self.sides
        return second if side == first else first

    def opponent_of(self, side: str | None) -> str:
        """Whose the innocent side's choice is."""
        return OPPONENT if side is None else self.opponent(side)

    def said(self, side: str | None) -> str:
        """The offender in a sentence."""
        if side is None:
            return worded("the player")
        return worded("the opponent") if side == OPPONENT else shortened(side)

    def said_opponent(self, side: str | None) -> str:
        return self.said(self.opponent_of(side))

    def worth(self, scored: Scored) -> str:
        """“25 points to Ann” for each side that scores."""
        each = [
            worded_plural("%(number)s point to %(side)s", "%(number)s points to %(side)s", points, side=self.said(side))
            for side, points in scored.points.items()
        ]
        return joined(", ", each) if each else worded("nobody scores")

    def answered(self, name: str, *, yes: str) -> bool | None:
        """The answer to a question that may as well be `chosen`, where `yes` is its code.

        Raises:
            BadCase: both are given, and say different things.
        """
        answer, chosen = self.facts.answer(name), self.facts.code("chosen")
        if chosen is None:
            return answer
        if answer is not None and answer is not (chosen == yes):
            message = worded("“%(chosen)s” is chosen, but %(name)s says otherwise.", chosen=chosen, name=name)
            raise BadCase([Problem("bad-value", "facts.chosen", message)])
        return chosen == yes

    def score(self, hand: Hand | TeamHand) -> Scored:
        """The hand as a line of the sheet, judged as if a scorer had written it.

        In a partnership a single hand is one board; the others are not its matter and stand beside it as thrown in.

        Raises:
            BadCase: the sheet does not take it; paths from the line.
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
        """The ruling, in sentences that begin with the rule."""
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
        """No ruling yet: the facts it waits for are asked, the choices told."""
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
    """With a capital where it begins with an article; a side's name stays as its owner writes it."""
    return SaidFirst(text) if text.startswith("the ") else text
