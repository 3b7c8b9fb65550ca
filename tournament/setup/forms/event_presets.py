"""Presets for the form of a new event. Those of the Gin Rummy Association follow its sheets of 2012."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from tournament.models import Event
from tournament.registration.selectors.approvals import APPROVALS


@dataclass(frozen=True, slots=True)
class EventPreset:
    name: str
    label: Any
    values: Mapping[str, Any]


PRESETS: Final = (
    EventPreset(
        "gra-singles",
        _("GRA singles"),
        {"name": "Singles", "entry_size": 1, "approvals": list(APPROVALS), "prize_percent": "82"},
    ),
    EventPreset(
        "gra-partnership",
        _("GRA partnership"),
        {
            "name": "Partnership",
            "entry_size": 2,
            "partners": Event.Partners.TOGETHER.value,
            "approvals": list(APPROVALS),
            "prize_percent": "82",
        },
    ),
    EventPreset("game-night", _("Game night"), {"name": "Game night", "entry_size": 1, "approvals": []}),
)
USUAL: Final = {"name": "Singles"}


def preset_values(name: str) -> dict[str, Any]:
    """Return the initial values of a preset, or `USUAL` if there is no preset of that name."""
    return dict(next((each.values for each in PRESETS if each.name == name), USUAL))
