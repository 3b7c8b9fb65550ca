"""Connect the first and the second laptop: pair them, send the first copy, and then send every change.

The first laptop listens, and the second one connects. TLS encrypts the connection. The second laptop accepts only the
certificate that it saw during pairing, and both laptops prove that they know the shared key. During pairing, six words
are used in place of the key.

At the beginning of each connection, the second laptop sends one of four commands: `pair`, `follow`, `copy` (a new copy,
because it was disconnected for too long), or `took-over`. The first laptop refuses a command with the code of a
`LinkProblem`, and then closes the connection.
"""

import hashlib
import hmac
import json
import logging
import secrets
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from os import O_CREAT, O_TRUNC, O_WRONLY
from os import open as open_descriptor
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from django.db import DatabaseError, connection, connections

from tournament.backups.services import BackupFailed, BrokenLog, make_backup, require_room_for_restore
from tournament.core.selectors.disk import is_disk_full, require_disk_space
from tournament.core.selectors.installation import load_installation
from tournament.core.services.durable_files import replace_durably, write_durably
from tournament.second_laptop.selectors import (
    ChangeBatch,
    LaptopLink,
    LaptopRole,
    LinkProblem,
    get_first_copy_file,
    get_link_folder,
    get_replaced_link_file,
    is_copy_received,
    is_takeover_requested,
    load_last_change,
    open_database_for_reading,
    parse_link_problem,
    read_change_batch,
    read_joining_state,
    read_last_change,
    read_link,
    read_link_problem,
    read_missing_actions_content,
)
from tournament.second_laptop.services.changes import (
    AlreadyTakenOver,
    BrokenLogChain,
    apply_changes,
    delete_confirmed_changes,
    record_acknowledgement,
    start_recording_changes,
)
from tournament.second_laptop.services.missing_acts import (
    forget_confirmed_requests,
    list_actions_for_other_laptop,
    mirror_missing_actions,
    save_missing_actions,
)
from tournament.second_laptop.services.roles import (
    PairingOffer,
    add_second_laptop,
    clear_link_problem,
    compute_words_key,
    count_wrong_words,
    forget_replaced_laptop,
    read_pairing_offer,
    record_joining_failure,
    remember_clock_difference,
    remember_seen_epoch,
    save_link_problem,
    save_received_link,
    save_second_laptop_url,
    shut_out,
    take_over,
)

HANDSHAKE_TIMEOUT_S: Final = 10.0
MAX_COPY_WAIT_S: Final = 300.0
"""The maximum time that the first laptop has to make a copy. In the meantime, it sends heartbeats."""
MAX_ACTIONS_WAIT_S: Final = 60.0
"""The maximum time that the replaced laptop has to list the actions that only it recorded."""
POLL_INTERVAL_S: Final = 0.01
LINK_HEARTBEAT_INTERVAL_S: Final = 1.0
"""Seconds between two heartbeats while nothing is written."""
RECONNECT_PAUSE_S: Final = 1.0
TAKEOVER_CHECK_INTERVAL_S: Final = 0.2
"""While a laptop waits for the other one, it checks at this interval whether somebody has requested a takeover."""
NOTIFY_INTERVAL_S: Final = 2.0
"""Seconds between two attempts to notify the first laptop that this one has taken over."""
KEPT_CHANGE_COUNT: Final = 10_000
"""The number of confirmed changes that the first laptop does not delete yet.

A second laptop that was switched off without warning may have lost them.
"""

logger = logging.getLogger(__name__)


def keep_connected(port: int) -> None:
    """Do the work of this laptop's role, and switch when a person or the other laptop changes the role.

    Never return.
    """
    threading.Thread(target=_keep_telling_replaced_laptop, daemon=True).start()
    while True:
        try:
            run_current_role(port)
        except (OSError, DatabaseError) as error:
            if not is_disk_full(error):
                raise
            logger.warning("the disk is full: %s", error)  # until there is room, this is tried again
            save_link_problem(LinkProblem.DISK_FULL)
            time.sleep(RECONNECT_PAUSE_S)
        time.sleep(0.5)


