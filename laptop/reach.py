"""The site's addresses (names, IP addresses and ports) and, with HTTPS=1, its certificate."""

import datetime as dt
import hashlib
import ipaddress
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import ifaddr
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from config.environment import VAR_DIR
from config.front.clients import IpAddress, parse_ip
from tournament.core.services.durable_files import replace_durably

# --- Certificates ----------------------------------------------------------------------------------------------------
# A small certificate authority of this installation, and the site's certificate, both stored in var/https.

SITE_CERTIFICATE_DAYS: Final = 397
"""The longest certificate validity, in days, that phones accept (Apple and Chromium since 2020)."""
RENEWAL_LEAD_TIME: Final = dt.timedelta(days=30)
AUTHORITY_CERTIFICATE_DAYS: Final = 3650
CLOCK_SKEW: Final = dt.timedelta(days=1)
"""The tolerance for a phone's slow clock. Certificates become valid this much earlier."""
PRIVATE_NETWORKS: Final = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8")
PRIVATE_DOMAINS: Final = ("localhost", "local", "test", "lan", "internal", "home.arpa")
"""Domains that cannot be registered on the internet. Their subdomains count, too."""

PrivateKey = ec.EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True)
class Certificates:
    """Paths of the certificate files. Only the current user can read the private keys."""

    folder: Path

    @property
    def authority(self) -> Path:
        return self.folder / "authority.crt"

    @property
    def authority_key(self) -> Path:
        return self.folder / "authority.key"

    @property
    def site(self) -> Path:
        """The certificate chain for the server: the site's certificate followed by the authority's."""
        return self.folder / "site.crt"

    @property
    def site_key(self) -> Path:
        return self.folder / "site.key"


def ensure_certificates(folder: Path, hosts: Sequence[str], *, now: dt.datetime) -> Certificates:
    """Create or renew the certificates for these host names and IP addresses, if needed.

    The authority's key never changes. Its certificate is replaced only if it is about to expire or does not allow one
    of the hosts. Users must then trust the new certificate on their phones.
    """
    files = Certificates(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = _load_or_make_key(files.authority_key)
    authority = _load_certificate(files.authority)
    if authority is None or not _allows_all_hosts(authority, key, hosts, now):
        authority = _make_authority_certificate(key, [*_list_allowed_hosts(authority), *hosts], now)
        _write_private_file(files.authority, _to_pem(authority), mode=0o644)
    site = _load_certificate(files.site)
    if site is None or not files.site_key.exists() or not _is_site_certificate_current(site, authority, hosts, now):
        site_key = ec.generate_private_key(ec.SECP256R1())
        _write_private_file(files.site_key, _key_to_pem(site_key), mode=0o600)
        made = _make_site_certificate(site_key.public_key(), (authority, key), hosts, now)
        _write_private_file(files.site, _to_pem(made) + _to_pem(authority), mode=0o644)
    return files


def compute_fingerprint(certificate: Path) -> str:
    """Return a certificate's SHA-256 fingerprint in the format that phones show: “4F:0A:…”."""
    found = x509.load_pem_x509_certificate(certificate.read_bytes())
    digest = hashlib.sha256(found.public_bytes(serialization.Encoding.DER)).hexdigest().upper()
    return ":".join(digest[at : at + 2] for at in range(0, len(digest), 2))


# --- The authority ---------------------------------------------------------------------------------------------------


def _start_certificate(
    name: x509.Name, issuer: x509.Name, public: ec.EllipticCurvePublicKey, valid: tuple[dt.datetime, int]
) -> x509.CertificateBuilder:
    """Return a certificate builder with the fields that the authority's and the site's certificates both have.

    `valid` is a pair: the nominal start of the validity period, and the length of this period in days. Both dates in
    the certificate are `CLOCK_SKEW` earlier.
    """
    start = valid[0] - CLOCK_SKEW
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=valid[1]))
    )


def _make_authority_certificate(key: PrivateKey, hosts: Sequence[str], now: dt.datetime) -> x509.Certificate:
    public = key.public_key()
    # Named by its key, because two laptops of one club are two authorities.
    mark = x509.SubjectKeyIdentifier.from_public_key(public).digest.hex()[:6]
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Gin rummy tournament hall {mark}")])
    usage = x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        _start_certificate(name, name, public, (now, AUTHORITY_CERTIFICATE_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.NameConstraints(_make_name_constraints(hosts), None), critical=True)
        .sign(key, hashes.SHA256())
    )


