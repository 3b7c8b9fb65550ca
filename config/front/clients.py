"""Find the client's IP address for rate limits, even behind trusted proxies."""

import ipaddress
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_trusted_proxies(texts: Sequence[str]) -> int | list[IpNetwork]:
    """Parse TRUSTED_PROXIES: the number of proxies in front of the site, or their addresses and networks.

    An empty list trusts no proxy.
    """
    if len(texts) == 1 and texts[0].isdecimal():
        return int(texts[0])
    try:
        return [ipaddress.ip_network(text.strip(), strict=False) for text in texts]
    except ValueError as error:
        raise ImproperlyConfigured(f"TRUSTED_PROXIES is a number or a list of addresses: {error}.") from None


def read_site_host(site: str) -> str:
    """Return the host name from SITE_URL in the format of ALLOWED_HOSTS, without a port and with IPv6 in brackets."""
    url = urlsplit(site)
    if url.scheme not in ("http", "https") or not url.hostname or url.path:
        message = "SITE_URL begins with http:// or https://, and ends after the name or the port, as in https://gin.example.org"
        raise ImproperlyConfigured(message)
    return f"[{url.hostname}]" if ":" in url.hostname else url.hostname


def find_client_address(peer: str, forwarded: str) -> str:
    """Return the client's address, taking into account what trusted proxies report.

    `forwarded` is the complete X-Forwarded-For header. Each proxy appends the address that it got the request from, and
    clients can forge earlier entries. The list is therefore read from the right, up to the first untrusted address.
    """
    proxies: int | list[IpNetwork] = settings.TRUSTED_PROXIES
    peer = _remove_ipv4_prefix(peer)
    if not proxies or not forwarded:
        return peer
    hops = [*(_remove_ipv4_prefix(hop.strip()) for hop in forwarded.split(",")), peer]
    if isinstance(proxies, int):
        named = hops[max(0, len(hops) - 1 - proxies)]
        return named if parse_ip(named) else peer
    client = peer
    for hop in reversed(hops):
        address = parse_ip(hop)
        if hop and address is None:
            break  # not added by one of our proxies: use the last address that was
        client = hop
        if address and not any(address in network for network in proxies):
            break
    return client


def is_trusted_proxy(peer: str) -> bool:
    """Return whether TRUSTED_PROXIES trusts this peer. If the setting is a number above 0, it trusts every peer."""
    proxies: int | list[IpNetwork] = settings.TRUSTED_PROXIES
    if isinstance(proxies, int):
        return proxies > 0
    address = parse_ip(_remove_ipv4_prefix(peer))
    return address is not None and any(address in network for network in proxies)


def _remove_ipv4_prefix(client: str) -> str:
    """Return an IPv4 address without the prefix that dual-stack sockets add (`::ffff:192.0.2.7`)."""
    mapped = getattr(parse_ip(client), "ipv4_mapped", None)
    return str(mapped) if mapped else client


def parse_ip(text: str) -> IpAddress | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


class ClientAddressMiddleware:
    """Set REMOTE_ADDR to the client's address, so that rate limits count clients instead of proxies."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer, forwarded = request.META.get("REMOTE_ADDR", ""), request.META.get("HTTP_X_FORWARDED_FOR", "")
        request.META["REMOTE_ADDR"] = find_client_address(peer, forwarded)
        return self.get_response(request)
