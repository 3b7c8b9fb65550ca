"""Run everything that one laptop needs, until Ctrl-C: `gin-rummy run`, or `make run` in a checkout.

It prepares secrets, database and static files, prints the addresses, and runs all processes under a supervisor. Only
one run at a time is possible in a folder. Leftover files from a killed run do no harm.
"""

import argparse
import http.client
import os
import secrets
import socket
import ssl
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from config.broker import make_broker_socket_path, make_socket_path, make_socket_url
from config.environment import BASE_DIR, IS_CHECKOUT, VAR_DIR, format_start_command
from config.unready import exit_on_known_startup_error
from laptop.broker import wait_for_broker
from laptop.processes import HAS_OWN_BROKER, PROCESS_KINDS, get_process_kind, list_process_names
from laptop.programs import (
    ProgramVersion,
    has_startable_copy,
    is_program_copy_needed,
    read_used_versions,
    start_version,
)
from laptop.reach import (
    Certificates,
    SiteAddresses,
    compute_fingerprint,
    make_tls_environment,
    read_site_addresses,
    suggest_next_port,
)
from laptop.run_log import RunLog
from laptop.supervisor import Interruption, Supervisor
from tournament import __version__

# --- Stored data -----------------------------------------------------------------------------------------------------
# Prepare the stored data before the processes start, and print how to sign in.


def _prepare_data(options: argparse.Namespace) -> ProgramVersion | None:
    """Prepare the stored data for the processes.

    With `--previous`, go back to the data from before the last update. If that data needs another version of the
    program, return that version, and prepare nothing else.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    connection.settings_dict["OPTIONS"].pop("pool", None)  # a pool would wait long for a database that is away
    _restore_if_requested()
    str(settings.SECRET_KEY)  # generated before any process needs it
    from laptop.update import create_tables, go_back

    if options.previous and (other := go_back(yes=options.yes)):
        return other
    create_tables()
    from tournament.core.services.secrets import exit_on_wrong_secrets

    exit_on_wrong_secrets()
    if connection.vendor == "sqlite":
        from tournament.second_laptop.services.roles import resume_recording_changes

        resume_recording_changes()
    if settings.STATIC_IS_COLLECTED:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    return None


def _restore_if_requested() -> None:
    """Start the restore that was requested before this run.

    If none was requested, complete a restore that a power failure may have interrupted.
    """
    from tournament.backups.selectors import make_restore_request_path
    from tournament.backups.services import finish_interrupted_restore, record_restore_failure

    if not make_restore_request_path().exists():
        finish_interrupted_restore()
    elif subprocess.run(RESTORE_COMMAND, cwd=BASE_DIR, check=False).returncode:
        record_restore_failure()


RESTORE_COMMAND: Final = (sys.executable, "-m", "laptop.restore")
RESTORE_DELAY_S: Final = 3.0
"""Seconds to wait after a request to restore a backup. In this time, the director's browser can load the next page."""


def _make_restore_interruption(site: str, reach: SiteAddresses) -> Interruption:
    """Return the `Interruption` that restores a backup once a director has requested this on the page *Backups*."""
    from tournament.backups.selectors import make_restore_request_path
    from tournament.backups.services import record_restore_failure

    request = make_restore_request_path()

    def is_due() -> bool:
        with suppress(FileNotFoundError):
            return abs(time.time() - request.stat().st_mtime) > RESTORE_DELAY_S
        return False

    def finish(code: int) -> dict[str, str]:
        if code:
            record_restore_failure()
        reach.load_or_create_certificates()  # the backup may have brought another certificate authority
        link = [sys.executable, "manage.py", "sign_in_link", "--first", "--site", site]
        subprocess.run(link, cwd=BASE_DIR, check=False)  # the restored database may not have the director's session
        return {"CACHE_PREFIX": secrets.token_hex(4)}

    return Interruption(is_due, ("web", "door"), RESTORE_COMMAND, finish)


