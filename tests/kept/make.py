"""Export a made-up event that later versions must be able to import: `python -m tests.kept.make --out <file>`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.devtools.spoiled.__main__ import set_up


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kept.make", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--event", action="store_true", help="export one of two events, instead of a tournament")
    parser.add_argument("--everything", action="store_true", help="export the installation, instead of a tournament")
    options = parser.parse_args(arguments)
    out = options.out.absolute()
    with tempfile.TemporaryDirectory(prefix="kept-") as folder:
        set_up(Path(folder))
        from scoring.archive.selectors.export import export_tournament
        from scoring.archive.selectors.installations import export_installation
        from tests.scoring.helpers.archive import a_tournament_in_play
        from tests.scoring.helpers.two_events import two_events

        event = two_events()[0] if options.event else a_tournament_in_play()
        if options.everything:
            export_installation(out)
        else:
            export_tournament(event.tournament, out, event=event if options.event else None)
        print(out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
