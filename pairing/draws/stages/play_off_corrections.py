"""Correct a result of a play-off after a later round was played: what that touches, and what is kept.

A correction touches a later match that was played, or has begun, if its two players would not meet there. The choices
`KEEP`, `REPLAY` and `VOID` mean the same as in `pairing.draws.knockout.keeping`. But each round is paired from the
entries that are left. So a match can stay only if both of its sides come to that round, which also keeps the earlier
matches that they won.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from pairing.draws.knockout.keeping import LaterChoice
from pairing.draws.results.credits import MatchOutcome
from pairing.draws.stages.play_off import PlayOff, PlayOffMatch, make_play_off


@dataclass(frozen=True, slots=True)
class FollowedPlayOff:
    """The effects of a correction, in the order of the rounds.

    `kept` holds the `touched` matches that stay. `freed` holds matches that were kept after an earlier correction of
    the same match, and need a new choice. `torn` holds matches that were to be kept, although one of their sides does
    not come to that round.
    """

    touched: tuple[PlayOffMatch, ...] = ()
    kept: tuple[PlayOffMatch, ...] = ()
    freed: tuple[PlayOffMatch, ...] = ()
    torn: tuple[PlayOffMatch, ...] = ()


def follow_play_off(
    before: PlayOff,
    outcome: MatchOutcome,
    number: int,
    choices: Mapping[tuple[int, frozenset[int]], LaterChoice] | None = None,
    begun: Collection[tuple[int, frozenset[int]]] = (),
) -> FollowedPlayOff:
    """Return the effects on the rounds after `number`, the round of the corrected outcome.

    A match without a choice is replayed.

    `choices` and `begun` identify a match by its round and players, as `PlayOffMatch.meeting` does.

    >>> from pairing.draws.stages.play_off import ByeRule, Contender, PlayOffCase
    >>> four, rule = [Contender(entry, 3) for entry in (1, 2, 3, 4)], ByeRule(seed="s")
    >>> first, second = (match.sides for match in make_play_off(PlayOffCase(four, 1, {}, rule)).rounds[0].matches)
    >>> ends = {"P1M1": first, "P1M2": second, "P2M1": (first[0], second[0])}
    >>> outcomes = {name: MatchOutcome.won(name, *sides) for name, sides in ends.items()}
    >>> wrong = MatchOutcome.won("P1M1", first[1], first[0])
    >>> played = make_play_off(PlayOffCase(four, 1, outcomes, rule))
    >>> [match.id for match in follow_play_off(played, wrong, 1).touched]
    ['P2M1']
    """
    if before.case is None:
        return FollowedPlayOff()
    freed = tuple(match for match in before.case.kept_in(number + 1) if outcome.sides & set(match.sides))
    kept_before = tuple(match for match in before.case.kept if match not in freed)
    case = replace(before.case, outcomes={**before.case.outcomes, outcome.match: outcome}, kept=kept_before)
    stand = _meetings(make_play_off(case))
    later = (match for each in before.rounds if each.number > number for match in each.matches)
    played = (match for match in later if match.is_decided or match.meeting in begun)
    touched = tuple(match for match in played if match.meeting not in stand)
    kept = tuple(match for match in touched if (choices or {}).get(match.meeting) is LaterChoice.KEEP)
    stand = _meetings(make_play_off(replace(case, kept=(*kept_before, *kept))))
    return FollowedPlayOff(touched, kept, freed, tuple(match for match in kept if match.meeting not in stand))


def _meetings(play_off: PlayOff) -> frozenset[tuple[int, frozenset[int]]]:
    return frozenset(match.meeting for each in play_off.rounds for match in each.matches)
