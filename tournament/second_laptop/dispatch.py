"""Tell phones where the second laptop is, and which of the two laptops may write."""

import os
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings

from tournament.core.selectors.epochs import OwnEpoch
from tournament.second_laptop.selectors import READ_ONLY_ROLES, LaptopRole, get_link_folder, read_link

ALONE: Final = "alone"
"""The role of a laptop that has no other one."""


def remember_second_site(url: str) -> None:
    """Remember the address at which phones reach the second laptop, as it told the first one."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or url == read_second_site():
        return
    file = get_link_folder() / "site"
    part = file.with_name(".site.part")
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part.write_text(url)
    os.replace(part, file)


def read_second_site() -> str:
    """Return the second laptop's address for phones, or "" if it has not told it."""
    with suppress(OSError, ValueError):
        return (get_link_folder() / "site").read_text()
    return ""


def describe_laptop(own: OwnEpoch | None) -> dict[str, Any]:
    """Return what phones may know about this laptop.

    Only a laptop that has been replaced, or may be, gives the other one's address. A laptop that has taken over says
    that it is still the second one until the processes that show pages may write.
    """
    link = read_link()
    role = link.role.value if link is not None else ALONE
    if settings.READ_ONLY_DATABASE and (link is None or link.role not in READ_ONLY_ROLES):
        role = LaptopRole.SECOND.value
    has_second = link is not None and link.role in (LaptopRole.FIRST, LaptopRole.SHUT_OUT)
    return {
        "role": role,
        "installation": own.installation if own is not None else "",
        "epoch": own.epoch if own is not None else 0,
        "proof": own.proof if own is not None else "",
        "second": read_second_site() if has_second else "",
    }
