"""A knock with a count over the knock card (GRA 2012, singles 9)."""

from dataclasses import dataclass
from typing import Final

from scoring.rules.hand.cards import DECK, PlayingCard
from scoring.rules.hand.hands import Finished, Outcome, Pointed, judge
from scoring.rules.irregularities.certainty import YES_OR_NO, certain, known_or
from scoring.rules.irregularities.facts import MOST_COUNT, FactAsked, FactKind
from scoring.rules.irregularities.kind import KNOCKED, Irregularity, Matter, Scored, sentence
from scoring.rules.irregularities.ruling import Decision, OpenChoice, Recommendation
from tournament.said import worded

ACCEPT: Final = "accept"
DECLINE: Final = "decline"


@dataclass(frozen=True, slots=True)
class Knock:
    """What is known of it. Counts are after lay-offs."""

    by: str | None
    up: PlayingCard | None
    count: int | None
    other_count: int | None
    accepts: bool | None

    @classmethod
    def of(cls, matter: Matter) -> "Knock":
        facts = matter.facts
        return cls(
            by=facts.side("by"),
            up=facts.card("up"),
            count=facts.number("count"),
            other_count=facts.number("opponent_count"),
            accepts=matter.answered("opponent_accepts", yes=ACCEPT),
        )


def _decide(matter: Matter) -> Recommendation:
    knock = Knock.of(matter)
    limits = _limits(matter, knock.up)
    accepts = known_or(knock.accepts, YES_OR_NO)
    ruling = certain(_rule, limits, _counts(knock.count), _counts(knock.other_count), accepts)
    if ruling is Decision.PROPER:
        return _proper(matter, knock)
    if ruling is Decision.PLAY_OPEN:
        return matter.given(ruling, *_why_open(matter, knock, limits), *_open_hand(matter, knock, limits))
    if ruling is Decision.ACCEPTED_AS_UNDERCUT and (knock.up is not None or not matter.terms.spades_double):
        return _accepted(matter, knock)
    return _open(matter, knock, limits)


def _rule(limit: int, count: int, other_count: int, accepts: bool) -> Decision:
    """CONTRACTS.md, adjudicate, improper-knock."""
    if count <= limit:
        return Decision.PROPER
    if accepts and other_count <= limit:
        return Decision.ACCEPTED_AS_UNDERCUT
    return Decision.PLAY_OPEN


def _limits(matter: Matter, up: PlayingCard | None) -> list[int]:
    """The knock value, or every value it may have while the up card that sets it is not known."""
    value = matter.knock_value(up)
    if value is not None:
        return [value]
    return sorted({limit for card in DECK.values() if (limit := matter.knock_value(card)) is not None})


def _counts(count: int | None) -> tuple[int, ...]:
    """A count nobody knows may be under every knock value, or over it."""
    return (0, MOST_COUNT) if count is None else (count,)


def _accepted(matter: Matter, knock: Knock) -> Recommendation:
    if knock.by is None or knock.count is None or knock.other_count is None:
        return matter.left_open(worded("The opponent accepts the knock, and it counts as an undercut."), awaits=["by"])
    against = matter.opponent(knock.by)
    hand = Finished(
        outcome=Outcome.KNOCK, by=knock.by, against=against,
        own_count=knock.count, other_count=knock.other_count, up=knock.up,
    )  # fmt: skip
    verdict = judge(hand, matter.terms, matter.rule_sheet.variant.rulebook)
    difference, bonus = knock.count - knock.other_count, matter.terms.undercut_bonus
    doubled = worded(", doubled under a spade") if matter.terms.doubles(knock.up) else ""
    working = worded(
        "the difference of %(difference)s and the bonus of %(bonus)s%(doubled)s: %(points)s points",
        difference=difference,
        bonus=bonus,
        doubled=doubled,
        points=verdict.points,
    )
    return matter.given(
        Decision.ACCEPTED_AS_UNDERCUT,
        worded("%(matter)s is improper.", matter=_told(matter, knock)),
        worded(
            "%(by)s has %(other_count)s, accepts it as proper, and gets credit for the undercut, %(working)s.",
            by=matter.said_opponent(knock.by),
            other_count=knock.other_count,
            working=working,
        ),
        scored=matter.score(Pointed(to=against, points=verdict.points, up=knock.up)),
    )


def _proper(matter: Matter, knock: Knock) -> Recommendation:
    scored = _score_proper(matter, knock)
    if scored is None:
        return matter.given(
            Decision.PROPER, worded("%(matter)s is proper, and the hand is counted.", matter=_told(matter, knock))
        )
    gin = worded(": all the cards are matched, which is gin") if matter.terms.is_for_gin(knock.up) else ""
    worth = ", ".join(f"{points} points to {matter.said(side)}" for side, points in scored.points.items())
    return matter.given(
        Decision.PROPER,
        worded(
            "%(matter)s is proper%(gin)s. The hand counts: %(what)s.",
            matter=_told(matter, knock),
            gin=gin,
            what=worth or "nobody scores",
        ),
        scored=scored,
    )


