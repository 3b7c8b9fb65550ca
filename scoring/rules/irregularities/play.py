"""Mistakes during play: piles touched, cards drawn, retaken or turned down (GRA 2012, singles 5, 10, 11, 14, 16)."""

from collections.abc import Callable
from typing import Final

from scoring.rules.irregularities.matter import (
    DIRECTOR,
    DRAWN,
    OF_GIN,
    YES_OR_NO,
    Decision,
    FactAsked,
    FactKind,
    Irregularity,
    Matter,
    OpenChoice,
    Penalty,
    Recommendation,
    certain,
    known_or,
    sentence,
)
from tournament.said import listed, worded, worded_plural

TOLD: Final = (
    (str(Decision.THROW_IN), worded("throw the hands in")),
    (str(Decision.CONTINUE), worded("continue play")),
)
WHO: Final = FactAsked("by", worded("Who did it?"), FactKind.SIDE)


def _decide_drew_two(matter: Matter) -> Recommendation:
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


def _decide_wrong_card(matter: Matter) -> Recommendation:
    who = matter.said(matter.facts.side("by"))
    text = worded("%(who)s turned the wrong card face down: they can retrieve it and rearrange the hand.", who=who)
    return matter.given(Decision.NO_PENALTY, text)


def _decide_touched(matter: Matter) -> Recommendation:
    who = matter.said(matter.facts.side("by"))
    text = worded("%(who)s touched the top of a pile by mistake, and is not forced to take that card.", who=who)
    return matter.given(Decision.NO_PENALTY, text)


def _decide_retake(matter: Matter) -> Recommendation:
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


def _decide_agreed(matter: Matter) -> Recommendation:
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
    decide=_decide_drew_two,
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
    decide=_decide_wrong_card,
    rulings=(Decision.NO_PENALTY,),
    facts=(WHO,),
)
TOUCHED_PILE: Final = Irregularity(
    games=DRAWN,
    name="touched-pile",
    title=worded("Pile touched by mistake"),
    rule=5,
    decide=_decide_touched,
    rulings=(Decision.NO_PENALTY,),
    facts=(WHO,),
)
RETAKE_DISCARD: Final = Irregularity(
    games=DRAWN,
    name="retake-discard",
    title=worded("Discard retaken"),
    rule=14,
    decide=_decide_retake,
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
    decide=_decide_agreed,
    rulings=(Decision.STANDS, Decision.RECOUNT),
    facts=(
        FactAsked("agreed", worded("Had the players agreed to the count?"), FactKind.YES_NO),
        FactAsked("recorded", worded("Had the player who keeps score recorded it?"), FactKind.YES_NO),
    ),
)


# --- Penalties -------------------------------------------------------------------------------------------------------
# Offenses with penalties (GRA 2012, singles 13 and 17, preamble).

Codes = tuple[tuple[str, str], ...]

OF_UNMATCHED: Final[Codes] = (
    (str(Decision.GAME_LOSS), worded("both lose one game")),
    (str(Decision.ELIMINATION), worded("both are eliminated from the contest")),
)
OF_GIVEN_AWAY: Final[Codes] = (
    (str(Decision.ELIMINATION), worded("both are eliminated from the contest")),
    (str(Decision.NO_PENALTY), worded("no penalty")),
)
OF_CONDUCT: Final[Codes] = (
    (str(Decision.WARNING), worded("a warning")),
    (str(Decision.GAME_LOSS), worded("the loss of one game")),
    (str(Decision.ELIMINATION), worded("elimination from the contest")),
    (str(Decision.DISQUALIFICATION), worded("disqualification, the ultimate penalty")),
)
EFFECTS: Final = (Decision.GAME_LOSS, Decision.ELIMINATION, Decision.DISQUALIFICATION)
SIDES: Final = FactAsked("sides", worded("Which two sides?"), FactKind.SIDES)


def _decide_false_report(matter: Matter) -> Recommendation:
    by = matter.facts.side("by")
    if by is None:
        return matter.left_open(worded("A match was reported that has not been played."), awaits=["by"])
    return matter.given(
        Decision.GAME_LOSS,
        worded(
            "%(by)s reported a match that has not been played, and is credited with the loss of one game.",
            by=matter.said(by),
        ),
        worded("The other side is not credited with a win."),
        penalties=[Penalty(by, Decision.GAME_LOSS)],
    )


