"""Disputes about the up card (GRA 2012, singles 4), and a dealer who takes it out of turn (singles 12)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.rules.hand.cards import PlayingCard
from scoring.rules.hand.hands import FinishedHand, Hand, Outcome
from scoring.rules.irregularities.matter import (
    DIRECTOR,
    WITH_GIN,
    WITH_UP_CARD,
    Decision,
    FactAsked,
    FactKind,
    FollowUp,
    Irregularity,
    Matter,
    OpenChoice,
    Recommendation,
    Scored,
    capitalize_article,
)
from scoring.rules.variants.gin.gra import TeamHand
from tournament.errors import BadCase, Problem
from tournament.lazy_text import join_texts, join_with_and, lazy_plural, lazy_text

_TAKE: Final = "take"
_LEAVE: Final = "leave"


@dataclass(frozen=True, slots=True)
class _Rejudged:
    """A hand judged under another up card.

    `scored` is None if the hand does not count. `improper` has the knocks that this card makes improper.
    """

    words: str
    scored: Scored | None
    improper: tuple[FinishedHand, ...] = ()


def _decide_dispute(matter: Matter) -> Recommendation:
    facts = matter.facts
    recorded, chosen, hand = facts.card("recorded"), facts.card("chosen"), facts.line("hand")
    card = recorded or chosen
    if recorded is None and chosen is not None and chosen not in facts.card_by_side("claims").values():
        message = lazy_text(
            "Nobody claims the %(name)s: the director decides between the cards that are claimed.", name=chosen.name
        )
        raise BadCase([Problem("bad-value", "facts.chosen", message)])
    if card is None:
        return _leave_to_director(matter, hand)
    rejudged = _rejudge(matter, hand, card)
    ruling = Decision.RECORDED_STANDS if recorded else Decision.DIRECTOR_DECIDES
    named = {"name": card.name, "symbol": card.symbol}
    if recorded:
        words = lazy_text("The %(name)s, %(symbol)s, is recorded on the sheet, and stands.", **named)
    else:
        words = lazy_text("The %(name)s, %(symbol)s, is the up card, the director decides.", **named)
    if rejudged is None:
        return matter.give_ruling(ruling, words)
    found = matter.give_ruling(ruling, words, rejudged.words, scored=rejudged.scored)
    follow_ups = []
    for knock in rejudged.improper:
        counts = {"count": knock.own_count, "opponent_count": knock.other_count}
        follow_ups.append(FollowUp(kind="improper-knock", facts={"up": str(knock.up), "by": knock.by, **counts}))
    return replace(found, following=tuple(follow_ups))


def _leave_to_director(matter: Matter, hand: Hand | TeamHand | None) -> Recommendation:
    """Return the open choice between the claimed cards, each with the result of the hand under it."""
    claims = matter.facts.card_by_side("claims")
    claimants: dict[PlayingCard, list[str]] = {}
    for side in matter.sides:
        if side in claims:
            claimants.setdefault(claims[side], []).append(matter.side_text(side))
    choices = [_offer_claim(matter, hand, card, names) for card, names in claimants.items()]
    return matter.give_ruling(
        Decision.DIRECTOR_DECIDES,
        lazy_text("No up card is recorded on the sheet: the director decides which it was."),
        *(choice.text for choice in choices),
        choices=choices,
    )


def _offer_claim(matter: Matter, hand: Hand | TeamHand | None, card: PlayingCard, names: Sequence[str]) -> OpenChoice:
    rejudged = _rejudge(matter, hand, card)
    words = lazy_plural(
        "%(names)s says it was the %(card)s.",
        "%(names)s say it was the %(card)s.",
        len(names),
        names=join_with_and(names),
        card=card.name,
    )
    return OpenChoice(str(card), DIRECTOR, join_texts(" ", [words, rejudged.words]) if rejudged else words)


def _rejudge(matter: Matter, hand: Hand | TeamHand | None, up: PlayingCard) -> _Rejudged | None:
    """Judge the hand under this up card, or return None if there is no hand."""
    if hand is None:
        return None
    boards = hand.boards if isinstance(hand, TeamHand) else (hand,)
    turned = tuple(_turn_up(matter, board, up) for board in boards)
    limit = matter.knock_value(up) or 0
    finished = (board for board in turned if isinstance(board, FinishedHand))
    improper = tuple(board for board in finished if board.outcome is Outcome.KNOCK and board.own_count > limit)
    if improper:
        knocks = [
            lazy_text("the knock of %(by)s with %(count)s", by=matter.side_text(board.by), count=board.own_count)
            for board in improper
        ]
        words = lazy_plural(
            "Under it %(knocks)s is improper, for %(limit)s is the most: singles rule 9 says what follows.",
            "Under it %(knocks)s are improper, for %(limit)s is the most: singles rule 9 says what follows.",
            len(improper),
            knocks=join_with_and(knocks),
            limit=limit,
        )
        return _Rejudged(words, None, improper)
    scored = matter.score(TeamHand(up, turned) if isinstance(hand, TeamHand) else turned[0])
    return _Rejudged(lazy_text("Under it the hand is legal: %(what)s.", what=matter.points_text(scored)), scored)


def _turn_up(matter: Matter, hand: Hand, up: PlayingCard) -> Hand:
    """Return the hand under this up card. If only gin ends the hand, a knock with all cards matched becomes gin."""
    turned = replace(hand, up=up)
    if isinstance(turned, FinishedHand) and turned.outcome is Outcome.KNOCK and matter.terms.is_for_gin(up):
        return turned if turned.own_count else replace(turned, outcome=Outcome.GIN)
    return turned


def _decide_out_of_turn(matter: Matter) -> Recommendation:
    by, takes = matter.facts.side("by"), matter.yes_or_no("opponent_takes", yes=_TAKE)
    dealer = lazy_text("the dealer") if by is None else matter.side_text(by)
    dead = lazy_text("%(dealer)s took the up card out of turn: it is out of play for the dealer.", dealer=dealer)
    if matter.is_partnership:
        no_card = lazy_text("It is the center deck's, and no card of this board: nobody can take it, and play resumes.")
        return matter.give_ruling(Decision.DEAD_FOR_DEALER, dead, no_card)
    other = matter.opponent_text(by)
    if takes is None:
        choices = _offer_choices(matter, by)
        return matter.give_ruling(Decision.DEAD_FOR_DEALER, dead, *(choice.text for choice in choices), choices=choices)
    if takes:
        resumes = lazy_text("%(other)s takes it, and play resumes.", other=other)
    else:
        resumes = lazy_text("%(other)s does not take it, draws and discards, and play resumes.", other=other)
    return matter.give_ruling(Decision.DEAD_FOR_DEALER, dead, resumes)


def _offer_choices(matter: Matter, by: str | None) -> list[OpenChoice]:
    chooser, name = matter.opponent_of(by), matter.opponent_text(by)
    return [
        OpenChoice(
            _TAKE, chooser, capitalize_article(lazy_text("%(told)s may take the up card; play resumes.", told=name))
        ),
        OpenChoice(
            _LEAVE,
            chooser,
            capitalize_article(lazy_text("%(told)s may leave it, draw and discard; play resumes.", told=name)),
        ),
    ]


UP_CARD: Final = Irregularity(
    games=WITH_UP_CARD,
    name="up-card",
    title=lazy_text("Dispute about the up card"),
    rule=4,
    partnership_adds=lazy_text("The knock card is the one that was turned from the center deck: partnership rule 7."),
    decide=_decide_dispute,
    rulings=(Decision.RECORDED_STANDS, Decision.DIRECTOR_DECIDES),
    facts=(
        FactAsked("recorded", lazy_text("Which up card is recorded on the sheet?"), FactKind.CARD),
        FactAsked("claims", lazy_text("Which card does each say it was?"), FactKind.CARD_A_SIDE),
        FactAsked("hand", lazy_text("How did the hand end?"), FactKind.LINE),
        FactAsked("chosen", lazy_text("Which card does the director decide for?"), FactKind.CLAIMED_CARD),
    ),
)
OUT_OF_TURN: Final = Irregularity(
    games=WITH_GIN,
    name="up-card-out-of-turn",
    title=lazy_text("Up card taken out of turn"),
    rule=12,
    partnership=7,
    decide=_decide_out_of_turn,
    rulings=(Decision.DEAD_FOR_DEALER,),
    facts=(
        FactAsked("by", lazy_text("Which side deals?"), FactKind.SIDE),
        FactAsked("opponent_takes", lazy_text("Does the opponent take the up card?"), FactKind.YES_NO),
        FactAsked(
            "chosen",
            lazy_text("What does the opponent choose?"),
            FactKind.CODE,
            codes=((_TAKE, lazy_text("take the up card")), (_LEAVE, lazy_text("leave it"))),
        ),
    ),
)
