"""All acts of a random event by topic. Importing this package registers them."""

from importlib import import_module
from typing import Final

from scoring.rehearsal.services.play import ACTS

__all__ = ["ACTS"]

TOPICS: Final = ("at_tables", "entering", "course", "extras", "disputes", "side_pools", "signing", "stages")
"""The order in which the acts are registered. Another order gives other events for the same seeds."""

for topic in TOPICS:
    import_module(f"{__name__}.{topic}")
