"""A laptop's address in a hall changes with the network: its own addresses are taken as hosts, no matter what they are
now.

The Host header ends up in links, so no other address is: one phone must not be able to make links to another.
"""

import ipaddress
import socket
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class OwnAddressMiddleware:
    """Keeps ALLOWED_HOSTS true for the address in the request: in while it is this machine's, out when no longer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.learned: set[str] = set()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        host = _without_port(request.META.get("HTTP_HOST", "").lower())
        if host in self.learned or host not in settings.ALLOWED_HOSTS:
            self._learn(host)
        return self.get_response(request)

    def _learn(self, host: str) -> None:
        is_own = is_own_address(host)
        if is_own and host not in self.learned:
            self.learned.add(host)
            settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, host]
        elif not is_own and host in self.learned:
            self.learned.discard(host)
            settings.ALLOWED_HOSTS = [known for known in settings.ALLOWED_HOSTS if known != host]


def is_own_address(host: str) -> bool:
    """Whether `host` is an IP address that this machine has right now."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    if address.is_unspecified or address.is_multicast:
        return False
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))  # only an own address can be bound; nothing is sent
        except OSError:
            return False
    return True


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
