"""Test the connection between two laptops over real sockets.

The test acts as the other laptop, and may break the rules.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import json
import secrets
import shutil
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connections

from tests.factories import a_tournament
from tests.processes import free_port, until
from tests.tournament.helpers.backups import write
from tests.tournament.helpers.disk import small_disk
from tests.tournament.helpers.second_laptop import a_link, verbs_of
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.installation import begin_installation_epoch
from tournament.models import Installation
from tournament.second_laptop.selectors import (
    LaptopLink,
    LaptopRole,
    LinkProblem,
    get_first_copy_file,
    get_missing_actions_file,
    get_received_link_file,
    get_replaced_link_file,
    is_copy_received,
    load_last_change,
    read_clock_difference,
    read_joining_state,
    read_link,
    read_link_problem,
    read_missing_actions,
    read_missing_actions_content,
    read_second_laptop_status,
)
from tournament.second_laptop.services import connection as connection_module
from tournament.second_laptop.services import missing_acts
from tournament.second_laptop.services.changes import (
    BrokenLogChain,
    record_acknowledgement,
    start_recording_changes,
    stop_recording_changes,
)
from tournament.second_laptop.services.connection import (
    HANDSHAKE_TIMEOUT_S,
    LinkRefused,
    find_link_problem,
    follow_first_laptop,
    load_or_create_link_certificate,
    load_schema_version,
    notify_replaced_laptop,
    run_current_role,
    serve_second_laptop,
)
from tournament.second_laptop.services.missing_acts import save_missing_actions
from tournament.second_laptop.services.roles import (
    compute_words_key,
    offer_pairing,
    read_pairing_offer,
    remove_second_laptop,
    request_joining,
    request_take_over,
    save_link,
    save_link_problem,
    shut_out,
    take_over,
)

pytestmark = pytest.mark.django_db(transaction=True)
KEY = "ab" * 32
AN_ACT = {
    "key": "digest",
    "tournament": "desert",
    "event": "",
    "at": "2026-11-27T20:00:00+00:00",
    "rows": [{"by": "Staff", "verb": "test.written", "about": "alone", "amounts": {}}],
    "request": None,
}


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    settings.VAR_DIR, settings.BACKUP_DIR = tmp_path, tmp_path / "backups"
    settings.SECOND_LAPTOP_ACK_FILE = tmp_path / "second-laptop" / "ack"
    monkeypatch.setattr(connection_module, "RECONNECT_PAUSE_S", 0.01)
    monkeypatch.setattr(missing_acts, "RUNNING_REQUESTS_GRACE_S", 0)
    begin_installation_epoch(Installation.Origin.STARTED)
    yield tmp_path
    stop_recording_changes()


class OtherLaptop:
    """The other laptop's end of a connection, which sends and receives JSON objects without the program's own code."""

    def __init__(self, encrypted: ssl.SSLSocket, certificate: str) -> None:
        self.encrypted, self.certificate = encrypted, certificate

    def send(self, **content: Any) -> None:
        body = json.dumps(content).encode()
        self.encrypted.sendall(struct.pack("!I", len(body)) + body)

    def receive(self) -> dict[str, Any]:
        (size,) = struct.unpack("!I", self.read(4))
        return dict(json.loads(self.read(size)))

    def read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            part = self.encrypted.recv(size - len(content))
            if not part:
                raise EOFError
            content += part
        return content

    def proof(self, key: bytes, side: str, *nonces: str) -> str:
        return hmac.new(key, "/".join([side, *nonces, self.certificate]).encode(), hashlib.sha256).hexdigest()

    def hello(self, hello: str, key: bytes = bytes.fromhex(KEY), version: str = "") -> dict[str, Any]:
        """Send the greeting of a second laptop with its proof of the key, and return the first laptop's answer."""
        theirs, ours = self.receive()["nonce"], secrets.token_hex(16)
        proof = self.proof(key, "second", theirs, ours)
        self.send(hello=hello, nonce=ours, proof=proof, version=version or load_schema_version())
        answer = self.receive()
        if "proof" in answer:
            assert answer["proof"] == self.proof(key, "first", theirs, ours)
        return answer


# --- The first laptop ------------------------------------------------------------------------------------------------


@pytest.fixture
def port() -> Iterator[int]:
    """Run this laptop's server for second laptops in a thread, and yield its port."""
    number, is_over = free_port(), threading.Event()
    thread = threading.Thread(target=serve_second_laptop, args=(number,), kwargs={"until": is_over.is_set})
    thread.start()
    until(lambda: answers(number))
    yield number
    is_over.set()
    thread.join()