def run_current_role(port: int) -> None:
    """Do the work of this laptop's role until the role changes. Return immediately if there is nothing to do."""
    link = read_link()
    role = link.role if link is not None else None
    if role is LaptopRole.SECOND and is_takeover_requested():
        take_over()
    elif is_copy_received():
        pass  # the supervisor stops this process and installs the copy
    elif _is_joining_requested():
        _join()
    elif role is LaptopRole.SECOND:
        follow_first_laptop()
    elif role is not None or read_pairing_offer():
        if role is LaptopRole.FIRST:
            start_recording_changes()
        serve_second_laptop(port, until=partial(_has_other_role, role))


def _is_joining_requested() -> bool:
    return bool(read_joining_state().get("words"))


def _join() -> None:
    """Begin to follow another laptop, as somebody requested on the page *This laptop*."""
    request = read_joining_state()
    try:
        receive_first_copy(request["address"], request["words"])
    except LINK_ERRORS as error:
        record_joining_failure(find_link_problem(error))


def _has_other_role(role: LaptopRole | None) -> bool:
    link = read_link()
    has_changed = (link.role if link is not None else None) is not role
    return has_changed or _is_joining_requested() or (link is None and read_pairing_offer() is None)


# --- Problems --------------------------------------------------------------------------------------------------------


class LinkRefused(Exception):
    """Raised if one laptop does not accept the other. `epoch` is the other laptop's epoch, or 0 if it is unknown."""

    def __init__(self, problem: LinkProblem, epoch: int = 0) -> None:
        super().__init__(problem.value)
        self.problem, self.epoch = problem, epoch


LINK_ERRORS: Final = (LinkRefused, BrokenLogChain, DatabaseError, OSError, ValueError, KeyError, TypeError)
"""All errors that can end a connection. The other laptop may send invalid data."""
_REPORTED_PROBLEMS: Final = frozenset({LinkProblem.BROKEN_CHAIN, LinkProblem.DISK_FULL})
"""Problems of the second laptop that the first one also shows."""


def find_link_problem(error: Exception) -> LinkProblem:
    """Return the problem for an error that ended a connection (`LINK_ERRORS`)."""
    if is_disk_full(error):
        return LinkProblem.DISK_FULL
    match error:
        case LinkRefused():
            return error.problem
        case BrokenLogChain():
            return LinkProblem.BROKEN_CHAIN
        case OSError():
            return LinkProblem.NOT_REACHABLE
    logger.error("the connection between the two laptops ended", exc_info=error)
    return LinkProblem.UNEXPECTED


# --- Frames over TLS -------------------------------------------------------------------------------------------------


class Channel:
    """Sends and receives JSON objects and files over an encrypted connection."""

    MAX_FRAME_BYTES: Final = 256 << 20
    MAX_GREETING_BYTES: Final = 4096
    """The maximum size of an object from a laptop that has not proved its identity yet."""

    def __init__(self, connection: ssl.SSLSocket) -> None:
        self._connection = connection

    @property
    def peer(self) -> str:
        """The IP address of the other laptop."""
        return str(self._connection.getpeername()[0])

    def send(self, content: dict[str, Any]) -> None:
        encoded = json.dumps(content).encode()
        self._connection.sendall(struct.pack("!I", len(encoded)) + encoded)

    def refuse(self, problem: LinkProblem, epoch: int = 0) -> None:
        self.send({"refused": problem.value} | ({"epoch": epoch} if epoch else {}))

    def receive(self, max_bytes: int = MAX_FRAME_BYTES) -> dict[str, Any]:
        """Return the next object.

        Raises:
            LinkRefused: the other laptop refused this one.
            OSError: the connection was closed, or an object is too large.
        """
        (size,) = struct.unpack("!I", self._receive_exactly(4))
        if size > max_bytes:
            raise OSError("the other laptop sent too much at once")
        content = json.loads(self._receive_exactly(size))
        if not isinstance(content, dict):
            raise ValueError("the other laptop sent something unexpected")
        if "refused" in content:
            problem = parse_link_problem(str(content["refused"])) or LinkProblem.UNEXPECTED
            raise LinkRefused(problem, int(content.get("epoch", 0)))
        return content

    def wait(self, is_over: Callable[[], bool]) -> bool:
        """Wait until the other laptop sends something. Return False as soon as `is_over` returns true.

        Raises:
            OSError: the other laptop was silent for too long.
        """
        until = time.monotonic() + HANDSHAKE_TIMEOUT_S
        while not is_over():
            if self._connection.pending() or select.select([self._connection], (), (), TAKEOVER_CHECK_INTERVAL_S)[0]:
                return True
            if time.monotonic() > until:
                raise OSError("the other laptop does not answer")
        return False

    def set_answer_timeout(self, seconds: float) -> None:
        """Set the time that the other laptop has for its next answer."""
        self._connection.settimeout(seconds)

    def send_file(self, file: Path) -> None:
        with open(file, "rb") as source:
            self.send({"size": file.stat().st_size})
            while chunk := source.read(1 << 20):
                self._connection.sendall(chunk)

    def receive_file(self, file: Path, is_unwanted: Callable[[], bool]) -> None:
        """Receive a file from the other laptop. Stop as soon as `is_unwanted` returns true.

        Raises:
            OSError: the connection was lost, the disk is full, or the file is no longer needed.
        """
        left = int(self.receive()["size"])
        require_disk_space(file.parent, left)
        try:
            with open(open_descriptor(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600), "wb") as target:
                while left:
                    chunk = self._connection.recv(min(left, 1 << 20))
                    if not chunk or is_unwanted():
                        raise OSError("the connection broke off")
                    target.write(chunk)
                    left -= len(chunk)
        except OSError:
            file.unlink(missing_ok=True)
            raise

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
    """Return a proof that one side knows the key. The proof is only valid for this connection and certificate."""
    return hmac.new(key, "/".join([side, *nonces, certificate]).encode(), hashlib.sha256).hexdigest()


