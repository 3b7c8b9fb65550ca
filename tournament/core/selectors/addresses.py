"""Recognize the IP addresses of this computer."""

import socket
from ipaddress import ip_address


def is_local_machine_address(host: str) -> bool:
    """Return whether the text is one of this computer's current IP addresses."""
    try:
        address = ip_address(host.strip("[]"))
    except ValueError:
        return False
    if address.is_unspecified or address.is_multicast:
        return False
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))  # only a local address can be bound, and nothing is sent
        except OSError:
            return False
    return True