def answers(port: int) -> bool:
    try:
        with calling(port):
            return True
    except ConnectionRefusedError:
        return False


@contextmanager
def calling(port: int) -> Iterator[OtherLaptop]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
    with closing(context.wrap_socket(plain)) as encrypted:
        certificate = hashlib.sha256(encrypted.getpeercert(binary_form=True) or b"").hexdigest()
        yield OtherLaptop(encrypted, certificate)


def become_first_laptop() -> LaptopLink:
    link = replace(a_link(LaptopRole.FIRST), key=KEY, epoch=1)
    save_link(link)
    return link


def test_wrong_words_are_refused_and_counted(port: int) -> None:
    offer_pairing(by=SYSTEM_ACTOR)
    with calling(port) as second:
        assert second.hello("pair", compute_words_key("wrong words")) == {"refused": "wrong-words"}
    offer = read_pairing_offer()
    assert offer is not None and offer.failures == 1


def test_after_five_wrong_attempts_even_the_right_words_are_refused(port: int) -> None:
    words = offer_pairing(by=SYSTEM_ACTOR).words
    for _turn in range(5):
        with calling(port) as second:
            second.hello("pair", compute_words_key("wrong words"))
    with calling(port) as second:
        assert second.hello("pair", compute_words_key(words)) == {"refused": "wrong-words"}


def test_without_an_offer_no_words_are_right(port: int) -> None:
    with calling(port) as second:
        assert second.hello("pair", b"") == {"refused": "wrong-words"}


@pytest.mark.parametrize("hello", ["follow", "copy", "took-over"])
def test_a_key_that_is_not_known_is_refused(port: int, hello: str) -> None:
    become_first_laptop()
    with calling(port) as second:
        assert second.hello(hello, b"another key") == {"refused": "unknown-key"}
    assert read_link_problem() is None, "anybody in the network could cause it"


def test_a_laptop_with_another_version_cannot_be_added(port: int) -> None:
    words = offer_pairing(by=SYSTEM_ACTOR).words
    with calling(port) as second:
        assert second.hello("pair", compute_words_key(words), version="of next year") == {"refused": "other-version"}
    assert read_link() is None


@pytest.mark.parametrize("hello", ["follow", "copy"])
def test_another_version_is_refused_and_both_laptops_show_it(port: int, hello: str) -> None:
    become_first_laptop()
    with calling(port) as second:
        assert second.hello(hello, version="of next year") == {"refused": "other-version"}
    assert read_link_problem() is LinkProblem.OTHER_VERSION


@pytest.mark.parametrize("hello", ["follow", "copy"])
def test_after_a_restore_the_follower_is_refused_and_learns_the_epoch(port: int, hello: str) -> None:
    become_first_laptop()
    begin_installation_epoch(Installation.Origin.RESTORED)
    with calling(port) as second:
        assert second.hello(hello) == {"refused": "restored", "epoch": 2}
    assert read_link_problem() is LinkProblem.RESTORED


@pytest.mark.parametrize("hello", ["follow", "copy"])
def test_a_laptop_that_was_shut_out_is_not_followed(port: int, hello: str) -> None:
    """The laptop was also restored from a backup, so that it has the same epoch as the laptop that took over."""
    shut_out(become_first_laptop(), epoch=2, change=3, at=7.0)
    begin_installation_epoch(Installation.Origin.RESTORED)
    with calling(port) as second:
        assert second.hello(hello) == {"refused": "unknown-key"}


def test_older_encryption_is_refused(port: int) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain, pytest.raises(ssl.SSLError):
        context.wrap_socket(plain)


def test_a_greeting_that_is_too_long_ends_the_connection(port: int) -> None:
    with calling(port) as second:
        second.receive()
        second.send(hello="pair", nonce="x" * 10_000, proof="", version="")
        with pytest.raises((EOFError, OSError)):
            second.receive()


def receive_copy(second: OtherLaptop) -> tuple[dict[str, Any], bytes]:
    while "beat" in (answer := second.receive()):
        pass
    content = second.read(second.receive()["size"]) if "refused" not in answer else b""
    return answer, content