def _score_proper(matter: Matter, knock: Knock) -> Scored | None:
    """The hand as it counts; None where a fact that it needs is not known."""
    by, own, other = knock.by, knock.count, knock.other_count
    if by is None or own is None or other is None or (knock.up is None and matter.terms.needs_up_card):
        return None
    outcome = Outcome.GIN if matter.terms.is_for_gin(knock.up) else Outcome.KNOCK
    against = matter.opponent(by)
    hand = Finished(outcome=outcome, by=by, against=against, own_count=own, other_count=other, up=knock.up)
    return matter.score(hand)


def _why_open(matter: Matter, knock: Knock, limits: list[int]) -> list[str]:
    other = matter.said_opponent(knock.by)
    sentences = [worded("%(matter)s is improper.", matter=_told(matter, knock))]
    if knock.other_count is not None and knock.other_count > max(limits):
        sentences.append(
            worded("%(other)s has %(other_count)s and cannot accept it.", other=other, other_count=knock.other_count)
        )
    elif knock.accepts is False:
        sentences.append(worded("%(other)s does not accept it.", other=other))
    return sentences


def _open_hand(matter: Matter, knock: Knock, limits: list[int]) -> list[str]:
    must = (
        worded("when his count is %(limit)s or below", limit=limits[0])
        if limits != [0]
        else worded("when all his cards are matched")
    )
    if len(limits) > 1:
        must = worded("when his count is at the knock card or below")
    return [
        worded("%(by)s plays the hand open, all ten cards face up.", by=matter.said(knock.by)),
        worded("He must knock %(must)s; his opponent cannot force him to knock.", must=must),
    ]


def _open(matter: Matter, knock: Knock, limits: list[int]) -> Recommendation:
    """What is still to be found out; the opponent's choice is told once the knock is certain to be improper."""
    improper = knock.count is not None and knock.count > max(limits)
    if improper and knock.accepts is None:
        return matter.left_open(
            worded("%(matter)s is improper.", matter=_told(matter, knock)), choices=_choices(matter, knock)
        )
    needs_up = len(limits) > 1 or (improper and matter.terms.spades_double)
    known = {
        "up": knock.up is not None or not needs_up,
        "count": knock.count is not None,
        "opponent_count": knock.other_count is not None or not improper,
    }
    return matter.left_open(awaits=[name for name, is_known in known.items() if not is_known])


def _choices(matter: Matter, knock: Knock) -> list[OpenChoice]:
    whose, told = matter.opponent_of(knock.by), matter.said_opponent(knock.by)
    value = matter.knock_value(knock.up)
    at_most = worded("at the knock card or lower") if value is None else worded("of %(value)s or lower", value=value)
    accept = worded(
        "%(told)s may accept the knock with a count %(at_most)s, after lay-offs: it is then scored as an undercut.",
        told=told,
        at_most=at_most,
    )
    decline = worded("%(told)s may decline, without telling their count: the hand is then played open.", told=told)
    return [OpenChoice(ACCEPT, whose, sentence(accept)), OpenChoice(DECLINE, whose, sentence(decline))]


def _told(matter: Matter, knock: Knock) -> str:
    """“The knock of Ann with 10 under 8♥”."""
    by = "" if knock.by is None else f" of {matter.said(knock.by)}"
    count = "" if knock.count is None else f" with {knock.count}"
    up = "" if knock.up is None else f" under {knock.up.symbol}"
    return worded("The knock%(by)s%(count)s%(up)s", by=by, count=count, up=up)


IMPROPER_KNOCK: Final = Irregularity(
    games=KNOCKED,
    name="improper-knock",
    title=worded("Improper knock"),
    rule=9,
    partnership_adds=worded("A partner can help with lay-offs: partnership rule 13."),
    decide=_decide,
    facts=(
        FactAsked("by", worded("Who knocked?"), FactKind.SIDE),
        FactAsked("up", worded("What is the up card?"), FactKind.CARD),
        FactAsked("count", worded("What is the knocker's count?"), FactKind.NUMBER),
        FactAsked("opponent_count", worded("What is the opponent's count, after lay-offs?"), FactKind.NUMBER),
        FactAsked("opponent_accepts", worded("Does the opponent accept the knock?"), FactKind.YES_NO),
        FactAsked(
            "chosen",
            worded("What does the opponent choose?"),
            FactKind.CODE,
            codes=((ACCEPT, worded("accept the knock")), (DECLINE, worded("have the hand played open"))),
        ),
    ),
)
