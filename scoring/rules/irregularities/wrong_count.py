"""Rule on hands with more or fewer than ten cards (GRA 2012, singles 8)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import HAND_SIZE, FinishedHand, Hand, HandOutcome, HandResult, PointsOnlyHand, score_hand
from scoring.rules.irregularities.case import (
    GAMES_WITH_DRAW_PILE,
    YES_OR_NO,
    FactKind,
    FactQuestion,
    Irregularity,
    IrregularityCase,
    IrregularityFacts,
    RulingChoice,
    RulingDecision,
    RulingRecommendation,
    ScoredLine,
    find_unambiguous_result,
    list_possible_values,
)
from tournament.cases import join_path
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import join_texts, lazy_plural, lazy_text

_INNOCENT_SIDE_CHOICES: Final = (
    (str(RulingDecision.CORRECT), lazy_text("let the hand be corrected")),
    (str(RulingDecision.NEW_DEAL), lazy_text("have both hands dealt again")),
)
MAX_COUNTED_CARDS: Final = 52
_FACTS_OF_LINE: Final = {"outcome": "ended", "points": "counts"}
"""The names of facts that differ from the names of the corresponding fields in a line."""


@dataclass(frozen=True, slots=True)
class _HandCountFacts:
    """The known facts about both hands, and about how play ended."""

    plays: int | None
    cards: Mapping[str, int]
    ended: HandOutcome | None
    by: str | None
    counts: Mapping[str, int]
    extra: Mapping[str, tuple[PlayingCard, ...]]
    up: PlayingCard | None
    chosen: str | None

    @classmethod
    def from_facts(cls, facts: IrregularityFacts) -> "_HandCountFacts":
        ended, by = facts.get_code("ended"), facts.get_side("by")
        extra = facts.get_cards_by_side("extra")
        too_many = {side: HAND_SIZE + len(cards) for side, cards in extra.items() if cards}
        gin = {by: 0} if ended == HandOutcome.GIN and by is not None else {}
        return cls(
            plays=facts.get_number("plays"),
            cards=too_many | dict(facts.get_number_by_side("cards")),
            ended=None if ended is None else HandOutcome(ended),
            by=by,
            counts=gin | dict(facts.get_number_by_side("counts")),
            extra=extra,
            up=facts.get_card("up"),
            chosen=facts.get_code("chosen"),
        )

    @property
    def was_played(self) -> bool | None:
        """Whether at least one play was completed, or None if unknown.

        If the hand has ended, the value is True unless the facts deny it.
        """
        if self.plays is None:
            return None if self.ended is None else True
        return self.plays > 0

    def is_wrong(self, side: str) -> bool | None:
        cards = self.cards.get(side)
        return None if cards is None else cards != HAND_SIZE


def _decide_wrong_count(case: IrregularityCase) -> RulingRecommendation:
    hands = _HandCountFacts.from_facts(case.facts)
    _require_matching_extra_cards(hands)
    known = (
        list_possible_values(hands.was_played, YES_OR_NO),
        _list_possible_wrong_hands(case, hands),
        [hands.ended is not None],
        list_possible_values(None if hands.by is None else case.sides.index(hands.by), (0, 1)),
    )
    chosen = list_possible_values(hands.chosen, [code for code, _ in _INNOCENT_SIDE_CHOICES])
    ruling = find_unambiguous_result(_rule_on_count, *known, chosen)
    if ruling is RulingDecision.SCORED:
        return _score_at_end(case, hands)
    if (
        ruling is None
        and find_unambiguous_result(_rule_on_count, *known, [RulingDecision.CORRECT]) is RulingDecision.CORRECT
    ):
        return case.make_open_recommendation(*_describe_wrong_hands(case, hands), choices=_offer_choices(case, hands))
    if ruling is None:
        return case.make_open_recommendation(
            *_describe_wrong_hands(case, hands),
            *_ask_for_other_count(case, hands),
            missing_facts=_list_unknown_facts(case, hands),
        )
    free = find_unambiguous_result(_rule_on_count, *known, [RulingDecision.CORRECT]) is not RulingDecision.NEW_DEAL
    return case.make_ruling(
        ruling, *_describe_wrong_hands(case, hands), *_explain_what_follows(case, hands, ruling, free=free)
    )


def _rule_on_count(
    was_played: bool, wrong: tuple[bool, bool], ended: bool, finisher: int, choice: str
) -> RulingDecision:
    """Decide on a hand whose facts are all known (CONTRACTS.md, adjudicate, wrong-count).

    `wrong` contains True for each hand with the wrong number of cards. `finisher` is the index of the player who ended
    the hand. If the player with the correct number of cards ended the hand, it is scored.

    `choice` is the decision of the player with the correct number of cards. It is used only if that player did not end
    the hand, exactly one hand is wrong, and at least one play was completed.
    """
    if not any(wrong):
        return RulingDecision.SCORED if ended else RulingDecision.NO_PENALTY
    if all(wrong) or not was_played:
        return RulingDecision.NEW_DEAL
    if ended and wrong[1 - finisher]:
        return RulingDecision.SCORED
    return RulingDecision(choice)


def _list_possible_wrong_hands(case: IrregularityCase, hands: _HandCountFacts) -> list[tuple[bool, bool]]:
    """Return the possible combinations of correct (False) and wrong (True) hands.

    A hand that was not counted can be either. Somebody reported a wrong hand, so at least one hand is assumed to be
    wrong, unless both hands were counted and are correct.
    """
    first, second = (list_possible_values(hands.is_wrong(side), YES_OR_NO) for side in case.sides)
    possible = [(one, other) for one in first for other in second if one or other]
    return possible or [(False, False)]


def _list_unknown_facts(case: IrregularityCase, hands: _HandCountFacts) -> list[str]:
    known = {
        "plays": hands.was_played is not None,
        "cards": len(_list_possible_wrong_hands(case, hands)) == 1,
        "by": hands.by is not None or hands.ended is None,
    }
    return [name for name, is_known in known.items() if not is_known]


def _ask_for_other_count(case: IrregularityCase, hands: _HandCountFacts) -> list[str]:
    """Return a request to count the other hand, if only one hand was counted and the ruling depends on both."""
    missing = [side for side in case.sides if side not in hands.cards]
    if len(missing) != 1 or len(_list_possible_wrong_hands(case, hands)) == 1:
        return []
    return [
        lazy_text(
            "Count the hand of %(missing)s, too: a card dealt to the wrong player makes 9 and 11.",
            missing=case.name_side(missing[0]),
        )
    ]


def _describe_wrong_hands(case: IrregularityCase, hands: _HandCountFacts) -> list[str]:
    counted = [(side, hands.cards[side]) for side in case.sides if hands.is_wrong(side)]
    return [
        lazy_plural("%(side)s has %(number)s card.", "%(side)s has %(number)s cards.", cards, side=case.name_side(side))
        for side, cards in counted
    ]


def _explain_what_follows(
    case: IrregularityCase, hands: _HandCountFacts, ruling: RulingDecision, *, free: bool
) -> list[str]:
    """Return sentences about what happens next. `free` is True if the side with the correct hand chose the ruling."""
    if ruling is RulingDecision.NO_PENALTY:
        return [lazy_text("Both hands have ten cards: nothing is wrong, and play goes on.")]
    if ruling is RulingDecision.CORRECT:
        innocent, wrong = _put_correct_side_first(case, hands)
        return [
            lazy_text(
                "%(innocent)s lets %(wrong)s correct the hand, and play goes on.",
                innocent=case.name_side(innocent),
                wrong=case.name_side(wrong),
            )
        ]
    if free:
        return [lazy_text("The player with the correct amount has chosen a new hand for both: new deal.")]
    if hands.plays == 0:
        return [lazy_text("It is discovered before one play is completed: new deal.")]
    return [lazy_text("Both players have the wrong number of cards: new deal.")]


def _put_correct_side_first(case: IrregularityCase, hands: _HandCountFacts) -> tuple[str, str]:
    """Return both sides, starting with the one that has the correct number of cards."""
    first, second = case.sides
    return (second, first) if hands.is_wrong(first) or hands.is_wrong(second) is False else (first, second)


def _offer_choices(case: IrregularityCase, hands: _HandCountFacts) -> list[RulingChoice]:
    chooser, wrong = _put_correct_side_first(case, hands)
    name, offender = case.name_side(chooser), case.name_side(wrong)
    correct = lazy_text("%(told)s may let %(offender)s correct the hand.", told=name, offender=offender)
    if hands.ended:
        correct = join_texts(" ", [correct, lazy_text("Then the hand is not over.")])
    return [
        RulingChoice(str(RulingDecision.CORRECT), chooser, correct),
        RulingChoice(
            str(RulingDecision.NEW_DEAL), chooser, lazy_text("%(told)s may ask for a new hand for both.", told=name)
        ),
    ]


def _score_at_end(case: IrregularityCase, hands: _HandCountFacts) -> RulingRecommendation:
    missing_facts = _list_facts_needed_to_score(case, hands)
    if missing_facts or hands.by is None or hands.ended is None:
        return case.make_open_recommendation(
            *_describe_wrong_hands(case, hands),
            lazy_text("It is found at the end of the hand."),
            missing_facts=missing_facts,
        )
    against = case.find_opponent(hands.by)
    hand = FinishedHand(
        outcome=hands.ended, by=hands.by, against=against, up=hands.up,
        own_count=hands.counts[hands.by], other_count=hands.counts[against],
        missing=max(0, HAND_SIZE - hands.cards[against]), extra=hands.extra.get(against, ()),
    )  # fmt: skip
    verdict = score_hand(hand, case.terms, case.rule_sheet.variant.rulebook)
    written: Hand = hand
    if verdict.event in (HandResult.KNOCK, HandResult.UNDERCUT) and case.find_knock_limit(hand.up) is None:
        # The sheet rejects a knock with an unknown limit, so only the points are written.
        written = PointsOnlyHand(to=verdict.to, points=verdict.points)
    only_points = [] if written is hand else [lazy_text("The up card is not known, so only the points are recorded.")]
    return case.make_ruling(
        RulingDecision.SCORED,
        *_describe_wrong_hands(case, hands),
        lazy_text("It is found at the end of the hand, which counts: %(working)s.", working=verdict.explanation),
        *only_points,
        scored=_score_hand(case, written),
    )


def _list_facts_needed_to_score(case: IrregularityCase, hands: _HandCountFacts) -> list[str]:
    against = None if hands.by is None else case.find_opponent(hands.by)
    too_many = against is not None and hands.cards.get(against, 0) > HAND_SIZE
    known = {
        "cards": against is None or against in hands.cards,
        "by": hands.by is not None,
        "counts": all(side in hands.counts for side in case.sides),
        "extra": not too_many or bool(against and hands.extra.get(against)),
        "up": hands.up is not None or not case.terms.spades_double,
    }
    return [name for name, is_known in known.items() if not is_known]


def _score_hand(case: IrregularityCase, hand: Hand) -> ScoredLine:
    """Score the hand. If the sheet rejects it, each problem is reported under the path of the fact that caused it."""
    try:
        return case.score_hand(hand)
    except InvalidInput as refused:
        raise InvalidInput(
            [InputProblem(p.code, _convert_to_fact_path(p.path), p.message) for p in refused.problems]
        ) from None


def _convert_to_fact_path(path: str) -> str:
    """Convert a path in the line to the path of the corresponding fact, such as `counts.A` to `facts.counts.A`."""
    field, dot, side = path.rpartition("].")[2].partition(".")
    return f"facts.{_FACTS_OF_LINE.get(field, field)}{dot}{side}"


def _require_matching_extra_cards(hands: _HandCountFacts) -> None:
    """Raise an error if the listed extra cards do not match the number of cards in the hand."""
    wrong = [(side, len(named), max(0, hands.cards[side] - HAND_SIZE)) for side, named in hands.extra.items() if named]
    problems = [
        InputProblem(
            "bad-value",
            join_path("facts.extra", side),
            lazy_text("%(named)s named here, but %(over)s of the cards are too many.", named=named, over=over),
        )
        for side, named, over in wrong
        if named != over
    ]
    if problems:
        raise InvalidInput(problems)


WRONG_CARD_COUNT: Final = Irregularity(
    games=GAMES_WITH_DRAW_PILE,
    name="wrong-count",
    title=lazy_text("Wrong number of cards"),
    rule=8,
    partnership_adds=lazy_text(
        "A partner can say that their partner has the wrong number of cards: partnership rule 13."
    ),
    decide=_decide_wrong_count,
    rulings=(RulingDecision.NO_PENALTY, RulingDecision.CORRECT, RulingDecision.NEW_DEAL, RulingDecision.SCORED),
    facts=(
        FactQuestion(
            "plays", lazy_text("How many plays have been completed?"), FactKind.NUMBER, maximum=MAX_COUNTED_CARDS
        ),
        FactQuestion("cards", lazy_text("How many cards has each?"), FactKind.NUMBER_A_SIDE, maximum=MAX_COUNTED_CARDS),
        FactQuestion(
            "ended",
            lazy_text("Has the hand ended, and how?"),
            FactKind.CODE,
            codes=((str(HandOutcome.GIN), "gin"), (str(HandOutcome.KNOCK), "knock")),
        ),
        FactQuestion("by", lazy_text("Who ended the hand?"), FactKind.SIDE),
        FactQuestion("counts", lazy_text("What are the counts, after lay-offs?"), FactKind.NUMBER_A_SIDE),
        FactQuestion("extra", lazy_text("Which cards are too many?"), FactKind.CARDS_A_SIDE),
        FactQuestion("up", lazy_text("What is the up card?"), FactKind.CARD),
        FactQuestion("chosen", lazy_text("What is chosen?"), FactKind.CODE, codes=_INNOCENT_SIDE_CHOICES),
    ),
)