def test_the_right_words_bring_a_copy_and_a_common_key(port: int) -> None:
    tournament = a_tournament()
    words = offer_pairing(by=SYSTEM_ACTOR).words
    with calling(port) as second:
        assert second.hello("pair", compute_words_key(words))["epoch"] == 1
        answer, content = receive_copy(second)
        second.send(stored=True)
        until(lambda: read_link() is not None)
    link = read_link()
    assert link is not None and (link.role, link.key) == (LaptopRole.FIRST, answer["key"])
    assert content.startswith(b"PK")
    until(lambda: "second-laptop.added" in verbs_of(tournament))


def test_changes_that_were_made_during_the_copy_are_sent_after_it(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tournament = a_tournament()
    start_recording_changes()
    write(tournament)
    make_copy, before = connection_module._make_copy, load_last_change()

    def make_copy_and_write() -> Path | None:
        copy = make_copy()
        write(tournament)
        connections.close_all()
        return copy

    monkeypatch.setattr(connection_module, "_make_copy", make_copy_and_write)
    words = offer_pairing(by=SYSTEM_ACTOR).words
    with calling(port) as second:
        second.hello("pair", compute_words_key(words))
        answer, _content = receive_copy(second)
    assert before < answer["change"] < load_last_change()


def test_a_copy_that_was_not_stored_adds_no_laptop(port: int) -> None:
    words = offer_pairing(by=SYSTEM_ACTOR).words
    with calling(port) as second:
        second.hello("pair", compute_words_key(words))
        receive_copy(second)
    with calling(port) as second:
        assert "proof" in second.hello("pair", compute_words_key(words)), "the words can be used again"
    assert read_link() is None


def test_a_copy_that_could_not_be_made_is_a_reason(port: int, settings: Any, folder: Path) -> None:
    settings.BACKUP_DIR = folder / "a file"
    settings.BACKUP_DIR.touch()
    words = offer_pairing(by=SYSTEM_ACTOR).words
    with calling(port) as second:
        second.hello("pair", compute_words_key(words))
        assert receive_copy(second)[0] == {"refused": "no-copy"}
    assert read_link_problem() is LinkProblem.NO_COPY and read_link() is None


def test_a_follower_gets_each_change_and_the_first_laptop_knows_how_far_it_is(port: int, unsent: int) -> None:
    save_link_problem(LinkProblem.NOT_REACHABLE)
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=unsent)
        batch = second.receive()["batch"]
        second.send(stored=batch["until"])
        until(lambda: read_second_laptop_status().change == load_last_change())
        until(lambda: read_link_problem() is None)
    assert "tournament_auditentry" in batch["tables"]


def test_a_change_that_was_only_sent_is_not_acknowledged(
    port: int, unsent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The follower has not stored the first batch, so it gets the same one again."""
    acknowledged: list[int] = []
    monkeypatch.setattr(connection_module, "record_acknowledgement", lambda change, _at: acknowledged.append(change))
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=unsent)
        batch = second.receive()["batch"]
        second.send(stored=unsent)
        assert second.receive()["batch"] == batch
    assert acknowledged == [unsent]


def test_a_follower_that_was_away_for_too_long_gets_a_new_copy(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.second_laptop.selectors.MAX_CHANGES_IN_BATCH", 1)
    link = become_first_laptop()
    start_recording_changes()
    tournament = a_tournament()
    before = load_last_change()
    write(tournament)
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=before)
        assert second.receive() == {"refused": "needs-copy"}
    with calling(port) as second:
        assert "proof" in second.hello("copy")
        answer, content = receive_copy(second)
        second.send(stored=True)
    assert (answer["key"], answer["change"]) == (KEY, load_last_change()) and content.startswith(b"PK")
    assert read_link() == link


def test_the_first_laptop_knows_that_the_clock_of_the_follower_is_wrong(port: int) -> None:
    become_first_laptop()
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=0)
        second.receive()
        second.send(stored=0, clock=time.time() - 3 * 3600)
        until(lambda: read_clock_difference() == 180)


def test_a_follower_gets_the_list_of_what_an_earlier_laptop_recorded_alone(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first laptop has a list of actions that only an earlier laptop recorded, and a director decides about each.

    The second laptop may take over before the director has decided, so it needs the list, too.
    """
    monkeypatch.setattr(connection_module, "LINK_HEARTBEAT_INTERVAL_S", 0.01)
    become_first_laptop()
    save_missing_actions([AN_ACT])
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=load_last_change())
        lists = []
        for _message in range(100):
            message = second.receive()
            if "acts" in message:
                lists.append(message["acts"])
                get_missing_actions_file().unlink(missing_ok=True)
            if len(lists) == 2:
                break
            second.send(stored=load_last_change())
    assert [act["key"] for act in json.loads(lists[0])] == ["digest"]
    assert lists[1] == ""


