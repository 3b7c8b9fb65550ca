"""Accept this machine's current IP addresses as hosts.

A laptop's address changes with the network. Unknown hosts are rejected, because the Host header ends up in links that
are shown to other users.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tournament.core.selectors.addresses import is_local_machine_address


class AllowLocalAddressMiddleware:
    """Add the request's host to ALLOWED_HOSTS if it is an address of this machine, or remove it if it no longer is.

    Hosts that are listed in the settings always stay allowed.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.learned: set[str] = set()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        host = _remove_port(request.META.get("HTTP_HOST", "").lower())
        if host in self.learned or host not in settings.ALLOWED_HOSTS:
            self._update_allowed_hosts(host)
        return self.get_response(request)

    def _update_allowed_hosts(self, host: str) -> None:
        is_own = is_local_machine_address(host)
        if is_own and host not in self.learned:
            self.learned.add(host)
            settings.ALLOWED_HOSTS = [*settings.ALLOWED_HOSTS, host]
        elif not is_own and host in self.learned:
            self.learned.discard(host)
            settings.ALLOWED_HOSTS = [known for known in settings.ALLOWED_HOSTS if known != host]


def _remove_port(host: str) -> str:
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]
