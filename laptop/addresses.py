"""Find this machine's addresses on the network of the hall."""

import fcntl
import ipaddress
import socket
import struct

_SIOCGIFADDR = 0x8915
_NOT_THE_HALL = ("lo", "docker", "br-", "veth", "virbr")


def hall_addresses() -> list[str]:
    """Return this machine's IPv4 addresses in its networks. The address of the default route comes first."""
    outward = _outward_address()
    found = [address for name in _interfaces() if (address := _address_of(name))]
    usable = [address for address in found if not ipaddress.ip_address(address).is_loopback]
    return sorted(dict.fromkeys(usable), key=lambda address: address != outward)


def _interfaces() -> list[str]:
    return [name for _, name in socket.if_nameindex() if not name.startswith(_NOT_THE_HALL)]


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
