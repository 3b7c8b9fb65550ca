"""The scoring app's implementation of the interface that `tournament/ports.py` defines.

This implementation signs data with the installation's key.
"""

from scoring.seals.services.sealing import seal_bytes

__all__ = ["seal_bytes"]