def _make_role_interruptions(site: str, reach: SiteAddresses) -> list[Interruption]:
    """Return the interruptions that are needed if two laptops work together, one as the other's replacement.

    The first interruption installs a copy of the other laptop's database that this laptop has received. The second one
    restarts the processes if this laptop has gained or lost the right to write, for example because it took over from
    the other laptop. It runs no command, because people are waiting.
    """
    from tournament.second_laptop.selectors import is_copy_received

    served = _read_only_environment()

    def finish(code: int) -> dict[str, str]:
        served.update(_read_only_environment())
        reach.load_or_create_certificates()  # phones that trust the first laptop's certificate trust this one, too
        if served["READ_ONLY_DATABASE"] == "0":
            link = [sys.executable, "manage.py", "sign_in_link", "--first", "--site", site]
            subprocess.Popen(link, cwd=BASE_DIR)  # it prints the link while the site starts
        return {**served, "CACHE_PREFIX": secrets.token_hex(4)}

    stops_first, install = ("web", "door"), (sys.executable, "manage.py", "second_laptop", "install")
    return [
        Interruption(is_copy_received, stops_first, install, finish),
        Interruption(lambda: _read_only_environment() != served, stops_first, (), finish),
    ]


def _read_only_environment() -> dict[str, str]:
    """Return the environment variable that makes the database read-only while only the other laptop may write."""
    from tournament.second_laptop.selectors import is_read_only

    return {"READ_ONLY_DATABASE": "1" if is_read_only() else "0"}


def _print_sign_in_link(site: str, *, demo: bool) -> tuple[str, bool]:
    """Print a link to the page *Welcome*, or a sign-in link if that page is not needed.

    If `demo` is true, first create the demo tournament, of which only the start is loaded. Return the link to
    *Welcome*, which may be "", and whether the rest of the demo still has to be loaded.
    """
    from django.core.management import call_command

    from tournament.core.selectors.events import find_demo_being_loaded
    from tournament.models import Tournament
    from tournament.this_computer.services import make_first_start_link

    if demo:
        call_command("load_demo", site=site, begin=True)
    first_start = make_first_start_link(site)
    if first_start:
        _print_line("Set up the program (works once)", first_start)
    elif not demo or not Tournament.objects.filter(is_demo=True).exists():
        call_command("sign_in_link", first=True, site=site)
    # This also matters with DEMO=0, because the pages of an incomplete demo say that it is being loaded.
    return first_start, find_demo_being_loaded() is not None


def _can_open_browser() -> bool:
    """Return whether to open a browser for the person who started the program.

    The environment variable OPEN_BROWSER is 1 or 0. If it is not set, an installed program opens a browser if there is
    a desktop.
    """
    if chosen := os.environ.get("OPEN_BROWSER"):
        return chosen != "0"
    if IS_CHECKOUT or "SSH_CONNECTION" in os.environ:
        return False
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open_browser(address: str) -> None:
    """Open the address in a browser. This happens in a thread, because a browser may start slowly."""
    threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


SITE_CHECK_TIMEOUT_S: Final = 0.3
"""Seconds to wait for the site when checking whether it is up."""