def _of_both(offense: Callable[[str], str], codes: Codes) -> Callable[[Matter], Recommendation]:
    """Return a decision function for an offense of both sides. `offense` describes the offence in words."""

    def decide(matter: Matter) -> Recommendation:
        sides, chosen = matter.facts.sides("sides"), matter.facts.code("chosen")
        told = offense(listed([matter.said(side) for side in sides]) or worded("The two players"))
        if chosen is None:
            return _director_chooses(matter, told, codes, awaits=[] if sides else ["sides"])
        if not sides and Decision(chosen) in EFFECTS:
            return matter.left_open(told, awaits=["sides"])
        return _chosen(matter, told, codes, sides)

    return decide


def _unmatched(who: str) -> str:
    return worded("%(who)s played without having been matched by the staff.", who=who)


def _gave_away(who: str) -> str:
    return worded("%(who)s are before the director over a game given away.", who=who)


def _decide_conduct(matter: Matter) -> Recommendation:
    by, chosen = matter.facts.side("by"), matter.facts.code("chosen")
    words = _accused(matter.said(by), matter.facts.number("warnings"))
    if chosen is None:
        return _director_chooses(matter, words, OF_CONDUCT, awaits=["by"] if by is None else [])
    if by is None and Decision(chosen) in EFFECTS:
        return matter.left_open(words, awaits=["by"])
    return _chosen(matter, words, OF_CONDUCT, () if by is None else (by,))


def _accused(by: str, warnings: int | None) -> str:
    if warnings is None:
        return worded("%(by)s is before the director for conduct.", by=by)
    if warnings == 0:
        return worded("%(by)s is before the director for conduct, not warned before.", by=by)
    return worded_plural(
        "%(by)s is before the director for conduct, after %(number)s warning.",
        "%(by)s is before the director for conduct, after %(number)s warnings.",
        warnings,
        by=by,
    )


def _director_chooses(matter: Matter, words: str, codes: Codes, *, awaits: list[str]) -> Recommendation:
    choices = [
        OpenChoice(code, DIRECTOR, worded("The director may rule: %(meaning)s.", meaning=meaning))
        for code, meaning in codes
    ]
    return matter.left_open(words, awaits=awaits, choices=choices)


def _chosen(matter: Matter, words: str, codes: Codes, sides: tuple[str, ...]) -> Recommendation:
    """Return the director's ruling, with at most one penalty per side for an offense."""
    code = matter.facts.code("chosen")
    ruling = Decision(str(code))
    penalties = [Penalty(side, ruling) for side in sides] if ruling in EFFECTS else []
    uncredited = [worded("No opponent is credited with a win for it.")] if ruling is Decision.GAME_LOSS else []
    return matter.given(
        ruling,
        words,
        worded("The director rules: %(what)s.", what=dict(codes)[str(code)]),
        *uncredited,
        penalties=penalties,
    )


FALSE_REPORT: Final = Irregularity(
    name="false-report",
    title=worded("Match reported that was not played"),
    rule=13,
    decide=_decide_false_report,
    rulings=(Decision.GAME_LOSS,),
    is_about_hand=False,
    facts=(FactAsked("by", worded("Who reported it?"), FactKind.SIDE),),
)
UNMATCHED_PLAY: Final = Irregularity(
    name="unmatched-play",
    title=worded("Play without being matched"),
    rule=17,
    decide=_of_both(_unmatched, OF_UNMATCHED),
    rulings=(Decision.GAME_LOSS, Decision.ELIMINATION),
    is_about_hand=False,
    facts=(SIDES, FactAsked("chosen", worded("What does the director choose?"), FactKind.CODE, codes=OF_UNMATCHED)),
)
GAVE_GAME_AWAY: Final = Irregularity(
    name="gave-game-away",
    title=worded("Game given away"),
    rule=17,
    decide=_of_both(_gave_away, OF_GIVEN_AWAY),
    rulings=(Decision.ELIMINATION, Decision.NO_PENALTY),
    is_about_hand=False,
    facts=(SIDES, FactAsked("chosen", worded("What does the director choose?"), FactKind.CODE, codes=OF_GIVEN_AWAY)),
)
CONDUCT: Final = Irregularity(
    name="conduct",
    title=worded("Conduct"),
    rule=None,
    partnership_adds=worded("Players cannot consult during the play of a hand: partnership rule 13."),
    decide=_decide_conduct,
    rulings=(Decision.WARNING, Decision.GAME_LOSS, Decision.ELIMINATION, Decision.DISQUALIFICATION),
    is_about_hand=False,
    facts=(
        FactAsked("by", worded("Whose conduct is it?"), FactKind.SIDE),
        FactAsked("warnings", worded("How often have they been warned before?"), FactKind.NUMBER),
        FactAsked("chosen", worded("What does the director choose?"), FactKind.CODE, codes=OF_CONDUCT),
    ),
)
