"""Disputes about the up card (GRA 2012, singles 4), and a dealer who takes it out of turn (singles 12)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import Finished, Hand, Outcome
from scoring.rules.irregularities.matter import (
    BY_THE_UP_CARD,
    DIRECTOR,
    OF_GIN,
    Decision,
    FactAsked,
    FactKind,
    Following,
    Irregularity,
    Matter,
    OpenChoice,
    Recommendation,
    Scored,
    sentence,
)
from scoring.rules.variants.gin.gra import TeamHand
from tournament.errors import BadCase, Problem
from tournament.said import joined, listed, worded, worded_plural

TAKE: Final = "take"
LEAVE: Final = "leave"


@dataclass(frozen=True, slots=True)
class _Rejudged:
    """A hand judged under another up card.

    `scored` is None if the hand does not count. `improper` has the knocks that this card makes improper.
    """

    words: str
    scored: Scored | None
    improper: tuple[Finished, ...] = ()


def _decide_dispute(matter: Matter) -> Recommendation:
    facts = matter.facts
    recorded, chosen, hand = facts.card("recorded"), facts.card("chosen"), facts.line("hand")
    card = recorded or chosen
    if recorded is None and chosen is not None and chosen not in facts.card_by_side("claims").values():
        message = worded(
            "Nobody claims the %(name)s: the director decides between the cards that are claimed.", name=chosen.name
        )
        raise BadCase([Problem("bad-value", "facts.chosen", message)])
    if card is None:
        return _for_director(matter, hand)
    rejudged = _rejudge(matter, hand, card)
    ruling = Decision.RECORDED_STANDS if recorded else Decision.DIRECTOR_DECIDES
    sentences = [_stands(card, recorded=recorded is not None), *([rejudged.words] if rejudged else [])]
    found = matter.given(ruling, *sentences, scored=rejudged.scored if rejudged else None)
    return replace(found, following=tuple(map(_following, rejudged.improper)) if rejudged else ())


def _stands(card: PlayingCard, *, recorded: bool) -> str:
    if recorded:
        return worded("The %(name)s, %(symbol)s, is recorded on the sheet, and stands.", **_called(card))
    return worded("The %(name)s, %(symbol)s, is the up card, the director decides.", **_called(card))


def _called(card: PlayingCard) -> dict[str, str]:
    return {"name": card.name, "symbol": card.symbol}


def _for_director(matter: Matter, hand: Hand | TeamHand | None) -> Recommendation:
    """Return the open choice between the claimed cards, each with the result of the hand under it."""
    claims = matter.facts.card_by_side("claims")
    claimants: dict[PlayingCard, list[str]] = {}
    for side in matter.sides:
        if side in claims:
            claimants.setdefault(claims[side], []).append(matter.said(side))
    choices = [_claim(matter, hand, card, names) for card, names in claimants.items()]
    return matter.given(
        Decision.DIRECTOR_DECIDES,
        worded("No up card is recorded on the sheet: the director decides which it was."),
        *(choice.text for choice in choices),
        choices=choices,
    )


def _claim(matter: Matter, hand: Hand | TeamHand | None, card: PlayingCard, names: Sequence[str]) -> OpenChoice:
    rejudged = _rejudge(matter, hand, card)
    words = worded_plural(
        "%(names)s says it was the %(card)s.",
        "%(names)s say it was the %(card)s.",
        len(names),
        names=listed(names),
        card=card.name,
    )
    return OpenChoice(str(card), DIRECTOR, joined(" ", [words, rejudged.words]) if rejudged else words)


def _rejudge(matter: Matter, hand: Hand | TeamHand | None, up: PlayingCard) -> _Rejudged | None:
    """Judge the hand under this up card, or return None if there is no hand."""
    if hand is None:
        return None
    boards = hand.boards if isinstance(hand, TeamHand) else (hand,)
    turned = tuple(_under(matter, board, up) for board in boards)
    limit = matter.knock_value(up) or 0
    finished = (board for board in turned if isinstance(board, Finished))
    improper = tuple(board for board in finished if board.outcome is Outcome.KNOCK and board.own_count > limit)
    if improper:
        knocks = [
            worded("the knock of %(by)s with %(count)s", by=matter.said(board.by), count=board.own_count)
            for board in improper
        ]
        words = worded_plural(
            "Under it %(knocks)s is improper, for %(limit)s is the most: singles rule 9 says what follows.",
            "Under it %(knocks)s are improper, for %(limit)s is the most: singles rule 9 says what follows.",
            len(improper),
            knocks=listed(knocks),
            limit=limit,
        )
        return _Rejudged(words, None, improper)
    scored = matter.score(TeamHand(up, turned) if isinstance(hand, TeamHand) else turned[0])
    return _Rejudged(worded("Under it the hand is legal: %(what)s.", what=matter.worth(scored)), scored)


def _under(matter: Matter, hand: Hand, up: PlayingCard) -> Hand:
    """Return the hand under this up card. If only gin ends the hand, a knock with all cards matched becomes gin."""
    turned = replace(hand, up=up)
    if isinstance(turned, Finished) and turned.outcome is Outcome.KNOCK and matter.terms.is_for_gin(up):
        return turned if turned.own_count else replace(turned, outcome=Outcome.GIN)
    return turned


def _following(hand: Finished) -> Following:
    counts = {"count": hand.own_count, "opponent_count": hand.other_count}
    return Following(kind="improper-knock", facts={"up": str(hand.up), "by": hand.by, **counts})


def _decide_out_of_turn(matter: Matter) -> Recommendation:
    by, takes = matter.facts.side("by"), matter.answered("opponent_takes", yes=TAKE)
    dealer = worded("the dealer") if by is None else matter.said(by)
    dead = worded("%(dealer)s took the up card out of turn: it is out of play for the dealer.", dealer=dealer)
    if matter.is_partnership:
        no_card = worded("It is the center deck's, and no card of this board: nobody can take it, and play resumes.")
        return matter.given(Decision.DEAD_FOR_DEALER, dead, no_card)
    other = matter.said_opponent(by)
    if takes is None:
        choices = _take_or_leave(matter, by)
        return matter.given(Decision.DEAD_FOR_DEALER, dead, *(choice.text for choice in choices), choices=choices)
    if takes:
        resumes = worded("%(other)s takes it, and play resumes.", other=other)
    else:
        resumes = worded("%(other)s does not take it, draws and discards, and play resumes.", other=other)
    return matter.given(Decision.DEAD_FOR_DEALER, dead, resumes)


def _take_or_leave(matter: Matter, by: str | None) -> list[OpenChoice]:
    whose, told = matter.opponent_of(by), matter.said_opponent(by)
    return [
        OpenChoice(TAKE, whose, sentence(worded("%(told)s may take the up card; play resumes.", told=told))),
        OpenChoice(LEAVE, whose, sentence(worded("%(told)s may leave it, draw and discard; play resumes.", told=told))),
    ]


UP_CARD: Final = Irregularity(
    games=BY_THE_UP_CARD,
    name="up-card",
    title=worded("Dispute about the up card"),
    rule=4,
    partnership_adds=worded("The knock card is the one that was turned from the center deck: partnership rule 7."),
    decide=_decide_dispute,
    rulings=(Decision.RECORDED_STANDS, Decision.DIRECTOR_DECIDES),
    facts=(
        FactAsked("recorded", worded("Which up card is recorded on the sheet?"), FactKind.CARD),
        FactAsked("claims", worded("Which card does each say it was?"), FactKind.CARD_A_SIDE),
        FactAsked("hand", worded("How did the hand end?"), FactKind.LINE),
        FactAsked("chosen", worded("Which card does the director decide for?"), FactKind.CLAIMED_CARD),
    ),
)
OUT_OF_TURN: Final = Irregularity(
    games=OF_GIN,
    name="up-card-out-of-turn",
    title=worded("Up card taken out of turn"),
    rule=12,
    partnership=7,
    decide=_decide_out_of_turn,
    rulings=(Decision.DEAD_FOR_DEALER,),
    facts=(
        FactAsked("by", worded("Which side deals?"), FactKind.SIDE),
        FactAsked("opponent_takes", worded("Does the opponent take the up card?"), FactKind.YES_NO),
        FactAsked(
            "chosen",
            worded("What does the opponent choose?"),
            FactKind.CODE,
            codes=((TAKE, worded("take the up card")), (LEAVE, worded("leave it"))),
        ),
    ),
)
