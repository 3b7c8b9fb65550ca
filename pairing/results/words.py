"""Later games of a pool that a correction affects, each with the records by which it was paired."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from pairing.draws.knockout.corrections import LaterChoice
from pairing.draws.stages.corrections import Correction, TouchedGame
from pairing.knockout.pictures.match_boxes import match_name
from pairing.matches.selectors.records import load_names
from pairing.results.forms.decisions import A_BYE, IN_POOL, STILL_PLAYED, LaterMatch
from tournament.models import Event


def later_games(event: Event, later: Correction) -> list[LaterMatch]:
    """Return the later games to choose for, or nothing once the next stage is open."""
    if later.next_stage:
        return []
    names = load_names(event)
    listed = []
    for found in later.games:
        words = A_BYE if found.game.is_bye else IN_POOL if LaterChoice.REPLAY in found.game.may else STILL_PLAYED
        listed.append(LaterMatch(found.game.ident, _touched_words(found, names), words, LaterChoice.KEEP))
    return listed


def stands_words(event: Event, later: Correction) -> dict[str, Any]:
    """Return the page's title and text about later games, or a plain list once the next stage is open."""
    if not later.games:
        return {}
    if not later.next_stage:
        return {
            "later_title": _("Later games that were paired by other records"),
            "later_says": _(
                "Choose what happens to each game; it stands unless you change it. A game that is void or played "
                "again can change others, and they will be listed next. Everything stays on record."
            ),
        }
    names = load_names(event)
    return {"records": [_touched_words(found, names) for found in later.games], "stage_open": later.next_stage}


def _touched_words(found: TouchedGame, names: Mapping[int, str]) -> str:
    """Return, for example, “Game 3: Ann – Bob, won by Bob. Ann was paired with 1–0, and would have had 0–1.”"""
    game, outcome = found.game, found.game.outcome
    words = {"game": match_name(game.ident), "who": " – ".join(names[side] for side in game.sides)}
    if game.is_bye:
        said = _("%(game)s: %(who)s has a bye.") % words
    elif outcome is None:
        said = _("%(game)s: %(who)s are playing.") % words
    else:
        winner = names[outcome.winner] if outcome.winner is not None else _("nobody")
        said = _("%(game)s: %(who)s, won by %(winner)s.") % {**words, "winner": winner}
    why = _("%(name)s was paired with %(was)s, and would have had %(would)s.")
    return " ".join([said, *(why % {"name": names[by.entry], "was": by.was, "would": by.would} for by in found.by)])
