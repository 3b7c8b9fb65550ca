"""The blind draw that anybody can check: a sealed secret, a cut in public, and the order that follows from both.

    before    draw_id, the entry numbers and commitment = SHA-256 of 32 secret random bytes are published
    the draw  `public` is entered: what the room saw, say the cards of a cut deck "7H QS 2D"
    order     the numbers sorted by hexadecimal HMAC-SHA256(secret, "public|draw_id|number")
    after     the secret is published; anybody recomputes commitment and order

Neither side alone can decide the order. The secret is sealed before the cut, and nobody knows it when the deck is cut.
The secret always comes from outside: nothing in this module is random.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from pairing.draws.order.entries import check_each_once, read_numbers, read_numbers_once
from tournament.cases import Fields, Problems, read_text
from tournament.said import worded

SECRET_BYTES: Final = 32

HEX_DIGITS: Final = re.compile(r"[0-9a-f]{64}")


def commitment_to(secret: bytes) -> str:
    """Return the seal on a secret of 32 bytes, as 64 hexadecimal digits.

    >>> commitment_to(bytes(32))
    '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925'

    Raises:
        ValueError: the secret has another length.
    """
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")
    return hashlib.sha256(secret).hexdigest()


def draw_order(numbers: Iterable[int], *, secret: bytes, public: str, draw_id: str) -> tuple[int, ...]:
    """Return the drawn order, first drawn first. The order in which the numbers are passed does not matter.

    >>> draw_order([1, 2, 3, 4], secret=bytes(32), public="7H QS 2D", draw_id="singles-1")
    (4, 3, 2, 1)

    Raises:
        ValueError: a number occurs twice, or the secret does not have 32 bytes.
    """
    entries = list(numbers)
    check_each_once(entries)
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")

    def lot(number: int) -> str:
        text = f"{public}|{draw_id}|{number}"
        return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()

    return tuple(sorted(entries, key=lot))


def answer_verify_draw(case: dict[str, Any]) -> dict[str, Any]:
    """Check that a published draw follows from its secret. The answer is empty if it does.

    The order is checked with the secret as given, even if that secret is not the one that was sealed. A director then
    learns about both problems at once.

    Raises:
        BadCase: `commitment-mismatch`, `order-mismatch`, or a field that cannot be read.
    """
    problems = Problems()
    fields = Fields(case, problems)
    secret = fields.read("secret", _read_secret)
    commitment = fields.read("commitment", _read_hex)
    public = fields.text("public", empty=True)
    draw_id = fields.text("draw_id")
    numbers = fields.read("numbers", read_numbers_once)
    order = fields.read("order", read_numbers)
    fields.finish()
    if secret is not None and commitment is not None and commitment_to(secret) != commitment:
        message = worded("The secret that was published is not the one that was sealed before the draw.")
        problems.add("commitment-mismatch", "commitment", message)
    if secret is not None and public is not None and draw_id is not None and numbers is not None and order is not None:
        right = draw_order(numbers, secret=secret, public=public, draw_id=draw_id)
        if order != right:
            problems.add("order-mismatch", "order", _first_difference(order, right))
    problems.check()
    return {}


def _first_difference(order: Sequence[int], right: Sequence[int]) -> str:
    if len(order) != len(right):
        return worded(
            "The order has %(order)s entries, but %(right)s were in the draw.", order=len(order), right=len(right)
        )
    place = next(index for index, (found, drawn) in enumerate(zip(order, right, strict=True)) if found != drawn)
    return worded(
        "This is not the order that was drawn: place %(place)s should be entry %(right)s, not entry %(order)s.",
        place=place + 1,
        right=right[place],
        order=order[place],
    )


def _read_secret(value: object, path: str, problems: Problems) -> bytes | None:
    digits = _read_hex(value, path, problems)
    return None if digits is None else bytes.fromhex(digits)


def _read_hex(value: object, path: str, problems: Problems) -> str | None:
    text = read_text(value, path, problems)
    if text is not None and not HEX_DIGITS.fullmatch(text):
        problems.bad(path, worded("This must be 64 hexadecimal digits, in lower case."))
        return None
    return text
