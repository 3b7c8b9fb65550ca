"""Each rule set's policy for disputes. If a rulebook has no rule, the director decides."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache
from typing import Any, Final

from scoring.rules.irregularities import GRA_RULE_SETS, IRREGULARITIES
from scoring.rules.irregularities.case import (
    FactKind,
    FactQuestion,
    Irregularity,
    IrregularityCase,
    RulingDecision,
    RulingRecommendation,
)
from tournament.lazy_text import lazy_text

_Facts = Mapping[str, Any]
_Names = Mapping[str, str]


class RulingDecider(StrEnum):
    DIRECTOR = "director"
    SCOREKEEPER = "scorekeeper"
    TABLE = "table"
    """The other players at the table decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameStanding:
    """The information that a policy needs about a game in progress.

    `totals` is keyed by the sides' letters. `keeper` is the scorekeeper's side, or empty if the scorekeeper is not a
    player. `low_wins` is True if the lowest total wins. `hands` is the number of hands in the whole game, or None if it
    varies. `totals_announced` is True if the totals before the last hand were announced.
    """

    totals: Mapping[str, int]
    keeper: str = ""
    low_wins: bool = False
    hands_played: int = 0
    hands: int | None = None
    totals_announced: bool = False

    @property
    def is_scorekeeper_ahead(self) -> bool:
        """Whether the scorekeeper's side is ahead of all other sides.

        >>> from dataclasses import replace
        >>> standing = GameStanding(totals={"A": 30, "B": 20}, keeper="A")
        >>> standing.is_scorekeeper_ahead, replace(standing, low_wins=True).is_scorekeeper_ahead
        (True, False)
        """
        own = self.totals.get(self.keeper)
        others = [total for side, total in self.totals.items() if side != self.keeper]
        if own is None or not others:
            return False
        return own < min(others) if self.low_wins else own > max(others)

    @property
    def is_before_last_hand(self) -> bool:
        return self.hands is not None and self.hands_played == self.hands - 1


def _reject_case(case: IrregularityCase) -> RulingRecommendation:
    raise NotImplementedError("a policy's own kind is answered by `answer`")


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyIrregularity(Irregularity):
    """A kind of dispute that only one rule set has. `paragraph` is cited unless the facts call for another one."""

    paragraph: str
    answer: Callable[[_Facts, _Names], RulingRecommendation]
    """A function that returns the recommendation, given the known facts and the sides' names by letter."""

    rule: int | None = None
    decide: Callable[[IrregularityCase], RulingRecommendation] = _reject_case

    def cite(self, rules: str) -> str:
        return self.paragraph


@dataclass(frozen=True, slots=True, kw_only=True)
class _DisputePolicy:
    """A rule set's policy for disputes.

    `kinds` are the rule set's own kinds of disputes, to which `find_dispute_policy` adds the game's other kinds. `late`
    returns the reason why a hand (numbered from 1) can no longer be corrected, or an empty string if there is none. If
    `records_thrown_in_hands` is True, a hand that is thrown in gets a line on the sheet. Otherwise it is dealt again
    without being recorded. If `announces` is True, the scorekeeper announces the totals before the last hand. If
    `can_be_refused` is True, a player may reject a ruling because the rule was applied differently before.
    """

    sentences: tuple[str, ...]
    kinds: Mapping[str, Irregularity] = field(default_factory=dict)
    decider: Callable[[GameStanding, str], RulingDecider] = lambda _standing, _kind: RulingDecider.DIRECTOR
    late: Callable[[GameStanding, int], str] = lambda _standing, _hand: ""
    records_thrown_in_hands: bool = True
    announces: bool = False
    can_be_refused: bool = False
    own: tuple[str, ...] = field(default=())
    """The names of the kinds that this policy decides instead of the game's general rules."""


# --- Fort Worth Gin --------------------------------------------------------------------------------------------------
# Source: Fort Worth Gin (John Greer, 1997), A 10 and A 15 to 19 for the play, C 3 for the score.

