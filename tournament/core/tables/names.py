"""How the columns of lists hold names."""

from __future__ import annotations

from typing import Final

NAME: Final = {"td": {"class": "is-name"}}
"""A name may be one word of any length: the cell breaks it, and keeps enough room for usual ones."""
