"""`make run`: everything one laptop needs, in one go, until Ctrl-C.

Prepares what is kept (secrets, database, static files, demo), says where to look, then runs the processes of the
Procfile, each watched by itself. One run a folder; what a killed run left behind is in nobody's way.
"""

import fcntl
import os
import secrets
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from honcho.environ import parse_procfile

from config.broker import broker_socket, socket_location
from config.environment import BASE_DIR, VAR_DIR
from laptop.broker import wait_for_broker
from laptop.certificates import Certificates, fingerprint
from laptop.reach import Reach, next_port, read_reach, tls_of
from laptop.supervisor import Supervisor


def main() -> None:
    reach = read_reach()
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _only_one(reach.addresses[0])
    for port in reach.ports:
        _refuse_taken(reach.host, port)
    own_broker = not os.environ.get("REDIS_URL")
    if not own_broker and not wait_for_broker(os.environ["REDIS_URL"], patience=5):
        sys.exit("The broker that REDIS_URL names does not answer. Without REDIS_URL one is started here.")
    os.environ.setdefault("SITE_URL", reach.site)
    certificates = reach.certificates()
    os.environ.update(reach.environment(certificates))
    _prepare_what_is_kept(reach.addresses[0])
    _say_where(reach, certificates)
    _run_processes(_environment(), certificates, own_broker=own_broker)
    lock.close()


def _only_one(address: str) -> TextIO:
    """Hold the lock of this installation: two runs on one database folder would fight over the broker's socket."""
    lock = open(VAR_DIR / "run.lock", "a+", encoding="ascii")  # noqa: SIM115 - held while we run
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        where = lock.read().strip() or "another terminal"
        sys.exit(f"It is running here already ({where}). Stop it there with Ctrl-C first.")
    lock.truncate(0)
    lock.write(f"{address}, process {os.getpid()}")
    lock.flush()
    return lock


def _refuse_taken(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except PermissionError:
            sys.exit(f"Port {port} may not be used by this user. Choose another:  make run PORT=8000")
        except OSError:
            sys.exit(f"Port {port} is in use by another program. Choose another:  make run PORT={next_port(port)}")


def _prepare_what_is_kept(site: str) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connections

    django.setup()
    str(settings.SECRET_KEY)  # made now, so that no two processes have to
    call_command("migrate", interactive=False, verbosity=0)
    from tournament.core.services.secrets import refuse_other_secrets

    refuse_other_secrets()
    if settings.STATIC_IS_COLLECTED:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    if os.environ.get("DEMO", "1") != "0":
        call_command("load_demo", site=site)
    _say_how_to_begin(site)
    connections.close_all()


def _say_how_to_begin(site: str) -> None:
    from tournament.models import User

    if not User.objects.exists():
        print("Nobody can sign in yet. In another terminal:", flush=True)
        print(f"    .venv/bin/python manage.py sign_in_link YOUR@EMAIL --administrator --site {site}", flush=True)


def _say_where(reach: Reach, certificates: Certificates | None) -> None:
    print(f"\n  On this machine:           {reach.addresses[0]}")
    for address in reach.addresses[1:]:
        print(f"  Phones on this network:    {address}")
    if not reach.for_phones:
        print("  Phones cannot reach it: this machine is in no network, or HOST keeps them out.")
    if certificates is not None:
        print(f"  Phones that warn of it:    {reach.trust_page}  (how to trust this hall)")
        print(f"  SHA-256 to compare there:  {fingerprint(certificates.authority)}")
    print("  Stop with Ctrl-C.\n", flush=True)


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "REDIS_URL": os.environ.get("REDIS_URL") or socket_location(broker_socket()),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(BASE_DIR),
        "CACHE_PREFIX": secrets.token_hex(4),  # a page kept by an older version of the program is not found again
    }


def _run_processes(environment: dict[str, str], certificates: Certificates | None, *, own_broker: bool) -> None:
    supervisor = Supervisor(BASE_DIR)
    secure = {**tls_of(certificates), "HTTP_VERSIONS": "auto"} if certificates else {}  # one line for all of a phone
    apart = {"web": secure, "door": {"HTTPS": "0"}}
    left_out = set() if own_broker else {"broker"}
    left_out |= set() if certificates else {"door"}
    for name, command in parse_procfile((BASE_DIR / "Procfile").read_text()).processes.items():
        if name not in left_out:
            for one in _names(name):
                supervisor.add(one, command, environment | apart.get(name, {}))
    supervisor.run()


def _names(process: str) -> list[str]:
    """As many readers as there are cores; one of everything else."""
    readers = int(os.environ.get("READERS") or os.cpu_count() or 1)
    return [f"reader.{turn}" for turn in range(1, readers + 1)] if process == "reader" else [process]


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
