"""The acts, by what they are about; a module that is named here is in play."""

from types import ModuleType
from typing import Final

from scoring.management.random_event.acts import (
    at_tables,
    cards,
    closing,
    drawing,
    ending,
    entering,
    keeping,
    matches,
    rulings,
    signing,
    staged,
    turning,
)

ALL: Final[tuple[ModuleType, ...]] = (
    entering,
    drawing,
    cards,
    keeping,
    signing,
    staged,
    at_tables,
    turning,
    closing,
    matches,
    rulings,
    ending,
)
