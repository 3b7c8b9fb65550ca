"""When the desk took back what a match had come to: what was posted before counts no more."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from scoring.selectors.result_rows import load_results_in_force


def load_taken_back(matches: Collection[int]) -> dict[int, datetime]:
    """Match → when its result was taken back last by the desk; a card that did so itself starts nothing anew.

    A decision that was undone took nothing back.
    """
    found = {}
    for match, rows in load_results_in_force(matches).items():
        moments = [row.at for row in rows if row.takes_cards_out]
        if moments:
            found[match] = moments[-1]
    return found
