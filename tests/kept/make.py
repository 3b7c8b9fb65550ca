"""Export the made-up event that is kept for the code of later days: `python -m tests.kept.make --out <file>`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.devtools.spoiled.__main__ import set_up


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kept.make", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    out = parser.parse_args(arguments).out.absolute()
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        set_up(Path(folder))
        from tests.scoring.helpers.archive import a_tournament_in_play, export

        print(export(a_tournament_in_play(), out.parent, out.name))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
