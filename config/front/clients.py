"""Who asks: the address that limits count. Behind a proxy the one it names, if TRUSTED_PROXIES says that it may."""

import ipaddress
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def read_proxies(texts: Sequence[str]) -> int | list[Network]:
    """How many proxies stand in a row before the site, or their addresses and networks; empty: none is trusted."""
    if len(texts) == 1 and texts[0].isdecimal():
        return int(texts[0])
    try:
        return [ipaddress.ip_network(text.strip(), strict=False) for text in texts]
    except ValueError as error:
        raise ImproperlyConfigured(f"TRUSTED_PROXIES is a number or a list of addresses: {error}.") from None


def host_in(site: str) -> str:
    """Return the host of SITE_URL as ALLOWED_HOSTS names it: without a port, and in brackets if it is of IPv6."""
    address = urlsplit(site)
    if address.scheme not in ("http", "https") or not address.hostname or address.path:
        said = "SITE_URL begins with http:// or https://, and ends after the name or the port, as in https://gin.example.org"
        raise ImproperlyConfigured(said)
    return f"[{address.hostname}]" if ":" in address.hostname else address.hostname


def client_of(peer: str, forwarded: str) -> str:
    """The address of who asks; `forwarded`: all of X-Forwarded-For, in which only what proxies of ours added is true.

    Each proxy adds at the right end who asked it. So the list is read from the right: what a client made up is further
    left.
    """
    proxies: int | list[Network] = settings.TRUSTED_PROXIES
    peer = _unwrapped(peer)
    if not proxies or not forwarded:
        return peer
    hops = [*(_unwrapped(hop.strip()) for hop in forwarded.split(",")), peer]
    if isinstance(proxies, int):
        named = hops[max(0, len(hops) - 1 - proxies)]
        return named if _address(named) else peer
    client = peer
    for hop in reversed(hops):
        address = _address(hop)
        if hop and address is None:
            break  # not by a proxy of ours: the last one that is known stands
        client = hop
        if address and not any(address in network for network in proxies):
            break
    return client


def _unwrapped(client: str) -> str:
    """A socket that takes both kinds of address gives those of IPv4 as `::ffff:192.0.2.7`: all in one network."""
    mapped = getattr(_address(client), "ipv4_mapped", None)
    return str(mapped) if mapped else client


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


class RealClientMiddleware:
    """Everything that counts by REMOTE_ADDR counts people, not the proxy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer, forwarded = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
        request.META["REMOTE_ADDR"] = client_of(peer, forwarded)
        return self.get_response(request)
