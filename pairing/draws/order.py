"""Entry numbers, the blind draw of their order, and random lots from a seed.

The drawn order follows from a sealed secret and the cards that were cut in public. Lots from a seed break ties.
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, Final

from tournament.cases import FieldReader, ProblemCollector, read_integer, read_text, read_valid_list
from tournament.lazy_text import LazyText, join_with_and, lazy_text, replace_text_parts, to_english


def read_entry_numbers(value: object, path: str, problems: ProblemCollector) -> tuple[int, ...] | None:
    """Read a list of entry numbers. Return None if any of them is invalid.

    The whole list is rejected, because leaving out one number would shift all the numbers after it.
    """
    numbers = read_valid_list(value, path, problems, each=partial(read_integer, minimum=1))
    return None if numbers is None else tuple(numbers)


def read_distinct_entry_numbers(
    value: object, path: str, problems: ProblemCollector, *, among: Collection[int] | None = None
) -> tuple[int, ...] | None:
    """Read a list of distinct entry numbers. Return None if any of them is invalid.

    If `among` is given, all entries must be in it.
    """
    numbers = read_valid_list(value, path, problems, each=partial(_read_distinct_entry, first={}, among=among))
    return None if numbers is None else tuple(numbers)


def _read_distinct_entry(
    value: object, path: str, problems: ProblemCollector, *, first: dict[int, str], among: Collection[int] | None
) -> int | None:
    number = read_integer(value, path, problems, minimum=1)
    if number is None:
        return None
    if first.setdefault(number, path) != path:
        problems.add_bad_value(
            path, lazy_text("Entry %(number)s stands there already, at %(first)s.", number=number, first=first[number])
        )
    elif among is not None and number not in among:
        problems.add_bad_value(path, lazy_text("Entry %(number)s is not in this draw.", number=number))
    else:
        return number
    return None


def read_entry_pair(value: object, path: str, problems: ProblemCollector) -> tuple[int, int] | None:
    numbers = read_distinct_entry_numbers(value, path, problems)
    if isinstance(value, list) and len(value) != 2:
        problems.add_bad_value(path, lazy_text("There must be two entries here."))
    return (numbers[0], numbers[1]) if numbers is not None and len(numbers) == 2 else None


def require_unique_entries(entries: Sequence[int]) -> None:
    """Reject a list in which an entry occurs twice.

    Duplicates in user input are rejected when it is read, so a duplicate at this point is a bug.

    Raises:
        ValueError: an entry occurs twice.
    """
    if len(set(entries)) != len(entries):
        raise ValueError("an entry stands twice in the draw")


def format_entry(number: int) -> str:
    """Return text such as “entry 4” for use in a sentence. Pages replace it with the name (`replace_entry_numbers`).

    >>> print(format_entry(4))
    entry 4
    """
    return lazy_text("entry %(number)s", number=number)


_NUMBER_PATTERN: Final = re.compile(r"\d+")


def replace_entry_numbers(text: str, name: Callable[[int], str]) -> str:
    """Return a sentence with its entry numbers replaced by names.

    >>> print(replace_entry_numbers(lazy_text("%(one)s has won.", one=format_entry(4)), {4: "Ada"}.__getitem__))
    Ada has won.
    """

    def named(part: LazyText) -> str | None:
        if part.message == "entry %(number)s":
            return name(int(part.values["number"]))
        if part.message == "entries %(entries)s":
            return join_with_and(
                [name(int(number)) for number in _NUMBER_PATTERN.findall(to_english(part.values["entries"]))]
            )
        return None

    return str(replace_text_parts(text, named))


# --- The blind draw --------------------------------------------------------------------------------------------------

SECRET_BYTE_COUNT: Final = 32
_HEX_DIGITS: Final = re.compile(r"[0-9a-f]{64}")


def compute_commitment(secret: bytes) -> str:
    """Return the seal of a 32-byte secret: its SHA-256 as 64 hexadecimal digits.

    >>> compute_commitment(bytes(32))
    '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925'

    Raises:
        ValueError: the secret does not have 32 bytes.
    """
    if len(secret) != SECRET_BYTE_COUNT:
        raise ValueError(f"a secret has {SECRET_BYTE_COUNT} bytes, not {len(secret)}")
    return hashlib.sha256(secret).hexdigest()


def compute_draw_order(numbers: Iterable[int], *, secret: bytes, public: str, draw_id: str) -> tuple[int, ...]:
    """Return the numbers in the order drawn. The order of the input does not matter.

    `public` is the cut: the cards that were cut in public.

    >>> compute_draw_order([1, 2, 3, 4], secret=bytes(32), public="7H QS 2D", draw_id="singles-1")
    (4, 3, 2, 1)

    Raises:
        ValueError: a number occurs twice, or the secret does not have 32 bytes.
    """
    entries = list(numbers)
    require_unique_entries(entries)
    if len(secret) != SECRET_BYTE_COUNT:
        raise ValueError(f"a secret has {SECRET_BYTE_COUNT} bytes, not {len(secret)}")

    def lot(number: int) -> str:
        text = f"{public}|{draw_id}|{number}"
        return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()

    return tuple(sorted(entries, key=lot))


def run_verify_draw_case(case: dict[str, Any]) -> dict[str, Any]:
    """Check that a published draw follows from its secret. Return an empty result if it does.

    The order is checked with the published secret, even if a different secret was sealed.

    Raises:
        InvalidInput: `commitment-mismatch`, `order-mismatch`, or a field that cannot be read.
    """
    problems = ProblemCollector()
    fields = FieldReader(case, problems)
    digits = fields.read("secret", _read_hex)
    secret = None if digits is None else bytes.fromhex(digits)
    commitment = fields.read("commitment", _read_hex)
    public = fields.text("public", empty=True)
    draw_id = fields.text("draw_id")
    numbers = fields.read("numbers", read_distinct_entry_numbers)
    order = fields.read("order", read_entry_numbers)
    fields.finish()
    if secret is not None and commitment is not None and compute_commitment(secret) != commitment:
        message = lazy_text("The secret that was published is not the one that was sealed before the draw.")
        problems.add("commitment-mismatch", "commitment", message)
    if secret is not None and public is not None and draw_id is not None and numbers is not None and order is not None:
        right = compute_draw_order(numbers, secret=secret, public=public, draw_id=draw_id)
        if order != right:
            problems.add("order-mismatch", "order", _describe_first_wrong_entry(order, right))
    problems.raise_if_any()
    return {}


def _describe_first_wrong_entry(order: Sequence[int], right: Sequence[int]) -> str:
    if len(order) != len(right):
        return lazy_text(
            "The order has %(order)s entries, but %(right)s were in the draw.", order=len(order), right=len(right)
        )
    place = next(index for index, (found, drawn) in enumerate(zip(order, right, strict=True)) if found != drawn)
    return lazy_text(
        "This is not the order that was drawn: place %(place)s should be entry %(right)s, not entry %(order)s.",
        place=place + 1,
        right=right[place],
        order=order[place],
    )


def _read_hex(value: object, path: str, problems: ProblemCollector) -> str | None:
    text = read_text(value, path, problems)
    if text is not None and not _HEX_DIGITS.fullmatch(text):
        problems.add_bad_value(path, lazy_text("This must be 64 hexadecimal digits, in lower case."))
        return None
    return text


# --- Lots from a seed ------------------------------------------------------------------------------------------------


def order_by_lot(numbers: Iterable[int], *, seed: str) -> tuple[int, ...]:
    """Return the numbers sorted by their lots. The numbers must be distinct. Their order does not matter.

    >>> order_by_lot([1, 2, 3, 4], seed="friday") == order_by_lot([4, 2, 3, 1], seed="friday")
    True
    """
    begin = hashlib.sha256(f"{seed}|".encode()).copy
    lots: dict[int, bytes] = {}
    for number in numbers:
        lot = begin()
        lot.update(b"%d" % number)
        lots[number] = lot.digest()
    return tuple(sorted(lots, key=lots.__getitem__))


def compute_pair_lot(seed: str, pair: tuple[int, int], *, bits: int) -> int:
    """Return a pair's lot, a random integer with `bits` bits (256 at most).

    The lot is computed from `seed|low|high`.

    >>> compute_pair_lot("friday", (4, 9), bits=48) == compute_pair_lot("friday", (9, 4), bits=48) < 1 << 48
    True
    """
    text = f"{seed}|{min(pair)}|{max(pair)}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest(), "big") >> (256 - bits)


class SeededRandom:
    """A sequence of pseudorandom numbers from a seed, for searches that choose between equally good options.

    >>> first, second = SeededRandom("friday"), SeededRandom("friday")
    >>> [first.pick_below(6) for _ in range(5)] == [second.pick_below(6) for _ in range(5)]
    True
    """

    def __init__(self, seed: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")

    def pick_below(self, limit: int) -> int:
        """Return a number from 0 up to, but not including, `limit`.

        The method uses Vigna's SplitMix64 and the modulo operator, which is fair enough to break ties.
        """
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK_64_BITS
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64_BITS
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK_64_BITS
        return (mixed ^ (mixed >> 31)) % limit


_MASK_64_BITS = (1 << 64) - 1
