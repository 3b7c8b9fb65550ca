"""The acts, by what they are about; a module that is named here is in play."""

from types import ModuleType
from typing import Final

from scoring.management.random_event.acts import cards, drawing, ending, entering, matches, signing

ALL: Final[tuple[ModuleType, ...]] = (entering, drawing, cards, signing, matches, ending)
