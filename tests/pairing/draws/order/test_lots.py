"""Lots follow from their seed alone: the same on any machine, in any version of this program.

The figures come from elsewhere: `printf 'friday|1' | sha256sum`, and the test vector published with SplitMix64.
"""

import pytest

from pairing.draws.order import Lots, by_lot, pair_lot


def test_entries_stand_in_the_order_of_their_sha256() -> None:
    assert by_lot(range(1, 9), seed="friday") == (3, 6, 4, 7, 2, 1, 5, 8)
    assert by_lot([8, 3, 1, 3], seed="friday") == (3, 1, 8)
    assert by_lot([], seed="friday") == ()


def test_the_lot_of_a_pair_is_the_head_of_its_sha256() -> None:
    assert pair_lot("friday", (9, 4), bits=48) == 0xF31DCDC3CAEF
    assert pair_lot("friday", (4, 9), bits=4) == 0xF
    assert pair_lot("friday", (4, 9), bits=256) >> 208 == 0xF31DCDC3CAEF


def test_lots_are_those_of_splitmix64() -> None:
    lots = Lots("friday")
    lots._state = 1234567
    drawn = [lots.below(1 << 64) for _ in range(5)]
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_lots_begin_with_the_head_of_the_sha256_of_their_seed() -> None:
    assert Lots("friday")._state == 0x1A79668EAC4051A9


@pytest.mark.parametrize("limit", [1, 2, 6])
def test_a_lot_is_below_its_limit(limit: int) -> None:
    lots = Lots("friday")
    assert {lots.below(limit) for _ in range(100)} == set(range(limit))
