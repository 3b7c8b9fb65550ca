"""Qualifiers who do not come: they qualified for a stage, and are out of the event before it begins.

If the event is set up so, they are placed as if they had lost in the first round of the stage they do not come to.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pairing.draws.results.credits import Removal, Result
from pairing.draws.stages.pools import Advancement, Pool, advancing_from
from pairing.draws.stages.qualifier import Qualifier, without_removal

_LEAVING = frozenset(removal.cause for removal in Removal)


@dataclass(frozen=True, slots=True)
class AbsentQualifiers:
    """Removed entries that would be through to a stage, or would play off for its last places."""

    through: tuple[int, ...] = ()
    play_off: tuple[int, ...] = ()


def absent_from(pool: Pool, *, play_off_places: int | None, seed: str, places: int | None = None) -> AbsentQualifiers:
    """Return the entries that would go on from this pool but are out of the event, and lost no game by leaving.

    A disqualified entry has no place. An entry that left with games to come has not qualified.

    >>> from pairing.draws.plans.reading import read_stage
    >>> from pairing.draws.results.credits import MatchOutcome, Removed
    >>> from pairing.draws.results.win_loss import Meeting
    >>> from pairing.draws.stages.plan import StageKind
    >>> from pairing.draws.stages.pools import Played, make_pool
    >>> terms = read_stage({"kind": "fixed", "games": 1, "best": 2}).pool
    >>> met = (Meeting("G1", (4, 9), MatchOutcome.won("G1", 9, 4)), Meeting("G2", (2, 7), MatchOutcome.won("G2", 2, 7)))
    >>> gone = {9: Removed(9, Removal.NO_SHOW), 4: Removed(4, Removal.WITHDRAWN)}
    >>> pool = make_pool(StageKind.FIXED, terms, Played(entries=(2, 4, 7, 9), meetings=met, gone=gone))
    >>> absent_from(pool, play_off_places=None, seed="friday")
    AbsentQualifiers(through=(9,), play_off=())
    """
    entrants = pool.qualifying.entrants
    here = {entry: without_removal(pool.qualifying.terms, one) for entry, one in entrants.items() if _played_out(one)}
    back = {entry: one for entry, one in here.items() if pool.kind.traits.all_meet or not one.way.is_in_play}
    if not back:
        return AbsentQualifiers()
    whole = replace(pool, qualifying=replace(pool.qualifying, entrants={**entrants, **back}))
    found: Advancement = advancing_from(whole, play_off_places=play_off_places, seed=seed, places=places)
    through, play_off = (tuple(entry for entry in each if entry in back) for each in (found.through, found.play_off))
    return AbsentQualifiers(through, play_off)


def _played_out(one: Qualifier) -> bool:
    """Return whether the entry is out of the event, keeps its place, and lost no game by leaving."""
    if one.removal is None or not one.removal.keeps_place:
        return False
    return not any(own.credit.result is Result.LOSS and own.credit.cause in _LEAVING for own in one.record.credits)


def with_absent(groups: Iterable[Sequence[int]], absent: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the groups of a bracket, best first, with the absent added to the group that came least far.

    >>> list(with_absent([[7], [3], [9, 4]], [5]))
    [(7,), (3,), (4, 5, 9)]
    """
    listed = [tuple(group) for group in groups]
    if absent:
        listed[-1:] = [tuple(sorted({*(listed[-1] if listed else ()), *absent}))]
    yield from listed
