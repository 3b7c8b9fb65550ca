"""The kinds of stage there are, and what the program has to know of each before anything is played: the only list."""

from dataclasses import dataclass
from enum import StrEnum

from tournament.said import worded


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What differs between the kinds.

    `name`: what a stage is called where nobody says otherwise. `two_meet`: two play each match, and one of them
    wins it; else it is the only stage of its event. `makes_pairs`: its matches are made one by one, each with its
    two. `is_pool`: everybody plays on, and standings are kept. `at_desk`: paired one by one as players finish;
    `by_rounds`: all at once; `all_meet`: who meets whom is fixed when it is opened; `in_line`: who waits stands in
    a line, whomever they have met. `for_places`: played for the last places that lead on. `goes_on`: who wins goes
    on in a bracket; `two_lives`: who loses once plays on. `at_tables`: everybody is seated anew each round.
    `one_card`: one card, or one for each player (`own_cards`), is kept for the whole event, and the result follows
    from it alone. `own_rules` names the rule set that is played in this way and in no other. `sides`: what the two
    sides are usually called, first the one that keeps its seats or moves counter-clockwise.
    """

    name: str
    two_meet: bool = True
    makes_pairs: bool = False
    is_pool: bool = False
    at_desk: bool = False
    by_rounds: bool = False
    all_meet: bool = False
    in_line: bool = False
    for_places: bool = False
    goes_on: bool = False
    two_lives: bool = False
    at_tables: bool = False
    one_card: bool = False
    own_cards: bool = False
    own_rules: str = ""
    sides: tuple[str, str] | None = None


class StageKind(StrEnum):
    """
    >>> StageKind.SWISS.traits.is_pool, StageKind.SINGLE.traits.makes_pairs, StageKind("tables").traits.two_meet
    (True, False, False)
    """

    _value_: str
    traits: Traits

    RECORD = "record", Traits(name=worded("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    FIXED = "fixed", Traits(name=worded("Qualifying"), makes_pairs=True, is_pool=True, at_desk=True)
    SWISS = "swiss", Traits(name=worded("Swiss rounds"), makes_pairs=True, is_pool=True, by_rounds=True)
    ROUND_ROBIN = "round-robin", Traits(name=worded("Groups"), makes_pairs=True, is_pool=True, all_meet=True)
    LADDER = "ladder", Traits(name=worded("Ladder"), makes_pairs=True, is_pool=True, in_line=True)
    PLAY_OFF = "play-off", Traits(name=worded("Play-off"), makes_pairs=True, for_places=True)
    SINGLE = "single-elimination", Traits(name=worded("Finals"), goes_on=True)
    DOUBLE = "double-elimination", Traits(name=worded("Finals"), goes_on=True, two_lives=True)
    TABLES = "tables", Traits(name=worded("Tables"), two_meet=False, at_tables=True)
    ROTATION = (
        "rotation",
        Traits(
            name=worded("Rounds"),
            two_meet=False,
            one_card=True,
            own_rules="metzker",
            sides=(worded("Guys"), worded("Girls")),
        ),
    )
    COURT_WHIST = (
        "court-whist",
        Traits(
            name=worded("Games"),
            two_meet=False,
            one_card=True,
            own_cards=True,
            own_rules="court-whist",
            sides=(worded("Gentlemen"), worded("Ladies")),
        ),
    )

    def __new__(cls, value: str, traits: Traits = Traits(name="")) -> "StageKind":
        # By its value alone a kind is found, not made.
        made = str.__new__(cls, value)
        made._value_, made.traits = value, traits
        return made