BEFORE_DISCARD, BEFORE_NEXT_PLAY, AFTER_NEXT_PLAY = "before-discard", "before-next", "after-next"
EXPOSED_CARD, MISDEAL = "exposed", "misdeal"
_MAX_COUNT: Final = 1_000_000_000


def _rule_on_arithmetic_error(facts: _Facts, names: _Names) -> RulingRecommendation:
    """Rule on an arithmetic error in the score (Fort Worth C 3).

    An error is corrected until the last hand begins. After that, the announced totals count.
    """
    rule, in_time = lazy_text("Fort Worth C 3"), facts.get("in_time")
    if in_time is None:
        return RulingRecommendation(
            rule=rule, text=lazy_text("Was it found before the last hand?"), missing_facts=("in_time",)
        )
    if not in_time:
        text = lazy_text("It was found in the last hand or after it: the totals stand as they were announced.")
        return RulingRecommendation(rule=rule, text=text, ruling=RulingDecision.STANDS)
    hand, counts = facts.get("hand"), facts.get("counts")
    if not counts or not hand:
        return RulingRecommendation(
            rule=rule,
            text=lazy_text("Enter which hand it is, and what each player should have."),
            missing_facts=("hand", "counts"),
        )
    line = {**hand, "counts": {**hand.get("counts", {}), **counts}}
    listed = ", ".join(f"{names.get(side, side)} {count}" for side, count in counts.items())
    text = lazy_text("The hand is corrected (%(said)s), and brought forward to the correct total.", said=listed)
    return RulingRecommendation(rule=rule, text=text, ruling=RulingDecision.CORRECT, line=line)


def _rule_on_play_error(facts: _Facts, names: _Names) -> RulingRecommendation:
    """Rule on an error in play (Fort Worth A 17 to 19)."""
    found, agreed = facts.get("found"), facts.get("agreed")
    who = names.get(str(facts.get("by")), lazy_text("The player"))
    if found == BEFORE_DISCARD:
        text = lazy_text(
            "%(who)s may correct the error in any manner, and continues the turn until the discard.", who=who
        )
        return RulingRecommendation(rule=lazy_text("Fort Worth A 17"), text=text, ruling=RulingDecision.CONTINUE)
    if found == BEFORE_NEXT_PLAY:
        text = lazy_text(
            "%(who)s takes all cards of the erroneous play back into the hand until the next turn.", who=who
        )
        return RulingRecommendation(rule=lazy_text("Fort Worth A 18"), text=text, ruling=RulingDecision.CONTINUE)
    if found != AFTER_NEXT_PLAY:
        return RulingRecommendation(
            rule=lazy_text("Fort Worth A 17"),
            text=lazy_text("When was the error recognized?"),
            missing_facts=("found",),
        )
    if agreed is None:
        text = lazy_text("Others have played on it. Do all agree on the remedy?")
        return RulingRecommendation(rule=lazy_text("Fort Worth A 19"), text=text, missing_facts=("agreed",))
    if agreed:
        text = lazy_text("The cards go back into the hands of those who played them, as all have agreed.")
        return RulingRecommendation(rule=lazy_text("Fort Worth A 19"), text=text, ruling=RulingDecision.CONTINUE)
    text = lazy_text("No agreement is reached: the hand is thrown in, and the same dealer deals again.")
    return RulingRecommendation(rule=lazy_text("Fort Worth A 19"), text=text, ruling=RulingDecision.NEW_DEAL)


def _rule_on_early_discard(facts: _Facts, names: _Names) -> RulingRecommendation:
    """Rule on a discard made before drawing (Fort Worth A 10)."""
    who = names.get(str(facts.get("by")), lazy_text("The player"))
    text = lazy_text(
        "%(who)s discarded before drawing: %(who_2)s draws a card, and the turn is over without any other play.",
        who=who,
        who_2=who,
    )
    return RulingRecommendation(rule=lazy_text("Fort Worth A 10"), text=text, ruling=RulingDecision.CONTINUE)


