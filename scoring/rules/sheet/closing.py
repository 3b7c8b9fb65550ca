"""End an unfinished game by the event's own rule when time is called or a player leaves.

ScoreSheet + EarlyGameEnd ──judge_closing──► ClosingVerdict: the winner and the reason, or what is still needed

The GRA rules of 2012 do not cover unfinished games, so each event's rule sheet has its own rule. The leader is the side
that has won more games in the match. If both sides have won the same number of games, the leader is the side with the
better total in the open game. If the totals are tied too, the director decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scoring.rules.sheet.sheets import ScoreSheet, tally_sheet
from tournament.lazy_text import lazy_plural, lazy_text


class ClosingCause(StrEnum):
    TIME = "time"
    FORFEIT = "forfeit"
    """A player left in the middle of the game."""


class ClosingRule(StrEnum):
    """A rule for ending an unfinished game. An event's rule sheet can have any of these rules except `GIVES_UP`."""

    LEADER = "leader"
    LAST_HAND = "last-hand"
    """The current hand is played to its end, and then the leader wins."""
    REPLAY = "replay"
    DIRECTOR = "director"
    GIVES_UP = "forfeit"
    """The side that left loses."""


class ClosingResult(StrEnum):
    """The outcome of closing a game early.

    `WAITING` means that the last hand is still being played. `TIED` and `UNDECIDED` need a decision by the director.
    `STANDS` means that the totals count without a winner.
    """

    WON = "won"
    STANDS = "stands"
    REPLAY = "replay"
    WAITING = "waiting"
    TIED = "level"
    UNDECIDED = "undecided"

    @property
    def is_final(self) -> bool:
        return self in (ClosingResult.WON, ClosingResult.STANDS, ClosingResult.REPLAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyGameEnd:
    """The early end of a game. Sides are given by their names on the sheet.

    `hands` is the number of hands after which the game ends, or None if it ends immediately. `left` is the side that
    left. `winner` is the director's decision. `games` is the number of games that each side won in this match before
    the open game. `counts_every_total` is True if every total counts in the standings, even if nobody wins.
    """

    cause: ClosingCause
    rule: ClosingRule
    hands: int | None = None
    left: str | None = None
    winner: str | None = None
    games: Mapping[str, int] = field(default_factory=dict)
    counts_every_total: bool = False


@dataclass(frozen=True, slots=True)
class ClosingVerdict:
    """The verdict on a game that ended early.

    `winner` is None if nobody has won, or if the winner is not decided yet. `why` is the reason for the verdict, as a
    sentence.
    """

    ending: ClosingResult
    winner: str | None
    why: str

    @property
    def is_final(self) -> bool:
        return self.ending.is_final


def judge_closing(sheet: ScoreSheet, closing: EarlyGameEnd) -> ClosingVerdict:
    """Return the verdict on a game that ends early.

    >>> from scoring.rules.sheet.sheets import judge_line, make_empty_sheet, make_variant_rules
    >>> sheet = make_empty_sheet(make_variant_rules("gra-singles"), ["Ann", "Bob"])
    >>> sheet = judge_line(sheet, {"outcome": "points", "to": "Ann", "points": 32}).sheet
    >>> judge_closing(sheet, EarlyGameEnd(cause=ClosingCause.TIME, rule=ClosingRule.LEADER)).why
    'Ann leads 32–0.'
    """
    if closing.rule is ClosingRule.GIVES_UP:
        staying = [side for side in sheet.sides if side != closing.left]
        if len(staying) == 1:
            return ClosingVerdict(
                ClosingResult.WON, staying[0], lazy_text("%(left)s has left and loses.", left=closing.left)
            )
        words = lazy_text("%(left)s has left. The director decides.", left=closing.left)
        return ClosingVerdict(ClosingResult.UNDECIDED, None, words)
    if closing.rule is ClosingRule.REPLAY:
        return ClosingVerdict(ClosingResult.REPLAY, None, lazy_text("The game is played again."))
    if closing.rule is ClosingRule.DIRECTOR:
        if closing.winner is None:
            return ClosingVerdict(ClosingResult.UNDECIDED, None, lazy_text("The director decides."))
        words = lazy_text("By the director's decision %(winner)s has won.", winner=closing.winner)
        return ClosingVerdict(ClosingResult.WON, closing.winner, words)
    if closing.hands is not None and len(sheet.lines) < closing.hands:
        return ClosingVerdict(
            ClosingResult.WAITING, None, lazy_text("The last hand is played out, then the leader has won.")
        )
    return _judge_leader(sheet, closing)


def _judge_leader(sheet: ScoreSheet, closing: EarlyGameEnd) -> ClosingVerdict:
    by_games = _find_leader_by_games(closing.games)
    if by_games is not None:
        other = next(count for side, count in closing.games.items() if side != by_games)
        own = closing.games[by_games]
        why = lazy_plural(
            "%(by_games)s leads by %(number)s game to %(other)s.",
            "%(by_games)s leads by %(number)s games to %(other)s.",
            own,
            by_games=by_games,
            other=other,
        )
        return ClosingVerdict(ClosingResult.WON, by_games, why)
    counted = tally_sheet(sheet)
    leaders = sheet.variant.find_leaders(counted)
    if len(sheet.sides) == 1:
        return ClosingVerdict(
            ClosingResult.STANDS,
            None,
            lazy_text("The total so far counts: %(total)s.", total=counted.totals[sheet.sides[0]]),
        )
    if len(leaders) == 1:
        (leader,) = leaders
        if len(sheet.sides) == 2:
            (other,) = (counted.totals[side] for side in sheet.sides if side != leader)
            return ClosingVerdict(
                ClosingResult.WON,
                leader,
                lazy_text(
                    "%(leader)s leads %(total)s–%(other)s.", leader=leader, total=counted.totals[leader], other=other
                ),
            )
        which = "lowest" if sheet.variant.low_wins else "highest"
        return ClosingVerdict(
            ClosingResult.WON,
            leader,
            lazy_text(
                "%(leader)s has the %(which)s total, %(total)s.",
                leader=leader,
                which=which,
                total=counted.totals[leader],
            ),
        )
    figures = "–".join(str(counted.totals[side]) for side in sheet.sides)
    if closing.counts_every_total:
        return ClosingVerdict(
            ClosingResult.STANDS,
            None,
            lazy_text("Nobody leads alone (%(figures)s). Every total so far counts.", figures=figures),
        )
    level = (
        lazy_text("Nobody leads: %(figures)s.", figures=figures)
        if sheet.lines
        else lazy_text("Nobody leads: no hand is on the card.")
    )
    return ClosingVerdict(ClosingResult.TIED, None, lazy_text("%(said)s The director decides.", said=level))


def _find_leader_by_games(games: Mapping[str, int]) -> str | None:
    """Return the side that has won the most games of the match, or None if the sides are tied."""
    most = max(games.values(), default=0)
    ahead = [side for side, count in games.items() if count == most]
    return ahead[0] if len(ahead) == 1 and len(games) > 1 else None


def closing_as_json(closing: EarlyGameEnd, verdict: ClosingVerdict) -> dict[str, Any]:
    """Return a game's early end as JSON for the card's signed content."""
    content: dict[str, Any] = {"cause": closing.cause.value, "rule": closing.rule.value, "winner": verdict.winner}
    if closing.left is not None:
        content["left"] = closing.left
    if any(closing.games.values()):
        content["games"] = dict(closing.games)
    return content
