"""The random order of the entries, compared with published test vectors and an independent HMAC implementation."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pairing.draws.order import (
    SeededRandom,
    compute_commitment,
    compute_draw_order,
    compute_pair_lot,
    order_by_lot,
    run_verify_draw_case,
)
from tournament.errors import InvalidInput

SECRETS = st.binary(min_size=32, max_size=32)
NUMBERS = st.lists(st.integers(1, 2**53 - 1), unique=True, max_size=40)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def hmac_sha256(key: bytes, text: bytes) -> str:
    """Compute an HMAC-SHA256 according to RFC 2104."""
    key = (hashlib.sha256(key).digest() if len(key) > 64 else key).ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in key) + text).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in key) + inner).hexdigest()


@pytest.mark.parametrize(
    ("key", "text", "digest"),
    [
        # RFC 4231, test cases 1 to 3 and 6
        (b"\x0b" * 20, b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (b"Jefe", b"what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (b"\xaa" * 20, b"\xdd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (
            b"\xaa" * 131,
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
    ],
)
def test_the_hmac_of_this_test_agrees_with_published_vectors(key: bytes, text: bytes, digest: str) -> None:
    assert hmac_sha256(key, text) == digest


@pytest.mark.parametrize(
    ("secret", "digest"),
    [
        # NIST CAVP SHA256ShortMsg, Len = 256
        (
            "09fc1accc230a205e4a208e64a8f204291f581a12756392da4b8c0cf5ef02b95",
            "4f44c1c7fbebb6f9601829f3897bfd650c56fa07844be76489076356ac1886a4",
        ),
        ("00" * 32, "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"),
    ],
)
def test_the_commitment_is_the_sha256_of_the_bytes(secret: str, digest: str) -> None:
    assert compute_commitment(bytes.fromhex(secret)) == digest


@settings(deadline=None)
@given(SECRETS, NUMBERS, TEXTS, TEXTS)
def test_the_order_sorts_the_lots(secret: bytes, numbers: list[int], public: str, draw_id: str) -> None:
    order = compute_draw_order(numbers, secret=secret, public=public, draw_id=draw_id)
    lots = [hmac_sha256(secret, f"{public}|{draw_id}|{number}".encode()) for number in order]
    assert sorted(order) == sorted(numbers)
    assert lots == sorted(lots)


@settings(deadline=None)
@given(SECRETS, NUMBERS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_the_list_s_own(secret: bytes, numbers: list[int], chance) -> None:
    shuffled = list(numbers)
    chance.shuffle(shuffled)
    drawn = [compute_draw_order(n, secret=secret, public="7H", draw_id="d") for n in (numbers, shuffled)]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize("length", [0, 31, 33, 64])
def test_a_secret_has_32_bytes(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        compute_commitment(bytes(length))
    with pytest.raises(ValueError, match="32 bytes"):
        compute_draw_order([1], secret=bytes(length), public="", draw_id="d")


def test_an_entry_stands_once_in_a_draw() -> None:
    with pytest.raises(ValueError, match="twice"):
        compute_draw_order([1, 2, 1], secret=bytes(32), public="", draw_id="d")


@settings(deadline=None)
@given(SECRETS, NUMBERS, TEXTS, TEXTS.filter(bool))
def test_every_draw_made_here_verifies(secret: bytes, numbers: list[int], public: str, draw_id: str) -> None:
    order = compute_draw_order(numbers, secret=secret, public=public, draw_id=draw_id)
    case = {
        "secret": secret.hex(),
        "commitment": compute_commitment(secret),
        "public": public,
        "draw_id": draw_id,
        "numbers": numbers,
        "order": list(order),
    }
    assert run_verify_draw_case(case) == {}


@settings(deadline=None)
@given(SECRETS, st.lists(st.integers(1, 999), unique=True, min_size=2, max_size=9), st.data())
def test_any_other_order_is_refused(secret: bytes, numbers: list[int], data: st.DataObject) -> None:
    order = compute_draw_order(numbers, secret=secret, public="", draw_id="d")
    other = data.draw(st.permutations(numbers).filter(lambda p: tuple(p) != order))
    case = {
        "secret": secret.hex(),
        "commitment": compute_commitment(secret),
        "public": "",
        "draw_id": "d",
        "numbers": numbers,
        "order": other,
    }
    with pytest.raises(InvalidInput) as refused:
        run_verify_draw_case(case)
    assert [(p.code, p.path) for p in refused.value.problems] == [("order-mismatch", "order")]
    place = next(i for i, (found, drawn) in enumerate(zip(other, order, strict=True)) if found != drawn)
    expected = f"place {place + 1} should be entry {order[place]}, not entry {other[place]}."
    assert refused.value.problems[0].message.endswith(expected)


# --- Test lots -------------------------------------------------------------------------------------------------------
# Lots follow from their seed alone: the same on any machine, in any version of this program.


def test_lots_are_sorted_by_their_sha256() -> None:
    assert order_by_lot(range(1, 9), seed="friday") == (3, 6, 4, 7, 2, 1, 5, 8)
    assert order_by_lot([8, 3, 1, 3], seed="friday") == (3, 1, 8)
    assert order_by_lot([], seed="friday") == ()


def test_the_lot_of_a_pair_is_the_head_of_its_sha256() -> None:
    assert compute_pair_lot("friday", (9, 4), bits=48) == 0xF31DCDC3CAEF
    assert compute_pair_lot("friday", (4, 9), bits=4) == 0xF
    assert compute_pair_lot("friday", (4, 9), bits=256) >> 208 == 0xF31DCDC3CAEF


def test_lots_are_those_of_splitmix64() -> None:
    lots = SeededRandom("friday")
    lots._state = 1234567
    drawn = [lots.pick_below(1 << 64) for _ in range(5)]
    assert drawn == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_lots_begin_with_the_head_of_the_sha256_of_their_seed() -> None:
    assert SeededRandom("friday")._state == 0x1A79668EAC4051A9


@pytest.mark.parametrize("limit", [1, 2, 6])
def test_a_lot_is_below_its_limit(limit: int) -> None:
    lots = SeededRandom("friday")
    assert {lots.pick_below(limit) for _ in range(100)} == set(range(limit))
