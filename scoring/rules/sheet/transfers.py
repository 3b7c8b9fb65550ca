"""Settlement between players of games for stakes: add up the games, and find the fewest payments."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

MOST_EXACT: Final = 14
"""The most players with an open balance for whom the fewest payments are searched. Each player doubles the work."""


def add_games(games: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return what each player gets in all (negative: pays), including players who break even.

    >>> add_games([{1: 500, 2: -500}, {1: -200, 2: 100, 3: 100}])
    {1: 300, 2: -400, 3: 100}
    """
    sums: Counter[int] = Counter()
    for game in games:
        sums.update(game)
    return dict(sums)


def least_transfers(balances: Mapping[int, int]) -> tuple[tuple[int, int, int], ...]:
    """Return payments that bring every balance to zero, as (payer, payee, cents).

    They are the fewest possible for up to MOST_EXACT open balances.

    A group of players whose balances add up to zero settles with one payment fewer than it has players. So the fewest
    payments come from the most such groups. With more players, equal amounts are paired off, and the rest is one group.

    >>> least_transfers({1: 300, 2: -400, 3: 100})
    ((2, 1, 300), (2, 3, 100))
    >>> len(least_transfers({1: 500, 2: -500, 3: 200, 4: -200}))
    2

    Raises:
        ValueError: the balances do not add up to zero.
    """
    if sum(balances.values()):
        raise ValueError("what some get, others pay")
    still = {player: cents for player, cents in balances.items() if cents}
    groups = _most_groups(still) if len(still) <= MOST_EXACT else _pairs_and_rest(still)
    return tuple(transfer for group in groups for transfer in _settle(group))


def _most_groups(balances: Mapping[int, int]) -> list[dict[int, int]]:
    """Split the players into the most groups with a balance of zero.

    Each order of the players gives the groups between the points where its running sum is zero. Dynamic programming
    over subsets finds the order with the most groups.
    """
    players = list(balances)
    whole = 1 << len(players)
    sums, most, last = [0] * whole, [0] * whole, [0] * whole
    for chosen in range(1, whole):
        lowest = (chosen & -chosen).bit_length() - 1
        sums[chosen] = sums[chosen & (chosen - 1)] + balances[players[lowest]]
        inside = [place for place in range(len(players)) if chosen >> place & 1]
        last[chosen] = max(inside, key=lambda place: most[chosen & ~(1 << place)])
        most[chosen] = most[chosen & ~(1 << last[chosen])] + (sums[chosen] == 0)
    groups: list[dict[int, int]] = []
    chosen = whole - 1
    while chosen:
        if sums[chosen] == 0:
            groups.append({})
        player = players[last[chosen]]
        groups[-1][player] = balances[player]
        chosen &= ~(1 << last[chosen])
    return groups


def _pairs_and_rest(balances: Mapping[int, int]) -> list[dict[int, int]]:
    rest, groups = dict(balances), []
    for player, cents in balances.items():
        other = next((one for one, its in rest.items() if its == -cents), None) if player in rest else None
        if other is not None:
            groups.append({player: rest.pop(player), other: rest.pop(other)})
    return [*groups, rest] if rest else groups


def _settle(group: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """Pay the largest debt to the largest claim, until nothing is open."""
    still, found = dict(group), []
    while still:
        payer, payee = min(still, key=still.__getitem__), max(still, key=still.__getitem__)
        cents = min(-still[payer], still[payee])
        found.append((payer, payee, cents))
        still[payer] += cents
        still[payee] -= cents
        still = {player: left for player, left in still.items() if left}
    return found