def _rule_on_wrong_deal(facts: _Facts, names: _Names) -> RulingRecommendation:
    """Rule on an incorrect deal (Fort Worth A 15, A 16)."""
    if facts.get("what") == EXPOSED_CARD:
        text = lazy_text("A card was exposed on the deal: the hand is dealt again.")
        return RulingRecommendation(rule=lazy_text("Fort Worth A 15"), text=text, ruling=RulingDecision.NEW_DEAL)
    if facts.get("what") == MISDEAL:
        text = lazy_text("It is a misdeal: all cards are thrown in, and the same dealer deals again.")
        return RulingRecommendation(rule=lazy_text("Fort Worth A 16"), text=text, ruling=RulingDecision.NEW_DEAL)
    return RulingRecommendation(
        rule=lazy_text("Fort Worth A 16"), text=lazy_text("What was wrong with the deal?"), missing_facts=("what",)
    )


def _explain_late_correction(standing: GameStanding, hand: int) -> str:
    """Return the reason why a hand can no longer be corrected, or an empty string if it still can (Fort Worth C 3).

    Hands before the last one are final once the totals have been announced or the last hand is recorded.
    """
    if standing.hands is None or hand >= standing.hands:
        return ""
    if standing.totals_announced:
        return lazy_text("The totals before the last hand are announced: earlier hands stand (Fort Worth C 3).")
    if standing.hands_played >= standing.hands:
        return lazy_text("The last hand is recorded: earlier hands stand (Fort Worth C 3).")
    return ""


ARITHMETIC_ERROR: Final = PolicyIrregularity(
    name="arithmetic",
    title=lazy_text("Error in the score"),
    paragraph=lazy_text("Fort Worth C 3"),
    answer=_rule_on_arithmetic_error,
    rulings=(RulingDecision.STANDS, RulingDecision.CORRECT),
    facts=(
        FactQuestion("in_time", lazy_text("Was it found before the last hand?"), FactKind.YES_NO),
        FactQuestion("counts", lazy_text("What should the count be?"), FactKind.NUMBER_A_SIDE, maximum=_MAX_COUNT),
        FactQuestion("hand", lazy_text("The hand as it is recorded"), FactKind.LINE),
    ),
)
PLAY_ERROR: Final = PolicyIrregularity(
    name="play-error",
    title=lazy_text("Error in the play"),
    paragraph=lazy_text("Fort Worth A 17"),
    answer=_rule_on_play_error,
    rulings=(RulingDecision.CONTINUE, RulingDecision.NEW_DEAL),
    facts=(
        FactQuestion("by", lazy_text("Who made it?"), FactKind.SIDE),
        FactQuestion(
            "found",
            lazy_text("When was it recognized?"),
            FactKind.CODE,
            codes=(
                (BEFORE_DISCARD, lazy_text("before the player discarded")),
                (BEFORE_NEXT_PLAY, lazy_text("before another player played")),
                (AFTER_NEXT_PLAY, lazy_text("after others had played on it")),
            ),
        ),
        FactQuestion("agreed", lazy_text("Do all agree on the remedy?"), FactKind.YES_NO),
    ),
)
EARLY_DISCARD: Final = PolicyIrregularity(
    name="discard-before-draw",
    title=lazy_text("Discard before drawing"),
    paragraph=lazy_text("Fort Worth A 10"),
    answer=_rule_on_early_discard,
    rulings=(RulingDecision.CONTINUE,),
    facts=(FactQuestion("by", lazy_text("Who discarded before drawing?"), FactKind.SIDE),),
)
WRONG_DEAL: Final = PolicyIrregularity(
    name="wrong-deal",
    title=lazy_text("Problem with the deal"),
    paragraph=lazy_text("Fort Worth A 16"),
    answer=_rule_on_wrong_deal,
    rulings=(RulingDecision.NEW_DEAL,),
    facts=(
        FactQuestion(
            "what",
            lazy_text("What was wrong?"),
            FactKind.CODE,
            codes=((EXPOSED_CARD, lazy_text("a card was exposed")), (MISDEAL, "a misdeal")),
        ),
    ),
)
_FORT_WORTH_KINDS: Final = (EARLY_DISCARD, PLAY_ERROR, ARITHMETIC_ERROR, WRONG_DEAL)
FORT_WORTH_POLICY: Final = _DisputePolicy(
    kinds={kind.name: kind for kind in _FORT_WORTH_KINDS},
    own=tuple(kind.name for kind in _FORT_WORTH_KINDS),
    sentences=(
        lazy_text(
            "A player who discards before drawing must draw, and the turn is over without any other play (A 10)."
        ),
        lazy_text(
            "An error in the play is corrected in any manner before the discard, taken back into the hand "
            "before another has played, and later as all agree; without agreement the hand is thrown in "
            "and dealt again (A 17 to 19)."
        ),
        lazy_text(
            "Errors in the score are corrected until the last hand. The scorer announces the totals "
            "before it, and what was announced then stands (C 3)."
        ),
    ),
    late=_explain_late_correction,
    records_thrown_in_hands=False,
    announces=True,
)


