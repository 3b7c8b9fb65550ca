"""The places in an event of several stages: entries of the last stage first, everybody once.

bracket, play-off, pools ──place_stages──► placings, for the purse
"""

from collections.abc import Collection, Iterable, Iterator, Sequence

from pairing.draws.knockout.placing import Placings
from pairing.draws.stages.play_off import PlayOff
from pairing.draws.stages.pools import Pool
from pairing.draws.stages.standings import tied_groups
from tournament.purse import place_finish

Groups = Iterable[Sequence[int]]
"""Groups of level entries, best group first."""


def place_stages(stages: Iterable[Groups], without: Collection[int] = ()) -> Placings:
    """Combine the stages from the last to the first. Entries placed in a later stage, or without a place, are skipped.

    >>> placings = place_stages([[[7], [3]], [[3], [7], [9, 4], [1]]], without=[1])
    >>> [str(placing) for placing in placings.finish], placings.finish[2].entries, placings.disqualified
    (['1', '2', '3–4'], (9, 4), (1,))
    """
    seen: set[int] = set(without)
    finish: list[tuple[int, ...]] = []
    for groups in stages:
        for group in groups:
            left = tuple(entry for entry in group if entry not in seen)
            seen.update(left)
            finish += [left] if left else []
    return Placings(place_finish(finish), (), tuple(sorted(without)))


def groups_of_pool(pool: Pool) -> Iterator[tuple[int, ...]]:
    """Yield the level entries of a pool by the standings.

    With several groups or sites, the firsts come before the seconds. The tiebreaks rank the entries of equal place.

    >>> from pairing.draws.results.win_loss import Meeting
    >>> from pairing.draws.plans.reading import read_stage
    >>> from pairing.draws.stages.plan import StageKind
    >>> from pairing.draws.stages.pools import Played, make_pool
    >>> terms = read_stage({"kind": "fixed", "games": 1}).pool
    >>> played = Played(entries=(4, 9), meetings=(Meeting.bye("G1", 9),))
    >>> list(groups_of_pool(make_pool(StageKind.FIXED, terms, played)))
    [(9,), (4,)]
    """
    if len(pool.parts) == 1:
        yield from tied_groups(pool.standings[0][1])
        return
    by_place: dict[int, list[int]] = {}
    for _part, ranked in pool.standings:
        for row in ranked:
            if row.place is not None:
                by_place.setdefault(row.place, []).append(row.entry)
    for place in sorted(by_place):
        yield from tied_groups(pool.rank(by_place[place], pool.tie_breaks))


def groups_of_play_off(
    play_off: PlayOff, through: Sequence[int], pool: Pool, absent: Sequence[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield the entries that were through without the play-off, then those that played off, later losers first.

    The standings of the pool rank equal entries. While the play-off is not over, entries that are still in come before
    those that have lost. The `absent` rank with the losers of its first round.

    >>> from pairing.draws.results.credits import MatchOutcome
    >>> from pairing.draws.plans.reading import read_stage
    >>> from pairing.draws.stages.plan import StageKind
    >>> from pairing.draws.stages.play_off import Contender, PlayOffCase, make_play_off
    >>> from pairing.draws.stages.pools import Played, make_pool
    >>> pool = make_pool(StageKind.FIXED, read_stage({"kind": "fixed"}).pool, Played(entries=(4, 9, 7)))
    >>> two = [Contender(4, wins=0), Contender(9, wins=0)]
    >>> played = make_play_off(PlayOffCase(two, 1, {"P1M1": MatchOutcome.won("P1M1", 9, 4)}))
    >>> list(groups_of_play_off(played, [7], pool))
    [(7,), (9,), (4,)]
    """
    yield from tied_groups(pool.rank(through, pool.tie_breaks))
    standing = dict(play_off.standing)
    lost_first = max(2, *standing.values(), 0)
    standing |= dict.fromkeys(absent, lost_first)
    for place in sorted(set(standing.values())):
        level = [entry for entry, found in standing.items() if found == place]
        yield from tied_groups(pool.rank(level, pool.tie_breaks))
