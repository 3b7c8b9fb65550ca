"""The only list of the kinds of stage, with everything the program must know of a kind before anything is played."""

from dataclasses import dataclass
from enum import StrEnum

from tournament.said import worded


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """The differences between the kinds of stage.

    - `name`: the usual name of the stage.
    - `two_meet`: two entries play each match, and one of them wins it. Otherwise the stage is the only one of its
      event.
    - `makes_pairs`: its matches are made one by one, each with its two entries.
    - `is_pool`: everybody plays on, and there are standings.
    - `at_desk`: entries are paired one by one as players finish.
    - `by_rounds`: all entries are paired at once.
    - `all_meet`: all meetings are fixed when the stage is opened.
    - `in_line`: waiting entries form a line, whomever they have met.
    - `for_places`: it is played for the last places that lead on.
    - `goes_on`: winners advance in a bracket.
    - `two_lives`: an entry that loses once plays on.
    - `at_tables`: everybody gets a new seat each round.
    - `one_card`: the result follows from one card for the whole event, or from one card for each player (`own_cards`).
    - `own_rules`: the rule set that is played in this kind of stage and in no other.
    - `sides`: the usual names of the two sides. The first one keeps its seats or moves counter-clockwise.
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
    """A kind of stage, with its traits.

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
        # The default lets `StageKind("swiss")` look a member up by its value alone.
        made = str.__new__(cls, value)
        made._value_, made.traits = value, traits
        return made