def load_or_create_link_certificate() -> tuple[Path, Path]:
    """Return the paths of this laptop's certificate and private key. Create both files if they do not exist."""
    certificate_file, key_file = get_link_folder() / "certificate.pem", get_link_folder() / "certificate-key.pem"
    if not certificate_file.exists():
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "gin rummy tournaments")])
        begin = datetime.now(UTC) - timedelta(days=365)  # the clocks of the two laptops may differ
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        builder = builder.serial_number(x509.random_serial_number()).not_valid_before(begin)
        certificate = builder.not_valid_after(begin + timedelta(days=365 * 30)).sign(key, hashes.SHA256())
        pem = serialization.Encoding.PEM
        plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        write_durably(key_file, key.private_bytes(pem, *plain))
        write_durably(certificate_file, certificate.public_bytes(pem))  # last, because it shows that both are there
    return certificate_file, key_file


def compute_certificate_digest(certificate: bytes) -> str:
    return hashlib.sha256(certificate).hexdigest()


def load_schema_version() -> str:
    """Return a digest of the database schema. Two laptops with the same digest can exchange rows."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        return hashlib.sha256(json.dumps(cursor.fetchall()).encode()).hexdigest()


# --- The first laptop ------------------------------------------------------------------------------------------------


def serve_second_laptop(port: int, *, until: Callable[[], bool] = lambda: False) -> None:
    """Listen for the second laptop. Each connection is handled in its own thread."""
    certificate_file, key_file = load_or_create_link_certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_cert_chain(certificate_file, key_file)
    digest = compute_certificate_digest(ssl.PEM_cert_to_DER_cert(certificate_file.read_text(encoding="ascii")))
    with socket.create_server(("", port), reuse_port=False) as listener:
        listener.settimeout(0.5)
        while not until():
            with suppress(TimeoutError):
                accepted, _address = listener.accept()
                threading.Thread(target=_serve_one, args=(accepted, context, digest), daemon=True).start()


def _serve_one(accepted: socket.socket, context: ssl.SSLContext, certificate: str) -> None:
    try:
        accepted.settimeout(HANDSHAKE_TIMEOUT_S)
        with closing(context.wrap_socket(accepted, server_side=True)) as encrypted:
            encrypted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            _greet(Channel(encrypted), certificate)
    except LINK_ERRORS as error:
        logger.warning("the connection to the second laptop ended: %s", error)
    finally:
        accepted.close()
        connections.close_all()


def _greet(channel: Channel, certificate: str) -> None:
    """Check that the other laptop knows the words or the key, prove the same to it, and carry out its command."""
    ours = secrets.token_hex(16)
    channel.send({"nonce": ours})
    hello = channel.receive(Channel.MAX_GREETING_BYTES)
    asked, theirs = str(hello["hello"]), str(hello["nonce"])
    link, offer = read_link(), read_pairing_offer()
    if asked == "pair":
        key = offer.key if offer is not None else b""
    else:
        key = bytes.fromhex(link.key) if link is not None else b""
    expected = make_proof(key, "second", ours, theirs, certificate=certificate)
    if not key or not hmac.compare_digest(expected, str(hello["proof"])):
        if asked == "pair" and offer is not None:
            count_wrong_words(offer)
        channel.refuse(LinkProblem.WRONG_WORDS if asked == "pair" else LinkProblem.UNKNOWN_KEY)
        return
    installation = load_installation()
    epoch = installation.epoch if installation is not None else 0
    if problem := _find_refusal(asked, str(hello["version"]), link, epoch):
        save_link_problem(problem)
        channel.refuse(problem, epoch if problem is LinkProblem.RESTORED else 0)
        return
    channel.send({"proof": make_proof(key, "first", ours, theirs, certificate=certificate), "epoch": epoch})
    if asked == "pair" and offer is not None:
        _pair_with_second_laptop(channel, offer, certificate)
    elif link is not None:
        _answer_second_laptop(channel, asked, link)


def _find_refusal(asked: str, version: str, link: LaptopLink | None, epoch: int) -> LinkProblem | None:
    """Return the reason to refuse a laptop that has proved that it knows the key, or None to accept it.

    A report of a takeover is never refused.
    """
    if asked == "took-over":
        return None
    if version != load_schema_version():
        return LinkProblem.OTHER_VERSION
    if asked == "pair":
        return None
    if link is None or link.role is not LaptopRole.FIRST:
        return LinkProblem.UNKNOWN_KEY
    return LinkProblem.RESTORED if epoch != link.epoch else None


def _pair_with_second_laptop(channel: Channel, offer: PairingOffer, certificate: str) -> None:
    """Send a copy of all data, and a shared key for later connections."""
    key = secrets.token_hex(32)
    if _send_copy(channel, key):
        add_second_laptop(offer, key, certificate, channel.peer)
        clear_link_problem()


def _answer_second_laptop(channel: Channel, asked: str, link: LaptopLink) -> None:
    try:
        if asked == "took-over":
            told = channel.receive()
            # A takeover counts even if this laptop was restored since, and has the same or a higher epoch. If a phone
            # has told it before, only the other laptop knows the last change that it has.
            is_new = link.role is LaptopRole.FIRST and int(told["epoch"]) > link.epoch
            if is_new or (link.role is LaptopRole.SHUT_OUT and int(told["epoch"]) == link.epoch):
                shut_out(link, epoch=int(told["epoch"]), change=int(told["change"]), at=float(told["at"]))
            channel.send({"shut_out": True, "acts": list_actions_for_other_laptop()})
        elif asked == "copy":
            _send_copy(channel, link.key)
        else:
            _send_changes(channel, link)
    except LinkRefused as refused:
        save_link_problem(refused.problem)


def _send_copy(channel: Channel, key: str) -> bool:
    """Send a backup of all data. Return whether the second laptop has stored it."""
    start_recording_changes()
    change = load_last_change()  # the copy may already contain later changes, and receiving them again does no harm
    executor = ThreadPoolExecutor(1)
    try:
        made = executor.submit(_make_copy)
        while not made.done():
            channel.send({"beat": change})
            wait([made], timeout=LINK_HEARTBEAT_INTERVAL_S)
    finally:
        executor.shutdown(wait=False)
    copy = made.result()
    if copy is None:
        save_link_problem(LinkProblem.NO_COPY)
        channel.refuse(LinkProblem.NO_COPY)
        return False
    channel.send({"key": key, "change": change})
    channel.send_file(copy)
    channel.receive()  # it was stored
    return True


def _make_copy() -> Path | None:
    """Make a backup and return its path, or return None if that failed. The page *Backups* then shows the reason."""
    until = time.monotonic() + MAX_COPY_WAIT_S
    try:
        while time.monotonic() < until:
            if (backup := make_backup()) is not None:
                return backup.path
            time.sleep(0.1)  # the worker is making one
    except BrokenLog as error:
        return error.backup.path  # the backup was made
    except BackupFailed as error:
        logger.warning("no copy for the second laptop could be made: %s", error)
    finally:
        connections.close_all()
    return None


def _send_changes(channel: Channel, link: LaptopLink) -> None:
    message = channel.receive()
    stored = int(message["stored"])
    save_second_laptop_url(str(message.get("site", "")))
    with open_database_for_reading(Path(str(connection.settings_dict["NAME"]))) as database:
        next_beat = 0.0
        sent_acts = None if message.get("has_acts") else ""
        while True:
            acts = read_missing_actions_content() if time.monotonic() >= next_beat else sent_acts
            if acts != sent_acts:
                channel.send({"acts": acts})
                sent_acts = acts
            elif read_last_change(database) != stored:
                batch = read_change_batch(database, stored)
                if batch is None:
                    is_ahead = read_last_change(database) < stored
                    problem = LinkProblem.SECOND_HAS_MORE if is_ahead else LinkProblem.NEEDS_COPY
                    save_link_problem(problem)
                    channel.refuse(problem)
                    return
                channel.send({"batch": batch.as_json()})
            elif time.monotonic() >= next_beat:
                channel.send({"beat": stored})
            else:
                time.sleep(POLL_INTERVAL_S)
                continue
            answer = channel.receive()
            stored = int(answer["stored"])
            record_acknowledgement(stored, time.time())
            if time.monotonic() >= next_beat:
                clear_link_problem()
                remember_clock_difference(time.time() - float(answer.get("clock", time.time())))
                with suppress(DatabaseError):  # a full disk here does not keep the second laptop from following
                    delete_confirmed_changes(stored - KEPT_CHANGE_COUNT)
                forget_confirmed_requests(stored)
                if read_link() != link:  # somebody has removed the second laptop, or added another one
                    channel.refuse(LinkProblem.UNKNOWN_KEY)
                    return
            next_beat = time.monotonic() + LINK_HEARTBEAT_INTERVAL_S


# --- The second laptop -----------------------------------------------------------------------------------------------


def receive_first_copy(address: str, words: str) -> None:
    """Pair with the first laptop, and store a copy of its data until the copy can be installed.

    Raises:
        LinkRefused: the words are wrong, or the versions differ.
        OSError: the first laptop cannot be reached, or the disk is full.
    """
    with _connect(address) as (channel, certificate):
        epoch = _introduce(channel, certificate, "pair", compute_words_key(words))
        link = LaptopLink(role=LaptopRole.SECOND, key="", address=address, certificate=certificate, epoch=epoch)
        _receive_copy(channel, link)


def follow_first_laptop() -> None:
    """Receive and store the first laptop's changes until this laptop takes over or gets another role.

    If the connection breaks, connect again. If this laptop was disconnected for too long, get a new copy.
    """
    while (link := read_link()) is not None and link.role is LaptopRole.SECOND and not _is_following_over():
        try:
            with _connect_to(link) as (channel, certificate):
                wants_copy = read_link_problem() is LinkProblem.NEEDS_COPY
                key = bytes.fromhex(link.key)
                epoch = _introduce(channel, certificate, "copy" if wants_copy else "follow", key)
                if epoch != link.epoch:
                    raise LinkRefused(LinkProblem.RESTORED, epoch)
                with _reporting_problems(channel):
                    _receive_copy(channel, link) if wants_copy else _receive_changes(channel, link)
        except AlreadyTakenOver:
            if _is_following_over() or read_link() != link:
                return
            save_link_problem(LinkProblem.BROKEN_CHAIN)  # this laptop was restored from a backup
            time.sleep(RECONNECT_PAUSE_S)
        except LINK_ERRORS as error:
            if isinstance(error, LinkRefused) and error.epoch > link.seen_epoch:
                remember_seen_epoch(link, error.epoch)
            problem = find_link_problem(error)
            if read_link_problem() is not problem:
                logger.warning("the first laptop cannot be followed: %s", error)
            save_link_problem(problem)
            time.sleep(RECONNECT_PAUSE_S)


def _is_following_over() -> bool:
    return is_takeover_requested() or is_copy_received() or _is_joining_requested()


@contextmanager
def _connect(address: str) -> Iterator[tuple[Channel, str]]:
    """Yield a channel to the first laptop, and the digest of that laptop's certificate."""
    host, _colon, port = address.rpartition(":")
    get_link_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # the proofs contain the certificate's digest
    with socket.create_connection((host, int(port)), timeout=HANDSHAKE_TIMEOUT_S) as plain:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with closing(context.wrap_socket(plain)) as encrypted:
            certificate = encrypted.getpeercert(binary_form=True) or b""
            yield Channel(encrypted), compute_certificate_digest(certificate)


