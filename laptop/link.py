"""The connection between the first and the second laptop: pairing, the first copy, and then every change.

The first laptop listens, the second one connects. TLS encrypts the connection. The second laptop accepts only the
certificate that it saw when they were paired, and both prove that they know the common key. When they are paired, six
words take the place of the key.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
import socket
import ssl
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

from config.environment import VAR_DIR

FOLDER: Final = VAR_DIR / "second-laptop"
MAX_FRAME_BYTES: Final = 256 << 20
HANDSHAKE_TIMEOUT_S: Final = 10.0
POLL_INTERVAL_S: Final = 0.01
BEAT_INTERVAL_S: Final = 1.0
"""Seconds between two signs of life while nothing is written."""
RECONNECT_PAUSE_S: Final = 1.0
TELL_INTERVAL_S: Final = 2.0
"""Seconds between two attempts to tell the first laptop that this one has taken over."""
CHANGES_KEPT: Final = 10_000
"""How many stored changes the first laptop remembers, for a second laptop that was switched off without warning."""

logger = logging.getLogger(__name__)


class LinkRefused(Exception):
    """Raised if the other laptop does not accept this one. The message can be shown to users."""


# --- Frames over TLS -------------------------------------------------------------------------------------------------


class Channel:
    """Sends and receives JSON objects and files over an encrypted connection."""

    def __init__(self, connection: ssl.SSLSocket) -> None:
        self._connection = connection

    def send(self, content: dict[str, Any]) -> None:
        encoded = json.dumps(content).encode()
        self._connection.sendall(struct.pack("!I", len(encoded)) + encoded)

    def receive(self) -> dict[str, Any]:
        """Return the next object.

        Raises:
            OSError: the connection was closed, or an object is too large.
        """
        (size,) = struct.unpack("!I", self._receive_exactly(4))
        if size > MAX_FRAME_BYTES:
            raise OSError("the other laptop sent too much at once")
        content = json.loads(self._receive_exactly(size))
        if not isinstance(content, dict):
            raise OSError("the other laptop sent something unexpected")
        if "refused" in content:
            raise LinkRefused(content["refused"])
        return content

    def send_file(self, file: Path) -> None:
        self.send({"size": file.stat().st_size})
        with open(file, "rb") as source:
            while chunk := source.read(1 << 20):
                self._connection.sendall(chunk)

    def receive_file(self, file: Path) -> None:
        left = int(self.receive()["size"])
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
            while left:
                chunk = self._connection.recv(min(left, 1 << 20))
                if not chunk:
                    raise OSError("the connection broke off")
                target.write(chunk)
                left -= len(chunk)

    def _receive_exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._connection.recv(min(size, 1 << 20))
            if not part:
                raise OSError("the connection was closed")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def make_proof(key: bytes, side: str, *nonces: str, certificate: str) -> str:
    """Return the proof that one side knows the key. It is bound to this connection and to the certificate."""
    return hmac.new(key, "/".join([side, *nonces, certificate]).encode(), hashlib.sha256).hexdigest()


def load_certificate() -> tuple[Path, Path]:
    """Return the files of this laptop's certificate and its private key, and create them the first time."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    certificate_file, key_file = FOLDER / "certificate.pem", FOLDER / "certificate-key.pem"
    if not certificate_file.exists():
        FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gin rummy tournaments")])
        begin = datetime.now(UTC) - timedelta(days=365)  # the clocks of two laptops differ
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin)
        certificate = builder.not_valid_after(begin + timedelta(days=365 * 30)).sign(key, hashes.SHA256())
        pem = serialization.Encoding.PEM
        plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        with open(os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
            target.write(key.private_bytes(pem, *plain))
        certificate_file.write_bytes(certificate.public_bytes(pem))
    return certificate_file, key_file


def compute_certificate_digest(certificate: bytes) -> str:
    return hashlib.sha256(certificate).hexdigest()


# --- The first laptop ------------------------------------------------------------------------------------------------


def serve(port: int, *, until: Callable[[], bool] = lambda: False) -> None:
    """Listen for the second laptop. Each connection has a thread of its own."""
    certificate_file, key_file = load_certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(certificate_file, key_file)
    digest = compute_certificate_digest(ssl.PEM_cert_to_DER_cert(certificate_file.read_text()))
    with socket.create_server(("", port), reuse_port=False) as listener:
        listener.settimeout(0.5)
        while not until():
            with suppress(TimeoutError):
                accepted, _address = listener.accept()
                threading.Thread(target=_serve_one, args=(accepted, context, digest), daemon=True).start()


def _serve_one(accepted: socket.socket, context: ssl.SSLContext, certificate: str) -> None:
    from django.db import connections

    try:
        accepted.settimeout(HANDSHAKE_TIMEOUT_S)
        with closing(context.wrap_socket(accepted, server_side=True)) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _greet(Channel(connection), certificate)
    except (OSError, LinkRefused, ValueError, KeyError, TypeError) as error:
        logger.warning("the connection to the second laptop ended: %s", error)
    finally:
        accepted.close()
        connections.close_all()


def _greet(channel: Channel, certificate: str) -> None:
    """Let the other side prove that it knows the words or the key, prove the same, and continue."""
    from tournament.core.selectors.installation import load_installation
    from tournament.second_laptop.selectors import LaptopRole, read_link
    from tournament.second_laptop.services import close_offer_after_failure, read_offer, shut_out

    ours = secrets.token_hex(16)
    channel.send({"nonce": ours})
    hello = channel.receive()
    theirs, wants_pairing = str(hello["nonce"]), hello["hello"] == "pair"
    link, offer = read_link(), read_offer()
    key = offer.key if wants_pairing and offer else bytes.fromhex(link.key) if link and not wants_pairing else b""
    expected = make_proof(key, "second", ours, theirs, certificate=certificate)
    if not key or not hmac.compare_digest(expected, str(hello["proof"])):
        if wants_pairing and offer:
            close_offer_after_failure(offer)
        channel.send({"refused": _REFUSED_WORDS if wants_pairing else _REFUSED_KEY})
        return
    if hello["version"] != load_version():
        channel.send({"refused": _REFUSED_VERSION})
        return
    installation = load_installation()
    epoch = installation.epoch if installation is not None else 0
    channel.send({"proof": make_proof(key, "first", ours, theirs, certificate=certificate), "epoch": epoch})
    if wants_pairing:
        _send_first_copy(channel, certificate)
    elif hello["hello"] == "took-over" and link is not None:
        told = channel.receive()
        if link.role is LaptopRole.FIRST and int(told["epoch"]) > epoch:
            shut_out(link, epoch=int(told["epoch"]), change=int(told["change"]), at=float(told["at"]))
        channel.send({"shut_out": True})
    elif link is not None and link.role is LaptopRole.FIRST:
        _send_changes(channel)


_REFUSED_WORDS: Final = (
    "These are not the words that the first laptop shows now. Look at them again, or let it show new ones."
)
_REFUSED_KEY: Final = "The first laptop does not know this one any more. Add it again as a second laptop."
_REFUSED_VERSION: Final = (
    "The two laptops have different versions of the program. Install the same version on both, then try again."
)


def _send_first_copy(channel: Channel, certificate: str) -> None:
    """Send a backup of everything, and a common key for later connections."""
    from tournament.backups.services import make_backup
    from tournament.second_laptop.selectors import LaptopLink, LaptopRole, load_last_change
    from tournament.second_laptop.services import remove_offer, save_link, start_recording_changes

    key = secrets.token_hex(32)
    start_recording_changes()
    change = load_last_change()  # the copy may have later changes already, and getting them again does no harm
    while (backup := make_backup()) is None:
        time.sleep(0.1)  # the worker is making one
    channel.send({"key": key, "change": change})
    channel.send_file(backup.path)
    channel.receive()  # it was stored
    save_link(LaptopLink(role=LaptopRole.FIRST, key=key, certificate=certificate))
    remove_offer()


def _send_changes(channel: Channel) -> None:
    from django.db import connection

    from tournament.second_laptop.selectors import open_database_for_reading, read_change_batch, read_last_change
    from tournament.second_laptop.services import forget_changes, record_acknowledgement

    stored = int(channel.receive()["stored"])
    with open_database_for_reading(Path(str(connection.settings_dict["NAME"]))) as database:
        next_beat = 0.0
        while True:
            if read_last_change(database) != stored:
                batch = read_change_batch(database, stored)
                if batch is None:
                    channel.send({"refused": _REFUSED_KEY})
                    return
                channel.send({"batch": batch.as_json()})
            elif time.monotonic() >= next_beat:
                channel.send({"beat": stored})
            else:
                time.sleep(POLL_INTERVAL_S)
                continue
            stored = int(channel.receive()["stored"])
            record_acknowledgement(stored, time.time())
            if time.monotonic() >= next_beat:
                forget_changes(stored - CHANGES_KEPT)
            next_beat = time.monotonic() + BEAT_INTERVAL_S


def load_version() -> str:
    """Return a digest of the database's tables. Two laptops with the same value can exchange rows."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return hashlib.sha256(json.dumps(cursor.fetchall()).encode()).hexdigest()


# --- The second laptop -----------------------------------------------------------------------------------------------


@contextmanager
def _connect(address: str) -> Iterator[tuple[Channel, str]]:
    """Yield a channel to the first laptop, and the digest of its certificate."""
    host, _colon, port = address.rpartition(":")
    FOLDER.mkdir(mode=0o700, parents=True, exist_ok=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the proofs are bound to the certificate
    with socket.create_connection((host, int(port)), timeout=HANDSHAKE_TIMEOUT_S) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with closing(context.wrap_socket(plain)) as connection:
            certificate = connection.getpeercert(binary_form=True) or b""
            yield Channel(connection), compute_certificate_digest(certificate)


def _introduce(channel: Channel, certificate: str, hello: str, key: bytes) -> int:
    """Prove to the first laptop that this one knows the key, and let it prove the same. Return its epoch.

    Raises:
        LinkRefused: one of the two does not know the key, or the versions differ.
    """
    theirs, ours = str(channel.receive()["nonce"]), secrets.token_hex(16)
    proof = make_proof(key, "second", theirs, ours, certificate=certificate)
    channel.send({"hello": hello, "nonce": ours, "proof": proof, "version": load_version()})
    expected = make_proof(key, "first", theirs, ours, certificate=certificate)
    answer = channel.receive()
    if not hmac.compare_digest(str(answer["proof"]), expected):
        raise LinkRefused("Another computer answered at this address. Type the address of the first laptop again.")
    return int(answer["epoch"])


def pair(address: str, words: str, copy_to: Path) -> Any:
    """Pair with the first laptop, and store the copy of its data. Return the link to save once it is installed.

    The link's `change` is the last change that the copy certainly has.

    Raises:
        LinkRefused: the words are wrong, or the versions differ.
        OSError: the first laptop cannot be reached.
    """
    from tournament.second_laptop.selectors import LaptopLink, LaptopRole
    from tournament.second_laptop.services import compute_words_key

    with _connect(address) as (channel, certificate):
        epoch = _introduce(channel, certificate, "pair", compute_words_key(words))
        common = channel.receive()
        channel.receive_file(copy_to)
        channel.send({"stored": True})
        return LaptopLink(
            role=LaptopRole.SECOND,
            key=str(common["key"]),
            address=address,
            certificate=certificate,
            epoch=epoch,
            change=int(common["change"]),
        )


def follow() -> None:
    """Store the changes of the first laptop as they come, until this laptop takes over.

    Connect again whenever the connection breaks.
    """
    from tournament.second_laptop.selectors import LaptopRole, is_take_over_requested, read_link
    from tournament.second_laptop.services import BrokenChain, save_link

    while (link := read_link()) is not None and link.role is LaptopRole.SECOND and not is_take_over_requested():
        try:
            with _connect_to(link) as (channel, certificate):
                epoch = _introduce(channel, certificate, "follow", bytes.fromhex(link.key))
                if epoch != link.epoch:
                    save_link(replace(link, epoch=epoch))
                _receive_changes(channel)
        except (LinkRefused, BrokenChain, OSError, ValueError, KeyError, TypeError) as error:
            logger.warning("the first laptop cannot be followed: %s", error)
            time.sleep(RECONNECT_PAUSE_S)


def tell_first_laptop() -> bool:
    """Tell the first laptop that this one has taken over. Return whether the message arrived."""
    from tournament.core.selectors.installation import load_installation
    from tournament.second_laptop.selectors import read_link

    link, installation = read_link(), load_installation()
    assert link is not None and installation is not None
    try:
        with _connect_to(link) as (channel, certificate):
            _introduce(channel, certificate, "took-over", bytes.fromhex(link.key))
            channel.send({"epoch": installation.epoch, "change": link.change, "at": link.at})
            return bool(channel.receive()["shut_out"])
    except (LinkRefused, OSError, ValueError, KeyError, TypeError):
        return False


@contextmanager
def _connect_to(link: Any) -> Iterator[tuple[Channel, str]]:
    with _connect(link.address) as (channel, certificate):
        if certificate != link.certificate:
            raise LinkRefused("Another computer answers at the first laptop's address.")
        yield channel, certificate


def _receive_changes(channel: Channel) -> None:
    from tournament.second_laptop.selectors import ChangeBatch, is_read_only, is_take_over_requested, load_last_change
    from tournament.second_laptop.services import apply_changes, record_acknowledgement

    stored = load_last_change()
    channel.send({"stored": stored})
    while is_read_only() and not is_take_over_requested():
        message = channel.receive()
        if "batch" in message:
            batch = ChangeBatch.from_json(message["batch"])
            if batch.after != stored:
                raise OSError("a batch is missing")
            apply_changes(batch)
            stored = batch.until
        channel.send({"stored": stored})
        record_acknowledgement(stored, time.time())


def receive_first_copy(address: str, words: str) -> None:
    """Pair with the first laptop, and keep a copy of everything until it can be installed.

    Raises:
        LinkRefused: the words are wrong, or the versions differ.
        OSError: the first laptop cannot be reached.
    """
    from tournament.second_laptop.selectors import get_first_copy_file
    from tournament.second_laptop.services import keep_received_link

    part = get_first_copy_file().with_suffix(".part")
    link = pair(address, words, part)
    part.replace(get_first_copy_file())
    keep_received_link(link)


def main() -> None:
    """Keep the connection while the program runs, or carry out a command that was typed on this computer."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ["READ_ONLY_DATABASE"] = "0"  # this process alone stores what the first laptop sends
    import django

    django.setup()
    from django.db import connection

    if connection.vendor != "sqlite":
        return
    commands = {
        "add": _print_words,
        "join": _join_from_terminal,
        "install": _install,
        "take-over": _take_over,
        "alone": _work_alone,
    }
    if len(sys.argv) > 1 and sys.argv[1] in commands:
        commands[sys.argv[1]](sys.argv[2:])
    else:
        _keep_connected(get_port())


def get_port() -> int:
    """Return the port on which the first laptop waits for the second one."""
    return int(os.environ.get("LINK_PORT") or int(os.environ.get("PORT") or 8000) + 2)


def _keep_connected(port: int) -> None:
    """Play the role of this laptop, and change it when a person or the other laptop changes it."""
    from tournament.second_laptop.selectors import LaptopRole, is_take_over_requested, read_joining_state, read_link
    from tournament.second_laptop.services import read_offer, remove_link, start_recording_changes, take_over

    while True:
        link = read_link()
        role = link.role if link is not None else None
        joining = read_joining_state() if role is None else {}
        if joining.get("words") and not is_copy_received():
            _join(joining["address"], joining["words"])
        elif role is LaptopRole.SECOND and is_take_over_requested():
            take_over()
        elif role is LaptopRole.SECOND:
            follow()
        elif role is LaptopRole.TOOK_OVER:
            if tell_first_laptop():
                remove_link()
            time.sleep(TELL_INTERVAL_S)
        elif role is not None or read_offer():
            if role is LaptopRole.FIRST:
                start_recording_changes()
            serve(port, until=partial(_has_other_role, role))
        time.sleep(0.5)


def _join(address: str, words: str) -> None:
    """Carry out the request of somebody at this laptop to follow another one."""
    from tournament.second_laptop.services import request_joining

    try:
        receive_first_copy(address, words)
    except LinkRefused as refused:
        request_joining(address, "", failure=str(refused))
    except (OSError, ValueError, KeyError, TypeError):
        request_joining(address, "", failure=f"The first laptop does not answer at {address}. Check the address.")


def is_copy_received() -> bool:
    """Return whether a copy of the first laptop's data waits to be installed."""
    return (FOLDER / "received.json").exists()


def _has_other_role(role: Any) -> bool:
    from tournament.second_laptop.selectors import read_link
    from tournament.second_laptop.services import read_offer

    link = read_link()
    return (link.role if link is not None else None) is not role or (link is None and read_offer() is None)


def _print_words(arguments: list[str]) -> None:
    from tournament.second_laptop.services import offer_pairing

    print(offer_pairing().words)


def _join_from_terminal(arguments: list[str]) -> None:
    from tournament.backups.selectors import BackupUnreadable
    from tournament.backups.services import BackupFailed
    from tournament.second_laptop.services import install_first_copy

    try:
        receive_first_copy(arguments[0], " ".join(arguments[1:]))
        install_first_copy(is_stopped=False)
    except (LinkRefused, BackupFailed, BackupUnreadable, OSError) as error:
        sys.exit(str(error))


def _install(arguments: list[str]) -> None:
    """Install the copy that was received, after the supervisor has stopped all other processes."""
    from tournament.backups.selectors import BackupUnreadable
    from tournament.backups.services import BackupFailed
    from tournament.second_laptop.selectors import read_joining_state
    from tournament.second_laptop.services import install_first_copy, request_joining

    try:
        if is_copy_received():
            install_first_copy(is_stopped=True)
    except (BackupFailed, BackupUnreadable, OSError) as error:
        request_joining(read_joining_state().get("address", ""), "", failure=str(error))
        sys.exit(1)


def _take_over(arguments: list[str]) -> None:
    from tournament.second_laptop.services import NotSecond, take_over

    try:
        take_over()
    except NotSecond:
        sys.exit("This laptop follows no other one, so there is nothing to take over.")


def _work_alone(arguments: list[str]) -> None:
    from tournament.second_laptop.services import remove_link

    remove_link()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
