"""The path of an entry: the matches it has played, its current match, and the matches after a win or a loss."""

from dataclasses import dataclass

from pairing.draws.knockout.bracket import DoubleBracket, DoubleMatch, DrawnSide, Part
from pairing.draws.knockout.elimination import AnyBracket, AnyMatch, AnyProgress
from pairing.draws.knockout.progress import MatchView, Side, State


@dataclass(frozen=True, slots=True)
class Path:
    """The matches of an entry in the order of play.

    `now` is the match that the entry plays or waits for. It is None if the entry is out or has played everything.
    `if_won` holds the matches to come while the entry keeps winning. `if_lost` holds the matches to come if it loses
    this one and wins all the others.
    """

    entry: int
    played: tuple[MatchView, ...]
    now: MatchView | None
    if_won: tuple[MatchView, ...] = ()
    if_lost: tuple[MatchView, ...] = ()
    is_champion: bool = False


def path_of(progress: AnyProgress, entry: int) -> Path:
    """Return the current path of an entry.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> from pairing.draws.knockout.elimination import make_any_progress
    >>> path = path_of(make_any_progress(make_double_bracket((1, 2, 3, 4))), 3)
    >>> path.now.match.id, [view.match.id for view in path.if_won], [view.match.id for view in path.if_lost]
    ('W1M2', ['W2M1', 'F1M1'], ['L1M1', 'L2M1', 'F1M1', 'F2M1'])

    Raises:
        KeyError: the entry is not in the draw.
    """
    if entry not in progress.bracket.entries:
        raise KeyError(entry)
    own = [view for view in progress.way_of(entry) if entry in view.entries]
    played = tuple(view for view in own if view.state is State.DECIDED)
    now = next((view for view in own if view.state in (State.READY, State.WAITING)), None)
    if now is None:
        return Path(entry, played, None, is_champion=progress.champion == entry)
    side = next(index for index, side in enumerate(now.sides) if side.entry == entry)
    won, lost = _roads(progress.bracket, now.match, side)
    return Path(entry, played, now, _views(progress, won), _views(progress, lost))


def _views(progress: AnyProgress, matches: list[AnyMatch]) -> tuple[MatchView, ...]:
    return tuple(progress[match.id] for match in matches)


def _roads(bracket: AnyBracket, now: AnyMatch, side: int) -> tuple[list[AnyMatch], list[AnyMatch]]:
    """Return the matches after a win and after a loss. In the final, side 0 is the one from the winners' bracket."""
    if not isinstance(bracket, DoubleBracket):
        return _onwards(bracket, bracket.next_of.get(now.id)), []
    if now.id == bracket.final.id:
        # The unbeaten side needs only the final. The other side needs the final and the reset.
        return ([], [bracket.reset]) if side == 0 else ([bracket.reset], [])
    won = _onwards(bracket, bracket.next_of.get(now.id))
    if not isinstance(now, DoubleMatch) or now.part is not Part.WINNERS:
        return won, []
    if won[-1].id == bracket.reset.id:
        won.pop()
    return won, _onwards(bracket, bracket.drop_of.get(now.id))


def _onwards(bracket: AnyBracket, match: AnyMatch | None) -> list[AnyMatch]:
    """Return this match and all the matches that follow while the entry wins."""
    found = []
    while match is not None:
        found.append(match)
        match = bracket.next_of.get(match.id)
    return found


def opponents(progress: AnyProgress, view: MatchView, before: str) -> tuple[int, ...]:
    """Return the possible opponents of an entry that comes to this match from the match `before`.

    The result is empty if they are not known yet, or if there is no opponent.

    >>> from pairing.draws.knockout.bracket import make_double_bracket
    >>> from pairing.draws.knockout.elimination import make_any_progress
    >>> progress = make_any_progress(make_double_bracket((1, 2, 3, 4)))
    >>> opponents(progress, progress["W2M1"], "W1M2"), opponents(progress, progress["L2M1"], "L1M1")
    ((1, 2), ())
    """
    other = next((side for side in view.sides if _match_before(side) != before), None)
    if other is None:
        # Both sides come from one match: the winner and the loser of the final meet again.
        return ()
    if other.entry is not None:
        return (other.entry,)
    source = _match_before(other)
    if source is None or other.vacant or not all(side.is_known for side in progress[source].sides):
        return ()
    return progress[source].entries


def _match_before(side: Side) -> str | None:
    return None if isinstance(side.source, DrawnSide) else side.source.match