@contextmanager
def _connect_to(link: LaptopLink) -> Iterator[tuple[Channel, str]]:
    with _connect(link.address) as (channel, certificate):
        if certificate != link.certificate:
            raise LinkRefused(LinkProblem.OTHER_COMPUTER)
        yield channel, certificate


def _introduce(channel: Channel, certificate: str, hello: str, key: bytes) -> int:
    """Prove to the first laptop that this one knows the key, and check its proof. Return the first laptop's epoch.

    Raises:
        LinkRefused: one of the two does not know the key, or the first laptop refuses the command.
    """
    theirs, ours = str(channel.receive(Channel.MAX_GREETING_BYTES)["nonce"]), secrets.token_hex(16)
    proof = make_proof(key, "second", theirs, ours, certificate=certificate)
    channel.send({"hello": hello, "nonce": ours, "proof": proof, "version": load_schema_version()})
    expected = make_proof(key, "first", theirs, ours, certificate=certificate)
    answer = channel.receive(Channel.MAX_GREETING_BYTES)
    if not hmac.compare_digest(str(answer["proof"]), expected):
        raise LinkRefused(LinkProblem.OTHER_COMPUTER)
    return int(answer["epoch"])


def _receive_copy(channel: Channel, link: LaptopLink) -> None:
    """Store the copy that the first laptop sends, and the link to that laptop, until both can be installed.

    The link's `change` is the last change that the copy certainly contains.
    """
    answer = channel.receive()
    while "beat" in answer:  # the copy is still being made
        if is_takeover_requested():
            raise OSError("this laptop takes over instead")
        answer = channel.receive()
    part = get_first_copy_file().with_suffix(".part")
    channel.receive_file(part, is_takeover_requested)
    try:
        require_room_for_restore(part)  # the first laptop must not count on this one if the copy cannot be installed
    except OSError:
        part.unlink()
        raise
    replace_durably(part, get_first_copy_file())
    channel.send({"stored": True})
    save_received_link(replace(link, key=str(answer["key"]), change=int(answer["change"])))


