"""Answer what `tournament` asks of the score cards' app: a signature by the key of the installation."""

from scoring.seals.services.sealing import seal_bytes

__all__ = ["seal_bytes"]