def test_a_problem_of_the_follower_is_shown_here_too(port: int) -> None:
    become_first_laptop()
    with calling(port) as second:
        second.hello("follow")
        second.send(refused="disk-full")
        until(lambda: read_link_problem() is LinkProblem.DISK_FULL)


def test_a_follower_that_was_removed_hears_it(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_module, "LINK_HEARTBEAT_INTERVAL_S", 0.01)
    become_first_laptop()
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=0)
        remove_second_laptop(by=SYSTEM_ACTOR)
        while "refused" not in (answer := second.receive()):
            second.send(stored=0)
    assert answer == {"refused": "unknown-key"}


@pytest.mark.parametrize(
    ("epoch", "version", "role"),
    [(2, "", LaptopRole.SHUT_OUT), (2, "of next year", LaptopRole.SHUT_OUT), (1, "", LaptopRole.FIRST)],
)
def test_a_takeover_with_a_higher_epoch_shuts_it_out(port: int, epoch: int, version: str, role: LaptopRole) -> None:
    become_first_laptop()
    start_recording_changes()
    tournament, change = a_tournament(), load_last_change()
    write(tournament)
    with calling(port) as second:
        second.hello("took-over", version=version)
        second.send(epoch=epoch, change=change, at=8.0)
        answer = second.receive()
    assert (answer["shut_out"], bool(answer["acts"])) == (True, role is LaptopRole.SHUT_OUT)
    link = read_link()
    assert link is not None and link.role is role


@pytest.mark.parametrize("restores", [1, 2])
def test_a_takeover_shuts_out_a_laptop_that_was_restored_meanwhile(port: int, restores: int) -> None:
    """Both laptops have raised their epochs independently, so a higher epoch does not show which laptop took over."""
    become_first_laptop()
    for _time in range(restores):
        begin_installation_epoch(Installation.Origin.RESTORED)
    with calling(port) as second:
        second.hello("took-over")
        second.send(epoch=2, change=7, at=8.0)
        second.receive()
    link = read_link()
    assert link is not None and (link.role, link.epoch) == (LaptopRole.SHUT_OUT, 2)


@pytest.mark.parametrize(("epoch", "change"), [(2, 5), (3, 3)], ids=["the same takeover", "another takeover"])
def test_a_laptop_that_a_phone_has_shut_out_learns_the_last_change_of_the_other_one(
    port: int, epoch: int, change: int
) -> None:
    """A phone told this laptop only that another laptop took over, and with which epoch.

    This laptop then assumed that the other one has the changes up to the last change that it acknowledged. If the other
    laptop reports the same takeover, its own last change is stored instead.
    """
    shut_out(become_first_laptop(), epoch=2, change=3, at=7.0)
    with calling(port) as second:
        second.hello("took-over")
        second.send(epoch=epoch, change=5, at=8.0)
        second.receive()
    link = read_link()
    assert link is not None and (link.epoch, link.change) == (2, change)


def test_a_follower_that_has_more_is_not_overwritten(port: int) -> None:
    become_first_laptop()
    start_recording_changes()
    write(a_tournament())
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=load_last_change() + 5)
        assert second.receive() == {"refused": "second-has-more"}
    assert read_link_problem() is LinkProblem.SECOND_HAS_MORE


def test_its_answer_to_a_takeover_has_what_only_it_has(port: int) -> None:
    become_first_laptop()
    start_recording_changes()
    tournament, change = a_tournament(), load_last_change()
    write(tournament, about="alone")
    with calling(port) as second:
        second.hello("took-over")
        second.send(epoch=2, change=change, at=8.0)
        [act] = second.receive()["acts"]
    assert (act["tournament"], act["rows"][0]["about"]) == (tournament.slug, "alone")


# --- The second laptop -----------------------------------------------------------------------------------------------