def _make_name_constraints(hosts: Sequence[str]) -> list[x509.GeneralName]:
    networks = [ipaddress.ip_network(each) for each in (*PRIVATE_NETWORKS, "::1/128", "fc00::/7", "fe80::/10")]
    names = list(PRIVATE_DOMAINS)
    for host in dict.fromkeys(hosts):
        address = parse_ip(host)
        if address is None and not _is_subdomain(host, names):
            names.append(host)
        elif address is not None and not _is_inside_networks(address, networks):
            networks.append(ipaddress.ip_network(address))
    return [*map(x509.DNSName, names), *map(x509.IPAddress, networks)]


def _allows_all_hosts(authority: x509.Certificate, key: PrivateKey, hosts: Sequence[str], now: dt.datetime) -> bool:
    """Return whether the authority's certificate allows all hosts for as long as a new site certificate is valid."""
    if authority.public_key() != key.public_key():
        return False
    if authority.not_valid_after_utc < now + dt.timedelta(days=SITE_CERTIFICATE_DAYS):
        return False
    return all(_is_host_allowed(authority, host) for host in hosts)


def _is_host_allowed(authority: x509.Certificate, host: str) -> bool:
    permitted = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    address = parse_ip(host)
    if address is None:
        return _is_subdomain(host, [each.value for each in permitted if isinstance(each, x509.DNSName)])
    return _is_inside_networks(address, [each.value for each in permitted if isinstance(each, x509.IPAddress)])


def _list_allowed_hosts(authority: x509.Certificate | None) -> list[str]:
    """Return the host names and single IP addresses that the authority's certificate allows.

    A certificate that replaces it must allow them, too.
    """
    if authority is None:
        return []
    permitted = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    addresses = [str(each.value) for each in permitted if isinstance(each, x509.IPAddress)]
    single = [text.partition("/")[0] for text in addresses if text.endswith("/32")]
    return [each.value for each in permitted if isinstance(each, x509.DNSName)] + single


# --- The site's certificate ------------------------------------------------------------------------------------------