def _receive_changes(channel: Channel, link: LaptopLink) -> None:
    stored = load_last_change()
    has_acts = bool(read_missing_actions_content())
    channel.send({"stored": stored, "site": settings.SITE_URL, "clock": time.time(), "has_acts": has_acts})
    while channel.wait(_is_following_over):
        message = channel.receive()
        if "batch" in message:
            batch = ChangeBatch.from_json(message["batch"])
            if batch.after != stored:
                raise ValueError("a batch is missing")
            apply_changes(batch, epoch=link.epoch)
            stored = batch.until
        elif "acts" in message:
            mirror_missing_actions(str(message["acts"]))
        channel.send({"stored": stored, "clock": time.time()})
        record_acknowledgement(stored, time.time())
        clear_link_problem()


@contextmanager
def _reporting_problems(channel: Channel) -> Iterator[None]:
    """If this block fails because of a problem of this laptop, report the problem to the first laptop.

    The first laptop then shows the problem, too.
    """
    try:
        yield
    except (BrokenLogChain, DatabaseError, OSError) as error:
        problem = find_link_problem(error)
        if problem in _REPORTED_PROBLEMS:
            with suppress(OSError):
                channel.refuse(problem)
        raise


# --- The laptop that took over ---------------------------------------------------------------------------------------


def _keep_telling_replaced_laptop() -> None:
    while True:
        notify_replaced_laptop()
        time.sleep(NOTIFY_INTERVAL_S)


def notify_replaced_laptop() -> None:
    """Try to notify the replaced laptop that this one has taken over. Forget that laptop once it has answered.

    The answer contains the actions that only the replaced laptop recorded. They are stored here, so that a director can
    decide about them.
    """
    link = read_link(get_replaced_link_file())
    if link is None:
        return
    try:
        with _connect_to(link) as (channel, certificate):
            _introduce(channel, certificate, "took-over", bytes.fromhex(link.key))
            channel.send({"epoch": link.epoch, "change": link.change, "at": link.at})
            channel.set_answer_timeout(MAX_ACTIONS_WAIT_S)
            answer = channel.receive()
            if answer["shut_out"]:
                save_missing_actions(answer.get("acts", []))
                forget_replaced_laptop()
    except LINK_ERRORS as error:
        logger.debug("the replaced laptop was not reached: %s", error)
    finally:
        connections.close_all()
