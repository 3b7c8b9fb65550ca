"""Settle games for stakes between players: add up the games, and find the fewest payments that settle them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

MAX_EXACT_SEARCH_PLAYERS: Final = 14
"""The maximum number of players for the exact search. Each additional player doubles the search time."""


def sum_game_balances(games: Iterable[Mapping[int, int]]) -> dict[int, int]:
    """Return each player's balance in cents, including players who break even.

    A negative balance means that the player has to pay.

    >>> sum_game_balances([{1: 500, 2: -500}, {1: -200, 2: 100, 3: 100}])
    {1: 300, 2: -400, 3: 100}
    """
    sums: Counter[int] = Counter()
    for game in games:
        sums.update(game)
    return dict(sums)


def find_fewest_transfers(balances: Mapping[int, int]) -> tuple[tuple[int, int, int], ...]:
    """Return payments that settle all balances, as (payer, payee, cents).

    The number of payments is the smallest possible for up to `MAX_EXACT_SEARCH_PLAYERS` players with a balance.

    A group of players whose balances add up to zero needs one payment fewer than the group has players. The search
    therefore forms as many such groups as possible. If there are too many players for the search, payers and payees of
    equal amounts are paired off. Everybody else then forms one group.

    >>> find_fewest_transfers({1: 300, 2: -400, 3: 100})
    ((2, 1, 300), (2, 3, 100))
    >>> len(find_fewest_transfers({1: 500, 2: -500, 3: 200, 4: -200}))
    2

    Raises:
        ValueError: the balances do not add up to zero.
    """
    if sum(balances.values()):
        raise ValueError("what some get, others pay")
    open_balances = {player: cents for player, cents in balances.items() if cents}
    groups = (
        _split_into_most_groups(open_balances)
        if len(open_balances) <= MAX_EXACT_SEARCH_PLAYERS
        else _pair_off_equal_balances(open_balances)
    )
    return tuple(transfer for group in groups for transfer in _settle_group(group))


def _split_into_most_groups(balances: Mapping[int, int]) -> list[dict[int, int]]:
    """Split the players into as many groups as possible, each with balances that add up to zero.

    Players are added one at a time, and a group is complete when all balances so far add up to zero. Dynamic
    programming over subsets finds the order that completes the most groups.
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


def _pair_off_equal_balances(balances: Mapping[int, int]) -> list[dict[int, int]]:
    rest, groups = dict(balances), []
    for player, cents in balances.items():
        other = next((match for match, due in rest.items() if due == -cents), None) if player in rest else None
        if other is not None:
            groups.append({player: rest.pop(player), other: rest.pop(other)})
    return [*groups, rest] if rest else groups


def _settle_group(group: Mapping[int, int]) -> list[tuple[int, int, int]]:
    balances, transfers = dict(group), []
    while balances:
        payer, payee = min(balances, key=balances.__getitem__), max(balances, key=balances.__getitem__)
        cents = min(-balances[payer], balances[payee])
        transfers.append((payer, payee, cents))
        balances[payer] += cents
        balances[payee] -= cents
        balances = {player: left for player, left in balances.items() if left}
    return transfers
