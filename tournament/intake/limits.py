"""The largest size of each kind of file, and the most that reading one may cost. See `docs/running/files.md`."""

from dataclasses import dataclass
from typing import Final

MB: Final = 1024 * 1024
REST_OF_FORM: Final = MB
"""Bytes for the form fields that are sent with the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one kind of file.

    - `seconds`: processor time.
    - `memory`: bytes, including the program that reads.
    - `at_once`: how many files one web process reads at the same time.
    """

    name: str
    most_bytes: int
    seconds: int = 2
    memory: int = 512 * MB
    at_once: int = 2

    @property
    def patience(self) -> int:
        """Return the wall-clock limit in seconds. On a busy machine a second of processor time takes several."""
        return 5 * self.seconds + 5

    @property
    def largest_body(self) -> int:
        return self.most_bytes + REST_OF_FORM


LISTS: Final = Limits(name="lists", most_bytes=5_000_000)
PHOTOS: Final = Limits(name="photos", most_bytes=12 * MB, seconds=3, memory=768 * MB)
CERTIFICATES: Final = Limits(name="certificates", most_bytes=200_000)
PRINTS: Final = Limits(name="prints", most_bytes=20 * MB, seconds=10)
"""Prints that carry a seal of this installation over all of their bytes."""
OTHER_PRINTS: Final = Limits(name="other prints", most_bytes=20 * MB)
LOGS: Final = Limits(name="logs", most_bytes=20 * MB, seconds=4)
