"""The scoring app's implementation of the interface in `tournament/ports.py`."""

from scoring.seals.services.sealing import seal_bytes

__all__ = ["seal_bytes"]
