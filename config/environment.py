"""What the environment says, and the secrets this machine made for itself on its first run."""

import fcntl
import os
import secrets
from pathlib import Path

import environ
from django.utils.functional import SimpleLazyObject

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("VAR_DIR") or BASE_DIR / "var").absolute()
"""Everything an installation keeps: database, secrets, files, sockets. Back up this folder and you have it all."""

SECRETS_FILE = VAR_DIR / "secrets.env"

env = environ.Env()
env.smart_cast = False


def lazy_secret(name: str) -> SimpleLazyObject:
    """A secret read, or made, at its first use: what never uses it neither needs nor makes the file."""
    return SimpleLazyObject(lambda: os.environ.get(name) or _kept_secret(name))


def _kept_secret(name: str) -> str:
    VAR_DIR.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(SECRETS_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "r+", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # web and worker may both be the first
        kept = dict(line.strip().split("=", 1) for line in file if "=" in line)
        if name not in kept:
            kept[name] = secrets.token_urlsafe(48)
            file.write(f"{name}={kept[name]}\n")
        return kept[name]