def main(arguments: Sequence[str] = ()) -> None:
    options, own_environment = _read_options(arguments), dict(os.environ)
    reach = read_site_addresses()
    if not IS_CHECKOUT and VAR_DIR.is_relative_to(BASE_DIR):
        sys.exit(
            f"VAR_DIR names a folder that the next update deletes: {VAR_DIR}. Choose a folder outside the program."
        )
    VAR_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = _lock_installation(reach.addresses[0])
    for port in reach.ports:
        _require_free_port(reach.host, port)
    if os.environ.get("REDIS_URL") and not wait_for_broker(os.environ["REDIS_URL"], patience=5):
        sys.exit("The broker that REDIS_URL names does not answer. Without REDIS_URL one is started here.")
    site = os.environ.get("SITE_URL", "").rstrip("/")
    os.environ["SITE_URL"] = site or reach.site
    certificates = reach.load_or_create_certificates()
    os.environ.update(reach.make_environment(certificates))
    print("\n  The program is starting. On a slow or busy computer, this takes up to a minute.", flush=True)
    if other := _prepare_data(options):
        lock.release()
        start_version(other, own_environment)
    _print_addresses(reach, certificates, site)
    address = site or reach.addresses[0]
    if _read_only_environment()["READ_ONLY_DATABASE"] == "1":
        _print_line("This is the second laptop", f"{reach.addresses[0]}/second-laptop/")
        first_start, loads_demo = "", False
    else:
        first_start, loads_demo = _print_sign_in_link(address, demo=os.environ.get("DEMO", "1") != "0")
        _print_line("To follow another laptop", f"{reach.addresses[0]}/second-laptop/")
    _print_line("All data is kept in", str(VAR_DIR))
    print("\n  The first page is there in a few seconds. Stop with Ctrl-C.\n", flush=True)
    interruptions = [_make_restore_interruption(address, reach), *_make_role_interruptions(address, reach)]
    log = RunLog(VAR_DIR / "logs" / "gin-rummy.log")
    supervisor = Supervisor(
        BASE_DIR,
        answers=_make_site_check(reach, (first_start or f"{address}/") if _can_open_browser() else ""),
        interruptions=interruptions,
        stops_last=("broker",),
        find_stop_reason=partial(_find_stop_reason, log),
        on_line=log.write_line,
        on_exit=log.record_exit,
    )
    environment = _make_environment()
    _add_processes(supervisor, environment, certificates)
    if loads_demo:
        supervisor.add("demo", [sys.executable, "-m", "laptop.demo", address], environment, waits=True, once=True)
    if is_program_copy_needed():
        supervisor.add("copy", [sys.executable, "-m", "laptop.programs"], environment, waits=True, once=True)
    from django.db import connections

    connections.close_all()  # a restore could not replace an open database on Windows
    is_restart = _run_until_stopped(supervisor)
    lock.release()
    if is_restart:
        _start_again({**own_environment, "OPEN_BROWSER": "0"})  # the page with the button reloads itself


def _find_stop_reason(log: RunLog) -> str:
    """Return why the program has to stop, or "" if it keeps running. The supervisor calls this ten times a second."""
    from tournament.this_computer.selectors.state import find_due_run_request

    log.record_clock_jump()
    request = find_due_run_request(time.time())
    return f"{request.action} requested by {request.by_name}" if request is not None else ""


def _run_until_stopped(supervisor: Supervisor) -> bool:
    """Run the processes, and record when they started and stopped. Return whether an administrator wants a restart."""
    from tournament.this_computer.selectors.state import RunAction, RunEventKind, read_run_request
    from tournament.this_computer.services import record_run_event, remove_run_request

    remove_run_request()  # it may be left over from before a power failure
    record_run_event(RunEventKind.STARTED, version=__version__)
    supervisor.run()
    record_run_event(RunEventKind.STOPPED)
    request = read_run_request()
    remove_run_request()
    return request is not None and request.action is RunAction.RESTART


def _start_again(environment: Mapping[str, str]) -> None:
    """Replace this process with a new run of the same command. By now, a newer version may be installed."""
    arguments = [argument for argument in sys.orig_argv[1:] if argument not in ("--previous", "--yes")]
    command = [sys.executable, *arguments]
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(sys.executable, command, environment)
    sys.exit(subprocess.call(command, env=environment))  # on Windows, replacing the process would close its window


def _read_options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="gin-rummy run", description="Start the site on this computer, until Ctrl-C.")
    parser.add_argument(
        "--previous", action="store_true", help="go back to the version and the data from before the last update"
    )
    parser.add_argument("--yes", action="store_true", help="go back even if that loses newer entries")
    return parser.parse_args(arguments)


def _lock_installation(address: str) -> FileLock:
    """Lock this installation, and return the lock. Exit if another run in this folder holds the lock.

    Two runs in one folder would compete for the broker's socket. The running site's address is in a separate file,
    because other processes cannot read a locked file on Windows.
    """
    lock, address_file = FileLock(VAR_DIR / "run.lock", mode=0o600), VAR_DIR / "run.address"
    try:
        lock.acquire(blocking=False)
    except Timeout:
        where = address_file.read_text(encoding="ascii") if address_file.exists() else "another terminal"
        sys.exit(f"It is running here already ({where}). Stop it there with Ctrl-C first.")
    address_file.write_text(f"{address}, process {os.getpid()}", encoding="ascii")
    return lock