# --- The Metzker Book ------------------------------------------------------------------------------------------------
# Source: Metzker Book of Card Game Rules 2026, “Scoring” and “Disputes” of its general rules.

_SCORE_DISPUTE: Final = "scoring"


def _choose_decider(standing: GameStanding, kind: str) -> RulingDecider:
    """Return the person or group that decides a dispute.

    The scorekeeper decides a dispute about the score, unless the scorekeeper is winning. The table decides all others.
    """
    if kind != _SCORE_DISPUTE:
        return RulingDecider.TABLE
    return RulingDecider.TABLE if standing.is_scorekeeper_ahead else RulingDecider.SCOREKEEPER


def _rule_on_score_dispute(facts: _Facts, names: _Names) -> RulingRecommendation:
    rule, stands = lazy_text("Metzker, Scoring"), facts.get("stands")
    if stands is None:
        text = lazy_text("The scorekeeper decides, unless they are winning: then the others review the score.")
        return RulingRecommendation(rule=rule, text=text, missing_facts=("stands",))
    if stands:
        return RulingRecommendation(
            rule=rule, text=lazy_text("The score stands as it is recorded."), ruling=RulingDecision.STANDS
        )
    return RulingRecommendation(
        rule=rule,
        text=lazy_text("The round is counted again, and entered as it is found."),
        ruling=RulingDecision.RECOUNT,
    )


def _rule_on_inconsistent_ruling(facts: _Facts, names: _Names) -> RulingRecommendation:
    """Rule on a complaint that a rule was applied differently before (“The Kali Effect”)."""
    rule, unanimous = lazy_text("Metzker, Disputes"), facts.get("unanimous")
    who = names.get(str(facts.get("by")), lazy_text("The player"))
    if unanimous is None:
        text = lazy_text(
            "%(who)s is held to a rule that was applied differently before. Do all agree on how it is applied?", who=who
        )
        return RulingRecommendation(rule=rule, text=text, missing_facts=("unanimous",))
    if unanimous:
        return RulingRecommendation(
            rule=rule, text=lazy_text("All agree on how the rule is applied."), ruling=RulingDecision.REFUSED
        )
    text = lazy_text("There is no unanimous decision: %(who)s proceeds as before, the Kali effect.", who=who)
    return RulingRecommendation(rule=rule, text=text, ruling=RulingDecision.ALLOWED)