class FirstLaptop:
    """A first laptop that the test simulates.

    `begin` answers a second laptop's greeting with a right or a wrong proof.
    """

    def __init__(self) -> None:
        certificate, key = load_or_create_link_certificate()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        der = ssl.PEM_cert_to_DER_cert(certificate.read_text())
        self.certificate = hashlib.sha256(der).hexdigest()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(60)
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    @contextmanager
    def called(self) -> Iterator[OtherLaptop]:
        plain, _address = self.listener.accept()
        plain.settimeout(60)
        with closing(self.context.wrap_socket(plain, server_side=True)) as encrypted:
            yield OtherLaptop(encrypted, self.certificate)

    def begin(self, second: OtherLaptop, *, key: str = KEY, epoch: int = 5) -> str:
        """Exchange greetings and proofs with the second laptop, and return what it requests, such as “follow”."""
        ours = secrets.token_hex(16)
        second.send(nonce=ours)
        hello = second.receive()
        proof = second.proof(bytes.fromhex(key), "first", ours, hello["nonce"])
        second.send(proof=proof, epoch=epoch)
        return str(hello["hello"])


@pytest.fixture
def first() -> Iterator[FirstLaptop]:
    laptop = FirstLaptop()
    save_link(
        replace(a_link(LaptopRole.SECOND), key=KEY, address=laptop.address, certificate=laptop.certificate, epoch=5)
    )
    yield laptop
    laptop.listener.close()


@contextmanager
def following(first: FirstLaptop) -> Iterator[None]:
    """Run the second laptop's process, which follows the first laptop, in a thread until the end of the block."""

    def run() -> None:
        try:
            follow_first_laptop()
        finally:
            connections.close_all()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        (get_received_link_file().parent / "take-over").touch()
        first.listener.close()
        thread.join()


REFUSALS = {problem.value: problem for problem in LinkProblem}


@pytest.mark.parametrize("code", [*REFUSALS, "a-code-of-next-year"])
def test_the_code_of_a_refusal_is_stored(first: FirstLaptop, code: str) -> None:
    with following(first), first.called() as second:
        second.send(nonce="n")
        second.receive()
        second.send(refused=code)
        until(lambda: read_link_problem() is REFUSALS.get(code, LinkProblem.UNEXPECTED))


def test_a_laptop_without_the_key_is_another_computer(first: FirstLaptop) -> None:
    with following(first), first.called() as second:
        first.begin(second, key="00" * 32)
        until(lambda: read_link_problem() is LinkProblem.OTHER_COMPUTER)


def test_a_laptop_with_another_certificate_is_another_computer(first: FirstLaptop) -> None:
    link = read_link()
    assert link is not None
    save_link(replace(link, certificate="of another laptop"))
    with following(first), first.called():
        until(lambda: read_link_problem() is LinkProblem.OTHER_COMPUTER)


def test_a_laptop_with_another_epoch_was_restored(first: FirstLaptop) -> None:
    with following(first), first.called() as second:
        first.begin(second, epoch=6)
        until(lambda: read_link_problem() is LinkProblem.RESTORED)
    link = read_link()
    assert link is not None and link.epoch == 5, "it must not follow silently"


def test_it_takes_over_with_a_higher_epoch_than_that_of_the_restored_laptop(first: FirstLaptop) -> None:
    with following(first), first.called() as second:
        second.send(nonce="n")
        second.receive()
        second.send(refused="restored", epoch=9)
        until(lambda: read_link_problem() is LinkProblem.RESTORED)
    take_over()
    replaced = read_link(get_replaced_link_file())
    assert replaced is not None and replaced.epoch == 10


def test_a_follower_that_was_restored_itself_says_that_it_must_be_added_again(first: FirstLaptop) -> None:
    begin_installation_epoch(Installation.Origin.RESTORED, above=5)
    with following(first), first.called() as second:
        first.begin(second)
        stored = second.receive()["stored"]
        second.send(batch={"after": stored, "until": stored + 1, "tables": {}, "heads": {}})
        until(lambda: read_link_problem() is LinkProblem.BROKEN_CHAIN)


def test_a_laptop_that_is_off_is_not_reachable(first: FirstLaptop) -> None:
    first.listener.close()
    with following(first):
        until(lambda: read_link_problem() is LinkProblem.NOT_REACHABLE)


def test_a_problem_is_gone_when_the_first_laptop_answers(first: FirstLaptop) -> None:
    save_link_problem(LinkProblem.NOT_REACHABLE)
    with following(first), first.called() as second:
        assert first.begin(second) == "follow"
        stored = second.receive()["stored"]
        second.send(beat=stored)
        assert second.receive()["stored"] == stored
        until(lambda: read_link_problem() is None)


