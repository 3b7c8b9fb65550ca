"""Offenses with penalties (GRA 2012, singles 13 and 17, preamble).

They are false reports, unmatched play, games given away, and conduct.
"""

from collections.abc import Callable
from typing import Final

from scoring.rules.irregularities.facts import FactAsked, FactKind
from scoring.rules.irregularities.kind import Irregularity, Matter
from scoring.rules.irregularities.ruling import DIRECTOR, Decision, OpenChoice, Penalty, Recommendation
from tournament.said import listed, worded, worded_plural

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


def decide_false_report(matter: Matter) -> Recommendation:
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


def decide_conduct(matter: Matter) -> Recommendation:
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
    decide=decide_false_report,
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
    decide=decide_conduct,
    rulings=(Decision.WARNING, Decision.GAME_LOSS, Decision.ELIMINATION, Decision.DISQUALIFICATION),
    is_about_hand=False,
    facts=(
        FactAsked("by", worded("Whose conduct is it?"), FactKind.SIDE),
        FactAsked("warnings", worded("How often have they been warned before?"), FactKind.NUMBER),
        FactAsked("chosen", worded("What does the director choose?"), FactKind.CODE, codes=OF_CONDUCT),
    ),
)
