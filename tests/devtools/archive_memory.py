"""Measure the memory needed to export, check, and import a large tournament, and then its event alone.

    python -m tests.devtools.archive_memory --entrants 1000 --until round-1

Each command runs in its own process. The figures are its peak memory in megabytes and its time in seconds. The first
line shows what Django itself needs, because its command does nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from config.environment import BASE_DIR
from laptop.prepare import make_migrated_database

LIMIT_MB = 200


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.devtools.archive_memory", description=__doc__)
    parser.add_argument("--entrants", type=int, default=1000)
    parser.add_argument("--until", default="round-1", help="how far the event is played, as in play_demo_event")
    parser.add_argument("--installation", type=Path, help="an installation that has the event already")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="archive-memory-") as name:
        folder = Path(name)
        one = wanted.installation or make_installation(folder / "one")
        other = make_installation(folder / "other")
        if wanted.installation is None:
            print(
                measure(one, "play_demo_event", "--entrants", str(wanted.entrants), "--until", wanted.until), flush=True
            )
        file, slug, third = folder / "event.zip", find_slug(one), make_installation(folder / "third")
        figures = [
            measure(one, "verify_event", "--unchecked"),
            measure(one, "export_event", slug, "--to", str(file)),
            measure(one, "check_file", str(file)),
            measure(other, "import_event", str(file)),
            measure(other, "import_event", str(file), "--as-copy"),
            measure(other, "export_event", slug, "--to", str(file)),
            measure(one, "export_event", slug, "singles", "--to", str(file)),
            measure(third, "import_event", str(file)),
        ]
        for each in figures:
            print(json.dumps(each), flush=True)
        print(f"{file.stat().st_size / 1e6:.1f} MB")
    return 1 if any(each["megabytes"] > LIMIT_MB for each in figures) else 0


def make_installation(folder: Path) -> Path:
    folder.mkdir()
    make_migrated_database(Path(sys.executable)).copy_to(folder / "db.sqlite3")
    return folder


def find_slug(installation: Path) -> str:
    code = "from tournament.models import Tournament; print(Tournament.objects.first().slug)"
    return run(installation, "shell", "--no-imports", "-c", code).stdout.strip()


def run(installation: Path, *command: str) -> subprocess.CompletedProcess[str]:
    own = {"VAR_DIR": str(installation), "DJANGO_SETTINGS_MODULE": "config.settings", "BACKUPS": "off"}
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"} | own
    arguments = [sys.executable, "manage.py", *command]
    return subprocess.run(arguments, cwd=BASE_DIR, env=environment, capture_output=True, text=True, check=True)


def measure(installation: Path, *command: str) -> dict[str, Any]:
    """Run a `manage.py` command on the installation, and return its peak memory in megabytes and its time in seconds.

    The peak memory of a process's children never falls, so a separate process measures each command.
    """
    began = time.monotonic()
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        try:
            run(installation, *command)
            peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            os.write(write, json.dumps(peak).encode())
        except subprocess.CalledProcessError as error:
            print(error.stderr[-2000:], file=sys.stderr)
        finally:
            os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        peak = int(pipe.read() or 0)
    return {"command": command[0], "megabytes": peak // 1024, "seconds": round(time.monotonic() - began)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
