"""Suggest the next games of a ladder: the holder of a table meets the next entry in the line.

ladder, free entries ──suggest_challenges──► a pair for each table that is free to be held
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from pairing.draws.desk.desk import PairingInput, SuggestedPair, Suggestion, Unpaired, UnpairedReason
from pairing.draws.ladder.ladder import Ladder
from pairing.draws.pairs.record import pair_by_record
from pairing.draws.pairs.record_field import Pair
from pairing.draws.pairs.record_reasons import PairReason
from pairing.draws.stages.pools import Pool
from tournament.said import worded

IN_LINE: Final = worded("In line.")
HOLDS: Final = worded("Holds the table, and nobody is in line to challenge them.")
LAST_GAMES: Final = worded("The last games are at their tables.")


def suggest_challenges(pool: Pool, desk: PairingInput, now: datetime) -> Suggestion:
    """Return a pair for each table that is free to be held, as long as games are to come.

    An entry that is on hold or absent is skipped and keeps its turn. If two may never meet, the next in line plays.

    >>> from datetime import UTC
    >>> from pairing.draws.desk.desk import WaitingEntry
    >>> from pairing.draws.ladder.ladder import make_ladder
    >>> from pairing.draws.pairs.record_field import RecordEntry
    >>> from pairing.draws.plans.reading import read_stage
    >>> from pairing.draws.stages.pools import Played
    >>> noon = datetime(2026, 11, 28, 12, tzinfo=UTC)
    >>> three = tuple(WaitingEntry(RecordEntry(number, 0), noon) for number in (4, 9, 2))
    >>> stage = read_stage({"kind": "ladder", "games": 5})
    >>> ladder = make_ladder(stage.kind, stage.pool, Played(entries=(4, 9, 2)))
    >>> found = suggest_challenges(ladder, PairingInput(waiting=three), noon)
    >>> [(pair.pair, str(pair.reason.told({4: "Ada", 9: "Grace"}))) for pair in found.pairs]
    [((4, 9), 'Ada and Grace are next in the line.')]

    Raises:
        TypeError: the pool is not a ladder.
    """
    if not isinstance(pool, Ladder):
        raise TypeError(f"{pool.kind} is no ladder")
    free = {one.entry.number for one in desk.free}
    holders = [entry for entry in pool.holders if entry in free]
    waiting = [entry for entry in pool.line if entry in free and entry not in pool.holders]
    pairs: list[SuggestedPair] = []
    for _table in range(min(pool.held - pool.at_tables, pool.to_come)):
        pair = _next_pair(holders, waiting, desk)
        if pair is None:
            break
        pairs.append(_suggested(pair, pool, desk))
    going = {side for found in pairs for side in found.pair}
    stays = [_stays(one.entry.number, pool) if one.is_free else one.stays for one in desk.waiting]
    left = tuple(stay for stay in stays if stay.entry not in going)
    paired = replace(pair_by_record((), seed=desk.seed), pairs=tuple(found.pair for found in pairs))
    return Suggestion(tuple(pairs), left, paired, told=_why_nobody(pool, len(free)))


def _why_nobody(ladder: Ladder, free: int) -> str:
    if ladder.is_complete:
        return worded("The ladder is over.")
    if not ladder.to_come:
        return worded("The last game is being played.")
    if ladder.at_tables >= ladder.held:
        return worded("The next player in line plays when a game is over.")
    return worded("Fewer than two can play now.") if free < 2 else worded("No two of the waiting players may meet.")


def _next_pair(holders: list[int], waiting: list[int], desk: PairingInput) -> Pair | None:
    """Return the next pair, and take both out of their lists.

    Holders meet each other only if nobody can challenge them.
    """
    for first, others in ((holders, waiting), (waiting, waiting), (holders, holders)):
        for one in first:
            other = next((other for other in others if other != one and _may_meet(one, other, desk)), None)
            if other is not None:
                first.remove(one)
                others.remove(other)
                return (one, other)
    return None


def _may_meet(one: int, other: int, desk: PairingInput) -> bool:
    field = desk.field
    first, second = field.of[one], field.of[other]
    return first.persons.isdisjoint(second.persons) and not field.broken_by(first, second).never


def _suggested(pair: Pair, ladder: Ladder, desk: PairingInput) -> SuggestedPair:
    one, other = pair
    wins = (desk.field.of[min(pair)].wins, desk.field.of[max(pair)].wins)
    reason = PairReason((min(pair), max(pair)), wins, told=_why(one, other, ladder))
    stays = one if one in ladder.holders else None
    return SuggestedPair(reason.pair, reason, min(desk.since[side] for side in pair), keeps_table=stays)


def _why(one: int, other: int, ladder: Ladder) -> Callable[[Mapping[int, str]], str]:
    def said(names: Mapping[int, str]) -> str:
        first, second = names[one], names[other]
        if one not in ladder.holders:
            return worded("%(first)s and %(second)s are next in the line.", first=first, second=second)
        if other in ladder.holders:
            return worded(
                "%(first)s and %(second)s both hold a table, and nobody is in the line.", first=first, second=second
            )
        return worded(
            "%(first)s won the last game and stays; %(second)s is next in the line.", first=first, second=second
        )

    return said


def _stays(entry: int, ladder: Ladder) -> Unpaired:
    told = LAST_GAMES if not ladder.to_come else HOLDS if entry in ladder.holders else IN_LINE
    return Unpaired(entry, UnpairedReason.LEFT_OVER, told=told)


def challenge_waves(pool: Pool) -> list[int]:
    """Return the numbers of games to come, as many at once as there are held tables and players for them.

    >>> from pairing.draws.ladder.ladder import make_ladder
    >>> from pairing.draws.plans.reading import read_stage
    >>> from pairing.draws.stages.pools import Played
    >>> stage = read_stage({"kind": "ladder", "games": 5, "held": 2})
    >>> challenge_waves(make_ladder(stage.kind, stage.pool, Played(entries=(4, 9, 2, 7))))
    [2, 2, 1]
    """
    if not isinstance(pool, Ladder) or pool.is_complete:
        return []
    players = len(pool.qualifying.ready) + len(pool.qualifying.playing)
    at_once = max(1, min(pool.held, players // 2))
    full, rest = divmod(pool.to_come, at_once)
    return [at_once] * full + ([rest] if rest else [])
