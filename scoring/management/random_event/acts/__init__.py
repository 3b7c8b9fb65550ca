"""All acts of a random event by topic. Importing this package registers the acts of every module in it."""

from importlib import import_module
from pkgutil import iter_modules

from scoring.management.random_event.core import ACTS

for module in iter_modules(__path__, f"{__name__}."):
    import_module(module.name)

__all__ = ["ACTS"]
