"""The addresses of the site: names, IP addresses and ports, and the certificate for them with HTTPS=1."""

import fcntl
import ipaddress
import os
import socket
import struct
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

from config.environment import VAR_DIR
from laptop.certificates import Certificates, ensure_certificates

_SIOCGIFADDR = 0x8915
_NOT_THE_HALL = ("lo", "docker", "br-", "veth", "virbr")


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The addresses of the site.

    With https, `plain_port` serves only the page that helps phones trust the certificate.
    """

    host: str
    port: int
    https: bool
    plain_port: int
    names: tuple[str, ...]

    @property
    def for_phones(self) -> list[str]:
        """The names from HALL_HOST, then this machine's addresses. The address of the default route comes first."""
        if self.host == "0.0.0.0":
            return [*self.names, *_hall_addresses()]
        return [] if self.host.startswith("127.") else [*self.names, self.host]

    @property
    def addresses(self) -> list[str]:
        """The addresses of the site: on this machine first, then those for phones."""
        scheme = "https" if self.https else "http"
        return [f"{scheme}://{name}:{self.port}" for name in ("127.0.0.1", *self.for_phones)]

    @property
    def site(self) -> str:
        """The address for links and QR codes."""
        return (self.addresses[1:] or self.addresses)[0]

    @property
    def trust_page(self) -> str:
        return f"http://{(self.for_phones or ['127.0.0.1'])[0]}:{self.plain_port}/"

    @property
    def ports(self) -> list[int]:
        return [self.port, self.plain_port] if self.https else [self.port]

    def certified_hosts(self) -> list[str]:
        own = socket.gethostname().lower()
        return list(dict.fromkeys([*self.for_phones, own, f"{own}.local", "localhost", "127.0.0.1", "::1"]))

    def certificates(self) -> Certificates | None:
        """Return the certificate files for all current names and addresses, or None without https.

        They are made or renewed if needed.
        """
        if not self.https:
            return None
        return ensure_certificates(VAR_DIR / "https", self.certified_hosts(), now=datetime.now(UTC))

    def environment(self, certificates: Certificates | None) -> dict[str, str]:
        """Return the environment variables by which all processes learn the addresses."""
        told = {"HOST": self.host, "PORT": str(self.port), "HALL_HOST": ",".join(self.names)}
        if certificates is None:
            return told
        shown = {"TRUST_URL": self.trust_page, "OWN_CERTIFICATE": str(certificates.authority)}
        return told | shown | {"PLAIN_PORT": str(self.plain_port)}


def read_addresses() -> SiteAddresses:
    """Read HOST, PORT, PLAIN_PORT, HALL_HOST and HTTPS. A wrong value ends the program with a message."""
    port = _port("PORT", 8000)
    names = tuple(name for part in os.environ.get("HALL_HOST", "").lower().split(",") if (name := part.strip()))
    https = os.environ.get("HTTPS", "").lower() in {"1", "true", "yes", "on", "y", "ok"}
    plain_port = _port("PLAIN_PORT", next_port(port)) if https else port
    if https and plain_port == port:
        sys.exit("PLAIN_PORT must be another port than PORT: one speaks https, the other shows how to trust it.")
    return SiteAddresses(os.environ.get("HOST") or "0.0.0.0", port, https, plain_port, names)


def next_port(port: int) -> int:
    return port + 1 if port < 65535 else 8000


def tls_environment(certificates: Certificates) -> dict[str, str]:
    """Return the environment variables that make granian use https. Only the web server gets them."""
    return {
        "GRANIAN_SSL_CERTIFICATE": str(certificates.site),
        "GRANIAN_SSL_KEYFILE": str(certificates.site_key),
        "GRANIAN_SSL_PROTOCOL_MIN": "tls1.2",  # for phones from before 2019
    }


def _port(name: str, usual: int) -> int:
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or not 0 < int(text) < 65536:
        sys.exit(f"{name} must be a number from 1 to 65535, not “{text}”.")
    return int(text)


def _hall_addresses() -> list[str]:
    """Return this machine's IPv4 addresses in its networks. The address of the default route comes first."""
    outward = _outward_address()
    names = [name for _, name in socket.if_nameindex() if not name.startswith(_NOT_THE_HALL)]
    found = [address for name in names if (address := _address_of(name))]
    usable = [address for address in found if not ipaddress.ip_address(address).is_loopback]
    return sorted(dict.fromkeys(usable), key=lambda address: address != outward)


def _address_of(interface: str) -> str | None:
    request = struct.pack("256s", interface.encode()[:15])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            return socket.inet_ntoa(fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)[20:24])
        except OSError:
            return None


def _outward_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # chooses a route without sending anything
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address
