"""What a ruling decided, in its words, and the key under which a ruling keeps the game that was lost."""

from scoring.rules.irregularities.ruling import Decision


def words_of(code: str) -> str:
    """A decision's words; the code itself where another rule set made it."""
    return Decision(code).words if code in list(Decision) else code


GAME_OF = "game_of"
"""In what a ruling did to a side: the primary key of the match of several games of which that side has lost one."""