def _make_site_certificate(
    public: ec.EllipticCurvePublicKey,
    authority: tuple[x509.Certificate, PrivateKey],
    hosts: Sequence[str],
    now: dt.datetime,
) -> x509.Certificate:
    issuer, key = authority
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0][:64])])
    return (
        _start_certificate(name, issuer.subject, public, (now, SITE_CERTIFICATE_DAYS))
        .add_extension(x509.SubjectAlternativeName(_make_general_names(hosts)), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _make_general_names(hosts: Sequence[str]) -> list[x509.GeneralName]:
    found: list[x509.GeneralName] = []
    for host in dict.fromkeys(hosts):
        address = parse_ip(host)
        found.append(x509.DNSName(host) if address is None else x509.IPAddress(address))
    return found


def _is_site_certificate_current(
    site: x509.Certificate, authority: x509.Certificate, hosts: Sequence[str], now: dt.datetime
) -> bool:
    """Return whether the site's certificate can still be used.

    A usable certificate is for exactly these hosts, is signed by this authority, and remains valid long enough.
    """
    names = site.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    lasts = site.not_valid_before_utc <= now <= site.not_valid_after_utc - RENEWAL_LEAD_TIME
    try:
        site.verify_directly_issued_by(authority)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return lasts and set(names) == set(_make_general_names(hosts))


# --- Hosts and files -------------------------------------------------------------------------------------------------


def _is_subdomain(host: str, names: Sequence[str]) -> bool:
    return any(host == name or host.endswith(f".{name}") for name in names)


def _is_inside_networks(address: IpAddress, networks: Sequence[object]) -> bool:
    kinds = (ipaddress.IPv4Network, ipaddress.IPv6Network)
    return any(address in network for network in networks if isinstance(network, kinds))


def _load_certificate(file: Path) -> x509.Certificate | None:
    try:
        return x509.load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError):
        return None


def _load_or_make_key(file: Path) -> PrivateKey:
    if file.exists():
        key = serialization.load_pem_private_key(file.read_bytes(), password=None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        return key
    made = ec.generate_private_key(ec.SECP256R1())
    _write_private_file(file, _key_to_pem(made), mode=0o600)
    return made


def _write_private_file(file: Path, content: bytes, *, mode: int) -> None:
    """Write the file atomically, with the permissions `mode` from the start."""
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as out:
        out.write(content)
    replace_durably(fresh, file)


def _to_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_to_pem(key: PrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


_OTHER_INTERFACE_PREFIXES = ("lo", "docker", "br-", "veth", "virbr", "hyper-v", "virtualbox", "vmware")
"""The beginnings of the names of network interfaces that no phone can reach."""


@dataclass(frozen=True, slots=True)
class SiteAddresses:
    """The site's URLs and ports.

    If the site uses HTTPS, `plain_port` serves only the page that helps users trust the certificate.
    """

    host: str
    port: int
    https: bool
    plain_port: int
    names: tuple[str, ...]

    @property
    def phone_hosts(self) -> list[str]:
        """The hosts for phones: names from HALL_HOST, then this machine's addresses, starting with the main one."""
        if self.host == "0.0.0.0":
            return [*self.names, *_find_hall_addresses()]
        return [] if self.host.startswith("127.") else [*self.names, self.host]

    @property
    def addresses(self) -> list[str]:
        """The site's URLs: first the one for this machine, then those for phones."""
        scheme = "https" if self.https else "http"
        return [f"{scheme}://{name}:{self.port}" for name in ("127.0.0.1", *self.phone_hosts)]

    @property
    def site(self) -> str:
        """The base URL for links and QR codes."""
        return (self.addresses[1:] or self.addresses)[0]

    @property
    def trust_page(self) -> str:
        return f"http://{(self.phone_hosts or ['127.0.0.1'])[0]}:{self.plain_port}/"

    @property
    def ports(self) -> list[int]:
        return [self.port, self.plain_port] if self.https else [self.port]

    def list_certified_hosts(self) -> list[str]:
        own = socket.gethostname().lower()
        return list(dict.fromkeys([*self.phone_hosts, own, f"{own}.local", "localhost", "127.0.0.1", "::1"]))

    def load_or_create_certificates(self) -> Certificates | None:
        """Return the certificate files for all current names and addresses, or None if the site does not use HTTPS.

        Missing or outdated certificates are created first.
        """
        if not self.https:
            return None
        return ensure_certificates(VAR_DIR / "https", self.list_certified_hosts(), now=datetime.now(UTC))

    def make_environment(self, certificates: Certificates | None) -> dict[str, str]:
        """Return environment variables that tell all processes the site's addresses."""
        variables = {"HOST": self.host, "PORT": str(self.port), "HALL_HOST": ",".join(self.names)}
        if certificates is None:
            return variables
        return variables | {
            "TRUST_URL": self.trust_page,
            "OWN_CERTIFICATE": str(certificates.authority),
            "PLAIN_PORT": str(self.plain_port),
        }


def read_site_addresses() -> SiteAddresses:
    """Read HOST, PORT, PLAIN_PORT, HALL_HOST and HTTPS. Exit with a message if a value is invalid."""
    port = _read_port("PORT", 8000)
    names = tuple(name for part in os.environ.get("HALL_HOST", "").lower().split(",") if (name := part.strip()))
    https = os.environ.get("HTTPS", "").lower() in {"1", "true", "yes", "on", "y", "ok"}
    plain_port = _read_port("PLAIN_PORT", suggest_next_port(port)) if https else port
    if https and plain_port == port:
        sys.exit("PLAIN_PORT must be different from PORT: one speaks https, the other shows how to trust it.")
    return SiteAddresses(os.environ.get("HOST") or "0.0.0.0", port, https, plain_port, names)


def suggest_next_port(port: int) -> int:
    return port + 1 if port < 65535 else 8000


def make_tls_environment(certificates: Certificates) -> dict[str, str]:
    """Return environment variables that make granian use HTTPS. Only the web server gets them."""
    return {
        "GRANIAN_SSL_CERTIFICATE": str(certificates.site),
        "GRANIAN_SSL_KEYFILE": str(certificates.site_key),
        "GRANIAN_SSL_PROTOCOL_MIN": "tls1.2",  # for phones from before 2019
    }


def _read_port(name: str, usual: int) -> int:
    text = os.environ.get(name) or str(usual)
    if not text.isdecimal() or not 0 < int(text) < 65536:
        sys.exit(f"{name} must be a number from 1 to 65535, not “{text}”.")
    return int(text)


def _find_hall_addresses() -> list[str]:
    """Return this machine's IPv4 addresses on local networks, starting with the default route's."""
    outward = _find_outward_address()
    found = [
        ipaddress.IPv4Address(ip.ip)
        for adapter in ifaddr.get_adapters()
        if not adapter.nice_name.lower().startswith(_OTHER_INTERFACE_PREFIXES)
        for ip in adapter.ips
        if ip.is_IPv4
    ]
    usable = [address for address in found if not address.is_loopback]
    # A computer that got no address from its network gives itself a link-local one.
    usable.sort(key=lambda address: (str(address) != outward, address.is_link_local))
    return list(dict.fromkeys(map(str, usable)))


def _find_outward_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # chooses a route without sending anything
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address
