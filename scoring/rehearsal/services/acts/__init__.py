"""All actions that can occur in a random event, grouped by topic. Importing this package registers them."""

from importlib import import_module
from typing import Final

from scoring.rehearsal.services.play import ACTS

__all__ = ["ACTS"]

TOPICS: Final = ("at_tables", "entering", "course", "extras", "disputes", "side_pools", "signing", "stages")
"""The order in which the actions are registered. Changing it changes the events that existing seeds produce."""

for topic in TOPICS:
    import_module(f"{__name__}.{topic}")
