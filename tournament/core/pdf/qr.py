"""QR codes as bits. A large batch computes most of its codes by arithmetic, because encoding them is the main cost."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import segno

MASK: Final = 3
"""The fixed mask pattern. Trying all eight takes five times as long, and any of them reads well."""

LARGE_BATCH: Final = 400
"""The number of codes from which a `QrBatch` saves more encodings than it needs to start."""

_TO_DIGITS: Final = bytes([ord("0"), ord("1")]) + bytes(range(2, 256))


@dataclass(frozen=True, slots=True)
class QrBits:
    """The modules of a QR code as bits, with rows padded to whole bytes. A 1 is dark."""

    side: int
    rows: bytes


def make_qr(address: str) -> QrBits:
    code = segno.make(address, micro=False, error="m", boost_error=False, mask=MASK, mode="byte")
    side = len(code.matrix)
    padding = -side % 8
    rows = b"".join(
        (int(row.translate(_TO_DIGITS), 2) << padding).to_bytes((side + padding) // 8, "big")
        for row in (bytes(line) for line in code.matrix)
    )
    return QrBits(side, rows)


def qr_maker(codes: int) -> Callable[[str], QrBits]:
    """Return the faster function for this number of codes."""
    return QrBatch().make if codes >= LARGE_BATCH else make_qr


class QrBatch:
    """An encoder with the same results as `make_qr`, for many addresses of equal length.

    For a fixed length, size and mask, a QR code is affine over GF(2): its error correction is linear, and its mask is
    added. Flipping a bit of the address therefore always flips the same modules. A code is that of the first address
    with the modules of every differing bit flipped.
    """

    def __init__(self) -> None:
        self._first: dict[int, tuple[bytes, int, QrBits]] = {}
        self._turned: dict[tuple[int, int, int], int] = {}

    def make(self, address: str) -> QrBits:
        if not address.isascii():
            return make_qr(address)
        text = address.encode()
        if len(text) not in self._first:
            code = make_qr(address)
            self._first[len(text)] = (text, int.from_bytes(code.rows, "big"), code)
        first, cells, shape = self._first[len(text)]
        for place, (one, other) in enumerate(zip(first, text, strict=True)):
            if one != other:
                cells ^= self._cells(len(text), place, one ^ other)
        return QrBits(shape.side, cells.to_bytes(len(shape.rows), "big"))

    def _cells(self, length: int, place: int, bits: int) -> int:
        """Return the modules that flip with these bits of the character at this place."""
        key = (length, place, bits)
        if key not in self._turned:
            lowest = bits & -bits
            rest = bits ^ lowest
            self._turned[key] = (
                self._cells(length, place, lowest) ^ self._cells(length, place, rest)
                if rest
                else self._cells_of_one(length, place, lowest)
            )
        return self._turned[key]

    def _cells_of_one(self, length: int, place: int, bit: int) -> int:
        first, cells, _shape = self._first[length]
        changed = bytearray(first)
        changed[place] ^= bit
        return cells ^ int.from_bytes(make_qr(changed.decode()).rows, "big")
