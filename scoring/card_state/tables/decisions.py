"""The words of a ruling's decision, and the key that stores a lost game in it."""

from scoring.rules.irregularities.matter import Decision


def words_of(code: str) -> str:
    """Return the words of a decision, or the code itself if another rule set made it."""
    return Decision(code).words if code in list(Decision) else code


GAME_OF = "game_of"
"""The key, in a ruling's effect on a side, for the match that lost one game by the ruling.

The value is the primary key of that match, which has several games.
"""
