"""The scoring app's implementation of the port in `tournament/ports.py`: signing with the installation's key."""

from scoring.seals.services.sealing import seal_bytes

__all__ = ["seal_bytes"]
