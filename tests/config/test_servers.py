"""Test two servers with separate folders that share everything through one database and one Redis."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.client import HTTPException
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis
from django.conf import settings
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from config.broker import make_redis_url, make_socket_url
from config.environment import BASE_DIR
from config.process import SHUTDOWN_TIMEOUT_S
from laptop.broker import wait_for_broker
from scoring.card_state.selectors.cards import load_card_state_by_pk
from scoring.disputes.services.disputes import (
    DisputeFindings,
    NewDispute,
    SubmittedEvidence,
    add_evidence,
    open_dispute,
)
from scoring.models import Card
from scoring.seals.services.sealing import set_certificate
from tests.config.helpers import ask, rename_event
from tests.kit import client_as, event_url, public_url
from tests.processes import PATIENCE, Process, Site, _answers, free_port, running, until
from tests.scoring.helpers.disputes import a_picture
from tests.scoring.helpers.files import a_certificate
from tests.scoring.helpers.playing import an_event_in_play, cut_for, knock, post, the_card, the_director
from tests.settings import RUN_DIR
from tournament.core import marks
from tournament.core.permissions import SYSTEM_ACTOR
from tournament.core.services.jobs import begin_job, finish_job, request_job
from tournament.core.services.record import lock_event
from tournament.core.services.secrets import exit_on_wrong_secrets
from tournament.models import Event, FilePart

pytestmark = pytest.mark.race

REDIS_DIR = RUN_DIR / "redis"


@contextmanager
def a_redis() -> Iterator[str]:
    """Run a Valkey server, which is compatible with Redis, until the end of the block."""
    address = make_socket_url(REDIS_DIR / "broker.sock")
    with running("redis", "laptop.broker", {"VAR_DIR": str(REDIS_DIR)}):
        assert wait_for_broker(address)
        yield address


class Server:
    """A server with its own folder. With `lanes`, a separate process renders its pages, and its log is in JSON."""

    def __init__(self, name: str, shared: dict[str, str], *, lanes: bool) -> None:
        self.name, self.lanes, self.port = name, lanes, free_port()
        folder = RUN_DIR / name / RUN_DIR.name  # the settings expect this folder name
        folder.mkdir(parents=True)
        self.environment = {**shared, "TEST_RUN_DIR": str(folder), "VAR_DIR": str(folder)}
        self.environment |= {"LANES": "1", "LOG_FORMAT": "json"} if lanes else {}
        self.web, self.writer = ExitStack(), ExitStack()

    def start_web(self) -> Process:
        command = ["config.asgi:application", "--interface", "asgi", "--no-ws", "--port", str(self.port)]
        command += ["--workers-kill-timeout", str(SHUTDOWN_TIMEOUT_S), "--log-level", "warning"]
        process = running(self.name, "granian", self.environment, *command, log=self.name)
        self.running_web = self.web.enter_context(process)
        return self.running_web

    def start_writer(self) -> None:
        command = ("config.pages.page_process", self.environment, "writer")
        self.writer.enter_context(running(self.name, *command, log=self.name))

    def restart(self) -> None:
        """Restart one process after the other, as a service manager does."""
        if self.lanes:
            self.writer.close()
            self.start_writer()
        web = self.running_web
        self.web.close()
        assert web.popen.returncode == 0, "it did not stop by itself"
        until(partial(_answers, self.port), self.start_web())


@pytest.fixture(scope="module")
def running_servers(django_db_setup: None) -> Iterator[dict[int, Server]]:
    """Start two servers, and return them by their ports. Tests that need Redis start it themselves."""
    database = connection.settings_dict
    shared = {"REDIS_URL": make_socket_url(REDIS_DIR / "broker.sock")}
    if connection.vendor == "sqlite":
        shared["DATABASE_URL"] = f"sqlite:///{database['TEST']['NAME']}"
    both = [Server("first", shared, lanes=False), Server("second", shared, lanes=True)]
    with ExitStack() as stack:
        for server in both:
            stack.callback(server.web.close)
            stack.callback(server.writer.close)
        both[1].start_writer()
        for server, web in [(server, server.start_web()) for server in both]:
            until(partial(_answers, server.port), web)
        yield {server.port: server for server in both}


@pytest.fixture(scope="module")
def servers(running_servers: dict[int, Server]) -> list[Site]:
    logs = [RUN_DIR / f"{server.name}.log" for server in running_servers.values()]
    return [Site(port, Process(None, log)) for port, log in zip(running_servers, logs, strict=True)]  # type: ignore[arg-type]


@pytest.fixture
def both(servers: list[Site], transactional_db: None, settings: Any) -> Iterator[list[Site]]:
    """Provide both servers, and let this process write as if it were a third server.

    The test fails if a server logs a traceback or, in JSON, an exception.
    """
    settings.REDIS_URL = make_socket_url(REDIS_DIR / "broker.sock")
    written = [len(server.process.log()) for server in servers]
    yield servers
    for server, before in zip(servers, written, strict=True):
        log = server.process.log()[before:]
        assert "Traceback" not in log and '"exception"' not in log, log


@pytest.fixture
def event(both: list[Site], settings: Any) -> Event:
    event = an_event_in_play(("Ada", "Alan"))
    settings.MARKS_URL = make_redis_url(settings.REDIS_URL, database=1)
    return event


def cookie_of(event: Event) -> str:
    client = client_as("director", event)
    return f"sessionid={client.cookies['sessionid'].value}; signed_in=1"


# --- Secrets -------------------------------------------------------------------------------------------------------


def test_no_process_is_started_with_other_secrets(transactional_db: None, tmp_path: Path) -> None:
    exit_on_wrong_secrets()
    port = free_port()
    with ExitStack() as stack:
        started = {}
        for name in ("web", "reader", "writer", "worker", "door"):
            started[name] = subprocess.Popen(
                [sys.executable, "-m", "laptop", "process", name],
                cwd=BASE_DIR,
                env=as_another(tmp_path / name, port),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            stack.callback(started[name].kill)
        for name, process in started.items():
            said = process.communicate(timeout=PATIENCE)[1]
            assert process.returncode == 1, f"{name}: {said}"
            assert said.count("This process cannot start: its secrets (SEAL_SECRET) differ") == 1, f"{name}: {said}"
            assert "Traceback" not in said, f"{name}: {said}"
    assert not list(tmp_path.glob("*/*.sock"))


def as_another(folder: Path, port: int) -> dict[str, str]:
    """Return the environment of a server whose SEAL_SECRET differs from the secret in the database."""
    folder.mkdir()
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        database = f"sqlite:///{name}"
    else:
        database = re.sub(r"(?<=/)[^/?]+(?=\?|$)", str(name), os.environ["DATABASE_URL"], count=1)
    own = {"VAR_DIR": str(folder), "PORT": str(port), "PLAIN_PORT": str(port), "HOST": "127.0.0.1"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    left_out = {"TEST_RUN_DIR", "TEST_DATABASE", "REDIS_URL"}
    inherited = {name: value for name, value in os.environ.items() if name not in left_out}
    asked = {"DJANGO_SETTINGS_MODULE": "config.settings", "DATABASE_URL": database, "SEAL_SECRET": "of another"}
    return {**inherited, **own, **asked, "PATH": path}


# --- Files ---------------------------------------------------------------------------------------------------------


def test_a_print_made_here_is_handed_out_by_both(both: list[Site], event: Event) -> None:
    job = request_job(event, kind="pairings", title="P", task="none", parameters={}, by=SYSTEM_ACTOR)
    running_job = begin_job(job.pk)
    assert running_job is not None
    finish_job(running_job, "pairings.pdf", b"%PDF-1.7 made here")
    url = reverse("tournament:job_file", kwargs={"tournament": event.tournament.slug, "pk": job.pk})
    answers = [ask(server, url, cookie=cookie_of(event)) for server in both]
    assert [(status, body) for status, _told, body in answers] == [(200, b"%PDF-1.7 made here")] * 2
    FilePart.objects.all().delete()
    answers = [ask(server, url, cookie=cookie_of(event)) for server in both]
    assert [status for status, _told, _body in answers] == [404, 404]
    assert all(b"Print it again." in body for _status, _told, body in answers)


def test_a_photo_taken_at_one_is_shown_by_the_other(both: list[Site], event: Event) -> None:
    card, director = the_card(event), the_director(event)
    opening = NewDispute(card=card, findings=DisputeFindings(kind="conduct", facts={"by": "B"}))
    dispute = open_dispute(event, opening, by=director)
    (piece,) = add_evidence(dispute, SubmittedEvidence(photo=io.BytesIO(a_picture())), by=director)
    url = event_url("scoring:desk_evidence", event, dispute=dispute.pk, evidence=piece.pk)
    for server in both:
        status, told, body = ask(server, url, cookie=cookie_of(event))
        assert (status, told["content-type"]) == (200, "image/jpeg")
        assert hashlib.sha256(body).hexdigest() == piece.digest


def test_both_sign_by_the_certificate_that_was_set_at_one(both: list[Site], event: Event) -> None:
    card = the_card(event)
    post(card)
    set_certificate(event.tournament, a_certificate(now=timezone.now())[0], "gin", by=the_director(event))
    for server in both:
        status, _told, body = ask(server, event_url("scoring:card_pdf", event, token=card.token))
        assert status == 200 and b"/ETSI.CAdES.detached" in body


# --- Restarts ------------------------------------------------------------------------------------------------------


class CardWriter(threading.Thread):
    """A phone that records one hand after the other, behind a load balancer.

    The balancer asks the next server if a server refuses the connection. The phone sends a hand again if it is asked
    to try again. Any other answer is a failure.
    """

    def __init__(self, servers: list[Site], card: Card, stop: threading.Event) -> None:
        super().__init__()
        self.servers, self.card, self.stop = deque(servers), card, stop
        self.hands, self.interrupted, self.failures = 0, 0, list[str]()

    def run(self) -> None:
        path, token = f"/api/cards/{self.card.token}/lines", self.card.entrants[0].token
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        while not self.stop.is_set() and not self.failures:
            self.servers.rotate()
            line = knock("AB"[self.hands % 2], 8, 9, ("8H", "9H")[self.hands % 2])
            hand = json.dumps({"line": line, "hand": self.hands + 1}).encode()
            try:
                key = {"Idempotency-Key": f"hand-{self.hands}"}
                status, _headers, answer = ask(self.servers[0], path, "POST", hand, **headers, **key)
            except ConnectionRefusedError:
                continue
            except (OSError, HTTPException) as error:
                self.failures.append(repr(error))
                continue
            if status == 201:
                self.hands += 1
            elif status == 503 and json.loads(answer)["errors"][0]["code"] in ("interrupted", "busy", "away"):
                self.interrupted += 1
            else:
                self.failures.append(f"{status} {answer.decode()}")

    def has_passed(self, hands: int) -> bool:
        return self.hands > hands or not self.is_alive()


@contextmanager
def holding_up_writes(event: Event) -> Iterator[None]:
    """Lock the event for a moment, so that writes are waiting when the block begins."""

    def hold_up() -> None:
        with transaction.atomic():
            lock_event(event)
            time.sleep(2.0)
        connection.close()

    holder = threading.Thread(target=hold_up)
    holder.start()
    time.sleep(0.5)
    yield
    holder.join()


def test_servers_restart_one_after_the_other_while_hands_are_recorded(
    both: list[Site], running_servers: dict[int, Server]
) -> None:
    event = an_event_in_play(("Ada", "Alan", "Grace", "Kurt"), target=900)
    cards, stop = [the_card(event, ident) for ident in ("R1M1", "R1M2")], threading.Event()
    for card in cards:
        cut_for(card)
    path = f"/live/{event.tournament.slug}/{event.slug}/"
    writers = [CardWriter(both, card, stop) for card in cards]
    with a_redis():
        for writer in writers:
            writer.start()
        for server in both:
            with closing(socket.create_connection(("127.0.0.1", server.port))) as stream:
                stream.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                assert stream.recv(12) == b"HTTP/1.1 200"
                with holding_up_writes(event):
                    running_servers[server.port].restart()
                for writer in writers:
                    until(partial(writer.has_passed, writer.hands + 2))
        stop.set()
        for writer in writers:
            writer.join()
    assert [failure for writer in writers for failure in writer.failures] == []
    assert [len(load_card_state_by_pk(card.pk).lines) for card in cards] == [writer.hands for writer in writers]


# --- Logs ----------------------------------------------------------------------------------------------------------


def test_a_fault_is_logged_in_json_with_the_id_of_its_request(servers: list[Site], transactional_db: None) -> None:
    event = an_event_in_play(("Ada Lovelace", "Alan"))
    entrant = event.entrants.get(number=1)
    Event.objects.filter(pk=event.pk).update(plan=[{"kind": "Ada Lovelace"}])  # no such kind, so its pages fail
    server, before = servers[1], len(servers[1].process.log())
    status, headers, _body = ask(server, f"/my/{entrant.token}/")
    log = server.process.log()[before:]
    (fault,) = [line for line in map(json.loads, log.splitlines()) if "exception" in line]
    assert (status, fault["request_id"], fault["process"]) == (500, headers["x-request-id"], "writer-1")
    assert "Traceback" not in log and "Ada" not in log and entrant.token not in log
    assert fault["message"].startswith("Internal Server Error: /my/~")


# --- PostgreSQL away -----------------------------------------------------------------------------------------------


TOKEN = "t" * 32
FORM = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={TOKEN}"}


@contextmanager
def database_away() -> Iterator[None]:
    """Close all connections to the test database, and refuse new ones until the end of the block."""
    name = str(connection.settings_dict["NAME"])
    connection.close()
    others = re.sub(r"(?<=/)[^/?]+(?=\?|$)", "postgres", os.environ["DATABASE_URL"], count=1)
    with psycopg.connect(others, autocommit=True) as admin:
        admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        try:
            admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            yield
        finally:
            admin.execute(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')


def at_once(server: Site, url: str, times: int) -> list[int]:
    """Send this number of requests at the same time, and return the status codes of the responses."""
    with ThreadPoolExecutor(times) as clients:
        return list(clients.map(lambda _client: ask(server, url, cookie="messages=x")[0], range(times)))


@pytest.mark.postgres
def test_nobody_meets_a_restart_of_the_database(both: list[Site], event: Event) -> None:
    for server in both:
        assert set(at_once(server, public_url(event, "bracket/"), 6)) == {200}
    with database_away():
        pass
    for server in both:
        assert (
            at_once(server, public_url(event, "bracket/"), 1) + at_once(server, public_url(event, "bracket/"), 6)
            == [200] * 7
        )


@pytest.mark.postgres
def test_a_database_that_is_away_is_said_and_the_form_is_kept(both: list[Site], event: Event) -> None:
    server, written = both[0], len(both[0].process.log())
    typed = f"csrfmiddlewaretoken={TOKEN}&key=k1&name=Ada+%3CL%3E".encode()
    path = f"/live/{event.tournament.slug}/{event.slug}/"
    with database_away(), ThreadPoolExecutor(8) as clients:
        pages = [
            clients.submit(ask, server, public_url(event, "bracket/"), cookie="messages=x") for _client in range(4)
        ]
        pages += [clients.submit(ask, server, path)]
        status, told, page = ask(server, "/sign-in/some-link/", "POST", typed, **FORM)
        answers = [one.result() for one in pages]
        readiness = ask(server, "/health/ready")
        metrics = ask(server, "/metrics", authorization=f"Bearer {settings.METRICS_TOKEN}")
    assert (status, told["retry-after"]) == (503, "2")
    assert b"The site is back in a moment." in page
    assert b'name="name" value="Ada &lt;L&gt;"' in page
    assert {status for status, _told, _page in answers} == {503}
    assert (readiness[0], json.loads(readiness[2])["checks"]["database"]) == (503, "unavailable")
    assert metrics[0] == 200 and b"\ngin_rummy_database_up 0.0\n" in metrics[2]
    until(lambda: ask(server, public_url(event, "bracket/"))[0] == 200)
    assert server.process.log()[written:].count("\n") == 1


# --- Pages from memory ---------------------------------------------------------------------------------------------


def shown(server: Site, event: Event) -> int:
    status, _told, body = ask(server, public_url(event, "bracket/"))
    assert status == 200
    found = re.search(rb"Turn (\d+)\.", body)
    return int(found[1]) if found else 0


class Checker:
    """Requests a page from both servers again and again, and records when the page is outdated.

    A page is outdated if it is older than the last write acknowledged before its request.
    """

    def __init__(self, servers: list[Site], event: Event) -> None:
        self.acknowledged, self.behind, self.asked, self.stop = 0, list[tuple[int, int]](), 0, threading.Event()
        self.threads = [threading.Thread(target=self.read, args=[server, event]) for server in servers * 2]

    def read(self, server: Site, event: Event) -> None:
        while not self.stop.is_set():
            known = self.acknowledged
            found = shown(server, event)
            self.asked += 1
            if found < known:
                self.behind.append((found, known))

    def __enter__(self) -> Checker:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_what: object) -> None:
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def write(self, event: Event) -> float:
        began = time.monotonic()
        rename_event(event, f"Turn {self.acknowledged + 1}.")
        self.acknowledged += 1
        return time.monotonic() - began


def test_pages_are_told_from_memory_at_both(both: list[Site], event: Event) -> None:
    with a_redis():
        for server in both:
            until(partial(is_from_memory, server, event))


def is_from_memory(server: Site, event: Event) -> bool:
    ask(server, public_url(event, "bracket/"))
    with redis.Redis.from_url(make_redis_url(make_socket_url(REDIS_DIR / "broker.sock"), database=1)) as client:
        before = client.info("commandstats").get("cmdstat_get", {}).get("calls", 0)  # Django's cache
        ask(server, public_url(event, "bracket/"))
        return client.info("commandstats").get("cmdstat_get", {}).get("calls", 0) == before


def test_nobody_is_behind_at_any_server_while_somebody_writes(both: list[Site], event: Event) -> None:
    with a_redis():
        until(lambda: is_from_memory(both[0], event))
        with Checker(both, event) as checker:
            while checker.acknowledged < 60 or checker.asked < 100:
                checker.write(event)
    assert checker.behind == []


def test_nobody_is_behind_when_redis_is_killed_and_comes_back(both: list[Site], event: Event) -> None:
    with Checker(both, event) as checker:
        for _round in range(2):
            with a_redis() as address:
                for _turn in range(10):
                    checker.write(event)
                with redis.Redis.from_url(address) as client:
                    client.save()
                checker.write(event)
                checker.write(event)
            checker.write(event)
        with a_redis():
            until(lambda: is_from_memory(both[1], event))
            checker.write(event)
    assert checker.behind == []


def test_nobody_is_behind_when_one_server_alone_does_not_reach_redis(
    both: list[Site], event: Event, settings: Any
) -> None:
    """A writer that cannot reach Redis waits until the cached pages of the other servers have expired."""
    with a_redis(), Checker(both, event) as checker:
        until(lambda: is_from_memory(both[0], event))
        settings.MARKS_URL = "unix:///nowhere/broker.sock?db=1"
        took = [checker.write(event) for _turn in range(3)]
    assert checker.behind == []
    assert min(took) >= marks.SHARED_PAGE_LIFETIME_S


def test_a_redis_that_forgot_everything_makes_no_page_stand(both: list[Site], event: Event) -> None:
    with a_redis() as address, redis.Redis.from_url(make_redis_url(address, database=1)) as client:
        before = marks.load_topic_marks(event.pk, ("event", "bracket"))
        assert before == marks.load_topic_marks(event.pk, ("event", "bracket"))
        client.flushdb()
        after = marks.load_topic_marks(event.pk, ("event", "bracket"))
        assert not {mark for _place, mark in before} & {mark for _place, mark in after}
