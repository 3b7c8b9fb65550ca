"""Rule on disputed up cards (GRA 2012, singles 4 and 12), improper knocks, and false gin (singles 9)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import FinishedHand, Hand, HandOutcome, PointsOnlyHand, score_hand
from scoring.rules.irregularities.case import (
    CHOSEN_BY_DIRECTOR,
    GAMES_WITH_DRAW_PILE,
    GAMES_WITH_GIN,
    GAMES_WITH_KNOCK,
    GAMES_WITH_UP_CARD,
    MAX_FACT_NUMBER,
    YES_OR_NO,
    FactKind,
    FactQuestion,
    FollowUpIrregularity,
    Irregularity,
    IrregularityCase,
    RulingChoice,
    RulingDecision,
    RulingRecommendation,
    ScoredLine,
    capitalize_leading_article,
    find_unambiguous_result,
    list_possible_values,
)
from scoring.rules.variants.gin.gra import PartnershipLine
from tournament.errors import InputProblem, InvalidInput
from tournament.lazy_text import join_texts, join_with_and, lazy_plural, lazy_text

# --- The up card -----------------------------------------------------------------------------------------------------
# Disputes about the up card (GRA 2012, singles 4), and a dealer who takes it out of turn (singles 12).

_TAKE_CARD_CODE: Final = "take"
_LEAVE_CARD_CODE: Final = "leave"


def _decide_disputed_up_card(case: IrregularityCase) -> RulingRecommendation:
    facts = case.facts
    recorded, chosen, hand = facts.get_card("recorded"), facts.get_card("chosen"), facts.get_line("hand")
    card = recorded or chosen
    if recorded is None and chosen is not None and chosen not in facts.get_card_by_side("claims").values():
        message = lazy_text(
            "Nobody claims the %(name)s: the director decides between the cards that are claimed.", name=chosen.name
        )
        raise InvalidInput([InputProblem("bad-value", "facts.chosen", message)])
    if card is None:
        return _leave_to_director(case, hand)
    rejudged = _rescore_with_up_card(case, hand, card)
    ruling = RulingDecision.RECORDED_STANDS if recorded else RulingDecision.DIRECTOR_DECIDES
    named = {"name": card.name, "symbol": card.symbol}
    if recorded:
        words = lazy_text("The %(name)s, %(symbol)s, is recorded on the sheet, and stands.", **named)
    else:
        words = lazy_text("The %(name)s, %(symbol)s, is the up card, the director decides.", **named)
    if rejudged is None:
        return case.make_ruling(ruling, words)
    result, scored, improper = rejudged
    found = case.make_ruling(ruling, words, result, scored=scored)
    follow_ups = []
    for knock in improper:
        counts = {"count": knock.own_count, "opponent_count": knock.other_count}
        follow_ups.append(
            FollowUpIrregularity(kind="improper-knock", facts={"up": str(knock.up), "by": knock.by, **counts})
        )
    return replace(found, follow_ups=tuple(follow_ups))


def _leave_to_director(case: IrregularityCase, hand: Hand | PartnershipLine | None) -> RulingRecommendation:
    """Let the director choose among the up cards that the sides claim.

    Each choice states the hand's score under that card.
    """
    claims = case.facts.get_card_by_side("claims")
    claimants: dict[PlayingCard, list[str]] = {}
    for side in case.sides:
        if side in claims:
            claimants.setdefault(claims[side], []).append(case.name_side(side))
    choices = [_offer_claim(case, hand, card, names) for card, names in claimants.items()]
    return case.make_ruling(
        RulingDecision.DIRECTOR_DECIDES,
        lazy_text("No up card is recorded on the sheet: the director decides which it was."),
        *(choice.text for choice in choices),
        choices=choices,
    )


def _offer_claim(
    case: IrregularityCase, hand: Hand | PartnershipLine | None, card: PlayingCard, names: Sequence[str]
) -> RulingChoice:
    rejudged = _rescore_with_up_card(case, hand, card)
    words = lazy_plural(
        "%(names)s says it was the %(card)s.",
        "%(names)s say it was the %(card)s.",
        len(names),
        names=join_with_and(names),
        card=card.name,
    )
    return RulingChoice(str(card), CHOSEN_BY_DIRECTOR, join_texts(" ", [words, rejudged[0]]) if rejudged else words)


def _rescore_with_up_card(
    case: IrregularityCase, hand: Hand | PartnershipLine | None, up: PlayingCard
) -> tuple[str, ScoredLine | None, Sequence[FinishedHand]] | None:
    """Score the hand again under this up card.

    Return a description of the result, the score, and the knocks that are improper under this up card. The score is
    None if a knock is improper. Return None instead if there is no hand to score.
    """
    if hand is None:
        return None
    boards = hand.boards if isinstance(hand, PartnershipLine) else (hand,)
    turned = tuple(_replace_up_card(case, board, up) for board in boards)
    limit = case.find_knock_limit(up) or 0
    finished = (board for board in turned if isinstance(board, FinishedHand))
    improper = tuple(board for board in finished if board.outcome is HandOutcome.KNOCK and board.own_count > limit)
    if improper:
        knocks = [
            lazy_text("the knock of %(by)s with %(count)s", by=case.name_side(board.by), count=board.own_count)
            for board in improper
        ]
        words = lazy_plural(
            "Under it %(knocks)s is improper, for %(limit)s is the most: singles rule 9 says what follows.",
            "Under it %(knocks)s are improper, for %(limit)s is the most: singles rule 9 says what follows.",
            len(improper),
            knocks=join_with_and(knocks),
            limit=limit,
        )
        return words, None, improper
    scored = case.score_hand(PartnershipLine(up, turned) if isinstance(hand, PartnershipLine) else turned[0])
    return lazy_text("Under it the hand is legal: %(what)s.", what=case.format_points(scored)), scored, ()


def _replace_up_card(case: IrregularityCase, hand: Hand, up: PlayingCard) -> Hand:
    """Return the hand with this up card. If the card is an ace, a knock without deadwood becomes gin."""
    turned = replace(hand, up=up)
    if isinstance(turned, FinishedHand) and turned.outcome is HandOutcome.KNOCK and case.terms.requires_gin(up):
        return turned if turned.own_count else replace(turned, outcome=HandOutcome.GIN)
    return turned


def _decide_up_card_out_of_turn(case: IrregularityCase) -> RulingRecommendation:
    by, takes = case.facts.get_side("by"), case.read_yes_or_no("opponent_takes", yes=_TAKE_CARD_CODE)
    dealer = lazy_text("the dealer") if by is None else case.name_side(by)
    dead = lazy_text("%(dealer)s took the up card out of turn: it is out of play for the dealer.", dealer=dealer)
    if case.is_partnership:
        no_card = lazy_text("It is the center deck's, and no card of this board: nobody can take it, and play resumes.")
        return case.make_ruling(RulingDecision.DEAD_FOR_DEALER, dead, no_card)
    other = case.name_opponent(by)
    if takes is None:
        choices = _offer_up_card(case, by)
        return case.make_ruling(
            RulingDecision.DEAD_FOR_DEALER, dead, *(choice.text for choice in choices), choices=choices
        )
    if takes:
        resumes = lazy_text("%(other)s takes it, and play resumes.", other=other)
    else:
        resumes = lazy_text("%(other)s does not take it, draws and discards, and play resumes.", other=other)
    return case.make_ruling(RulingDecision.DEAD_FOR_DEALER, dead, resumes)


def _offer_up_card(case: IrregularityCase, by: str | None) -> list[RulingChoice]:
    chooser, name = case.find_opponent_or_placeholder(by), case.name_opponent(by)
    return [
        RulingChoice(
            _TAKE_CARD_CODE,
            chooser,
            capitalize_leading_article(lazy_text("%(told)s may take the up card; play resumes.", told=name)),
        ),
        RulingChoice(
            _LEAVE_CARD_CODE,
            chooser,
            capitalize_leading_article(lazy_text("%(told)s may leave it, draw and discard; play resumes.", told=name)),
        ),
    ]


UP_CARD_DISPUTE: Final = Irregularity(
    games=GAMES_WITH_UP_CARD,
    name="up-card",
    title=lazy_text("Dispute about the up card"),
    rule=4,
    partnership_adds=lazy_text("The knock card is the one that was turned from the center deck: partnership rule 7."),
    decide=_decide_disputed_up_card,
    rulings=(RulingDecision.RECORDED_STANDS, RulingDecision.DIRECTOR_DECIDES),
    facts=(
        FactQuestion("recorded", lazy_text("Which up card is recorded on the sheet?"), FactKind.CARD),
        FactQuestion("claims", lazy_text("Which card does each say it was?"), FactKind.CARD_A_SIDE),
        FactQuestion("hand", lazy_text("How did the hand end?"), FactKind.LINE),
        FactQuestion("chosen", lazy_text("Which card does the director decide for?"), FactKind.CLAIMED_CARD),
    ),
)
UP_CARD_OUT_OF_TURN: Final = Irregularity(
    games=GAMES_WITH_GIN,
    name="up-card-out-of-turn",
    title=lazy_text("Up card taken out of turn"),
    rule=12,
    partnership=7,
    decide=_decide_up_card_out_of_turn,
    rulings=(RulingDecision.DEAD_FOR_DEALER,),
    facts=(
        FactQuestion("by", lazy_text("Which side deals?"), FactKind.SIDE),
        FactQuestion("opponent_takes", lazy_text("Does the opponent take the up card?"), FactKind.YES_NO),
        FactQuestion(
            "chosen",
            lazy_text("What does the opponent choose?"),
            FactKind.CODE,
            codes=((_TAKE_CARD_CODE, lazy_text("take the up card")), (_LEAVE_CARD_CODE, lazy_text("leave it"))),
        ),
    ),
)


# --- Improper knocks -------------------------------------------------------------------------------------------------

ACCEPT_KNOCK_CHOICE: Final = "accept"
DECLINE_KNOCK_CHOICE: Final = "decline"


@dataclass(frozen=True, slots=True)
class _KnockFacts:
    """The known facts about a disputed knock. The counts are taken after lay-offs."""

    by: str | None
    up: PlayingCard | None
    count: int | None
    other_count: int | None
    accepts: bool | None

    @classmethod
    def from_case(cls, case: IrregularityCase) -> "_KnockFacts":
        facts = case.facts
        return cls(
            by=facts.get_side("by"),
            up=facts.get_card("up"),
            count=facts.get_number("count"),
            other_count=facts.get_number("opponent_count"),
            accepts=case.read_yes_or_no("opponent_accepts", yes=ACCEPT_KNOCK_CHOICE),
        )


def _decide_improper_knock(case: IrregularityCase) -> RulingRecommendation:
    knock = _KnockFacts.from_case(case)
    limits = _list_possible_limits(case, knock.up)
    accepts = list_possible_values(knock.accepts, YES_OR_NO)
    ruling = find_unambiguous_result(
        _rule_on_knock, limits, _list_possible_counts(knock.count), _list_possible_counts(knock.other_count), accepts
    )
    if ruling is RulingDecision.PROPER:
        return _rule_on_proper_knock(case, knock)
    if ruling is RulingDecision.PLAY_OPEN:
        return case.make_ruling(
            ruling, *_explain_improper_knock(case, knock, limits), *_explain_how_hand_is_played(case, knock, limits)
        )
    if ruling is RulingDecision.ACCEPTED_AS_UNDERCUT and (knock.up is not None or not case.terms.spades_double):
        return _score_accepted_knock(case, knock)
    return _make_open_recommendation(case, knock, limits)


def _rule_on_knock(limit: int, count: int, other_count: int, accepts: bool) -> RulingDecision:
    """Decide on a knock whose facts are all known (CONTRACTS.md, adjudicate, improper-knock)."""
    if count <= limit:
        return RulingDecision.PROPER
    if accepts and other_count <= limit:
        return RulingDecision.ACCEPTED_AS_UNDERCUT
    return RulingDecision.PLAY_OPEN


def _list_possible_limits(case: IrregularityCase, up: PlayingCard | None) -> list[int]:
    """Return the possible knock limits. There are several if the up card is unknown."""
    value = case.find_knock_limit(up)
    if value is not None:
        return [value]
    return sorted({limit for card in DECK.values() if (limit := case.find_knock_limit(card)) is not None})


def _list_possible_counts(count: int | None) -> tuple[int, ...]:
    """Return the possible counts.

    If the count is unknown, the lowest and the highest number stand for all counts. These two are enough, because a
    ruling depends only on comparisons with the knock limit.
    """
    return (0, MAX_FACT_NUMBER) if count is None else (count,)


def _score_accepted_knock(case: IrregularityCase, knock: _KnockFacts) -> RulingRecommendation:
    if knock.by is None or knock.count is None or knock.other_count is None:
        return case.make_open_recommendation(
            lazy_text("The opponent accepts the knock, and it counts as an undercut."), missing_facts=["by"]
        )
    against = case.find_opponent(knock.by)
    hand = FinishedHand(
        outcome=HandOutcome.KNOCK, by=knock.by, against=against,
        own_count=knock.count, other_count=knock.other_count, up=knock.up,
    )  # fmt: skip
    verdict = score_hand(hand, case.terms, case.rule_sheet.variant.rulebook)
    difference, bonus = knock.count - knock.other_count, case.terms.undercut_bonus
    who = {"by": case.name_opponent(knock.by), "count": knock.other_count}
    sums = {"difference": difference, "bonus": bonus, "points": verdict.points}
    if case.terms.is_doubled(knock.up):
        credit = lazy_text(
            "%(by)s has %(count)s, accepts it as proper, and gets credit for the undercut, the difference of "
            "%(difference)s and the bonus of %(bonus)s, doubled under a spade: %(points)s points.",
            **who,
            **sums,
        )
    else:
        credit = lazy_text(
            "%(by)s has %(count)s, accepts it as proper, and gets credit for the undercut, the difference of "
            "%(difference)s and the bonus of %(bonus)s: %(points)s points.",
            **who,
            **sums,
        )
    return case.make_ruling(
        RulingDecision.ACCEPTED_AS_UNDERCUT,
        lazy_text("%(matter)s is improper.", matter=_describe_knock(case, knock)),
        credit,
        scored=case.score_hand(PointsOnlyHand(to=against, points=verdict.points, up=knock.up)),
    )


def _rule_on_proper_knock(case: IrregularityCase, knock: _KnockFacts) -> RulingRecommendation:
    scored = _score_proper_knock(case, knock)
    if scored is None:
        return case.make_ruling(
            RulingDecision.PROPER,
            lazy_text("%(matter)s is proper, and the hand is counted.", matter=_describe_knock(case, knock)),
        )
    described = _describe_knock(case, knock)
    if case.terms.requires_gin(knock.up):
        proper = lazy_text("%(matter)s is proper: all the cards are matched, which is gin.", matter=described)
    else:
        proper = lazy_text("%(matter)s is proper.", matter=described)
    counts = lazy_text("The hand counts: %(what)s.", what=case.format_points(scored))
    return case.make_ruling(RulingDecision.PROPER, proper, counts, scored=scored)


def _score_proper_knock(case: IrregularityCase, knock: _KnockFacts) -> ScoredLine | None:
    """Return the score of the hand if the knock is proper, or None if a fact that the score requires is unknown."""
    by, own, other = knock.by, knock.count, knock.other_count
    if by is None or own is None or other is None or (knock.up is None and case.terms.needs_up_card):
        return None
    outcome = HandOutcome.GIN if case.terms.requires_gin(knock.up) else HandOutcome.KNOCK
    against = case.find_opponent(by)
    hand = FinishedHand(outcome=outcome, by=by, against=against, own_count=own, other_count=other, up=knock.up)
    return case.score_hand(hand)


def _explain_improper_knock(case: IrregularityCase, knock: _KnockFacts, limits: list[int]) -> list[str]:
    other = case.name_opponent(knock.by)
    sentences = [lazy_text("%(matter)s is improper.", matter=_describe_knock(case, knock))]
    if knock.other_count is not None and knock.other_count > max(limits):
        sentences.append(
            lazy_text("%(other)s has %(other_count)s and cannot accept it.", other=other, other_count=knock.other_count)
        )
    elif knock.accepts is False:
        sentences.append(lazy_text("%(other)s does not accept it.", other=other))
    return sentences


def _explain_how_hand_is_played(case: IrregularityCase, knock: _KnockFacts, limits: list[int]) -> list[str]:
    if len(limits) > 1:
        must = lazy_text(
            "They must knock when their count is at the knock card or below; the opponent cannot force them to knock."
        )
    elif limits == [0]:
        must = lazy_text("They must knock when all their cards are matched; the opponent cannot force them to knock.")
    else:
        must = lazy_text(
            "They must knock when their count is %(limit)s or below; the opponent cannot force them to knock.",
            limit=limits[0],
        )
    return [lazy_text("%(by)s plays the hand open, all ten cards face up.", by=case.name_side(knock.by)), must]


def _make_open_recommendation(case: IrregularityCase, knock: _KnockFacts, limits: list[int]) -> RulingRecommendation:
    """Return a recommendation without a ruling. The opponent gets a choice only if the knock is certainly improper."""
    improper = knock.count is not None and knock.count > max(limits)
    if improper and knock.accepts is None:
        return case.make_open_recommendation(
            lazy_text("%(matter)s is improper.", matter=_describe_knock(case, knock)),
            choices=_offer_acceptance(case, knock),
        )
    needs_up = len(limits) > 1 or (improper and case.terms.spades_double)
    known = {
        "up": knock.up is not None or not needs_up,
        "count": knock.count is not None,
        "opponent_count": knock.other_count is not None or not improper,
    }
    return case.make_open_recommendation(missing_facts=[name for name, is_known in known.items() if not is_known])


def _offer_acceptance(case: IrregularityCase, knock: _KnockFacts) -> list[RulingChoice]:
    chooser, name = case.find_opponent_or_placeholder(knock.by), case.name_opponent(knock.by)
    value = case.find_knock_limit(knock.up)
    if value is None:
        accept = lazy_text(
            "%(told)s may accept the knock with a count at the knock card or lower, after lay-offs: it is then scored "
            "as an undercut.",
            told=name,
        )
    else:
        accept = lazy_text(
            "%(told)s may accept the knock with a count of %(value)s or lower, after lay-offs: it is then scored as "
            "an undercut.",
            told=name,
            value=value,
        )
    decline = lazy_text("%(told)s may decline, without telling their count: the hand is then played open.", told=name)
    return [
        RulingChoice(ACCEPT_KNOCK_CHOICE, chooser, capitalize_leading_article(accept)),
        RulingChoice(DECLINE_KNOCK_CHOICE, chooser, capitalize_leading_article(decline)),
    ]


def _describe_knock(case: IrregularityCase, knock: _KnockFacts) -> str:
    """Return the beginning of a sentence about the knock, such as “The knock of Ann with 10 under 8♥”.

    Unknown facts are left out.
    """
    by = None if knock.by is None else case.name_side(knock.by)
    up = None if knock.up is None else knock.up.symbol
    known = {"by": by, "count": knock.count, "up": up}
    forms = {
        (False, False, False): lazy_text("The knock"),
        (True, False, False): lazy_text("The knock of %(by)s", **known),
        (False, True, False): lazy_text("The knock with %(count)s", **known),
        (False, False, True): lazy_text("The knock under %(up)s", **known),
        (True, True, False): lazy_text("The knock of %(by)s with %(count)s", **known),
        (True, False, True): lazy_text("The knock of %(by)s under %(up)s", **known),
        (False, True, True): lazy_text("The knock with %(count)s under %(up)s", **known),
        (True, True, True): lazy_text("The knock of %(by)s with %(count)s under %(up)s", **known),
    }
    return forms[knock.by is not None, knock.count is not None, up is not None]


IMPROPER_KNOCK: Final = Irregularity(
    games=GAMES_WITH_KNOCK,
    name="improper-knock",
    title=lazy_text("Improper knock"),
    rule=9,
    partnership_adds=lazy_text("A partner can help with lay-offs: partnership rule 13."),
    decide=_decide_improper_knock,
    rulings=(RulingDecision.PROPER, RulingDecision.ACCEPTED_AS_UNDERCUT, RulingDecision.PLAY_OPEN),
    facts=(
        FactQuestion("by", lazy_text("Who knocked?"), FactKind.SIDE),
        FactQuestion("up", lazy_text("What is the up card?"), FactKind.CARD),
        FactQuestion("count", lazy_text("What is the knocker's count?"), FactKind.NUMBER),
        FactQuestion("opponent_count", lazy_text("What is the opponent's count, after lay-offs?"), FactKind.NUMBER),
        FactQuestion("opponent_accepts", lazy_text("Does the opponent accept the knock?"), FactKind.YES_NO),
        FactQuestion(
            "chosen",
            lazy_text("What does the opponent choose?"),
            FactKind.CODE,
            codes=(
                (ACCEPT_KNOCK_CHOICE, lazy_text("accept the knock")),
                (DECLINE_KNOCK_CHOICE, lazy_text("have the hand played open")),
            ),
        ),
    ),
)


# --- False gin -------------------------------------------------------------------------------------------------------


def _decide_false_gin(case: IrregularityCase) -> RulingRecommendation:
    by, count = case.facts.get_side("by"), case.facts.get_number("count")
    who = case.name_side(by)
    if count is None:
        return case.make_open_recommendation(lazy_text("%(who)s announced gin.", who=who), missing_facts=["count"])
    if count == 0:
        return case.make_ruling(
            RulingDecision.PROPER,
            lazy_text("%(who)s announced gin, and all the cards are matched: it is gin.", who=who),
        )
    return case.make_ruling(
        RulingDecision.PLAY_OPEN,
        lazy_plural(
            "%(who)s announced gin with %(number)s point unmatched: it is not gin, under any up card.",
            "%(who)s announced gin with %(number)s points unmatched: it is not gin, under any up card.",
            count,
            who=who,
        ),
        lazy_text("%(by)s cannot accept it.", by=case.name_opponent(by)),
        lazy_text("%(who)s plays the hand open, all ten cards face up.", who=who),
    )


FALSE_GIN: Final = Irregularity(
    name="false-gin",
    title=lazy_text("Gin announced without gin"),
    rule=9,
    games=GAMES_WITH_DRAW_PILE,
    decide=_decide_false_gin,
    rulings=(RulingDecision.PROPER, RulingDecision.PLAY_OPEN),
    facts=(
        FactQuestion("by", lazy_text("Who announced gin?"), FactKind.SIDE),
        FactQuestion("count", lazy_text("What is the count of the unmatched cards?"), FactKind.NUMBER),
    ),
)
