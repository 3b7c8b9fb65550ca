"""The building blocks of a ruling: kinds of irregularities, their facts, possible decisions, and a case to decide."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import product
from typing import Any, Final, TypeVar, cast

from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import Hand, HandOutcome, TypedGinOptions, UnscoredHand
from scoring.rules.sheet.sheets import ScoreSheet, VariantRules, judge_line
from scoring.rules.variants.gin.gra import PartnershipLine
from tournament.cases import shorten_text
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import CapitalizedText, join_texts, lazy_plural, lazy_text

# --- Facts -----------------------------------------------------------------------------------------------------------
# The facts of an irregularity are declared once, for the form and for strict reading. Unknown facts are None.

MAX_FACT_NUMBER: Final = 1_000
"""The maximum number in a fact. It exceeds every possible count and every knock limit."""


class FactKind(StrEnum):
    CARD = "card"
    CARD_A_SIDE = "card a side"
    CARDS_A_SIDE = "cards a side"
    CLAIMED_CARD = "claimed card"
    SIDE = "side"
    SIDES = "sides"
    NUMBER = "number"
    NUMBER_A_SIDE = "number a side"
    YES_NO = "yes or no"
    CODE = "code"
    LINE = "line"
    """A line of the score sheet, in the format of the `tally` command."""


@dataclass(frozen=True, slots=True)
class FactQuestion:
    """A question that asks for a fact of a case.

    For a multiple-choice question, `codes` contains the possible answers with their labels. For a numeric question,
    `maximum` is the largest possible answer.
    """

    name: str
    question: str
    kind: FactKind
    codes: tuple[tuple[str, str], ...] = ()
    maximum: int = MAX_FACT_NUMBER


@dataclass(frozen=True, slots=True)
class IrregularityFacts:
    """The known facts of a case, keyed by name. Unknown facts are None or missing."""

    values: Mapping[str, Any]

    def get_card(self, name: str) -> PlayingCard | None:
        return cast("PlayingCard | None", self.values.get(name))

    def get_side(self, name: str) -> str | None:
        return cast("str | None", self.values.get(name))

    def get_number(self, name: str) -> int | None:
        return cast("int | None", self.values.get(name))

    def get_answer(self, name: str) -> bool | None:
        return cast("bool | None", self.values.get(name))

    def get_code(self, name: str) -> str | None:
        return cast("str | None", self.values.get(name))

    def get_line(self, name: str) -> Any | None:
        return self.values.get(name)

    def get_sides(self, name: str) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self.values.get(name) or ())

    def get_card_by_side(self, name: str) -> Mapping[str, PlayingCard]:
        return cast("Mapping[str, PlayingCard]", self.values.get(name) or {})

    def get_cards_by_side(self, name: str) -> Mapping[str, tuple[PlayingCard, ...]]:
        return cast("Mapping[str, tuple[PlayingCard, ...]]", self.values.get(name) or {})

    def get_number_by_side(self, name: str) -> Mapping[str, int]:
        return cast("Mapping[str, int]", self.values.get(name) or {})


# --- Rulings ---------------------------------------------------------------------------------------------------------
# A ruling has the decision, the line for the sheet, open choices, and penalties.

CHOSEN_BY_DIRECTOR: Final = "director"
"""The value of `RulingChoice.whose` for a choice that the director makes."""


class RulingDecision(StrEnum):
    """A ruling's decision. The values are explained in CONTRACTS.md under “adjudicate”."""

    RECORDED_STANDS = "recorded-stands"
    DIRECTOR_DECIDES = "director-decides"
    PROPER = "proper"
    ACCEPTED_AS_UNDERCUT = "accepted-as-undercut"
    PLAY_OPEN = "play-open"
    NEW_DEAL = "new-deal"
    CORRECT = "correct"
    SCORED = "scored"
    THROW_IN = "throw-in"
    CONTINUE = "continue"
    DEAD_FOR_DEALER = "dead-for-dealer"
    NO_PENALTY = "no-penalty"
    ALLOWED = "allowed"
    REFUSED = "refused"
    STANDS = "stands"
    RECOUNT = "recount"
    WARNING = "warning"
    GAME_LOSS = "game-loss"
    ELIMINATION = "elimination"
    DISQUALIFICATION = "disqualification"

    @property
    def words(self) -> str:
        return _DECISION_WORDS[self]


