"""Build the Debian package from the wheel in `dist/`, with Debian's own tools: `make deb`.

The package contains a virtual environment with the wheel and the locked requirements. Installing the package therefore
needs no network, except for Python itself.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
from email.utils import formatdate
from pathlib import Path
from typing import Final

from tournament import __version__

ROOT: Final = Path(__file__).resolve().parent.parent
TOOLS: Final = {"dpkg-buildpackage": "dpkg-dev", "dh": "debhelper", "po2debconf": "po-debconf", "git": "git"}
"""The programs that are needed, each with its Debian package."""
PLATFORMS: Final = {"amd64": "x86_64-manylinux_2_36", "arm64": "aarch64-manylinux_2_36"}
"""The platform of the wheels for each of Debian's architectures. 2.36 is the version of Debian 12's C library."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", default=__version__, help="the version of the package, to build one for a trial")
    parser.add_argument("--to", type=Path, default=ROOT / "dist", help="the folder for the package")
    parser.add_argument("--architecture", choices=PLATFORMS, help="the kind of processor, if not this machine's")
    parser.add_argument("--fast", action="store_true", help="compress less, for a trial")
    options = parser.parse_args()
    if missing := {package for tool, package in TOOLS.items() if not shutil.which(tool)}:
        sys.exit(f"Some of Debian's tools are missing. Type:  apt-get install {' '.join(sorted(missing))}")
    if not Path("/usr/bin/python3.11").exists():
        sys.exit("The package is built with Python 3.11 of Debian 12 (/usr/bin/python3.11), which is missing here.")
    architecture = options.architecture or _read_output("dpkg", "--print-architecture")
    with tempfile.TemporaryDirectory(prefix="deb-") as folder:
        source = Path(folder) / "gin-rummy"
        _copy_source(source, options.version)
        variables = {
            "WHEEL": str(ROOT / "dist" / f"gin_rummy_tournaments-{__version__}-py3-none-any.whl"),
            "REQUIREMENTS": str(ROOT / "requirements.txt"),
            "UV": f"{sys.executable} -m uv",
            "PLATFORM": PLATFORMS[architecture],
            "COMPRESSION": "gzip -z1" if options.fast else "xz",
        }
        # Nothing is compiled, so a package for another architecture needs no compiler for it.
        build = ["dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps"]
        build += [f"--host-arch={architecture}"]
        subprocess.run(build, cwd=source, env={**os.environ, **variables}, check=True)
        [package] = Path(folder).glob("gin-rummy_*.deb")
        options.to.mkdir(exist_ok=True)
        print(shutil.move(package, options.to / package.name))


def _copy_source(source: Path, version: str) -> None:
    """Copy the packaging and the docs, and write the two files that depend on the version and on who builds it."""
    shutil.copytree(ROOT / "laptop" / "debian", source / "debian")
    shutil.copytree(ROOT / "docs", source / "docs")
    maintainer = _find_maintainer()
    control = source / "debian" / "control"
    control.write_text(control.read_text(encoding="utf-8").replace("@MAINTAINER@", maintainer), encoding="utf-8")
    changes = "\n".join(f"  {line}" for line in _read_newest_changes())
    text = f"gin-rummy ({version}) bookworm; urgency=medium\n\n{changes}\n\n -- {maintainer}  {_find_date()}\n"
    (source / "debian" / "changelog").write_text(text, encoding="utf-8")


def _read_newest_changes() -> list[str]:
    """Return the newest section of CHANGELOG.md as lines of a Debian changelog."""
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].splitlines()[1:]
    items = " ".join(line.strip() for line in newest).removeprefix("- ").split(" - ")
    return [line for item in items for line in textwrap.wrap(f"* {item}", 75, subsequent_indent="  ")]


def _find_maintainer() -> str:
    """Return the name and address of the person who builds the package, from DEBFULLNAME and DEBEMAIL or from git."""
    name, email = (
        os.environ.get(variable) or _read_output("git", "config", setting)
        for variable, setting in (("DEBFULLNAME", "user.name"), ("DEBEMAIL", "user.email"))
    )
    if not name or not email:
        sys.exit("A package names its maintainer. Set DEBFULLNAME to your name, and DEBEMAIL to your email address.")
    return f"{name} <{email}>"


def _find_date() -> str:
    return _read_output("git", "log", "-1", "--format=%cD") or formatdate(localtime=True)


def _read_output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


if __name__ == "__main__":
    main()
