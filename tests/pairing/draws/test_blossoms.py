import random
from itertools import combinations, pairwise

import networkx
import pytest

from pairing.draws.blossoms import AlternatingForest


@pytest.mark.parametrize("seed", range(150))
def test_paths_lead_to_the_largest_matching(seed: int) -> None:
    dice = random.Random(seed)
    entries = dice.sample(range(1, 20), dice.randint(2, 11))
    chance = dice.choice((0.15, 0.3, 0.5))
    graph = networkx.Graph(pair for pair in combinations(entries, 2) if dice.random() < chance)
    graph.add_nodes_from(entries)
    most = len(networkx.max_weight_matching(graph, maxcardinality=True))
    beside: dict[int, int] = {}

    def forest_of(roots: list[int]) -> tuple[AlternatingForest, list[int]]:
        forest = AlternatingForest(entries, roots, lambda entry: sorted(graph[entry]), beside)
        return forest, forest.find_augmenting_path()

    for root in entries:
        if root in beside:
            continue
        _forest, way = forest_of([root])
        assert not way or (way[-1] == root and way[0] not in beside and len(set(way)) == len(way))
        assert all(graph.has_edge(*pair) for pair in pairwise(way))
        for one, other in zip(way[::2], way[1::2], strict=True):
            beside[one], beside[other] = other, one
    assert len(beside) == 2 * most
    forest, way = forest_of([entry for entry in entries if entry not in beside])
    without = {entry: graph.subgraph(set(entries) - {entry}) for entry in entries}
    assert not way
    assert forest.even_entries == {
        entry for entry, rest in without.items() if len(networkx.max_weight_matching(rest, maxcardinality=True)) == most
    }