_DECISION_WORDS: Final[Mapping[RulingDecision, str]] = {
    RulingDecision.RECORDED_STANDS: lazy_text("the recorded card stands"),
    RulingDecision.DIRECTOR_DECIDES: lazy_text("the director decides"),
    RulingDecision.PROPER: lazy_text("it is proper, and the hand is counted"),
    RulingDecision.ACCEPTED_AS_UNDERCUT: lazy_text("accepted, and scored as an undercut"),
    RulingDecision.PLAY_OPEN: lazy_text("the hand is played open"),
    RulingDecision.NEW_DEAL: lazy_text("new deal"),
    RulingDecision.CORRECT: lazy_text("the hand is corrected"),
    RulingDecision.SCORED: lazy_text("scored with the cards missing or too many"),
    RulingDecision.THROW_IN: lazy_text("the hands are thrown in"),
    RulingDecision.CONTINUE: lazy_text("play continues"),
    RulingDecision.DEAD_FOR_DEALER: lazy_text("the up card is dead for the dealer"),
    RulingDecision.NO_PENALTY: lazy_text("no penalty"),
    RulingDecision.ALLOWED: lazy_text("allowed"),
    RulingDecision.REFUSED: lazy_text("refused"),
    RulingDecision.STANDS: lazy_text("the count stands"),
    RulingDecision.RECOUNT: lazy_text("the hand is counted again"),
    RulingDecision.WARNING: lazy_text("warning"),
    RulingDecision.GAME_LOSS: lazy_text("loss of a game"),
    RulingDecision.ELIMINATION: lazy_text("elimination"),
    RulingDecision.DISQUALIFICATION: lazy_text("disqualification"),
}