def test_a_batch_that_does_not_fit_is_reported(first: FirstLaptop) -> None:
    tournament = a_tournament()
    with following(first), first.called() as second:
        first.begin(second)
        stored = second.receive()["stored"]
        heads = {str(tournament.pk): [7, "d" * 64]}
        second.send(batch={"after": stored, "until": stored + 1, "tables": {}, "heads": heads})
        assert second.receive() == {"refused": "broken-chain"}
        until(lambda: read_link_problem() is LinkProblem.BROKEN_CHAIN)


def test_a_batch_is_stored_before_it_is_confirmed(first: FirstLaptop) -> None:
    with following(first), first.called() as second:
        first.begin(second)
        stored = second.receive()["stored"]
        second.send(batch={"after": stored, "until": stored + 1, "tables": {}, "heads": {}})
        assert second.receive()["stored"] == stored + 1
        assert load_last_change() == stored + 1


def test_nothing_is_stored_if_a_batch_is_missing(first: FirstLaptop) -> None:
    with following(first), first.called() as second:
        first.begin(second)
        stored = second.receive()["stored"]
        second.send(batch={"after": stored + 1, "until": stored + 2, "tables": {}, "heads": {}})
        until(lambda: read_link_problem() is LinkProblem.UNEXPECTED)
    assert load_last_change() == stored


@pytest.mark.parametrize("content", [json.dumps([AN_ACT]), ""], ids=["undecided", "decided"])
def test_the_list_of_the_first_laptop_is_stored_here(first: FirstLaptop, content: str) -> None:
    save_missing_actions([{**AN_ACT, "key": "of an earlier time"}])
    with following(first), first.called() as second:
        first.begin(second)
        second.receive()
        second.send(acts=content)
        second.receive()
    assert read_missing_actions_content() == content


def test_a_laptop_that_was_away_for_too_long_gets_a_new_copy_without_anybody(first: FirstLaptop) -> None:
    with following(first):
        with first.called() as second:
            first.begin(second)
            second.receive()
            second.send(refused="needs-copy")
        with first.called() as second:
            assert first.begin(second) == "copy"
            second.send(beat=3)  # the copy is still being made
            second.send(key=KEY, change=7)
            second.send(size=4)
            second.encrypted.sendall(b"copy")
            assert second.receive() == {"stored": True}
            until(is_copy_received)
    received = read_link(get_received_link_file())
    link = read_link()
    assert link is not None and received == replace(link, change=7)
    assert get_first_copy_file().read_bytes() == b"copy"


def test_a_copy_for_which_there_is_no_room_is_not_even_begun(first: FirstLaptop, settings: Any, tmp_path: Path) -> None:
    link = read_link()
    assert link is not None
    with small_disk(tmp_path / "small", "1m") as settings.VAR_DIR:
        save_link(link)
        save_link_problem(LinkProblem.NEEDS_COPY)
        with following(first), first.called() as second:
            first.begin(second)
            second.send(key=KEY, change=7)
            second.send(size=2 << 20)
            until(lambda: read_link_problem() is LinkProblem.DISK_FULL)
        assert not is_copy_received() and shutil.disk_usage(settings.VAR_DIR).free > 900_000