def _require_free_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # On Windows, SO_REUSEADDR would succeed even if another program uses the port.
        probe.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR), 1)
        try:
            probe.bind((host, port))
            probe.listen()
        except PermissionError:
            sys.exit(f"Port {port} may not be used by this user. Choose another:  {format_start_command('PORT=8000')}")
        except OSError:
            another = format_start_command(f"PORT={suggest_next_port(port)}")
            sys.exit(f"Port {port} is in use by another program. Choose another:  {another}")


def _print_addresses(reach: SiteAddresses, certificates: Certificates | None, site: str) -> None:
    """Print the site's addresses.

    Behind an HTTPS proxy only SITE_URL is printed, because nobody can sign in at the other addresses.
    """
    print()
    if site:
        _print_line("The site", site)
    if os.environ.get("HTTPS", "").lower() == "proxy":
        return
    _print_line("On this machine", reach.addresses[0])
    for address in reach.addresses[1:]:
        _print_line("Phones on this network", address)
    if not reach.phone_hosts:
        print("  Phones cannot reach it: this machine is in no network, or HOST keeps them out.")
    if certificates is not None:
        _print_line("If a phone warns, it opens", reach.trust_page)
        _print_line("and compares there the SHA-256", compute_fingerprint(certificates.authority))


def _print_line(label: str, what: str) -> None:
    print(f"  {label:<38}{what}", flush=True)


def _make_environment() -> dict[str, str]:
    used = read_used_versions()
    previous = used.previous if used else None
    return {
        **os.environ,
        "REDIS_URL": os.environ.get("REDIS_URL")
        or (make_socket_url(make_broker_socket_path()) if HAS_OWN_BROKER else ""),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH"), str(BASE_DIR)))),
        "SUPERVISED": "1",
        "PREVIOUS_VERSION": previous.version if previous and has_startable_copy(previous) else "",
        "STARTED_AT": datetime.now(UTC).isoformat(timespec="seconds"),
        **_read_only_environment(),
        # A new prefix hides pages cached by an older version. Servers that share a Redis set the same prefix.
        "CACHE_PREFIX": os.environ.get("CACHE_PREFIX") or secrets.token_hex(4),
    }


def _add_processes(supervisor: Supervisor, environment: dict[str, str], certificates: Certificates | None) -> None:
    from django.db import connection

    # HTTP/2 needs only one connection for each phone.
    secure = {**make_tls_environment(certificates), "HTTP_VERSIONS": "auto"} if certificates else {}
    for name in list_process_names(has_certificate=bool(certificates), has_link=connection.vendor == "sqlite"):
        kind = get_process_kind(name)
        supervisor.add(
            name,
            [sys.executable, "-m", "laptop", "process", name],
            {**environment, **secure} if name == "web" else environment,
            waits=kind.is_deferred,
            is_needed=kind.is_needed,
        )


def _make_site_check(reach: SiteAddresses, page: str) -> Callable[[], bool]:
    """Return a function that checks whether the site is up, and opens this page in a browser the first time it is."""
    pages = [page] if page else []

    def is_site_up() -> bool:
        is_up = _is_site_up(reach)
        if is_up and pages:
            _open_browser(pages.pop())
        return is_up

    return is_site_up


def _is_site_up(reach: SiteAddresses) -> bool:
    """Return whether the site responds to a request for its first page.

    This is checked often, so the timeout is short.
    """
    if PROCESS_KINDS["web"].environment["LANES"] == "1" and not any(make_socket_path("").glob("writer-*.sock")):
        return False
    with closing(_make_connection(reach)) as connection, suppress(OSError, http.client.HTTPException):
        connection.request("HEAD", "/")
        return connection.getresponse().status < 500
    return False


def _make_connection(reach: SiteAddresses) -> http.client.HTTPConnection:
    """Return a connection to the site. HTTPS certificates are not verified, because any response will do."""
    host = "127.0.0.1" if reach.host == "0.0.0.0" else reach.host
    if not reach.https:
        return http.client.HTTPConnection(host, reach.port, timeout=SITE_CHECK_TIMEOUT_S)
    context = ssl._create_unverified_context()
    return http.client.HTTPSConnection(host, reach.port, timeout=SITE_CHECK_TIMEOUT_S, context=context)


if __name__ == "__main__":
    with suppress(KeyboardInterrupt), exit_on_known_startup_error():
        main(sys.argv[1:])