@dataclass(frozen=True, slots=True)
class RulingChoice:
    """An option that a side or the director can still choose.

    Setting the fact `chosen` to `code` chooses the option. `whose` is the name of the side that chooses, or “director”.
    """

    code: str
    whose: str
    text: str

    def as_json(self) -> dict[str, str]:
        return {"code": self.code, "whose": self.whose, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUpIrregularity:
    """A further irregularity that a ruling reveals, such as a knock that is improper under the correct up card."""

    kind: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingRecommendation:
    """The ruling that the rules recommend, with a `text` that can be read aloud.

    `ruling` is None if it depends on missing facts or an open choice. `points` contains only sides that score.
    `penalties` is keyed by side. Under the GRA rules of 2012, a penalty never gives points to the other side.
    """

    rule: str
    ruling: RulingDecision | None = None
    text: str
    line: Mapping[str, Any] | None = None
    points: Mapping[str, int] = field(default_factory=dict)
    choices: tuple[RulingChoice, ...] = ()
    penalties: Mapping[str, RulingDecision] = field(default_factory=dict)
    missing_facts: tuple[str, ...] = ()
    follow_ups: tuple[FollowUpIrregularity, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the response of the `adjudicate` command, without the field `ok`."""
        return {
            "rule": self.rule,
            "ruling": None if self.ruling is None else str(self.ruling),
            "line": None if self.line is None else dict(self.line),
            "points": dict(self.points),
            "choices": [choice.as_json() for choice in self.choices],
            "penalties": [
                {"side": side, "effect": str(effect), "credit_opponent": False}
                for side, effect in self.penalties.items()
            ],
            "text": self.text,
        }


# --- Kinds of irregularities -----------------------------------------------------------------------------------------

GRA_SINGLES_RULES: Final = "gra-singles"
GRA_PARTNERSHIP_RULES: Final = "gra-partnership"
GRA_RULE_SETS: Final = (GRA_SINGLES_RULES, GRA_PARTNERSHIP_RULES)
"""The rule sets whose rulebook has its own rules about irregularities."""
GAMES_WITH_UP_CARD: Final = frozenset({GRA_SINGLES_RULES, GRA_PARTNERSHIP_RULES, "standard", "oklahoma", "hollywood"})
"""Games between two sides in which the up card is recorded, because it may set the knock limit."""
GAMES_WITH_KNOCK: Final = GAMES_WITH_UP_CARD | {"captain"}
"""Games with a limit for knocking."""
GAMES_WITH_GIN: Final = GAMES_WITH_KNOCK | {"word-gin"}
"""Games with an up card, in which players can announce gin and end a hand with a face-down discard."""
GAMES_WITH_DRAW_PILE: Final = GAMES_WITH_GIN | {"metzker"}
"""Games in which two players take turns drawing from a pile until one goes out."""
PREAMBLE_CITATION: Final = "preamble"
UNNAMED_OPPONENT: Final = "opponent"
"""A placeholder for the other side, used if the facts do not name that side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Irregularity:
    """A kind of irregularity, such as an improper knock.

    `rule` is the number of the singles rule, or None for the preamble to all rules. `partnership` is the number of the
    partnership rule that decides the case, if there is one. `partnership_adds` is a sentence that the partnership rules
    add to the singles rule.

    `games` are the rule sets in which the irregularity can occur, or None for all. `rulings` are the possible
    decisions. `is_about_hand` is False if the irregularity concerns a match or a player's conduct instead of a hand.
    """

    name: str
    title: str
    rule: int | None
    facts: tuple[FactQuestion, ...]
    rulings: tuple[RulingDecision, ...]
    decide: "Callable[[IrregularityCase], RulingRecommendation]"
    partnership: int | None = None
    partnership_adds: str = ""
    games: frozenset[str] | None = None
    is_about_hand: bool = True

    def can_occur_in(self, rules: str) -> bool:
        return self.games is None or rules in self.games

    def cite(self, rules: str) -> str:
        """Return the citation of the rule, such as “singles 9”."""
        if self.rule is None:
            return PREAMBLE_CITATION
        if rules == GRA_PARTNERSHIP_RULES and self.partnership is not None:
            return f"partnership {self.partnership}"
        return f"singles {self.rule}"


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line of the score sheet with the points of each side that scores."""

    line: Mapping[str, Any]
    points: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class IrregularityCase:
    """An irregularity between two sides, under their event's rule sheet."""

    kind: Irregularity
    rule_sheet: VariantRules
    sides: tuple[str, str]
    facts: IrregularityFacts

    @property
    def terms(self) -> TypedGinOptions:
        return TypedGinOptions.from_options(self.rule_sheet.options)

    @property
    def is_partnership(self) -> bool:
        return self.rule_sheet.rules == GRA_PARTNERSHIP_RULES

    @property
    def rule(self) -> str:
        return self.kind.cite(self.rule_sheet.rules)

    def find_knock_limit(self, up: PlayingCard | None) -> int | None:
        """Return the maximum count with which a player may knock.

        Return 0 if the up card requires gin, or None if the up card is unknown.
        """
        return 0 if self.terms.requires_gin(up) else self.terms.find_knock_limit(up)

    def find_opponent(self, side: str) -> str:
        first, second = self.sides
        return second if side == first else first

    def find_opponent_or_placeholder(self, side: str | None) -> str:
        """Return the opponent of a side, or a placeholder if the side is unknown."""
        return UNNAMED_OPPONENT if side is None else self.find_opponent(side)

    def name_side(self, side: str | None) -> str:
        if side is None:
            return lazy_text("the player")
        return lazy_text("the opponent") if side == UNNAMED_OPPONENT else shorten_text(side)

    def name_opponent(self, side: str | None) -> str:
        return self.name_side(self.find_opponent_or_placeholder(side))

    def format_points(self, scored: ScoredLine) -> str:
        """List the points of each side that scores as text, such as “25 points to Ann”."""
        each = [
            lazy_plural(
                "%(number)s point to %(side)s", "%(number)s points to %(side)s", points, side=self.name_side(side)
            )
            for side, points in scored.points.items()
        ]
        return join_texts(", ", each) if each else lazy_text("nobody scores")

    def read_yes_or_no(self, name: str, *, yes: str) -> bool | None:
        """Return the value of the yes-or-no fact `name`, or None if it is unknown.

        The answer can also be given as the fact `chosen`, whose value is the code of a choice. The result is then True
        if that code equals the argument `yes`, and False for any other code.

        Raises:
            InvalidInput: both facts are given, and they contradict each other.
        """
        answer, chosen = self.facts.get_answer(name), self.facts.get_code("chosen")
        if chosen is None:
            return answer
        if answer is not None and answer is not (chosen == yes):
            message = lazy_text("“%(chosen)s” is chosen, but %(name)s says otherwise.", chosen=chosen, name=name)
            raise InvalidInput([InputProblem("bad-value", "facts.chosen", message)])
        return chosen == yes

    def score_hand(self, hand: Hand | PartnershipLine) -> ScoredLine:
        """Write the hand as a line of the score sheet, and score it like any recorded line.

        A partnership line has one hand for each board. If `hand` is a single hand, the other boards are entered as
        thrown in.

        Raises:
            InvalidInput: the sheet rejects the line. Paths are relative to the line.
        """
        line: Hand | PartnershipLine = hand
        if self.is_partnership and not isinstance(hand, PartnershipLine):
            boards = self.rule_sheet.options["boards"]
            others = (UnscoredHand(outcome=HandOutcome.VOID, up=hand.up),) * (
                boards - 1 if isinstance(boards, int) else 0
            )
            line = PartnershipLine(hand.up, (hand, *others))
        sheet = ScoreSheet(self.rule_sheet, self.sides)
        data = sheet.variant.write_line(line)
        points = judge_line(sheet, data).line_tally.points
        return ScoredLine(data, {side: worth for side, worth in points.items() if worth})

    def make_ruling(
        self,
        ruling: RulingDecision,
        *sentences: str,
        scored: ScoredLine | None = None,
        choices: Iterable[RulingChoice] = (),
        penalties: Mapping[str, RulingDecision] | None = None,
    ) -> RulingRecommendation:
        return RulingRecommendation(
            rule=self.rule,
            ruling=ruling,
            text=self._join_sentences(sentences),
            line=scored.line if scored else None,
            points=scored.points if scored else {},
            choices=tuple(choices),
            penalties=penalties or {},
        )

    def make_open_recommendation(
        self, *sentences: str, missing_facts: Iterable[str] = (), choices: Iterable[RulingChoice] = ()
    ) -> RulingRecommendation:
        """Return a recommendation without a ruling, because facts or choices are missing."""
        names, offered = tuple(missing_facts), tuple(choices)
        questions = [fact.question for fact in self.kind.facts if fact.name in names]
        text = self._join_sentences([*sentences, *questions, *(choice.text for choice in offered)])
        return RulingRecommendation(rule=self.rule, ruling=None, text=text, choices=offered, missing_facts=names)

    def _join_sentences(self, sentences: Iterable[str]) -> str:
        sheet, _, number = self.rule.partition(" ")
        heading = (
            lazy_text("Preamble of the rules.")
            if not number
            else lazy_text("Partnership rule %(number)s.", number=number)
            if sheet == "partnership"
            else lazy_text("Singles rule %(number)s.", number=number)
        )
        added = [self.kind.partnership_adds] if self.is_partnership and self.kind.partnership_adds else []
        return join_texts(" ", [heading, *map(capitalize_leading_article, sentences), *added])


def capitalize_leading_article(text: str) -> str:
    """Capitalize a text that begins with an article. Names of sides keep their spelling."""
    return CapitalizedText(text) if text.startswith("the ") else text


# --- Unknown facts ---------------------------------------------------------------------------------------------------
# A result that is the same for every possible value of the facts is certain.

_T = TypeVar("_T")

YES_OR_NO: Final = (False, True)


def list_possible_values(value: _T | None, otherwise: Sequence[_T]) -> Sequence[_T]:
    """Return the values that a fact can have: its value if it is known, otherwise all values in `otherwise`."""
    return otherwise if value is None else (value,)


def find_unambiguous_result(decide: Callable[..., _T], *facts: Iterable[Any]) -> _T | None:
    """Return the result of `decide` if it is the same for every combination of possible facts, else None.

    >>> stands = lambda agreed, recorded: agreed and recorded
    >>> find_unambiguous_result(stands, YES_OR_NO, [False]), find_unambiguous_result(stands, YES_OR_NO, [True])
    (False, None)
    """
    answers = {decide(*values) for values in product(*facts)}
    return answers.pop() if len(answers) == 1 else None
