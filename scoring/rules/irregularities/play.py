"""Mistakes during play: piles touched, cards drawn, retaken or turned down (GRA 2012, singles 5, 10, 11, 14, 16)."""

from typing import Final

from scoring.rules.irregularities.certainty import YES_OR_NO, certain, known_or
from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.kind import DRAWN, OF_GIN, Irregularity, Matter, sentence
from scoring.rules.irregularities.ruling import Decision, OpenChoice, Recommendation
from tournament.said import worded

TOLD: Final = (
    (str(Decision.THROW_IN), worded("throw the hands in")),
    (str(Decision.CONTINUE), worded("continue play")),
)
WHO: Final = FactAsked("by", worded("Who did it?"), FactKind.SIDE)


def decide_drew_two(matter: Matter) -> Recommendation:
    by, near = matter.facts.side("by"), matter.facts.answer("nine_spread_or_gin")
    known = known_or(near, YES_OR_NO)
    ruling = certain(_after_two, known, known_or(matter.facts.code("chosen"), [code for code, _ in TOLD]))
    lost = worded(
        "%(by)s drew two cards: the use of the extra card he has seen is lost, and he cannot knock or gin.",
        by=matter.said(by),
    )
    if ruling is Decision.THROW_IN:
        return matter.given(
            ruling, lost, worded("%(by)s asks to throw the hands in: nobody scores.", by=matter.said_opponent(by))
        )
    if ruling is not None:
        return matter.given(ruling, lost, *_resume(matter, by))
    if near:
        was_told = worded(
            "%(by)s is told that %(by_2)s has nine cards spread or is on gin.",
            by=matter.said_opponent(by),
            by_2=matter.said(by),
        )
        return matter.left_open(lost, was_told, choices=_told(matter, by))
    return matter.left_open(lost, awaits=["nine_spread_or_gin"])


def _after_two(near: bool, choice: str) -> Decision:
    """Return the ruling after two drawn cards. The opponent has a choice only if the director informs them."""
    return Decision(choice) if near else Decision.CONTINUE


def _resume(matter: Matter, by: str | None) -> list[str]:
    other, offender = matter.said_opponent(by), matter.said(by)
    return [
        worded(
            "Play continues. The exposed card is put on the side until %(offender)s has discarded.", offender=offender
        ),
        worded(
            "%(other)s can take that discard or draw; when %(other_2)s discards, %(offender)s cannot "
            "pick it up and must put the exposed card on the discard pile. Then play resumes.",
            other=other,
            other_2=other,
            offender=offender,
        ),
    ]


def _told(matter: Matter, by: str | None) -> list[OpenChoice]:
    whose, told = matter.opponent_of(by), matter.said_opponent(by)
    return [
        OpenChoice(
            str(Decision.THROW_IN), whose, sentence(worded("%(told)s may ask to throw the hands in.", told=told))
        ),
        OpenChoice(str(Decision.CONTINUE), whose, sentence(worded("%(told)s may ask to continue play.", told=told))),
    ]


def decide_wrong_card(matter: Matter) -> Recommendation:
    who = matter.said(matter.facts.side("by"))
    text = worded("%(who)s turned the wrong card face down: they can retrieve it and rearrange the hand.", who=who)
    return matter.given(Decision.NO_PENALTY, text)


def decide_touched(matter: Matter) -> Recommendation:
    who = matter.said(matter.facts.side("by"))
    text = worded("%(who)s touched the top of a pile by mistake, and is not forced to take that card.", who=who)
    return matter.given(Decision.NO_PENALTY, text)


def decide_retake(matter: Matter) -> Recommendation:
    who, to_knock = matter.said(matter.facts.side("by")), matter.facts.answer("to_knock")
    if to_knock is None:
        text = worded("A discard that was taken and given back can be retaken only to knock.")
        return matter.left_open(text, awaits=["to_knock"])
    if to_knock:
        return matter.given(
            Decision.ALLOWED, worded("%(who)s may retake the discard, for it is used to knock.", who=who)
        )
    return matter.given(
        Decision.REFUSED, worded("%(who)s cannot retake the discard: it is not used to knock.", who=who)
    )


def decide_agreed(matter: Matter) -> Recommendation:
    agreed, recorded = matter.facts.answer("agreed"), matter.facts.answer("recorded")
    ruling = certain(_agreed, known_or(agreed, YES_OR_NO), known_or(recorded, YES_OR_NO))
    if ruling is Decision.STANDS:
        return matter.given(ruling, worded("The count was agreed to by the players and recorded: the hand stands."))
    if ruling is None:
        known = {"agreed": agreed, "recorded": recorded}
        return matter.left_open(awaits=[name for name, value in known.items() if value is None])
    if agreed is False:
        again = worded("The count was not agreed to by the players: the hand is counted again, cards unshuffled.")
    else:
        again = worded(
            "The count was not recorded by the player who keeps score: the hand is counted again, cards unshuffled."
        )
    return matter.given(ruling, again)


def _agreed(agreed: bool, recorded: bool) -> Decision:
    return Decision.STANDS if agreed and recorded else Decision.RECOUNT


DREW_TWO: Final = Irregularity(
    games=DRAWN,
    name="drew-two",
    title=worded("Two cards drawn"),
    rule=11,
    decide=decide_drew_two,
    rulings=(Decision.THROW_IN, Decision.CONTINUE),
    facts=(
        FactAsked("by", worded("Who drew two cards?"), FactKind.SIDE),
        FactAsked(
            "nine_spread_or_gin",
            worded("The director looks: do they have nine cards spread, or are they on gin?"),
            FactKind.YES_NO,
        ),
        FactAsked("chosen", worded("What does the opponent choose?"), FactKind.CODE, codes=TOLD),
    ),
)
WRONG_CARD_DOWN: Final = Irregularity(
    games=OF_GIN,
    name="wrong-card-down",
    title=worded("Wrong card turned face down"),
    rule=10,
    decide=decide_wrong_card,
    rulings=(Decision.NO_PENALTY,),
    facts=(WHO,),
)
TOUCHED_PILE: Final = Irregularity(
    games=DRAWN,
    name="touched-pile",
    title=worded("Pile touched by mistake"),
    rule=5,
    decide=decide_touched,
    rulings=(Decision.NO_PENALTY,),
    facts=(WHO,),
)
RETAKE_DISCARD: Final = Irregularity(
    games=DRAWN,
    name="retake-discard",
    title=worded("Discard retaken"),
    rule=14,
    decide=decide_retake,
    rulings=(Decision.ALLOWED, Decision.REFUSED),
    facts=(
        FactAsked("by", worded("Who wants the card?"), FactKind.SIDE),
        FactAsked("to_knock", worded("Is the card used to knock?"), FactKind.YES_NO),
    ),
)
COUNT_AFTER_AGREEMENT: Final = Irregularity(
    games=OF_GIN,
    name="count-after-agreement",
    title=worded("Count questioned after it was agreed"),
    rule=16,
    decide=decide_agreed,
    rulings=(Decision.STANDS, Decision.RECOUNT),
    facts=(
        FactAsked("agreed", worded("Had the players agreed to the count?"), FactKind.YES_NO),
        FactAsked("recorded", worded("Had the player who keeps score recorded it?"), FactKind.YES_NO),
    ),
)