def full_disk(*_arguments: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["require_room_for_restore", "replace_durably"])
def test_a_copy_that_cannot_be_stored_is_not_confirmed(
    first: FirstLaptop, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """If this laptop confirmed the copy, the first laptop would rely on data that is not stored."""
    save_link_problem(LinkProblem.NEEDS_COPY)
    with following(first), first.called() as second:
        first.begin(second)
        monkeypatch.setattr(connection_module, step, full_disk)
        second.send(key=KEY, change=7)
        second.send(size=4)
        second.encrypted.sendall(b"copy")
        assert second.receive() == {"refused": "disk-full"}
    assert not is_copy_received()


def test_half_a_copy_is_deleted(first: FirstLaptop) -> None:
    save_link_problem(LinkProblem.NEEDS_COPY)
    with following(first):
        with first.called() as second:
            first.begin(second)
            second.send(key=KEY, change=7)
            second.send(size=4)
            second.encrypted.sendall(b"co")
        until(lambda: read_link_problem() is LinkProblem.NOT_REACHABLE)
    assert not is_copy_received() and not list(get_first_copy_file().parent.glob("first-copy*"))


@pytest.mark.parametrize("is_made", [False, True], ids=["while it is made", "while it is sent"])
def test_a_takeover_does_not_wait_for_a_copy(first: FirstLaptop, is_made: bool) -> None:
    save_link_problem(LinkProblem.NEEDS_COPY)
    with following(first), first.called() as second:
        assert first.begin(second) == "copy"
        if is_made:
            second.send(key=KEY, change=7)
            second.send(size=4)
        request_take_over()
        began = time.monotonic()
        if is_made:
            second.encrypted.sendall(b"co")
        else:
            second.send(beat=3)
        with pytest.raises((EOFError, OSError)):
            second.receive()
        assert time.monotonic() - began < HANDSHAKE_TIMEOUT_S, "it waited for more"
    assert not is_copy_received()


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (LinkRefused(LinkProblem.NO_COPY), LinkProblem.NO_COPY),
        (BrokenLogChain("row 7"), LinkProblem.BROKEN_CHAIN),
        (OSError(errno.ENOSPC, "No space left on device"), LinkProblem.DISK_FULL),
        (OperationalError("database or disk is full"), LinkProblem.DISK_FULL),
        (ConnectionRefusedError(), LinkProblem.NOT_REACHABLE),
        (TimeoutError(), LinkProblem.NOT_REACHABLE),
        (ssl.SSLError("wrong version number"), LinkProblem.NOT_REACHABLE),
        (KeyError("nonce"), LinkProblem.UNEXPECTED),
        (OperationalError("no such table"), LinkProblem.UNEXPECTED),
    ],
)
def test_each_error_is_a_problem_with_a_code(error: Exception, problem: LinkProblem) -> None:
    assert find_link_problem(error) is problem


# --- Somebody in the network ------------------------------------------------------------------------------------------


class Eavesdropper:
    """A proxy that passes one connection on to a port and records it. If `forges` is set, it falsifies the answers."""

    def __init__(self, target: int) -> None:
        self.target, self.forges = target, False
        self.asked, self.answered = bytearray(), bytearray()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        threading.Thread(target=self._pass_on, daemon=True).start()

    def _pass_on(self) -> None:
        caller, _address = self.listener.accept()
        self.listener.close()
        with caller, socket.create_connection(("127.0.0.1", self.target)) as called:
            back = threading.Thread(target=self._pump, args=(called, caller, self.answered))
            back.start()
            self._pump(caller, called, self.asked)
            back.join()

    def _pump(self, source: socket.socket, target: socket.socket, record: bytearray) -> None:
        with suppress(OSError):
            while part := bytearray(source.recv(1 << 16)):
                record += part
                if self.forges and record is self.answered:
                    part[-1] ^= 1
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)


def follow_once(port: int, before: int) -> dict[str, Any]:
    with calling(port) as second:
        second.hello("follow")
        second.send(stored=before)
        batch = second.receive()["batch"]
        second.send(stored=batch["until"])
        return dict(batch)


@pytest.fixture
def unsent(port: int) -> int:
    """Record changes that the second laptop lacks, and return the number of the change before them."""
    become_first_laptop()
    start_recording_changes()
    tournament = a_tournament()
    before = load_last_change()
    for _turn in range(10):
        write(tournament)
    return before


def test_what_a_second_laptop_has_sent_cannot_be_sent_again_by_others(port: int, unsent: int) -> None:
    eavesdropper = Eavesdropper(port)
    follow_once(eavesdropper.port, unsent)
    until(lambda: read_second_laptop_status().change == load_last_change())
    record_acknowledgement(0, 0.0)
    with socket.create_connection(("127.0.0.1", port), timeout=60) as again:
        again.sendall(eavesdropper.asked)
        answer = b""
        with suppress(OSError):
            while part := again.recv(1 << 16):
                answer += part
    assert b"batch" not in answer and read_second_laptop_status().change == 0


def test_a_batch_that_was_changed_on_the_way_does_not_arrive(port: int, unsent: int) -> None:
    eavesdropper = Eavesdropper(port)
    with calling(eavesdropper.port) as second:
        second.hello("follow")
        eavesdropper.forges = True
        second.send(stored=unsent)
        with pytest.raises(ssl.SSLError):
            second.receive()


