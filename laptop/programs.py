"""The versions of the program that have used this data, and copies of the current and the previous version.

An update replaces the installed program. To go back without internet, each version keeps a copy of itself in the data
folder at its first start. The copy is a virtual environment with the program and its packages. Where possible, its
files are hard links to the installed files. Such a copy takes almost no space until the installed files are replaced.

    VAR_DIR/versions/used.json        the version that uses the data, and the previous version
    VAR_DIR/versions/1.0.0-build-…/   a copy of a version
"""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final, NoReturn

import tournament
from config.environment import BASE_DIR, IS_CHECKOUT, VAR_DIR, read_build
from config.process import die_with_supervisor, lower_priority
from tournament.core.selectors.disk import is_disk_full, require_disk_space
from tournament.core.services.durable_files import sync_folder, write_durably

PACKAGE_NAME: Final = "gin-rummy-tournaments"
COPY_NICENESS: Final = 8
START_CODE: Final = "from gin_rummy_tournaments import main; main()"
"""Python code that runs the command `gin-rummy`. A copy has no scripts, because a script contains a path."""


@dataclass(frozen=True, slots=True)
class ProgramVersion:
    version: str
    build: str

    @property
    def folder(self) -> Path:
        """The folder for a copy of this version."""
        return _versions_folder() / re.sub(r"[^\w.+]+", "-", f"{self.version} {self.build}")

    @property
    def python(self) -> Path:
        """The copy's Python, which may be an earlier Python than the one that runs this program."""
        scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(self.folder)}))
        return scripts / ("python.exe" if os.name == "nt" else "python")


@dataclass(frozen=True, slots=True)
class UsedVersions:
    """The version of the program that uses the data, and the previous version that used it."""

    current: ProgramVersion
    previous: ProgramVersion | None = None


def _versions_folder() -> Path:
    return VAR_DIR / "versions"


def get_this_version() -> ProgramVersion:
    return ProgramVersion(tournament.__version__, read_build())


def read_used_versions() -> UsedVersions | None:
    """Return the recorded versions, or None at the first start."""
    with suppress(OSError, ValueError, TypeError, KeyError):
        recorded = json.loads((_versions_folder() / "used.json").read_text(encoding="utf-8"))
        previous = recorded["previous"]
        return UsedVersions(ProgramVersion(**recorded["current"]), previous and ProgramVersion(**previous))
    return None


def record_used_version(version: ProgramVersion, previous: ProgramVersion | None) -> None:
    write_durably(_versions_folder() / "used.json", json.dumps(asdict(UsedVersions(version, previous)), indent=1))


def record_this_version() -> None:
    """Record that this version uses the data. The version that used it until now becomes the previous one."""
    used, this = read_used_versions(), get_this_version()
    if used is None or used.current != this:
        record_used_version(this, used.current if used else None)


# --- Copies ----------------------------------------------------------------------------------------------------------


def has_startable_copy(version: ProgramVersion) -> bool:
    """Return whether there is a copy of this version, and its Python still exists."""
    return version.python.exists()


def is_program_copy_needed() -> bool:
    """Return whether a copy of this version has to be made. A checkout needs none, because git has all versions."""
    is_wanted = not IS_CHECKOUT and os.environ.get("PROGRAM_COPIES", "1") != "0"
    return is_wanted and not get_this_version().folder.exists()


def start_version(version: ProgramVersion, environment: Mapping[str, str]) -> NoReturn:
    """Replace this process with a copy of another version of the program, which starts the site."""
    command = [str(version.python), "-P", "-c", START_CODE, "run"]
    variables = {name: value for name, value in environment.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    variables["VAR_DIR"] = str(VAR_DIR)
    print(f"  Version {version.version} of the program is starting.", flush=True)
    if os.name == "nt":  # on Windows, two programs would use the terminal after `execve`
        sys.exit(subprocess.run(command, env=variables, check=False).returncode)
    os.execve(command[0], command, variables)


def run_management_command(version: ProgramVersion, *arguments: str, **environment: str) -> None:
    """Run a management command with this program, or with a copy of another version.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    if version == get_this_version():
        command, folder = [sys.executable, "manage.py"], BASE_DIR
    else:
        command, folder = [str(version.python), "-P", "-c", START_CODE], version.folder
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    variables |= {"VAR_DIR": str(VAR_DIR), **environment}
    subprocess.run([*command, *arguments], cwd=folder, env=variables, check=True, capture_output=True, text=True)


def _get_packages_folder(environment: Path) -> Path:
    return Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))


def copy_program() -> None:
    """Make a copy of this version, and delete the copies of all versions except the current and the previous one.

    Raises:
        OSError: the disk is full.
    """
    folder = get_this_version().folder
    files = dict(_list_installed_files())
    part = folder.with_name(f".part-{folder.name}")
    shutil.rmtree(part, ignore_errors=True)
    part.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    require_disk_space(part.parent, sum(source.stat().st_size for source in files.values()))
    try:
        venv.EnvBuilder(symlinks=os.name != "nt").create(part)
        for name, source in files.items():
            target = _get_packages_folder(part) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            _link_or_copy(source, target)
        if hasattr(os, "sync"):
            os.sync()  # one call, because there are thousands of files
        part.replace(folder)
        sync_folder(folder.parent)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        raise
    used = read_used_versions()
    needed = {folder, *(version.folder for version in (used and used.current, used and used.previous) if version)}
    for other in folder.parent.iterdir():
        if other.is_dir() and other not in needed:
            shutil.rmtree(other, ignore_errors=True)


def _list_installed_files() -> Iterator[tuple[str, Path]]:
    """Yield the path of each file of the program and its packages, relative to the packages' folder and in full."""
    for package in _find_packages(PACKAGE_NAME):
        for file in package.files or ():
            path = Path(str(file.locate()))
            if ".." in file.parts or not path.exists():  # a script, which contains the path of its Python
                continue
            yield str(file), path
            compiled = Path(importlib.util.cache_from_source(str(path)))
            if file.suffix == ".py" and compiled.exists():
                yield str(file.parent / "__pycache__" / compiled.name), compiled


def _find_packages(name: str) -> list[Distribution]:
    """Return the installed package of this name, and all of its direct and indirect requirements that are installed."""
    found: dict[str, Distribution] = {}
    names = [name]
    while names:
        key = re.sub(r"[-_.]+", "-", names.pop()).lower()
        if key not in found:
            with suppress(PackageNotFoundError):
                found[key] = distribution(key)
                names += [re.split(r"[^\w.-]", needed, maxsplit=1)[0] for needed in found[key].requires or ()]
    return list(found.values())


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source.resolve() if source.is_symlink() else source, target)  # uv can install links to its cache
    except OSError as error:  # another disk, another user's file, or a file system without links
        if is_disk_full(error):
            raise
        shutil.copy2(source, target)


def main() -> None:
    """Make a copy of this version while the site is in use: `python -m laptop.programs`."""
    die_with_supervisor()
    lower_priority(COPY_NICENESS)
    try:
        copy_program()
    except OSError as error:
        if not is_disk_full(error):
            raise
        print(
            "The disk has no room for a copy of this version of the program. To go back to this version after the next "
            "update, install it again.",
            flush=True,
        )


if __name__ == "__main__":
    main()
