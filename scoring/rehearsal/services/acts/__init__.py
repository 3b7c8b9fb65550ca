"""All actions that can occur in a random event, grouped by topic. Importing this package registers them."""

from importlib import import_module
from typing import Final

from scoring.rehearsal.services.play import ACTION_KINDS

__all__ = ["ACTION_KINDS"]

ACTION_MODULES: Final = ("at_tables", "entering", "course", "extras", "disputes", "side_pools", "signing", "stages")
"""The order in which actions are registered. If it changes, existing seeds produce different events."""

for topic in ACTION_MODULES:
    import_module(f"{__name__}.{topic}")