def test_what_the_first_laptop_has_sent_cannot_be_sent_again_by_others(first: FirstLaptop) -> None:
    """An attacker replays a recorded connection at the first laptop's address."""
    eavesdropper = Eavesdropper(int(first.address.rpartition(":")[2]))
    link = read_link()
    assert link is not None
    with following(replace_address(first, eavesdropper.port)), first.called() as second:
        first.begin(second)
        stored = second.receive()["stored"]
        second.send(beat=stored)
        second.receive()
    recorded = bytes(eavesdropper.answered)
    (get_received_link_file().parent / "take-over").unlink()
    save_link(replace(link, address=answer_with(recorded)))
    record_acknowledgement(0, 0.0)
    with following(first):
        until(lambda: read_link_problem() is LinkProblem.NOT_REACHABLE)
    assert read_second_laptop_status().heard_at == 0.0


def replace_address(first: FirstLaptop, port: int) -> FirstLaptop:
    link = read_link()
    assert link is not None
    save_link(replace(link, address=f"127.0.0.1:{port}"))
    return first


def answer_with(recorded: bytes) -> str:
    """Answer the next connection to a new port with these bytes, and return the address of the port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        caller, _address = listener.accept()
        listener.close()
        with caller, suppress(OSError):
            caller.sendall(recorded)
            caller.recv(1 << 16)

    threading.Thread(target=answer, daemon=True).start()
    return f"127.0.0.1:{listener.getsockname()[1]}"


def test_the_proof_of_an_earlier_connection_is_not_valid_for_the_second_laptop(port: int) -> None:
    become_first_laptop()
    ours, key = secrets.token_hex(16), bytes.fromhex(KEY)
    with calling(port) as second:
        proof = second.proof(key, "second", second.receive()["nonce"], ours)
    with calling(port) as second:
        second.receive()
        second.send(hello="follow", nonce=ours, proof=proof, version=load_schema_version())
        assert second.receive() == {"refused": "unknown-key"}


def test_the_proof_of_an_earlier_connection_is_not_valid_for_the_first_laptop(first: FirstLaptop) -> None:
    ours, key = secrets.token_hex(16), bytes.fromhex(KEY)
    with following(first):
        with first.called() as second:
            second.send(nonce=ours)
            proof = second.proof(key, "first", ours, second.receive()["nonce"])
        with first.called() as second:
            second.send(nonce=ours)
            second.receive()
            second.send(proof=proof, epoch=5)
            until(lambda: read_link_problem() is LinkProblem.OTHER_COMPUTER)


# --- Changing roles --------------------------------------------------------------------------------------------------


def test_a_request_to_take_over_comes_first() -> None:
    save_link(a_link(LaptopRole.SECOND))
    get_received_link_file().write_text("{}")
    request_take_over()
    run_current_role(free_port())
    assert read_link() is None and read_link(get_replaced_link_file()) is not None


def test_joining_a_laptop_that_is_off_gives_the_reason() -> None:
    request_joining(f"127.0.0.1:{free_port()}", "six words", directs_installation=False)
    run_current_role(free_port())
    assert read_link_problem() is LinkProblem.NOT_REACHABLE and "words" not in read_joining_state()


@contextmanager
def notifying(first: FirstLaptop) -> Iterator[OtherLaptop]:
    """Take over, and yield the connection to the replaced laptop."""
    request_take_over()
    run_current_role(free_port())
    thread = threading.Thread(target=notify_replaced_laptop)
    thread.start()
    with first.called() as second:
        yield second
    thread.join()


def test_the_replaced_laptop_is_told_once_if_it_answers(first: FirstLaptop) -> None:
    with notifying(first) as second:
        assert first.begin(second) == "took-over"
        assert second.receive()["epoch"] == 6
        second.send(shut_out=True, acts=[AN_ACT])
    assert not get_replaced_link_file().exists()
    assert [act.key for act in read_missing_actions()] == ["digest"]


@pytest.mark.parametrize("ends", ["before the proof", "before the answer", "before the answer is stored"])
def test_the_replaced_laptop_is_told_again_if_its_answer_is_missing(
    first: FirstLaptop, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    monkeypatch.setattr(connection_module, "save_missing_actions", full_disk)
    with notifying(first) as second:
        if ends != "before the proof":
            first.begin(second)
            second.receive()
        if ends == "before the answer is stored":
            second.send(shut_out=True, acts=[AN_ACT])
    assert get_replaced_link_file().exists()


def test_a_laptop_with_another_certificate_is_not_told(first: FirstLaptop) -> None:
    link = read_link()
    assert link is not None
    save_link(replace(link, certificate="of another laptop"))
    with notifying(first) as second, pytest.raises((EOFError, OSError)):
        first.begin(second)
    assert get_replaced_link_file().exists()