SCORE_DISPUTE: Final = PolicyIrregularity(
    name=_SCORE_DISPUTE,
    title=lazy_text("Dispute about the score"),
    paragraph=lazy_text("Metzker, Scoring"),
    answer=_rule_on_score_dispute,
    rulings=(RulingDecision.STANDS, RulingDecision.RECOUNT),
    facts=(FactQuestion("stands", lazy_text("Does the score stand as it is recorded?"), FactKind.YES_NO),),
)
RULE_APPLIED_DIFFERENTLY: Final = PolicyIrregularity(
    name="applied-differently",
    title=lazy_text("A rule applied differently than before"),
    paragraph=lazy_text("Metzker, Disputes"),
    answer=_rule_on_inconsistent_ruling,
    rulings=(RulingDecision.REFUSED, RulingDecision.ALLOWED),
    facts=(
        FactQuestion("by", lazy_text("Who is held to it?"), FactKind.SIDE),
        FactQuestion("unanimous", lazy_text("Do all agree on how it is applied?"), FactKind.YES_NO),
    ),
)
METZKER_POLICY: Final = _DisputePolicy(
    kinds={SCORE_DISPUTE.name: SCORE_DISPUTE, RULE_APPLIED_DIFFERENTLY.name: RULE_APPLIED_DIFFERENTLY},
    own=(SCORE_DISPUTE.name, RULE_APPLIED_DIFFERENTLY.name),
    sentences=(
        lazy_text(
            "In a dispute about the score the scorekeeper decides, unless they are winning: then the "
            "other players review it."
        ),
        lazy_text(
            "A rule that was applied differently before can be refused by the player who is held to it, "
            "unless all agree: the Kali effect. It is recorded with the ruling that was made before."
        ),
    ),
    decider=_choose_decider,
    can_be_refused=True,
)


# --- The policy of each rule set -------------------------------------------------------------------------------------

GRA_POLICY: Final = _DisputePolicy(
    sentences=(
        lazy_text(
            "A ruling cites its rule, and stands in the public register. The director's decisions are "
            "final and binding (preamble of the rules); where the event has named a committee, it hears "
            "one appeal."
        ),
        lazy_text(
            "In a dispute about the up card, the director tends to accept the one that is recorded on "
            "the sheet (rule 4)."
        ),
    )
)
DEFAULT_POLICY: Final = _DisputePolicy(
    sentences=(lazy_text("These rules leave disputes to the director. Every ruling stands in the public register."),)
)
_METZKER_GAMES: Final = ("metzker", "court-whist", "score-pad")
"""The games of the Metzker Book. The book's chapters “Disputes” and “Scoring” apply to all these games."""
_OWN_POLICIES: Final[Mapping[str, _DisputePolicy]] = {
    "fort-worth": FORT_WORTH_POLICY,
    **dict.fromkeys(_METZKER_GAMES, METZKER_POLICY),
}


@cache
def find_dispute_policy(rules: str) -> _DisputePolicy:
    """Return a rule set's policy. Its own kinds of disputes come first, followed by the game's other kinds.

    >>> find_dispute_policy("fort-worth").announces, find_dispute_policy("gra-singles").records_thrown_in_hands
    (True, True)
    >>> "improper-knock" in find_dispute_policy("score-pad").kinds, list(find_dispute_policy("court-whist").kinds)[:2]
    (False, ['scoring', 'applied-differently'])
    """
    policy = _OWN_POLICIES.get(rules, GRA_POLICY if rules in GRA_RULE_SETS else DEFAULT_POLICY)
    of_the_game = {name: kind for name, kind in IRREGULARITIES.items() if kind.can_occur_in(rules)}
    return replace(policy, kinds={**policy.kinds, **of_the_game})


# --- The wording of the rules ----------------------------------------------------------------------------------------
# Rulings cite these rules as the sheets print them (GRA 2012; John Greer 1997; Metzker 2026).

_RULE_TEXTS: Final[Mapping[str, str]] = {
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


def find_rule_text(rule: str) -> str:
    """Return the text of a rule, or an empty string if it is unknown.

    >>> find_rule_text("singles 5")
    'If a player touches the top of either pile by mistake, he is not forced to take that card.'
    """
    return _RULE_TEXTS.get(rule, "")
