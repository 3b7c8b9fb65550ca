"""Test that the site's authority and certificate are created once, renewed in time, and valid only for its hosts."""

from __future__ import annotations

import datetime as dt
import ssl
import subprocess
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from laptop.reach import Certificates, compute_fingerprint, ensure_certificates

NOW = dt.datetime(2026, 11, 21, 18, 0, tzinfo=dt.UTC)
HOSTS = ["hall.test", "192.168.1.20", "laptop", "laptop.local", "localhost", "127.0.0.1", "::1"]


def the(file: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(file.read_bytes())


def names(files: Certificates) -> set[str]:
    found = the(files.site).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(each.value) for each in found}


@pytest.fixture
def files(tmp_path: Path) -> Certificates:
    return ensure_certificates(tmp_path / "https", HOSTS, now=NOW)


def verified(files: Certificates, host: str, site: Path | None = None) -> str:
    """Return what openssl prints when it verifies the certificate for this host."""
    kind = "-verify_ip" if host.replace(".", "").isdigit() else "-verify_hostname"
    command = ["openssl", "verify", "-attime", str(int(NOW.timestamp())), "-CAfile", str(files.authority), kind, host]
    return subprocess.run([*command, str(site or files.site)], capture_output=True, text=True, check=False).stdout


def test_the_certificate_names_every_address_of_the_hall(files: Certificates) -> None:
    assert names(files) == set(HOSTS)
    assert "OK" in verified(files, "hall.test") and "OK" in verified(files, "192.168.1.20")
    assert "OK" not in verified(files, "192.168.1.21")


def test_it_is_one_that_phones_take(files: Certificates) -> None:
    site = the(files.site)
    assert site.not_valid_after_utc - site.not_valid_before_utc <= dt.timedelta(days=397)
    assert site.not_valid_before_utc < NOW - dt.timedelta(hours=12)  # for a phone whose clock is behind
    usage = site.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.SERVER_AUTH]
    assert len(compute_fingerprint(files.authority).split(":")) == 32


def test_only_this_user_reads_the_keys(files: Certificates) -> None:
    assert files.folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (files.authority_key, files.site_key)} == {0o600}


def test_a_second_run_changes_nothing(files: Certificates) -> None:
    before = {file: file.read_bytes() for file in files.folder.iterdir()}
    ensure_certificates(files.folder, HOSTS, now=NOW + dt.timedelta(days=30))
    assert {file: file.read_bytes() for file in files.folder.iterdir()} == before


def test_another_network_needs_another_certificate_but_no_new_trust(files: Certificates) -> None:
    authority = files.authority.read_bytes()
    ensure_certificates(files.folder, ["10.0.0.7", "localhost"], now=NOW)
    assert names(files) == {"10.0.0.7", "localhost"}
    assert files.authority.read_bytes() == authority
    assert "OK" in verified(files, "10.0.0.7")


@pytest.mark.parametrize("days", [370, 500])
def test_what_expires_is_renewed_in_time_by_the_same_authority(files: Certificates, days: int) -> None:
    authority, site = files.authority.read_bytes(), files.site.read_bytes()
    ensure_certificates(files.folder, HOSTS, now=NOW + dt.timedelta(days=days))
    assert files.site.read_bytes() != site
    assert files.authority.read_bytes() == authority


def test_a_name_that_phones_did_not_trust_it_with_makes_a_new_one_by_the_same_key(files: Certificates) -> None:
    key, authority = files.authority_key.read_bytes(), files.authority.read_bytes()
    ensure_certificates(files.folder, ["gin.example.org", "203.0.113.9"], now=NOW)
    assert files.authority_key.read_bytes() == key
    assert files.authority.read_bytes() != authority
    assert "OK" in verified(files, "gin.example.org") and "OK" in verified(files, "203.0.113.9")
    kept = files.authority.read_bytes()
    ensure_certificates(files.folder, HOSTS, now=NOW)
    assert files.authority.read_bytes() == kept


def test_whoever_gets_the_key_cannot_pass_for_another_site(files: Certificates, tmp_path: Path) -> None:
    other = ensure_certificates(tmp_path / "elsewhere", ["bank.example"], now=NOW)
    (tmp_path / "stolen").mkdir()
    stolen = Certificates(tmp_path / "stolen")
    stolen.authority_key.write_bytes(files.authority_key.read_bytes())
    ensure_certificates(stolen.folder, ["bank.example"], now=NOW)
    assert "OK" in verified(stolen, "bank.example")
    assert "OK" not in verified(files, "bank.example", stolen.site)  # to a phone that trusts the hall's certificate
    assert "OK" not in verified(files, "bank.example", other.site)


def test_a_broken_file_is_made_again(files: Certificates) -> None:
    files.site.write_text("half written")
    ensure_certificates(files.folder, HOSTS, now=NOW)
    ssl.create_default_context(cafile=str(files.authority))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.site, files.site_key)
