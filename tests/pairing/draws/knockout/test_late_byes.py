from __future__ import annotations

import random

import pytest

from pairing.draws.knockout.bracket import ByeTaken, bye_lots, make_bracket, with_late_entries
from pairing.draws.pictures.brackets import Measures, lay_out
from pairing.draws.places import bye_entries

FIVE = (4, None, 1, 3, 2, None, 5, None)


@pytest.mark.parametrize(
    "taken",
    [
        [ByeTaken(1, 9, 2)],
        [ByeTaken(8, 9, 2)],
        [ByeTaken(4, 9, 2), ByeTaken(4, 10, 3)],
        [ByeTaken(4, 3, 2)],
        [ByeTaken(4, 9, 1)],
    ],
    ids=["no bye", "not in the draw", "twice", "in already", "a drawn match"],
)
def test_what_is_refused(taken: list[ByeTaken]) -> None:
    with pytest.raises(ValueError):
        with_late_entries(make_bracket(FIVE), taken)


def test_drawn_matches_keep_names_and_places_whoever_comes_in_whatever_order() -> None:
    drawn = make_bracket(FIVE)
    for seed in range(30):
        byes = list(bye_entries(FIVE))
        random.Random(seed).shuffle(byes)
        taken = [ByeTaken(bye, 90 + turn, 2 + turn) for turn, bye in enumerate(byes[: 1 + seed % 3])]
        bracket = with_late_entries(drawn, taken)
        assert set(drawn.by_id) < set(bracket.by_id)
        assert len(bracket.matches) == len(bracket.entries) - 1 == len(drawn.matches) + len(taken)
        assert all(bracket.next_of[name] == bracket.by_id[after.id] for name, after in drawn.next_of.items())
        for one in taken:
            after = next(match for match in drawn.matches if match.id == drawn.first_of[one.bye].id)
            assert bracket.next_of[f"R1M{one.position}"].id == after.id
            assert bracket.way_of(one.entry) == bracket.way_of(one.bye)


@pytest.mark.parametrize("two_sided", [False, True])
def test_no_two_boxes_of_a_round_lie_on_each_other(two_sided: bool) -> None:
    bracket = with_late_entries(make_bracket(FIVE), [ByeTaken(5, 9, 2), ByeTaken(4, 10, 3)])
    picture = lay_out(bracket, Measures(two_sided=two_sided))
    for box in picture.boxes:
        for other in picture.boxes:
            assert box is other or box.x != other.x or abs(box.y - other.y) >= box.height


def test_the_lots_follow_from_the_secret_and_the_name_of_the_draw() -> None:
    orders = {bye_lots(FIVE, secret=f"{turn:02x}", draw_id="spring-1") for turn in range(40)}
    assert len(orders) == 6
    assert bye_lots(FIVE, secret="01", draw_id="a") == bye_lots(FIVE, secret="01", draw_id="a")
